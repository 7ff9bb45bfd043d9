"""Rates before and after, one row each: a dot for each side and a line between them.

A change beyond chance has filled dots and a thick line. Any other has hollow dots.
"""

from collections.abc import Sequence
from typing import NamedTuple

from verigym.core.words import counted, percent, points
from verigym.draw.svg import Drawing, circle, empty, finite, fitted, group, line, path, some, svg, text, ticks, width_of

_ROW, _TOP, _BOTTOM = 24, 50, 26


class Dumbbell(NamedTuple):
    name: str
    before: float
    after: float
    beyond_chance: bool = False
    tasks: int = 0
    better: bool | None = None
    """Whether the change is good. None: more is better. Failures are better if they are fewer."""
    href: str = ""


def dumbbells(rows: Sequence[Dumbbell], *, title: str = "", width: float = 560) -> Drawing:
    """One row for each family or bucket, in the order given. The dot of the side after is larger."""
    shown = [row for row in rows if finite(row.before, row.after)]
    if not shown:
        return empty(title, width=width)
    names = min(max(width_of(row.name) for row in shown) + 28, width * 0.42)
    changes = 12 + max(width_of(points(row.after - row.before)) for row in shown)
    marks = ticks(
        min(0.0, *(min(row.before, row.after) for row in shown)), max(max(row.before, row.after) for row in shown), 4
    )
    left, right, bottom = names, width - changes - 8, _TOP + _ROW * len(shown)

    def to_x(value: float) -> float:
        return left + (value - marks[0]) / (marks[-1] - marks[0]) * (right - left)

    body = [text(0, 16, fitted(title, width), kind="title"), *_legend()]
    for mark in marks:
        body += [line(to_x(mark), _TOP - 4, to_x(mark), bottom, "grid")]
        body += [text(to_x(mark), bottom + 16, percent(mark, 0), anchor="middle")]
    said = []
    for index, row in enumerate(shown):
        y, change = _TOP + _ROW * (index + 0.5), row.after - row.before
        good = row.better if row.better is not None else change > 0
        colour = "grey" if change == 0 else "passed" if good else "failed"
        chance = "beyond chance" if row.beyond_chance else "may be chance"
        among = f", {counted(row.tasks, 'task')}" if row.tasks else ""
        said.append(f"{row.name} {percent(row.before, 0)} before, {percent(row.after, 0)} after ({chance}{among})")
        dot = "fill" if row.beyond_chance else "hollow"
        drawn = [
            line(to_x(row.before), y, to_x(row.after), y, f"{colour} stroke{' thick' if row.beyond_chance else ''}"),
            circle(to_x(row.before), y, 3, f"{colour} {dot}"),
            circle(to_x(row.after), y, 5.5, f"{colour} {dot}"),
            text(left - 10, y + 4, fitted(row.name, left - 26), anchor="end"),
            text(width, y + 4, points(change), anchor="end", kind="strong" if row.beyond_chance else ""),
        ]
        body.append(group(said[-1], drawn, href=row.href))
    words = f"{title}: {some(said)}" if title else some(said)
    return svg(width, bottom + _BOTTOM, words, body, linked=any(row.href for row in shown), top=0 if title else 18)


def _legend() -> list[str]:
    return [
        circle(4, 32, 3, "c6 fill"),
        path("M4 32H26", "c6 stroke", width=3.5),
        circle(26, 32, 5.5, "c6 fill"),
        text(38, 36, "before to after, beyond chance"),
        path("M262 32H280", "c6 stroke"),
        circle(260, 32, 3, "c6 hollow"),
        circle(282, 32, 5.5, "c6 hollow"),
        text(294, 36, "may be chance"),
    ]
