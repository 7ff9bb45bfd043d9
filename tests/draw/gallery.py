"""One of each picture, with a text that the caller chooses wherever a picture shows foreign text."""

import math
from collections.abc import Callable

from verigym.core.look import Look
from verigym.draw.bars import bars
from verigym.draw.columns import Change
from verigym.draw.dumbbells import Dumbbell, dumbbells
from verigym.draw.histogram import Bin, bins, histogram
from verigym.draw.intervals import Interval, interval_row, intervals
from verigym.draw.lineage import Node, lineage
from verigym.draw.lines import Mark, lines
from verigym.draw.looks import looks
from verigym.draw.sparkline import sparkline
from verigym.draw.strip import Dot, strip
from verigym.draw.svg import Drawing
from verigym.draw.timeline import Step, timeline

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</title></svg><svg onload=alert(1)>",
    "' style='fill:red' x='",
    "]]>&lt;b&gt;&#x3c;b&#x3e;",
    "</style><style>*{display:none}</style>",
    "\x1b[31mred\x07\u202egnp.exe\ud800\x00",
    "{{7*7}}${7*7}<!--",
)


def _curves(words: str) -> Drawing:
    reward = {float(step): step / 9 for step in range(9)}
    bands = {f"{words} 2": {0.0: (0.3, 0.2, 0.4), 8.0: (0.4, 0.3, 0.5)}}
    marks = [Mark(3.0, words, words), Mark(math.nan, words)]
    return lines({words: reward}, title=words, x="step", y="reward", marks=marks, bands=bands, bands_y="success")


def _intervals(words: str) -> Drawing:
    rows = [
        Interval(words, 0.05, 0.01, 0.09, 0.01, -0.02, "pass", "points"),
        Interval(words, 1.3, 1.1, 1.5, 1.5, 1.25, "fail", "times", worse="above"),
        Interval(words, 2, 2, 6.5, 6.5, None, "unclear", "tasks", 180),
        Interval(words, math.nan, outcome="skipped"),
        Interval(words, 0.4, unit="share"),
        Interval(words, 0.7, 0.5, unit=""),
    ]
    return intervals(rows, title=words)


def _lineage(words: str) -> Drawing:
    nodes = [
        Node("a", words, since=words[:9]),
        Node("b", words, "a", "weights", "PROMOTE", "2026-11-09", True, f"/versions/{words}"),
        Node("c", words, "b", "prompt", "REJECT"),
        Node("d", words, "b", "constraint", "NEED MORE DATA"),
    ]
    return lineage(nodes, title=words)


PICTURES: dict[str, Callable[[str], Drawing]] = {
    "bars": lambda words: bars({words: (0.4, 0.3, 0.5), f"{words}2": (0.1, 0.1, 0.1)}, title=words, most=1.0),
    "no bars": lambda words: bars({}, title=words),
    "lines": _curves,
    "intervals": _intervals,
    "interval row": lambda words: interval_row(Interval(words, 0.05, 0.01, 0.09, 0.01, -0.02, "fail")),
    "dumbbells": lambda words: dumbbells(
        [Dumbbell(words, 0.2, 0.7, True, 20, href=words), Dumbbell(words, 0.4, 0.4)], title=words
    ),
    "histogram": lambda words: histogram(
        [one._replace(href=f"?reward={words}") for one in bins([(1.0, 9, 0), (0.25, 1, 3)])], title=words, x=words[:60]
    ),
    "one bin": lambda words: histogram([Bin(1.0, 1.0, 3, 2)], title=words),
    "lineage": _lineage,
    "looks": lambda words: looks([Look(41, 0.1, 0.003, 0.003), Look(82, 0.2, 0.006, 0.004)], p=0.02, title=words),
    "sparkline": lambda words: sparkline([0.1, 0.5, math.nan, 0.3], title=words),
    "strip": lambda words: strip(
        [Dot(words, 1.0, True, 0.5, True, words), Dot(words, 0.0), Dot(words, None)], title="Attempts"
    ),
    "timeline": lambda words: timeline(
        [Step(words[:12], 40, 3, words), Step("10:00", 0), Step("11:00", 9, 99)], [Change(1.5, words)], title=words
    ),
}
