"""How conversations are written down here. For `build.py`."""

import json
from typing import Any, NamedTuple

from verigym.policies import dialects


class Cut(NamedTuple):
    """A reply that the token limit cut off."""

    text: str


class Case(NamedTuple):
    bucket: str
    task: str
    replies: tuple[Any, ...]
    """Text, `Cut` text, or an exception; the last is said again for as long as the episode lasts."""


def call(name: str, /, **args: Any) -> str:
    return dialects.write_call(name, args)


def tagged(name: str, /, **args: Any) -> str:
    """The same in the way of Hermes and Qwen."""
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': args})}\n</tool_call>"
