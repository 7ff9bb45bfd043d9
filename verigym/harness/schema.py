"""Builds a tool's schema from its signature and docstring.

Types are plain Python: str, int, float, bool, Literal, Enum, list, dict, Optional, dataclass, TypedDict, and combinations.
`Annotated[str, "24-hour HH:MM"]` or the docstring (Google's `Args:`, numpy's `Parameters`, or `:param day:`) describes a
parameter. The rest of the docstring describes the tool. `tools` calls it.
"""

import copy
import dataclasses
import inspect
import re
import typing
from collections.abc import Callable
from typing import Annotated, Any

import msgspec

from verigym.core.records import Json, ToolSpec

_SECTION = re.compile(r"(?im)^(args|arguments|parameters|params)[ \t]*:?[ \t]*$")
_OTHER_SECTION = re.compile(r"(?i)^(returns?|raises|yields?|examples?|notes?|see also)[ \t]*:?[ \t]*$")
_FIELD = re.compile(r"(?m)^[ \t]*:param[ \t]+(?:[\w\[\], |.]+[ \t])?(\w+)[ \t]*:[ \t]*(.*(?:\n[ \t]+(?!:).*)*)$")
_GOOGLE = re.compile(r"^(\w+)[ \t]*(?:\([^)]*\))?[ \t]*:[ \t]*(.*)$")
_NUMPY = re.compile(r"^(\w+)[ \t]*(?::.*)?$")


def tool_spec(
    name: str, function: Callable[..., Any], *, is_method: bool = True
) -> tuple[ToolSpec, type[msgspec.Struct]]:
    """The tool as the model sees it, and the struct for its arguments. Raises TypeError if the signature has no schema. The first
    parameter of a method is the state and is left out."""
    description, described = read_docstring(inspect.getdoc(function) or "")
    hints = typing.get_type_hints(function, include_extras=True)
    fields: list[Any] = []
    for parameter in list(inspect.signature(function).parameters.values())[int(is_method) :]:
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError(
                f"{name}: a model cannot pass the parameter {parameter}. "
                "Do not use *args, **kwargs or positional-only parameters"
            )
        kind = _described(hints.get(parameter.name, str), described.get(parameter.name))
        if parameter.default is parameter.empty:
            fields.append((parameter.name, kind))
        elif parameter.default is None:
            fields.append((parameter.name, kind | None, None))
        elif isinstance(parameter.default, list | dict | set) or dataclasses.is_dataclass(parameter.default):
            copied = msgspec.field(default_factory=lambda made=parameter.default: copy.deepcopy(made))
            fields.append((parameter.name, kind, copied))
        else:
            fields.append((parameter.name, kind, parameter.default))
    arguments = msgspec.defstruct(f"{function.__name__}_arguments", fields, forbid_unknown_fields=True, kw_only=True)
    try:
        return ToolSpec(name=name, description=description, parameters=_schema(arguments)), arguments
    except TypeError as error:
        raise TypeError(f"{name}: {str(error).splitlines()[-1]}") from error


def _described(kind: Any, text: str | None) -> Any:
    """`Annotated[str, "words"]` in msgspec's form. The annotation takes precedence over the docstring."""
    if typing.get_origin(kind) is Annotated:
        plain, *extra = typing.get_args(kind)
        words = [each for each in extra if isinstance(each, str)]
        kept = [each for each in extra if not isinstance(each, str)]
        kind = Annotated[plain, *kept] if kept else plain
        said = any(getattr(each, "description", None) for each in kept)
        text = " ".join(words) or (None if said else text)
    return Annotated[kind, msgspec.Meta(description=text)] if text else kind


def _schema(arguments: type[msgspec.Struct]) -> Json:
    """The JSON schema of the arguments object, with its definition inlined."""
    schema = msgspec.json.schema(arguments)
    definitions = schema.pop("$defs", {})
    own = definitions.pop(schema["$ref"].rsplit("/", 1)[-1])
    own.pop("title", None)
    return {**own, **({"$defs": definitions} if definitions else {})}


def read_docstring(text: str) -> tuple[str, dict[str, str]]:
    """The tool's description, and the description of each parameter."""
    fields = {name: _one_line(words) for name, words in _FIELD.findall(text)}
    if fields:
        return _FIELD.sub("", text).strip(), fields
    section = _SECTION.search(text)
    if section is None:
        return text.strip(), {}
    before, lines = text[: section.start()], text[section.end() :].strip("\n").split("\n")
    if lines and re.fullmatch(r"-{3,}\s*", lines[0]):  # numpy underlines its headings
        pattern, lines = _NUMPY, lines[1:]
    else:
        pattern = _GOOGLE
    body, after = _until_next_section(lines)
    described: dict[str, list[str]] = {}
    current = ""
    margin = min((len(line) - len(line.lstrip()) for line in body if line.strip()), default=0)
    for line in body:
        head = pattern.match(line[margin:]) if line[margin : margin + 1].strip() else None
        if head:
            current = head.group(1)
            described[current] = [head.group(2)] if pattern is _GOOGLE else []
        elif current:
            described[current].append(line)
    rest = "\n".join(after).strip()
    return (before.strip() + (f"\n\n{rest}" if rest else "")).strip(), {
        name: _one_line(" ".join(words)) for name, words in described.items()
    }


def _until_next_section(lines: list[str]) -> tuple[list[str], list[str]]:
    for index, line in enumerate(lines):
        if _OTHER_SECTION.match(line):
            return lines[:index], lines[index:]
    return lines, []


def _one_line(words: str) -> str:
    return " ".join(words.split())
