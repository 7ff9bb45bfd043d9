"""A line chart: `lines({"reward": {1: 0.2, 2: 0.4}}, title="Training", x="step")`."""

import math
from collections.abc import Mapping

from verigym.draw.svg import COLOURS, escape, line, number, svg, text, ticks, width_of

_TOP, _BOTTOM, _RIGHT = 34, 44, 16
_DOTS = 40
"""A series of at most this many points shows each of them."""


def lines(
    series: Mapping[str, Mapping[float, float]],
    *,
    title: str = "",
    x: str = "",
    y: str = "",
    width: float = 520,
    height: float = 260,
) -> str:
    """One line for each series, from x to y, with axes and a legend. Values that are not finite leave a gap."""
    points = [
        (at, value)
        for curve in series.values()
        for at, value in curve.items()
        if math.isfinite(at) and math.isfinite(value)
    ]
    if not points:
        empty = text(width / 2, height / 2, "no data", anchor="middle")
        return svg(width, height, title or "no data", [text(16, 20, title, kind="title"), empty])
    across = [at for at, _ in points]
    up = ticks(min(value for _, value in points), max(value for _, value in points))
    left = 24 + max(width_of(number(mark)) for mark in up) + (14 if y else 0)
    first, last = min(across), max(across)
    steps = [mark for mark in ticks(first, last, 6) if first <= mark <= last] if first < last else [first]
    legend = list(series) if len(series) > 1 else []
    top, bottom = _TOP + (18 if legend else 0), height - _BOTTOM

    def to_x(at: float) -> float:
        share = (at - first) / (last - first) if first < last else 0.5
        return left + share * (width - _RIGHT - left)

    def to_y(value: float) -> float:
        return bottom - (value - up[0]) / (up[-1] - up[0]) * (bottom - top)

    body = [text(16, 20, title, kind="title")]
    for mark in up:
        body += [line(left, to_y(mark), width - _RIGHT, to_y(mark), "grid")]
        body += [text(left - 6, to_y(mark) + 4, number(mark), anchor="end")]
    for mark in steps:
        body += [
            line(to_x(mark), bottom, to_x(mark), bottom + 4),
            text(to_x(mark), bottom + 17, number(mark), anchor="middle"),
        ]
    body += [line(left, bottom, width - _RIGHT, bottom)]
    body += [text((left + width - _RIGHT) / 2, height - 8, x, anchor="middle")] if x else []
    if y:
        middle = (top + bottom) / 2
        body.append(f'<g transform="rotate(-90 12 {middle:.1f})">{text(12, middle + 4, y, anchor="middle")}</g>')
    at = left
    for index, (name, curve) in enumerate(series.items()):
        colour = COLOURS[index % len(COLOURS)]
        body.append(
            _curve(name, [(to_x(x), to_y(y) if math.isfinite(y) else math.nan) for x, y in curve.items()], colour)
        )
        if legend:
            body += [f'<circle cx="{at + 4:.1f}" cy="36" r="4" fill="{colour}"/>', text(at + 13, 40, name)]
            at += 30 + width_of(name)
    return svg(width, height, title or ", ".join(series), body)


def _curve(name: str, points: list[tuple[float, float]], colour: str) -> str:
    path, pen = [], "M"
    for x, y in points:
        if not math.isfinite(y):
            pen = "M"
            continue
        path.append(f"{pen}{x:.1f} {y:.1f}")
        pen = "L"
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in points if math.isfinite(y)
    )
    return (
        f'<g><title>{escape(name)}</title><path d="{" ".join(path)}" fill="none" stroke="{colour}" stroke-width="2" '
        f'stroke-linejoin="round"/>{dots if len(points) <= _DOTS else ""}</g>'
    )
