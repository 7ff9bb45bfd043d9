"""A conversation in the plain dialect: role and content, nothing else, so that any chat template can write it.

Calls are written as the assistant's text, their results as the user's, and the tools stand in the system message.
Reasoning and images are left out. Reading a reply back is `dialects`.
"""

from typing import Any

import msgspec

from verigym.core import codec
from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Message, Refusal, ToolSpec
from verigym.policies import dialects


def to_messages(items: list[Item], tools: list[ToolSpec]) -> list[dict[str, str]]:
    """The items as `{"role", "content"}`; what the assistant did without interruption is one message.

    `dialects.parse` makes a message and a call of one text: such a call is not written a second time.
    """
    messages: list[dict[str, str]] = []
    before: Item | None = None
    for item in items:
        if isinstance(item, Message):
            _say(messages, "system" if item.role == "developer" else item.role, text_of(item))
        elif isinstance(item, FunctionCallOutput):
            _say(messages, "user", item.output)
        elif isinstance(item, FunctionCall) and not _is_text_of(before, item):
            _say(messages, "assistant", call_text(item))
        before = item
    return _with_tools(messages, tools) if tools else messages


def call_text(call: FunctionCall) -> str:
    """The call as a reply in the plain dialect; arguments that are not a JSON object stay as they were written."""
    arguments = _arguments(call)
    if arguments is not None:
        return dialects.write_call(call.name, arguments)
    return f'{{"tool": "{call.name}", "args": {call.arguments}}}'


def text_of(message: Message) -> str:
    """The message's text with its refusals, which are words too."""
    if isinstance(message.content, str):
        return message.content
    refusals = [part.refusal for part in message.content if isinstance(part, Refusal)]
    return message.text + "".join(refusals)


def _say(messages: list[dict[str, str]], role: str, content: str) -> None:
    if role == "assistant" and messages and messages[-1]["role"] == "assistant":
        messages[-1]["content"] += f"\n{content}"
    else:
        messages.append({"role": role, "content": content})


def _is_text_of(before: Item | None, call: FunctionCall) -> bool:
    """Whether the item before the call is the very message that it was read from."""
    if not isinstance(before, Message) or before.role != "assistant":
        return False
    return dialects.read_call(before.text) == (call.name, _arguments(call))


def _arguments(call: FunctionCall) -> dict[str, Any] | None:
    try:
        found = codec.read_json(call.arguments)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _with_tools(messages: list[dict[str, str]], tools: list[ToolSpec]) -> list[dict[str, str]]:
    shown = f"Tools:\n{dialects.describe(tools)}"
    for message in messages:
        if message["role"] == "system":
            message["content"] = f"{message['content']}\n\n{shown}" if message["content"] else shown
            return messages
    return [{"role": "system", "content": shown}, *messages]
