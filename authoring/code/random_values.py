"""Random words, numbers, days and values for each parameter type, from which the inputs of problems are drawn."""

import datetime
from random import Random
from typing import Any

_WORDS = [
    "amber",
    "brook",
    "cedar",
    "dune",
    "ember",
    "fern",
    "grove",
    "heath",
    "inlet",
    "juniper",
    "kelp",
    "larch",
    "meadow",
    "nettle",
    "orchid",
    "pebble",
    "quarry",
    "reed",
    "slate",
    "thistle",
    "umber",
    "vale",
    "willow",
    "yarrow",
    "zephyr",
    "ox",
    "elm",
]


def word(draw: Random) -> str:
    return draw.choice(_WORDS)


def words(draw: Random, count: int) -> list[str]:
    """Return distinct words."""
    return draw.sample(_WORDS, count)


def sentence(draw: Random, count: int) -> str:
    shapes = [str, str.title, str.upper, lambda each: each + draw.choice(",.!-"), lambda each: each + "  "]
    return " ".join(draw.choice(shapes)(word(draw)) for _ in range(count))


def numbers(draw: Random, low: int, high: int) -> list[int]:
    return [draw.randint(low, high) for _ in range(draw.choice([0, 1, 2, 3, 5, 7]))]


def day(draw: Random) -> str:
    return str(datetime.date(2024, 1, 1) + datetime.timedelta(days=draw.randrange(1500)))


def value(draw: Random, kind: Any) -> Any:
    """Draw a value for a parameter's type. Empty values, single items and repeats are frequent."""
    if kind is int:
        return draw.choice([0, 1, -1, draw.randint(2, 30), draw.randint(-20, 200)])
    if kind is str:
        return draw.choice(["", word(draw), sentence(draw, draw.randint(2, 5)), sentence(draw, 3)])
    if kind == list[int]:
        return draw.choice([numbers(draw, -9, 25), numbers(draw, 0, 6)])
    if kind == list[str]:
        return [draw.choice([word(draw), word(draw).title(), "", "ox"]) for _ in range(draw.choice([0, 1, 3, 5]))]
    if kind == dict[str, int]:
        return {word(draw): draw.randint(-3, 12) for _ in range(draw.choice([0, 1, 3, 5]))}
    if kind == list[list[int]]:
        wide = draw.randint(1, 4)
        return [[draw.randint(-3, 12) for _ in range(wide)] for _ in range(draw.randint(0, 4))]
    raise TypeError(f"no values are drawn for {kind}; the problem needs a line in INPUTS")
