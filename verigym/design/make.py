"""A design made: rows drawn, taken through their steps, freed of repeats and of what is like a held-out task, until there are N.

Exactly N rows come out, or it fails and says what starves the set. What a row becomes depends on the seed and its number alone,
so the same design and seed give the same rows, interrupted or not. What steps have found out is kept in a partial file as it is
found out, and read from there by the next call; what chance draws is drawn again.
"""

import math
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from verigym.core import codec
from verigym.core.errors import BadInput, Refused, words_of
from verigym.core.records import Json, Task, content_hash
from verigym.design.draw import Drawn, Rejected, Tally
from verigym.design.spec import Design
from verigym.design.steps import TASK, Kit, Row, Step, steps_of
from verigym.environments.load import load_environment, names
from verigym.tasks import near
from verigym.tasks.dedup import deduplicate
from verigym.tasks.files import is_task_file, write_whole
from verigym.tasks.leaks import family_of
from verigym.tasks.load import load_tasks, save_tasks

BATCH = 256
"""Rows that go through the steps together."""
_SHOWN = 100
"""Rejected rows that are kept for each reason."""
REPEAT, LIKE, TAKEN = "a repeat", "like a held-out task", "an id that another row has"

Progress = Callable[[int, int, str], None]


class Made(msgspec.Struct, frozen=True, kw_only=True):
    rows: list[Json]
    """Exactly as many as asked for, with the columns that are kept."""
    tasks: list[Task]
    """The same as tasks; empty for plain rows."""
    tallies: dict[str, Tally]
    """By constraint, column and validator, in the order in which rows come to them; then repeats and likeness."""
    rejected: list[Rejected]
    drawn: int
    tried: int
    """Rows that met the constraints and went through the steps."""
    seconds: float


async def make(
    design: Design,
    n: int,
    seed: int = 0,
    kit: Kit = Kit(),
    *,
    partial: Path | None = None,
    on_progress: Progress = lambda done, total, note: None,
) -> Made:
    """N rows of a design. `partial` is a file of its own for what steps find out."""
    began = time.perf_counter()
    drawn = Drawn(design, seed)
    steps = steps_of(design, drawn, kit, seed)
    costly = len(steps) > design.makes_tasks
    log = _Partial(partial if costly else None, drawn.dear)
    away = _Away(design) if design.makes_tasks else None
    rows: list[Row] = []
    passed: list[Row] = []
    kept: list[Row] = []
    goal, idle = n, 0
    looked, found = 0, 0
    """Rows up to which it was judged whether enough are accepted, and those accepted since."""
    while len(kept) < n:
        before, start = len(kept), len(rows)
        while len(rows) - start < goal:
            some = await _batch(drawn, steps, log, len(rows), min(BATCH, goal - (len(rows) - start)))
            rows += some
            fine = [row for row in some if not row.reason]
            idle = 0 if fine else idle + len(some)
            passed += fine
            note = f"{100 * len(passed) / len(rows):.3g}% of {len(rows):,} rows pass" if costly else ""
            on_progress(min(before + len(passed) - len(kept), n), n, note)
            if idle >= design.spec.tries_per_row:
                raise Refused(_starved(design, steps, len(kept), n, rows[-idle:]))
        if away is not None:
            away.check([row for row in rows[start:] if not row.reason])
        kept = _without_repeats(design, [row for row in passed if row.reason in ("", REPEAT)])
        rate = (len(kept) - before) / (len(rows) - start)
        found += len(kept) - before
        if len(rows) - looked >= design.spec.tries_per_row:  # enough to judge by
            if len(kept) < n and found * design.spec.tries_per_row < len(rows) - looked:
                raise Refused(_starved(design, steps, len(kept), n, rows[looked:]))
            looked, found = len(rows), 0
        goal = math.ceil(1.1 * (n - len(kept)) / max(rate, 1 / design.spec.tries_per_row)) + 2
    kept = kept[:n]
    on_progress(n, n, "")
    return Made(
        rows=[{name: row.values[name] for name in design.kept} for row in kept],
        tasks=[row.task for row in kept if row.task is not None],
        tallies=drawn.tallies | _tallies(rows, steps, design),
        rejected=[*drawn.rejected, *_some(rows)],
        drawn=drawn.drawn,
        tried=len(rows),
        seconds=time.perf_counter() - began,
    )


async def _batch(drawn: Drawn, steps: Sequence[Step], log: "_Partial", start: int, count: int) -> list[Row]:
    rows = [Row(start + place, values) for place, values in enumerate(drawn.rows(count))]
    known = [row for row in rows if log.restore(row)]
    fresh = [row for row in rows if row.place not in log.known]
    for step in steps:
        free = step.name == TASK  # made again, not kept
        left = [row for row in (rows if free else fresh) if not row.reason]
        problems = await step.run(left) if left else []
        for row, problem in zip(left, problems, strict=True):
            if problem:
                row.reason, row.problem = step.name, problem
    assert len(known) + len(fresh) == count
    log.add(fresh)
    return rows


# -- repeats, and tasks that are like held-out ones ---------------------------------------------------------------------------


def _without_repeats(design: Design, rows: Sequence[Row]) -> list[Row]:
    """The rows without those that an earlier one repeats, which are marked."""
    spec = design.spec
    for row in rows:
        row.reason = row.problem = ""
    if not design.makes_tasks:
        return _without_same(design, rows) if spec.repeats == "refuse" else list(rows)
    if spec.repeats == "keep":
        return list(rows)
    by_id = {row.task.id: row for row in rows if row.task is not None}
    tasks = [row.task for row in by_id.values() if row.task is not None]
    found = deduplicate(tasks, spec.near)
    for one in found.repeats:
        row = by_id[one.task]
        row.reason, row.problem = REPEAT, f"of {one.of}" + ("" if one.exact else f", likeness {one.likeness:.2f}")
    for group in found.conflicts:
        for id in group:
            by_id[id].reason, by_id[id].problem = REPEAT, f"{', '.join(group)} ask the same and differ in the answer"
    return [by_id[task.id] for task in found.kept]


def _without_same(design: Design, rows: Sequence[Row]) -> list[Row]:
    first: dict[str, Row] = {}
    for row in rows:
        other = first.setdefault(content_hash({name: row.values[name] for name in design.kept}), row)
        if other is not row:
            row.reason, row.problem = REPEAT, f"of row {other.place}"
    return list(first.values())


class _Away:
    """Keeps tasks away from every held-out set, and ids apart."""

    def __init__(self, design: Design) -> None:
        self._at_least = design.spec.near_held_out
        self._texts: dict[str, str] = {}
        self._families: dict[str, str] = {}
        self._ids: set[str] = set()
        sources = names() if design.spec.held_out is None else design.spec.held_out
        if design.spec.environment and design.spec.held_out is None:
            sources = [*sources, design.spec.environment]
        for source in dict.fromkeys(sources):
            for task in held_out_of(source):
                self._texts.setdefault(near.text_of(task), f"{task.id} of {source}")
                self._families.setdefault(family_of(task), source)

    def check(self, rows: Sequence[Row]) -> None:
        """Marks what is too like a held-out task, or has an id that is taken. A held-out family is refused: it is a mistake."""
        for row in rows:
            assert row.task is not None
            if (source := self._families.get(family_of(row.task))) is not None:
                raise Refused(
                    f'the family "{family_of(row.task)}" is held out in {source}; give these tasks a family of their own'
                )
            if row.task.id in self._ids:
                row.reason, row.problem = TAKEN, row.task.id
            self._ids.add(row.task.id)
        texts = [near.text_of(row.task) if row.task is not None else "" for row in rows]
        known = list(self._texts)
        found = near.likes(texts, known, self._at_least) if known else [[] for _ in texts]
        for row, like in zip(rows, found, strict=True):
            if like and not row.reason:
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


def _tallies(rows: Sequence[Row], steps: Iterable[Step], design: Design) -> dict[str, Tally]:
    reasons = Counter(row.reason for row in rows)
    left = len(rows)
    found: dict[str, Tally] = {}
    after = [TAKEN, LIKE, REPEAT] if design.makes_tasks else [REPEAT] if design.spec.repeats == "refuse" else []
    for name in [*(step.name for step in steps), *after]:
        if name not in (TASK, TAKEN) or reasons[name]:
            found[name] = Tally(left, left - reasons[name])
        left -= reasons[name]
    return found


def _some(rows: Iterable[Row]) -> list[Rejected]:
    counts: Counter[str] = Counter()
    found: list[Rejected] = []
    for row in rows:
        if row.reason and counts[row.reason] < _SHOWN:
            counts[row.reason] += 1
            found.append(Rejected(f"{row.reason}: {row.problem}", row.values))
    return found


_REMEDY = {
    "column": "Put what it does right, or draw other values for it.",
    "constraint": "Loosen it, or have its columns made otherwise.",
    "validator": "Loosen it, or make the rows otherwise.",
    TASK: "A task needs a prompt and something to judge a reply by (docs/tasks.md).",
    REPEAT: "Give the columns more values, or ask for fewer rows (-n).",
    LIKE: "Word the prompt otherwise than the held-out tasks do.",
    TAKEN: "Make the ids of something that is different in every row.",
}


_SAID = {
    TASK: "rows that are no tasks starve",
    REPEAT: "repeats starve",
    LIKE: "held-out tasks starve",
    TAKEN: "ids that are taken starve",
}


def _starved(design: Design, steps: Sequence[Step], count: int, n: int, rows: Sequence[Row]) -> str:
    """Which step lets the fewest of these rows pass, by name."""
    tallies = _tallies(rows, steps, design)
    worst = min(tallies, key=lambda name: tallies[name].share)
    tally = tallies[worst]
    first = next(row.problem for row in rows if row.reason == worst)
    others = [f"{name} {100 * one.share:.3g}%" for name, one in tallies.items() if name != worst and one.share < 1]
    whole = _SAID.get(worst, f"the {worst} starves")
    words = [
        f"{whole} this set: {count:,} of {n:,} rows are found, and of the last {tally.seen:,} rows "
        f"that came so far, {tally.passed:,} passed ({100 * tally.share:.3g}%).",
        f"The first that did not: {first[:300]}.",
        *([f"What passed elsewhere: {', '.join(others)}."] if others else []),
        _REMEDY.get(worst) or _REMEDY[worst.split()[0]],
        f"What is only rare is found with a higher tries_per_row (now {design.spec.tries_per_row}).",
    ]
    return " ".join(words)


# -- files -----------------------------------------------------------------------------------------------------------------------


class _Saved(msgspec.Struct, omit_defaults=True):
    place: int
    values: Json = {}
    reason: str = ""
    problem: str = ""


class _Partial:
    """What steps found out about rows, a line a row, written before anybody is told. A line that was cut short is not there."""

    def __init__(self, path: Path | None, dear: set[str]) -> None:
        self._path, self._dear = path, dear
        self.known: dict[int, _Saved] = {}
        if path is not None and path.exists():
            lines = path.read_bytes().split(b"\n")
            self.known = {one.place: one for line in lines[:-1] if (one := _saved(line)) is not None}
            whole = b"".join(line + b"\n" for line in lines[:-1])
            if whole != path.read_bytes():
                write_whole(path, lambda file: file.writelines([whole]))

    def restore(self, row: Row) -> bool:
        saved = self.known.get(row.place)
        if saved is not None:
            row.values |= saved.values
            row.reason, row.problem = saved.reason, saved.problem
        return saved is not None

    def add(self, rows: Sequence[Row]) -> None:
        if self._path is None or not rows:
            return
        lines: list[bytes] = []
        for row in rows:
            made = {name: row.values[name] for name in row.values if name in self._dear}
            lines.append(codec_line(_Saved(row.place, made, row.reason, row.problem)))
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab") as file:
                file.writelines(lines)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise BadInput(f"{self._path} cannot be written: {error.strerror}") from error


def _saved(line: bytes) -> _Saved | None:
    try:
        return msgspec.json.decode(line, type=_Saved)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def codec_line(value: Any) -> bytes:
    return msgspec.json.encode(codec.plain(value)) + b"\n"


def partial_of(design: Design, seed: int, out: Path) -> Path:
    """Beside the file to be written, named by what is made: another spec or seed begins anew."""
    return out.with_name(f".{out.name}.{content_hash([design.hash, seed])[:12]}.partial")


def check_out(design: Design, out: Path) -> None:
    """That the file can be one of such rows: asked before the work, not after it."""
    if out.is_dir():
        raise BadInput(f"{out} is a folder; name a file with --out, such as {out / 'tasks.jsonl'}")
    kinds = (".jsonl", ".json", ".parquet") if design.makes_tasks else (".jsonl",)
    if out.suffix.lower() not in kinds:
        rows = "tasks" if design.makes_tasks else "rows without a prompt"
        raise BadInput(f"{out}: {rows} are written as {' or '.join(kinds)}")


def write(made: Made, design: Design, out: Path) -> list[Path]:
    """The rows, and beside them those that were rejected: both whole or not at all."""
    check_out(design, out)
    if design.makes_tasks:
        save_tasks(out, made.tasks)
    else:
        lines = [codec_line(row) for row in made.rows]
        write_whole(out, lambda file: file.writelines(lines))
    aside = out.with_name(f"{out.name}.rejected.jsonl")
    try:
        rejected = [codec_line(one) for one in made.rejected]
    except (TypeError, ValueError) as error:
        raise BadInput(f"{aside}: a rejected row cannot be written: {words_of(error)}") from error
    write_whole(aside, lambda file: file.writelines(rejected))
    return [out, aside]
