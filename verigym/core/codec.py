"""Records to bytes and back, with a schema version, so that what was written yesterday can be read tomorrow.

Written as JSON with `"schema": N` first. A reader takes its own and every older version: `MIGRATIONS[n]` lifts the plain
data of version n to n + 1. A newer version than its own is refused in words.
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


def _saw_as_ranges(data: dict[str, Any], kind: str) -> dict[str, Any]:
    """1 -> 2: a turn lists the items that it saw as half-open ranges, no longer one by one."""
    if kind != "Trajectory":
        return data
    turns = cast(list[dict[str, Any]], data.get("turns", []))
    return {**data, "turns": [{**turn, "saw": _ranges(turn["saw"])} if "saw" in turn else turn for turn in turns]}


def _ranges(places: list[int]) -> list[list[int]]:
    found: list[list[int]] = []
    for place in places:
        if found and found[-1][1] == place:
            found[-1][1] = place + 1
        else:
            found.append([place, place + 1])
    return found


MIGRATIONS: dict[int, Callable[[dict[str, Any], str], dict[str, Any]]] = {1: _saw_as_ranges}
"""version -> function(data, record name) -> data one version on"""


def encode(record: msgspec.Struct) -> bytes:
    try:
        body = _encoder.encode(record)
    except UnicodeEncodeError:  # half a surrogate pair, which JSON texts from elsewhere may hold and UTF-8 may not
        body = _encoder.encode(_mended(msgspec.to_builtins(record)))
    return _PREFIX + (b"}" if body == b"{}" else b"," + body[1:])


def decode(data: bytes | str, kind: type[T]) -> T:
    """The record in `data`; raises `BadInput` naming the field when it is not one."""
    raw = data.encode(errors="surrogatepass") if isinstance(data, str) else data
    if raw.startswith(_PREFIX + b",") or raw.startswith(_PREFIX + b"}"):
        return _decode_now(raw, kind)
    try:
        plain = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput(f"not a {kind.__name__}: {error}") from error
    if not isinstance(plain, dict):
        raise BadInput(f"not a {kind.__name__}: expected an object, found {type(plain).__name__}")
    plain = cast(dict[str, Any], plain)
    version = plain.get("schema", SCHEMA_VERSION)
    if not isinstance(version, int) or not 1 <= version <= SCHEMA_VERSION:
        raise BadInput(
            f"this {kind.__name__} has schema version {version}; this verigym reads up to {SCHEMA_VERSION}: upgrade verigym"
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
        raise BadInput(f"not a {kind.__name__}: {error}") from error


def read_json(text: str) -> Any:
    """The JSON value in a text from anywhere. `RecursionError` where it is nested so deeply that it could be read here and
    not written, compared or copied elsewhere; nobody means such a thing."""
    value = msgspec.json.decode(text)
    if text.count("[") + text.count("{") > _DEEPEST:  # it may be
        level: list[Any] = [value]
        for _ in range(_DEEPEST + 1):
            lists = [cast(list[Any], each) for each in level if isinstance(each, list)]
            dicts = [cast(dict[str, Any], each) for each in level if isinstance(each, dict)]
            level = [one for each in lists for one in each] + [one for each in dicts for one in each.values()]
        if level:
            raise RecursionError(f"it is nested more than {_DEEPEST} levels deep")
    return value


def plain(value: Any) -> Any:
    """A value as it will be read back: keys are text, tuples are lists, half a surrogate pair is a replacement character."""
    try:
        body = _encoder.encode(value)
    except UnicodeEncodeError:
        body = _encoder.encode(_mended(msgspec.to_builtins(value)))
    return msgspec.json.decode(body)


def _mended(value: Any) -> Any:
    """Plain data with what cannot be written as UTF-8 replaced by the replacement character."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    if isinstance(value, list):
        return [_mended(each) for each in cast(list[Any], value)]
    if isinstance(value, dict):
        return {_mended(key): _mended(each) for key, each in cast(dict[Any, Any], value).items()}
    return value
