"""Rewards as a histogram: passed episodes as full bars, failed ones on top of them as outlined bars.

`histogram(bins([(1.0, 30, 0), (0.0, 0, 12)]))`. The caller gives each bar its link, if it has one.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from verigym.draw.svg import Drawing, empty, finite, fitted, group, line, number, rect, svg, text, ticks, width_of

_TOP, _BOTTOM, _RIGHT = 52, 36, 8


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
    if not shown or not any(row.passed + row.failed for row in shown):
        return empty(title, width=width)
    up = ticks(0, max(row.passed + row.failed for row in shown), 4)
    up = [mark for mark in up if mark == int(mark)] or [0, 1]
    left, bottom = 14 + max(width_of(number(mark)) for mark in up), height - _BOTTOM
    wide = (width - _RIGHT - left) / len(shown)

    def to_y(count: float) -> float:
        return bottom - count / up[-1] * (bottom - _TOP)

    passed, failed = sum(row.passed for row in shown), sum(row.failed for row in shown)
    body = [
        text(0, 16, fitted(title, width), kind="title"),
        rect(left, 28, 12, 12, "passed fill"),
        text(left + 18, 38, f"passed {passed:,}"),
        rect(left + 131, 28, 11, 11, "failed hollow"),
        text(left + 150, 38, f"failed {failed:,}"),
    ]
    for mark in up:
        body += [line(left, to_y(mark), width - _RIGHT, to_y(mark), "grid")]
        body += [text(left - 6, to_y(mark) + 4, number(mark), anchor="end")]
    for index, row in enumerate(shown):
        at, gap = left + wide * index, min(2.0, wide / 5)
        tall = to_y(0) - to_y(row.passed)
        drawn = [rect(at + gap, to_y(row.passed), wide - 2 * gap, tall, "passed fill")] if row.passed else []
        if row.failed:
            tall = to_y(row.passed) - to_y(row.passed + row.failed)
            drawn.append(rect(at + gap + 0.5, to_y(row.passed + row.failed), wide - 2 * gap - 1, tall, "failed hollow"))
        if drawn:
            between = number(row.low) if row.low == row.high else f"{number(row.low)} to {number(row.high)}"
            drawn.append(
                f'<rect x="{at:.1f}" y="{_TOP}" width="{wide:.1f}" height="{bottom - _TOP:.1f}" fill-opacity="0"/>'
            )
            body.append(group(f"{x} {between}: {row.passed:,} passed, {row.failed:,} failed", drawn, href=row.href))
    body += [line(left, bottom, width - _RIGHT, bottom), *_ends(shown, left, wide, bottom)]
    body.append(text((left + width - _RIGHT) / 2, height - 4, x, anchor="middle"))
    ends = f"{x} from {number(shown[0].low)} to {number(shown[-1].high)}"
    words = f"{title or f'Episodes by {x}'}: {passed:,} passed and {failed:,} failed, {ends}"
    return svg(width, height, words, body, linked=any(row.href for row in shown), top=0 if title else 20)


def _ends(shown: Sequence[Bin], left: float, wide: float, bottom: float) -> list[str]:
    """The axis in words: where bars begin, as far as there is room."""
    if len(shown) == 1 and shown[0].low == shown[0].high:
        return [text(left + wide / 2, bottom + 15, number(shown[0].low), anchor="middle")]
    edges = [*(row.low for row in shown), shown[-1].high]
    every = max(1, math.ceil(max(width_of(number(edge)) + 10 for edge in edges) / wide))
    return [
        text(left + wide * index, bottom + 15, number(edge), anchor="middle" if index < len(shown) else "end")
        for index, edge in enumerate(edges)
        if index % every == 0
    ]
