"""Finds what two splits share: families, identical prompts, and nearly identical prompts."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import msgspec

from verigym.core.errors import Refused
from verigym.core.records import Task
from verigym.core.words import counted
from verigym.tasks import near_duplicates as near

NEAR = 0.7
"""Minimum similarity of two prompts that count as the same. `split` keeps even less similar prompts together."""
_SHOWN = 5
"""How many families or prompts an error lists."""


class LeakPair(msgspec.Struct, frozen=True):
    """Something that two sides share, with a task of each."""

    sides: tuple[str, str]
    tasks: tuple[str, str]
    families: tuple[str, str]
    prompts: tuple[str, str]
    likeness: float


class Leaks(msgspec.Struct, frozen=True):
    families: list[LeakPair]
    prompts: list[LeakPair]
    """Identical prompts."""
    near: list[LeakPair]
    """At least one pair for each group of similar prompts on both sides."""

    def __bool__(self) -> bool:
        return bool(self.families or self.prompts or self.near)


_FirstTasks = dict[str, Task]
"""The first task of each side."""


def find_leaks(
    sides: Mapping[str, Sequence[Task]], at_least: float = NEAR, on_progress: near.Progress = lambda done, total: None
) -> Leaks:
    """What any two of the sides share. A side is a file or a split, by name."""
    by_text = _by(near.text_of, sides)
    similar = [pair for first in by_text.values() for pair in _pairs(first, first)]
    for left, right, likeness in near.links(by_text, at_least, on_progress):
        similar += _pairs(by_text[left], by_text[right], likeness)
    similar = [pair for pair in similar if pair.prompts[0] != pair.prompts[1]]
    families: list[LeakPair] = []
    for family, first in _by(family_of, sides).items():
        if any(task.family and task.id != family for task in first.values()):  # not only generated ids that are equal
            families += _pairs(first, first)
    return Leaks(
        families=families,
        prompts=[pair for first in _by(prompt_of, sides).values() for pair in _pairs(first, first)],
        near=sorted(similar, key=lambda pair: (-pair.likeness, pair.tasks)),
    )


def _by(key: Callable[[Task], str], sides: Mapping[str, Sequence[Task]]) -> dict[str, _FirstTasks]:
    first: dict[str, _FirstTasks] = {}
    for side, tasks in sides.items():
        for task in tasks:
            first.setdefault(key(task), {}).setdefault(side, task)
    return first


def _pairs(left: _FirstTasks, right: _FirstTasks, likeness: float = 1.0) -> list[LeakPair]:
    """Pairs every side of `left` with every other side of `right`."""
    pairs = combinations(left, 2) if left is right else [(a, b) for a in left for b in right if a != b]
    return [
        LeakPair(
            sides=(a, b),
            tasks=(left[a].id, right[b].id),
            families=(family_of(left[a]), family_of(right[b])),
            prompts=(prompt_of(left[a]), prompt_of(right[b])),
            likeness=likeness,
        )
        for a, b in pairs
    ]


def check_split(train: list[Task], held_out: list[Task], *, prompts: bool = True) -> None:
    """Raises `Refused` if a family or an identical prompt is on both sides. Set `prompts` to False if all tasks share one prompt
    and differ only in their data, as in a game."""
    families = {family_of(task) for task in train} & {family_of(task) for task in held_out}
    shared = {prompt_of(task) for task in train} & {prompt_of(task) for task in held_out} if prompts else set[str]()
    shared_words = [
        f"{counted(len(names), noun)}: {_list(names)}"
        for noun, names in (("family", families), ("prompt", shared))
        if names
    ]
    if shared_words:
        raise Refused(
            f"Training and held-out tasks share {'; '.join(shared_words)}. Keep each in one split only. "
            "A row without an id is named after its file and line. If two files have the same name, give their rows ids"
        )


def family_of(task: Task) -> str:
    return task.family or task.id


def prompt_of(task: Task) -> str:
    return task.prompt if isinstance(task.prompt, str) else msgspec.json.encode(task.prompt).decode()


def _list(names: set[str]) -> str:
    """The first few, in order, shortened."""
    shown = [f'"{name if len(name) <= 80 else name[:77] + "..."}"' for name in sorted(names)[:_SHOWN]]
    return ", ".join(shown) + (", ..." if len(names) > _SHOWN else "")
