"""Chat messages: `{"role", "content", "tool_calls"}`, one conversation per line, or one message per line with the
conversation's id."""

from collections.abc import Iterator
from typing import Any

import msgspec

from verigym.core.records import Json, Message
from verigym.traces.formats.opinions import opinions_in, reported_outcome
from verigym.traces.formats.trace import ParsedTrace, TracePart, conversation_of, require, trace_of
from verigym.wire.items import chat_items, is_reply
from verigym.wire.values import as_list, as_object

NAME = "messages"
TITLE = "messages"
_LISTS = ("messages", "conversation", "conversations", "trajectory")
_REPLIES = (
    "output",
    "outputs",
    "response",
    "completion",
    "completions",
    "choices",
    "generation",
    "generations",
    "reply",
)
"""Keys that hold a reply in other formats. It would be lost, so such a row is not read unless its messages end with a reply."""


def fits(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(map(_is_message, value))
    row = as_object(value)
    return bool(_messages_in(row)) or (_is_message(row) and bool(conversation_of(row)))


def read(value: Any) -> Iterator[ParsedTrace | TracePart]:
    row = as_object(value)
    if _is_message(row) and not _messages_in(row):
        yield TracePart(conversation_of(row), row)
        return
    messages = value if isinstance(value, list) else _messages_in(row)
    items = chat_items(messages)
    replies = [key for key in _REPLIES if row.get(key)]
    require(
        not replies or (items and is_reply(items[-1])),
        f'the messages end before the reply, which may be in "{", ".join(replies)}". Append the reply to the messages',
    )
    if row.get("system") and isinstance(row["system"], str):
        items.insert(0, Message("system", row["system"]))
    yield trace_of(items, row)


def join(key: str, values: list[Any]) -> Iterator[ParsedTrace | TracePart]:
    """Joins the messages of one conversation, in the order of their lines."""
    outcome = next((outcome for row in reversed(values) if (outcome := reported_outcome(row))), "")
    opinions = [opinion for row in values for opinion in opinions_in(row)]
    for trace in read({"messages": values, "outcome": outcome}):
        yield msgspec.structs.replace(trace, opinions=opinions) if isinstance(trace, ParsedTrace) else trace


def _messages_in(row: Json) -> list[Any]:
    for key in _LISTS:
        messages = as_list(row.get(key))
        if messages and all(map(_is_message, messages)):
            return messages
    return []


def _is_message(value: Any) -> bool:
    row = as_object(value)
    return isinstance(row.get("role"), str) or ("from" in row and "value" in row)
