"""What a question is made of: the rows, from which the answer is computed in Python, and words of SQL, with which it is found.

Answer and query are written independently; the generator's check holds one against the other. `Redraw` is raised where a draw
makes no good question: a tie, too few rows, a half to be rounded.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import date
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple, TypeVar

from authoring.data_analysis.tables import Fact, Place, dataset
from verigym.core.records import Json

K = TypeVar("K", bound=Hashable)
Row = TypeVar("Row")


class Redraw(Exception):
    """This draw makes no good question."""


class Asked(NamedTuple):
    question: str | list[str]
    """Several wordings of it, or the only one."""
    answer: Any
    """A number, a text, or a list of them."""
    sql: str
    places: int = 0
    """Decimals that count; 0 is exact."""
    ordered: bool = True
    """Whether the order of a list counts."""
    chart: Json | None = None
    """`kind` and `points`, where a chart is asked for; the query then gives its two columns."""
    look: tuple[str, str] | None = None
    """A table and a column worth describing first."""


class Scene:
    """A data set and a draw. Column names by role (`s.kind`), and numbers as the engine reads them (`s.m`)."""

    def __init__(self, name: str, draw: Random) -> None:
        data = dataset(name)
        self.draw, self.domain, self.engine = draw, data.domain, data.engine
        self.facts, self.places = data.facts, data.places
        self.by_place = {place.place: place for place in data.places}
        words = data.domain
        self.F, self.D, self.one = words.facts, words.places, words.fact
        self.said = words.said
        column = words.columns
        self.id, self.date, self.kind, self.place = column["id"], column["date"], column["kind"], column["place"]
        self.status, self.name, self.region, self.since = (
            column["status"], column["name"], column["region"], column["since"]
        )  # fmt: skip
        self.n, self.m, self.r = (self._number(column[role]) for role in ("n", "m", "r"))
        self.key = self._number(self.id)
        self.joined = f"{self.F} JOIN {self.D} USING ({self.place})"
        self.month = f"strftime({self.date}, '%Y-%m')" if self.engine == "duckdb" else f"substr({self.date}, 1, 7)"

    def _number(self, column: str) -> str:
        return f"CAST({column} AS REAL)" if self.engine == "csv" else column

    # -- words of SQL

    def known(self, role: str) -> str:
        column = self.domain.columns[role]
        return f"{column} <> ''" if self.engine == "csv" else f"{column} IS NOT NULL"

    def unknown(self, role: str) -> str:
        column = self.domain.columns[role]
        return f"{column} = ''" if self.engine == "csv" else f"{column} IS NULL"

    def weekday(self) -> str:
        """0 is Sunday."""
        return f"strftime({self.date}, '%w')" if self.engine == "duckdb" else f"strftime('%w', {self.date})"

    def days_between(self, late: str, early: str) -> str:
        return f"{late} - {early}" if self.engine == "duckdb" else f"julianday({late}) - julianday({early})"

    # -- draws

    def pick(self, values: Iterable[K]) -> K:
        return self.draw.choice(sorted(set(values)))  # type: ignore[type-var]

    def a_kind(self) -> str:
        return self.pick(fact.kind for fact in self.facts)

    def a_status(self) -> str:
        return self.pick(fact.status for fact in self.facts)

    def a_region(self) -> str:
        return self.pick(place.region for fact in self.facts if (place := self.at(fact)))

    def a_place(self) -> Place:
        return self.pick(place for fact in self.facts if (place := self.at(fact)))

    def a_month(self) -> str:
        return self.pick(month(fact) for fact in self.facts)

    def a_span(self) -> tuple[date, date]:
        first, last = sorted(self.draw.sample(sorted({fact.date for fact in self.facts}), 2))
        if (last - first).days < 10:
            raise Redraw
        return first, last

    # -- rows

    def at(self, fact: Fact) -> Place | None:
        return self.by_place.get(fact.place) if fact.place is not None else None

    def of(self, **wanted: Any) -> list[Fact]:
        """The facts with these values; at least three of them."""
        return some(
            [fact for fact in self.facts if all(getattr(fact, name) == value for name, value in wanted.items())]
        )

    def in_region(self, region: str) -> list[Fact]:
        return some([fact for fact in self.facts if (place := self.at(fact)) and place.region == region])

    def in_month(self, wanted: str) -> list[Fact]:
        return some([fact for fact in self.facts if month(fact) == wanted])

    def repeats(self) -> list[Fact]:
        """Facts that are the same as an earlier one but for the id."""
        seen: set[Fact] = set()
        found: list[Fact] = []
        for fact in self.facts:
            same = fact._replace(id=0)
            found += [fact] if same in seen else []
            seen.add(same)
        return found

    @property
    def same(self) -> str:
        """The columns in which a fact entered twice is the same."""
        return ", ".join(self.domain.columns[role] for role in ("date", "kind", "place", "n", "m", "r", "status"))


def some(facts: list[Fact]) -> list[Fact]:
    if len(facts) < 3:
        raise Redraw
    return facts


def month(fact: Fact) -> str:
    return fact.date.isoformat()[:7]


def total(facts: Iterable[Fact]) -> float:
    return sum(fact.m for fact in facts) / 100


def rounded(value: Fraction | float, places: int) -> float:
    """To so many decimals. Draws again at a half, such as 2.625: some round it up, some to the even digit."""
    if abs(float(value) * 10**places % 1 - 0.5) < 1e-6:
        raise Redraw
    return round(float(value), places)


def mean(values: Sequence[int], places: int, unit: int = 1) -> float:
    if not values:
        raise Redraw
    return rounded(Fraction(sum(values), unit * len(values)), places)


def grouped(rows: Iterable[Row], key: Callable[[Row], K | None], value: Callable[[Row], int]) -> dict[K, int]:
    """Sum of a value by key; rows without a key are left out."""
    sums: defaultdict[K, int] = defaultdict(int)
    for row in rows:
        if (found := key(row)) is not None:
            sums[found] += value(row)
    return dict(sums)


def ranked(values: dict[K, Any] | Counter[K], num: int, least: bool = False) -> list[K]:
    """The first `num` keys by value, the greatest first; no two values of those, nor the next one, are the same."""
    order = sorted(values, key=lambda key: values[key], reverse=not least)
    first = [values[key] for key in order[: num + 1]]
    if len(order) < num or len(set(first)) < len(first):
        raise Redraw
    return order[:num]


def quoted(text: object) -> str:
    return "'" + str(text).replace("'", "''") + "'"


def money(hundredths: int) -> str:
    return f"{hundredths / 100:.2f}"


def one(_: object) -> int:
    return 1
