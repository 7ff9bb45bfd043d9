"""JSON values of unknown shape, converted to the expected type, and JSON bodies that hold broken text."""

import json
import math
from typing import Any, TypeVar, cast

import msgspec

from verigym.core.codec import mended
from verigym.core.records import Json

T = TypeVar("T")


def write_json(body: Any) -> bytes:
    """JSON. Half a surrogate pair has no UTF-8 form, so it becomes the replacement character."""
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:
        return msgspec.json.encode(mended(msgspec.to_builtins(body, enc_hook=msgspec.json.decode)))  # Raw is JSON


def read_json_as(body: bytes, decoder: "msgspec.json.Decoder[T]") -> T:
    """The body as a record. Bytes and escapes that are not valid text are replaced first if necessary."""
    try:
        return decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        if isinstance(error, msgspec.ValidationError):  # a field is wrong, not the text
            raise
        try:
            plain = json.loads(body.decode(errors="replace"))
        except ValueError:
            raise error from None
        return msgspec.convert(mended(plain), decoder.type)


def kind_of(value: Any) -> str:
    """The type of a JSON value in plain words, for error messages."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "text" if value else "empty"
    return "a list" if isinstance(value, list) else "an object"


def as_object(value: Any) -> Json:
    """An object as it is. Anything else becomes an empty object."""
    return cast(Json, value) if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """A list as it is. Anything else becomes an empty list."""
    return cast(list[Any], value) if isinstance(value, list) else []


def as_objects(value: Any) -> list[Json]:
    """A list of objects. Elements that are not objects become empty ones."""
    return [as_object(element) for element in as_list(value)]


def as_text(value: Any) -> str:
    """Text as it is, null as empty text, and other values as their JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else msgspec.json.encode(value).decode()


def as_number(value: Any) -> float:
    """A finite number, also from text. Anything else becomes 0."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return 0.0
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return 0.0
    return number if math.isfinite(number) else 0.0


def as_count(value: Any) -> int:
    """A number as a whole number of at least 0."""
    return int(min(max(as_number(value), 0), 1 << 52))


def as_numbers(value: Any) -> list[float]:
    """A list of finite numbers. Empty if any element is something else."""
    values = as_list(value)
    return [float(element) for element in values] if all(map(is_number, values)) else []


def as_token_ids(value: Any) -> list[int]:
    """A list of token ids. Empty if any element is not a token id."""
    values = as_list(value)
    return cast(list[int], values) if all(type(element) is int and 0 <= element < 1 << 31 for element in values) else []


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def parsed(value: Any) -> Any:
    """The value of JSON that is wrapped in a string, as attributes of spans are. Other values stay as they are."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return msgspec.json.decode(value)
        except (msgspec.DecodeError, RecursionError):
            return value
    return value
