"""Values with their intervals, one row each, on one axis per unit (a forest plot).

`intervals([Interval("success", 0.05, 0.01, 0.09, margin=-0.02, outcome="pass", unit="points")])`. Points of success have a
line at zero, ratios a log axis with a line at 1, counts are n of N with their upper bound. The part beyond the margin is shaded.
`interval_row` draws one row without words for a table cell. `checks.py` makes rows of the checks of the gate.
"""

import math
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from verigym.draw.svg import (
    Drawing,
    circle,
    empty,
    finite,
    fitted,
    group,
    line,
    number,
    path,
    rect,
    sign,
    some,
    svg,
    text,
    ticks,
    width_of,
)

Unit = Literal["points", "share", "times", "tasks", ""]
_ROW, _TOP, _BOTTOM, _SIDE = 46, 26, 30, 14
_TITLES: dict[str, str] = {
    "points": "Difference in points",
    "share": "Share",
    "times": "Ratio (1 = unchanged)",
    "tasks": "Tasks",
    "": "Value",
}


class Interval(NamedTuple):
    """One row. A missing end of the interval is an infinite number."""

    name: str
    value: float
    low: float = -math.inf
    high: float = math.inf
    bound: float | None = None
    """The one-sided bound that a check compares with its margin."""
    margin: float | None = None
    """Where the margin is on the axis: -0.02 for 2 points lost, 1.25 for 1.25 times."""
    outcome: str = ""
    """pass, fail, unclear, skipped or empty."""
    unit: Unit = "points"
    of: int = 0
    """With unit `tasks`: how many tasks there are."""
    worse: Literal["below", "above"] = "below"
    """On which side of the margin it is too bad."""
    caption: str = ""
    """The row in words. Empty: `in_words` makes them."""


def in_words(row: Interval) -> str:
    """`+5.0 points (+1.0 to +9.0)`, `1.20 times (1.10 to 1.31)`, `2 of 180 tasks (at most 6.1)`"""
    if row.caption or not finite(row.value):
        return row.caption or "not measured"
    if row.unit == "tasks":
        most = f" (at most {row.high:.3g})" if finite(row.high) and row.high > row.value else ""
        return f"{row.value:.0f} of {row.of:,} tasks{most}" if row.of else f"{row.value:.0f} tasks{most}"
    label = _LABELS[row.unit]
    unit = {"points": " points", "times": " times"}.get(row.unit, "")
    low, high = finite(row.low), finite(row.high)
    if low and high:
        return f"{label(row.value)}{unit} ({label(row.low)} to {label(row.high)})"
    if low or high:
        return f"{label(row.value)}{unit} (at {f'least {label(row.low)}' if low else f'most {label(row.high)}'})"
    return f"{label(row.value)}{unit}"


def intervals(rows: Sequence[Interval], *, title: str = "", width: float = 560) -> Drawing:
    """Every row with its name and figures above its interval. Rows of one unit share an axis. Units keep the order in which they
    first appear."""
    if not rows:
        return empty(title, width=width)
    body = [text(0, 16, fitted(title, width), kind="title")] if title else []
    y = 28.0 if title else 4.0
    for unit in dict.fromkeys(row.unit for row in rows):
        among = [row for row in rows if row.unit == unit]
        axis = _axis(among, width)
        bottom = y + _TOP + _ROW * len(among)
        body.append(text(0, y + 14, _TITLES.get(unit, unit), kind="strong"))
        body += _grid(axis, bottom)
        for index, row in enumerate(among):
            body.append(_labelled(row, axis, y + _TOP + _ROW * index, width))
        y = bottom + _BOTTOM
    said = some((f"{row.name}: {in_words(row)}{_outcome(row)}" for row in rows), 20)
    return svg(width, y, f"{title}. {said}" if title else said, body)


def interval_row(row: Interval, *, among: Sequence[Interval] = (), width: float = 160, height: float = 18) -> Drawing:
    """One row without words, for a table cell. `among` are the rows of the same unit that share its axis."""
    axis = _axis([row, *(one for one in among if one.unit == row.unit)], width, side=6)
    body = [line(axis.to_x(axis.zero), 0, axis.to_x(axis.zero), height, "axis")] if axis.zero is not None else []
    body.append(_drawn(row, axis, 0, height))
    return svg(width, height, f"{row.name}: {in_words(row)}{_outcome(row)}", body)


def _outcome(row: Interval) -> str:
    words = {"pass": "passed", "fail": "failed", "unclear": "unclear", "skipped": "skipped"}.get(row.outcome, "")
    return f", {words}" if words else ""


_LABELS: dict[str, Callable[[float], str]] = {
    "points": lambda value: f"{100 * value:+.1f}" if abs(value) >= 5e-4 else "0",
    "share": lambda value: f"{100 * value:.1f}%",
    "times": lambda value: f"{value:.2f}" if value < 10 else f"{value:.3g}",
    "tasks": lambda value: f"{value:,.3g}",
    "": number,
}
_TICKS: dict[str, Callable[[float], str]] = {
    "points": lambda value: f"{round(100 * value, 6):+g}" if value else "0",
    "share": lambda value: f"{round(100 * value, 6):g}%",
    "times": lambda value: f"{value:g}",
}
"""Labels of the axis. They are round numbers, so they need no fixed number of digits."""
_REACH = {"points": (-1.0, 1.0), "share": (0.0, 1.0), "times": (0.01, 100.0)}
"""The ends of an axis. What lies beyond is an arrow."""


class _Axis(NamedTuple):
    unit: str
    low: float
    high: float
    marks: list[float]
    zero: float | None
    """Where nothing has changed."""
    start: float
    end: float

    def to_x(self, value: float) -> float:
        value = min(self.high, max(self.low, value))
        low, high = self.low, self.high
        if self.unit == "times":
            value, low, high = math.log(value), math.log(low), math.log(high)
        return self.start + (value - low) / (high - low) * (self.end - self.start)


def _axis(rows: Sequence[Interval], width: float, side: float = _SIDE) -> _Axis:
    unit = rows[0].unit
    least, most = _REACH.get(unit, (-math.inf, math.inf))
    values = [one for row in rows for one in (row.value, row.low, row.high, row.bound, row.margin) if finite(one)]
    values = [min(most, max(least, one)) for one in values if one is not None]
    zero = {"points": 0.0, "times": 1.0, "tasks": 0.0}.get(unit)
    values += [zero] if zero is not None else [0.0] if unit == "share" or not values else []
    if unit == "times":
        marks = _ratio_ticks(min(values), max(values))
    else:
        marks = [one for one in ticks(min(values), max(values), 5) if least - 1e-9 <= one <= most + 1e-9]
    low, high = min(marks[0], *values), max(marks[-1], *values)
    if not low < high:
        low, high = low - 0.5, high + 0.5
    return _Axis(unit, low, high, marks, zero, side, width - side)


def _ratio_ticks(low: float, high: float) -> list[float]:
    """Round ratios around the values, always with 1."""
    low, high = min(low, 0.9), max(high, 1.1)
    if high / low < 4:
        step = 0.1 if high - low < 0.5 else 0.25 if high - low < 1.3 else 0.5
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        return [round(step * index, 6) for index in range(max(1, first), last + 1)]
    choices = [factor * 10.0**power for power in range(-2, 3) for factor in (1, 2, 5)]
    below = [one for one in choices if one <= low * (1 + 1e-9)]
    above = [one for one in choices if one >= high * (1 - 1e-9)]
    first, last = below[-1] if below else choices[0], above[0] if above else choices[-1]
    marks = [one for one in choices if first <= one <= last]
    return [one for one in marks if math.log10(one).is_integer()] if len(marks) > 9 else marks


def _grid(axis: _Axis, bottom: float) -> list[str]:
    """The axis under the rows, in words."""
    body, last = [line(axis.start, bottom, axis.end, bottom)], -math.inf
    for mark in axis.marks:
        x, words = axis.to_x(mark), _TICKS.get(axis.unit, _LABELS[axis.unit])(mark)
        half = width_of(words) / 2 + 3
        body.append(line(x, bottom, x, bottom + 3))
        if x - half > last:
            anchor = "start" if x < half else "end" if x > axis.end + axis.start - half else "middle"
            body.append(text(x, bottom + 15, words, anchor=anchor))
            last = x + half + 4
    return body


def _lines(axis: _Axis, top: float, height: float) -> list[str]:
    """The lines of the axis behind one interval. They do not cross the words above it."""
    body = [line(axis.to_x(mark), top, axis.to_x(mark), top + height, "grid") for mark in axis.marks]
    if axis.zero is not None:
        body.append(line(axis.to_x(axis.zero), top - 2, axis.to_x(axis.zero), top + height + 2, "axis"))
    return body


def _labelled(row: Interval, axis: _Axis, top: float, width: float) -> str:
    figures = in_words(row)
    room = width - width_of(figures) - 34
    outcome = {"pass": "passed", "fail": "failed", "unclear": "unsafe", "skipped": "grey"}.get(row.outcome, "")
    body = [sign(6, top + 12, outcome)] if outcome else []
    body += [
        text(18 if outcome else 0, top + 16, fitted(row.name, room)),
        text(width, top + 16, figures, anchor="end", kind="strong"),
        *_lines(axis, top + 22, 20),
        _drawn(row, axis, top + 22, 20),
    ]
    return group(f"{row.name}: {figures}{_outcome(row)}", body)


def _drawn(row: Interval, axis: _Axis, top: float, height: float) -> str:
    """Interval, value, bound and margin, with the part beyond the margin shaded."""
    middle, parts = top + height / 2, []
    if row.margin is not None and finite(row.margin):
        x = axis.to_x(row.margin)
        start, end = (axis.start, x) if row.worse == "below" else (x, axis.end)
        parts += [
            rect(start, top, end - start, height, "failed soft"),
            line(x, top, x, top + height, "failed stroke dashed"),
        ]
    if not finite(row.value):
        return "".join(parts)
    colour = {"pass": "passed", "fail": "failed", "skipped": "grey"}.get(
        row.outcome, "c0" if not row.outcome else "grey"
    )
    low, high = (
        axis.to_x(max(-1e300, min(1e300, one))) if not math.isnan(one) else axis.to_x(row.value)
        for one in (row.low, row.high)
    )
    parts.append(line(low, middle, high, middle, "interval"))
    cut_low, cut_high = row.low < axis.low, row.high > axis.high
    for x, cut, way in ((low, cut_low, 1), (high, cut_high, -1)):
        steps = f"M{x + 5 * way:.1f} {middle - 4:.1f}L{x:.1f} {middle:.1f}L{x + 5 * way:.1f} {middle + 4:.1f}"
        parts.append(path(steps, "interval stroke") if cut else line(x, middle - 4, x, middle + 4, "interval"))
    if row.bound is not None and finite(row.bound):
        x = axis.to_x(row.bound)
        parts.append(line(x, middle - 7, x, middle + 7, f"{colour} stroke thick"))
    x = axis.to_x(row.value)
    if row.outcome in ("unclear", "skipped"):
        parts.append(circle(x, middle, 4, f"{colour} hollow outline"))
    elif row.outcome == "fail":
        parts.append(path(f"M{x:.1f} {middle - 5.5:.1f}l5.5 5.5l-5.5 5.5l-5.5 -5.5z", f"{colour} fill"))
    else:
        parts.append(circle(x, middle, 4.5, f"{colour} fill"))
    return "".join(parts)
