"""Conversations over time with those that failed, and what changed when. Columns are equal steps of time, such as hours. The
caller names them, because it knows the time zone.
"""

from collections.abc import Sequence
from typing import NamedTuple

from verigym.core.words import counted, percent
from verigym.draw.columns import Change, Column, columns
from verigym.draw.svg import Drawing, empty


class Step(NamedTuple):
    name: str
    """`09:00`, or `17 Nov 09:00` for the first of a day."""
    total: int
    failed: int = 0
    href: str = ""


def timeline(steps: Sequence[Step], changes: Sequence[Change] = (), *, title: str = "", width: float = 560) -> Drawing:
    """One column for each step, with the failed ones as its filled part."""
    if not any(step.total for step in steps):
        return empty(title, "no conversation", width=width)
    rows = [
        Column(step.name, (failed, step.total - failed), f"{step.name}: {_words(step.total, failed)}", step.href)
        for step, failed in ((step, min(step.failed, step.total)) for step in steps)
    ]
    total, failed = sum(step.total for step in steps), sum(int(row.parts[0]) for row in rows)
    shown = [change for change in changes if 0 <= change.place <= len(steps)]
    words = f"{title or 'Conversations over time'}: {_words(total, failed)}"
    words += f". Changes: {', '.join(change.words for change in shown[:6])}" if shown else ""
    legend = [
        (f"failed {failed:,} ({percent(failed / total)})", "failed fill"),
        (f"others {total - failed:,}", "c0 hollow"),
    ]
    return columns(rows, legend, words, title=title, changes=shown, width=width)


def _words(count: int, failed: int) -> str:
    return f"{counted(count, 'conversation')}, {failed:,} failed" + (f" ({percent(failed / count)})" if count else "")
