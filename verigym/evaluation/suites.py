"""Suites: frozen lists of held-out tasks, and how often each was used. `tasks` loads and splits tasks. `report` measures.

Every choice based on a suite makes the chosen result look slightly too good. The counts of uses come from what is stored:
reports, evaluations during training, and decisions.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct

from verigym.core.errors import BadInput, NotFound, Refused, not_found
from verigym.core.records import Decision, Estimate, Suite, Task, content_hash
from verigym.core.seeds import derive
from verigym.core.words import counted
from verigym.evaluation.stats import expected_best

MOST_PARTS = 100
MANY_VERSIONS = 10
"""With more versions than this, the best of them is overestimated by more than one and a half standard errors."""


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
    chosen = {task.id for task in in_turn(tasks, seed)[:n]}
    return [task for task in tasks if task.id in chosen]


def in_turn(tasks: list[Task], seed: int = 0) -> list[Task]:
    """All tasks, one of each family in turn: the order in which `pick` takes them."""
    families: dict[str, list[Task]] = defaultdict(list)
    for task in sorted(tasks, key=lambda task: derive(seed, "pick", task.id)):
        families[family_of(task)].append(task)
    rounds = [
        (index, derive(seed, "pick family", family), task.id, task)
        for family, members in families.items()
        for index, task in enumerate(members)
    ]
    return [task for *_, task in sorted(rounds, key=lambda one: one[:3])]


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


class SuiteUse(NamedTuple):
    """One measurement on a suite."""

    suite: Suite
    agent: str
    """Version id. Empty for an evaluation during training."""
    report: str
    """Report id. Empty if none was stored."""
    when: float


class HeldOutSet(Struct, frozen=True, kw_only=True):
    """A held-out set and how it was used."""

    suite: Suite
    version: int
    """1 for the first set with this name, 2 for the next with other tasks or another verifier, ..."""
    versions: list[str]
    """Versions measured on it, in order of first use."""
    training: int
    """Evaluations on it during training."""
    decisions: int
    """Ledger decisions that rest on a report on it."""
    seen_by: int
    """Versions measured on any set that shares a family with it."""
    last_used: float

    @property
    def title(self) -> str:
        return f"{self.suite.name}@{self.version}"

    @property
    def uses(self) -> str:
        """`4 versions measured, 12 evaluations while training, 2 decisions`"""
        counts = (
            (len(self.versions), "version", " measured"),
            (self.training, "evaluation", " while training"),
            (self.decisions, "decision", ""),
        )
        used = ", ".join(f"{counted(n, noun)}{rest}" for n, noun, rest in counts if n)
        more = self.seen_by > len(self.versions)
        return used + (f" (some of its families by {self.seen_by} versions)" if more else "")

    def overuse_warning(self, success: Estimate) -> str:
        """Empty if the set was not used too often."""
        if self.seen_by <= MANY_VERSIONS:
            return ""
        points = 100 * expected_best(self.seen_by) * (success.high - success.low) / 2 / 1.96
        return (
            f"{self.seen_by} versions were measured on these families (more than {MANY_VERSIONS}). By chance alone, the best "
            f"of {self.seen_by} equal versions looks up to {points:.0f} points better than it is. Judge your final choice "
            "once, on families that guided no choice: add some, or reserve a part for the end "
            "(--part 1/3 now, --part 2/3 later)"
        )


def held_out_sets(uses: Iterable[SuiteUse], decisions: Iterable[Decision]) -> list[HeldOutSet]:
    """By name and version."""
    by_hash: dict[str, list[SuiteUse]] = {}
    for use in sorted(uses, key=lambda use: use.when):
        by_hash.setdefault(use.suite.hash, []).append(use)
    decided = [
        {*decision.reports, *(id for sides in decision.measured for id in (sides.candidate, sides.champion))}
        for decision in decisions
    ]
    versions_of: Counter[tuple[str, str]] = Counter()
    sets: list[HeldOutSet] = []
    for of_set in by_hash.values():
        suite = next((use.suite for use in of_set if use.agent), of_set[0].suite)
        key = suite.environment, suite.name
        versions_of[key] += 1
        families, reports = set(suite.families), {use.report for use in of_set if use.report}
        near = [other for other in by_hash.values() if not families.isdisjoint(other[0].suite.families)]
        sets.append(
            HeldOutSet(
                suite=suite,
                version=versions_of[key],
                versions=list(dict.fromkeys(use.agent for use in of_set if use.agent)),
                training=sum(not use.agent for use in of_set),
                decisions=sum(not reports.isdisjoint(ids) for ids in decided),
                seen_by=len({use.agent for other in near for use in other if use.agent}),
                last_used=of_set[-1].when,
            )
        )
    return sorted(sets, key=lambda one: (one.suite.environment, one.suite.name, one.version))


def find_set(sets: Sequence[HeldOutSet], text: str) -> HeldOutSet:
    """Finds a set by NAME (its newest version), NAME@VERSION, or a prefix of its hash."""
    named = [one for one in sets if one.title == text] or [one for one in sets if one.suite.name == text]
    if len({one.suite.environment for one in named}) > 1:
        hashes = ", ".join(f"{one.suite.hash[:8]} ({one.suite.environment})" for one in named)
        raise NotFound(f'"{text}" is the name of a suite in several environments. Name the suite by its hash: {hashes}')
    named = named or [one for one in sets if len(text) >= 6 and one.suite.hash.startswith(text)]
    if not named:
        raise not_found("suite", text, [one.title for one in sets], "List them: verigym suites list")
    return named[-1]
