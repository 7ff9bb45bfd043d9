"""A line chart: `lines({"reward": {1: 0.2, 2: 0.4}}, title="Training", x="step")`.

Marks on a curve show alarms at their step. A second axis on the right shows estimates with their intervals, such as held-out
success beside the reward. The chart of the gate's looks is in `looks.py`.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

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
    series_class,
    some,
    svg,
    text,
    ticks,
    width_of,
)

Curve = Mapping[float, float]
Bands = Mapping[float, tuple[float, float, float]]
"""x to value, low and high."""
_TOP, _BOTTOM, _RIGHT = 34, 44, 16
_DOTS = 40
"""A series of at most this many points shows each of them."""


class Mark(NamedTuple):
    """Something that happened at x, such as an alarm: a triangle with its words, and a line down to the axis."""

    x: float
    words: str
    series: str = ""
    """The curve that the mark belongs to. Empty: the top of the chart."""


class _Scale(NamedTuple):
    """From values to pixels."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low) if self.low < self.high else 0.5
        return self.start + share * (self.end - self.start)


def lines(
    series: Mapping[str, Curve],
    *,
    title: str = "",
    x: str = "",
    y: str = "",
    width: float = 520,
    height: float = 260,
    marks: Sequence[Mark] = (),
    bands: Mapping[str, Bands] | None = None,
    bands_y: str = "",
) -> Drawing:
    """One line for each series, from x to y, with axes and a legend. Values that are not finite leave a gap. `marks` are drawn
    on their curves. `bands` are values with an interval on an axis of their own on the right, which is named `bands_y`."""
    curves = {name: {at: one for at, one in curve.items() if finite(at)} for name, curve in series.items()}
    estimates = {
        name: {at: one for at, one in band.items() if finite(at, *one)} for name, band in (bands or {}).items()
    }
    values = [one for curve in curves.values() for one in curve.values() if finite(one)]
    ranges = [end for band in estimates.values() for one in band.values() for end in one]
    across = [at for curve in curves.values() for at, one in curve.items() if finite(one)]
    across += [at for band in estimates.values() for at in band]
    if not across:
        return empty(title, width=width, height=height)
    up = ticks(min(values), max(values)) if values else []
    up_right = ticks(min(ranges), max(ranges)) if ranges else []
    left = 24 + max((width_of(number(mark)) for mark in up), default=0) + (14 if y else 0)
    right = width - (
        24 + max(width_of(number(mark)) for mark in up_right) + (14 if bands_y else 0) if ranges else _RIGHT
    )
    names = [*curves, *estimates]
    legend, legend_rows = _legend(names, left, width) if len(names) > 1 else ([], 0)
    top, bottom = _TOP + 18 * legend_rows + (10 if marks else 0), height - _BOTTOM
    to_x = _Scale(min(across), max(across), left, right)
    to_y = _Scale(up[0], up[-1], bottom, top) if up else _Scale(0, 1, bottom, top)
    to_right = _Scale(up_right[0], up_right[-1], bottom, top) if up_right else to_y

    body = [text(0, 20, fitted(title, width), kind="title")]
    body += _axes(to_x, to_y, to_right, up, up_right, x, y, bands_y, width, height)
    for index, (name, band) in enumerate(estimates.items(), start=len(curves)):
        body.append(_band(name, band, to_x, to_right, series_class(index)))
    for index, (name, curve) in enumerate(curves.items()):
        points = [(to_x(at), to_y(one) if finite(one) else math.nan) for at, one in curve.items()]
        body.append(_curve(name, points, series_class(index)))
    shown = [mark for mark in marks if finite(mark.x) and to_x.low <= mark.x <= to_x.high]
    body += [_mark(mark, curves, to_x, to_y) for mark in shown]
    return svg(width, height, _words(title, curves, estimates, shown, x), [*body, *legend], top=0 if title else 18)


def _words(
    title: str, curves: Mapping[str, Curve], estimates: Mapping[str, Bands], marks: Sequence[Mark], x: str
) -> str:
    """What the chart shows: first and last value of each curve, and the marks."""
    said = []
    for name, curve in {
        **curves,
        **{name: {at: one[0] for at, one in band.items()} for name, band in estimates.items()},
    }.items():
        known = [one for one in curve.values() if finite(one)]
        said += [f"{name} from {number(known[0])} to {number(known[-1])}"] if known else []
    happened = [f"{mark.words} at {x or 'x'} {number(mark.x)}" for mark in marks]
    return ". ".join(part for part in (title, some(said), some(happened, 5)) if part)


def _axes(
    to_x: _Scale,
    to_y: _Scale,
    to_right: _Scale,
    up: list[float],
    up_right: list[float],
    x: str,
    y: str,
    right_name: str,
    width: float,
    height: float,
) -> list[str]:
    left, right, bottom, top = to_x.start, to_x.end, to_y.start, to_y.end
    body = []
    for mark in up or up_right:
        at = to_y(mark) if up else to_right(mark)
        body.append(line(left, at, right, at, "grid"))
    body += [text(left - 6, to_y(mark) + 4, number(mark), anchor="end") for mark in up]
    body += [text(right + 6, to_right(mark) + 4, number(mark)) for mark in up_right]
    first, last = to_x.low, to_x.high
    steps = [mark for mark in ticks(first, last, 6) if first <= mark <= last] or [first]
    if first == int(first) and last == int(last):  # steps and rounds are whole
        steps = [mark for mark in steps if mark == int(mark)] or [first, last]
    reach = max(width_of(number(mark)) for mark in steps) + 8
    every = max(1, math.ceil(reach * len(steps) / max(1.0, right - left)))
    for mark in steps[::every]:
        body += [
            line(to_x(mark), bottom, to_x(mark), bottom + 4),
            text(to_x(mark), bottom + 17, number(mark), anchor="middle"),
        ]
    body += [line(left, bottom, right, bottom)]
    body += [text((left + right) / 2, height - 8, x, anchor="middle")] if x else []
    middle = (top + bottom) / 2
    for at, name in ((12.0, y if up else ""), (width - 12, right_name if up_right else "")):
        if name:
            body.append(
                f'<g transform="rotate(-90 {at:.1f} {middle:.1f})">{text(at, middle + 4, name, anchor="middle")}</g>'
            )
    return body


def _legend(names: Sequence[str], left: float, width: float) -> tuple[list[str], int]:
    """The legend and its number of rows."""
    body, at, row = [], left, 0
    for index, name in enumerate(names):
        words = fitted(name, width - left - 30)
        if at > left and at + 13 + width_of(words) > width:
            at, row = left, row + 1
        y = 36 + 18 * row
        body += [circle(at + 4, y, 4, f"{series_class(index)} fill"), text(at + 13, y + 4, words)]
        at += 30 + width_of(words)
    return body, row + 1


def _curve(name: str, points: list[tuple[float, float]], colour: str) -> str:
    steps, pen = [], "M"
    for x, y in points:
        if not math.isfinite(y):
            pen = "M"
            continue
        steps.append(f"{pen}{x:.1f} {y:.1f}")
        pen = "L"
    parts = [path(" ".join(steps), "stroke", width=2)] if steps else []
    if len(points) <= _DOTS:
        parts += [circle(x, y, 2.5, "fill") for x, y in points if math.isfinite(y)]
    return group(name, parts, kind=colour)


def _band(name: str, band: Bands, to_x: _Scale, to_y: _Scale, colour: str) -> str:
    """A dashed line of the values, over the area between their low and high ends. Each of a few is also a line."""
    points = [(to_x(at), *(to_y(one) for one in band[at])) for at in sorted(band)]
    parts = []
    if len(points) > 1:
        there = " ".join(f"{x:.1f} {high:.1f}" for x, _, _, high in points)
        back = " ".join(f"{x:.1f} {low:.1f}" for x, _, low, _ in reversed(points))
        parts += [path(f"M{there} {back}Z", "soft")]
        parts += [path("M" + " ".join(f"{x:.1f} {y:.1f}" for x, y, _, _ in points), "stroke dashed", width=2)]
    if len(points) <= _DOTS:
        for x, y, low, high in points:
            parts += [line(x, low, x, high, "stroke"), circle(x, y, 2.5, "fill")]
    return group(name, parts, kind=colour)


def _mark(mark: Mark, curves: Mapping[str, Curve], to_x: _Scale, to_y: _Scale) -> str:
    x, y = to_x(mark.x), to_y.end - 8
    value = curves.get(mark.series, {}).get(mark.x)
    parts = [line(x, y + 4, x, to_y.start, "axis dashed")]
    if value is not None and finite(value):
        parts.append(circle(x, to_y(value), 4.5, "hollow outline"))
    parts.append(path(f"M{x:.1f} {y - 5:.1f}l5 9h-10z", "unsafe fill outline"))
    return group(f"{mark.words} (at {number(mark.x)})", parts)
