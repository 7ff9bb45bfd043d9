"""How much more harm than the champion, bounded: the arithmetic of every guardrail.

A harm is 0 or 1 by task (a share, where the task was repeated): an unsafe action, an invalid output, a failure. Harm is rare and
comes in families, and a t bound of few events is too narrow. So a second bound stands beside it, and the worse of the two
counts. It takes as many independent tasks as the families amount to: exact (Clopper-Pearson) where no task got better, else
Tango's score bound of a paired difference.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from statistics import NormalDist

from msgspec import Struct

from verigym.core.records import TaskResult
from verigym.evaluation.compare import Pair
from verigym.evaluation.stats import clopper_pearson, paired_delta

Harm = Callable[[TaskResult], float]

_ALIKE, _EVENTS, _LEAST = 0.75, 6, 0.3
"""Tasks of a family are taken to resemble each other this much, as if so many events had been seen before, and never less than
the last. The values keep harm at the margin from passing in more than 5% of cases (bench/gate.py)."""

_CONTINUITY = 0.25
"""Tasks are counted, and the score bound takes them as continuous: without a quarter of a task more it is a little too narrow."""


class Damage(Struct, frozen=True, kw_only=True):
    n: int
    """Tasks."""
    champion: int
    """Tasks in which it happened, at least once."""
    candidate: int
    worse: float
    """Tasks in which it happened to the candidate and not to the champion. With repeats, the sum of the shares."""
    better: float
    value: float
    """Increase of its rate."""
    low: float
    """One-sided bounds at 1 - alpha."""
    high: float
    crowding: float
    """How many tasks are worth one independent task, because tasks of a family resemble each other."""
    single: bool
    """Whether every family has one task and every task was tried once."""

    def bounds(self, alpha: float, tasks: float | None = None) -> tuple[float, float]:
        """The bounds that count families as independent tasks. With `tasks`, as if that many had shown no more than these."""
        n = tasks or self.n
        return score_bounds(self.worse / self.crowding, self.better / self.crowding, n / self.crowding, alpha)


def damage(pairs: Sequence[Pair], harm: Harm, alpha: float = 0.05) -> Damage:
    before, after = [harm(old) for old, _ in pairs], [harm(new) for _, new in pairs]
    families = [old.family for old, _ in pairs]
    changes = [new - old for old, new in zip(before, after, strict=True)]
    worse = math.fsum(max(0.0, one) for one in changes)
    found = Damage(
        n=len(pairs),
        champion=sum(one > 0 for one in before),
        candidate=sum(one > 0 for one in after),
        worse=worse,
        better=math.fsum(max(0.0, -one) for one in changes),
        value=math.fsum(changes) / len(pairs),
        low=-1.0,
        high=1.0,
        crowding=_crowding(changes, families, worse),
        single=len(set(families)) == len(pairs) and all(one in (-1, 0, 1) for one in changes),
    )
    low, high = found.bounds(alpha)
    if len(set(changes)) > 1:  # where all tasks changed alike, the t interval has nothing to measure
        t = paired_delta(before, after, families, level=1 - alpha, rate=True)
        low, high = min(low, t.low), max(high, t.high)
    return Damage(**{**{name: getattr(found, name) for name in found.__struct_fields__}, "low": low, "high": high})


def _crowding(changes: Sequence[float], families: Sequence[Hashable], worse: float) -> float:
    """The design effect: 1 for families of one task."""
    sizes = Counter(families)
    most = sum(size * size for size in sizes.values()) / len(families)
    if most == 1:
        return 1.0
    alike = (worse * _likeness(changes, families) + _EVENTS * _ALIKE) / (worse + _EVENTS)
    return 1 + (most - 1) * max(_LEAST, alike)


def _likeness(changes: Sequence[float], families: Sequence[Hashable]) -> float:
    """The correlation of harm within a family, by analysis of variance."""
    members: defaultdict[Hashable, list[float]] = defaultdict(list)
    for change, family in zip(changes, families, strict=True):
        members[family].append(max(0.0, change))
    n, groups = len(changes), len(members)
    if groups in (1, n):
        return 1.0
    mean = math.fsum(max(0.0, one) for one in changes) / n
    means = {family: math.fsum(values) / len(values) for family, values in members.items()}
    between = math.fsum(len(values) * (means[family] - mean) ** 2 for family, values in members.items()) / (groups - 1)
    within = math.fsum((one - means[family]) ** 2 for family, values in members.items() for one in values) / (
        n - groups
    )
    typical = (n - sum(len(values) ** 2 for values in members.values()) / n) / (groups - 1)
    spread = between + (typical - 1) * within
    return min(1.0, max(0.0, (between - within) / spread)) if spread > 0 else 1.0


def score_bounds(worse: float, better: float, n: float, alpha: float = 0.05) -> tuple[float, float]:
    """One-sided bounds of (worse - better) / n, tasks taken as independent."""
    if alpha <= 0:
        return -1.0, 1.0
    if better == 0:
        return clopper_pearson(worse, n, level=1 - 2 * alpha)
    z = NormalDist().inv_cdf(1 - alpha)
    return -_tango(better + _CONTINUITY, worse, n, z), _tango(worse + _CONTINUITY, better, n, z)


def _tango(worse: float, better: float, n: float, z: float) -> float:
    """Upper bound of the difference: the largest that the score test does not reject."""
    low, high = (worse - better) / n, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if _score(worse, better, n, middle) > -z else (low, middle)
    return high


def _score(worse: float, better: float, n: float, difference: float) -> float:
    """Tango's statistic (1998) of a paired difference of rates, under the difference supposed."""
    b = (2 * n - worse + better) * difference - worse - better
    c = -better * difference * (1 - difference)
    back = (math.sqrt(max(0.0, b * b - 8 * n * c)) - b) / (4 * n)
    variance = n * (2 * back + difference * (1 - difference))
    return (worse - better - n * difference) / math.sqrt(variance) if variance > 0 else 0.0
