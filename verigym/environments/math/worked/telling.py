"""Puts a question into one of several wordings, and its solution into the layout that all families share.

    Given: 3 boxes of 14 pens.          the facts
    Find: the number of pens.           what is asked
    3 × 14 = 3 × 10 + 3 × 4 = ...       one small step per line

A frame is one line: `(Find|Give) the price of {count} pens.` has two wordings and a slot. Numbers with a format of their own
(`Euros`, `Clock`, `Duration`, `Decimal`) show themselves in slots. `steps` writes the arithmetic.
"""

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import yaml

from verigym.core.records import Json
from verigym.environments.math.questions import Value, at, euros, number, plain

NAMES = (
    "Abel", "Agnes", "Amira", "Anton", "Ayla", "Bela", "Bodil", "Bruno", "Carla", "Cyrus", "Daphne", "Davor", "Edda",
    "Emil", "Enzo", "Esra", "Flora", "Frida", "Gwen", "Halim", "Hedda", "Igor", "Imani", "Isak", "Jarl", "Juno",
    "Kalle", "Kenji", "Lasse", "Lucia", "Malin", "Marek", "Nadia", "Nils", "Odile", "Oskar", "Paula", "Pavel",
    "Ravi", "Renata", "Samir", "Selma", "Sven", "Tarek", "Tilda", "Uma", "Valerie", "Viktor", "Wanda", "Yusuf",
)  # fmt: skip
_CHOICE = re.compile(r"\(([^()|]*(?:\|[^()|]*)+)\)")
_ARTICLE = re.compile(r"\b([Aa]) (?=(?:8|11|18|80)\b|[aeio](?!ne\b|u))")
_TIMES = (
    "Answer as HH:MM.", "(24-hour clock, HH:MM)", "Use HH:MM.", "The answer is a time like 07:05.",
    "Write the time with four digits, HH:MM.", "Format: HH:MM.", "Please use the 24-hour clock.",
)  # fmt: skip


class Told(NamedTuple):
    prompt: str
    work: str
    data: Json
    slots: dict[str, Any]
    """What the question says, for a second computation in the tests."""


Family = Callable[[Random], Told]


class Euros(int):
    """Cents that show themselves as `€3` or `€3.20`."""

    def __str__(self) -> str:
        return euros(int(self))

    def __format__(self, spec: str) -> str:
        return euros(int(self))


class Clock(int):
    """Minutes after midnight that show themselves as `07:45`."""

    def __str__(self) -> str:
        return at(int(self))

    def __format__(self, spec: str) -> str:
        return at(int(self))


class Duration(int):
    """Minutes that show themselves as `2 h 5 min`."""

    def __str__(self) -> str:
        hours, minutes = divmod(int(self), 60)
        return " ".join([f"{hours} h"] * (hours > 0) + [f"{minutes} min"] * (minutes > 0 or not hours))

    def __format__(self, spec: str) -> str:
        return str(self)


class Decimal(Fraction):
    """A number that shows itself as `2.5`, or as a fraction if the decimals would not end."""

    def __str__(self) -> str:
        return plain(self)

    def __format__(self, spec: str) -> str:
        return plain(self)


def tell(random: Random, family: str, given: str, find: str, steps: Sequence[str], data: Json, /, **slots: Any) -> Told:
    """The question in one of the wordings, and the steps after what is given and what is asked. `{hhmm}` in a frame asks for
    the form of a time."""
    frame = random.choice(wordings(family))
    if "{hhmm}" in frame:
        frame = frame.replace("{hhmm}", random.choice(_TIMES))
    prompt = worded(random, frame).format_map(slots)
    prompt = _ARTICLE.sub(r"\1n ", prompt)
    work = "\n".join([f"Given: {given}", f"Find: {find}", *steps])
    starts_with_word = prompt[:2].isalpha()
    return Told(prompt[0].upper() + prompt[1:] if starts_with_word else prompt, work, data, slots)


def wordings(family: str) -> list[str]:
    """The frames of a family in `wordings.yaml`."""
    return _all_wordings()[family]


@cache
def _all_wordings() -> dict[str, list[str]]:
    read = yaml.safe_load(Path(__file__).with_name("wordings.yaml").read_text(encoding="utf-8"))
    return {family: [line.replace(" / ", "\n") for line in text.splitlines()] for family, text in read.items()}


def worded(random: Random, text: str) -> str:
    """The text with one of the alternatives at each place."""
    while "|" in text and (chosen := _CHOICE.sub(lambda found: random.choice(found[1].split("|")), text)) != text:
        text = chosen
    return text


def names(random: Random, count: int) -> list[str]:
    return random.sample(NAMES, count)


def amount(answer: Value, unit: str = "", tolerance: float = 0) -> Json:
    """What `data` holds for a number with a unit."""
    return number("", "", answer, unit, tolerance).data


def money(cents: int) -> Json:
    return amount(Fraction(cents, 100), "euros")


def listed(words: Sequence[object], last: str = "and") -> str:
    """`a, b and c`."""
    texts = [str(word) for word in words]
    return f"{', '.join(texts[:-1])} {last} {texts[-1]}" if len(texts) > 1 else texts[0]
