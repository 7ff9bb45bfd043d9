"""Rewards as a histogram: passed episodes as full bars, failed ones on top of them as outlined bars.

`histogram(bins([(1.0, 30, 0), (0.0, 0, 12)]))`. The caller gives each bar its link, if it has one.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from verigym.draw.columns import Column, columns
from verigym.draw.svg import Drawing, empty, finite, number, ticks


class Bin(NamedTuple):
    """Episodes with a reward from `low` to `high`. The last bar includes its upper end."""

    low: float
    high: float
    passed: int
    failed: int
    href: str = ""


def bins(counts: Iterable[tuple[float, int, int]], most: int = 20) -> list[Bin]:
    """Bars from (reward, passed, failed). A few distinct rewards each get a bar of their own."""
    known = [(reward, passed, failed) for reward, passed, failed in counts if finite(reward)]
    if not known:
        return []
    low, high = min(one for one, _, _ in known), max(one for one, _, _ in known)
    if low == high:
        return [Bin(low, high, sum(one for _, one, _ in known), sum(one for _, _, one in known))]
    marks = ticks(low, high, most)
    step = marks[1] - marks[0]
    last = len(marks) - 2
    passed, failed = [0] * (last + 1), [0] * (last + 1)
    for reward, yes, no in known:
        index = min(last, max(0, math.floor((reward - marks[0]) / step + 1e-9)))
        passed[index] += yes
        failed[index] += no
    return [Bin(marks[index], marks[index + 1], passed[index], failed[index]) for index in range(last + 1)]


def histogram(
    rows: Sequence[Bin], *, title: str = "", x: str = "reward", width: float = 520, height: float = 220
) -> Drawing:
    """One bar for each bin, passed below, failed on top."""
    shown = [row for row in rows if finite(row.low, row.high)]
    if not any(row.passed + row.failed for row in shown):
        return empty(title, width=width)
    passed, failed = sum(row.passed for row in shown), sum(row.failed for row in shown)
    low, high = number(shown[0].low), number(shown[-1].high)
    words = f"{title or f'Episodes by {x}'}: {passed:,} passed and {failed:,} failed, {x} from {low} to {high}"
    legend = [(f"passed {passed:,}", "passed fill"), (f"failed {failed:,}", "failed hollow")]
    last = None if len(shown) == 1 and low == high else high
    bars = [Column(number(row.low), (row.passed, row.failed), _words(row, x), row.href) for row in shown]
    return columns(bars, legend, words, title=title, x=x, last=last, width=width, height=height)


def _words(row: Bin, x: str) -> str:
    between = number(row.low) if row.low == row.high else f"{number(row.low)} to {number(row.high)}"
    return f"{x} {between}: {row.passed:,} passed, {row.failed:,} failed"
