"""The shipped rows are those of the lock file, and an install needs no build."""

import hashlib

import msgspec
import pytest

from verigym.core.errors import NotFound
from verigym.core.records import FunctionCall
from verigym.environments import shipped, toolcall

LOCK = [line.split() for line in shipped.LOCK.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


SPLITS = [line for line in LOCK if line[2] != "-"]
FILES = [(name, file, sha256) for name, file, rows, _, sha256 in LOCK if rows == "-"]


@pytest.mark.parametrize(("name", "split", "num_rows", "num_families", "sha256"), SPLITS)
def test_rows_match_the_lock_file(name: str, split: str, num_rows: str, num_families: str, sha256: str) -> None:
    rows = shipped.rows(name, split)
    assert hashlib.sha256(rows).hexdigest() == sha256
    lines = [msgspec.json.decode(line) for line in rows.splitlines()]
    assert len(lines) == int(num_rows) and len({row.get("family", "") for row in lines}) == int(num_families)


@pytest.mark.parametrize(("name", "file", "sha256"), FILES)
def test_other_data_files_match_the_lock_file(name: str, file: str, sha256: str) -> None:
    assert hashlib.sha256((shipped.data_folder(name) / file).read_bytes()).hexdigest() == sha256


def test_every_data_file_is_in_the_lock_file() -> None:
    files = {
        (path.parent.parent.name, path.name.removesuffix(".gz").removesuffix(".jsonl"))
        for path in shipped.LOCK.parent.glob("*/data/*")
    }
    assert files == {(name, split) for name, split, *_ in LOCK}
    assert ("data_analysis", "tables.zip") in files


def test_an_unknown_split_is_named_with_those_that_exist() -> None:
    with pytest.raises(NotFound, match="split of toolcall"):
        toolcall.tasks("test")


def test_a_solution_has_one_call_per_turn_and_a_last_message() -> None:
    call = FunctionCall("c", "look", "{}")
    [first], [second], [last] = shipped.solution([call, {"name": "act", "arguments": {"id": 1}}], "Yes.")
    assert first == FunctionCall("call_0", "look", "{}") and second == FunctionCall("call_1", "act", '{"id":1}')
    assert last.text == "Yes."  # type: ignore[union-attr]
