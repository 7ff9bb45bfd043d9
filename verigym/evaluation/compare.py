"""Compares two reports on the same suite, task by task: success, families, failure buckets, latency, tokens and cost.

The gate decides whether the difference is large enough to ship.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec import Struct, structs

from verigym.core.errors import Refused
from verigym.core.printable import Printable
from verigym.core.records import Estimate, Report, TaskResult
from verigym.evaluation.stats import (
    Delta,
    Ratio,
    adjusted,
    clustered_mean,
    mcnemar_midp,
    paired_delta,
    paired_ratio,
    paired_totals,
    percentile_ratio,
    sign_flip_p,
    two_sided_p,
)

CLAIM = 0.05
"""A change with q up to this may be called real."""

Pair = tuple[TaskResult, TaskResult]
"""The champion's and the candidate's result on one task."""


class Flip(NamedTuple):
    """A task whose outcome changed (with repeats: the outcome of at least half of them), with a trajectory of each version."""

    task: str
    champion: str
    """Trajectory id."""
    candidate: str
    """Trajectory id."""


class Harm(Struct, frozen=True, kw_only=True):
    """An undesirable event, counted by task."""

    champion: int
    """Tasks in which it happened at least once."""
    candidate: int
    increase: Delta
    """Increase of its rate."""


class Comparison(Printable, Struct, frozen=True, kw_only=True):
    champion: str
    """Version id."""
    candidate: str
    suite: str
    tasks: int
    """Tasks scored for both versions. Every figure except `with_errors_failed` covers these."""
    families: int
    dropped: int
    """Tasks that could not be scored for one or both versions."""
    champion_success: Estimate
    candidate_success: Estimate
    success: Delta
    reward: Delta
    with_errors_failed: Delta
    """Success if every task that could not be scored counted as a failure, for comparison."""
    mcnemar: float | None
    """One-sided mid-p. None if a task was repeated."""
    gained: list[Flip]
    lost: list[Flip]
    buckets: dict[str, tuple[int, int]]
    """Failure bucket to the number of episodes of the champion and of the candidate."""
    unsafe: Harm
    invalid: Harm | None
    """None if the verifier does not report whether an output is valid."""


def compare(champion: Report, candidate: Report, level: float = 0.95) -> Comparison:
    """Compares task by task. Bounds are one-sided at `level`, clustered by family. Refuses reports on different suites."""
    everything = _paired(champion, candidate)
    pairs = scored_pairs(champion, candidate)
    families = [before.family for before, _ in pairs]
    gained = [flip_of(pair) for pair in pairs if not _mostly(pair[0]) and _mostly(pair[1])]
    lost = [flip_of(pair) for pair in pairs if _mostly(pair[0]) and not _mostly(pair[1])]
    once = all(result.repeats == 1 for pair in pairs for result in pair)
    bounded = all(0 <= result.reward <= 1 for pair in pairs for result in pair)
    judged = [pair for pair in pairs if all("valid" in one.rates for one in pair)]
    return Comparison(
        champion=champion.agent,
        candidate=candidate.agent,
        suite=champion.suite.name,
        tasks=len(pairs),
        families=len(set(families)),
        dropped=len(everything) - len(pairs),
        champion_success=clustered_mean([before.passed for before, _ in pairs], families, rate=True),
        candidate_success=clustered_mean([after.passed for _, after in pairs], families, rate=True),
        success=_delta(pairs, lambda one: one.passed, level),
        reward=_delta(pairs, lambda one: one.reward, level, rate=bounded),
        with_errors_failed=_delta(everything, lambda one: 0.0 if one.error else one.passed, level),
        mcnemar=mcnemar_midp(len(gained), len(lost)) if once else None,
        gained=gained,
        lost=lost,
        buckets={
            name: (champion.buckets.get(name, 0), candidate.buckets.get(name, 0))
            for name in {**champion.buckets, **candidate.buckets}
        },
        unsafe=_harm(pairs, lambda one: one.rates.get("unsafe", 0.0), level),
        invalid=_harm(judged, lambda one: 1 - one.rates["valid"], level) if judged else None,
    )


def scored_pairs(champion: Report, candidate: Report) -> list[Pair]:
    """Results of the tasks that were scored for both versions."""
    pairs = [pair for pair in _paired(champion, candidate) if not pair[0].error and not pair[1].error]
    if not pairs:
        raise Refused(
            f"Reports {champion.id} and {candidate.id} share no task that was scored in both. Evaluate both again"
        )
    return pairs


def _paired(champion: Report, candidate: Report) -> list[Pair]:
    old, new = champion.suite, candidate.suite
    if old.hash != new.hash:
        raise Refused(
            f'Report {champion.id} is on suite "{old.name}" ({old.hash[:12]}) and report {candidate.id} on "{new.name}" '
            f"({new.hash[:12]}). Their tasks or verifiers differ, so they cannot be compared. Evaluate both on one suite"
        )
    result_of = {result.task: result for result in candidate.results}
    return [(result, result_of[result.task]) for result in champion.results]


def _delta(pairs: list[Pair], value: Callable[[TaskResult], float], level: float, rate: bool = True) -> Delta:
    before, after = zip(*((value(before), value(after)) for before, after in pairs), strict=True)
    return paired_delta(before, after, [one.family for one, _ in pairs], level=level, rate=rate)


def _harm(pairs: list[Pair], harm: Callable[[TaskResult], float], level: float) -> Harm:
    return Harm(
        champion=sum(harm(before) > 0 for before, _ in pairs),
        candidate=sum(harm(after) > 0 for _, after in pairs),
        increase=_delta(pairs, harm, level),
    )


def _mostly(result: TaskResult) -> bool:
    return result.passed >= 0.5


def flip_of(pair: Pair) -> Flip:
    """With repeats, the trajectory has the outcome of the majority."""
    return Flip(pair[0].task, *(one.passing or one.trajectory if _mostly(one) else one.trajectory for one in pair))


class RateChange(Struct, frozen=True, kw_only=True):
    """The rate of one family or one bucket, before and after."""

    name: str
    tasks: int
    champion: float
    candidate: float
    p: float
    """Two-sided p-value of this change alone."""
    q: float
    """p after the Benjamini-Hochberg correction. Of changes with q <= 0.05, about 1 in 20 is expected to be false."""


class Changes(Struct, frozen=True, kw_only=True):
    sign_flip: float
    """One-sided p of the difference in success, by sign-flip permutation over families. It assumes no distribution."""
    families: list[RateChange]
    """Success by family, the largest change first. Tasks of a single family count as independent."""
    buckets: list[RateChange]
    """Share of tasks in each failure bucket (with repeats: by the first failure), the largest change first."""
    ratios: dict[str, Ratio]
    """Latency, tokens and cost, candidate over champion, if both reports have them."""


def changes(champion: Report, candidate: Report, level: float = 0.95) -> Changes:
    """Ratio bounds are one-sided at `level`, clustered by family."""
    pairs = scored_pairs(champion, candidate)
    by_family: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for before, after in pairs:
        by_family[before.family].append((before.passed, after.passed))
    families = [before.family for before, _ in pairs]
    in_bucket = {
        name: [(float(before.bucket == name), float(after.bucket == name)) for before, after in pairs]
        for name in {result.bucket for pair in pairs for result in pair if result.bucket}
    }
    return Changes(
        sign_flip=sign_flip_p([sum(after - before for before, after in rates) for rates in by_family.values()]),
        families=_changes([(name, rates, range(len(rates))) for name, rates in by_family.items()]),
        buckets=_changes([(name, rates, families) for name, rates in in_bucket.items()]),
        ratios=_ratios(pairs, level),
    )


def _changes(rows: list[tuple[str, list[tuple[float, float]], Sequence[object]]]) -> list[RateChange]:
    """From rows of (name, rates by task before and after, clusters)."""
    changes: list[RateChange] = []
    for name, rates, clusters in rows:
        before, after = zip(*rates, strict=True)
        p, n = two_sided_p(before, after, clusters), len(rates)
        changes.append(RateChange(name=name, tasks=n, champion=sum(before) / n, candidate=sum(after) / n, p=p, q=p))
    corrected = adjusted([change.p for change in changes])
    changes = [structs.replace(change, q=q) for change, q in zip(changes, corrected, strict=True)]
    return sorted(changes, key=lambda one: (-round(abs(one.candidate - one.champion), 9), one.p, one.name))


def _ratios(pairs: list[Pair], level: float) -> dict[str, Ratio]:
    ratios: dict[str, Ratio | None] = {}
    for name, value in _AMOUNTS.items():
        among = [pair for pair in pairs if value(pair[0]) > 0 and value(pair[1]) > 0]
        if not among:
            continue
        families = [before.family for before, _ in among]
        before, after = [value(one) for one, _ in among], [value(one) for _, one in among]
        if name == "latency":
            for percent in (50, 95):
                ratios[f"latency p{percent} s"] = percentile_ratio(before, after, families, percent / 100, level)
        else:
            ratios[name] = paired_ratio(before, after, families, level)
        if name in ("tokens", "cost"):
            passed = [one.passed for one, _ in among], [one.passed for _, one in among]
            ratios[f"{name} per success"] = paired_totals((before, passed[0]), (after, passed[1]), families, level)
    return {name: ratio for name, ratio in ratios.items() if ratio is not None}


_AMOUNTS: dict[str, Callable[[TaskResult], float]] = {
    "latency": lambda one: one.latency_s,
    "tokens": lambda one: one.tokens,
    "prompt tokens": lambda one: one.prompt_tokens,
    "cost": lambda one: one.cost,
}
