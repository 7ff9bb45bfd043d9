"""What came out, counted: the distribution of each column, repeats, and how many rows each constraint let pass; as figures and as
a picture (SVG, written here: no package is needed to look at it)."""

import html
import math
import statistics
import textwrap
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from verigym.core.records import content_hash
from verigym.design.expressions import written
from verigym.design.make import DesignResult

_BARS = 12
_VALUES = 8
"""Values of a column that are counted one by one, the most frequent first."""


class ColumnProfile(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    kind: Literal["numbers", "values", "texts"]
    """Numbers are counted in ranges, values one by one, and texts of which nearly each is different by their length."""
    distinct: int
    missing: int
    bars: list[tuple[str, int]]
    """What, and how many rows."""
    low: float | None = None
    mean: float | None = None
    median: float | None = None
    high: float | None = None
    """Of numbers, or of the lengths of texts."""
    example: str = ""
    """The first of different texts."""


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    rows: int
    repeated: int
    """Rows that an earlier one is the same as."""
    columns: list[ColumnProfile]
    acceptance: dict[str, float]
    """By constraint, column and validator: the share of rows that came to it and passed."""
    drawn: int
    tried: int
    seconds: float


def profile(made: DesignResult) -> Profile:
    names = list(made.rows[0]) if made.rows else []
    return Profile(
        rows=len(made.rows),
        repeated=len(made.rows) - len({content_hash(row) for row in made.rows}),
        columns=[profile_column(name, [row[name] for row in made.rows]) for name in names],
        acceptance={name: tally.share for name, tally in made.tallies.items()},
        drawn=made.drawn,
        tried=made.tried,
        seconds=made.seconds,
    )


def profile_column(name: str, values: Sequence[Any]) -> ColumnProfile:
    there = [value for value in values if value is not None]
    texts = [written(value) for value in there]
    counts = Counter(texts)
    numbers = [value for value in there if isinstance(value, int | float) and not isinstance(value, bool)]
    kind = "numbers" if there and len(numbers) == len(there) and len(counts) > _VALUES else "values"
    if kind == "values" and (len(counts) > max(50, len(there) / 4) or len(counts) > max(3, 0.9 * len(there))):
        kind = "texts"
    measured = numbers if kind == "numbers" else [len(text) for text in texts] if kind == "texts" else []
    if measured:
        bars = _ranges(measured)
    else:
        bars = [(text, count) for text, count in counts.most_common(_VALUES)]
        rest = len(there) - sum(count for _, count in bars)
        bars += [(f"{len(counts) - _VALUES} others", rest)] if rest else []
    return ColumnProfile(
        name=name,
        kind=kind,
        distinct=len(counts),
        missing=len(values) - len(there),
        bars=bars,
        low=min(measured) if measured else None,
        mean=statistics.fmean(measured) if measured else None,
        median=statistics.median(measured) if measured else None,
        high=max(measured) if measured else None,
        example=texts[0] if kind == "texts" else "",
    )


def spread(column: ColumnProfile) -> str:
    """From where to where: `1 to 99, mean 50.3`, `12 to 80 letters, median 41`; nothing for values that are counted."""
    if column.kind == "values":
        return ""
    if column.kind == "texts":
        return f"{column.low:g} to {column.high:g} letters, median {column.median:g}"
    return f"{column.low:.4g} to {column.high:.4g}, mean {column.mean:.4g}"


def percent(share: float) -> str:
    """`100%` is all of them: what is nearly all is said to be that."""
    return ">99.9%" if 0.999 < share < 1 else f"{100 * share:.3g}%"


def short(label: str, width: int) -> str:
    """Cut in the middle: names that begin alike are told apart by how they end."""
    label = " ".join(label.split())
    tail = width // 2
    return label if len(label) <= width else f"{label[: width - 1 - tail]}…{label[-tail:]}"


def _ranges(numbers: Sequence[float]) -> list[tuple[str, int]]:
    low, high = min(numbers), max(numbers)
    width = (high - low) / _BARS or 1.0
    counts = Counter(min(_BARS - 1, math.floor((number - low) / width)) for number in numbers)
    return [(f"{low + place * width:.4g}", counts[place]) for place in range(_BARS)]


def sparkline(column: ColumnProfile, levels: str = "▁▂▃▄▅▆▇█") -> str:
    """The bars as letters, as high as they are frequent."""
    most = max((count for _, count in column.bars), default=1) or 1
    return "".join(levels[math.ceil(count / most * (len(levels) - 1))] for _, count in column.bars)


# -- the picture ---------------------------------------------------------------------------------------------------------------

_WIDE, _HIGH, _ACROSS = 300, 190, 3
_LETTERS, _LINES = 48, 9
"""Of an example that a panel has room for."""
_HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}" '
    'font-family="sans-serif" font-size="11"><rect width="{w}" height="{h}" fill="#ffffff"/>'
)


def picture(found: Profile, title: str) -> str:
    """A panel for each column, and one for what was accepted."""
    panels = [_panel(column) for column in found.columns]
    if found.acceptance:
        panels.append(_shares(found.acceptance))
    down = math.ceil(len(panels) / _ACROSS)
    lines = [_HEAD.format(w=_WIDE * _ACROSS, h=40 + _HIGH * down), _text(16, 24, title, 14)]
    for place, panel in enumerate(panels):
        x, y = _WIDE * (place % _ACROSS), 40 + _HIGH * (place // _ACROSS)
        lines.append(f'<g transform="translate({x},{y})">{panel}</g>')
    return "\n".join([*lines, "</svg>", ""])


def _panel(column: ColumnProfile) -> str:
    said = f"{column.distinct:,} different" + (f", {column.missing:,} missing" if column.missing else "")
    said += f" · {spread(column)}" if spread(column) else ""
    parts = [_text(16, 14, column.name, 12), _text(16, 28, said, 10, "#666666")]
    most = max((count for _, count in column.bars), default=1) or 1
    if column.kind == "values":
        for place, (label, count) in enumerate(column.bars):
            parts += _bar(place, label, count / most, f"{count:,}")
    elif column.kind == "texts":
        lines = textwrap.wrap(column.example, _LETTERS, max_lines=_LINES, placeholder=" …")
        parts += [_text(16, 50 + 15 * place, line, 10) for place, line in enumerate(lines)]
    else:
        wide = (_WIDE - 40) / len(column.bars or [0])
        for place, (_, count) in enumerate(column.bars):
            high = 110 * count / most
            parts.append(_rect(16 + place * wide, 150 - high, wide - 2, high))
        ends = [(16.0, column.bars[0][0]), (_WIDE - 60.0, f"{column.high:.4g}")] if column.bars else []
        parts += [_text(x, 166, label, 10, "#666666") for x, label in ends]
    return "".join(parts)


def _shares(shares: dict[str, float]) -> str:
    parts = [_text(16, 14, "rows that passed", 12)]
    for place, (name, share) in enumerate(sorted(shares.items(), key=lambda one: one[1])[:9]):
        parts += _bar(place, name, share, percent(share))
    return "".join(parts)


def _bar(place: int, label: str, share: float, said: str) -> list[str]:
    y = 38 + 15 * place
    return [
        _text(16, y + 9, short(label, 20), 10),
        _rect(140, y, max(1, 100 * share), 11),
        _text(246, y + 9, said, 10, "#666666"),
    ]


def _rect(x: float, y: float, width: float, height: float) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="#4477aa"/>'


def _text(x: float, y: float, text: str, size: int, colour: str = "#222222") -> str:
    clean = html.escape("".join(letter for letter in text if letter.isprintable()))
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" fill="{colour}">{clean}</text>'
