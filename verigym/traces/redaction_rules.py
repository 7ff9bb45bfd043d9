"""The built-in redaction rules, read from `redaction_rules.yaml`, and the checks that they name. `redaction.py` applies them."""

import functools
import ipaddress
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from verigym.core.records import Json

_FILE: Json = msgspec.yaml.decode(Path(__file__).with_suffix(".yaml").read_bytes())
_PARTS = {f"<<{name.upper()}>>": "".join(_FILE[name]) for name in ("secret_name", "weak_name", "value")}


def _compiled(pieces: Sequence[str]) -> re.Pattern[str]:
    pattern = "".join(pieces)
    for name, part in _PARTS.items():
        pattern = pattern.replace(name, part)
    return re.compile(pattern)


SECRET_KEY = _compiled(_FILE["secret_key"])
"""Keys of an object whose value is a secret, whatever it looks like."""
_WEAK_KEY = _compiled(_FILE["weak_key"])
_NOT_SECRET = _compiled(_FILE["not_secret"])
_CODE = _compiled(_FILE["code"])
_DESCRIPTION = _compiled(_FILE["description"])
_LABELS = frozenset(_FILE["labels"])
_VALUES = frozenset(_FILE["values"])
_SCHEMA = frozenset(_FILE["schema"])
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_FILE_NAME = re.compile(r"[/\\]|\.[a-z]{2,5}$")
_PATH = re.compile(r"[/~]|[A-Za-z]:[\\/]")
_SIGNS = frozenset("!@#$%^&*")
_LONGEST_NAME = 100
"""Maximum characters of a text that can be the name of a secret."""


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
    longest_word: int = 0
    """The rule applies only if some word of the text has at least this many characters."""
    accept: Callable[[str], str] | None = None
    """Returns the part of a match, from its start, that is a value. Empty to reject the match."""
    skips_rejected: bool = False
    """Whether a rejected match cannot contain another one."""
    by_keyword: bool = False
    """A keyword identifies the value. Once found, the value is redacted everywhere in the trajectory."""
    loose: bool = False
    """Values that differ only in spaces, dots and dashes are the same: `+44 20 7946 0958` is `+442079460958`."""


_LOOKALIKES = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
"""Characters to the ones that they look like: full-width forms, spaces and dashes."""
_LOOKALIKES |= dict.fromkeys((0xA0, 0x2007, 0x2009, 0x202F, 0x3000), " ") | dict.fromkeys((0x2010, 0x2011), "-")
_DIGITS = {ord(digit): "0" for digit in "123456789"}


def plain_letters(text: str) -> str:
    """The text of the same length with `=` for a full-width one, and so on."""
    return text if text.isascii() else text.translate(_LOOKALIKES)


def shape(text: str) -> str:
    """The text in lower case with every digit replaced by 0. Searching it for hints is faster than running the rule."""
    return plain_letters(text).lower().translate(_DIGITS)


_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)
"""The sum of the digits of twice a digit."""


def _luhn(text: str) -> str:
    digits = list(map(int, filter(str.isdigit, text)))
    doubled = map(_DOUBLED.__getitem__, digits[-2::-2])
    return text if (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0 else ""


def _iban(text: str) -> str:
    """Checks the length for the country and the checksum (remainder 1 modulo 97)."""
    length, taken = _FILE["iban_lengths"].get(text[:2].upper(), 0), ""
    for index, letter in enumerate(text):
        taken += letter if letter.isalnum() else ""
        if len(taken) == length:
            number = "".join(str(int(letter, 36)) for letter in taken[4:] + taken[:4])
            return text[: index + 1] if int(number) % 97 == 1 else ""
    return ""


_IN_USE = ipaddress.ip_network("2000::/3")
"""The IPv6 addresses that are given out."""
_NAME_SERVERS = {"1.0.0.1", "1.1.1.1", "4.2.2.1", "4.2.2.2", "8.8.4.4", "8.8.8.8", "9.9.9.9"}


def _address(text: str) -> str:
    """Accepts public internet addresses. Private ones identify no person, `3.2.1.4` may be a chapter number, and
    `10:20:30:40:50:60:70:80` is not an address that is in use."""
    bare = text.rstrip(":.")
    try:
        address = ipaddress.ip_address(bare)
    except ValueError:
        return ""
    if address.version == 6:
        return bare if address.is_global and address in _IN_USE else ""
    section = all(len(part) == 1 for part in bare.split(".")) and bare not in _NAME_SERVERS
    return bare if address.is_global and not address.is_multicast and not section else ""


def _phone(text: str) -> str:
    bare = text.rstrip(" .-(")
    least = 10 if bare[0] == "+" and bare[1:].isdigit() else 7  # +12345678 may be a score
    return bare if least <= sum(letter.isdigit() for letter in bare) <= 15 else ""


def is_secret(text: str) -> bool:
    """Whether the value of a key such as `password` is a secret, not a stand-in (`none`, `${PASSWORD}`, `****`)."""
    return _NOT_SECRET.fullmatch(text) is None


@functools.lru_cache(4096)
def check_of_key(key: str) -> Callable[[str], bool] | None:
    """Whether a value of this key is a secret. None if the key names no secret."""
    words = _CAMEL.sub("_", plain_letters(key))
    if words.lower() in ("pwd", "old_pwd", "oldpwd"):
        return lambda text: is_secret(text) and not _PATH.match(text)
    if SECRET_KEY.fullmatch(words):
        return is_secret
    if SECRET_KEY.fullmatch(words.replace(" ", "_")):  # Forgot password: a label in a form
        return _is_likely
    if _WEAK_KEY.fullmatch(words):
        return (lambda text: _is_likely(text, 8)) if words.lower().endswith("token") else _is_likely
    return None


@functools.lru_cache(4096)
def _holds_secrets(key: str) -> bool:
    """Whether everything in an object or list of this key is a secret: `{"password": {"old": "a", "new": "b"}}`."""
    words = _CAMEL.sub("_", key)
    return SECRET_KEY.fullmatch(words) is not None and not words.lower().endswith("authorization")


@functools.lru_cache(4096)
def _describes(name: str) -> bool:
    return _DESCRIPTION.fullmatch(_CAMEL.sub("_", name)) is not None


def keys_within(key: str, members: Sequence[tuple[str, Any]]) -> Callable[[str], str]:
    """For each name in an object of this key, the key that says whether the value is a secret: the name itself, the label of
    a pair such as `{"name": "DB_PASSWORD", "value": "a"}`, or the key of the object."""
    names = {name for name, _ in members}
    is_schema = all(name in _SCHEMA or name.startswith("x-") for name in names) and not names.isdisjoint(
        ("type", "$ref", "anyOf", "oneOf", "allOf")
    )
    outer = key if key and not is_schema and _holds_secrets(key) else ""
    label = ""
    if any(name.lower() in _VALUES for name in names):
        labels = [value for name, value in members if name.lower() in _LABELS and isinstance(value, str)]
        label = next((text for text in labels if len(text) <= _LONGEST_NAME and check_of_key(text)), "")

    def key_of(name: str) -> str:
        if check_of_key(name) is not None:
            return name
        if label and name.lower() in _VALUES:
            return label
        return outer if outer and not _describes(name) else ""

    return key_of


def _is_likely(text: str, shortest: int = 6) -> bool:
    """Whether the text looks like a secret: it has no space, but letters, and digits or signs between them."""
    mixed = any(letter.isdigit() or letter in _SIGNS for letter in text) and any(map(str.isalpha, text))
    return mixed and len(text) >= shortest and not any(map(str.isspace, text)) and is_secret(text)


def _value(text: str) -> str:
    return text if is_secret(text) else ""


def _line_value(text: str) -> str:
    return text if is_secret(text) and not _CODE.fullmatch(text) else ""


def _bare_value(text: str) -> str:
    """A value without quotes, without the bracket that closes what surrounds it."""
    for opening, closing in ("()", "[]", "{}", "<>"):
        if text.endswith(closing) and text.count(closing) > text.count(opening):
            text = text[:-1]
    return _line_value(text) and _line_value(text.rstrip("):,")) and text


def _likely_value(text: str) -> str:
    bare = _bare_value(text)
    return bare if "://" not in bare and _is_likely(bare, 8) else ""


def _flag_value(text: str) -> str:
    """The value of an option of a command. Help also says `--password TEXT`, and keys are often files."""
    bare = text.rstrip(".,;:?)\"'`>]")
    return bare if _is_likely(bare) and "://" not in bare and not _FILE_NAME.search(bare) else ""


def is_odd(text: str) -> bool:
    """Whether the text differs from an ordinary word: it contains a digit or a sign."""
    return len(text) >= 6 and any(not letter.isalpha() for letter in text)


def _odd_value(text: str) -> str:
    """Ordinary words also follow `password is` and `password:`, so this accepts only odd values."""
    bare = text.rstrip(".,;:!?)\"'`>]")
    return bare if is_odd(bare) and "://" not in bare and is_secret(bare) else ""


def literal(name: str, values: Iterable[str]) -> RedactionRule:
    """The rule that finds only these values."""
    words = "|".join(_whole_word(value) for value in sorted(values, key=len, reverse=True))
    return RedactionRule(
        name=name,
        about="values known from elsewhere in the trajectory",
        pattern=re.compile(words),
    )


def _whole_word(value: str) -> str:
    before, after = (r"(?<!\w)" if re.match(r"\w", value) else ""), (r"(?!\w)" if re.search(r"\w\Z", value) else "")
    return f"{before}{re.escape(value)}{after}"


_CHECKS = {
    check.__name__: check
    for check in (
        _address,
        _bare_value,
        _flag_value,
        _iban,
        _likely_value,
        _line_value,
        _luhn,
        _odd_value,
        _phone,
        _value,
    )
}


def _rule(row: Json) -> RedactionRule:
    fields = {
        "pattern": _compiled(row["pattern"]),
        "needs": _compiled(row["needs"]) if "needs" in row else None,
        "hints": tuple(row.get("hints", ())),
        "accept": _CHECKS[f"_{row['accept']}"] if "accept" in row else None,
    }
    return RedactionRule(**row | fields)


BUILT_IN = [_rule(row) for row in _FILE["rules"]]
"""In the order in which they are tried. A rule does not see what an earlier one matched."""
