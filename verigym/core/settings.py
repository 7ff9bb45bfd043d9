"""Reads settings from YAML into a struct. An error names the wrong key and the nearest valid one."""

import difflib
import re
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin

import msgspec
from msgspec import Struct

from verigym.core.errors import BadInput, words_of
from verigym.core.records import Json

T = TypeVar("T", bound=Struct)


def read_yaml(path: Path, what: str) -> Json:
    """Reads a YAML file. `what` describes the format: `a recipe is a list of keys and values, such as model: smollm2-135m`."""
    if path.is_dir():
        raise BadInput(f"{path} is a folder. Name a YAML file in it")
    if not path.is_file():
        others = sorted(other.name for other in path.parent.glob("[!.]*.yaml")) if path.parent.is_dir() else []
        hint = f"The folder contains: {', '.join(others)}" if others else "Its folder has no YAML file. Check the path"
        raise BadInput(f"{path} does not exist. {hint}")
    data = _parsed(path.read_bytes(), f"{path}: ")
    if not isinstance(data, dict):
        raise BadInput(f"{path}: {what}" + (". The file is empty" if data is None else ""))
    return cast(Json, data)


def _parsed(text: str | bytes, where: str, wrong: str = "this is not valid YAML") -> Any:
    import yaml  # imported only when needed

    loader: Any = None
    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
        node = loader.get_single_node()
        if node is None:
            return None
        _check_node(node, "", loader, where, set())
        return loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.context_mark or error.problem_mark
        at = f"line {mark.line + 1}: " if mark is not None else ""
        said = ", ".join(part for part in (error.context, error.problem) if part)
        raise BadInput(f"{where}{wrong}: {at}{said}") from error
    except yaml.YAMLError as error:  # an invalid character
        raise BadInput(f"{where}{wrong}: {getattr(error, 'reason', error)}. Save the file as UTF-8") from error
    except RecursionError as error:
        raise BadInput(f"{where}{wrong}: it is nested too deeply") from error
    finally:
        if loader is not None:
            loader.dispose()


def _check_node(node: Any, name: str, loader: Any, where: str, seen: set[int]) -> None:
    """Catches what YAML accepts or reports badly: a key written twice, a value that cannot be built (2026-02-30)."""
    if id(node) in seen:  # an alias
        return
    seen.add(id(node))
    if node.id == "mapping":
        lines: dict[str, int] = {}
        for key, value in node.value:
            word = str(key.value)
            below = f"{name}.{word}" if name else word
            if word != "<<":
                _check_node(key, below, loader, where, seen)
            line = key.start_mark.line + 1
            if word in lines:
                raise BadInput(f"{where}{below} is written twice, on line {lines[word]} and on line {line}. Remove one")
            lines[word] = line
            _check_node(value, below, loader, where, seen)
    elif node.id == "sequence":
        for index, value in enumerate(node.value):
            _check_node(value, f"{name}[{index}]", loader, where, seen)
    else:
        try:
            loader.construct_object(node)
        except (ValueError, ArithmeticError, LookupError, AttributeError) as error:
            at = f"{name} (line {node.start_mark.line + 1})" if name else "it"
            raise BadInput(f'{where}{at} cannot be "{node.value}": {words_of(error)}') from error


def check_keys(data: Json, kind: type[Struct], where: str, above: str = "") -> None:
    known = {field.name: field.type for field in msgspec.structs.fields(kind)}
    for key, value in data.items():
        if key not in known:
            near = difflib.get_close_matches(str(key), list(known), n=1)
            hint = f". Did you mean {above}{near[0]}?" if near else f". Valid keys: {', '.join(known)}"
            raise BadInput(f"{where}: unknown key {above}{key}{hint}")
        if (
            (allowed := _choices(known[key]))
            and not isinstance(value, dict)
            and value not in allowed
            and not (value is None and type(None) in get_args(known[key]))
        ):
            raise BadInput(
                f'{where}: {above}{key} cannot be "{value}". Use one of: {", ".join(one or "(empty)" for one in allowed)}'
            )
        if isinstance(value, dict) and (below := _section(known[key])) is not None:
            check_keys(cast(Json, value), below, where, f"{key}.")


def decode(data: Json, kind: type[T], where: str, strict: bool = True, see: str = "") -> T:
    """Converts the settings to their struct. `see` is added to an error and says where to read more."""
    try:
        return msgspec.convert(data, kind, strict=strict)
    except msgspec.ValidationError as error:
        raise BadInput(f"{where}: {_in_words(str(error))}{see}") from error


_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "keys and values",
    "null": "null",
    "date": "a date, such as 2026-05-31",
}
_BOUNDS = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}


def _in_words(message: str) -> str:
    """Turns ``Expected `int` >= 1 - at `$.n` `` into `n must be a whole number, at least 1`."""
    said, _, at = message.partition(" - at `$")
    if missing := re.match(r"Object missing required field `(\w+)`", said):
        return f"{missing[1]} is missing"
    said = said.replace("Invalid RFC3339 encoded date", "Expected `date`").replace(
        " of length >= 1", ", not an empty one"
    )
    said = said.replace("Expected ", f"{at.strip('`.') or 'it'} must be ").replace(", got ", ", not ")
    said = re.sub(r"`([^`]*)`", lambda match: " or ".join(_KINDS.get(one, one) for one in match[1].split(" | ")), said)
    said = said.replace("a whole number, not a number", "a whole number, without decimals")
    return re.sub(r" ([<>]=?) ", lambda match: f", {_BOUNDS[match[1]]} ", said)


def set_field(data: Json, text: str) -> None:
    """Sets a field from a command-line override such as `steps=20` or `lora.r=8`. The value is YAML. Without a value, the field
    is removed, so that its default applies."""
    key, equals, value = text.partition("=")
    if not equals:
        raise BadInput(f'"{text}" is not an override. Write key=value, such as steps=20 or lora.r=8')
    *path, last = key.strip().split(".")
    section = data
    for part in path:
        below = section.setdefault(part, {})
        if not isinstance(below, dict):
            raise BadInput(f'"{text}": {part} is a single value, not a section. Write {part}=VALUE')
        section = cast(Json, below)
    if value.strip():
        section[last] = _parsed(value, f'"{text}": ', "the value is not valid YAML")
    else:
        section.pop(last, None)


def _choices(kind: Any) -> tuple[str, ...]:
    """The words of a `Literal`, also of one beside a section: `Literal["success"] | AsGood`."""
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    literal = next((one for one in kinds if get_origin(one) is Literal), None)
    return get_args(literal) if literal is not None else ()


def _section(kind: Any) -> type[Struct] | None:
    """The struct in `Retention | None`."""
    kinds = [one for one in (kind, *get_args(kind)) if isinstance(one, type) and issubclass(one, Struct)]
    return kinds[0] if kinds else None
