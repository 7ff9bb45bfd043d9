"""Draws the points of a chart as a small SVG picture: bars, a line or dots, without axes or labels."""

from typing import Any
from xml.sax.saxutils import escape

WIDTH, HEIGHT, EDGE = 320, 160, 10


def svg(kind: str, title: str, points: list[list[Any]]) -> str:
    ys = [float(y) for _, y in points]
    low, high = min(0.0, *ys), max(0.0, *ys)
    xs = [float(x) for x, _ in points] if kind == "scatter" else [float(place) for place in range(len(points))]
    across = [EDGE + (WIDTH - 2 * EDGE) * _share(x, min(xs), max(xs)) for x in xs]
    down = [HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * _share(y, low, high) for y in ys]
    zero = HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * _share(0.0, low, high)
    if kind == "bar":
        shapes = "".join(
            f'<rect x="{x - 4:.0f}" y="{min(y, zero):.0f}" width="8" height="{abs(zero - y):.0f}"/>'
            for x, y in zip(across, down, strict=True)
        )
    elif kind == "line":
        path = " ".join(f"{x:.0f},{y:.0f}" for x, y in zip(across, down, strict=True))
        shapes = f'<polyline fill="none" stroke="black" points="{path}"/>'
    else:
        shapes = "".join(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="2"/>' for x, y in zip(across, down, strict=True))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">'
    return f"{head}<title>{escape(title)}</title>{shapes}</svg>"


def _share(value: float, low: float, high: float) -> float:
    return (value - low) / (high - low) if high > low else 0.5
