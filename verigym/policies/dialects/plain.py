"""The plain dialect, for models without a tool channel.

Each tool is shown as one signature line, and a reply that is one JSON object `{"tool": ..., "args": {...}}` is a call. Its
message stays as it was written, before the call. Anything else stays a message, so a malformed call is visible and never
dropped. `to_messages` writes a whole conversation with role and content only, so that any chat template can write it.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from verigym.core import codec
from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Message, Reasoning, ToolSpec
from verigym.policies.dialects import thinking
from verigym.wire.items import message_text, reasoning_text

_TYPES = {"integer": "int", "number": "float", "boolean": "bool", "array": "list", "object": "object"}


class Dialect(msgspec.Struct, frozen=True):
    """A way to write tool calls as text, which reads back what it writes."""

    name: str
    mark: str
    """Text that a call in this dialect always contains."""
    parse: Callable[[str, str], list[Item]]
    """Reads the items of a reply from its text and the id of its first call. Thinking is removed before (see `thinking`)."""
    write: Callable[[Sequence[Item]], str]
    """Writes the text of a reply that `parse` reads back as these items."""


def describe(tools: list[ToolSpec]) -> str:
    """`calendar.create_event(attendee, day, time)`, one line per tool. A type is shown unless it is text, and a description only
    if the agent has its own for the tool."""
    lines = [f"{tool.name}({', '.join(_parameters(tool))})" for tool in tools]
    words = [f": {' '.join(tool.description.split())}" if tool.own and tool.description else "" for tool in tools]
    return "\n".join(map(str.__add__, lines, words))


def _parameters(tool: ToolSpec) -> list[str]:
    required = tool.parameters.get("required", [])
    shown: list[str] = []
    for name, schema in tool.parameters.get("properties", {}).items():
        kind = "|".join(map(str, schema["enum"])) if "enum" in schema else _TYPES.get(schema.get("type", ""), "")
        shown.append(name + ("" if name in required else "?") + (f": {kind}" if kind else ""))
    return shown


def parse(text: str, call_id: str = "call_0") -> list[Item]:
    """The items of a reply: the message as written, and the call if the message is one."""
    message = Message("assistant", text)
    call = read_call(text)
    if call is None:
        return [message]
    name, arguments = call
    return [message, FunctionCall(call_id, name, msgspec.json.encode(arguments).decode())]


def read_call(text: str) -> tuple[str, dict[str, Any]] | None:
    """Tool name and arguments if the whole text is one JSON object with `tool` and `args`."""
    call = _object(text.strip())
    if call is None or not isinstance(call.get("tool"), str) or not isinstance(call.get("args"), dict):
        return None
    return call["tool"], call["args"]


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = codec.read_json(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def write(items: Sequence[Item]) -> str:
    """One line per message and call. A call that was read from the message before it is not written a second time."""
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
    """The call as a reply. Arguments that are not a JSON object stay as they were written."""
    arguments = arguments_of(call)
    if arguments is not None:
        return write_call(call.name, arguments)
    return f'{{"tool": "{call.name}", "args": {call.arguments}}}'


def is_text_of(message: Item | None, call: FunctionCall) -> bool:
    """Whether the call was read from this message."""
    if not isinstance(message, Message) or message.role != "assistant":
        return False
    return read_call(message.text) == (call.name, arguments_of(call))


def arguments_of(call: FunctionCall) -> dict[str, Any] | None:
    """The call's arguments. None if they are not a JSON object."""
    return _object(call.arguments)


def to_messages(items: Sequence[Item], tools: list[ToolSpec], *, reasoning: bool = False) -> list[dict[str, str]]:
    """The conversation as `{"role", "content"}`. Consecutive items of the assistant are one message, tool results are user
    messages, and the tools are in the system message. Images are left out, and reasoning unless it is asked for."""
    messages: list[dict[str, str]] = []
    before: Item | None = None
    for item in items:
        if isinstance(item, Message):
            _say(messages, "system" if item.role == "developer" else item.role, message_text(item))
        elif isinstance(item, FunctionCallOutput):
            _say(messages, "user", item.output)
        elif isinstance(item, FunctionCall) and not is_text_of(before, item):
            _say(messages, "assistant", call_text(item))
        elif isinstance(item, Reasoning) and reasoning:
            _say(messages, "assistant", thinking.write(reasoning_text(item)).removesuffix("\n"))
        before = item
    return _with_tools(messages, tools) if tools else messages


def _say(messages: list[dict[str, str]], role: str, content: str) -> None:
    if role == "assistant" and messages and messages[-1]["role"] == "assistant":
        messages[-1]["content"] += f"\n{content}"
    else:
        messages.append({"role": role, "content": content})


def _with_tools(messages: list[dict[str, str]], tools: list[ToolSpec]) -> list[dict[str, str]]:
    shown = f"Tools:\n{describe(tools)}"
    for message in messages:
        if message["role"] == "system":
            message["content"] = f"{message['content']}\n\n{shown}" if message["content"] else shown
            return messages
    return [{"role": "system", "content": shown}, *messages]


DIALECT = Dialect("plain", '"tool"', parse, write)
