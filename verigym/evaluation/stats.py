"""The statistics of reports and of the gate: plain functions from numbers to numbers.

Tasks of one family resemble each other, so every interval is clustered by family: G families carry at most G independent
facts, however many tasks they hold. What to conclude from a number is decided elsewhere (`compare`, `gates`).
No bootstrap and no z interval: with few families both are too narrow.
"""

import math
import random
from collections.abc import Hashable, Sequence
from statistics import NormalDist
from typing import NamedTuple

from msgspec import Struct

from verigym.core.records import Estimate

FEW_FAMILIES = 10
"""Under this many, p is by sign-flip permutation: the t distribution leans on a normality that few families do not give."""
MAX_EXACT_FAMILIES = 16
"""Up to this many, all 2^G sign flips are enumerated; above, `NUM_FLIPS` are sampled."""
NUM_FLIPS = 10_000


class _Limits(NamedTuple):
    """Between which a mean must lie. Guessed ones only stand in where the data give no bound."""

    low: float
    high: float
    known: bool


class Delta(Struct, frozen=True, kw_only=True):
    """A paired difference, candidate minus champion."""

    value: float
    low: float
    """One-sided lower bound: at level 0.95, the true difference is above it in 95 of 100 such experiments."""
    high: float
    """One-sided upper bound. Together the two make a 90% interval."""
    p: float
    """One-sided: how often a difference this large appears when there is none."""
    method: str
    """How p was found, in words."""
    n: int
    """Tasks."""
    families: int
    level: float = 0.95

    @property
    def sd(self) -> float:
        """Spread of one task's difference that the bounds imply, the resemblance within families included."""
        return (self.high - self.low) / 2 / NormalDist().inv_cdf(self.level) * math.sqrt(self.n)


def clustered_mean(
    values: Sequence[float], clusters: Sequence[Hashable], level: float = 0.95, rate: bool = False
) -> Estimate:
    """Mean with its clustered t interval: cluster-robust variance, G / (G - 1) small-sample factor, G - 1 degrees of freedom.

    A `rate` lies in [0, 1], and so does its interval, which never has zero width. When the families do not differ at all
    the variance says nothing; the interval is then the exact Clopper-Pearson bound on the number of families: at most a
    share u of families differs, and those could lie anywhere. One family alone tells nothing about others: its interval
    is the whole range. A figure that is not a rate has no known range; where one is needed, twice the largest
    value seen stands for it.
    """
    top = 2 * max(map(abs, values))
    limits = _Limits(0, 1, known=True) if rate else _Limits(-top if min(values) < 0 else 0, top, known=False)
    low, high = _bounds(values, clusters, tail=(1 - level) / 2, limits=limits)
    return Estimate(value=_mean(values), low=low, high=high, n=len(values))


def paired_delta(
    a: Sequence[float], b: Sequence[float], clusters: Sequence[Hashable], level: float = 0.95, rate: bool = False
) -> Delta:
    """b - a by task, with one-sided clustered t bounds. p is from the same t, except under `FEW_FAMILIES` families and where
    the families do not differ: there by sign-flip permutation over families."""
    deltas = [after - before for before, after in zip(a, b, strict=True)]
    top = 2 * max(map(abs, [*a, *b]))
    limits = _Limits(-1, 1, known=True) if rate else _Limits(-top, top, known=False)
    low, high = _bounds(deltas, clusters, tail=1 - level, limits=limits)
    sums = _sums(deltas, clusters)
    se = _standard_error(deltas, clusters)
    if len(sums) < FEW_FAMILIES or se == 0:
        p, method = sign_flip_p(sums), f"sign-flip permutation over {_count(len(sums))}"
    else:
        from scipy.special import stdtr

        p, method = float(stdtr(len(sums) - 1, -_mean(deltas) / se)), f"clustered t over {_count(len(sums))}"
    return Delta(
        value=_mean(deltas), low=low, high=high, p=p, method=method, n=len(deltas), families=len(sums), level=level
    )


def sign_flip_p(sums: Sequence[float]) -> float:
    """One-sided p of a total over families: the share of sign flips of the families' sums that reach the total seen.
    G families cannot give less than 2^-G, so fewer than five never reach 0.05. Sums that all lean one way need no counting."""
    if all(one >= 0 for one in sums):
        return 2.0 ** -sum(one > 0 for one in sums)
    if all(one <= 0 for one in sums):
        return 1.0
    total, slack = math.fsum(sums), 1e-9 * math.fsum(map(abs, sums))
    if len(sums) <= MAX_EXACT_FAMILIES:
        flipped = [0.0]
        for one in sums:
            flipped = [other + signed for signed in (one, -one) for other in flipped]
        return sum(other >= total - slack for other in flipped) / len(flipped)
    draw = random.Random(0)
    reached = sum(math.fsum(one * draw.choice((1, -1)) for one in sums) >= total - slack for _ in range(NUM_FLIPS))
    return (1 + reached) / (1 + NUM_FLIPS)


def mcnemar_midp(gained: int, lost: int) -> float:
    """One-sided exact McNemar test with mid-p: of the tasks that changed, were more gained than a fair coin would give?
    It takes tasks as independent, so it stands beside the clustered test and never replaces it."""
    changed = gained + lost
    more = sum(math.comb(changed, k) for k in range(gained + 1, changed + 1))
    return (2 * more + math.comb(changed, gained)) / 2 ** (changed + 1)


def clopper_pearson(k: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Exact two-sided interval of a rate: k events in n trials. For a one-sided bound at 95% ask for level 0.90."""
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = 0.0 if k == 0 else float(betaincinv(k, n - k + 1, tail))
    high = 1.0 if k == n else float(betaincinv(k + 1, n - k, 1 - tail))
    return low, high


def percentile(values: Sequence[float], share: float, level: float = 0.95) -> Estimate:
    """The value below which a `share` of values lies, with the order statistics around it as interval.
    With few values the interval ends at the smallest or largest seen; episodes are taken as independent."""
    ordered, n = sorted(values), len(values)
    reach = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(n * share * (1 - share))
    low, high = math.floor(n * share - reach), math.ceil(n * share + reach)
    return Estimate(
        value=ordered[min(n - 1, math.floor(n * share))], low=ordered[max(0, low)], high=ordered[min(n - 1, high)], n=n
    )


def tasks_needed(delta_sd: float, effect: float, power: float = 0.8, alpha: float = 0.05) -> int:
    """Paired tasks that show a true difference of `effect` with this power, one-sided at `alpha`.
    Without a difference the same disagreement spreads a little wider: sd^2 + effect^2."""
    assert effect > 0
    normal = NormalDist()
    without, within = normal.inv_cdf(1 - alpha), normal.inv_cdf(power)
    return math.ceil(((without * math.hypot(delta_sd, effect) + within * delta_sd) / effect) ** 2)


def _bounds(values: Sequence[float], clusters: Sequence[Hashable], tail: float, limits: _Limits) -> tuple[float, float]:
    """Lower and upper bound of the mean, each wrong with probability `tail`."""
    mean, num_families = _mean(values), len(set(clusters))
    if num_families == 1:
        return limits.low, limits.high
    se = _standard_error(values, clusters)
    if se == 0:
        differing = 1 - tail ** (1 / num_families)  # Clopper-Pearson for none of G
        return mean - differing * (mean - limits.low), mean + differing * (limits.high - mean)
    from scipy.special import stdtrit

    margin = float(stdtrit(num_families - 1, 1 - tail)) * se
    if not limits.known:
        return mean - margin, mean + margin
    return max(limits.low, mean - margin), min(limits.high, mean + margin)


def _standard_error(values: Sequence[float], clusters: Sequence[Hashable]) -> float:
    """Of the mean, clustered; exactly 0 where the families do not differ beyond rounding."""
    mean, n = _mean(values), len(values)
    residuals = _sums([value - mean for value in values], clusters)
    if len(residuals) == 1 or max(map(abs, residuals)) <= 1e-12 * n * max(map(abs, values)):
        return 0.0
    return math.sqrt(len(residuals) / (len(residuals) - 1) * math.fsum(one * one for one in residuals)) / n


def _sums(values: Sequence[float], clusters: Sequence[Hashable]) -> list[float]:
    """Of each cluster, in order of appearance."""
    members: dict[Hashable, list[float]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        members.setdefault(cluster, []).append(value)
    return [math.fsum(one) for one in members.values()]


def _mean(values: Sequence[float]) -> float:
    assert values, "a mean needs at least one value"
    return math.fsum(values) / len(values)


def _count(num_families: int) -> str:
    return f"{num_families} {'family' if num_families == 1 else 'families'}"
