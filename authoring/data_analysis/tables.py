"""The rows of a data set, drawn from its name: `bakery-csv-1` is a domain, an engine and a number.

Some things are planted for the questions: facts entered twice (the same but for the id), scores and places that are missing, a
place or two that have no facts, and one amount far above all others.
"""

from datetime import date, timedelta
from functools import cache
from random import Random
from typing import Any, NamedTuple

from authoring.data_analysis.domains import DOMAINS, TRAIN, VAL, Domain
from verigym.core.seeds import derive

SEED = 31
ENGINES = ("csv", "sqlite", "duckdb")
NUMBERS = (1, 2)
"""Data sets of each domain and engine."""
FACT_ROLES = ("id", "date", "kind", "place", "n", "m", "r", "status")
PLACE_ROLES = ("place", "name", "region", "since")


class Fact(NamedTuple):
    id: int
    date: date
    kind: str
    place: int | None
    n: int
    m: int
    """In hundredths."""
    r: int | None
    status: str


class Place(NamedTuple):
    place: int
    name: str
    region: str
    since: date


class Dataset(NamedTuple):
    domain: Domain
    engine: str
    facts: list[Fact]
    places: list[Place]


def names(split: str) -> list[str]:
    domains = TRAIN if split == "train" else VAL
    return [f"{domain.name}-{engine}-{number}" for domain in domains for engine in ENGINES for number in NUMBERS]


@cache
def dataset(name: str) -> Dataset:
    domain_name, engine, _ = name.split("-")
    domain, draw = DOMAINS[domain_name], Random(derive(SEED, name))
    places = [
        Place(11 + at, place, draw.choice(domain.regions), date(2012, 1, 1) + timedelta(draw.randrange(4300)))
        for at, place in enumerate(domain.names)
    ]
    begin, busy = date(2024 + draw.randrange(2), draw.choice((1, 7)), 1), places[: -draw.choice((1, 2))]
    weights = [draw.uniform(1, 4) for _ in domain.kinds], [draw.uniform(1, 4) for _ in busy]
    drawn = [_fact(draw, domain, begin, busy, weights) for _ in range(draw.randrange(130, 180))]
    odd = draw.randrange(len(drawn))
    drawn[odd] = drawn[odd]._replace(m=domain.m[1] * 9 + draw.randrange(1000))
    drawn += [each for each in draw.sample(drawn, draw.randrange(4, 9)) if each.m <= domain.m[1]]
    drawn.sort(key=lambda fact: fact.date)
    first = draw.randrange(100, 900)
    return Dataset(domain, engine, [each._replace(id=first + at) for at, each in enumerate(drawn)], places)


def _fact(
    draw: Random, domain: Domain, begin: date, busy: list[Place], weights: tuple[list[float], list[float]]
) -> Fact:
    """Within half a year, later rather than earlier, so that there is a trend."""
    return Fact(
        id=0,
        date=begin + timedelta(int(180 * draw.random() ** 0.8)),
        kind=draw.choices(domain.kinds, weights[0])[0],
        place=None if draw.random() < 0.04 else draw.choices(busy, weights[1])[0].place,
        n=draw.randint(*domain.n),
        m=draw.randint(*domain.m),
        r=None if draw.random() < 0.15 else draw.randint(1, 40),
        status=draw.choice(domain.statuses),
    )


def cells(row: Fact | Place) -> list[Any]:
    """As they stand in a table: amounts with two decimals, dates as text, nothing as none."""
    written = row._asdict()
    if isinstance(row, Fact):
        written["m"] = row.m / 100
    return [value.isoformat() if isinstance(value, date) else value for value in written.values()]
