"""Settings that people write: YAML, decoded into a struct. What is wrong is said by its key, with the nearest known one."""

import difflib
import re
from pathlib import Path
from typing import Any, Literal, TypeVar, cast, get_args, get_origin

import msgspec
from msgspec import Struct

from verigym.core.errors import BadInput
from verigym.core.records import Json

T = TypeVar("T", bound=Struct)


def read_yaml(path: Path, what: str) -> Json:
    """`what` it should be: `a recipe is a list of keys and values, such as model: smollm2-135m`."""
    try:
        data = msgspec.yaml.decode(path.read_bytes())
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: not YAML: {error}") from error
    if not isinstance(data, dict):
        raise BadInput(f"{path}: {what}")
    return cast(Json, data)


def check_keys(data: Json, kind: type[Struct], where: str, above: str = "") -> None:
    known = {field.name: field.type for field in msgspec.structs.fields(kind)}
    for key, value in data.items():
        if key not in known:
            near = difflib.get_close_matches(str(key), list(known), n=1)
            hint = f"; did you mean {above}{near[0]}?" if near else f"; known: {', '.join(known)}"
            raise BadInput(f"{where}: unknown key {above}{key}{hint}")
        if get_origin(known[key]) is Literal and value not in (allowed := get_args(known[key])):
            raise BadInput(f'{where}: {above}{key} cannot be "{value}"; it is one of: {", ".join(allowed)}')
        if isinstance(value, dict) and (below := _section(known[key])) is not None:
            check_keys(cast(Json, value), below, where, f"{key}.")


def decode(data: Json, kind: type[T], where: str, strict: bool = True, see: str = "") -> T:
    """The settings as their struct; `see` says where more is written. A recipe's `$.lora.r` is `lora.r`."""
    try:
        return msgspec.convert(data, kind, strict=strict)
    except msgspec.ValidationError as error:
        plain = re.sub(r" - at `\$\.?([^`]*)`", r" (at \1)", str(error))
        raise BadInput(f"{where}: {plain}{see}") from error


def set_field(data: Json, text: str) -> None:
    """`steps=20` or `lora.r=8`, as given on the command line, into the settings; the value is YAML."""
    key, equals, value = text.partition("=")
    if not equals:
        raise BadInput(f'"{text}": an override is key=value, such as steps=20 or lora.r=8')
    *path, last = key.strip().split(".")
    place = data
    for part in path:
        below = place.setdefault(part, {})
        if not isinstance(below, dict):
            raise BadInput(f'"{text}": {part} has no keys below it')
        place = cast(Json, below)
    try:
        place[last] = msgspec.yaml.decode(value)
    except msgspec.DecodeError as error:
        raise BadInput(f'"{text}": the value is not YAML: {error}') from error


def _section(kind: Any) -> type[Struct] | None:
    """The struct in `Retention | None`."""
    kinds = [one for one in (kind, *get_args(kind)) if isinstance(one, type) and issubclass(one, Struct)]
    return kinds[0] if kinds else None
