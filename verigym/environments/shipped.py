"""Reads the tasks that ship with an environment, and writes solutions as turns.

`data/` of an environment has one file per split: `SPLIT.jsonl`, or compressed `SPLIT.jsonl.gz`. `rows.lock` has the hash of
each. `python -m authoring build ENV` writes both, from a checkout of the repository.
"""

import gzip
from collections.abc import Iterable
from pathlib import Path

import msgspec

from verigym.core.errors import not_found
from verigym.core.records import FunctionCall, Item, Json, Message, Task, Trajectory

LOCK = Path(__file__).parent / "rows.lock"
SPLITS = ("train", "val")


def tasks(name: str, split: str, splits: Iterable[str] = SPLITS) -> list[Task]:
    """The shipped tasks of a split, in the order of the file."""
    if split not in splits:
        raise not_found(f"split of {name}", split, splits)
    return msgspec.json.Decoder(Task).decode_lines(rows(name, split))


def data_folder(name: str) -> Path:
    return Path(__file__).parent / name / "data"


def rows(name: str, split: str) -> bytes:
    """The rows of a split, uncompressed."""
    plain = data_folder(name) / f"{split}.jsonl"
    compressed = plain.with_suffix(".jsonl.gz")
    return gzip.decompress(compressed.read_bytes()) if compressed.exists() else plain.read_bytes()


def solution(calls: Iterable[FunctionCall | Json], last: str = "Done.") -> list[list[Item]]:
    """One call per turn, then a message."""
    return [*([call] for call in numbered(calls)), [Message("assistant", last)]]


def numbered(calls: Iterable[FunctionCall | Json]) -> list[Item]:
    """Gives each call its own id. A call may be `{"name": ..., "arguments": {...}}`."""
    return [
        msgspec.structs.replace(call, call_id=f"call_{index}")
        if isinstance(call, FunctionCall)
        else FunctionCall(f"call_{index}", call["name"], msgspec.json.encode(call["arguments"]).decode())
        for index, call in enumerate(calls)
    ]


def calls_of(episode: Trajectory) -> list[Json]:
    """The calls of an episode that were executed, as `{"name": ..., "arguments": {...}}`."""
    executed = {mark.item for mark in episode.marks if mark.kind == "executed"}
    return [
        {"name": item.name, "arguments": msgspec.json.decode(item.arguments or "{}")}
        for index, item in enumerate(episode.items)
        if isinstance(item, FunctionCall) and index in executed
    ]
