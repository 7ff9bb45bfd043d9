"""Tasks from JSONL files and back, and the rule that no family is on both sides of a split.

A row is `{"prompt", "expected_tool", "expected_args"}`, `{"prompt", "answer"}` or a full `Task` (it has "id" or
"data"). What a tool or an answer means is the environment's business: here it is only carried, in `Task.data`.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from verigym.core import codec
from verigym.core.errors import BadInput, Refused
from verigym.core.records import Json, Task, content_hash

_ROWS = 'rows are {"prompt", "expected_tool", "expected_args"}, {"prompt", "answer"} or a full Task'
_FIELDS = set(Task.__struct_fields__)
_SHORT = {"answer", "expected_tool", "expected_args"}
"""Keys by which a short row is known."""
_SHOWN = 5
"""How many families or prompts a refusal lists."""


def load_tasks(path: str | Path, *, split: str | None = None) -> list[Task]:
    """The tasks of a JSONL file, in order. `split` is for the rows that name none; without it they are `train`."""
    path = Path(path)
    tasks: list[Task] = []
    lines: dict[str, int] = {}
    for number, line in enumerate(_read(path).split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            task = _task(line, path, number, split)
            if task.id in lines:
                raise BadInput(f'the id "{task.id}" is that of line {lines[task.id]} too; give each row its own')
        except BadInput as error:
            raise BadInput(f"{path} line {number}: {error}") from error
        lines[task.id] = number
        tasks.append(task)
    if not tasks:
        raise BadInput(f"{path} has no tasks; {_ROWS}, one a line")
    return tasks


def load_split(train_path: str | Path, held_out_path: str | Path) -> tuple[list[Task], list[Task]]:
    """The tasks to train on and those to measure on, checked to have nothing in common."""
    train, held_out = load_tasks(train_path, split="train"), load_tasks(held_out_path, split="val")
    for path, tasks, wanted in [(train_path, train, True), (held_out_path, held_out, False)]:
        for task in tasks:
            if (task.split == "train") is not wanted:
                side = "trained on" if wanted else "held out"
                raise Refused(f'{path}: task "{task.id}" has the split "{task.split}", but this file is to be {side}')
    check_split(train, held_out)
    return train, held_out


def check_split(train: list[Task], held_out: list[Task]) -> None:
    """Raises `Refused` when a family, or a prompt word for word, is on both sides."""
    families = {_family(task) for task in train} & {_family(task) for task in held_out}
    prompts = {_prompt(task) for task in train} & {_prompt(task) for task in held_out}
    crossing: list[str] = []
    if families:
        crossing.append(f"{len(families)} {'family' if len(families) == 1 else 'families'}: {_list(families)}")
    if prompts:
        crossing.append(f"{len(prompts)} {'prompt' if len(prompts) == 1 else 'prompts'}: {_list(prompts)}")
    if crossing:
        words = "; ".join(crossing)
        raise Refused(
            f"training and held-out tasks share {words}. Move each wholly to one side"
            " (rows without an id are named after their file and line: two files of one name need ids)."
        )


def save_tasks(path: str | Path, tasks: Iterable[Task]) -> None:
    """Writes the tasks as `codec` rows, all or nothing: a reader sees the old file or the new one."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("wb") as file:
            file.writelines(codec.encode(task) + b"\n" for task in tasks)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def tasks_hash(tasks: Iterable[Task]) -> str:
    """Hash of what the tasks ask, in any order; where they came from does not count."""
    return content_hash(sorted(content_hash(msgspec.structs.replace(task, lineage=[])) for task in tasks))


# -- rows -------------------------------------------------------------------------------------------------------------


def _task(line: bytes, path: Path, number: int, split: str | None) -> Task:
    row = _object(line)
    _check_prompt(row)
    if _is_written(row):
        return codec.decode(line, Task)
    try:
        return msgspec.convert(_full(row, path, number, split), Task)
    except msgspec.ValidationError as error:
        raise BadInput(f"not a Task: {error}") from error


def _full(row: Json, path: Path, number: int, split: str | None) -> Json:
    """The row as a full Task; keys that a Task does not have go into its data."""
    if "data" not in row and not ("id" in row and _SHORT.isdisjoint(row)):
        _check_short(row)
    if row.get("id") == "":
        raise BadInput('"id" is empty; leave it out to have one made')
    name = row.get("id", f"{path.stem}-{number}")
    full: Json = {"id": name, "family": name, "lineage": [f"{path.name}:{number}"], "data": {}}
    if split is not None:
        full["split"] = split
    full |= {key: value for key, value in row.items() if key in _FIELDS}
    rest = {key: value for key, value in row.items() if key not in _FIELDS}
    if isinstance(full["data"], dict):
        full["data"] = {**full["data"], **rest}
    return full


def _is_written(row: Json) -> bool:
    """Whether `save_tasks` wrote it: its schema version says so. A row of a user's may have a "schema" of its own."""
    return "id" in row and type(row.get("schema")) is int and row["schema"] > 0


def _object(line: bytes) -> Json:
    try:
        row = msgspec.json.decode(line.decode())
    except UnicodeDecodeError as error:
        raise BadInput(f"byte {error.start + 1} is not UTF-8; save the file as UTF-8") from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadInput(f"{_why_not_json(line.decode(), error)}; write one JSON object a line") from error
    if not isinstance(row, dict):
        raise BadInput(f"a row is a JSON object, this is {_kind(row)}; {_ROWS}")
    return row


def _why_not_json(line: str, error: Exception) -> str:
    """The standard library knows the column; what it lets pass (NaN, half of a surrogate pair) msgspec names."""
    try:
        json.loads(line)
    except json.JSONDecodeError as found:
        return f"not JSON at column {found.colno}: {found.msg}"
    except (ValueError, RecursionError):
        pass
    return f"not JSON: {error}"


def _check_prompt(row: Json) -> None:
    if "prompt" not in row:
        raise BadInput(f'"prompt" is missing; every task needs it ({_ROWS})')
    prompt = row["prompt"]
    if not isinstance(prompt, str | list):
        raise BadInput(f'"prompt" is {_kind(prompt)}; it must be text or a list of items')
    if not (prompt.strip() if isinstance(prompt, str) else prompt):
        raise BadInput('"prompt" is empty; write what the model is asked')


def _check_short(row: Json) -> None:
    if "answer" in row:
        return
    if "expected_tool" not in row and "expected_args" not in row:
        raise BadInput(f'neither "answer" nor "expected_tool" is there; a task needs one of them ({_ROWS})')
    if "expected_tool" not in row:
        raise BadInput(f'"expected_tool" is missing; a tool-call task needs it ({_ROWS})')
    if not isinstance(row["expected_tool"], str) or not row["expected_tool"]:
        raise BadInput(f'"expected_tool" is {_kind(row["expected_tool"])}; it must be the name of a tool')
    if "expected_args" not in row:
        raise BadInput('"expected_args" is missing; a tool-call task needs it ({} for a tool without arguments)')
    if not isinstance(row["expected_args"], dict):
        raise BadInput(f'"expected_args" is {_kind(row["expected_args"])}; it must be an object of names and values')


# -- files and words --------------------------------------------------------------------------------------------------


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except IsADirectoryError as error:
        raise BadInput(f"{path} is a folder; {_files_in(path)}") from error
    except FileNotFoundError as error:
        raise BadInput(f"{path} does not exist; {_files_in(path.parent)}") from error
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error


def _files_in(folder: Path) -> str:
    names = sorted(file.name for file in folder.glob("*.jsonl"))
    return f"{folder} has {', '.join(names)}" if names else f"{folder} has no .jsonl file"


def _kind(value: Any) -> str:
    """What a JSON value is, in the words of a person."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "text" if value else "empty"
    return "a list" if isinstance(value, list) else "an object"


def _family(task: Task) -> str:
    return task.family or task.id


def _prompt(task: Task) -> str:
    return task.prompt if isinstance(task.prompt, str) else msgspec.json.encode(task.prompt).decode()


def _list(names: set[str]) -> str:
    """The first few, in order, each short enough to read."""
    shown = [f'"{name if len(name) <= 80 else name[:77] + "..."}"' for name in sorted(names)[:_SHOWN]]
    return ", ".join(shown) + (", ..." if len(names) > _SHOWN else "")
