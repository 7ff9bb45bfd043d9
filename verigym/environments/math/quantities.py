"""Numbers with units as people write them: `3.5 km`, `3,500 m`, `2 h 30 min`, `€12.50`, `1250 cents`, `12 m²`.

A unit that is known and of the wanted kind is converted; one of another kind makes another quantity. Words that are no units
("12 apples") say nothing. Numbers themselves are read by `verifiers.numeric`.
"""

import re
from fractions import Fraction
from typing import NamedTuple

from verigym.verifiers.numeric import Number, first_number


class Unit(NamedTuple):
    kind: str
    factor: Fraction
    """To the first unit of its kind."""


def _units() -> dict[str, Unit]:
    """By every name, in lower case."""
    given = {
        "length": ("mm millimetre:0.001 cm centimetre:0.01 m metre:1 km kilometre:1000"),
        "mass": "mg milligram:0.001 g gram:1 kg kilogram kilo:1000 t tonne:1000000",
        "time": "s sec second:1 min minute:60 h hr hour:3600 day:86400 week:604800",
        "volume": "ml millilitre:0.001 cl centilitre:0.01 l litre:1",
        "speed": "m/s mps:3.6 km/h kmh kph:1",
        "euros": "cent ct:0.01 euro eur €:1",
        "dollars": "dollar usd $:1",
        "pounds": "£ gbp:1",
        "area": "mm²:0.000001 cm²:0.0001 m²:1 km²:1000000",
        "space": "cm³:0.000001 dm³:0.001 m³:1",
    }
    found: dict[str, Unit] = {}
    for kind, words in given.items():
        for names, factor in re.findall(r"([^:]+):([0-9.]+)\s*", words):
            for name in names.split():
                unit = Unit(kind, Fraction(factor))
                found |= {
                    form: unit for form in (name, f"{name}s", name.replace("re", "er"), name.replace("re", "ers"))
                }
    for name, square in (("metre", "m²"), ("meter", "m²"), ("centimetre", "cm²"), ("centimeter", "cm²")):
        found |= {f"square {name}": found[square], f"square {name}s": found[square]}
    for name in ("kilometres per hour", "kilometers per hour", "km per hour"):
        found[name] = found["km/h"]
    return found


UNITS = _units()
_UNIT = re.compile(
    rf"[\s\-]*(?:\\text\{{|\\mathrm\{{)?\s*({'|'.join(map(re.escape, sorted(UNITS, key=len, reverse=True)))})(?![\w/])",
    re.IGNORECASE,
)
_MOST = 20
"""Numbers in one answer that are looked at."""


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


def _plain(text: str) -> str:
    """Powers as one sign, so that the 2 of m^2 is no number; minus and fractions as letters of ASCII."""
    text = re.sub(r"(?<=m)(?:\s?\^\{?|(?=[23]\b))([23])\}?", lambda power: "²³"[int(power[1]) - 2], text)
    for sign, words in {
        "½": " 1/2",
        "¼": " 1/4",
        "¾": " 3/4",
        "−": "-",
        "﹣": "-",
        "－": "-",
        "⁄": "/",
        "\\$": "$",
        "\\%": "%",
    }.items():
        text = text.replace(sign, words)
    return text.replace("{,}", ",").replace("\\!", "").replace("\\,", "").replace("\u00a0", " ").replace("\u202f", " ")


def in_unit(found: list[Quantity], wanted: str) -> list[Number]:
    """Each as a number of that unit (as it is, where none is wanted or given). `2 h 30 min` is one quantity; what is of another
    kind is none."""
    unit = UNITS[wanted.casefold()] if wanted else None
    if unit is None:
        return [one.number for one in found]
    if any(one.unit is not None and one.unit.kind != unit.kind for one in found):
        return []
    values = [one.number.value * (one.unit.factor / unit.factor if one.unit else 1) for one in found]
    sizes = [one.unit.factor / unit.factor for one in found if one.unit is not None]
    falling = len(sizes) == len(found) > 1 and sizes == sorted(set(sizes), reverse=True)
    if falling and all(0 <= value < size for value, size in zip(values[1:], sizes, strict=False)):
        return [Number(sum(values, Fraction(0)), " ".join(one.number.text for one in found))]
    return [Number(value, one.number.text) for value, one in zip(values, found, strict=True)]
