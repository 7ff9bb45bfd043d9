"""Removes duplicate tasks. The first of each stays.

A duplicate asks the same or nearly the same with the same data. Nearly the same question with another answer ("6 times 7",
"6 times 8") is another task and stays. The same question, word for word, with another answer is a conflict: one of them is
wrong, and this code cannot tell which. All tasks of a conflict are left out unless you ask for them.
"""

from collections.abc import Collection, Sequence
from typing import Any

import msgspec

from verigym.core.records import Item, Json, Task, content_hash
from verigym.tasks import near_duplicates as near
from verigym.tasks.leaks import prompt_of

NEAR = 0.8
"""Minimum similarity of near-duplicates."""
_ANSWERS = ("answer", "expected_tool", "expected_args")
_REPLIES = ("completion", "chosen", "rejected")
"""Data keys that are compared by similarity, as prompts are."""


class DuplicateTask(msgspec.Struct, frozen=True):
    task: str
    of: str
    likeness: float
    """1 with `exact`: the same prompt and data."""
    exact: bool


class DedupResult(msgspec.Struct, frozen=True):
    kept: list[Task]
    repeats: list[DuplicateTask]
    conflicts: list[list[str]]
    """Groups of tasks that ask the same and disagree on the answer."""


def deduplicate(
    tasks: Sequence[Task],
    at_least: float = NEAR,
    *,
    ignore: Collection[str] = (),
    keep_conflicts: bool = False,
    on_progress: near.Progress = lambda done, total: None,
) -> DedupResult:
    """The tasks without duplicates, in order. `ignore` names data keys that do not make two tasks different (a score)."""
    repeated = _exact(tasks, ignore)
    conflicts = _conflicts([task for task in tasks if task.id not in repeated], ignore)
    out = {task for group in conflicts for task in group} if not keep_conflicts else set()
    rest = [task for task in tasks if task.id not in repeated and task.id not in out]
    repeated |= _near(rest, at_least, ignore, on_progress)
    return DedupResult(
        kept=[task for task in rest if task.id not in repeated],
        repeats=[repeated[task.id] for task in tasks if task.id in repeated],
        conflicts=conflicts,
    )


def _exact(tasks: Sequence[Task], ignore: Collection[str]) -> dict[str, DuplicateTask]:
    ids: dict[str, list[str]] = {}
    for task in tasks:
        ids.setdefault(content_hash([task.prompt, _without(task.data, ignore)]), []).append(task.id)
    return {id: DuplicateTask(id, first, 1.0, True) for first, *others in ids.values() for id in others}


def _conflicts(tasks: Sequence[Task], ignore: Collection[str]) -> list[list[str]]:
    """After exact duplicates are removed: tasks that differ only in the answer."""
    groups: dict[str, list[str]] = {}
    for task in tasks:
        if any(key in task.data for key in _ANSWERS):
            key = content_hash([prompt_of(task), _without(task.data, (*ignore, *_ANSWERS))])
            groups.setdefault(key, []).append(task.id)
    return [group for group in groups.values() if len(group) > 1]


def _near(
    tasks: Sequence[Task], at_least: float, ignore: Collection[str], on_progress: near.Progress
) -> dict[str, DuplicateTask]:
    groups: dict[str, list[Task]] = {}
    for task in tasks:
        same = [_instructions(task), _without(task.data, (*ignore, *_REPLIES))]
        groups.setdefault(content_hash(same), []).append(task)
    duplicates: dict[str, DuplicateTask] = {}
    done = 0
    for group in groups.values():
        if len(group) > 1:

            def on_group(position: int, _: int, done: int = done) -> None:
                on_progress(done + position, len(tasks))

            for later, (first, likeness) in near.repeats([_text(task) for task in group], at_least, on_group).items():
                id = group[later].id
                duplicates[id] = DuplicateTask(id, group[first].id, likeness, False)
        done += len(group)
    return duplicates


def _text(task: Task) -> str:
    replies = [near.plain(_reply(task.data[key])) for key in _REPLIES if key in task.data]
    return "\n".join([near.text_of(task), *replies])


def _reply(value: Any) -> str:
    try:
        return near.conversation_text(msgspec.convert(value, list[Item]))
    except msgspec.ValidationError:  # an environment's own data under a name that we use
        return msgspec.json.encode(value).decode()


def _instructions(task: Task) -> list[Item]:
    """What `near_duplicates.text_of` leaves out."""
    return [] if isinstance(task.prompt, str) else [item for item in task.prompt if not near.conversation_text([item])]


def _without(data: Json, keys: Collection[str]) -> Json:
    return {key: value for key, value in data.items() if key not in keys}
