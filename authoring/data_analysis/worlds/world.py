"""A world is a few tables of its own shape, drawn from a seed, and the questions asked about them.

The data sets of `domains` all have one shape; a world has tables that no other has. Its rows are NamedTuples: their
fields are the columns, their types the columns' types. A question about a world is a function of a `Look`.
"""

from collections.abc import Callable, Hashable, Iterable
from datetime import date, timedelta
from random import Random
from typing import Any, NamedTuple, TypeVar

from authoring.data_analysis.asked import Asked, Redraw, ranked

K = TypeVar("K", bound=Hashable)
Rows = dict[str, list[Any]]
"""Table to its rows."""


class World(NamedTuple):
    name: str
    story: str
    rows: Callable[[Random], Rows]
    families: dict[str, list[Callable[["Look"], Asked]]]
    """By topic."""


class Look:
    """The tables of one data set, a draw, and words of SQL as the engine has them."""

    def __init__(self, engine: str, rows: Rows, draw: Random) -> None:
        self.engine, self.draw, self._rows = engine, draw, rows

    def __getitem__(self, table: str) -> list[Any]:
        return self._rows[table]

    def pick(self, values: Iterable[K]) -> K:
        return self.draw.choice(sorted(set(values)))  # type: ignore[type-var]

    def two(self, values: Iterable[K]) -> list[K]:
        return self.draw.sample(sorted(set(values)), 2)  # type: ignore[type-var]

    def num(self, column: str) -> str:
        return f"CAST({column} AS REAL)" if self.engine == "csv" else column

    def month(self, column: str) -> str:
        return f"strftime({column}, '%Y-%m')" if self.engine == "duckdb" else f"substr({column}, 1, 7)"

    def weekday(self, column: str) -> str:
        """As text; 0 is Sunday."""
        return f"strftime({column}, '%w')" if self.engine == "duckdb" else f"strftime('%w', {column})"

    def days(self, late: str, early: str) -> str:
        """How many days lie between two columns."""
        return f"({late} - {early})" if self.engine == "duckdb" else f"(julianday({late}) - julianday({early}))"

    def known(self, column: str) -> str:
        return f"{column} <> ''" if self.engine == "csv" else f"{column} IS NOT NULL"

    def unknown(self, column: str) -> str:
        return f"{column} = ''" if self.engine == "csv" else f"{column} IS NULL"

    def minutes(self, column: str) -> str:
        """Of a time of day, HH:MM, since midnight."""
        return f"(CAST(substr({column}, 1, 2) AS INTEGER) * 60 + CAST(substr({column}, 4, 2) AS INTEGER))"


def best(values: dict[K, Any], least: bool = False) -> K:
    """The key of the greatest value, or of the least; no other has the same."""
    return ranked(values, 1, least)[0]


def in_full(values: dict[K, Any], least: bool = False) -> list[K]:
    """All keys by value, the greatest first; no two values are the same."""
    if len(set(values.values())) < len(values):
        raise Redraw
    return sorted(values, key=lambda key: values[key], reverse=not least)


def need(holds: object) -> None:
    """Draws again where something does not hold."""
    if not holds:
        raise Redraw


def day_in(draw: Random, first: date, num_days: int) -> date:
    return first + timedelta(draw.randrange(num_days))


def month_of(day: date) -> str:
    return day.isoformat()[:7]
