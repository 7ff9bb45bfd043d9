"""Curves of a run's metrics, compared by windows: how far the latest steps lie from the first or the best, measured in noise.

The noise is taken from the differences of neighbours, so that a trend does not count as noise. A difference is `sure` when it
is many times what windows of pure noise differ by: many, because a run is looked at after every step.
"""

import itertools
import math
import statistics
from collections.abc import Mapping, Sequence

from msgspec import Struct

History = Mapping[int, Mapping[str, float]]
"""Metrics by step; a metric need not be there in every step."""
SURE = 4.0
"""Times the standard error."""
RATE_NOISE = 0.03
"""Least noise of a rate that is measured now and then: that of some 200 tasks. Few points tell too little of it themselves."""


class CurveChange(Struct, frozen=True):
    """Between two windows of a curve."""

    before: float
    last: float
    error: float
    """Standard error of the difference, by noise alone."""

    @property
    def by(self) -> float:
        return self.last - self.before

    def up(self, least: float = 0.0, sure: float = SURE) -> bool:
        return self.by >= max(least, sure * self.error) and self.by > 0

    def down(self, least: float = 0.0, sure: float = SURE) -> bool:
        return -self.by >= max(least, sure * self.error) and self.by < 0


def series(history: History, name: str) -> dict[int, float]:
    """By step, the steps that have it alone; what is no number (a loss that overflowed) is left out."""
    return {
        step: value
        for step in sorted(history)
        if (value := history[step].get(name)) is not None and math.isfinite(value)
    }


def values(history: History, name: str) -> list[float]:
    return list(series(history, name).values())


def since_first(curve: Sequence[float]) -> CurveChange | None:
    """The latest window against the first; none while there are too few steps to tell."""
    if len(curve) < 12:
        return None
    width = min(10, len(curve) // 3)
    return CurveChange(statistics.fmean(curve[:width]), recent(curve, width), _noise(curve) * math.sqrt(2 / width))


def since_highest(curve: Sequence[float], width: int = 8, least_noise: float = 0.0) -> CurveChange | None:
    """The latest window against the highest of those before it."""
    if len(curve) < 2 * width:
        return None
    before = [statistics.fmean(curve[at : at + width]) for at in range(len(curve) - 2 * width + 1)]
    return CurveChange(max(before), recent(curve, width), max(_noise(curve), least_noise) * math.sqrt(2 / width))


def since_lowest(curve: Sequence[float], width: int = 8, least_noise: float = 0.0) -> CurveChange | None:
    found = since_highest([-value for value in curve], width, least_noise)
    return found and CurveChange(-found.before, -found.last, found.error)


def measured(curve: Sequence[float]) -> tuple[int, float]:
    """Width and least noise for a rate that is measured now and then: few points, in windows of two and up."""
    return min(4, max(2, len(curve) // 5)), RATE_NOISE


def recent(curve: Sequence[float], width: int = 5) -> float:
    return statistics.fmean(curve[-width:])


def _noise(curve: Sequence[float]) -> float:
    """Standard deviation around the trend."""
    steps = [(after - before) ** 2 for before, after in itertools.pairwise(curve)]
    return math.sqrt(statistics.fmean(steps) / 2)
