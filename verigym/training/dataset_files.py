"""Reads training data from files: demonstrations and preferences in common formats, or rows that Verigym wrote.

`tasks.rows` knows the common formats. A file that Verigym wrote has one encoded `Example` or `Preference` per line.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import msgspec

from verigym.core import codec
from verigym.core.errors import BadInput, Refused
from verigym.core.records import Example, Item, Json, Message, Preference, Task, ToolSpec
from verigym.evaluation.suites import family_of
from verigym.policies.render import replies
from verigym.rollout.replies import wording
from verigym.tasks.files import FileRow, rows_of
from verigym.tasks.load import load_tasks
from verigym.tasks.rows import shape_of
from verigym.training.data import Counts

Rows = list[Example] | list[Preference]


def read_rows(path: Path) -> tuple[Rows, Counts]:
    """All rows of a file, which must be of one kind. Duplicates are dropped and counted."""
    first = next(iter(rows_of(path)), None)
    if first is not None and _is_own(first.value):
        kind = Example if "made" in first.value else Preference
        read = [_own(row, kind, path) for row in rows_of(path)]
    else:
        read = _from_tasks(load_tasks(path, split="train"), path)
    counts = Counter[str]()
    kept: dict[bytes, Example | Preference] = {}
    for row in read:
        key = b"" if row is None else _content(row)
        counts["labelled bad" if row is None else "twice" if key in kept else "kept"] += 1
        if row is not None:
            kept.setdefault(key, row)
    return cast(Rows, list(kept.values())), {"looked at": len(read), "kept": len(kept), **counts}


def _content(row: Example | Preference) -> bytes:
    """The content of a row without its name, used to find duplicates."""
    sides = (row.items,) if isinstance(row, Example) else (row.prompt, row.chosen, row.rejected)
    return b"\n".join(map(wording, sides))


# -- Verigym rows -------------------------------------------------------------------------------------------------------


def _is_own(row: Any) -> bool:
    """Whether Verigym wrote the row, judged by its schema version and task."""
    return isinstance(row, dict) and type(row.get("schema")) is int and "task" in row


def _own(row: FileRow, kind: type[Example] | type[Preference], path: Path) -> Example | Preference:
    try:
        if row.problem:
            raise BadInput(row.problem)
        made = codec.decode(msgspec.json.encode(row.value), kind)
        _check(made)
        return made
    except BadInput as error:
        raise BadInput(f"{path} {row.position}: {error}") from error


def _check(row: Example | Preference) -> None:
    if isinstance(row, Preference):
        for name, side in (("chosen", row.chosen), ("rejected", row.rejected)):
            if not replies(side):
                raise BadInput(f'"{name}" contains no reply of the assistant')
        return
    ends = [0, *(place for span in row.made for place in span), len(row.items)]
    if not row.made or ends != sorted(ends) or any(start == end for start, end in row.made):
        raise BadInput(
            f'"made" is {row.made}. It must list ranges of the {len(row.items)} items in order, such as [[1, 2]]'
        )


# -- common formats ----------------------------------------------------------------------------------------------------


def _from_tasks(tasks: Sequence[Task], path: Path) -> list[Example | Preference | None]:
    """The rows as records, with None for a demonstration that is labelled as bad."""
    shape = shape_of(tasks[0])
    if shape not in ("demonstration", "preference"):
        raise BadInput(
            f'{path}: row "{tasks[0].id}" is neither a demonstration nor a preference. Use one of the forms '
            '{"prompt", "completion"}, {"messages"} or {"prompt", "chosen", "rejected"}'
        )
    read: list[Example | Preference | None] = []
    for task in tasks:
        if task.split != "train":
            raise Refused(
                f'{path}: row "{task.id}" is in split "{task.split}". Held-out tasks are never trained on. Remove it'
            )
        if (found := shape_of(task)) != shape:
            raise BadInput(
                f'{path}: row "{task.id}" is of kind {found}, but the first row is of kind {shape}. Use two files'
            )
        try:
            read.append(_preference(task) if shape == "preference" else _example(task))
        except BadInput as error:
            raise BadInput(f'{path}, row "{task.id}": {error}') from error
    return read


def _example(task: Task) -> Example | None:
    if task.data.get("label") is False:
        return None
    prompt, completion = _prompt(task), _items(task.data["completion"])
    made = replies(prompt + completion, len(prompt))
    if not made:
        raise BadInput('"completion" contains no reply of the assistant')
    return Example(items=prompt + completion, made=made, **_about(task))


def _preference(task: Task) -> Preference:
    chosen, rejected = _items(task.data["chosen"]), _items(task.data["rejected"])
    made = Preference(prompt=_prompt(task), chosen=chosen, rejected=rejected, **_about(task))
    _check(made)
    return made


def _about(task: Task) -> Json:
    source = task.lineage[0] if task.lineage else task.id
    return {"task": task.id, "family": family_of(task), "tools": _tools(task.data.get("tools")), "source": source}


def _prompt(task: Task) -> list[Item]:
    return [Message("user", task.prompt)] if isinstance(task.prompt, str) else list(task.prompt)


def _items(value: Any) -> list[Item]:
    return msgspec.convert(value, list[Item])


def _tools(value: Any) -> list[ToolSpec]:
    """Tools in the form of a Chat Completions or Responses request."""
    if value is None:
        return []
    try:
        bare = [one.get("function", one) for one in value]
        return msgspec.convert([{k: v for k, v in one.items() if v is not None} for one in bare], list[ToolSpec])
    except (AttributeError, TypeError, msgspec.ValidationError) as error:
        raise BadInput(f'"tools" is not a list of {{"name", "description", "parameters"}}: {error}') from error
