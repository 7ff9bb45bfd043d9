"""Requests over time with the share that failed, and what changed when: each change is a vertical line with its words.

Bars are equal steps of time, such as hours. The caller names them, because it knows the time zone.
"""

from collections.abc import Sequence
from typing import NamedTuple

from verigym.core.words import percent
from verigym.draw.svg import Drawing, circle, empty, fitted, group, line, number, rect, svg, text, ticks, width_of

_TOP, _BOTTOM, _RIGHT = 58, 30, 12


class Step(NamedTuple):
    """One bar."""

    name: str
    """`09:00`, or `17 Nov 09:00` for the first of a day."""
    requests: int
    failed: int = 0
    href: str = ""


class Change(NamedTuple):
    """A change between two bars, such as another version that answers."""

    step: float
    """Position: 0 is the start of the first bar, 1.5 the middle of the second."""
    words: str


def timeline(
    steps: Sequence[Step], changes: Sequence[Change] = (), *, title: str = "", width: float = 720, height: float = 220
) -> Drawing:
    """One bar for each step: requests as its outline, failed ones as its filled part."""
    if not steps or not any(step.requests for step in steps):
        return empty(title, "no requests", width=width)
    up = [mark for mark in ticks(0, max(step.requests for step in steps), 4) if mark == int(mark)] or [0, 1]
    left, bottom = 14 + max(width_of(number(mark)) for mark in up), height - _BOTTOM
    wide = (width - _RIGHT - left) / len(steps)

    def to_y(count: float) -> float:
        return bottom - min(count, up[-1]) / up[-1] * (bottom - _TOP)

    requests, failed = sum(step.requests for step in steps), sum(min(step.failed, step.requests) for step in steps)
    body = [
        text(0, 16, fitted(title, width), kind="title"),
        rect(left, 26, 11, 11, "c0 hollow"),
        text(left + 18, 36, f"requests {requests:,}"),
        rect(left + 160, 26, 12, 12, "failed fill"),
        text(left + 178, 36, f"failed {failed:,} ({percent(failed / requests)})"),
    ]
    for mark in up:
        body += [line(left, to_y(mark), width - _RIGHT, to_y(mark), "grid")]
        body += [text(left - 6, to_y(mark) + 4, number(mark), anchor="end")]
    for index, step in enumerate(steps):
        if not step.requests:
            continue
        at, gap, bad = left + wide * index, min(2.0, wide / 5), min(step.failed, step.requests)
        drawn = [rect(at + gap, to_y(step.requests), wide - 2 * gap, to_y(0) - to_y(step.requests), "c0 hollow")]
        drawn += [rect(at + gap, to_y(bad), wide - 2 * gap, to_y(0) - to_y(bad), "failed fill")] if bad else []
        said = f"{step.name}: {step.requests:,} requests, {bad:,} failed ({percent(bad / step.requests)})"
        body.append(group(said, drawn, href=step.href))
    body.append(line(left, bottom, width - _RIGHT, bottom))
    every = max(1, -(-int(max(width_of(step.name) for step in steps) + 14) // max(1, int(wide))))
    for index in range(0, len(steps), every):
        x = left + wide * (index + 0.5)
        room = width_of(steps[index].name) / 2
        anchor = "start" if x < room else "end" if x > width - room else "middle"
        body.append(text(x, bottom + 16, steps[index].name, anchor=anchor))
    shown = [change for change in changes if 0 <= change.step <= len(steps)]
    for change in shown:
        x = left + wide * change.step
        parts = [line(x, _TOP - 8, x, bottom, "axis dashed"), circle(x, _TOP - 10, 3.5, "c3 fill")]
        body.append(group(change.words, parts))
    words = f"{title or 'Requests over time'}: {requests:,} requests, {failed:,} failed ({percent(failed / requests)})"
    words += f". Changes: {', '.join(change.words for change in shown[:6])}" if shown else ""
    return svg(width, height, words, body, linked=any(step.href for step in steps), top=0 if title else 18)
