"""The built-in redaction rules, read from `redaction_rules.yaml`, and the checks that they name. `redaction.py` applies them."""

import ipaddress
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from verigym.core.records import Json

_FILE: Json = msgspec.yaml.decode(Path(__file__).with_suffix(".yaml").read_bytes())
_SECRET_NAME = "".join(_FILE["secret_name"])


def _compiled(pieces: Sequence[str]) -> re.Pattern[str]:
    return re.compile("".join(pieces).replace("<<SECRET_NAME>>", _SECRET_NAME))


SECRET_KEY = _compiled(_FILE["secret_key"])
"""Keys of an object whose value is a secret, whatever it looks like."""
_NOT_SECRET = _compiled(_FILE["not_secret"])


class RedactionRule(Struct, frozen=True, kw_only=True):
    name: str
    """`email` replaces values with `[EMAIL 1]`."""
    about: str
    """What it finds, for people."""
    pattern: Any
    """Compiled. The group `secret` is redacted, or the whole match if the pattern has no such group."""
    hints: tuple[str, ...] = ()
    """The rule applies only if the text's `shape` contains one of these. Empty for any text."""
    needs: Any = None
    """The rule applies only if this compiled pattern matches in the shape."""
    accept: Callable[[str], str] | None = None
    """Returns the part of a match, from its start, that is a value. Empty to reject the match."""
    by_keyword: bool = False
    """A keyword identifies the value. Once found, the value is redacted everywhere in the trajectory."""
    loose: bool = False
    """Values that differ only in spaces, dots and dashes are the same: `+44 20 7946 0958` is `+442079460958`."""


_DIGITS = {ord(digit): "0" for digit in "123456789"}


def shape(text: str) -> str:
    """The text in lower case with every digit replaced by 0. Searching it for hints is faster than running the rule."""
    return text.lower().translate(_DIGITS)


def _luhn(text: str) -> str:
    digits = [int(letter) for letter in text if letter.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return text if (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0 else ""


def _iban(text: str) -> str:
    """Checks the length for the country and the checksum (remainder 1 modulo 97)."""
    length, taken = _FILE["iban_lengths"].get(text[:2], 0), ""
    for index, letter in enumerate(text):
        taken += letter if letter != " " else ""
        if len(taken) == length:
            number = "".join(str(int(letter, 36)) for letter in taken[4:] + taken[:4])
            return text[: index + 1] if int(number) % 97 == 1 else ""
    return ""


def _address(text: str) -> str:
    """Accepts public internet addresses. Private ones identify no person, and `3.2.1.4` may be a chapter number."""
    bare = text.rstrip(":.")
    try:
        address = ipaddress.ip_address(bare)
    except ValueError:
        return ""
    section = address.version == 4 and all(len(part) == 1 for part in bare.split("."))
    return bare if address.is_global and not section else ""


def _phone(text: str) -> str:
    bare = text.rstrip(" .-(")
    return bare if 7 <= sum(letter.isdigit() for letter in bare) <= 15 else ""


def is_secret(text: str) -> bool:
    """Whether the value of a key such as `password` is a secret, not a stand-in (`none`, `${PASSWORD}`, `****`)."""
    return _NOT_SECRET.fullmatch(text) is None


def _value(text: str) -> str:
    return text if is_secret(text) else ""


def is_odd(text: str) -> bool:
    """Whether the text differs from an ordinary word: it contains a digit or a sign."""
    return len(text) >= 6 and any(not letter.isalpha() for letter in text)


def _odd_value(text: str) -> str:
    """Ordinary words also follow `password is` and `password:`, so this accepts only odd values."""
    bare = text.rstrip(".,;:!?")
    return bare if is_odd(bare) and "://" not in bare and is_secret(bare) else ""


def literal(name: str, values: Iterable[str]) -> RedactionRule:
    """The rule that finds only these values."""
    words = "|".join(re.escape(value) for value in sorted(values, key=len, reverse=True))
    return RedactionRule(
        name=name,
        about="values known from elsewhere in the trajectory",
        pattern=re.compile(rf"(?<!\w)(?:{words})(?!\w)"),
    )


_CHECKS = {check.__name__: check for check in (_address, _iban, _luhn, _odd_value, _phone, _value)}


def _rule(row: Json) -> RedactionRule:
    fields = {
        "pattern": _compiled(row["pattern"]),
        "needs": _compiled(row["needs"]) if "needs" in row else None,
        "hints": tuple(row["hints"]),
        "accept": _CHECKS[f"_{row['accept']}"] if "accept" in row else None,
    }
    return RedactionRule(**row | fields)


BUILT_IN = [_rule(row) for row in _FILE["rules"]]
"""In the order in which they are tried. A rule does not see what an earlier one matched."""
