"""Columns of parts that add up: `stacks([Stack(1, [3, 4, 1])], ["all passed", "mixed", "all failed"])`, step by step."""

from collections.abc import Sequence
from typing import NamedTuple

from verigym.draw.svg import Drawing, empty, finite, group, line, number, rect, svg, text, ticks, width_of

_TOP, _BOTTOM, _LEFT, _RIGHT = 40, 40, 34, 8


class Stack(NamedTuple):
    x: float
    parts: Sequence[float]
    """From the bottom to the top."""
    href: str = ""


def stacks(
    columns: Sequence[Stack],
    names: Sequence[str],
    kinds: Sequence[str],
    *,
    x: str = "",
    width: float = 560,
    height: float = 200,
) -> Drawing:
    """One column for each x. `names` are the parts from the bottom to the top, `kinds` their classes. The order of the parts and
    their titles tell what the colours tell."""
    shown = [one for one in columns if finite(one.x, *one.parts)]
    if not shown:
        return empty("", width=width)
    marks = ticks(0.0, max(sum(one.parts) for one in shown), 4)
    bottom, slot = height - _BOTTOM, (width - _LEFT - _RIGHT) / len(shown)
    scale = (bottom - _TOP) / (marks[-1] - marks[0])
    body, at = [], float(_LEFT)
    for name, kind in zip(names, kinds, strict=True):
        body += [rect(at, 8, 12, 12, kind, round=2), text(at + 18, 18, name)]
        at += 36 + width_of(name)
    for mark in marks:
        y = bottom - scale * (mark - marks[0])
        body += [line(_LEFT, y, width - _RIGHT, y, "grid"), text(_LEFT - 6, y + 4, number(mark), anchor="end")]
    last = -1e9
    for index, one in enumerate(shown):
        left, y, drawn = _LEFT + index * slot, bottom, []
        for value, kind in zip(one.parts, kinds, strict=True):
            y -= scale * value
            drawn.append(rect(left + slot * 0.1, y, slot * 0.8, scale * value, kind))
        said = ", ".join(f"{number(value)} {name}" for value, name in zip(one.parts, names, strict=True))
        body.append(group(f"{x} {number(one.x)}: {said}".strip(), drawn, href=one.href))
        words, middle = number(one.x), left + slot / 2
        if middle - width_of(words) / 2 > last:
            body.append(text(middle, bottom + 16, words, anchor="middle"))
            last = middle + width_of(words) / 2 + 12
    body += [line(_LEFT, bottom, width - _RIGHT, bottom)]
    body += [text((_LEFT + width - _RIGHT) / 2, height - 6, x, anchor="middle")] if x else []
    first, final = shown[0], shown[-1]
    title = ". ".join(
        f"{x} {number(one.x)}: " + ", ".join(f"{number(v)} {n}" for v, n in zip(one.parts, names, strict=True))
        for one in ([first, final] if len(shown) > 1 else [first])
    )
    return svg(width, height, title, body, linked=any(one.href for one in shown))
