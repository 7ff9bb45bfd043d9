"""The library of `functions`: what each file of `library/` declares, and the functions as tools in several styles.

    [finance]
    loan_payment | calculate the monthly payment of a loan | amount:money(2000-90000) 'Amount borrowed'; years:int(1-30)
      what would I pay each month if I borrow {amount} for {years} years?

A line has the name, what the function does, and its parameters. The indented lines are requests. A parameter is
`name:kind=default 'description' "clause"`. It is optional if it has a default or starts with `?`, and a request that gives it
says the clause. `place.lat:num(1-9)` is a property of the object `place`. `kinds.py` has the values.
"""

import json
import re
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from verigym.core.records import Json
from verigym.core.seeds import derive
from verigym.environments.functions.kinds import Kind, read_kind

HELD_OUT = ("astronomy", "beekeeping", "cinema", "elections", "museums", "railways", "sailing")
"""Areas whose functions are only in held-out tasks."""
NUM_STYLES = 8
"""Ways to write a function as a tool. All tools of a task have the same one."""
_FOLDER = Path(__file__).with_name("library")
_PARAMETER = re.compile(r"""(\??)([\w.]+):(\w+(?:\(.*?\))?)(?:=("[^"]*"|\S+))?(?: '([^']*)')?(?: "([^"]*)")?""")
_EXTRAS: list[tuple[str, Json]] = [
    ("output_format", {"type": "string", "enum": ["json", "text"], "description": "Format of the result.", "default": "json"}),
    ("verbose", {"type": "boolean", "description": "Whether to explain the result.", "default": False}),
    ("precision", {"type": "integer", "description": "Number of decimals of the result.", "default": 2}),
    ("max_results", {"type": "integer", "description": "Maximum number of results.", "default": 10}),
    ("locale", {"type": "string", "description": "Language tag for the result.", "default": "en-US"}),
    ("timeout", {"type": "number", "description": "Time limit in seconds.", "default": 30.0}),
    ("tags", {"type": "array", "items": {"type": "string"}, "description": "Labels to store with the result."}),
    ("callback_url", {"type": "string", "description": "Address that is told about the result. Optional."}),
]  # fmt: skip
"""Optional parameters that no request gives."""


class Parameter(NamedTuple):
    name: str
    """`amount`, or `place.lat` for a property of an object."""
    kind: Kind
    required: bool
    default: Any
    """The stated default, or None."""
    description: str
    clause: str
    """What a request says to give an optional parameter, with `{}` for the value."""

    @property
    def words(self) -> str:
        return self.name.replace(".", " ").replace("_", " ")


class Function(NamedTuple):
    area: str
    name: str
    purpose: str
    """`calculate the monthly payment of a loan`."""
    parameters: list[Parameter]
    requests: list[str]


@cache
def areas() -> dict[str, list[Function]]:
    """All functions by area."""
    read: dict[str, list[Function]] = {}
    for file in sorted(_FOLDER.glob("*.txt")):
        area = ""
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            where = f"{file.name} line {number}"
            if not line or line.startswith("#"):
                continue
            if line.startswith("["):
                area = line[1:-1]
                read[area] = []
            elif line.startswith("  "):
                _check_slots(line, read[area][-1], where)
                read[area][-1].requests.append(line.strip())
            else:
                name, purpose, parameters = (part.strip() for part in line.split(" | ", 2))
                read[area].append(Function(area, name, purpose, _parameters(parameters, where), []))
    return read


def _check_slots(line: str, function: Function, where: str) -> None:
    slots = set(re.findall(r"\{([\w.]+)\}", line))
    required = {each.name for each in function.parameters if each.required}
    assert slots == required, f"{where}: the request names {sorted(slots ^ required)} or leaves them out"


def _parameters(text: str, where: str) -> list[Parameter]:
    parts = [""]
    for part in text.split("; "):
        inside = parts[-1].count("(") > parts[-1].count(")")  # a semicolon in the arguments of a kind
        parts[-1:] = [f"{parts[-1]}; {part}"] if inside else [*filter(None, parts[-1:]), part]
    return [_parameter(part.strip(), where) for part in parts]


def _parameter(text: str, where: str) -> Parameter:
    match = _PARAMETER.fullmatch(text)
    assert match is not None, f"{where}: {text!r} is not `name:kind=default 'description' \"clause\"`"
    optional, name, kind, default, description, clause = match.groups()
    try:
        value = None if default is None else json.loads(default)
    except ValueError:
        value = default
    about = description or name.rpartition(".")[2].replace("_", " ").capitalize()
    required = not optional and default is None
    read = read_kind(kind)
    if read.schema["type"] == "array":
        value = None  # an empty list is the same as none
    elif "enum" in read.schema and value is not None and value not in read.schema["enum"]:
        read = read._replace(schema={**read.schema, "enum": [*read.schema["enum"], value]})
    return Parameter(name, read, required, value, about, clause or "")


# -- functions as tools ---------------------------------------------------------------------------------------------------


class Style(NamedTuple):
    name: str
    """How names of functions are written: plain, dotted, camel, verb or prefixed."""
    camel: bool = False
    """Whether names of parameters are in camel case."""
    default_key: bool = True
    """Whether the schema has the key `default`."""
    default_words: bool = False
    """Whether the description states the default."""
    enum_words: bool = False
    """Whether the description lists the values of an enum."""
    extra: bool = False
    """Whether functions have an optional parameter that no request gives."""


STYLES = [
    Style("plain"),
    Style("plain", default_words=True, extra=True),
    Style("dotted", default_key=False, default_words=True),
    Style("verb", extra=True),
    Style("camel", camel=True),
    Style("prefixed", enum_words=True, default_words=True),
    Style("verb", default_key=False, default_words=True, enum_words=True),
    Style("plain", default_key=False, default_words=True, extra=True),
]
assert len(STYLES) == NUM_STYLES


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def function_name(function: Function, style: Style) -> str:
    verb = function.purpose.split()[0]
    match style.name:
        case "dotted":
            return f"{function.area}.{function.name}"
        case "camel":
            return camel(function.name)
        case "verb" if not function.name.startswith(verb):
            return f"{verb}_{function.name}"
        case "prefixed":
            return f"{function.area}_{function.name}"
    return function.name


def parameter_name(name: str, style: Style) -> str:
    return camel(name) if style.camel else name


_TOOLS: dict[tuple[str, str, int], Json] = {}


def tool(function: Function, number: int) -> Json:
    """The function as a tool in one of the styles. Tasks share it."""
    key = (function.area, function.name, number)
    if key not in _TOOLS:
        _TOOLS[key] = _tool(function, STYLES[number], Random(derive(number, function.area, function.name)))
    return _TOOLS[key]


def _tool(function: Function, style: Style, random: Random) -> Json:
    schema: Json = {"type": "object", "properties": {}, "required": []}
    for parameter in function.parameters:
        *outer, name = (parameter_name(part, style) for part in parameter.name.split("."))
        inside = schema
        for part in outer:
            about = {
                "type": "object",
                "description": f"{_capital(parameter.words.split()[0])}.",
                "properties": {},
                "required": [],
            }
            inside["properties"].setdefault(part, about)
            if part not in inside["required"]:
                inside["required"].append(part)
            inside = inside["properties"][part]
        inside["properties"][name] = _property(parameter, style)
        if parameter.required:
            inside["required"].append(name)
    if style.extra and random.random() < 0.6:
        name, extra = random.choice(_EXTRAS)
        schema["properties"].setdefault(parameter_name(name, style), extra)
    return {
        "name": function_name(function, style),
        "description": f"{_capital(function.purpose)}.",
        "parameters": schema,
    }


def _property(parameter: Parameter, style: Style) -> Json:
    kind = parameter.kind
    words = f"{parameter.description}{', ' if kind.hint else ''}{kind.hint}."
    if style.enum_words and "enum" in kind.schema:
        words += f" One of {', '.join(map(str, kind.schema['enum']))}."
    if parameter.default is not None and style.default_words:
        shown = parameter.default if isinstance(parameter.default, str) else json.dumps(parameter.default)
        words += f" Default is {shown}."
    elif not parameter.required and parameter.default is None:
        words += " Optional."
    made = {**kind.schema, "description": words}
    if parameter.default is not None and style.default_key:
        made["default"] = parameter.default
    return made


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
