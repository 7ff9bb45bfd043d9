"""Suites: frozen lists of held-out tasks. `tasks` loads and splits tasks, `report` measures on a suite, and `uses` counts how
often a suite was used."""

import re
from collections import Counter, defaultdict
from typing import NamedTuple

from verigym.core.errors import BadInput, Refused
from verigym.core.records import Suite, Task, content_hash
from verigym.core.seeds import derive

MOST_PARTS = 100


def make_suite(name: str, environment: str, tasks: list[Task], verifier: str) -> Suite:
    """The suite of these tasks, scored by `verifier` (name@version). Its hash covers the prompt, data and family of each
    task, in any order, and the verifier. Tags and lineage may change."""
    if not tasks:
        raise Refused(f'Suite "{name}" would be empty. Give it at least one held-out task')
    trained = [task.id for task in tasks if task.split == "train"]
    if trained:
        raise Refused(
            f'Suite "{name}": {len(trained)} of {len(tasks)} tasks are in split "train" ({_some(trained)}). '
            "A suite may only hold tasks that are never trained on. Choose another split"
        )
    twice = [id for id, count in Counter(task.id for task in tasks).items() if count > 1]
    if twice:
        raise Refused(f'Suite "{name}": task ids appear more than once ({_some(twice)}). Give every task a unique id')
    content = [[task.id, task.prompt, task.data, task.family] for task in sorted(tasks, key=lambda task: task.id)]
    return Suite(
        name=name,
        environment=environment,
        tasks=[task.id for task in tasks],
        families=sorted({family_of(task) for task in tasks}),
        verifier=verifier,
        hash=content_hash([content, verifier]),
    )


def pick(tasks: list[Task], n: int, seed: int) -> list[Task]:
    """Up to n of the tasks, spread as evenly over families as possible, in the given order. The choice depends only on ids,
    families and seed. A larger n includes the choice of a smaller one."""
    families: dict[str, list[Task]] = defaultdict(list)
    for task in sorted(tasks, key=lambda task: derive(seed, "pick", task.id)):
        families[family_of(task)].append(task)
    rounds = [
        (index, derive(seed, "pick family", family), task.id)
        for family, members in families.items()
        for index, task in enumerate(members)
    ]
    chosen = {id for _, _, id in sorted(rounds)[:n]}
    return [task for task in tasks if task.id in chosen]


class SuitePart(NamedTuple):
    """`2/3` is the second of three parts of a held-out set. Each part is a set of its own."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def parse_part(text: str) -> SuitePart:
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of) <= MOST_PARTS):
        raise BadInput(
            f'Part "{text}" is invalid. Write I/N, such as 1/3, with I from 1 to N and N at most {MOST_PARTS}'
        )
    return SuitePart(int(number), int(of))


def split_part(text: str) -> tuple[str, SuitePart | None]:
    """`val 1/3` is a name and a part. `val` is the whole set."""
    match = re.fullmatch(r"(.*\S) +([0-9]+/[0-9]+)", text)
    return (match[1], parse_part(match[2])) if match else (text, None)


def take_part(tasks: list[Task], part: SuitePart) -> list[Task]:
    """The tasks of the part, in the given order. The part of a family depends only on its name, so families never cross parts and
    new families move none."""
    return [task for task in tasks if derive(0, "part", family_of(task)) % part.of == part.number - 1]


def family_of(task: Task) -> str:
    """A task without a family is its own family."""
    return task.family or task.id


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
