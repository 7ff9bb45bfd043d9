"""The looks of the gate: how small p had to be at each look, and the p that was reached.

`looks(check.looks, p=check.figures["p"])`. The x axis is the share of the planned information, the y axis is p on a log scale.
The gate stores the p of the last look only, so that is the only measured point.
"""

import math
from collections.abc import Sequence

from verigym.core.look import Look
from verigym.draw.svg import Drawing, circle, empty, finite, fitted, group, line, number, path, svg, text

_LEFT, _TOP, _BOTTOM, _RIGHT = 64, 34, 44, 24
_LEAST = 1e-6
"""Smaller p are drawn at the lower end."""


def looks(
    looks: Sequence[Look], *, p: float | None = None, title: str = "", width: float = 480, height: float = 240
) -> Drawing:
    """The boundary of each look as steps, and the p of the last look as a point: below the line it passed."""
    shown = [one for one in looks if finite(one.information, one.boundary) and one.boundary > 0]
    if not shown:
        return empty(title, "no look was taken", width=width)
    reached = p if p is not None and finite(p) else None
    values = [min(1.0, max(_LEAST, one.boundary)) for one in shown]
    measured = None if reached is None else min(1.0, max(_LEAST, reached))
    low = math.floor(math.log10(min([*values, measured or 1.0])) - 0.2)
    high = math.ceil(math.log10(max([*values, measured or 0.0, 10.0 ** (low + 1)])) - 1e-9)
    bottom, right = height - _BOTTOM, width - _RIGHT

    def to_x(information: float) -> float:
        return _LEFT + min(1.0, max(0.0, information)) * (right - _LEFT)

    def to_y(value: float) -> float:
        return bottom - (math.log10(value) - low) / (high - low) * (bottom - _TOP)

    body = [text(0, 20, fitted(title, width), kind="title")]
    for power in range(low, high + 1):
        body += [line(_LEFT, to_y(10.0**power), right, to_y(10.0**power), "grid")]
        body += [text(_LEFT - 6, to_y(10.0**power) + 4, number(10.0**power), anchor="end")]
    for share in (0, 0.25, 0.5, 0.75, 1):
        body += [line(to_x(share), bottom, to_x(share), bottom + 4)]
        body += [text(to_x(share), bottom + 17, f"{100 * share:.0f}%", anchor="middle")]
    body += [line(_LEFT, bottom, right, bottom)]
    body += [text((_LEFT + right) / 2, height - 8, "share of the planned information", anchor="middle")]
    middle = (_TOP + bottom) / 2
    body.append(f'<g transform="rotate(-90 12 {middle:.1f})">{text(12, middle + 4, "p", anchor="middle")}</g>')
    points = [(to_x(one.information), to_y(value)) for one, value in zip(shown, values, strict=True)]
    if len(points) > 1:
        body.append(path("M" + " ".join(f"{x:.1f} {y:.1f}" for x, y in points), "c0 stroke", width=2))
    said = []
    for index, (one, (x, y)) in enumerate(zip(shown, points, strict=True), start=1):
        said.append(f"look {index} after {one.tasks:,} tasks needed p at most {one.boundary:.2g}")
        body.append(group(said[-1], [circle(x, y, 4, "c0 hollow")]))
    if measured is not None and reached is not None:
        outcome = "passed" if reached <= shown[-1].boundary else "failed"
        said.append(f"the last look reached p {reached:.2g}")
        x, y = points[-1][0], to_y(measured)
        body.append(group(said[-1], [circle(x, y, 5, f"{outcome} fill")]))
        anchor, shift = ("end", -10) if x > width / 2 else ("start", 10)
        body.append(text(x + shift, y + 4, f"p {reached:.2g}", anchor=anchor, kind=outcome))
    return svg(width, height, f"{title or 'Looks of the gate'}: {', '.join(said)}", body, top=0 if title else 16)
