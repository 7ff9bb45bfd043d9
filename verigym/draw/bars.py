"""Bars with intervals: `bars({"success": (0.4, 0.3, 0.5)}, title="toolcall")`."""

from collections.abc import Callable, Mapping

from verigym.draw.svg import COLOURS, escape, line, number, svg, text, ticks, width_of

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
) -> str:
    """One bar for each row, its interval as a line over it, and its value beside it. `most` is the end of the axis."""
    if not rows:
        return svg(width, 60, title or "no data", [text(16, 20, title, kind="title"), text(16, 44, "no data")])
    marks = ticks(min(0.0, *(low for _, low, _ in rows.values())), most or max(high for _, _, high in rows.values()), 4)
    left = 20 + max(width_of(name) for name in rows)
    height = _TOP + _ROW * len(rows) + _BOTTOM
    bottom = height - _BOTTOM

    def to_x(value: float) -> float:
        return left + (value - marks[0]) / (marks[-1] - marks[0]) * (width - _RIGHT - left)

    body = [text(16, 20, title, kind="title")]
    for mark in marks:
        body += [line(to_x(mark), _TOP - 4, to_x(mark), bottom, "grid")]
        body += [text(to_x(mark), bottom + 16, label(mark), anchor="middle")]
    for index, (name, (value, low, high)) in enumerate(rows.items()):
        middle, start, end = _TOP + _ROW * (index + 0.5), to_x(min(value, 0.0)), to_x(max(value, 0.0))
        colour = COLOURS[index % len(COLOURS)]
        body += [
            f"<g><title>{escape(f'{name}: {label(value)} ({label(low)} to {label(high)})')}</title>",
            f'<rect x="{start:.1f}" y="{middle - 8:.1f}" width="{max(end - start, 1):.1f}" height="16" rx="3" fill="{colour}" '
            'fill-opacity=".75"/>',
            line(to_x(low), middle, to_x(high), middle, "interval"),
            line(to_x(low), middle - 4, to_x(low), middle + 4, "interval"),
            line(to_x(high), middle - 4, to_x(high), middle + 4, "interval"),
            "</g>",
            text(left - 8, middle + 4, name, anchor="end"),
            text(width - _RIGHT + 8, middle + 4, label(value)),
        ]
    body += [line(to_x(0.0), _TOP - 4, to_x(0.0), bottom)]
    return svg(width, height, title or ", ".join(rows), body)
