"""Builds the rows of the shipped environments: draws the tasks, checks them and writes the files.

Each `authoring/ENV/make.py` declares a `Builder`: its families, and how to draw one task of a family. Every draw has its own
random seed, so a new family leaves the rows of the others unchanged. The engine adds ids, removes duplicates and sorts the
tasks so that any first few are a fair mixture. Then it plays the gold solution and the cheats of each task.
"""

import asyncio
import gzip
import hashlib
import importlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, count, islice
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec

from verigym.audit.scripted_episodes import ScriptedEpisode, play, why
from verigym.core.records import Item, Json, Task
from verigym.core.seeds import derive
from verigym.environments import shipped
from verigym.environments.load import load_environment
from verigym.harness.environment import EnvironmentSpec, Reply

ENVIRONMENTS = sorted(path.parent.name for path in Path(__file__).parent.glob("*/make.py"))


class CheckFailed(Exception):
    """A generated task is wrong: its gold solution fails, a cheat passes, or a check of its environment fails."""


class Exhausted(Exception):
    """Raised by `Builder.draw` if a family has no further tasks."""


class Family(NamedTuple):
    """Tasks that ask for the same thing with different values."""

    split: str
    name: str
    """Prefix of the task ids, such as `triage/train/phishing`. It also seeds the draws."""
    source: Any
    """What `Builder.draw` reads: a story, a case, a function."""
    topic: str = ""
    row_family: str = ""
    """The family in the rows, if it is not `name`."""
    size: int = 0
    """Number of its tasks. 0 means that of the split in `Builder.sizes`."""
    edition: int = 1
    """The rows of an edition follow those of the editions before it, so a new edition moves no row."""


class Turn(NamedTuple):
    """One draw of a family."""

    number: int
    """Counts all draws of the family, rejected ones included."""
    seen: set[Hashable]
    """Keys of the family's tasks so far."""
    random: Random

    @property
    def made(self) -> int:
        """Number of the family's tasks so far."""
        return len(self.seen)


class Draft(NamedTuple):
    """What an environment decides about a task. The engine adds the rest."""

    prompt: str | list[Item]
    data: Json
    tags: list[str]
    key: Hashable = None
    """Drafts of a family with the same key are duplicates. The default is the prompt."""
    label: str = ""
    """Last part of the id. The default is the number of the task in its family."""


class Trial:
    """Plays scripted replies to one task."""

    def __init__(self, environment: EnvironmentSpec, task: Task, runner: asyncio.Runner) -> None:
        self.environment, self.task, self._runner = environment, task, runner

    def play(self, replies: Sequence[Reply]) -> ScriptedEpisode:
        return self._runner.run(play(self.environment, self.task, replies))

    @cached_property
    def gold(self) -> ScriptedEpisode:
        return self.play(self.environment.gold_replies(self.task))

    def problems(self, with_cheats: bool) -> Iterator[str]:
        """Yields a message if the gold solution fails, and one per cheat that passes."""
        if not self.gold.verdict.passed:
            yield f"the gold solution does not pass: {why(self.gold)}"
        for cheat in [] if not with_cheats else self.environment.cheat_replies(self.task):
            if self.play(cheat).verdict.passed:
                yield f"a cheat passes: {cheat!r}"


def _no_check(task: Task, trial: Trial) -> Iterable[str]:
    return ()


class Builder(msgspec.Struct, frozen=True, kw_only=True):
    """How to make the rows of one environment."""

    name: str
    seed: int
    sizes: dict[str, int]
    """Tasks per family, by split."""
    families: Callable[[str], list[Family]] = lambda split: []
    """The families of a split."""
    draw: Callable[[Family, Turn], Draft | None] = lambda family, turn: None
    """Draws one task. Returns None if this draw makes no good task."""
    first: int = 0
    """Number of the first draw."""
    misses: int = 200
    """A family ends after this many rejected draws in a row."""
    may_end_early: bool = False
    """Whether a family may have fewer tasks than `sizes` says."""
    cheats_every: int = 1
    """Play the cheats of every Nth task. The gold solution of every task is played. Sandboxed episodes are slow."""
    check: Callable[[Task, Trial], Iterable[str]] = _no_check
    """Yields a message for each further problem of a task."""
    write_data: Callable[[], None] | None = None
    """Writes further data files of the environment."""
    draw_all: Callable[[str], list[Task]] | None = None
    """Draws all tasks of a split, if they cannot be drawn family by family."""

    def tasks(self, split: str) -> list[Task]:
        """All tasks of a split, in the order of the file."""
        if self.draw_all is not None:
            return self.draw_all(split)
        tasks: list[tuple[int, int, Task]] = []
        for family in self.families(split):
            size = family.size or self.sizes[split]
            drawn = list(islice(self.stream(family), size))
            if len(drawn) < size and not self.may_end_early:
                raise CheckFailed(f"{family.name}: only {len(drawn)} of {size} tasks differ. Add wordings or values")
            tasks += [(family.edition, derive(self.seed, "order", task.id), task) for task in drawn]
        return [task for _, _, task in sorted(tasks, key=lambda each: each[:2])]

    def stream(self, family: Family) -> Iterator[Task]:
        """Distinct tasks of a family, until it has no new ones. It can give more than `sizes` says."""
        seen: set[Hashable] = set()
        misses = 0
        for number in count(self.first):
            turn = Turn(number, seen, Random(derive(self.seed, family.name, number)))
            try:
                draft = self.draw(family, turn)
            except Exhausted:
                return
            key = draft and (draft.prompt if draft.key is None else draft.key)
            if draft is None or key in seen:
                misses += 1
                if misses > self.misses:
                    return
                continue
            misses = 0
            seen.add(key)
            yield self.task(family, draft, len(seen))

    def task(self, family: Family, draft: Draft, number: int) -> Task:
        return Task(
            id=f"{family.name}/{draft.label or number}",
            prompt=draft.prompt,
            data=draft.data,
            split=family.split,
            family=family.row_family or family.name,
            tags=draft.tags,
            lineage=[lineage(self.name, self.seed)],
        )

    def verify(self, tasks: Iterable[Task], *, cheats: bool = True) -> None:
        """Raises `CheckFailed` for the first task that has a problem."""
        environment = load_environment(self.name)
        with asyncio.Runner() as runner:
            for index, task in enumerate(tasks):
                trial = Trial(environment, task, runner)
                problems = chain(self.check(task, trial), trial.problems(cheats and index % self.cheats_every == 0))
                problem = next(problems, None)
                if problem is not None:
                    raise CheckFailed(f"{task.id}: {problem}")


def lineage(name: str, seed: int) -> str:
    """Origin that the shipped rows name. It stays as it is, because the rows do."""
    return f"verigym.environments.{name}.generate seed {seed}"


def builder(name: str) -> Builder:
    return importlib.import_module(f"authoring.{name}.make").BUILDER


def encoded(tasks: Iterable[Task]) -> bytes:
    """The tasks as the content of a .jsonl file."""
    return b"".join(msgspec.json.encode(task) + b"\n" for task in tasks)


def write(name: str, split: str, tasks: Iterable[Task]) -> None:
    """Writes the rows of a split, and its line of the lock file. Rows to train on are compressed."""
    rows = encoded(tasks)
    path = shipped.data_folder(name) / f"{split}.jsonl"
    if split.startswith(("train", "more", "wide", "tuning")):
        path.with_suffix(".jsonl.gz").write_bytes(gzip.compress(rows, 9, mtime=0))
    else:
        path.write_bytes(rows)
    write_lock()


def write_lock() -> None:
    lines = [lock_line(path) for path in sorted(shipped.LOCK.parent.glob("*/data/*"))]
    header = "# environment split rows families sha256, or environment file - - sha256"
    shipped.LOCK.write_text("\n".join([header, *lines, ""]), encoding="utf-8")


def lock_line(path: Path) -> str:
    """`toolcall val 400 63 5d41...`, with the hash of the uncompressed rows. Other files are hashed as they are."""
    name, split = path.parent.parent.name, path.name.partition(".")[0]
    if not path.name.endswith((".jsonl", ".jsonl.gz")):
        return f"{name} {path.name} - - {hashlib.sha256(path.read_bytes()).hexdigest()}"
    rows = shipped.rows(name, split)
    families = {msgspec.json.decode(row).get("family", "") for row in rows.splitlines()}
    return f"{name} {split} {len(rows.splitlines())} {len(families)} {hashlib.sha256(rows).hexdigest()}"
