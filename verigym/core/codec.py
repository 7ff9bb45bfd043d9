"""Encodes records to bytes and decodes them, with a schema version, so that old files stay readable.

A record is written as JSON that starts with `"schema": N`. The reader accepts its own version and every older one:
`MIGRATIONS[n]` converts plain data from version n to n + 1. It refuses a newer version and says so.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import msgspec

from verigym.core.errors import BadInput

SCHEMA_VERSION = 2

T = TypeVar("T")
_encoder = msgspec.json.Encoder()
_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}
_PREFIX = b'{"schema":%d' % SCHEMA_VERSION
_DEEPEST = 200


class NewerRecord(BadInput):
    """A newer verigym wrote the record."""


def _saw_as_ranges(data: dict[str, Any], kind: str) -> dict[str, Any]:
    """1 -> 2: a turn lists the items it saw as half-open ranges instead of one by one."""
    if kind != "Trajectory":
        return data
    turns = cast(list[dict[str, Any]], data.get("turns", []))
    return {**data, "turns": [{**turn, "saw": _ranges(turn["saw"])} if "saw" in turn else turn for turn in turns]}


def _ranges(indices: list[int]) -> list[list[int]]:
    ranges: list[list[int]] = []
    for index in indices:
        if ranges and ranges[-1][1] == index:
            ranges[-1][1] = index + 1
        else:
            ranges.append([index, index + 1])
    return ranges


MIGRATIONS: dict[int, Callable[[dict[str, Any], str], dict[str, Any]]] = {1: _saw_as_ranges}
"""Schema version -> function(data, record name) -> data of the next version."""


def encode(record: msgspec.Struct) -> bytes:
    body = _encoded(record)
    return _PREFIX + (b"}" if body == b"{}" else b"," + body[1:])


def _encoded(value: Any) -> bytes:
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:  # half a surrogate pair. External JSON texts may contain one, but UTF-8 may not
        return _encoder.encode(mended(msgspec.to_builtins(value)))


def decode(data: bytes | str, kind: type[T]) -> T:
    """Decodes a record. Raises `BadInput` that names the field if `data` is not such a record."""
    raw = data.encode(errors="surrogatepass") if isinstance(data, str) else data
    if raw.startswith(_PREFIX + b",") or raw.startswith(_PREFIX + b"}"):
        return _decode_now(raw, kind)
    try:
        plain = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput(f"This is not a {kind.__name__}: {error}") from error
    if not isinstance(plain, dict):
        raise BadInput(f"This is not a {kind.__name__}: expected an object, got {type(plain).__name__}")
    plain = cast(dict[str, Any], plain)
    version = plain.get("schema", SCHEMA_VERSION)
    if not isinstance(version, int) or not 1 <= version <= SCHEMA_VERSION:
        raise NewerRecord(
            f"This {kind.__name__} has schema version {version}, but this verigym reads up to {SCHEMA_VERSION}. Upgrade verigym"
        )
    for step in range(version, SCHEMA_VERSION):
        plain = MIGRATIONS[step](plain, kind.__name__)
    return _decode_now(msgspec.json.encode(plain), kind)


def _decode_now(raw: bytes, kind: type[T]) -> T:
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = _decoders[kind] = msgspec.json.Decoder(kind)
    try:
        return decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput(f"This is not a {kind.__name__}: {error}") from error


def read_json(text: str) -> Any:
    """Reads JSON from an untrusted text. Raises `RecursionError` if it is nested so deeply that other code could not
    write, compare or copy it."""
    value = msgspec.json.decode(text)
    if text.count("[") + text.count("{") > _DEEPEST and nested_too_deeply(value):  # only then can it be
        raise RecursionError(f"The JSON is nested more than {_DEEPEST} levels deep")
    return value


def nested_too_deeply(value: Any) -> bool:
    """Whether JSON is nested so deeply that other code could not write, compare or copy it. It does not depend on the recursion
    limit of the process, which libraries change."""
    level: list[Any] = [value]
    for _ in range(_DEEPEST + 1):
        lists = [cast(list[Any], each) for each in level if isinstance(each, list)]
        dicts = [cast(dict[str, Any], each) for each in level if isinstance(each, dict)]
        level = [one for each in lists for one in each] + [one for each in dicts for one in each.values()]
        if not level:
            return False
    return True


def plain(value: Any) -> Any:
    """The value as it will be read back: keys are text, tuples are lists, lone surrogates become replacement characters."""
    return msgspec.json.decode(_encoded(value))


def mended(value: Any) -> Any:
    """Plain data in which the replacement character stands for everything that UTF-8 cannot encode."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    if isinstance(value, list):
        return [mended(each) for each in cast(list[Any], value)]
    if isinstance(value, dict):
        return {mended(key): mended(each) for key, each in cast(dict[Any, Any], value).items()}
    return value
