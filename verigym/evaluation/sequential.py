"""Looking at data more than once without losing count of the risk: plain functions from numbers to numbers.

A test that may stop at several looks spends its risk (alpha) bit by bit. At each look, `next_level` gives the p-value that
must be reached, so that over all looks together a false alarm happens with probability alpha at most (Lan and DeMets 1983,
by the recursion of Armitage, McPherson and Rowe 1969). `acceptance_number` is the same for counts of rare events, exact.
"""

import functools
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from statistics import NormalDist

from verigym.core.records import Look

ALIKE = 0.5
"""How much tasks of one family resemble each other, to plan how much a further task of a known family tells."""
_NODES = 160
"""Points of the numerical integration. 160 give boundaries that are right to four digits."""
_FAR = 8.0
"""Standard deviations beyond which nothing happens."""
_GROWTH, _NEAREST, _FARTHEST = 1.6, 1.3, 2.1
"""Times the tasks of the look before: usually, and at least and at most to end with a whole round."""
_NEAR_THE_END = 1.15
"""If all tasks are less than this many times those of a look, that look is left out."""


def look_sizes(first: int, sizes: Sequence[int]) -> list[int]:
    """When to look, in numbers of tasks that are taken in turn from families of these sizes: from `first` to all. A look is after
    a whole round over the families if one ends nearby."""
    total = sum(sizes)
    rounds = [sum(min(size, turn) for size in sizes) for turn in range(1, max(sizes) + 1)]
    looks, n = [], min(first, total)
    while n * _NEAR_THE_END < total:
        looks.append(n)
        whole = [end for end in rounds if _NEAREST * n <= end <= _FARTHEST * n]
        n = whole[0] if whole else math.ceil(_GROWTH * n)
    return [*looks, total]


def first_that_passes(margin: float, total: int, alpha: float) -> int:
    """The number of tasks at which a look without any event bounds its rate by `margin`, of `total` at most."""
    enough = (n for n in range(1, total) if (1 - margin) ** n <= spent_early(alpha, n / total))
    return next(enough, total)


def spent_early(alpha: float, information: float) -> float:
    """Risk spent on guardrails: more of it early, because most candidates do no harm at all."""
    return alpha * information**0.75


def information_share(clusters: Sequence[Hashable], sizes: Sequence[int]) -> float:
    """How much of what all tasks (families of these `sizes`) can tell is told by tasks of these `clusters`. It grows with every
    task, and less with a further task of a known family."""
    return min(1.0, _information(Counter(clusters).values()) / _information(sizes))


def _information(sizes: Iterable[int]) -> float:
    """Of families of these sizes, up to a constant."""
    return math.fsum(1 / (ALIKE + (1 - ALIKE) / size) for size in sizes)


def next_level(earlier: Sequence[Look], information: float, spent: float) -> float:
    """The p-value that a look must reach: the chance of reaching it at this look and at no earlier one is what was spent since
    the earlier look. `spent` is the risk spent up to and with this look."""
    fractions = tuple(round(look.information, 9) for look in earlier)
    levels = tuple(look.boundary for look in earlier)
    before = earlier[-1].spent if earlier else 0.0
    return _next_level(fractions, levels, round(information, 9), max(0.0, spent - before))


@functools.lru_cache(maxsize=4096)
def _next_level(fractions: tuple[float, ...], levels: tuple[float, ...], information: float, spend: float) -> float:
    if spend <= 1e-12:
        return 0.0
    if not fractions:
        return spend
    import numpy as np
    from scipy.special import ndtr

    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    normal = NormalDist()
    points = mass = np.zeros(0)
    last = 0.0
    for fraction, level in zip(fractions, levels, strict=True):
        top = (normal.inv_cdf(1 - level) if level > 0 else _FAR) * math.sqrt(fraction)
        low = -_FAR * math.sqrt(fraction)
        grid = (top - low) / 2 * nodes + (top + low) / 2
        step = fraction - last
        if last == 0:
            density = np.exp(-(grid**2) / (2 * step)) / math.sqrt(2 * math.pi * step)
        else:
            gaps = grid[:, None] - points[None, :]
            density = (np.exp(-(gaps**2) / (2 * step)) / math.sqrt(2 * math.pi * step)) @ mass
        points, mass, last = grid, density * weights * (top - low) / 2, fraction
    step = math.sqrt(max(information - last, 1e-9))
    low, high = -_FAR, _FAR + 2
    for _ in range(50):
        middle = (low + high) / 2
        crossing = float((mass * ndtr((points - middle * math.sqrt(information)) / step)).sum())
        low, high = (middle, high) if crossing > spend else (low, middle)
    return 1 - normal.cdf(high)


def acceptance_number(earlier: Sequence[Look], tasks: int, spent: float, rate: float) -> int:
    """The largest number of events among `tasks` independent ones with which a look passes, exact: with a true `rate` of events,
    the chance of passing at this look or an earlier one is at most `spent`. -1 if not even none would do."""
    plan = (*((look.tasks, look.spent) for look in earlier), (tasks, spent))
    return _acceptance_numbers(plan, rate)[-1]


@functools.lru_cache(maxsize=1024)
def _acceptance_numbers(plan: tuple[tuple[int, float], ...], rate: float) -> list[int]:
    import numpy as np

    chances, done, passed = np.ones(1), 0, 0.0
    accepted: list[int] = []
    for tasks, spent in plan:
        more = max(0, tasks - done)
        successes = np.arange(more + 1)
        logs = np.array([math.lgamma(more + 1) - math.lgamma(k + 1) - math.lgamma(more - k + 1) for k in successes])
        chances = np.convolve(
            chances, np.exp(logs + successes * math.log(rate) + (more - successes) * math.log1p(-rate))
        )
        below = np.cumsum(chances)
        number = int((passed + below <= spent + 1e-12).sum()) - 1
        if number >= 0:
            passed += float(below[number])
            chances[: number + 1] = 0.0
        accepted.append(number)
        done += more
    return accepted


def mixture_evidence(sums: Sequence[float], spread: float) -> float:
    """An e-value for a total above 0 from independent family sums, whatever number of them is looked at and whenever: at least
    1 / alpha with probability alpha at most if there is no gain (symmetric families; de la Pena 1999). `spread` is about the sum
    of squares that is expected."""
    total, squares = math.fsum(sums), math.fsum(one * one for one in sums)
    root = math.sqrt(squares + spread)
    exponent = min(700.0, total * total / (2 * (squares + spread)))
    return 2 / math.sqrt(1 + squares / spread) * math.exp(exponent) * NormalDist().cdf(total / root)


def share_of_risk(alpha: float, turn: int) -> float:
    """The risk for the `turn`-th candidate (1, 2, ...) that is tested on the same families. All of them together risk alpha."""
    return alpha * 6 / (math.pi * turn) ** 2
