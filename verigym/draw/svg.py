"""The frame that every picture shares: its size, colours that can be read on light and dark pages, axes and numbers.

A picture is a string of SVG that holds everything it needs. It can be put into a page or written to a file as it is.
"""

import hashlib
import html
import math
from collections.abc import Sequence

from verigym.core.printable import visible

COLOURS = ("#3b82f6", "#f97316", "#10b981", "#a855f7", "#ef4444", "#14b8a6", "#eab308", "#ec4899")
"""Of the series, in order. Each has enough contrast on white and on black."""


def svg(width: float, height: float, title: str, body: Sequence[str]) -> str:
    """A picture. Text and lines take the colour of the page's text, and grey where no page sets one."""
    name = "vg" + hashlib.sha256("".join([title, *body]).encode()).hexdigest()[:8]  # the same picture, the same text
    style = (
        f"#{name}{{color:#57606a;font:12px system-ui,-apple-system,'Segoe UI',sans-serif}}"
        f"@media(prefers-color-scheme:dark){{#{name}{{color:#adbac7}}}}"
        f"#{name} text{{fill:currentColor}}#{name} .title{{font-weight:600;font-size:13px}}"
        f"#{name} .grid{{stroke:currentColor;stroke-opacity:.18}}#{name} .axis{{stroke:currentColor;stroke-opacity:.6}}"
        f"#{name} .interval{{stroke:currentColor;stroke-width:1.5}}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" id="{name}" role="img" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}"><title>{escape(title)}</title><style>{style}</style>{"".join(body)}</svg>'
    )


def escape(text: object) -> str:
    """Foreign text in a page: control characters are made visible, and markup is escaped."""
    return html.escape(visible(str(text)), quote=True)


def text(x: float, y: float, words: object, *, anchor: str = "start", kind: str = "", colour: str = "") -> str:
    more = (f' class="{kind}"' if kind else "") + (f' style="fill:{colour}"' if colour else "")
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str = "axis") -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Round numbers from at or below `low` to at or above `high`."""
    if high - low <= 1e-9 * max(1.0, abs(low), abs(high)):
        room = abs(low) / 2 if abs(low) > 1e-6 else 0.5
        low, high = low - room, high + room
    rough = (high - low) / max(1, count)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * (1 - 1e-9))
    first = math.floor(low / step + 1e-9)
    last = math.ceil(high / step - 1e-9)
    return [round(index * step, 12) for index in range(first, last + 1)]


def number(value: float) -> str:
    """`0.25`, `1,500`, `2e-05`"""
    if value and (abs(value) < 1e-3 or abs(value) >= 1e6):
        return f"{value:.2g}"
    return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"


def width_of(words: str) -> float:
    """About how wide a text is, in pixels."""
    return 6.6 * len(words)
