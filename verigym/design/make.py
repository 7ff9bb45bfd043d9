"""A design made: rows drawn, taken through their steps, freed of repeats and of what is like a held-out task, until there are N.

Exactly N rows come out, or it fails and says what starves the set. What a row becomes depends on the seed and its number alone,
so the same design and seed give the same rows, interrupted or not. What steps have found out is kept in a partial file as it is
found out, and read from there by the next call; what chance draws is drawn again.
"""

import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from verigym.core.errors import Refused
from verigym.core.records import Json, Task, content_hash
from verigym.design.draw import SHOWN, AcceptanceCount, DesignExhausted, RejectedRow, RowSampler
from verigym.design.partial import PartialResults
from verigym.design.spec import Design
from verigym.design.steps import TASK, DesignRow, DesignStep, StepResources, at_once, steps_of
from verigym.environments.load import load_environment, names
from verigym.tasks import near_duplicates as near
from verigym.tasks.dedup import deduplicate
from verigym.tasks.files import is_task_file
from verigym.tasks.leaks import family_of
from verigym.tasks.load import load_tasks

BATCH = 256
"""Rows that are drawn together."""
_ROUND = 4096
"""New rows that are compared with each other and with held-out tasks at once; later as many as there are already."""
_CHEAP = 50
"""Rows that no step costs anything are tried so many times longer before nothing new is expected of them."""
_PART_S = 2.0
"""About how often what was found out is written down."""
REPEAT, LIKE, TAKEN = "a repeat", "like a held-out task", "an id that another row has"

Progress = Callable[[int, int, str], None]


class DesignResult(msgspec.Struct, frozen=True, kw_only=True):
    rows: list[Json]
    """Exactly as many as asked for (fewer of a set that starved), with the columns that are kept."""
    tasks: list[Task]
    """The same as tasks; empty for plain rows."""
    tallies: dict[str, AcceptanceCount]
    """By constraint, column and validator, in the order in which rows come to them; then repeats and likeness."""
    rejected: list[RejectedRow]
    drawn: int
    tried: int
    """Rows that met the constraints and went through the steps."""
    seconds: float


async def make(
    design: Design,
    n: int,
    seed: int = 0,
    kit: StepResources = StepResources(),
    *,
    partial: Path | None = None,
    on_progress: Progress = lambda done, total, note: None,
) -> DesignResult:
    """Generates N rows of a design. `partial` is the file in which the results of steps are saved.

    Raises `DesignExhausted`, which carries the rows generated so far."""
    began = time.perf_counter()
    drawn = RowSampler(design, seed)
    steps = steps_of(design, drawn, kit, seed)
    sieve = _RowFilter(design)

    def made() -> DesignResult:
        kept = sieve.kept[:n]
        return DesignResult(
            rows=[{name: row.values[name] for name in design.kept} for row in kept],
            tasks=[row.task for row in kept if row.task is not None],
            tallies=drawn.tallies | _tallies(*sieve.so_far, steps, design),
            rejected=[*drawn.rejected, *sieve.examples],
            drawn=drawn.drawn,
            tried=sieve.tried,
            seconds=time.perf_counter() - began,
        )

    try:
        await _fill(design, n, drawn, steps, sieve, kit, partial, on_progress)
    except DesignExhausted as error:
        sieve.settle()
        error.made = made()
        raise
    on_progress(n, n, "")
    return made()


async def _fill(
    design: Design,
    n: int,
    drawn: RowSampler,
    steps: Sequence[DesignStep],
    sieve: "_RowFilter",
    kit: StepResources,
    partial: Path | None,
    on_progress: Progress,
) -> None:
    costly = len(steps) > design.makes_tasks
    tries = design.spec.tries_per_row
    patience = tries if costly else _CHEAP * tries
    log = PartialResults(partial if costly else None, drawn.dear)
    pace = _BatchSize(max([4, *map(at_once, kit.policies.values())]) if costly else BATCH)
    wanted = n
    """New rows to look for before they are compared."""
    quiet, last = 0, sieve.so_far
    """Rows since the last new one, and how far it was then."""
    fresh, before, looked = 0, 0, sieve.so_far
    """New rows since it was last judged how many of them stay, and how many were kept and how far it was then."""
    while len(sieve.kept) < n:
        while len(sieve.waiting) < min(wanted, max(_ROUND, len(sieve.passed))) and quiet < patience:
            share = max(sieve.new / sieve.tried, 1 / tries) if sieve.tried else 1
            count = min(BATCH, math.ceil((wanted - len(sieve.waiting)) / share))
            rows = [DesignRow(sieve.tried + place, values) for place, values in enumerate(drawn.rows(count))]
            known = sieve.new
            async for part in _through(rows, steps, log, pace):
                sieve.add(part)
                note = f"{100 * sieve.new / sieve.tried:.3g}% of {sieve.tried:,} rows pass"
                on_progress(min(len(sieve.kept) + len(sieve.waiting), n), n, note)
            quiet, last = (quiet + count, last) if sieve.new == known else (0, sieve.so_far)
        fresh += len(sieve.waiting)
        sieve.settle()
        if len(sieve.kept) < n and quiet >= patience:
            raise DesignExhausted(_starved(design, steps, sieve, n, last))
        if fresh >= tries:  # enough to judge by
            if len(sieve.kept) < n and (len(sieve.kept) - before) * tries < fresh:
                raise DesignExhausted(_starved(design, steps, sieve, n, looked))
            fresh, before, looked = 0, len(sieve.kept), sieve.so_far
        stay = max(len(sieve.kept) / max(sieve.new, 1), 1 / tries)
        wanted = math.ceil(1.1 * (n - len(sieve.kept)) / stay) + 2


async def _through(
    rows: Sequence[DesignRow], steps: Sequence[DesignStep], log: PartialResults, pace: "_BatchSize"
) -> AsyncIterator[Sequence[DesignRow]]:
    """The rows, part by part, each written down before it is handed on."""
    while rows:
        part, rows = rows[: pace.rows], rows[pace.rows :]
        began = time.perf_counter()
        fresh = [row for row in part if not log.restore(row)]
        for step in steps:
            free = step.name == TASK  # made again, not kept
            left = [row for row in (part if free else fresh) if not row.reason]
            problems = await step.run(left) if left else []
            for row, problem in zip(left, problems, strict=True):
                if problem:
                    row.reason, row.problem = step.name, problem
        if fresh:
            log.add(fresh)
            pace.took(time.perf_counter() - began)
        yield part


class _BatchSize:
    """How many rows go through the steps before they are written down."""

    def __init__(self, least: int) -> None:
        self.rows = self._least = least

    def took(self, seconds: float) -> None:
        factor = min(4.0, max(0.25, _PART_S / max(seconds, 0.001)))
        self.rows = min(BATCH, max(self._least, int(self.rows * factor)))


# -- repeats, and tasks that are like held-out ones ---------------------------------------------------------------------------


class _RowFilter:
    """All rows that were tried: those that are kept, those that wait to be compared, and a count of the others by reason.
    Whether a row is the very same as an earlier one is known at once; of what is rejected only some rows are held."""

    def __init__(self, design: Design) -> None:
        self.kept: list[DesignRow] = []
        self.waiting: list[DesignRow] = []
        self.passed: list[DesignRow] = []
        """Those that were kept or are nearly the same as one that was."""
        self.tried = 0
        self.new = 0
        """Rows that passed all steps and are the same as no other."""
        self._design = design
        self._away = _HeldOutFilter(design) if design.makes_tasks else None
        self._apart = design.spec.repeats != "keep" and (design.makes_tasks or design.spec.repeats == "refuse")
        self._ids: set[str] = set()
        self._first: dict[str, DesignRow] = {}
        self._out: Counter[str] = Counter()
        self._rejected: list[DesignRow] = []

    def add(self, rows: Iterable[DesignRow]) -> None:
        for row in rows:
            self.tried += 1
            if not row.reason:
                self._compare(row)
            if row.reason:
                self._reject(row)
            else:
                self.new += 1
                self.waiting.append(row)

    def settle(self) -> None:
        """Compares the rows that wait with held-out tasks, and all that passed with each other."""
        waiting, self.waiting = self.waiting, []
        if self._away is not None:
            self._away.check(waiting)
        for row in waiting:
            if row.reason:
                self._reject(row)
            else:
                self.passed.append(row)
        near_too = self._apart and self._design.makes_tasks
        self.kept = _without_near(self.passed, self._design.spec.near) if near_too else self.passed

    @property
    def so_far(self) -> tuple[int, Counter[str]]:
        """Rows tried, and those rejected by reason."""
        return self.tried, self._out + Counter({REPEAT: len(self.passed) - len(self.kept)})

    @property
    def examples(self) -> list[RejectedRow]:
        """Some of each reason, in the order in which they were tried."""
        rows = sorted([*self._rejected, *(row for row in self.passed if row.reason)], key=lambda row: row.place)
        seen: Counter[str] = Counter()
        found: list[RejectedRow] = []
        for row in rows:
            seen[row.reason] += 1
            if seen[row.reason] <= SHOWN:
                found.append(RejectedRow(_why(row), row.values))
        return found

    def first(self, reason: str) -> DesignRow:
        return min((row for row in [*self._rejected, *self.passed] if row.reason == reason), key=lambda row: row.place)

    def _compare(self, row: DesignRow) -> None:
        if row.task is not None and row.task.id in self._ids:
            row.reason, row.problem = TAKEN, row.task.id
        elif self._apart:
            task = row.task
            same = {name: row.values[name] for name in self._design.kept} if task is None else [task.prompt, task.data]
            first = self._first.setdefault(content_hash(same), row)
            if first is not row:
                like = first.reason == LIKE
                row.reason = LIKE if like else REPEAT
                row.problem = first.problem if like else f"the same as {_name(first)}"
        if row.task is not None:
            self._ids.add(row.task.id)

    def _reject(self, row: DesignRow) -> None:
        self._out[row.reason] += 1
        if self._out[row.reason] <= SHOWN:
            self._rejected.append(row)


def _name(row: DesignRow) -> str:
    return row.task.id if row.task is not None else f"row {row.place}"


def _why(row: DesignRow) -> str:
    return f"{'no task' if row.reason == TASK else row.reason}: {row.problem}"


def _without_near(rows: Sequence[DesignRow], at_least: float) -> list[DesignRow]:
    """The rows without those nearly the same as an earlier one and those that ask the same with another answer, all marked."""
    for row in rows:
        row.reason = row.problem = ""
    by_id = {row.task.id: row for row in rows if row.task is not None}
    found = deduplicate([row.task for row in rows if row.task is not None], at_least)
    for one in found.repeats:
        row = by_id[one.task]
        row.reason, row.problem = REPEAT, f"nearly the same as {one.of}, likeness {one.likeness:.2f}"
    for group in found.conflicts:
        others = ", ".join(group[:3]) + (f" and {len(group) - 3:,} more" if len(group) > 3 else "")
        for id in group:
            by_id[id].reason, by_id[id].problem = REPEAT, f"{others} ask the same and differ in the answer"
    return [by_id[task.id] for task in found.kept]


class _HeldOutFilter:
    """Keeps tasks away from every held-out set."""

    def __init__(self, design: Design) -> None:
        self._at_least = design.spec.near_held_out
        self._texts: dict[str, str] = {}
        self._families: dict[str, str] = {}
        sources = names() if design.spec.held_out is None else design.spec.held_out
        if design.spec.environment and design.spec.held_out is None:
            sources = [*sources, design.spec.environment]
        for source in dict.fromkeys(sources):
            for task in held_out_of(source):
                self._texts.setdefault(near.text_of(task), f"{task.id} of {source}")
                self._families.setdefault(family_of(task), source)

    def check(self, rows: Sequence[DesignRow]) -> None:
        """Marks what is too like a held-out task. A held-out family is refused: it is a mistake."""
        for row in rows:
            assert row.task is not None
            if (source := self._families.get(family_of(row.task))) is not None:
                raise Refused(
                    f'the family "{family_of(row.task)}" is held out in {source}; give these tasks a family of their own'
                )
        texts = [near.text_of(row.task) if row.task is not None else "" for row in rows]
        known = list(self._texts)
        found = near.likes(texts, known, self._at_least) if known and texts else [[] for _ in texts]
        for row, like in zip(rows, found, strict=True):
            if like:
                place, likeness = like[0]
                row.reason, row.problem = LIKE, f"{self._texts[known[place]]}, likeness {likeness:.2f}"


def held_out_of(source: str) -> list[Task]:
    """The held-out tasks of an environment, or all tasks of a file. Of a game all tasks may have one prompt: it has none."""
    if is_task_file(source):
        return load_tasks(source)
    environment = load_environment(source)
    splits = [] if environment.steps else dict.fromkeys(environment.suites.values())
    return [task for split in splits for task in environment.tasks(split)]


# -- what is said --------------------------------------------------------------------------------------------------------------


def _tallies(
    tried: int, reasons: Counter[str], steps: Iterable[DesignStep], design: Design
) -> dict[str, AcceptanceCount]:
    left = tried
    found: dict[str, AcceptanceCount] = {}
    after = [TAKEN, LIKE, REPEAT] if design.makes_tasks else [REPEAT] if design.spec.repeats == "refuse" else []
    for name in [*(step.name for step in steps), *after]:
        if name not in (TASK, TAKEN) or reasons[name]:
            found[name] = AcceptanceCount(left, left - reasons[name])
        left -= reasons[name]
    return found


_REMEDY = {
    "column": "Put what it does right, or draw other values for it.",
    "constraint": "Loosen it, or have its columns made otherwise.",
    "validator": "Loosen it, or make the rows otherwise.",
    TASK: "A task needs a prompt and something to judge a reply by (docs/how-to/tasks.md).",
    REPEAT: "More values in the columns make more rows.",
    LIKE: "Word the prompt otherwise than the held-out tasks do.",
    TAKEN: "Make the ids of something that is different in every row.",
}


_SAID = {
    TASK: "rows that are no tasks starve",
    REPEAT: "repeats starve",
    LIKE: "held-out tasks starve",
    TAKEN: "ids that are taken starve",
}


def _starved(
    design: Design, steps: Sequence[DesignStep], sieve: _RowFilter, n: int, since: tuple[int, Counter[str]]
) -> str:
    """Which step lets the fewest rows pass of those that were tried lately."""
    tried, counts = sieve.so_far
    tallies = _tallies(tried - since[0], counts - since[1], steps, design)
    worst = min(tallies, key=lambda name: tallies[name].share)
    tally, count = tallies[worst], len(sieve.kept)
    first = sieve.first(worst)
    others = [f"{name} {100 * one.share:.3g}%" for name, one in tallies.items() if name != worst and one.share < 1]
    whole = _SAID.get(worst, f"the {worst} starves")
    words = [
        f"{whole} this set: {count:,} of {n:,} rows are found, and of the last {tally.seen:,} rows "
        f"that came so far, {tally.passed:,} passed ({100 * tally.share:.3g}%).",
        f"The first that did not: {_name(first)} ({_why(first)[:300]}).",
        *([f"What passed elsewhere: {', '.join(others)}."] if others else []),
        *([f"Ask for at most {count:,} rows (-n {count})."] if worst == REPEAT and count else []),
        _REMEDY.get(worst) or _REMEDY[worst.split()[0]],
        f"What is only rare is found with a higher tries_per_row (now {design.spec.tries_per_row}).",
    ]
    return " ".join(words)
