"""The frame that every picture shares: its size, its colours, its title for screen readers, axes and numbers.

A picture is a `Drawing`: SVG text that holds everything it needs. Colours are classes, never `style` attributes. So a page whose
Content-Security-Policy forbids inline styles can show the same picture: it takes `Drawing.__html__()`, which leaves the
`<style>` element out, and has the rules of `css()` in its own style sheet.
"""

import functools
import html
import math
from collections.abc import Iterable, Sequence
from typing import Any

from verigym.core.printable import visible

SERIES = 8
"""Number of colours for series: the classes c0 to c7."""
_CHARACTER = 6.6
"""About the width of a character, in pixels."""
LIGHT = {
    "back": "#ffffff",
    "text": "#424a53",
    "grid": "#d8dde3",
    "axis": "#6e7781",
    "passed": "#0072b2",
    "failed": "#d55e00",
    "unsafe": "#f0e442",
    "grey": "#6e7781",
    "passed-text": "#0072b2",
    "failed-text": "#b84f00",
    "0": "#0072b2",
    "1": "#d55e00",
    "2": "#00805d",
    "3": "#b55d8e",
    "4": "#2c87bd",
    "5": "#a87400",
    "6": "#6e7781",
    "7": "#8a7600",
}
"""The palette of Okabe and Ito on a light page. Colours too pale for white are darker here."""
DARK = {
    "back": "#14171b",
    "text": "#c3ccd6",
    "grid": "#2b323b",
    "axis": "#8b949e",
    "passed": "#3b93d9",
    "failed": "#e06a1b",
    "unsafe": "#f0e442",
    "grey": "#8b949e",
    "passed-text": "#4ba3de",
    "failed-text": "#f0803c",
    "0": "#3b93d9",
    "1": "#e06a1b",
    "2": "#00b886",
    "3": "#cc79a7",
    "4": "#8fd0f5",
    "5": "#e69f00",
    "6": "#9aa4af",
    "7": "#f0e442",
}
"""The same palette on a dark page."""
_LONGEST_TITLE = 900


class Drawing(str):
    """A picture as SVG text. The text has its own style, for files and notebooks. `__html__` leaves the style out, for pages
    that have the rules of `css()` in their style sheet."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self).replace(_STYLE, "", 1)

    def _repr_html_(self) -> str:
        return str(self)


def svg(
    width: float,
    height: float,
    title: str,
    body: Sequence[str],
    *,
    kind: str = "",
    linked: bool = False,
    top: float = 0,
) -> Drawing:
    """A picture. `title` says its content in words. `linked` pictures contain links, so they are a group, not an image: a
    screen reader would hide the links of an image. `top` cuts so many pixels off, where a heading would be."""
    words = escape(short(title, _LONGEST_TITLE)) or "Empty picture"
    role = f'role="group" aria-label="{words}"' if linked else 'role="img"'
    return Drawing(
        f'<svg xmlns="http://www.w3.org/2000/svg" class="vg{f" {kind}" if kind else ""}" {role} width="{width:g}" '
        f'height="{height - top:g}" viewBox="0 {top:g} {width:g} {height - top:g}"><title>{words}</title>{_STYLE}'
        f"{''.join(body)}</svg>"
    )


@functools.cache
def css() -> str:
    """The style of every picture. A page that forbids inline styles has these rules in its own style sheet.

    Colours are custom properties. They follow the reader's system, the attribute `data-theme` of a page, and the theme of a
    notebook.
    """
    dark = _properties(DARK)
    series = "\n".join(f".vg .c{index}{{color:var(--vg-{index})}}" for index in range(SERIES))
    return f"""\
.vg{{{_properties(LIGHT)}}}
@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]) .vg,svg.vg:root{{{dark}}}}}
@media screen{{[data-theme=dark] .vg,[data-jp-theme-light=false] .vg{{{dark}}}}}
@media screen{{:root [data-jp-theme-light=true] .vg{{{_properties(LIGHT)}}}}}
.vg{{color:var(--vg-text);font:12px system-ui,-apple-system,"Segoe UI",sans-serif;max-width:100%;height:auto}}
.vg.wide{{max-width:none}}
.vg text{{fill:var(--vg-text);stroke:none}}
.vg .title{{font-weight:600;font-size:13px}}
.vg .strong{{font-weight:600}}
.vg text.passed{{fill:var(--vg-passed-text)}}
.vg text.failed{{fill:var(--vg-failed-text)}}
.vg .passed{{color:var(--vg-passed)}}
.vg .failed{{color:var(--vg-failed)}}
.vg .unsafe{{color:var(--vg-unsafe)}}
.vg .grey{{color:var(--vg-grey)}}
{series}
.vg .fill{{fill:currentColor}}
.vg .soft{{fill:currentColor;fill-opacity:.18}}
.vg .stroke{{stroke:currentColor;fill:none}}
.vg .hollow{{stroke:currentColor;fill:var(--vg-back)}}
.vg .edge{{stroke:currentColor}}
.vg .outline{{stroke:var(--vg-text);stroke-width:1.5}}
.vg .thick{{stroke-width:3.5}}
.vg .dashed{{stroke-dasharray:4 3}}
.vg .grid{{stroke:var(--vg-grid)}}
.vg .axis{{stroke:var(--vg-axis)}}
.vg .interval{{stroke:var(--vg-text);stroke-width:1.5}}
.vg a:focus-visible{{outline:2px solid var(--vg-text);outline-offset:2px}}
.vg a:hover text{{text-decoration:underline}}
"""


def _properties(colours: dict[str, str]) -> str:
    return ";".join(f"--vg-{name}:{colour}" for name, colour in colours.items())


_STYLE = f"<style>{css()}</style>"


def series_class(index: int) -> str:
    """The class of a series' colour: `c0` to `c7`, then again from `c0`."""
    return f"c{index % SERIES}"


def escape(text: object) -> str:
    """Foreign text in a page: control characters are made visible, and markup is escaped."""
    return html.escape(visible(str(text)), quote=True)


def short(words: str, most: int) -> str:
    """The text on one line, cut at `most` characters with an ellipsis."""
    line = " ".join(words.split())
    return line if len(line) <= most else line[: max(1, most - 1)].rstrip() + "…"


def fitted(words: str, width: float) -> str:
    """The text cut to about this many pixels."""
    return short(words, max(2, int(width / _CHARACTER + 0.01)))


def some(names: Iterable[str], most: int = 12) -> str:
    """`a, b and 3 more`: a list that stays short, for titles."""
    listed = list(names)
    more = f" and {len(listed) - most:,} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more


def text(x: float, y: float, words: object, *, anchor: str = "start", kind: str = "") -> str:
    more = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str = "axis") -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def rect(x: float, y: float, width: float, height: float, kind: str, *, round: float = 0) -> str:
    corner = f' rx="{round:g}"' if round else ""
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{max(0.0, width):.1f}" height="{max(0.0, height):.1f}"{corner}/>'


def circle(x: float, y: float, radius: float, kind: str) -> str:
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}"/>'


def path(steps: str, kind: str, *, width: float = 0) -> str:
    more = f' stroke-width="{width:g}"' if width else ""
    return f'<path class="{kind}" d="{steps}"{more}/>'


def group(title: str, body: Sequence[str], *, href: str = "", kind: str = "") -> str:
    """Parts with a title of their own, which a pointer shows. With `href` they are a link. The caller builds the address. A
    link that shows words is named by them. Any other link is named by its title."""
    parts = "".join(body)
    inner = f"<title>{escape(title)}</title>{parts}"
    named = f' class="{kind}"' if kind else ""
    if href:
        label = "" if "<text" in parts else f' aria-label="{escape(title)}"'
        return f'<a href="{escape(href)}"{label}{named}>{inner}</a>'
    return f"<g{named}>{inner}</g>"


def sign(x: float, y: float, outcome: str) -> str:
    """A tick (passed), a cross (failed), a triangle (unsafe or unclear) or a dot (not scored), about 8 pixels wide. The shape
    tells what the colour tells."""
    if outcome == "passed":
        return path(f"M{x - 4:.1f} {y:.1f}l3 3.5l5.5 -7", "passed stroke", width=2)
    if outcome == "failed":
        return path(f"M{x - 3.5:.1f} {y - 3.5:.1f}l7 7m0 -7l-7 7", "failed stroke", width=2)
    if outcome == "unsafe":
        return path(f"M{x:.1f} {y - 4.5:.1f}l4.5 8h-9z", "unsafe fill outline")
    return circle(x, y, 2.5, "grey fill")


def finite(*values: Any) -> bool:
    """Whether every value is a number that can be drawn."""
    return all(isinstance(value, int | float) and math.isfinite(value) for value in values)


def empty(title: str, words: str = "no data", *, width: float = 520, height: float = 60) -> Drawing:
    """What a picture shows when there is nothing to draw."""
    body = [text(0, 16, fitted(title, width), kind="title")] if title else []
    return svg(width, height, f"{title}: {words}" if title else words, [*body, text(0, 40, words)])


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
    return _CHARACTER * len(words)
