"""How much more harm than the champion, bounded: the arithmetic of every guardrail.

A harm is 0 or 1 by task (a share, where the task was repeated): an unsafe action, an invalid output, a failure. The t bound
of few changed tasks is too narrow, so a bound that takes tasks as independent stands beside it, and the worse of the two
counts: exact (Clopper-Pearson) where no task got better, else Tango's score bound of a paired difference.
"""

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist

from msgspec import Struct

from verigym.core.records import TaskResult
from verigym.evaluation.compare import Pair
from verigym.evaluation.stats import clopper_pearson, paired_delta

Harm = Callable[[TaskResult], float]


class Damage(Struct, frozen=True, kw_only=True):
    n: int
    """Tasks."""
    champion: int
    """Tasks in which it happened, at least once."""
    candidate: int
    value: float
    """Increase of its rate."""
    low: float
    """One-sided bounds at 1 - alpha."""
    high: float
    sd: float
    """Spread of one task's difference that the upper bound implies."""

    @property
    def shown(self) -> bool:
        """Whether there is an increase beyond chance."""
        return self.low > 0


def damage(pairs: Sequence[Pair], harm: Harm, alpha: float = 0.05) -> Damage:
    before, after = [harm(old) for old, _ in pairs], [harm(new) for _, new in pairs]
    changes = [new - old for old, new in zip(before, after, strict=True)]
    n, value = len(pairs), math.fsum(changes) / len(pairs)
    low, high = -1.0, -1.0
    varied = len(set(changes)) > 1
    if varied:  # where all tasks changed alike, the t interval has nothing to measure
        t = paired_delta(before, after, [old.family for old, _ in pairs], level=1 - alpha, rate=True)
        low, high = t.low, t.high
    if all(one in (-1, 0, 1) for one in changes):
        exact_low, exact_high = score_bounds(changes.count(1), changes.count(-1), n, alpha)
        low, high = exact_low if changes.count(-1) == 0 else low, max(high, exact_high)
    elif not varied:
        low, high = value - (1 - alpha ** (1 / n)) * (1 + value), value + (1 - alpha ** (1 / n)) * (1 - value)
    return Damage(
        n=n,
        champion=sum(one > 0 for one in before),
        candidate=sum(one > 0 for one in after),
        value=value,
        low=low,
        high=high,
        sd=(high - value) / NormalDist().inv_cdf(1 - alpha) * math.sqrt(n),
    )


def score_bounds(worse: int, better: int, n: int, alpha: float = 0.05) -> tuple[float, float]:
    """One-sided bounds of (worse - better) / n, tasks taken as independent."""
    if better == 0:
        return clopper_pearson(worse, n, level=1 - 2 * alpha)
    z = NormalDist().inv_cdf(1 - alpha)
    return -_tango(better, worse, n, z), _tango(worse, better, n, z)


def _tango(worse: int, better: int, n: int, z: float) -> float:
    """Upper bound of the difference: the largest that the score test does not reject."""
    low, high = (worse - better) / n, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if _score(worse, better, n, middle) > -z else (low, middle)
    return high


def _score(worse: int, better: int, n: int, difference: float) -> float:
    """Tango's statistic (1998) of a paired difference of rates, under the difference supposed."""
    b = (2 * n - worse + better) * difference - worse - better
    c = -better * difference * (1 - difference)
    back = (math.sqrt(max(0.0, b * b - 8 * n * c)) - b) / (4 * n)
    variance = n * (2 * back + difference * (1 - difference))
    return (worse - better - n * difference) / math.sqrt(variance) if variance > 0 else 0.0
