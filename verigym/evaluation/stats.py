"""The statistics of reports and of the gate: plain functions from numbers to numbers.

Tasks of one family resemble each other, so every interval is clustered by family: G families carry at most G independent
facts, however many tasks they hold. What to conclude from a number is decided elsewhere (`compare`, `gates`).
No bootstrap and no z interval: with few families both are too narrow (`bench/coverage.py` shows by how much).
"""

import bisect
import math
import random
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

from msgspec import Struct

from verigym.core.records import Estimate
from verigym.core.words import counted

MAX_EXACT_FAMILIES = 16
"""Up to this many families, all 2^G sign flips are enumerated, and p is the larger of sign flips and t: the t distribution
assumes a normality that few families do not give. With more families, the two agree."""
NUM_FLIPS = 10_000
_SIGNS = 1_000_000
"""Signs that are drawn at a time."""
_NEAR_AN_END = 0.1
_DOUBLE = math.log(2)
"""How far a ratio could be off either way, where the data give no bound."""
_LONGEST_REACH = 50.0
"""Of a logarithm: beyond it a bound is no number that anybody would read."""


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
    se: float = 0.0
    """Standard error, clustered. Never under what as many families without any difference would leave possible."""


class Ratio(Struct, frozen=True, kw_only=True):
    """What became of a figure above 0, candidate over champion."""

    champion: float
    candidate: float
    value: float
    low: float
    """One-sided lower bound, as in `Delta`."""
    high: float
    n: int
    """Tasks."""
    level: float = 0.95


def clustered_mean(
    values: Sequence[float],
    clusters: Sequence[Hashable],
    level: float = 0.95,
    rate: bool = False,
    least: float = -math.inf,
) -> Estimate:
    """Mean with its clustered t interval: the variance from leaving out one family at a time, degrees of freedom from how
    unequal the families are.

    A `rate` lies in [0, 1], and so does its interval: the rates that a t test of the mean seen would not reject (Wilson's
    score interval, its number of trials the one that the families' spread implies). Around the mean alone it would be too narrow
    for rates near 0 and 1. No interval has zero width. When the families do not differ at all
    the variance says nothing; the interval is then the exact Clopper-Pearson bound on the number of families: at most a
    share u of families differs, and those could lie anywhere. One family alone tells nothing about others: its interval
    is the whole range. A figure that is not a rate has no known range; where one is needed, twice the largest
    value seen stands for it. What cannot lie below `least` (0 of tokens and cost) has an interval that does not either: it
    covers as often as before, since nothing true was cut off.
    """
    top = 2 * max(map(abs, values))
    limits = _Limits(0, 1, known=True) if rate else _Limits(-top if min(values) < 0 else 0, top, known=False)
    mean, tail = _mean(values), (1 - level) / 2
    if rate and (se := _standard_error(values, clusters)) > 0:
        independent = len(set(clusters)) == len(values) and all(value in (0, 1) for value in values)
        df = len(values) - 1 if independent else _degrees(values, clusters)
        low, high = _score_bounds(mean, _t(df, tail) * se)
        if _agree_at_an_end(values, clusters):
            other = 1 - tail ** (1 / len(set(clusters)))  # Clopper-Pearson for none of G
            low, high = min(low, mean * (1 - other)), max(high, mean + other * (1 - mean))
    else:
        low, high = _bounds(values, clusters, tail, limits)
    return Estimate(value=mean, low=max(low, least), high=high, n=len(values))


def _agree_at_an_end(values: Sequence[float], clusters: Sequence[Hashable]) -> bool:
    """Whether all families are near 0, or all near 1. Their spread then says nothing about families that are not."""
    sizes = Counter(clusters)
    rates = [one / size for one, size in zip(_sums(values, clusters), sizes.values(), strict=True)]
    return max(rates) <= _NEAR_AN_END or min(rates) >= 1 - _NEAR_AN_END


def paired_delta(
    a: Sequence[float], b: Sequence[float], clusters: Sequence[Hashable], level: float = 0.95, rate: bool = False
) -> Delta:
    """b - a by task, with one-sided clustered t bounds. p is from the same t. With up to `MAX_EXACT_FAMILIES` families it is at
    least the mid-p of sign flips over families, and where families do not differ it is by sign flips alone."""
    deltas = [after - before for before, after in zip(a, b, strict=True)]
    top = 2 * max(map(abs, [*a, *b]))
    limits = _Limits(-1, 1, known=True) if rate else _Limits(-top, top, known=False)
    low, high = _bounds(deltas, clusters, tail=1 - level, limits=limits)
    sums = _sums(deltas, clusters)
    se = _standard_error(deltas, clusters)
    if se == 0:
        p, method = sign_flip_p(sums), f"sign-flip permutation over {counted(len(sums), 'family')}"
    else:
        from scipy.special import stdtr

        p = float(stdtr(_degrees(deltas, clusters), -_mean(deltas) / se))
        method = f"clustered t over {counted(len(sums), 'family')}"
        if len(sums) <= MAX_EXACT_FAMILIES:
            p, method = (
                max(p, sign_flip_p(sums, ties=0.5)),
                f"clustered t and sign flips over {counted(len(sums), 'family')}",
            )
    return Delta(
        value=_mean(deltas),
        low=low,
        high=high,
        p=p,
        method=method,
        n=len(deltas),
        families=len(sums),
        level=level,
        se=max(se, (1 - 0.05 ** (1 / len(sums))) / NormalDist().inv_cdf(0.95)),
    )


def two_sided_p(a: Sequence[float], b: Sequence[float], clusters: Sequence[Hashable]) -> float:
    """Of a paired difference either way: twice the smaller of the two one-sided p of `paired_delta`."""
    return min(1.0, 2 * min(paired_delta(a, b, clusters).p, paired_delta(b, a, clusters).p))


def sign_flip_p(sums: Sequence[float], ties: float = 1.0) -> float:
    """One-sided p of a total over families: the share of sign flips of the families' sums that reach the total seen. Flips that
    give exactly this total count `ties` each; 0.5 gives the mid-p."""
    sums = [one for one in sums if one]
    total, slack = math.fsum(sums), 1e-9 * math.fsum(map(abs, sums))
    if len(sums) <= MAX_EXACT_FAMILIES:
        import numpy as np

        flipped = np.zeros(1)
        for one in sums:
            flipped = np.concatenate([flipped + one, flipped - one])
        equal = int((abs(flipped - total) <= slack).sum())
        return (int((flipped > total + slack).sum()) + ties * equal) / len(flipped)
    if all(one > 0 for one in sums):
        return ties * 2.0 ** -len(sums)
    reached = sum(int((flipped >= total - slack).sum()) for flipped in _flipped_totals(sums))
    return (1 + reached) / (1 + NUM_FLIPS)


def _flipped_totals(sums: Sequence[float]) -> Iterator[Any]:
    """The totals of `NUM_FLIPS` sign flips, in arrays. The signs are those that `random.Random(0).choice((1, -1))` draws one by
    one: two bits of each number of the generator, and again if the first bit is set."""
    import numpy as np

    key, position = (state := random.Random(0).getstate()[1])[:-1], state[-1]
    generator = np.random.MT19937()
    generator.state = {"bit_generator": "MT19937", "state": {"key": np.array(key, np.uint32), "pos": position}}
    values, left, rest = np.asarray(sums, dtype=float), NUM_FLIPS, np.zeros(0)
    while left:
        rows = min(left, max(1, _SIGNS // len(sums)))
        while len(rest) < rows * len(sums):
            bits = generator.random_raw(2 * rows * len(sums)) >> 30
            rest = np.concatenate([rest, 1.0 - 2.0 * bits[bits < 2]])
        signs, rest = rest[: rows * len(sums)], rest[rows * len(sums) :]
        yield signs.reshape(rows, len(sums)) @ values
        left -= rows


def best_of_p(sums: Sequence[Sequence[float]], best: int) -> float:
    """p of the best of several candidates that were compared with one champion on the same families: how often, if none is
    better, the best of them looks this much better. Each row holds a candidate's sums by family. The signs of a family are
    flipped for all candidates at once, so what they have in common is kept (max-T, Westfall and Young 1993)."""
    import numpy as np

    table = np.asarray(sums, dtype=float)
    spread = np.sqrt((table**2).sum(axis=1))
    table = table[spread > 0] / spread[spread > 0, None]
    if not spread[best] > 0:
        return 1.0
    seen = math.fsum(sums[best]) / spread[best]
    signs = np.random.default_rng(0).choice((-1.0, 1.0), (NUM_FLIPS, table.shape[1]))
    return float((1 + ((signs @ table.T).max(axis=1) >= seen - 1e-9).sum()) / (1 + NUM_FLIPS))


def mcnemar_midp(gained: int, lost: int) -> float:
    """One-sided exact McNemar test with mid-p: of the tasks that changed, were more gained than a fair coin would give?
    It takes tasks as independent, so it stands beside the clustered test and never replaces it."""
    changed = gained + lost
    more = sum(math.comb(changed, k) for k in range(gained + 1, changed + 1))
    return (2 * more + math.comb(changed, gained)) / 2 ** (changed + 1)


def pass_at(k: int, repeats: int, passed: int) -> float:
    """Unbiased chance that at least one of k tries passes, from `passed` of `repeats` tries that did."""
    return 1 - math.comb(repeats - passed, k) / math.comb(repeats, k)


def pass_all(k: int, repeats: int, passed: int) -> float:
    """Unbiased chance that all of k tries pass (pass^k)."""
    return math.comb(passed, k) / math.comb(repeats, k)


def ratio_of_totals(
    above: Sequence[float], below: Sequence[float], clusters: Sequence[Hashable], level: float = 0.95
) -> Estimate | None:
    """Sum over sum, such as cost per success: clustered t on the logarithm, by the delta method. None where nothing is below.
    Families that do not differ, and one alone, get the interval that `clustered_mean` gives them."""
    if not math.fsum(below) > 0:
        return None
    value = math.fsum(above) / math.fsum(below)
    share = 1 / _mean(below)
    residuals = [share * (a - value * b) for a, b in zip(above, below, strict=True)]
    se = _standard_error([value + one for one in residuals], clusters)
    if se == 0 or value == 0:
        known = clustered_mean([value] * len(above), clusters, level)
        return Estimate(value=value, low=known.low, high=known.high, n=len(above))
    reach = math.exp(min(_t(_degrees(residuals, clusters), (1 - level) / 2) * se / value, _LONGEST_REACH))
    return Estimate(value=value, low=value / reach, high=value * reach, n=len(above))


def paired_ratio(
    before: Sequence[float], after: Sequence[float], clusters: Sequence[Hashable], level: float = 0.95
) -> Ratio:
    """The typical ratio after / before, task by task: the geometric mean, by clustered t on logarithms."""
    logs = [math.log(b / a) for a, b in zip(before, after, strict=True)]
    mean = _mean(logs)
    low, high = _bounds(logs, clusters, 1 - level, _Limits(mean - _DOUBLE, mean + _DOUBLE, known=False))
    return Ratio(
        champion=math.exp(_mean([math.log(one) for one in before])),
        candidate=math.exp(_mean([math.log(one) for one in after])),
        value=math.exp(mean),
        low=math.exp(low),
        high=math.exp(high),
        n=len(logs),
        level=level,
    )


def paired_totals(
    before: tuple[Sequence[float], Sequence[float]],
    after: tuple[Sequence[float], Sequence[float]],
    clusters: Sequence[Hashable],
    level: float = 0.95,
) -> Ratio | None:
    """What became of a sum over a sum, each given as (above, below), such as cost per success: by clustered t on the logarithm,
    from how much each task moves it. None where a sum is 0."""
    if not all(math.fsum(one) > 0 for side in (before, after) for one in side):
        return None
    champion, candidate = (math.fsum(above) / math.fsum(below) for above, below in (before, after))

    def moves(above: Sequence[float], below: Sequence[float]) -> list[float]:
        mean_above, mean_below = _mean(above), _mean(below)
        return [a / mean_above - b / mean_below for a, b in zip(above, below, strict=True)]

    changes = [new - old for old, new in zip(moves(*before), moves(*after), strict=True)]
    low, high = _bounds(changes, clusters, 1 - level, _Limits(-_DOUBLE, _DOUBLE, known=False))
    value = candidate / champion
    return Ratio(
        champion=champion,
        candidate=candidate,
        value=value,
        low=value * math.exp(low),
        high=value * math.exp(high),
        n=len(changes),
        level=level,
    )


def percentile_ratio(
    before: Sequence[float], after: Sequence[float], clusters: Sequence[Hashable], share: float, level: float = 0.95
) -> Ratio:
    """The ratio of two percentiles of paired values. Its bounds are the factors by which `before` can be multiplied without a
    clustered t test telling, on either side, that another share of it lies above the percentile of `after`. A few tasks do not
    bound a high percentile from below: `low` is then 0."""
    champion, candidate = percentile(before, share).value, percentile(after, share).value
    factors = sorted({candidate / one for one in before})

    def excess(factor: float) -> tuple[float, float]:
        """Bounds on how much more of `before`, multiplied, lies above than of `after`."""
        gaps = [
            float(a * factor > candidate * (1 + 1e-12)) - (b > candidate) for a, b in zip(before, after, strict=True)
        ]
        return _bounds(gaps, clusters, 1 - level, _Limits(-1, 1, known=True))

    first_more = bisect.bisect_left(factors, True, key=lambda factor: excess(factor)[0] > 0)
    last_less = bisect.bisect_left(factors, True, key=lambda factor: excess(factor)[1] >= 0) - 1
    value = candidate / champion
    return Ratio(
        champion=champion,
        candidate=candidate,
        value=value,
        low=min(value, factors[last_less]) if last_less >= 0 else 0.0,
        high=max(value, factors[min(first_more, len(factors) - 1)]),
        n=len(before),
        level=level,
    )


def adjusted(ps: Sequence[float]) -> list[float]:
    """Benjamini-Hochberg: each p raised so that, of all that are called changed at or under q, a share of at most q is not."""
    found, least = [0.0] * len(ps), 1.0
    for rank, place in sorted(enumerate(sorted(range(len(ps)), key=ps.__getitem__), start=1), reverse=True):
        least = min(least, ps[place] * len(ps) / rank)
        found[place] = least
    return found


def expected_best(num: int) -> float:
    """How many standard errors the best of so many equally good versions lies above the truth, on average (Blom)."""
    return NormalDist().inv_cdf((num - 0.375) / (num + 0.25))


def clopper_pearson(k: float, n: float, level: float = 0.95) -> tuple[float, float]:
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
    margin = _t(_degrees(values, clusters), tail) * se
    if not limits.known:
        return mean - margin, mean + margin
    return max(limits.low, mean - margin), min(limits.high, mean + margin)


def _score_bounds(mean: float, margin: float) -> tuple[float, float]:
    """Wilson's interval of a rate strictly between 0 and 1, where `margin` is what would be added around the mean."""
    spread = margin * margin / (mean * (1 - mean))
    centre = (mean + spread / 2) / (1 + spread)
    reach = math.sqrt(margin * margin + spread * spread / 4) / (1 + spread)
    return max(0.0, centre - reach), min(1.0, centre + reach)


def _standard_error(values: Sequence[float], clusters: Sequence[Hashable]) -> float:
    """Of the mean, by the jackknife over families: how far each, left out, moves it. Exactly 0 where they do not differ
    beyond rounding, and for one alone."""
    mean, n, sizes = _mean(values), len(values), Counter(clusters)
    residuals = _sums([value - mean for value in values], clusters)
    if len(sizes) == 1 or max(map(abs, residuals)) <= 1e-12 * n * max(map(abs, values)):
        return 0.0
    moves = (one / (n - size) for one, size in zip(residuals, sizes.values(), strict=True))
    return math.sqrt((len(sizes) - 1) / len(sizes) * math.fsum(move * move for move in moves))


def _degrees(values: Sequence[float], clusters: Sequence[Hashable]) -> float:
    """Degrees of freedom of a clustered t (Satterthwaite, as Bell and McCaffrey use it). G - 1 for equal families whose
    residuals are alike. Fewer where a family holds many tasks, or where few families hold most of the spread."""
    mean, sizes = _mean(values), Counter(clusters)
    squares = [one * one for one in _sums([value - mean for value in values], clusters)]
    equal_families = len(values) ** 2 / sum(size * size for size in sizes.values())
    by_spread = math.fsum(squares) ** 2 / math.fsum(one * one for one in squares)
    return max(1.0, min(equal_families - 1, 2 * by_spread * math.sqrt(equal_families / len(sizes))))


def _t(df: float, tail: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(df, 1 - tail))


def _sums(values: Sequence[float], clusters: Sequence[Hashable]) -> list[float]:
    """Of each cluster, in order of appearance."""
    members: dict[Hashable, list[float]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        members.setdefault(cluster, []).append(value)
    return [math.fsum(one) for one in members.values()]


def _mean(values: Sequence[float]) -> float:
    assert values, "a mean needs at least one value"
    return math.fsum(values) / len(values)
