"""How tools are written and read in plain text, for models without a tool channel of their own.

The plain dialect shows each tool as one signature line and reads a reply that is one JSON object
`{"tool": ..., "args": {...}}`. Anything else stays a message: a malformed call is visible, never dropped.
"""

import json
from typing import Any

import msgspec

from verigym.core import codec
from verigym.core.records import FunctionCall, Item, Message, ToolSpec

_KINDS = {"integer": "int", "number": "float", "boolean": "bool", "array": "list", "object": "object"}


def describe(tools: list[ToolSpec]) -> str:
    """`calendar.create_event(attendee, day, time)`, a line a tool; a type is shown where it is not text."""
    return "\n".join(f"{tool.name}({', '.join(_parameters(tool))})" for tool in tools)


def _parameters(tool: ToolSpec) -> list[str]:
    required = tool.parameters.get("required", [])
    shown: list[str] = []
    for name, schema in tool.parameters.get("properties", {}).items():
        kind = "|".join(map(str, schema["enum"])) if "enum" in schema else _KINDS.get(schema.get("type", ""), "")
        shown.append(name + ("" if name in required else "?") + (f": {kind}" if kind else ""))
    return shown


def parse(text: str, call_id: str = "call_0") -> list[Item]:
    """The items of a reply in the plain dialect: the message as written, and the call when it is one."""
    message = Message("assistant", text)
    call = read_call(text)
    if call is None:
        return [message]
    name, arguments = call
    return [message, FunctionCall(call_id, name, msgspec.json.encode(arguments).decode())]


def read_call(text: str) -> tuple[str, dict[str, Any]] | None:
    """Tool name and arguments when the whole text is one JSON object with `tool` and `args`."""
    try:
        found = codec.read_json(text.strip())
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("tool"), str) or not isinstance(found.get("args"), dict):
        return None
    return found["tool"], found["args"]


def write_call(name: str, arguments: dict[str, Any]) -> str:
    """The reply that `parse` reads back as this call."""
    return json.dumps({"tool": name, "args": arguments}, ensure_ascii=False)
