"""Finds the bridge that a name such as `reasoning-gym:leg_counting?size=200` belongs to, and loads its environment.

A bridge is a module of this folder with `BRIDGE`, which describes it, and `load(where, rest)`, which returns an environment.
`where` is the whole name, and `rest` is what follows the prefix. The table below names the files. A new bridge is one file and
one line of it.
"""

import importlib
import json
from collections.abc import Sequence
from typing import Any, Protocol
from urllib.parse import parse_qsl, unquote

import msgspec

from verigym.core.errors import BadInput, not_found
from verigym.environments.bridges.about import Bridge
from verigym.harness.environment import EnvironmentSpec


class Loader(Protocol):
    BRIDGE: Bridge

    def load(self, where: str, rest: str) -> EnvironmentSpec: ...


BRIDGES = {
    "reasoning-gym": "reasoning_gym",
    "bfcl": "bfcl",
    "nemogym": "nemogym",
    "inspect": "inspect_tasks",
    "verifiers": "verifiers_tasks",
    "gymnasium": "gymnasium",
    "aviary": "aviary",
    "openenv": "openenv",
    "agentdojo": "agentdojo",
    "scienceworld": "scienceworld",
    "harbor": "harbor",
}
"""Prefix of a bridge to its file."""


def bridge_module(name: str) -> Loader:
    """The file of a bridge."""
    if name not in BRIDGES:
        raise not_found("bridge", name, BRIDGES)
    return importlib.import_module(f"verigym.environments.bridges.{BRIDGES[name]}")  # type: ignore[return-value]


def bridge(name: str) -> Bridge:
    """What a bridge says about itself."""
    return bridge_module(name).BRIDGE


def is_bridge(where: str) -> bool:
    """Whether a name begins with the prefix of a bridge."""
    return where.partition(":")[0] in BRIDGES and ":" in where


def load(where: str) -> EnvironmentSpec:
    prefix, _, rest = where.partition(":")
    module = bridge_module(prefix)
    if not rest:
        raise BadInput(f'"{where}" names no environment. Write {module.BRIDGE.example}')
    return module.load(where, rest)


def refuse_unknown_prefix(where: str) -> None:
    """Raises NotFound for a name such as `gymnasim:Taxi-v4`, whose prefix is not a bridge."""
    prefix, colon, _ = where.partition(":")
    if not colon or "/" in prefix:
        return
    remedy = f'The environment is "{where}". List bridges: verigym bridges.'
    if prefix == "mcp":
        remedy += " For the tools of an MCP server, write a tools file: verigym init NAME.yaml --mcp COMMAND."
    raise not_found("bridge", prefix, BRIDGES, remedy)


def name_and_options(where: str, rest: str) -> tuple[str, dict[str, Any]]:
    """Splits `leg_counting?size=200&seed=3` into the name and its options. A value is read as JSON if it is JSON."""
    name, _, query = rest.partition("?")
    for part in query.split("&") if query else ():
        if not part.partition("=")[2]:
            raise BadInput(f'"{where}": the option "{part}" has no value. Write options as ?size=200&seed=3')
    options: dict[str, Any] = {}
    for key, value in parse_qsl(query):
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


def number(where: str, options: dict[str, Any], name: str, default: float) -> float:
    """Takes a number out of the options."""
    value = options.pop(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadInput(f'"{where}": {name} must be a number, not {value!r}')
    return float(value)


def no_more_options(where: str, options: dict[str, Any], known: Sequence[str]) -> None:
    """Raises BadInput if an option is left that nobody took."""
    if options:
        raise BadInput(f'"{where}": there is no option {next(iter(options))}. The options are {", ".join(known)}')


def share_for_training(where: str, options: dict[str, Any], default: float) -> float:
    """Takes `train`, the share of the families for training, out of the options. With 0, everything is held out."""
    share = options.pop("train", default)
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share < 1:
        raise BadInput(f'"{where}": train must be a number from 0 to below 1, not {share!r}')
    return float(share)


def split_by_hash(digest: str, share: float) -> str:
    """`train` for this share of all hashes (hexadecimal), else `val`."""
    return "train" if int(digest[:8], 16) < share * 2**32 else "val"


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def stable(value: Any) -> str:
    """JSON with sorted keys: the same text for the same options."""
    return msgspec.json.encode(value, order="sorted").decode()
