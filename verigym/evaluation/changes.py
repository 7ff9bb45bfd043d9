"""What changed between two reports on the same suite besides overall success (`compare`): families and failure buckets, corrected
for multiple comparisons, and ratios of latency, tokens and cost."""

from collections import defaultdict
from collections.abc import Callable, Sequence

from msgspec import Struct

from verigym.core.records import Report, TaskResult
from verigym.evaluation.compare import Pair, scored_pairs
from verigym.evaluation.stats import (
    Ratio,
    adjusted,
    paired_ratio,
    paired_totals,
    percentile_ratio,
    sign_flip_p,
    two_sided_p,
)

CLAIM = 0.05
"""A change with q up to this may be called real."""


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
    return Changes(
        sign_flip=sign_flip_p(_family_sums(pairs)),
        families=_by_family(pairs),
        buckets=_by_bucket(pairs),
        ratios=_ratios(pairs, level),
    )


def _family_sums(pairs: list[Pair]) -> list[float]:
    sums: dict[str, float] = defaultdict(float)
    for before, after in pairs:
        sums[before.family] += after.passed - before.passed
    return list(sums.values())


def _by_family(pairs: list[Pair]) -> list[RateChange]:
    members: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        members[pair[0].family].append(pair)
    return _changes(
        [
            (name, [(before.passed, after.passed) for before, after in of], range(len(of)))
            for name, of in members.items()
        ]
    )


def _by_bucket(pairs: list[Pair]) -> list[RateChange]:
    families = [before.family for before, _ in pairs]
    names = {one.bucket for pair in pairs for one in pair if one.bucket}
    return _changes(
        [(name, [(before.bucket == name, after.bucket == name) for before, after in pairs], families) for name in names]
    )


def _changes(rows: list[tuple[str, list[tuple[float, float]], Sequence[object]]]) -> list[RateChange]:
    """From rows of (name, rates by task before and after, clusters)."""
    found: list[tuple[str, int, float, float, float]] = []
    for name, rates, clusters in rows:
        before, after = zip(*rates, strict=True)
        p = two_sided_p(before, after, clusters)
        found.append((name, len(rates), sum(before) / len(rates), sum(after) / len(rates), p))
    changes = [
        RateChange(name=name, tasks=tasks, champion=champion, candidate=candidate, p=p, q=q)
        for (name, tasks, champion, candidate, p), q in zip(found, adjusted([row[-1] for row in found]), strict=True)
    ]
    return sorted(changes, key=lambda one: (-round(abs(one.candidate - one.champion), 9), one.p, one.name))


def _ratios(pairs: list[Pair], level: float) -> dict[str, Ratio]:
    found: dict[str, Ratio | None] = {}
    for name, value in _AMOUNTS.items():
        among = [pair for pair in pairs if value(pair[0]) > 0 and value(pair[1]) > 0]
        if not among:
            continue
        families = [before.family for before, _ in among]
        before, after = [value(one) for one, _ in among], [value(one) for _, one in among]
        if name == "latency":
            for percent in (50, 95):
                found[f"latency p{percent} s"] = percentile_ratio(before, after, families, percent / 100, level)
        else:
            found[name] = paired_ratio(before, after, families, level)
        if name in ("tokens", "cost"):
            passed = [one.passed for one, _ in among], [one.passed for _, one in among]
            found[f"{name} per success"] = paired_totals((before, passed[0]), (after, passed[1]), families, level)
    return {name: one for name, one in found.items() if one is not None}


_AMOUNTS: dict[str, Callable[[TaskResult], float]] = {
    "latency": lambda one: one.latency_s,
    "tokens": lambda one: one.tokens,
    "prompt tokens": lambda one: one.prompt_tokens,
    "cost": lambda one: one.cost,
}
