"""Hermes and Qwen: each call is `<tool_call>{"name": ..., "arguments": {...}}</tool_call>`, after the words if there are any."""

from collections.abc import Sequence

from verigym.core.records import Item
from verigym.policies.dialects import calls
from verigym.policies.dialects.dialect import Dialect

OPENING, CLOSING = "<tool_call>", "</tool_call>"
_read = calls.between(CLOSING)


def parse(text: str, call_id: str = "call_0") -> list[Item]:
    return calls.to_items(*calls.cut_out(text, OPENING, _read), call_id)


def write(items: Sequence[Item]) -> str:
    said, made = calls.from_items(items)
    return "\n".join([*filter(None, [said]), *(f"{OPENING}\n{calls.as_json(call)}\n{CLOSING}" for call in made)])


DIALECT = Dialect("hermes", OPENING, parse, write)
