"""Columns of counted parts that add up, over an axis of whole numbers: rewards as a histogram, conversations over time, groups of
each training step. The order of the parts and their titles tell what the colours tell.
"""

from collections.abc import Sequence
from typing import NamedTuple

from verigym.draw.svg import Drawing, circle, fitted, group, line, number, rect, svg, text, ticks, width_of

_TOP, _RIGHT = 52, 12


class Column(NamedTuple):
    label: str
    """What stands under it. Labels without room are left out."""
    parts: Sequence[float]
    """From the bottom to the top."""
    words: str
    """What a pointer shows."""
    href: str = ""


class Change(NamedTuple):
    """Something that happened between two columns, such as another version that answers: a vertical line with its words."""

    place: float
    """0 is the start of the first column, 1.5 the middle of the second."""
    words: str


def columns(
    rows: Sequence[Column],
    legend: Sequence[tuple[str, str]],
    words: str,
    *,
    title: str = "",
    x: str = "",
    last: str | None = None,
    changes: Sequence[Change] = (),
    width: float = 520,
    height: float = 220,
) -> Drawing:
    """One column for each row. `legend` names the parts from the bottom to the top, with their classes. With `last`, labels stand
    at the edges of the columns, and `last` is the one at the end."""
    most = max(1.0, *(sum(row.parts) for row in rows))
    up = [mark for mark in ticks(0, most, 4) if mark == int(mark)]
    left, bottom = 14 + max(width_of(number(mark)) for mark in up), height - (36 if x else 24)
    wide = (width - _RIGHT - left) / len(rows)
    scale = (bottom - _TOP) / up[-1]
    body = [text(0, 16, fitted(title, width), kind="title")]
    at = left
    for name, kind in legend:
        body += [rect(at + 0.5, 28.5, 11, 11, kind), text(at + 18, 38, name)]
        at += 40 + width_of(name)
    for mark in up:
        body += [line(left, bottom - scale * mark, width - _RIGHT, bottom - scale * mark, "grid")]
        body += [text(left - 6, bottom - scale * mark + 4, number(mark), anchor="end")]
    for index, row in enumerate(rows):
        start, gap, drawn, y = left + wide * index, min(2.0, wide / 6), list[str](), bottom
        for count, (_, kind) in zip(row.parts, legend, strict=True):
            y -= scale * count
            drawn += [rect(start + gap, y, wide - 2 * gap, scale * count, kind)] if count else []
        if drawn:
            drawn.append(  # a low column is as easy to point at as a high one
                f'<rect x="{start:.1f}" y="{_TOP}" width="{wide:.1f}" height="{bottom - _TOP:.1f}" fill-opacity="0"/>'
            )
            body.append(group(row.words, drawn, href=row.href))
    body += [line(left, bottom, width - _RIGHT, bottom), *_labels(rows, last, left, wide, bottom + 16)]
    body += [text((left + width - _RIGHT) / 2, height - 4, x, anchor="middle")] if x else []
    for change in changes:
        at = left + wide * change.place
        parts = [line(at, _TOP - 8, at, bottom, "axis dashed"), circle(at, _TOP - 10, 3.5, "c3 fill")]
        body.append(group(change.words, parts))
    return svg(width, height, words, body, linked=any(row.href for row in rows), top=0 if title else 20)


def _labels(rows: Sequence[Column], last: str | None, left: float, wide: float, y: float) -> list[str]:
    """The labels, every one of them or every second or third, so that none touches the next."""
    named = [row.label for row in rows] + ([last] if last is not None else [])
    every = max(1, -(-int(max(width_of(name) for name in named) + 10) // max(1, int(wide))))
    shift = 0.5 if last is None else 0.0
    return [
        text(left + wide * (index + shift), y, name, anchor="end" if index == len(rows) else "middle")
        for index, name in enumerate(named)
        if index % every == 0
    ]
