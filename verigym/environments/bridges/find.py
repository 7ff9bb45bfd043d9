"""Finds the bridge that a name such as `reasoning-gym:leg_counting?size=200` belongs to, and loads its environment.

A bridge is a module of this folder with `load(where, rest)`, which returns an environment. `where` is the whole name, and `rest`
is what follows the prefix. The table below lists all bridges. A new bridge is one file and one line of it.
"""

import importlib
import json
from typing import Any, NamedTuple, Protocol
from urllib.parse import parse_qsl, unquote

import msgspec

from verigym.core.errors import BadInput
from verigym.harness.environment import EnvironmentSpec


class Bridge(NamedTuple):
    module: str
    example: str
    what: str


class Loader(Protocol):
    def load(self, where: str, rest: str) -> EnvironmentSpec: ...


BRIDGES = {
    "reasoning-gym": Bridge(
        "reasoning_gym", "reasoning-gym:leg_counting?size=200", "puzzles and questions from 105 generators"
    ),
    "bfcl": Bridge("bfcl", "bfcl:simple_python", "the Berkeley Function Calling Leaderboard, version 4"),
    "nemogym": Bridge("nemogym", "nemogym:workplace_assistant", "resources servers of NeMo Gym"),
}


def is_bridge(where: str) -> bool:
    """Whether a name begins with the prefix of a bridge."""
    return where.partition(":")[0] in BRIDGES and ":" in where


def load(where: str) -> EnvironmentSpec:
    prefix, _, rest = where.partition(":")
    bridge = BRIDGES[prefix]
    if not rest:
        raise BadInput(f'"{where}" names no environment. Write {bridge.example}')
    loader: Loader = importlib.import_module(f"verigym.environments.bridges.{bridge.module}")  # type: ignore[assignment]
    return loader.load(where, rest)


def name_and_options(where: str, rest: str) -> tuple[str, dict[str, Any]]:
    """Splits `leg_counting?size=200&seed=3` into the name and its options. A value is read as JSON if it is JSON."""
    name, _, query = rest.partition("?")
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query))
    except ValueError as error:
        raise BadInput(f'"{where}": {error}. Write options as ?size=200&seed=3') from error
    options: dict[str, Any] = {}
    for key, value in pairs:
        if key in options:
            raise BadInput(f'"{where}": the option {key} is given twice. Remove one')
        options[key] = _value(value)
    return unquote(name), options


def whole_number(where: str, options: dict[str, Any], name: str, default: int, least: int, most: int) -> int:
    """Takes a whole number out of the options."""
    value = options.pop(name, default)
    if type(value) is not int or not least <= value <= most:
        raise BadInput(f'"{where}": {name} must be a whole number from {least:,} to {most:,}, not {value!r}')
    return value


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def stable(value: Any) -> str:
    """JSON with sorted keys: the same text for the same options."""
    return msgspec.json.encode(value, order="sorted").decode()
