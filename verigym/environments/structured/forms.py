"""What a family returns per draw, shorthand for schemas, and the ways in which people write dates, times and amounts."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from random import Random
from typing import Any, NamedTuple

from verigym.core.records import Json


class Document(NamedTuple):
    schema: Json
    gold: Json
    text: str
    decoys: Json
    """Wrong values that the text also contains, by dotted path."""


Family = Callable[[Random], Document]

# -- Schemas -------------------------------------------------------------------------------------------------------------

TEXT: Json = {"type": "string"}
DATE: Json = {"type": "string", "format": "date"}
TIME: Json = {"type": "string", "format": "time"}
NUMBER: Json = {"type": "number"}
WHOLE: Json = {"type": "integer"}
YES: Json = {"type": "boolean"}


def one_of(*values: str) -> Json:
    return {"enum": list(values)}


def maybe(schema: Json) -> Json:
    """Allows null too."""
    if "enum" in schema:
        return {"enum": [*schema["enum"], None]}
    return {**schema, "type": [schema["type"], "null"]}


def fields(**properties: Json) -> Json:
    """An object with exactly these fields."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def listed(items: Json) -> Json:
    """A list in the order of the text."""
    return {"type": "array", "items": items}


def unordered(items: Json) -> Json:
    return {"type": "array", "items": items, "x-order": "any"}


def noted(schema: Json, words: str) -> Json:
    """Adds a description, if the name does not explain the field."""
    return {**schema, "description": words}


# -- Words ---------------------------------------------------------------------------------------------------------------

MONTHS = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
]  # fmt: skip


def some_day(draw: Random, start: str = "2026-01-05", days: int = 330) -> date:
    return date.fromisoformat(start) + timedelta(draw.randrange(days))


def day(draw: Random, value: date) -> str:
    """`4 March 2026`, `March 4, 2026`, `Wed 4 Mar 2026`, `2026-03-04`, `the 4th of March 2026`."""
    month = MONTHS[value.month - 1]
    ending = {1: "st", 2: "nd", 3: "rd"}.get(value.day % 10 if value.day not in (11, 12, 13) else 0, "th")
    return draw.choice(
        [
            f"{value.day} {month} {value.year}",
            f"{month} {value.day}, {value.year}",
            f"{value:%a} {value.day} {month[:3]} {value.year}",
            value.isoformat(),
            f"the {value.day}{ending} of {month} {value.year}",
        ]
    )


def clock(draw: Random, value: str) -> str:
    """`14:05`, `2:05 pm`, `14.05 h`."""
    hour, minute = int(value[:2]), value[3:]
    half = "pm" if hour >= 12 else "am"
    return draw.choice([value, f"{(hour - 1) % 12 + 1}:{minute} {half}", f"{hour}.{minute} h"])


def some_time(draw: Random, first: int = 7, last: int = 19) -> str:
    return f"{draw.randint(first, last):02}:{draw.choice([0, 5, 10, 15, 20, 30, 40, 45, 50]):02}"


def money(draw: Random, value: float) -> str:
    """`EUR 1,234.50`, `€1,234.50`, `1234.50 euros`."""
    return draw.choice([f"EUR {value:,.2f}", f"€{value:,.2f}", f"{value:.2f} euros", f"{value:,.2f} EUR"])


def price(draw: Random, low: int, high: int) -> float:
    """A price in steps of five cents."""
    return draw.randrange(low * 20, high * 20) / 20


def address(name: str, place: str) -> str:
    """An e-mail address."""
    return f"{name.lower().replace(' ', '.')}@{place.lower().replace(' ', '-')}.example"


SPELT = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


def an(noun: str) -> str:
    """`a lamp`, `an urn`."""
    return f"{'an' if noun[0].casefold() in 'aeiou' else 'a'} {noun}"


def counted(number: int, noun: str) -> str:
    """`1 day`, `3 days`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def scattered(draw: Random, lines: Sequence[str]) -> str:
    """The items in random order."""
    return "\n".join(draw.sample(list(lines), len(lines)))


def either(draw: Random, value: Any, chance: float = 0.6) -> Any:
    """The value or nothing, at random."""
    return value if draw.random() < chance else None


def messy(draw: Random, text: str, noise: Sequence[str]) -> str:
    """Adds extra spaces, empty lines, and an irrelevant line before and after."""
    head, tail = draw.sample(list(noise), 2)
    lines: list[str] = []
    for line in [head, *text.split("\n"), tail]:
        words = line.split(" ")
        if len(words) > 3 and draw.random() < 0.25:
            place = draw.randrange(1, len(words))
            words.insert(place, "")
        lines += [draw.choice(["", "", " ", "  "]) + " ".join(words), *([""] if draw.random() < 0.15 else [])]
    return "\n".join(lines)
