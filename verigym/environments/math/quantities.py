"""Reads numbers with units as people write them: `3.5 km`, `3,500 m`, `2 h 30 min`, `€12.50`, `1250 cents`, `12 m²`.

A known unit of the wanted kind is converted. A unit of another kind makes another quantity. Words that are not units
("12 apples") are ignored. `verifiers.numeric` reads the numbers.
"""

import re
from fractions import Fraction
from typing import NamedTuple

from verigym.verifiers.numeric import Number, first_number


class Unit(NamedTuple):
    kind: str
    factor: Fraction
    """Conversion factor to the first unit of its kind."""


def _units() -> dict[str, Unit]:
    """Units by every name, in lower case."""
    given = {
        "length": ("mm millimetre:0.001 cm centimetre:0.01 m metre:1 km kilometre:1000"),
        "mass": "mg milligram:0.001 g gram:1 kg kilogram kilo:1000 t tonne:1000000",
        "time": "s sec second:1 min minute:60 h hr hour:3600 day:86400 week:604800",
        "volume": "ml millilitre cm³:0.001 cl centilitre:0.01 l litre dm³:1 m³:1000",
        "speed": "m/s mps:3.6 km/h kmh kph:1",
        "euros": "cent ct:0.01 euro eur €:1",
        "dollars": "dollar usd $:1",
        "pounds": "£ gbp:1",
        "area": "mm²:0.000001 cm²:0.0001 m²:1 km²:1000000",
    }
    found: dict[str, Unit] = {}
    for kind, words in given.items():
        for names, factor in re.findall(r"([^:]+):([0-9.]+)\s*", words):
            for name in names.split():
                unit = Unit(kind, Fraction(factor))
                found |= {
                    form: unit for form in (name, f"{name}s", name.replace("re", "er"), name.replace("re", "ers"))
                }
    return found


UNITS = _units()
_UNIT = re.compile(
    rf"[\s\-]*(?:\\text\{{|\\mathrm\{{)?\s*({'|'.join(map(re.escape, sorted(UNITS, key=len, reverse=True)))})(?![\w/])",
    re.IGNORECASE,
)
_MOST = 20
"""Maximum numbers read in one answer."""


class Quantity(NamedTuple):
    number: Number
    unit: Unit | None


def quantities(text: str) -> list[Quantity]:
    rest = _plain(text)
    found: list[Quantity] = []
    while len(found) < _MOST and (number := first_number(rest)) is not None:
        rest = rest[rest.index(number.text) + len(number.text) :]
        sign, unit = re.search(r"[€$£]", number.text), _UNIT.match(rest)
        name = sign[0] if sign else unit[1].casefold() if unit else ""
        found.append(Quantity(number, UNITS.get(name)))
        rest = rest[unit.end() :] if unit else rest
    return found


_WORDS = [
    (re.compile(pattern, re.IGNORECASE), words)
    for pattern, words in (
        (r"(?<!\\)\$([^$]*[^$\s\\])\$(?!\d)", r"\1"),
        (r"\\(?:text|mathrm)\{([^{}]*)\}", r" \1"),
        (r"(?<=\d)[ \u00a0\u2009\u202f](?=\d{3}(?![\d/]))", ""),
        (r"\bper ?cent\b", "%"),
        (r"\b(c|k)(?:enti|ilo)met(?:re|er)s?\b", r"\1m"),
        (r"\bmet(?:re|er)s?\b", "m"),
        (r"\bsquare (c?m|km)\b|\b(c?m|km) squared\b", r"\1\2²"),
        (r"\bcubic (c?m)\b|\b(c?m) cubed\b", r"\1\2³"),
        (r"\bkm(?: per | an |/)h(?:ou)?r\b", "km/h"),
        (r"(?<=m)(?:\s?\^\{?2\}?|2\b)", "²"),
        (r"(?<=m)(?:\s?\^\{?3\}?|3\b)", "³"),
    )
]
_SIGNS = {
    "½": " 1/2", "¼": " 1/4", "¾": " 3/4", "−": "-", "﹣": "-", "－": "-", "⁄": "/", "\\$": "$", "\\%": "%", "{,}": ",",
    "\\!": "", "\\,": "", "\\ ": " ", "\u00a0": " ", "\u2009": " ", "\u202f": " ",
}  # fmt: skip


def _plain(text: str) -> str:
    """Removes LaTeX, joins `1 234` into one number, writes units as signs (so that the 2 of m^2 is not a number), and writes
    minus signs and fractions in ASCII."""
    for pattern, words in _WORDS:
        text = pattern.sub(words, text)
    for sign, words in _SIGNS.items():
        text = text.replace(sign, words)
    return text


def in_unit(found: list[Quantity], wanted: str) -> list[Number]:
    """Converts each to that unit, or leaves it unchanged if no unit is wanted or given. A smaller unit after a whole number of a
    larger one belongs to it: `2 h 30 min (150 min)` is 150 min, twice. A quantity of another kind becomes None."""
    unit = UNITS[wanted.casefold()] if wanted else None
    if unit is None:
        return [one.number for one in found]
    if any(one.unit is not None and one.unit.kind != unit.kind for one in found):
        return []
    found_in: list[Number] = []
    last = None
    for one in found:
        size = one.unit.factor / unit.factor if one.unit else Fraction(1)
        value = one.number.value * size
        if one.unit and last and size < last and 0 <= value < last and not found_in[-1].value % last:
            before = found_in.pop()
            found_in.append(Number(before.value + value, f"{before.text} {one.number.text}", one.number.percent))
        else:
            found_in.append(Number(value, one.number.text, one.number.percent))
        last = size if one.unit else None
    return found_in
