"""Generates exactly N rows of a design, or fails and names the constraint or check that rejects too many rows.

Rows are sampled, pass through the steps, and are compared with each other and with held-out tasks. A row depends only on the
seed and its number, so the result is the same after an interruption. Results of steps are saved in a partial file and read
from there by the next call. Sampled columns are sampled again.
"""

import contextlib
import math
import os
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from verigym.core import codec
from verigym.core.errors import BadInput, Refused
from verigym.core.records import Json, Task, content_hash
from verigym.design.draw import SHOWN, AcceptanceCount, DesignExhausted, RejectedRow, RowSampler
from verigym.design.spec import Design
from verigym.design.steps import TASK, DesignRow, DesignStep, StepResources, max_requests, steps_of
from verigym.environments.load import load_environment, names
from verigym.harness.environment import EnvironmentSpec
from verigym.tasks import near_duplicates as near
from verigym.tasks.dedup import deduplicate
from verigym.tasks.files import is_task_file, write_whole
from verigym.tasks.leaks import family_of
from verigym.tasks.load import load_tasks

BATCH = 256
"""Rows that are sampled together."""
_ROUND = 4096
"""Minimum number of new rows to compare at once. Later rounds compare as many as have passed so far."""
_CHEAP = 50
"""Designs without costly steps may try this many times more rows before they fail."""
_PART_S = 2.0
"""Approximate interval between writes to the partial file."""
DUPLICATE, HELD_OUT_LIKE, DUPLICATE_ID = "a duplicate", "similar to a held-out task", "a duplicate id"

Progress = Callable[[int, int, str], None]


class DesignResult(msgspec.Struct, frozen=True, kw_only=True):
    rows: list[Json]
    """Exactly N (fewer if the design was exhausted), with the columns that `keep` names."""
    tasks: list[Task]
    """The same rows as tasks. Empty for plain rows."""
    tallies: dict[str, AcceptanceCount]
    """By constraint, column and validator, in the order of the steps, then by similarity and duplicates."""
    rejected: list[RejectedRow]
    drawn: int
    tried: int
    """Rows that met the constraints and entered the steps."""
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
    work = _Generation(design, n, seed, kit, on_progress)
    try:
        await work.fill(partial)
    except DesignExhausted as error:
        work.rows.settle()
        error.result = work.result()
        raise
    on_progress(n, n, "")
    return work.result()


class _Generation:
    """The work of one `make`."""

    def __init__(self, design: Design, n: int, seed: int, kit: StepResources, on_progress: Progress) -> None:
        self._began = time.perf_counter()
        self._design, self._n, self._kit, self._on_progress = design, n, kit, on_progress
        self._sampler = RowSampler(design, seed)
        self._steps = steps_of(design, self._sampler, kit, seed)
        self.rows = _RowFilter(design)

    def result(self) -> DesignResult:
        kept = self.rows.kept[: self._n]
        return DesignResult(
            rows=[{name: row.values[name] for name in self._design.kept} for row in kept],
            tasks=[row.task for row in kept if row.task is not None],
            tallies=self._sampler.tallies | self._tallies(*self.rows.so_far),
            rejected=[*self._sampler.rejected, *self.rows.examples],
            drawn=self._sampler.drawn,
            tried=self.rows.tried,
            seconds=time.perf_counter() - self._began,
        )

    async def fill(self, partial: Path | None) -> None:
        n, rows, tries = self._n, self.rows, self._design.spec.tries_per_row
        costly = len(self._steps) > self._design.makes_tasks
        patience = tries if costly else _CHEAP * tries
        log = PartialResults(partial if costly else None, self._sampler.costly)
        batch = _BatchSize(max([4, *map(max_requests, self._kit.policies.values())]) if costly else BATCH)
        wanted = n
        """New rows to collect before they are compared."""
        quiet, last = 0, rows.so_far
        """Rows since the last new one, and the counts at that time."""
        fresh, before, looked = 0, 0, rows.so_far
        """New rows since the acceptance rate was last checked, and the kept rows and counts at that time."""
        while len(rows.kept) < n:
            while len(rows.waiting) < min(wanted, max(_ROUND, len(rows.passed))) and quiet < patience:
                share = max(rows.new / rows.tried, 1 / tries) if rows.tried else 1
                count = min(BATCH, math.ceil((wanted - len(rows.waiting)) / share))
                drawn = [
                    DesignRow(rows.tried + index, values) for index, values in enumerate(self._sampler.rows(count))
                ]
                new_before = rows.new
                async for part in _through(drawn, self._steps, log, batch):
                    rows.add(part)
                    note = f"{100 * rows.new / rows.tried:.3g}% of {rows.tried:,} rows pass"
                    self._on_progress(min(len(rows.kept) + len(rows.waiting), n), n, note)
                quiet, last = (quiet + count, last) if rows.new == new_before else (0, rows.so_far)
            fresh += len(rows.waiting)
            rows.settle()
            if len(rows.kept) < n and quiet >= patience:
                raise DesignExhausted(self._why_exhausted(last))
            if fresh >= tries:
                if len(rows.kept) < n and (len(rows.kept) - before) * tries < fresh:
                    raise DesignExhausted(self._why_exhausted(looked))
                fresh, before, looked = 0, len(rows.kept), rows.so_far
            stay = max(len(rows.kept) / max(rows.new, 1), 1 / tries)
            wanted = math.ceil(1.1 * (n - len(rows.kept)) / stay) + 2

    def _tallies(self, tried: int, reasons: Counter[str]) -> dict[str, AcceptanceCount]:
        tallies: dict[str, AcceptanceCount] = {}
        makes_tasks = self._design.makes_tasks
        after = [DUPLICATE_ID, HELD_OUT_LIKE] if makes_tasks else []
        after += [DUPLICATE] if makes_tasks or self._design.spec.repeats == "refuse" else []
        for name in [*(step.name for step in self._steps), *after]:
            if name not in (TASK, DUPLICATE_ID) or reasons[name]:
                tallies[name] = AcceptanceCount(tried, tried - reasons[name])
            tried -= reasons[name]
        return tallies

    def _why_exhausted(self, since: tuple[int, Counter[str]]) -> str:
        """Names the step that rejected the largest share of rows since then."""
        tried, counts = self.rows.so_far
        tallies = self._tallies(tried - since[0], counts - since[1])
        worst = min(tallies, key=lambda name: tallies[name].share)
        tally, count, first = tallies[worst], len(self.rows.kept), self.rows.first(worst)
        rates = {name: other.share for name, other in tallies.items() if name != worst and other.share < 1}
        others = ", ".join(f"{name} {100 * share:.3g}%" for name, share in rates.items())
        cause, remedy = _CAUSES.get(worst) or (f"The {worst} rejects too many rows", _REMEDIES[worst.split()[0]])
        parts = [
            f"{cause}: {count:,} of {self._n:,} rows were generated, and {tally.passed:,} of the last {tally.seen:,} rows "
            f"passed this check ({100 * tally.share:.3g}%).",
            f"The first rejected row: {_name(first)} ({_why(first)[:300]}).",
            *([f"Acceptance of the other checks: {others}."] if others else []),
            *([f"Request at most {count:,} rows (-n {count})."] if worst == DUPLICATE and count else []),
            remedy,
            f"If such rows are only rare, raise tries_per_row (now {self._design.spec.tries_per_row}).",
        ]
        return " ".join(parts)


_CAUSES = {
    TASK: (
        "Too many rows are not tasks",
        "A task needs a prompt and something to score a reply by (see docs/how-to/tasks.md).",
    ),
    DUPLICATE: ("Too many rows are duplicates", "Add values to the columns."),
    HELD_OUT_LIKE: (
        "Too many rows are similar to held-out tasks",
        "Word the prompt differently from the held-out tasks.",
    ),
    DUPLICATE_ID: (
        "Too many rows have an id that is already used",
        "Make the ids from values that differ in every row.",
    ),
}
"""Reason to cause and remedy."""
_REMEDIES = {
    "column": "Correct the column, or change the values that it depends on.",
    "constraint": "Loosen it, or change the columns that it uses.",
    "validator": "Loosen it, or change the columns.",
}


async def _through(
    rows: Sequence[DesignRow], steps: Sequence[DesignStep], log: "PartialResults", batch: "_BatchSize"
) -> AsyncIterator[Sequence[DesignRow]]:
    """Yields the rows in parts. Each part is saved first."""
    while rows:
        part, rows = rows[: batch.rows], rows[batch.rows :]
        began = time.perf_counter()
        fresh = [row for row in part if not log.restore(row)]
        for step in steps:
            free = step.name == TASK  # cheap, so it is repeated and not saved
            left = [row for row in (part if free else fresh) if not row.reason]
            problems = await step.run(left) if left else []
            for row, problem in zip(left, problems, strict=True):
                if problem:
                    row.reason, row.problem = step.name, problem
        if fresh:
            log.add(fresh)
            batch.took(time.perf_counter() - began)
        yield part


class _BatchSize:
    """The number of rows that pass through the steps before they are saved."""

    def __init__(self, least: int) -> None:
        self.rows = self._least = least

    def took(self, seconds: float) -> None:
        factor = min(4.0, max(0.25, _PART_S / max(seconds, 0.001)))
        self.rows = min(BATCH, max(self._least, int(self.rows * factor)))


class PartialResults:
    """Results of steps, one line per row, saved beside the output file. An incomplete last line is ignored."""

    def __init__(self, path: Path | None, costly: set[str]) -> None:
        self._path, self._costly = path, costly
        self.rows: dict[int, DesignRow] = {}
        if path is not None and path.exists():
            content = path.read_bytes()
            whole = content[: content.rfind(b"\n") + 1]
            for line in whole.splitlines():
                with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError):
                    row = msgspec.json.decode(line, type=DesignRow)
                    self.rows[row.number] = row
            if whole != content:
                write_whole(path, lambda file: file.writelines([whole]))

    def restore(self, row: DesignRow) -> bool:
        saved = self.rows.get(row.number)
        if saved is not None:
            row.values |= saved.values
            row.reason, row.problem = saved.reason, saved.problem
        return saved is not None

    def add(self, rows: Sequence[DesignRow]) -> None:
        if self._path is None or not rows:
            return
        lines: list[bytes] = []
        for row in rows:
            values = {name: row.values[name] for name in row.values if name in self._costly}
            saved = msgspec.structs.replace(row, values=values, task=None)
            lines.append(msgspec.json.encode(codec.plain(saved)) + b"\n")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab") as file:
                file.writelines(lines)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise BadInput(f"{self._path} cannot be written: {error.strerror}") from error


def partial_of(design: Design, seed: int, out: Path) -> Path:
    """The partial file of a design, seed and output file. Another spec or seed has another one."""
    return out.with_name(f".{out.name}.{content_hash([design.hash, seed])[:12]}.partial")


class _RowFilter:
    """The kept rows, the rows that wait to be compared, and counts of rejected rows by reason. Identical rows are rejected at
    once. Only some rejected rows are stored."""

    def __init__(self, design: Design) -> None:
        self.kept: list[DesignRow] = []
        self.waiting: list[DesignRow] = []
        self.passed: list[DesignRow] = []
        """Kept rows and their near-duplicates."""
        self.tried = 0
        self.new = 0
        """Rows that passed all steps and are not identical to another."""
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
        """Compares waiting rows with held-out tasks, and all passed rows with each other."""
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
        """Rows tried, and rejected rows by reason."""
        return self.tried, self._out + Counter({DUPLICATE: len(self.passed) - len(self.kept)})

    @property
    def examples(self) -> list[RejectedRow]:
        """Some rejected rows per reason, in order."""
        rows = sorted([*self._rejected, *(row for row in self.passed if row.reason)], key=lambda row: row.number)
        seen: Counter[str] = Counter()
        examples: list[RejectedRow] = []
        for row in rows:
            seen[row.reason] += 1
            if seen[row.reason] <= SHOWN:
                examples.append(RejectedRow(_why(row), row.values))
        return examples

    def first(self, reason: str) -> DesignRow:
        return min((row for row in [*self._rejected, *self.passed] if row.reason == reason), key=lambda row: row.number)

    def _compare(self, row: DesignRow) -> None:
        if row.task is not None and row.task.id in self._ids:
            row.reason, row.problem = DUPLICATE_ID, row.task.id
        elif self._apart:
            task = row.task
            same = {name: row.values[name] for name in self._design.kept} if task is None else [task.prompt, task.data]
            first = self._first.setdefault(content_hash(same), row)
            if first is not row:
                like = first.reason == HELD_OUT_LIKE
                row.reason = HELD_OUT_LIKE if like else DUPLICATE
                row.problem = first.problem if like else f"identical to {_name(first)}"
        if row.task is not None:
            self._ids.add(row.task.id)

    def _reject(self, row: DesignRow) -> None:
        self._out[row.reason] += 1
        if self._out[row.reason] <= SHOWN:
            self._rejected.append(row)


def _name(row: DesignRow) -> str:
    return row.task.id if row.task is not None else f"row {row.number}"


def _why(row: DesignRow) -> str:
    return f"{'not a task' if row.reason == TASK else row.reason}: {row.problem}"


def _without_near(rows: Sequence[DesignRow], at_least: float) -> list[DesignRow]:
    """The rows without near-duplicates and conflicts (same prompt, other answer). Marks those with a reason."""
    for row in rows:
        row.reason = row.problem = ""
    by_id = {row.task.id: row for row in rows if row.task is not None}
    result = deduplicate([row.task for row in rows if row.task is not None], at_least)
    for repeat in result.repeats:
        row = by_id[repeat.task]
        row.reason, row.problem = DUPLICATE, f"similar to {repeat.of} (similarity {repeat.likeness:.2f})"
    for group in result.conflicts:
        others = ", ".join(group[:3]) + (f" and {len(group) - 3:,} more" if len(group) > 3 else "")
        for id in group:
            by_id[id].reason, by_id[id].problem = DUPLICATE, f"{others} ask the same and have different answers"
    return [by_id[task.id] for task in result.kept]


class _HeldOutFilter:
    """Rejects tasks that resemble held-out tasks."""

    def __init__(self, design: Design) -> None:
        self._at_least = design.spec.near_held_out
        self._texts: dict[str, str] = {}
        self._families: dict[str, str] = {}
        sources = names() if design.spec.held_out is None else design.spec.held_out
        if design.spec.environment and design.spec.held_out is None:
            sources = [*sources, design.spec.environment]
        for source in dict.fromkeys(sources):
            for task in load_tasks(source) if is_task_file(source) else held_out_tasks(load_environment(source)):
                self._texts.setdefault(near.text_of(task), f"{task.id} of {source}")
                self._families.setdefault(family_of(task), source)

    def check(self, rows: Sequence[DesignRow]) -> None:
        """Marks rows that are too similar to a held-out task. A held-out family is refused, because it is a mistake."""
        for row in rows:
            assert row.task is not None
            if (source := self._families.get(family_of(row.task))) is not None:
                family = family_of(row.task)
                raise Refused(f'The family "{family}" is held out in {source}. Give these tasks another family')
        texts = [near.text_of(row.task) if row.task is not None else "" for row in rows]
        held_out = list(self._texts)
        similar = near.likes(texts, held_out, self._at_least) if held_out and texts else [[] for _ in texts]
        for row, matches in zip(rows, similar, strict=True):
            if matches:
                index, likeness = matches[0]
                row.reason = HELD_OUT_LIKE
                row.problem = f"{self._texts[held_out[index]]} (similarity {likeness:.2f})"


def held_out_tasks(environment: EnvironmentSpec) -> list[Task]:
    """The held-out tasks of an environment. None for games, whose tasks may share one prompt."""
    splits = [] if environment.steps else dict.fromkeys(environment.suites.values())
    return [task for split in splits for task in environment.tasks(split)]
