"""Conversations as people keep them, to items: chat messages (`role`, `content`, `tool_calls`), Responses items, or text.

Chat calls often carry no ids and their results name no call: ids are made (`call_0`, `call_1`, ...), and a result without
one answers the oldest open call, of its `name` where it has one. Other keys of a message (`weight`, `name`) are left out.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from verigym.core.errors import BadInput
from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Json, Message, Reasoning, ReasoningText
from verigym.tasks.files import kind_of

_ROLES = ("system", "developer", "user", "assistant")
_TEXT_PARTS = {"text", "input_text", "output_text"}
_THOUGHTS = ("reasoning_content", "thinking")
"""Where chat messages keep what was thought before the reply."""


def read_items(value: Any, what: str, before: Sequence[Item] = ()) -> list[Item]:
    """A reply or conversation as items; text is one assistant message. `before` is what went before it."""
    if isinstance(value, str):
        if not value.strip():
            raise BadInput(f'"{what}" is empty; write what is said')
        return [Message("assistant", value)]
    if not isinstance(value, list):
        raise BadInput(f'"{what}" is {kind_of(value)}; it must be text or a list of messages')
    if not value:
        raise BadInput(f'"{what}" is empty; write what is said')
    items = list(before)
    for place, message in enumerate(value, start=1):
        try:
            items += _items(message, items)
        except BadInput as error:
            raise BadInput(f'"{what}", message {place}: {error}') from error
    return items[len(before) :]


def is_from_outside(item: Item) -> bool:
    """Whether it opens a turn: said to the assistant, and not by a tool."""
    return isinstance(item, Message) and item.role != "assistant"


def said(items: Sequence[Item]) -> str:
    """All that is said, called and answered; instructions (system, developer) and thoughts left out."""
    texts: list[str] = []
    for item in items:
        match item:
            case Message() if item.role in ("user", "assistant"):
                texts.append(item.text)
            case FunctionCall():
                texts.append(f"{item.name} {item.arguments}")
            case FunctionCallOutput():
                texts.append(item.output)
            case _:
                pass
    return "\n".join(texts)


def _items(message: Any, before: list[Item]) -> list[Item]:
    if not isinstance(message, dict):
        raise BadInput(f'it is {kind_of(message)}; a message is {{"role", "content"}}')
    kind = message.get("type", "message")
    if kind == "message":
        return _message(message, before)
    if kind == "function_call_output":
        message = {**message, "output": _text(message.get("output"))}
    try:
        return [msgspec.convert(message, Item)]
    except msgspec.ValidationError as error:
        raise BadInput(f"not a Responses item: {error}") from error


def _message(message: Json, before: list[Item]) -> list[Item]:
    role = message.get("role")
    if role == "tool":
        return [FunctionCallOutput(_answered(message, before), _text(message.get("content")))]
    if role not in _ROLES:
        raise BadInput(f"the role is {role!r}; roles are {', '.join(_ROLES)} and tool")
    made: list[Item] = []
    thought = next((message[key] for key in _THOUGHTS if message.get(key)), None)
    if thought is not None:
        made.append(Reasoning(content=[ReasoningText(_text(thought))]))
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list):
        raise BadInput(f'"tool_calls" is {kind_of(calls)}; it must be a list')
    content = message.get("content")
    if content is not None and not (calls and content in ("", [])):
        made.append(_said(role, content))
    elif not calls:
        raise BadInput('"content" is missing; write what is said')
    for call in calls:
        made.append(_call(call, [*before, *made]))
    return made


def _said(role: Any, content: Any) -> Message:
    if isinstance(content, str):
        return Message(role, content)
    if not isinstance(content, list):
        raise BadInput(f'"content" is {kind_of(content)}; it must be text or a list of parts')
    kind = "output_text" if role == "assistant" else "input_text"
    parts = [{**p, "type": kind} if isinstance(p, dict) and p.get("type") == "text" else p for p in content]
    try:
        return msgspec.convert({"type": "message", "role": role, "content": parts}, Message)
    except msgspec.ValidationError as error:
        raise BadInput(f"only text is read: {error}") from error


def _call(call: Any, before: list[Item]) -> FunctionCall:
    function = call.get("function", call) if isinstance(call, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        raise BadInput('a tool call is {"function": {"name", "arguments"}}')
    arguments = function.get("arguments", {})
    if isinstance(arguments, dict):
        arguments = msgspec.json.encode(arguments).decode()
    if not isinstance(arguments, str):
        raise BadInput(f'"arguments" is {kind_of(arguments)}; it must be an object or its JSON text')
    given = call.get("id")
    return FunctionCall(given if given and isinstance(given, str) else _new_id(before), function["name"], arguments)


def _new_id(before: list[Item]) -> str:
    taken = {item.call_id for item in before if isinstance(item, FunctionCall)}
    number = len(taken)
    while f"call_{number}" in taken:
        number += 1
    return f"call_{number}"


def _answered(message: Json, before: list[Item]) -> str:
    """The id of the call that a tool message answers."""
    given = message.get("tool_call_id")
    if given and isinstance(given, str):
        return given
    done = {item.call_id for item in before if isinstance(item, FunctionCallOutput)}
    waiting = [item for item in before if isinstance(item, FunctionCall) and item.call_id not in done]
    named = [call for call in waiting if call.name == message.get("name")] or waiting
    if not named:
        raise BadInput('a "tool" message that answers no call; give it the "tool_call_id" of one before it')
    return named[0].call_id


def _text(content: Any) -> str:
    """Text, or parts of text, as one; another JSON value (a tool's result) as JSON."""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and content and all(_is_text(part) for part in content):
        return "".join(part["text"] for part in content)
    if content is None:
        raise BadInput('"content" is missing; write what the tool answered')
    return msgspec.json.encode(content).decode()


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in _TEXT_PARTS and isinstance(part.get("text"), str)
