"""Curves of metrics: how far the latest steps differ from the first or the best ones, compared with noise. And what they cost.

Noise is estimated from differences between neighbouring steps, so a trend does not count as noise. A change is `sure` if it is
several times its standard error. The factor is high because alarms are evaluated after every step.
"""

import itertools
import math
import statistics
from collections.abc import Mapping, Sequence

from msgspec import Struct

History = Mapping[int, Mapping[str, float]]
"""Metrics by step. A metric can be missing from some steps."""
SURE = 4.0
"""Standard errors that a change must reach."""
RATE_NOISE = 0.03
"""Minimum noise of a rate that is measured only at some steps: that of about 200 tasks. Few points cannot show it."""


class CurveChange(Struct, frozen=True):
    """The change between two windows of a curve."""

    before: float
    last: float
    error: float
    """Standard error of the difference due to noise."""

    @property
    def by(self) -> float:
        return self.last - self.before

    def up(self, least: float = 0.0, sure: float = SURE) -> bool:
        return self.by >= max(least, sure * self.error) and self.by > 0

    def down(self, least: float = 0.0, sure: float = SURE) -> bool:
        return -self.by >= max(least, sure * self.error) and self.by < 0


def series(history: History, name: str) -> dict[int, float]:
    """The values of a metric by step. Missing and non-finite values are left out."""
    return {
        step: value
        for step in sorted(history)
        if (value := history[step].get(name)) is not None and math.isfinite(value)
    }


def values(history: History, name: str) -> list[float]:
    return list(series(history, name).values())


def since_first(curve: Sequence[float]) -> CurveChange | None:
    """The change from the first window to the latest. None if there are too few steps."""
    if len(curve) < 12:
        return None
    width = min(10, len(curve) // 3)
    return CurveChange(statistics.fmean(curve[:width]), recent(curve, width), _noise(curve) * math.sqrt(2 / width))


def since_highest(curve: Sequence[float], sparse: bool = False) -> CurveChange | None:
    """The change from the highest earlier window to the latest. A `sparse` curve is a rate measured only at some steps."""
    width, least_noise = (min(4, max(2, len(curve) // 5)), RATE_NOISE) if sparse else (8, 0.0)
    if len(curve) < 2 * width:
        return None
    before = [statistics.fmean(curve[at : at + width]) for at in range(len(curve) - 2 * width + 1)]
    return CurveChange(max(before), recent(curve, width), max(_noise(curve), least_noise) * math.sqrt(2 / width))


def since_lowest(curve: Sequence[float], sparse: bool = False) -> CurveChange | None:
    change = since_highest([-value for value in curve], sparse)
    return change and CurveChange(-change.before, -change.last, change.error)


def recent(curve: Sequence[float], width: int = 5) -> float:
    return statistics.fmean(curve[-width:])


def _noise(curve: Sequence[float]) -> float:
    """Standard deviation around the trend."""
    steps = [(after - before) ** 2 for before, after in itertools.pairwise(curve)]
    return math.sqrt(statistics.fmean(steps) / 2)


def cost_summary(history: History) -> str:
    """The cost of a run and of a point of held-out success, from the metrics `cost` (dollars) and `held_out_success`."""
    dollars, measured = series(history, "cost"), series(history, "held_out_success")
    total = f"${sum(dollars.values()):.2f} so far. Held-out success"
    if len(measured) < 2:
        return f"{total} was measured {'once' if measured else 'never'}, so the cost per point is unknown"
    first, last = min(measured), max(measured)
    gained = 100 * (measured[last] - measured[first])
    went = f"{total} went from {measured[first]:.1%} at step {first} to {measured[last]:.1%} at step {last}"
    if gained <= 0:
        return f"{went}. It did not rise, so there is no cost per point"
    return f"{went}: ${sum(spent for step, spent in dollars.items() if first < step <= last) / gained:.3g} per point"
