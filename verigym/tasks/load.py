"""Tasks from files and back, and the hash of what a set of tasks asks.

Formats are `files`, the shapes of rows `rows`. A row that is wrong stops the load with its file, place, fault and remedy;
given a list for them, `load_tasks` sets such rows aside there instead, and reads on.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

import msgspec

from verigym.core import codec
from verigym.core.errors import BadInput, Refused
from verigym.core.records import Task, content_hash
from verigym.tasks.files import rows_of, write_whole
from verigym.tasks.leaks import check_split
from verigym.tasks.rows import SHAPES, read_task

__all__ = ["BadRow", "check_split", "load_split", "load_tasks", "save_bad", "save_tasks", "tasks_hash"]


class BadRow(msgspec.Struct, frozen=True):
    """A row that was set aside."""

    file: str
    row: str
    """`line 12`, or `row 12` where a file has no lines."""
    reason: str
    raw: Any
    """The row as it was: its value where it could be read, else its text."""


def load_tasks(path: str | Path, *, split: str | None = None, bad: list[BadRow] | None = None) -> list[Task]:
    """The tasks of a .jsonl, .json, .csv or .parquet file, in order.

    `split` is for the rows that name none; without it they are `train`. Rows that are wrong go to `bad`, where it is
    given; without it the first one raises `BadInput`.
    """
    path = Path(path)
    tasks: list[Task] = []
    places: dict[str, str] = {}
    aside = 0
    for number, place, value, problem in rows_of(path):
        try:
            if problem:
                raise BadInput(problem)
            task = read_task(value, f"{path.stem}-{number}", f"{path.name}:{number}", split)
            if task.id in places:
                raise BadInput(f'the id "{task.id}" is that of {places[task.id]} too; give each row its own')
        except BadInput as error:
            if bad is None:
                raise BadInput(f"{path} {place}: {error}") from error
            bad.append(BadRow(str(path), place, str(error), value))
            aside += 1
            continue
        places[task.id] = place
        tasks.append(task)
    if not tasks and bad and aside:
        first = bad[-aside]
        raise BadInput(f"{path}: all {aside} rows are bad; the first, {first.row}: {first.reason}")
    if not tasks:
        raise BadInput(f"{path} has no tasks; rows are {SHAPES}")
    return tasks


def load_split(
    train_path: str | Path, held_out_path: str | Path, *, bad: list[BadRow] | None = None
) -> tuple[list[Task], list[Task]]:
    """The tasks to train on and those to measure on, checked to have nothing in common."""
    train = load_tasks(train_path, split="train", bad=bad)
    held_out = load_tasks(held_out_path, split="val", bad=bad)
    for path, tasks, wanted in [(train_path, train, True), (held_out_path, held_out, False)]:
        for task in tasks:
            if (task.split == "train") is not wanted:
                side = "trained on" if wanted else "held out"
                raise Refused(f'{path}: task "{task.id}" has the split "{task.split}", but this file is to be {side}')
    check_split(train, held_out)
    return train, held_out


def shipped(tasks: Iterable[Task]) -> bytes:
    """As a file of an environment in this package: a task a line, no more than it holds."""
    return b"".join(msgspec.json.encode(task) + b"\n" for task in tasks)


def ship(folder: Path, split: str, tasks: list[Task]) -> None:
    """Rewrites the file of a split of an environment in this package, and says how much it holds."""
    path = folder / f"{split}.jsonl"
    path.write_bytes(shipped(tasks))
    print(f"{path}: {len(tasks)} tasks, {len({task.family for task in tasks})} families")


def save_tasks(path: str | Path, tasks: Iterable[Task]) -> None:
    """Writes the tasks as .jsonl, .json or .parquet, all or nothing; `load_tasks` gives them back as they were."""
    path = Path(path)
    kind = path.suffix.lower()
    if kind == ".csv":
        raise BadInput(f"{path}: CSV cannot hold every task as it is; write .jsonl, .json or .parquet")
    if kind not in (".jsonl", ".json", ".parquet"):
        raise BadInput(f"{path}: tasks are written as .jsonl, .json or .parquet")

    def write(file: IO[bytes]) -> None:
        if kind == ".parquet":
            from verigym.tasks import parquet

            parquet.write(file, tasks)
        elif kind == ".json":
            file.write(b"[\n" + b",\n".join(codec.encode(task) for task in tasks) + b"\n]\n")
        else:
            file.writelines(codec.encode(task) + b"\n" for task in tasks)

    write_whole(path, write)


def save_bad(bad: Iterable[BadRow], folder: Path | None = None) -> list[Path]:
    """Writes rows that were set aside as FILE.bad.jsonl, into `folder` or beside the file that they are from."""
    by_file: dict[str, list[BadRow]] = {}
    for row in bad:
        by_file.setdefault(row.file, []).append(row)
    written: list[Path] = []
    for file, rows in by_file.items():
        path = (folder or Path(file).parent) / f"{Path(file).name}.bad.jsonl"
        lines = [msgspec.json.encode(row, enc_hook=str) + b"\n" for row in rows]
        write_whole(path, lambda out, lines=lines: out.writelines(lines))
        written.append(path)
    return written


def tasks_hash(tasks: Iterable[Task]) -> str:
    """Hash of what the tasks ask, in any order; where they came from does not count."""
    return content_hash(sorted(content_hash(msgspec.structs.replace(task, lineage=[])) for task in tasks))
