"""Chat messages: `{"role", "content", "tool_calls"}`, one conversation a line, or one message a line with the conversation's id.

The messages themselves are read here for every format that has them. They come from anywhere, so little is refused: a call
without a name, arguments that are no JSON and results that answer no call stay visible. What a chat may also be: `from`
and `value` in place of role and content, content in parts, calls and results as parts (Anthropic's way), and a
single `function_call`.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from verigym.core.errors import BadInput
from verigym.core.records import (
    FunctionCall,
    FunctionCallOutput,
    Image,
    InputText,
    Item,
    Json,
    Message,
    OutputText,
    Reasoning,
    ReasoningText,
    Refusal,
)
from verigym.traces.formats.trace import (
    Part,
    Trace,
    conversation_of,
    interventions_of,
    listed,
    record,
    text,
    told,
    tools_of,
    turns_of,
)

NAME = "messages"
TITLE = "messages"
_ROLES = {
    **{each: "user" for each in ("user", "human")},
    **{each: "assistant" for each in ("assistant", "ai", "gpt", "model", "bot", "agent")},
    **{each: each for each in ("system", "developer", "tool")},
    **{each: "tool" for each in ("function", "tool_response", "observation", "ipython")},
}
_LISTS = ("messages", "conversation", "conversations", "trajectory")
_IMAGES = ("image_url", "input_image", "image", "input_audio", "audio", "file", "input_file", "document", "video")


def fits(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(_is_message(each) for each in value)
    row = record(value)
    return bool(_messages_in(row)) or (_is_message(row) and bool(conversation_of(row)))


def read(value: Any) -> Iterator[Trace | Part]:
    row = record(value)
    if _is_message(row) and not _messages_in(row):
        yield Part(conversation_of(row), row)
        return
    messages = value if isinstance(value, list) else _messages_in(row)
    items = items_of(messages)
    if row.get("system") and isinstance(row["system"], str):
        items.insert(0, Message("system", row["system"]))
    yield Trace(
        items=items,
        turns=turns_of(items, set(), text(row.get("model"))),
        tools=tools_of(row.get("tools") or row.get("functions")),
        outcome=told(row),
        interventions=interventions_of(row),
    )


def join(key: str, values: list[Any]) -> Iterator[Trace | Part]:
    """Messages of one conversation, in the order of their lines."""
    yield from read({"messages": values, "outcome": next((told(each) for each in reversed(values) if told(each)), "")})


def _messages_in(row: Json) -> list[Any]:
    for key in _LISTS:
        found = listed(row.get(key))
        if found and all(_is_message(each) for each in found):
            return found
    return []


def _is_message(value: Any) -> bool:
    row = record(value)
    return isinstance(row.get("role"), str) or ("from" in row and "value" in row)


# -- messages to items ----------------------------------------------------------------------------------------------------


def items_of(messages: Sequence[Any], before: Sequence[Item] = ()) -> list[Item]:
    """`before` is what went before them; a result may answer a call there."""
    items = list(before)
    for place, message in enumerate(messages, start=1):
        row = record(message)
        given = row.get("role", row.get("from"))
        role = _ROLES.get(given.lower()) if isinstance(given, str) else None
        if role is None:
            raise BadInput(f"message {place}: the role is {text(given)[:40]!r}")
        content = row.get("content", row.get("value"))
        if role == "tool":
            items.append(FunctionCallOutput(answered(row, items), output_of(content)))
        else:
            _add(row, role, content, items)
    return items[len(before) :]


def output_of(value: Any) -> str:
    """What a tool answered, as text: parts of text are one, other values are JSON."""
    parts = listed(value)
    if parts and all(isinstance(record(part).get("text"), str) for part in parts):
        return "".join(part["text"] for part in parts)
    return text(value)


def image_of(part: Json) -> Image:
    """What is no text is kept by hash."""
    return Image(hashlib.sha256(msgspec.json.encode(part, order="sorted")).hexdigest())


def _add(row: Json, role: str, content: Any, items: list[Item]) -> None:
    thought = next((row[key] for key in ("reasoning_content", "reasoning", "thinking") if row.get(key)), None)
    if thought is not None:
        items.append(Reasoning(content=[ReasoningText(text(thought))]))
    calls = listed(row.get("tool_calls"))
    if row.get("function_call"):
        calls = [*calls, {"function": row["function_call"]}]
    before = len(items)
    parts = content if isinstance(content, list) else None
    if parts is not None:
        _add_parts(parts, role, items)
    elif isinstance(content, str) and (content or not calls):
        items.append(Message(_role(role), content))
    elif content is not None and not isinstance(content, str):
        items.append(Message(_role(role), text(content)))
    if row.get("refusal"):
        items.append(Message("assistant", [Refusal(text(row["refusal"]))]))
    for call in calls:
        items.append(call_of(record(call), items))
    if len(items) == before and thought is None:
        items.append(Message(_role(role), ""))


def _add_parts(parts: list[Any], role: str, items: list[Item]) -> None:
    said: list[Any] = []
    for each in parts:
        part = record(each) if not isinstance(each, str) else {"type": "text", "text": each}
        kind = part.get("type", "text")
        if kind == "tool_use":
            calls = {"id": part.get("id"), "name": part.get("name"), "arguments": part.get("input")}
            _say(said, role, items)
            items.append(call_of(calls, items))
        elif kind == "tool_result":
            _say(said, role, items)
            items.append(FunctionCallOutput(text(part.get("tool_use_id")), output_of(part.get("content"))))
        elif kind in ("thinking", "reasoning", "redacted_thinking"):
            words = next((part[key] for key in ("thinking", "reasoning", "text", "data") if part.get(key)), "")
            _say(said, role, items)
            items.append(Reasoning(content=[ReasoningText(text(words))]))
        elif kind == "refusal":
            said.append(Refusal(text(part.get("refusal"))))
        elif kind in _IMAGES:
            said.append(image_of(part))
        else:
            words = text(part.get("text", part.get("content")))
            said.append(OutputText(words) if role == "assistant" else InputText(words))
    _say(said, role, items)


def _say(parts: list[Any], role: str, items: list[Item]) -> None:
    """What was gathered, as one message; only text is one text."""
    if parts and all(isinstance(part, InputText | OutputText) for part in parts):
        items.append(Message(_role(role), "".join(part.text for part in parts)))
    elif parts:
        items.append(Message(_role(role), list(parts)))
    parts.clear()


def _role(role: str) -> Any:
    return role


def call_of(call: Json, before: Sequence[Item]) -> FunctionCall:
    """A call without a name or id is kept: it is the model's mistake, or the logger's, and worth seeing."""
    inner = call.get("function")
    function = record(inner) or (
        {"name": inner, "arguments": call.get("arguments")} if isinstance(inner, str) else call
    )
    given = call.get("id") or call.get("call_id")
    return FunctionCall(text(given) or _new_id(before), text(function.get("name")), text(function.get("arguments")))


def _new_id(before: Sequence[Item]) -> str:
    taken = {item.call_id for item in before if isinstance(item, FunctionCall)}
    number = len(taken)
    while f"call_{number}" in taken:
        number += 1
    return f"call_{number}"


def answered(row: Json, before: Sequence[Item]) -> str:
    """The id of the call that a result answers; without one, the oldest open call, of its name where it has one."""
    given = row.get("tool_call_id") or row.get("call_id")
    if given:
        return text(given)
    done = {item.call_id for item in before if isinstance(item, FunctionCallOutput)}
    waiting = [item for item in before if isinstance(item, FunctionCall) and item.call_id not in done]
    named = [call for call in waiting if call.name == row.get("name")] or waiting
    return named[0].call_id if named else ""
