"""The plain dialect, for models without a tool channel of their own.

Each tool is shown as one signature line, and a reply that is one JSON object `{"tool": ..., "args": {...}}` is a call. Its
message stays as it was written, before the call. Anything else stays a message: a malformed call is visible, never dropped.
"""

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from verigym.core import codec
from verigym.core.records import FunctionCall, Item, Message, ToolSpec
from verigym.policies.dialects.dialect import Dialect
from verigym.wire.items import message_text

_KINDS = {"integer": "int", "number": "float", "boolean": "bool", "array": "list", "object": "object"}


def describe(tools: list[ToolSpec]) -> str:
    """`calendar.create_event(attendee, day, time)`, a line a tool; a type is shown where it is not text, a description where the
    agent gave it one of its own."""
    return "\n".join(f"{tool.name}({', '.join(_parameters(tool))}){_words(tool)}" for tool in tools)


def _words(tool: ToolSpec) -> str:
    return f": {' '.join(tool.description.split())}" if tool.own and tool.description else ""


def _parameters(tool: ToolSpec) -> list[str]:
    required = tool.parameters.get("required", [])
    shown: list[str] = []
    for name, schema in tool.parameters.get("properties", {}).items():
        kind = "|".join(map(str, schema["enum"])) if "enum" in schema else _KINDS.get(schema.get("type", ""), "")
        shown.append(name + ("" if name in required else "?") + (f": {kind}" if kind else ""))
    return shown


def parse(text: str, call_id: str = "call_0") -> list[Item]:
    """The items of a reply: the message as written, and the call when it is one."""
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


def write(items: Sequence[Item]) -> str:
    """A line for each message and call; a call that was read from the message before it is not written a second time."""
    lines: list[str] = []
    for before, item in zip([None, *items], items, strict=False):
        if isinstance(item, Message):
            lines.append(message_text(item))
        elif isinstance(item, FunctionCall) and not is_text_of(before, item):
            lines.append(call_text(item))
    return "\n".join(lines)


def write_call(name: str, arguments: dict[str, Any]) -> str:
    """The reply that `parse` reads back as this call."""
    return json.dumps({"tool": name, "args": arguments}, ensure_ascii=False)


def call_text(call: FunctionCall) -> str:
    """The call as a reply; arguments that are not a JSON object stay as they were written."""
    arguments = arguments_of(call)
    if arguments is not None:
        return write_call(call.name, arguments)
    return f'{{"tool": "{call.name}", "args": {call.arguments}}}'


def is_text_of(message: Item | None, call: FunctionCall) -> bool:
    """Whether it is the very message that the call was read from."""
    if not isinstance(message, Message) or message.role != "assistant":
        return False
    return read_call(message.text) == (call.name, arguments_of(call))


def arguments_of(call: FunctionCall) -> dict[str, Any] | None:
    """The call's arguments, none when they are not a JSON object."""
    try:
        found = codec.read_json(call.arguments)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


DIALECT = Dialect("plain", '"tool"', parse, write)
