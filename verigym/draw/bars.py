"""Bars with intervals: `bars({"success": (0.4, 0.3, 0.5)}, title="toolcall")`."""

from collections.abc import Callable, Mapping

from verigym.draw.svg import (
    Drawing,
    empty,
    finite,
    fitted,
    group,
    line,
    number,
    rect,
    series_class,
    some,
    svg,
    text,
    ticks,
    width_of,
)

Bar = tuple[float, float, float]
"""Value, and the low and high end of its interval."""
_ROW, _TOP, _BOTTOM, _RIGHT = 28, 36, 28, 70


def bars(
    rows: Mapping[str, Bar],
    *,
    title: str = "",
    most: float | None = None,
    label: Callable[[float], str] = number,
    width: float = 520,
) -> Drawing:
    """One bar for each row, its interval as a line over it, and its value beside it. `most` is the end of the axis."""
    rows = {name: bar for name, bar in rows.items() if finite(*bar)}
    if not rows:
        return empty(title, width=width)
    marks = ticks(min(0.0, *(low for _, low, _ in rows.values())), most or max(high for _, _, high in rows.values()), 4)
    left = min(20 + max(width_of(name) for name in rows), width * 0.45)
    height = _TOP + _ROW * len(rows) + _BOTTOM
    bottom = height - _BOTTOM

    def to_x(value: float) -> float:
        return left + (value - marks[0]) / (marks[-1] - marks[0]) * (width - _RIGHT - left)

    body = [text(0, 20, fitted(title, width), kind="title")]
    for mark in marks:
        body += [line(to_x(mark), _TOP - 4, to_x(mark), bottom, "grid")]
        body += [text(to_x(mark), bottom + 16, label(mark), anchor="middle")]
    said = []
    for index, (name, (value, low, high)) in enumerate(rows.items()):
        middle, start, end = _TOP + _ROW * (index + 0.5), to_x(min(value, 0.0)), to_x(max(value, 0.0))
        exact = low == high == value
        said.append(f"{name} {label(value)}" + ("" if exact else f" ({label(low)} to {label(high)})"))
        drawn = [rect(start, middle - 8, max(end - start, 1), 16, f"{series_class(index)} fill", round=3)]
        if not exact:
            drawn += [
                line(to_x(low), middle, to_x(high), middle, "interval"),
                line(to_x(low), middle - 4, to_x(low), middle + 4, "interval"),
                line(to_x(high), middle - 4, to_x(high), middle + 4, "interval"),
            ]
        body += [
            group(said[-1], drawn),
            text(left - 8, middle + 4, fitted(name, left - 12), anchor="end"),
            text(width - _RIGHT + 8, middle + 4, label(value)),
        ]
    body += [line(to_x(0.0), _TOP - 4, to_x(0.0), bottom)]
    return svg(width, height, f"{title}: {some(said)}" if title else some(said), body, top=0 if title else 20)
