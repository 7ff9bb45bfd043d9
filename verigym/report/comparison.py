"""The parts of a report that compare two versions task by task, and the report of a comparison."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from verigym.core.errors import NotFound
from verigym.core.records import Report, Task, Version
from verigym.core.words import counted, percent, points, with_interval
from verigym.draw.dumbbells import Dumbbell, dumbbells
from verigym.draw.intervals import Interval, in_words, intervals
from verigym.evaluation.compare import CLAIM, Changes, Comparison, Flip, RateChange, changes, compare
from verigym.report.document import (
    Block,
    Case,
    Document,
    Example,
    Picture,
    Section,
    Side,
    Step,
    Table,
    Words,
    asked,
    clipped,
    done,
    typed,
)
from verigym.report.production import of_tasks
from verigym.report.subjects import PairSubject
from verigym.workspace.workspace import WorkspaceFolder

WIDTH = 440
"""Width of a picture. On a phone its text can still be read."""
_NUM_FAMILIES = 15
_NUM_LISTED = 100
_FEW = 20
"""A longer list of tasks is folded."""
_NUM_EXAMPLES = 3
_NUM_FOLDED = 7


class Pair(NamedTuple):
    """Two reports on the same tasks, before and after."""

    ws: WorkspaceFolder
    before: Report
    after: Report
    names: tuple[str, str]
    found: Comparison
    moved: Changes


def make_pair(ws: WorkspaceFolder, before: Report, after: Report) -> Pair:
    names = (label(ws, before.agent), label(ws, after.agent))
    if names[0] == names[1]:
        names = (before.run, after.run)
    return Pair(ws, before, after, names, compare(before, after), changes(before, after, level=0.975))


def label(ws: WorkspaceFolder, id: str) -> str:
    """The name of a version, with its id if another version has the same name."""
    version = ws.store.get("version", id, Version)
    if version is None:
        return id
    same = sum(one.label == version.label for one in ws.store.documents("version", Version))
    return version.label if same == 1 or version.label == id else f"{version.label} ({id})"


def comparison_document(ws: WorkspaceFolder, subject: PairSubject) -> Document:
    pair = make_pair(ws, subject.before, subject.after)
    found, (before, after) = pair.found, pair.names
    tone = "pass" if found.success.low > 0 else "fail" if found.success.high < 0 else "unclear"
    said = {"pass": f"{after} is better", "fail": f"{after} is worse", "unclear": "No difference is shown"}[tone]
    steps = [Step("See why the tasks after failed.", typed("explain", pair.after.run))]
    if ws.store.get("version", pair.after.agent, Version) is not None and found.success.value > 0:
        steps.insert(
            0, Step(f"Ask the gate whether {after} may replace the champion.", typed("gate", pair.after.agent))
        )
    sections = [
        *pair_sections(pair),
        Section("What to do next", [*steps]),
    ]
    return Document(
        title=f"{before} and {after}",
        name=f"{before}-{after}",
        kind="comparison",
        verdict=f"{points(found.success.value)} points",
        tone=tone,
        lead=f"{said} at the 95% level. {difference(found)}",
        sections=[section for section in sections if section.blocks],
        cases=list(_cases(pair)),
        left_out=left_out(pair),
        production=production(pair),
        store=str(ws.home),
        file=environment_file(ws, pair.after.run),
    )


def pair_sections(pair: Pair) -> list[Section]:
    found, tasks = pair.found, {task.id: task for task in pair.ws.store.tasks(pair.after.run)}
    flips = _ordered(found)
    examples = list(_examples(pair, flips, tasks))
    sections = [
        Section("Success before and after", list(_success(pair))),
        Section("Tasks gained and lost", list(_flips(found)), folded=len(found.gained) + len(found.lost) > _FEW),
        Section("Tasks that changed", [*examples[:_NUM_EXAMPLES]]),
        Section("More tasks that changed", [*examples[_NUM_EXAMPLES:]], folded=True),
        Section("Families", list(_families(pair)), markdown=False),
        Section("Failures before and after", list(_failures(pair))),
        Section("Speed, tokens and cost", list(_ratios(pair)), markdown=False),
    ]
    return [section for section in sections if section.blocks]


def difference(found: Comparison) -> str:
    return (
        f"The difference is {points(found.success.value)} points, at least {points(found.success.low)} with "
        f"{percent(found.success.level, 0)} confidence, on {counted(found.tasks, 'held-out task')} of "
        f"{counted(found.families, 'family')} ({found.suite}). Tasks gained: {len(found.gained)}, lost: {len(found.lost)}."
    )


def _success(pair: Pair) -> Iterator[Block]:
    found, (before, after) = pair.found, pair.names
    sides = {f"before: {before}": found.champion_success, f"after: {after}": found.candidate_success}
    rows = [Interval(name, one.value, one.low, one.high, unit="share") for name, one in sides.items()]
    delta = found.success
    change = Interval("difference", delta.value, delta.low, math.nan, delta.low, 0.0)
    yield Picture(
        intervals([*rows, change], width=WIDTH),
        "Success with 95% intervals, and the difference with its one-sided 95% bound.",
    )
    told = ", ".join(f"{name} {with_interval(one.value, one.low, one.high)}" for name, one in sides.items())
    yield Words(f"Success, {told}. These are 95% intervals.")
    yield Words(f"{difference(found)} p = {delta.p:.2g} by {delta.method}.")
    if found.dropped:
        yield Words(f"{counted(found.dropped, 'task')} could not be scored for both. No figure counts them.")
    if found.unsafe.champion or found.unsafe.candidate:
        yield Words(f"Tasks with an unsafe action: {found.unsafe.champion} before, {found.unsafe.candidate} after.")


def _flips(found: Comparison) -> Iterator[Block]:
    for word, flips in (("gained", found.gained), ("lost", found.lost)):
        if flips:
            more = f" and {len(flips) - _NUM_LISTED:,} more" if len(flips) > _NUM_LISTED else ""
            names = ", ".join(clipped(flip.task, 80) for flip in flips[:_NUM_LISTED])
            yield Words(f"{word.capitalize()} ({len(flips):,}): {names}{more}.")


def _ordered(found: Comparison) -> list[tuple[str, Flip]]:
    """The tasks that changed, with one of the rarer kind among the first three."""
    gained, lost = [("gained", flip) for flip in found.gained], [("lost", flip) for flip in found.lost]
    few, most = sorted((gained, lost), key=len)
    return [*most[:2], *few[:1], *most[2:], *few[1:]]


def _examples(pair: Pair, flips: Sequence[tuple[str, Flip]], tasks: dict[str, Task]) -> Iterator[Example]:
    for kind, flip in flips[: _NUM_EXAMPLES + _NUM_FOLDED]:
        try:
            before, after = (pair.ws.store.trajectory(id)[1] for id in (flip.champion, flip.candidate))
        except NotFound:  # the run was removed
            continue
        sides = [Side(name, done(one)) for name, one in zip(("before", "after"), (before, after), strict=True)]
        outcome = "gained" if kind == "gained" else "lost"
        yield Example(outcome, clipped(flip.task, 200), asked(before), expected(tasks.get(flip.task)), sides)


def expected(task: Task | None) -> str:
    data = task.data if task is not None else {}
    if "expected_tool" not in data:
        return ""
    return clipped(f"{data['expected_tool']} {msgspec.json.encode(data.get('expected_args')).decode()}", 400)


def _families(pair: Pair) -> Iterator[Block]:
    rows = [one for one in pair.moved.families if one.champion != one.candidate]
    if rows:
        shown = [_dumbbell(one) for one in rows[:_NUM_FAMILIES]]
        yield Picture(dumbbells(shown, title="Success by family", width=WIDTH))
        same = len(pair.moved.families) - len(rows)
        more = f" {len(rows) - _NUM_FAMILIES:,} smaller changes are not drawn." if len(rows) > _NUM_FAMILIES else ""
        yield Words(
            f"The largest changes come first. {counted(same, 'family')} did not change.{more} A change is "
            "beyond chance if it stays significant after the correction for the number of families."
        )


def _dumbbell(one: RateChange, *, fewer: bool = False) -> Dumbbell:
    better = one.candidate < one.champion if fewer else None
    return Dumbbell(clipped(one.name, 80), one.champion, one.candidate, one.q <= CLAIM, one.tasks, better)


def _failures(pair: Pair) -> Iterator[Block]:
    if pair.found.buckets:
        beyond = {one.name for one in pair.moved.buckets if one.q <= CLAIM}
        rows = [
            [name, str(before), str(after), "beyond chance" if name in beyond else ""]
            for name, (before, after) in pair.found.buckets.items()
        ]
        yield Table(["failure", "before", "after", ""], rows)


def _ratios(pair: Pair) -> Iterator[Block]:
    rows = [
        Interval(name, one.value, one.low, one.high, unit="times", worse="above")
        for name, one in pair.moved.ratios.items()
    ]
    if rows:
        yield Picture(intervals(rows, width=WIDTH))
        told = ", ".join(f"{row.name} {in_words(row)}" for row in rows)
        yield Words(f"After divided by before, with 95% intervals: {told}.", dim=True)


def left_out(pair: Pair) -> list[str]:
    changed = len(pair.found.gained) + len(pair.found.lost)
    shown = min(changed, _NUM_EXAMPLES + _NUM_FOLDED)
    if changed <= shown:
        return []
    return [f"{counted(changed - shown, 'conversation pair')} of tasks that changed ({shown} are shown)"]


def production(pair: Pair) -> str:
    return of_tasks(pair.ws.store.tasks(pair.after.run))


def environment_file(ws: WorkspaceFolder, run: str) -> str:
    """The environment of a run, if it is a file."""
    name = str(ws.store.run(run).config.get("environment", "")) if ws.store.has_run(run) else ""
    return name if name.endswith((".py", ".jsonl", ".yaml")) and not name.startswith("/") else ""


def _cases(pair: Pair) -> Iterator[Case]:
    """One for each task. A task that only the side before passes is a failure."""
    lost = {flip.task for flip in pair.found.lost}
    for result in pair.after.results:
        if result.error:
            yield Case(name=result.task, group=result.family, outcome="error", words="could not be scored")
        elif result.task in lost:
            words = f"passes with {pair.names[0]} and fails with {pair.names[1]}"
            words += f" ({result.bucket})" if result.bucket else ""
            yield Case(name=result.task, group=result.family, outcome="fail", words=words, seconds=result.latency_s)
        else:
            yield Case(name=result.task, group=result.family, outcome="pass", seconds=result.latency_s)
