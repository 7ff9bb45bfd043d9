"""Loads and saves tasks, and hashes the content of a set of tasks.

`files` reads the formats and `rows` the shapes of rows. A wrong row stops the load with its file, position, problem and
remedy. If you pass a list as `bad`, `load_tasks` adds such rows to it and continues.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

import msgspec

from verigym.core import codec
from verigym.core.errors import BadInput, Refused
from verigym.core.records import Task, content_hash
from verigym.tasks.files import rows_of, write_beside, write_whole
from verigym.tasks.leaks import check_split
from verigym.tasks.rows import FORMS, read_task


class BadRow(msgspec.Struct, frozen=True):
    """A row that was set aside."""

    file: str
    row: str
    """`line 12`, or `row 12` if the file has no lines."""
    reason: str
    raw: Any
    """The row as it was: its value if it could be parsed, otherwise its text."""


def load_tasks(path: str | Path, *, split: str | None = None, bad: list[BadRow] | None = None) -> list[Task]:
    """The tasks of a .jsonl, .json, .csv or .parquet file, in order.

    `split` applies to rows that name none. The default is `train`. Wrong rows go to `bad` if you pass a list. Otherwise the first
    one raises `BadInput`.
    """
    path = Path(path)
    tasks: list[Task] = []
    positions: dict[str, str] = {}
    aside = 0
    for number, position, value, problem in rows_of(path):
        try:
            if problem:
                raise BadInput(problem)
            task = read_task(value, f"{path.stem}-{number}", f"{path.name}:{number}", split)
            if task.id in positions:
                raise BadInput(f'the id "{task.id}" is already used by {positions[task.id]}. Give each row its own id')
        except BadInput as error:
            if bad is None:
                raise BadInput(f"{path} {position}: {error}") from error
            bad.append(BadRow(str(path), position, str(error), value))
            aside += 1
            continue
        positions[task.id] = position
        tasks.append(task)
    if not tasks and bad and aside:
        first = bad[-aside]
        raise BadInput(f"{path}: all {aside} rows are invalid. The first, {first.row}: {first.reason}")
    if not tasks:
        raise BadInput(f"{path} contains no tasks. {FORMS}")
    return tasks


def load_split(
    train_path: str | Path, held_out_path: str | Path, *, bad: list[BadRow] | None = None
) -> tuple[list[Task], list[Task]]:
    """The training tasks and the held-out tasks, checked to share nothing."""
    train = load_tasks(train_path, split="train", bad=bad)
    held_out = load_tasks(held_out_path, split="val", bad=bad)
    for path, tasks, wanted in [(train_path, train, True), (held_out_path, held_out, False)]:
        for task in tasks:
            if (task.split == "train") is not wanted:
                side = "training" if wanted else "held-out"
                raise Refused(
                    f'{path}: task "{task.id}" is in split "{task.split}", but this file may only contain {side} tasks'
                )
    check_split(train, held_out)
    return train, held_out


def save_tasks(path: str | Path, tasks: Iterable[Task]) -> None:
    """Writes the tasks atomically as .jsonl, .json or .parquet. `load_tasks` restores them exactly."""
    path = Path(path)
    kind = path.suffix.lower()
    if kind == ".csv":
        raise BadInput(f"{path}: CSV cannot hold every task. Write .jsonl, .json or .parquet")
    if kind not in (".jsonl", ".json", ".parquet"):
        raise BadInput(f"{path}: tasks can be written only as .jsonl, .json or .parquet")

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
    """Writes rows that were set aside to FILE.bad.jsonl, in `folder` or beside their file. Never overwrites other content."""
    by_file: dict[str, list[BadRow]] = {}
    for row in bad:
        by_file.setdefault(row.file, []).append(row)
    written: list[Path] = []
    for file, rows in by_file.items():
        path = (folder or Path(file).parent) / f"{Path(file).name}.bad.jsonl"
        lines = [msgspec.json.encode(row, enc_hook=str) + b"\n" for row in rows]
        written.append(write_beside(path, b"".join(lines)))
    return written


def tasks_hash(tasks: Iterable[Task]) -> str:
    """Hash of the content of tasks, in any order. Where they came from does not count."""
    return content_hash(sorted(content_hash(msgspec.structs.replace(task, lineage=[])) for task in tasks))
