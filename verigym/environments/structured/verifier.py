"""Compares the JSON of a reply with the right object, field by field, along the task's schema.

In texts, case, extra spaces, a leading article or field name, and a final full stop are ignored. Dates and times are compared by
meaning. Numbers are compared by value, and a number as text is wrong. The order of a list counts unless its schema has
`"x-order": "any"`. Then the most similar elements are paired. A missing key is null, and null is not an empty list. Invented
content (a value instead of null, an unknown key, an extra element) counts as wrong.
"""

import re
import unicodedata
from collections.abc import Iterator
from datetime import date
from typing import Any, NamedTuple

from verigym.core.errors import VerifierFailure
from verigym.core.records import Json, Task, Trajectory, Verdict
from verigym.environments.structured.forms import MONTHS
from verigym.verifiers.answers import find_json

_SHOWN = 8
"""Maximum fields named in the evidence."""
_MOST = 60
"""Maximum elements of a list that are compared."""
_TOO_BIG = 1e300
"""Larger whole numbers cannot be compared with a float."""


class Field(NamedTuple):
    path: str
    wrong: str
    """Empty if the field is right."""
    wanted: bool = True
    """Whether the right object has a value here. A correct null is not counted as a field."""


def structured_verifier(task: Task, trajectory: Trajectory) -> Verdict:
    """Gives 1 if every field is right and nothing is invented, and otherwise half of the share of right fields."""
    if not isinstance(task.data.get("gold"), dict) or not isinstance(task.data.get("schema"), dict):
        raise VerifierFailure(f'task {task.id}: data needs "schema" and "gold", an object that fits it')
    try:
        given = find_json(trajectory.reply)
    except ValueError as error:
        parts = {"valid_json": 0.0, "fields": 0.0}
        return Verdict(reward=0.0, parts=parts, evidence=f'not JSON: {error}: "{trajectory.reply[:120]}"')
    compared = list(compare(task.data["schema"], task.data["gold"], given, "$"))
    wrong = [field for field in compared if field.wrong]
    right = sum(field.wanted for field in compared) - sum(field.wanted for field in wrong)
    share = right / len(compared) if compared else 1.0
    passed = not wrong
    return Verdict(
        reward=1.0 if passed else share / 2,
        passed=passed,
        parts={"valid_json": 1.0, "fields": share},
        evidence=f"all {len(compared)} fields are right" if passed else _words(wrong),
    )


def _words(wrong: list[Field]) -> str:
    more = [f"and {len(wrong) - _SHOWN} more"] if len(wrong) > _SHOWN else []
    return "\n".join([*(f"{field.path}: {field.wrong}" for field in wrong[:_SHOWN]), *more])


# -- Along the schema ----------------------------------------------------------------------------------------------------


def compare(schema: Json, expected: Any, given: Any, path: str) -> Iterator[Field]:
    """Compares every expected field, and finds every unexpected one."""
    if expected is None:
        if given is not None:
            yield Field(path, f"{_short(given)}, and the text does not say", wanted=False)
    elif "properties" in schema:
        yield from _object(schema["properties"], expected, given, path)
    elif "items" in schema:
        yield from _list(schema, expected, given, path)
    else:
        name = re.sub(r"\[\d+\]$", "", path).rpartition(".")[2]
        yield Field(path, unlike(schema, expected, given, name))


def _object(properties: Json, expected: Json, given: Any, path: str) -> Iterator[Field]:
    found: Json = given if isinstance(given, dict) else {}
    if given is not None and not isinstance(given, dict):
        yield Field(path, f"{_short(given)}, expected an object", wanted=False)
    for name in [name for name in found if name not in properties]:
        yield Field(f"{path}.{name[:60]}", "a key that the schema does not have", wanted=False)
    for name, schema in properties.items():
        yield from compare(schema, expected.get(name), found.get(name), f"{path}.{name}")


def _list(schema: Json, expected: list[Any], given: Any, path: str) -> Iterator[Field]:
    found: list[Any] = given[:_MOST] if isinstance(given, list) else []
    if given is not None and not isinstance(given, list):
        yield Field(path, f"{_short(given)}, expected a list", wanted=False)
    if given is None and not expected:
        yield Field(path, "missing, expected []")
    if schema.get("x-order") == "any":
        found = _paired(schema["items"], expected, found)
    for place, value in enumerate(expected):
        other = found[place] if place < len(found) else None
        yield from compare(schema["items"], value, other, f"{path}[{place}]")
    for place, value in enumerate(found[len(expected) :], start=len(expected)):
        yield Field(f"{path}[{place}]", f"{_short(value)} is one too many", wanted=False)


def _paired(items: Json, expected: list[Any], found: list[Any]) -> list[Any]:
    """Orders the elements like those they resemble most. The most similar pair is matched first. Unmatched elements come last."""
    likeness = [
        (sum(not field.wrong for field in compare(items, value, other, "")), -place, -where)
        for place, value in enumerate(expected)
        for where, other in enumerate(found)
    ]
    paired: dict[int, int] = {}
    for _, place, where in sorted(likeness, reverse=True):
        if -place not in paired and -where not in paired.values():
            paired[-place] = -where
    rest = [other for where, other in enumerate(found) if where not in paired.values()]
    return [found[paired[place]] if place in paired else None for place in range(len(expected))] + rest


# -- Values ----------------------------------------------------------------------------------------------------------------


def unlike(schema: Json, expected: Any, given: Any, name: str = "") -> str:
    """Describes what is wrong with the value of a field. Empty if nothing is."""
    if given is None:
        return f"missing, expected {_short(expected)}"
    kinds = _kind(expected), _kind(given)
    if kinds[0] != kinds[1]:
        same = False
    elif kinds[0] == "a number":
        same = abs(given) < _TOO_BIG and abs(given - expected) <= 1e-9 * max(1.0, abs(expected))
    elif kinds[0] == "text":
        read = {"date": _day, "time": _time}.get(schema.get("format", ""))
        same = read(given) == read(expected) if read else _unnamed(name, given) == _unnamed(name, expected)
    else:
        same = given == expected
    named = f" as {kinds[0]}" if kinds[0] != kinds[1] else ""
    return "" if same else f"{_short(given)}, expected {_short(expected)}{named}"


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "true or false"
    return "a number" if isinstance(value, int | float) else "text" if isinstance(value, str) else "a list or an object"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


_TYPED = str.maketrans("‘’“”‐‑–−", "''\"\"----")
"""Typographic quotes and dashes to ASCII."""


def plain(text: str) -> str:
    """Removes what does not matter, such as a leading article ("the old mill")."""
    typed = unicodedata.normalize("NFKC", text).translate(_TYPED)
    said = " ".join(typed.casefold().split()).strip(" .\"'")
    return re.sub(r"^(?:the|an?) (?=.)", "", said)


def _unnamed(name: str, text: str) -> str:
    """Removes the name of the field from the start: for `shelf`, "shelf R32" becomes R32."""
    said = plain(text)
    first, _, rest = said.partition(" ")
    return rest if rest and first in name.split("_") else said


_ISO = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ]00:00(?::00(?:\.0+)?)?Z?)?")
_DOTS = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})")
_DAY_FIRST = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?(?: of)? ([a-z]{3,9})\.?,? (\d{4})")
_MONTH_FIRST = re.compile(r"([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})")
_WEEKDAY = re.compile(r"(mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?,? (?:the )?(?=.)")


def _day(text: str) -> date | str:
    """Reads a date in any unambiguous format (not 03/04/2026)."""
    said = plain(text)
    named = _WEEKDAY.match(said)
    said = said[named.end() :] if named else said
    if found := _ISO.fullmatch(said.upper().replace("/", "-")):
        parts = found.groups()
    elif found := _DOTS.fullmatch(said):
        parts = found.groups()[::-1]
    elif found := _DAY_FIRST.fullmatch(said):
        parts = (found[3], _month(found[2]), found[1])
    elif found := _MONTH_FIRST.fullmatch(said):
        parts = (found[3], _month(found[1]), found[2])
    else:
        return said
    try:
        meant = date(*map(int, parts))
    except ValueError:
        return said
    return meant if named is None or f"{meant:%a}".casefold() == named[1] else plain(text)


def _month(name: str) -> int:
    """0 if the text is not a month."""
    return next((place for place, month in enumerate(MONTHS, start=1) if month.casefold().startswith(name)), 0)


_CLOCK = re.compile(r"(\d{1,2})[:.](\d{2})(?::00)?(?: ?([ap])\.?m\.?| ?h)?")


def _time(text: str) -> str:
    found = _CLOCK.fullmatch(plain(text))
    if found is None:
        return plain(text)
    hour = int(found[1]) if not found[3] else int(found[1]) % 12 + (12 if found[3] == "p" else 0)
    return f"{hour:02}:{found[2]}"
