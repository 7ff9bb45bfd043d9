"""Kinds of values for the parameters of `functions`: what a request says, and what the call has to contain.

A kind is written as `int(1-40)`, `qty(km 5-900)`, `one(red|blue)`, `list(city 2-4)`, or as the name of a list of `values.txt`.
It has a JSON schema, a hint for the description (a unit, a format), and draws values. Nothing here knows requests or functions.
"""

import math
import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from verigym.core.records import Json

_FILE = Path(__file__).with_name("values.txt")
_DIGITS, _CAPITALS, _LETTERS = "0123456789", "ABCDEFGHJKLMNPQRSTUVWXYZ", "abcdefghjkmnpqrstuvwxyz"
_COUNTS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
]  # fmt: skip
_MONTHS = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
]  # fmt: skip
_IN_WORDS, _CONVERTED = 0.2, 0.15
"""How often a small number is written in words, and a quantity is stated in another unit than the parameter has."""


class Value(NamedTuple):
    words: str
    """What the request says."""
    value: Any
    """What the call contains."""


class Kind(NamedTuple):
    schema: Json
    hint: str
    """A unit or a format that the description of the parameter states: `in kilometers`."""
    draw: Callable[[Random], Value]


@cache
def read_kind(text: str) -> Kind:
    """The kind of `name` or `name(arguments)`."""
    match = re.fullmatch(r"(\w+)(?:\((.*)\))?", text)
    assert match is not None, f"{text!r} is not a kind of values"
    name, arguments = match[1], match[2] or ""
    if name in _READERS:
        return _READERS[name](arguments)
    assert name in lists(), f"{text!r}: there is no kind or list of values with this name"
    return _listed(name)


# -- numbers --------------------------------------------------------------------------------------------------------------


def _range(text: str) -> tuple[float, float, int]:
    """`1-40`, or with decimals `0.5-9,2`. A bound below zero is written `-20..45`."""
    bounds, _, decimals = text.partition(",")
    low, high = bounds.split("..") if ".." in bounds else bounds.split("-")
    return float(low), float(high), int(decimals or 0)


def _whole(value: float) -> int | float:
    return int(value) if value == int(value) else value


def _digits(value: float, random: Random) -> str:
    """`12500` or `12,500`."""
    return f"{value:,}" if abs(value) >= 1000 and random.random() < 0.5 else str(value)


def _number(low: float, high: float, decimals: int, random: Random) -> int | float:
    if decimals or high - low < 3:
        return _whole(round(random.uniform(low, high), decimals or 1))
    value = random.randint(math.ceil(low), math.floor(high))
    return value if value < 2000 or random.random() < 0.5 else round(value, 2 - len(str(value)))


def _integer(arguments: str) -> Kind:
    low, high, _ = _range(arguments)

    def draw(random: Random) -> Value:
        value = int(_number(low, high, 0, random)) if high - low >= 3 else random.randint(int(low), int(high))
        if 0 <= value <= 20 and random.random() < _IN_WORDS:
            return Value(_COUNTS[value], value)
        return Value(_digits(value, random), value)

    return Kind({"type": "integer"}, "", draw)


def _year(arguments: str) -> Kind:
    low, high, _ = _range(arguments or "1950-2026")

    def draw(random: Random) -> Value:
        value = random.randint(int(low), int(high))
        return Value(str(value), value)

    return Kind({"type": "integer"}, "", draw)


def _real(arguments: str) -> Kind:
    low, high, decimals = _range(arguments)
    choices = (0, decimals or 1) if high - low >= 3 else (decimals or 1,)

    def draw(random: Random) -> Value:
        value = _number(low, high, random.choice(choices), random)
        if 1 <= value < 20 and random.random() < _IN_WORDS / 2:
            count = _COUNTS[int(value)]
            return Value(f"{count} and a half", int(value) + 0.5) if value != int(value) else Value(count, value)
        return Value(_digits(value, random), value)

    return Kind({"type": "number"}, "", draw)


def _money(arguments: str) -> Kind:
    low, high, decimals = _range(arguments)

    def draw(random: Random) -> Value:
        value = _number(low, high, decimals, random)
        if value >= 1_000_000 and random.random() < 0.5:
            millions = _whole(round(value / 1_000_000, 1))
            return Value(f"${millions} million", round(millions * 1_000_000))
        digits = f"{value:,.2f}" if value != int(value) else f"{value:,}"
        return Value(
            random.choice((f"${digits}", f"${digits}", f"{digits} dollars", f"${digits.replace(',', '')}")), value
        )

    return Kind({"type": "number"}, "in US dollars", draw)


def _percent(arguments: str) -> Kind:
    low, high, decimals = _range(arguments)

    def draw(random: Random) -> Value:
        value = _number(low, high, random.choice((0, decimals or 1)), random)
        return Value(f"{value}{random.choice(('%', '%', ' percent'))}", value)

    return Kind({"type": "number"}, "in percent, such as 4.5 for 4.5%", draw)


def _fraction(arguments: str) -> Kind:
    low, high, decimals = _range(arguments)

    def draw(random: Random) -> Value:
        value = _number(low, high, random.choice((0, decimals or 1)), random)
        return Value(f"{value}{random.choice(('%', '%', ' percent'))}", _whole(round(value / 100, 6)))

    return Kind({"type": "number"}, "as a decimal, such as 0.045 for 4.5%", draw)


UNITS: dict[str, tuple[str, str, tuple[tuple[str, int], ...]]] = {
    "km": ("kilometers", "km", ()),
    "m": ("meters", "m", (("kilometers", 1000), ("km", 1000))),
    "cm": ("centimeters", "cm", (("meters", 100),)),
    "mm": ("millimeters", "mm", (("centimeters", 10), ("cm", 10))),
    "mi": ("miles", "miles", ()),
    "ft": ("feet", "ft", ()),
    "in": ("inches", "inches", (("feet", 12),)),
    "kg": ("kilograms", "kg", (("tonnes", 1000),)),
    "g": ("grams", "g", (("kilograms", 1000), ("kg", 1000))),
    "mg": ("milligrams", "mg", (("grams", 1000),)),
    "t": ("tonnes", "tonnes", ()),
    "lb": ("pounds", "lbs", ()),
    "oz": ("ounces", "oz", ()),
    "s": ("seconds", "seconds", (("minutes", 60),)),
    "min": ("minutes", "minutes", (("hours", 60),)),
    "h": ("hours", "hours", (("days", 24),)),
    "days": ("days", "days", (("weeks", 7),)),
    "weeks": ("weeks", "weeks", ()),
    "months": ("months", "months", (("years", 12),)),
    "years": ("years", "years", ()),
    "c": ("degrees Celsius", "°C", ()),
    "f": ("degrees Fahrenheit", "°F", ()),
    "k": ("kelvin", "K", ()),
    "deg": ("degrees", "degrees", ()),
    "l": ("liters", "liters", ()),
    "ml": ("milliliters", "ml", (("liters", 1000),)),
    "cups": ("cups", "cups", ()),
    "w": ("watts", "W", (("kilowatts", 1000), ("kW", 1000))),
    "kw": ("kilowatts", "kW", ()),
    "kwh": ("kilowatt hours", "kWh", ()),
    "v": ("volts", "V", ()),
    "a": ("amperes", "A", ()),
    "ohm": ("ohms", "ohms", (("kiloohms", 1000),)),
    "n": ("newtons", "N", (("kilonewtons", 1000),)),
    "j": ("joules", "J", (("kilojoules", 1000), ("kJ", 1000))),
    "pa": ("pascals", "Pa", (("kilopascals", 1000), ("kPa", 1000))),
    "hz": ("hertz", "Hz", (("kilohertz", 1000), ("kHz", 1000))),
    "mps": ("meters per second", "m/s", ()),
    "kmh": ("kilometers per hour", "km/h", ()),
    "mph": ("miles per hour", "mph", ()),
    "knots": ("knots", "knots", ()),
    "sqm": ("square meters", "m2", ()),
    "sqft": ("square feet", "sq ft", ()),
    "ha": ("hectares", "hectares", ()),
    "acres": ("acres", "acres", ()),
    "mb": ("megabytes", "MB", ()),
    "gb": ("gigabytes", "GB", ()),
    "kcal": ("kilocalories", "kcal", ()),
    "mol": ("moles", "mol", ()),
    "px": ("pixels", "px", ()),
    "bpm": ("beats per minute", "bpm", ()),
    "mbps": ("megabits per second", "Mbps", ()),
    "lux": ("lux", "lux", ()),
}  # fmt: skip
"""Unit: its plural, its sign, and larger units with their factors."""


def _quantity(arguments: str, integer: bool = False) -> Kind:
    unit, _, bounds = arguments.partition(" ")
    low, high, decimals = _range(bounds)
    plural, sign, larger = UNITS[unit]
    converted = [
        Value(f"{count if count > 1 else 'one'} {name if count > 1 or len(name) < 4 else name[:-1]}", count * factor)
        for name, factor in larger
        for count in range(1, 10)
        if low <= count * factor <= high
    ]

    def draw(random: Random) -> Value:
        if converted and random.random() < _CONVERTED:
            return random.choice(converted)
        value = _number(low, high, 0 if integer else random.choice((0, 0, decimals or 1)), random)
        shown = _COUNTS[int(value)] if value in range(2, 13) and random.random() < _IN_WORDS else _digits(value, random)
        if value == 1 and len(plural) > 3 and plural.endswith("s"):
            return Value(f"1 {plural[:-1]}", 1)
        return Value(f"{shown} {random.choice((plural, sign))}", value)

    return Kind({"type": "integer" if integer else "number"}, f"in {plural}", draw)


# -- text -----------------------------------------------------------------------------------------------------------------


@cache
def lists() -> dict[str, tuple[str, list[Value]]]:
    """Lists of values by name, with their hints. A line is `name [hint]: value | words=value`."""
    read: dict[str, tuple[str, list[Value]]] = {}
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            match = re.fullmatch(r"(\w+)(?: \[(.*?)\])?: (.*)", line)
            assert match is not None, f"values.txt: {line[:60]!r} is not `name [hint]: value | value`"
            read[match[1]] = (match[2] or "", [_entry(entry) for entry in match[3].split(" | ")])
    return read


def _entry(text: str) -> Value:
    """`value`, or `words=value` if the request says something else. An equal sign with spaces is part of the value."""
    words, *value = re.split(r"(?<! )=(?! )", text.strip(), maxsplit=1)
    return Value(words, value[0] if value else words)


def _listed(name: str) -> Kind:
    hint, values = lists()[name]
    return Kind({"type": "string"}, hint, lambda random: random.choice(values))


def _open_text(arguments: str) -> Kind:
    values = [_entry(entry) for entry in arguments.split("|")]
    return Kind({"type": "string"}, "", lambda random: random.choice(values))


def _one_of(arguments: str) -> Kind:
    """An enum. `round_trip` is said as `round trip`. `words=value` says another word."""
    entries = [_entry(entry) for entry in arguments.split("|")]
    values = [Value(entry.words.replace("_", " "), entry.value) for entry in entries]
    enum = list(dict.fromkeys(value.value for value in values))
    return Kind({"type": "string", "enum": enum}, "", lambda random: random.choice(values))


def _code(arguments: str) -> Kind:
    """A code with the pattern `ORD-#####`: # is a digit, @ a capital letter, ~ a small letter."""
    alphabets = {"#": _DIGITS, "@": _CAPITALS, "~": _LETTERS}

    def draw(random: Random) -> Value:
        code = "".join(random.choice(alphabets[sign]) if sign in alphabets else sign for sign in arguments)
        return Value(code, code)

    return Kind({"type": "string"}, "", draw)


def _person(arguments: str) -> Kind:
    first, last = lists()["first_name"][1], lists()["last_name"][1]

    def draw(random: Random) -> Value:
        name = f"{random.choice(first).words} {random.choice(last).words}"
        return Value(name, name)

    return Kind({"type": "string"}, "", draw)


def _email(arguments: str) -> Kind:
    first, last, hosts = (lists()[name][1] for name in ("first_name", "last_name", "mail_host"))

    def draw(random: Random) -> Value:
        one, two = random.choice(first).words.lower(), random.choice(last).words.lower()
        address = f"{random.choice((f'{one}.{two}', f'{one[0]}{two}', one))}@{random.choice(hosts).words}"
        return Value(address, address)

    return Kind({"type": "string"}, "", draw)


def _boolean(arguments: str) -> Kind:
    yes, _, no = arguments.partition("|")
    values = [Value(yes, True), Value(no, False)]
    return Kind({"type": "boolean"}, "", lambda random: random.choice(values))


def _flag(arguments: str) -> Kind:
    """A switch that a clause of the request turns on (or off, if the default is true)."""
    value = Value("", arguments != "off")
    return Kind({"type": "boolean"}, "", lambda random: value)


# -- days and times -------------------------------------------------------------------------------------------------------

_DATE_FORMATS = {
    "date": ("%Y-%m-%d", "in the format YYYY-MM-DD"),
    "date_us": ("%m/%d/%Y", "in the format MM/DD/YYYY"),
    "date_eu": ("%d.%m.%Y", "in the format DD.MM.YYYY"),
}


def _date(name: str) -> Kind:
    form, hint = _DATE_FORMATS[name]

    def draw(random: Random) -> Value:
        day = date(2024, 1, 1) + timedelta(days=random.randrange(1300))
        month, number = _MONTHS[day.month - 1], day.day
        ending = "th" if 10 < number < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
        words = random.choice(
            (
                f"{month} {number}, {day.year}",
                f"{number} {month} {day.year}",
                f"{month} {number}{ending}, {day.year}",
                f"the {number}{ending} of {month} {day.year}",
                day.strftime(form),
            )
        )
        return Value(words, day.strftime(form))

    return Kind({"type": "string"}, hint, draw)


def _time(arguments: str) -> Kind:
    def draw(random: Random) -> Value:
        hour, minute = random.randrange(6, 23), random.choice((0, 0, 15, 30, 45, random.randrange(60)))
        value, half = f"{hour:02}:{minute:02}", "am" if hour < 12 else "pm"
        clock = f"{(hour - 1) % 12 + 1}" + (f":{minute:02}" if minute else "")
        words = "noon" if value == "12:00" else random.choice((f"{clock} {half}", f"{clock}{half}", value))
        return Value(words, value)

    return Kind({"type": "string"}, "in 24-hour format HH:MM", draw)


# -- lists ----------------------------------------------------------------------------------------------------------------


def joined(words: list[str], random: Random) -> str:
    """`a, b and c`."""
    if len(words) == 1:
        return words[0]
    last = ", and" if len(words) > 2 and random.random() < 0.5 else " and"
    return f"{', '.join(words[:-1])}{last} {words[-1]}"


def _array(arguments: str) -> Kind:
    """`list(city 2-4)`: distinct texts, or numbers."""
    inner, _, bounds = arguments.rpartition(" ")
    kind = read_kind(inner)
    low, high, _ = _range(bounds)
    numeric = kind.schema["type"] in ("integer", "number")

    def draw(random: Random) -> Value:
        values: list[Value] = []
        for _ in range(random.randint(int(low), int(high))):
            value = kind.draw(random)
            if numeric or value not in values:
                values.append(value)
        plain = [str(each.value) for each in values]
        if numeric and not kind.hint:
            whole = ", ".join(plain)
            words = random.choice((f"[{whole}]", whole, joined(plain, random)))
        else:
            words = joined([each.words for each in values], random)
        return Value(words, [each.value for each in values])

    return Kind({"type": "array", "items": kind.schema}, kind.hint, draw)


def _objects(arguments: str) -> Kind:
    """`objs({count} of {name}; name:product; count:int(1-9))`: objects, each said with these words."""
    words, *fields = (part.strip() for part in arguments.split(";"))
    kinds = {name: read_kind(kind) for name, _, kind in (field.partition(":") for field in fields)}
    items = {
        "type": "object",
        "properties": {
            name: {**kind.schema, **({"description": _sentence(name, kind)})} for name, kind in kinds.items()
        },
        "required": [*kinds],
    }

    def draw(random: Random) -> Value:
        drawn = [{name: kind.draw(random) for name, kind in kinds.items()} for _ in range(random.randint(1, 3))]
        said = [words.format(**{name: value.words for name, value in each.items()}) for each in drawn]
        return Value(joined(said, random), [{name: value.value for name, value in each.items()} for each in drawn])

    return Kind({"type": "array", "items": items}, "", draw)


def _sentence(name: str, kind: Kind) -> str:
    return f"{name.replace('_', ' ').capitalize()}{', ' if kind.hint else ''}{kind.hint}."


_READERS: dict[str, Callable[[str], Kind]] = {
    "int": _integer,
    "year": _year,
    "num": _real,
    "money": _money,
    "pct": _percent,
    "frac": _fraction,
    "qty": _quantity,
    "iqty": lambda arguments: _quantity(arguments, integer=True),
    "pick": _open_text,
    "one": _one_of,
    "code": _code,
    "person": _person,
    "email": _email,
    "bool": _boolean,
    "flag": _flag,
    "date": lambda arguments: _date("date"),
    "date_us": lambda arguments: _date("date_us"),
    "date_eu": lambda arguments: _date("date_eu"),
    "time": _time,
    "list": _array,
    "objs": _objects,
}
