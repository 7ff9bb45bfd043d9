"""The episodes behind the metrics of a training run: the groups of a step, how hard they were, and held-out evaluations.

They are in child runs: `RUN/step-0007` for the episodes of step 7, `RUN/eval-0008` for the held-out tasks after step 8. A round
of dynamic sampling and an environment of a mixture add a suffix.
"""

import re
from typing import Any

from msgspec import Struct

from verigym.core.records import Task
from verigym.draw.columns import Column, columns
from verigym.draw.strip import Dot, strip
from verigym.draw.svg import Drawing, empty, number
from verigym.evaluation.stats import clustered_mean
from verigym.evaluation.suites import family_of
from verigym.view.curves import Interval
from verigym.view.page import url
from verigym.view.read import Reader
from verigym.workspace.advantages import StepAdvantages, advantages_of

_CHILD = re.compile(r"(step|eval)-(\d+)(\..*|-.*)?$")
_SHOWN_STEPS = 40
"""Maximum number of steps whose groups are counted on one page."""
_SHOWN_GROUPS = 48
_EVALUATIONS = 60
"""Maximum number of evaluations whose interval is worked out."""
_EPISODES = (
    "SELECT t.task, t.place, t.id, v.reward, coalesce(v.passed, 0) FROM trajectories t LEFT JOIN verdicts v "
    "ON v.trajectory = t.id AND v.run = t.run AND v.verifier = (SELECT verifier FROM runs WHERE id = t.run) "
    "WHERE t.run = ? ORDER BY t.task, t.place"
)


class GroupCounts(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How hard the tasks of a step were."""

    step: int
    all_passed: int
    mixed: int
    """Some tries passed and some failed: what training learns from."""
    all_failed: int
    unknown: int = 0
    """Groups without signal of a run whose episodes are not stored."""


class Difficulty(Struct, frozen=True, kw_only=True):
    steps: list[GroupCounts]
    every: int = 1
    """One step out of so many is counted."""
    from_metrics: bool = False
    run: str = ""

    @property
    def picture(self) -> Drawing:
        if self.from_metrics:
            legend = [("with signal", "c2 fill"), ("without signal", "grey fill")]
            parts = [(one.mixed, one.unknown) for one in self.steps]
        else:
            legend = [("all passed", "passed fill"), ("mixed", "c2 fill"), ("all failed", "failed fill")]
            parts = [(one.all_passed, one.mixed, one.all_failed) for one in self.steps]
        rows = [
            Column(
                number(one.step),
                counts,
                f"step {one.step:,}: "
                + ", ".join(f"{count:,} {name}" for count, (name, _) in zip(counts, legend, strict=True)),
                "" if self.from_metrics else url("/training/", self.run, step=one.step, fragment="step"),
            )
            for one, counts in zip(self.steps, parts, strict=True)
        ]
        words = ". ".join(row.words for row in dict.fromkeys([rows[0], rows[-1]])) if rows else ""
        return columns(rows, legend, words, x="step", width=560, height=210) if rows else empty("")


class StepGroup(Struct, frozen=True, kw_only=True):
    """The tries of one task in one step."""

    task: str
    run: str
    dots: list[Dot]
    passed: int
    scored: int
    unused: bool = False
    """Whether training left the group out, although its rewards may differ (`advantage.rewards: passed`)."""

    @property
    def picture(self) -> Drawing:
        return strip(self.dots, width=300)

    @property
    def has_signal(self) -> bool:
        rewards = [dot.reward for dot in self.dots if dot.reward is not None]
        return not self.unused and bool(rewards) and max(rewards) - min(rewards) > 1e-6


class StepView(Struct, frozen=True, kw_only=True):
    """One step with its groups."""

    step: int
    runs: list[str]
    """Child runs with its episodes."""
    groups: list[StepGroup]
    left_out: int
    words: str
    """How the advantage was worked out, or why it is not shown."""
    evaluations: list[str]
    previous: int | None = None
    next: int | None = None


def children(reader: Reader, run: str, kind: str, first: int, last: int) -> dict[int, list[str]]:
    """The child runs of a kind, by step."""
    state = run, first, last, reader.one("SELECT max(rowid) FROM runs")
    return reader.kept(f"children {kind}", state, lambda: _children(reader, run, kind, first, last))


def _children(reader: Reader, run: str, kind: str, first: int, last: int) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    low, high = f"{run}/{kind}-", f"{run}/{kind}."  # a dot follows the hyphen in the order of ids
    for (id,) in reader.rows("SELECT id FROM runs WHERE id > ? AND id < ? ORDER BY id", low, high):
        match = _CHILD.fullmatch(id.removeprefix(f"{run}/"))
        if match and first <= (step := int(match[2])) <= last:
            found.setdefault(step, []).append(id)
    return dict(sorted(found.items()))


def difficulty(reader: Reader, run: str, steps: dict[int, list[str]]) -> Difficulty:
    """How many groups of each step passed always, sometimes or never."""
    every = max(1, -(-len(steps) // _SHOWN_STEPS))
    some = list(steps)[::every]
    counts = [_counts(reader, step, steps[step]) for step in some]
    return Difficulty(steps=[one for one in counts if one is not None], every=every, run=run)


def _counts(reader: Reader, step: int, runs: list[str]) -> GroupCounts | None:
    kinds = [0, 0, 0]
    for run in runs:
        state = reader.one("SELECT count(*) FROM trajectories WHERE run = ?", run), step
        groups: list[tuple[int, int]] = reader.kept(f"groups {run}", state, lambda run=run: _passes(reader, run))
        for passed, scored in groups:
            kinds[0 if passed == scored else 2 if not passed else 1] += 1
    if not any(kinds):
        return None
    return GroupCounts(step=step, all_passed=kinds[0], mixed=kinds[1], all_failed=kinds[2])


def _passes(reader: Reader, run: str) -> list[tuple[int, int]]:
    """Passed and scored tries of each task."""
    tries: dict[str, list[int]] = {}
    for task, _, _, reward, passed in reader.rows(_EPISODES, run):
        if reward is not None:
            tries.setdefault(task, []).append(passed)
    return [(sum(one), len(one)) for one in tries.values()]


def difficulty_from_metrics(live: dict[float, float], groups: int) -> Difficulty:
    """What the share of groups with signal says about a run whose episodes are not stored."""
    every = max(1, -(-len(live) // _SHOWN_STEPS))
    counts = [
        GroupCounts(step=int(step), all_passed=0, mixed=round(share * groups), all_failed=0,
                    unknown=groups - round(share * groups))
        for step, share in list(live.items())[::every]
        if share == share
    ]  # fmt: skip
    return Difficulty(steps=counts, every=every, from_metrics=True)


def step_view(reader: Reader, run: str, step: int, steps: dict[int, list[str]]) -> StepView:
    runs = steps.get(step, [])
    by_task: dict[tuple[str, str], list[Any]] = {}
    for child in runs:
        for row in reader.rows(_EPISODES, child):
            by_task.setdefault((child, row[0]), []).append(row)
    worth = advantages_of(reader.store, run, step) if runs else None
    groups: list[StepGroup] = []
    for (child, task), tries in by_task.items():
        dots = [
            Dot(f"try {place + 1}", reward, bool(passed), worth.of.get(id) if worth else None,
                href=url("/t/", id, run=child))
            for _, place, id, reward, passed in tries
        ]  # fmt: skip
        scored = [row for row in tries if row[3] is not None]
        passes = sum(row[4] for row in scored)
        unused = worth is not None and all(row[2] in worth.unused for row in tries)
        groups.append(StepGroup(task=task, run=child, dots=dots, passed=passes, scored=len(scored), unused=unused))
    groups.sort(key=lambda group: not group.has_signal)
    known = list(steps)
    place = known.index(step) if step in steps else -1
    return StepView(
        step=step,
        runs=runs,
        groups=groups[:_SHOWN_GROUPS],
        left_out=max(0, len(groups) - _SHOWN_GROUPS),
        words=_advantage_words(worth),
        evaluations=children(reader, run, "eval", step, step).get(step, []),
        previous=known[place - 1] if place > 0 else None,
        next=known[place + 1] if 0 <= place < len(known) - 1 else None,
    )


def _advantage_words(worth: StepAdvantages | None) -> str:
    if worth is None:
        return "The advantages are not known, because the recipe of this run cannot be read."
    if not worth.exact:
        return "The advantages leave out the divergence that lowered each reward, because it was not stored."
    return "Point at a dot to see its advantage: how much better the try was than the others of its group."


def held_out_intervals(reader: Reader, run: str, first: int, last: int) -> dict[int, Interval]:
    """The interval of held-out success at the steps whose evaluation is stored, clustered by family."""
    evaluations = children(reader, run, "eval", first, last)
    every = max(1, -(-len(evaluations) // _EVALUATIONS))
    intervals: dict[int, Interval] = {}
    for step in list(evaluations)[::every]:
        if len(evaluations[step]) != 1:  # a mixture: the metric is a mean over environments
            continue
        [child] = evaluations[step]
        state = reader.one("SELECT count(*) FROM verdicts WHERE run = ?", child)
        found: Interval | None = reader.kept(f"held out {child}", state, lambda child=child: _interval(reader, child))
        if found is not None:
            intervals[step] = found
    return intervals


def _interval(reader: Reader, run: str) -> Interval | None:
    tries: dict[str, list[int]] = {}
    for task, _, _, reward, passed in reader.rows(_EPISODES, run):
        if reward is not None:
            tries.setdefault(task, []).append(passed)
    if not tries:
        return None
    tasks: dict[str, Task] = {task.id: task for task in reader.store.tasks(run)}
    known = [task for task in tries if task in tasks]
    if not known:
        return None
    means = [sum(tries[task]) / len(tries[task]) for task in known]
    estimate = clustered_mean(means, [family_of(tasks[task]) for task in known], rate=True)
    return estimate.low, estimate.high
