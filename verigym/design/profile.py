"""The profile of generated rows: the distribution of each column, duplicates, and the share of rows that each check accepted.
`picture` draws it as SVG."""

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
from verigym.draw.svg import rect, svg, text

_BARS = 12
"""Ranges that numbers are counted in."""
_VALUES = 8
"""Number of values that are counted separately, the most frequent first."""


class ColumnProfile(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    kind: Literal["numbers", "values", "texts"]
    """Numbers are counted in ranges, and values separately. Texts are counted by their length if nearly all differ."""
    distinct: int
    missing: int
    bars: list[tuple[str, int]]
    """Label and number of rows."""
    low: float | None = None
    mean: float | None = None
    median: float | None = None
    high: float | None = None
    """low to high: figures of the numbers, or of the lengths of the texts."""
    example: str = ""
    """The first text."""


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    rows: int
    repeated: int
    """Rows that are identical to an earlier one."""
    columns: list[ColumnProfile]
    acceptance: dict[str, float]
    """Constraint, column or validator to the share of rows that passed it."""
    drawn: int
    tried: int
    seconds: float


def profile(result: DesignResult) -> Profile:
    names = list(result.rows[0]) if result.rows else []
    return Profile(
        rows=len(result.rows),
        repeated=len(result.rows) - len({content_hash(row) for row in result.rows}),
        columns=[profile_column(name, [row[name] for row in result.rows]) for name in names],
        acceptance={name: tally.share for name, tally in result.tallies.items()},
        drawn=result.drawn,
        tried=result.tried,
        seconds=result.seconds,
    )


def profile_column(name: str, values: Sequence[Any]) -> ColumnProfile:
    present = [value for value in values if value is not None]
    texts = [written(value) for value in present]
    counts = Counter(texts)
    numbers = [value for value in present if isinstance(value, int | float) and not isinstance(value, bool)]
    kind = "numbers" if present and len(numbers) == len(present) and len(counts) > _VALUES else "values"
    if kind == "values" and (len(counts) > max(50, len(present) / 4) or len(counts) > max(3, 0.9 * len(present))):
        kind = "texts"
    measured = numbers if kind == "numbers" else [len(text) for text in texts] if kind == "texts" else []
    if measured:
        bars = _ranges(measured)
    else:
        bars = counts.most_common(_VALUES)
        rest = len(present) - sum(count for _, count in bars)
        bars += [(f"{len(counts) - _VALUES} others", rest)] if rest else []
    return ColumnProfile(
        name=name,
        kind=kind,
        distinct=len(counts),
        missing=len(values) - len(present),
        bars=bars,
        low=min(measured) if measured else None,
        mean=statistics.fmean(measured) if measured else None,
        median=statistics.median(measured) if measured else None,
        high=max(measured) if measured else None,
        example=texts[0] if kind == "texts" else "",
    )


def spread(column: ColumnProfile) -> str:
    """`1 to 99, mean 50.3` or `12 to 80 letters, median 41`. Empty for values that are counted separately."""
    if column.kind == "values":
        return ""
    if column.kind == "texts":
        return f"{column.low:g} to {column.high:g} letters, median {column.median:g}"
    return f"{column.low:.4g} to {column.high:.4g}, mean {column.mean:.4g}"


def percent(share: float) -> str:
    """`100%` only if it is exactly all, otherwise at most `>99.9%`."""
    return ">99.9%" if 0.999 < share < 1 else f"{100 * share:.3g}%"


def short(label: str, width: int) -> str:
    """The label, cut in the middle, because names that start alike differ at their ends."""
    label = " ".join(label.split())
    tail = width // 2
    return label if len(label) <= width else f"{label[: width - 1 - tail]}…{label[-tail:]}"


def sparkline(column: ColumnProfile, levels: str = "▁▂▃▄▅▆▇█") -> str:
    """The bars as one character each."""
    return "".join(levels[math.ceil(count / _most(column) * (len(levels) - 1))] for _, count in column.bars)


def _most(column: ColumnProfile) -> int:
    return max((count for _, count in column.bars), default=0) or 1


def _ranges(numbers: Sequence[float]) -> list[tuple[str, int]]:
    low, high = min(numbers), max(numbers)
    width = (high - low) / _BARS or 1.0
    counts = Counter(min(_BARS - 1, math.floor((number - low) / width)) for number in numbers)
    return [(f"{low + index * width:.4g}", counts[index]) for index in range(_BARS)]


_WIDE, _HIGH, _ACROSS = 300, 190, 3
"""Size of a panel, and panels per row."""
_LETTERS, _LINES = 42, 9
"""Maximum size of an example."""


def picture(profile: Profile, title: str) -> str:
    """One panel per column, and one with the share of rows that each check accepted."""
    panels = [_panel(column) for column in profile.columns]
    if profile.acceptance:
        shares = sorted(profile.acceptance.items(), key=lambda entry: entry[1])[:9]
        bars = [_bar(index, name, share, percent(share)) for index, (name, share) in enumerate(shares)]
        panels.append([text(16, 14, "rows that passed", kind="title"), *bars])
    body = [text(16, 24, title, kind="title")]
    for index, panel in enumerate(panels):
        x, y = _WIDE * (index % _ACROSS), 40 + _HIGH * (index // _ACROSS)
        body.append(f'<g transform="translate({x},{y})">{"".join(panel)}</g>')
    return svg(_WIDE * _ACROSS, 40 + _HIGH * math.ceil(len(panels) / _ACROSS), title, body)


def _panel(column: ColumnProfile) -> list[str]:
    figures = f"{column.distinct:,} different" + (f", {column.missing:,} missing" if column.missing else "")
    figures += f" · {spread(column)}" if spread(column) else ""
    head = [text(16, 14, column.name, kind="title"), text(16, 28, figures)]
    if column.kind == "values":
        bars = [(label, count / _most(column), f"{count:,}") for label, count in column.bars]
        return [*head, *(_bar(index, *bar) for index, bar in enumerate(bars))]
    if column.kind == "texts":
        lines = textwrap.wrap(column.example, _LETTERS, max_lines=_LINES, placeholder=" …")
        return [*head, *(text(16, 50 + 15 * index, _printable(line)) for index, line in enumerate(lines))]
    width = (_WIDE - 40) / len(column.bars)
    heights = [110 * count / _most(column) for _, count in column.bars]
    bars = [_rect(16 + index * width, 150 - height, width - 2, height) for index, height in enumerate(heights)]
    return [*head, *bars, text(16, 166, column.bars[0][0]), text(_WIDE - 60, 166, f"{column.high:.4g}")]


def _bar(index: int, label: str, share: float, value: str) -> str:
    y = 38 + 15 * index
    name = text(16, y + 10, _printable(short(label, 20)))
    return name + _rect(156, y, max(1, 90 * share), 11) + text(252, y + 10, value)


def _rect(x: float, y: float, width: float, height: float) -> str:
    return rect(x, y, width, height, "c0 fill")


def _printable(words: str) -> str:
    return "".join(letter for letter in words if letter.isprintable())
