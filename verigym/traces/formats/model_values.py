"""Inputs and outputs of model calls as observability platforms record them, to items.

A value is chat messages (also LangChain's serialised objects), Responses items, one message, text, or JSON of these in a text. An
object or list of another shape is kept as its JSON and becomes a gap, so that nothing is lost without a word.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from verigym.core.records import Item, Json, Message, ToolSpec
from verigym.wire.items import CALLS, OUTPUTS, chat_items, response_items
from verigym.wire.tools import read_tools
from verigym.wire.values import as_list, as_object, as_objects, as_text, parsed

_LISTS = ("messages", "input", "chat_history", "contents")
"""Keys of an input that hold its messages."""
_REPLIES = (
    "generations",
    "choices",
    "messages",
    "output",
    "message",
    "response",
    "completion",
    "text",
    "content",
    "answer",
)
"""Keys of an output that hold the reply."""
_TEXTS = ("prompt", "prompts", "input", "question", "query", "text")
"""Keys of an input that hold its text."""
_KINDS = {
    "human": "user",
    "ai": "assistant",
    "AIMessageChunk": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "tool",
}
"""LangChain's types of messages."""
_ITEMS = {"message", "reasoning", *CALLS, *OUTPUTS}
_DEEPEST = 6


def context_items(value: Any, gaps: list[str], depth: int = 0) -> list[Item]:
    """The input of a model call. Adds what could not be read to `gaps`."""
    value = parsed(value)
    if value is None or value == "" or value == [] or value == {}:
        return []
    if isinstance(value, str):
        return [Message("user", value)]
    if isinstance(value, list):
        if len(value) == 1 and isinstance(value[0], list):  # LangChain: a batch of one conversation
            return context_items(value[0], gaps, depth + 1)
        if items := _list_items(value, (), gaps):
            return items
        if all(isinstance(element, str) for element in value) and len(value) == 1:
            return [Message("user", as_text(value[0]))]
        return _as_json(value, "user", gaps, "an input")
    row = as_object(value)
    if is_chat_message(row):
        return chat_items([chat_message(row)])
    for key in _LISTS:
        if as_list(row.get(key)) and depth < _DEEPEST:
            return [*_system(row), *context_items(row[key], gaps, depth + 1)]
    for key in _TEXTS:
        if (text := row.get(key)) and (isinstance(text, str) or (isinstance(text, list) and depth < _DEEPEST)):
            return [*_system(row), *context_items(text, gaps, depth + 1)]
    return _as_json(row, "user", gaps, "an input")


def reply_items(value: Any, before: Sequence[Item], gaps: list[str], depth: int = 0) -> list[Item]:
    """The output of a model call. `before` is its context. Only the first of several replies is read."""
    value = parsed(value)
    if value is None or value == "" or value == [] or value == {}:
        return []
    if isinstance(value, str):
        return [Message("assistant", value)]
    if isinstance(value, list):
        if value and isinstance(value[0], list) and depth < _DEEPEST:
            return reply_items(value[0], before, gaps, depth + 1)
        replies = [element for element in map(as_object, value) if is_chat_message(element)]
        if len(replies) == len(value) > 1 and all(_role(reply) == "assistant" for reply in replies):
            gaps.append(f"other replies than the first: {len(replies) - 1}")
            return reply_items(value[0], before, gaps, depth + 1)
        if items := _list_items(value, before, gaps):
            return items[len(before) :] if items[: len(before)] == list(before) and len(items) > len(before) else items
        if depth < _DEEPEST and any(
            key in as_object(value[0]) for key in ("message", "text")
        ):  # LangChain's generations
            return reply_items(value[0], before, gaps, depth + 1)
        return _as_json(value, "assistant", gaps, "an output")
    row = as_object(value)
    if is_chat_message(row):
        return chat_items([{"role": "assistant", **chat_message(row)}], before)
    for key in _REPLIES:
        if key == "text" and row.get("message"):
            continue
        if row.get(key) and depth < _DEEPEST:
            return reply_items(row[key], before, gaps, depth + 1)
    return _as_json(row, "assistant", gaps, "an output") if any(each is not None for each in row.values()) else []


def tools_in(*values: Any) -> list[ToolSpec]:
    """The tools that a call offered, from the first value that has any."""
    for value in values:
        row = as_object(parsed(value))
        if tools := read_tools(row.get("tools") or row.get("functions")):
            return tools
    return []


def is_chat_message(row: Json) -> bool:
    """A chat message, or LangChain's: `{"lc": 1, "id": [..., "AIMessage"], "kwargs": {...}}`, `{"type": "ai", "content": ""}`."""
    inner = _kwargs(row)
    return isinstance(inner.get("role"), str) or (
        as_text(inner.get("type")) in _KINDS and ("content" in inner or "data" in inner)
    )


def chat_message(row: Json) -> Json:
    """A message of any of these forms as a chat message. Arguments stay as the model wrote them, where the log has them."""
    inner = _kwargs(row)
    inner = as_object(inner.get("data")) or inner
    extra = as_object(inner.get("additional_kwargs"))
    calls = as_objects(extra.get("tool_calls")) or as_objects(inner.get("tool_calls"))
    calls = calls + as_objects(inner.get("invalid_tool_calls")) if not extra.get("tool_calls") else calls
    message: Json = {**inner, "role": _role(row)}
    if calls:
        message["tool_calls"] = [_call(call) for call in calls]
    if extra.get("function_call"):
        message["function_call"] = extra["function_call"]
    if extra.get("reasoning_content"):
        message["reasoning_content"] = extra["reasoning_content"]
    if calls and isinstance(inner.get("content"), list):  # the same calls again, as content parts
        message["content"] = [part for part in inner["content"] if as_object(part).get("type") != "tool_use"] or None
    return message


def _call(call: Json) -> Json:
    """`{"name", "args", "id"}`, as LangChain writes it, or a chat call."""
    return {**call, "arguments": call["args"]} if "args" in call and "function" not in call else call


def _kwargs(row: Json) -> Json:
    return as_object(row.get("kwargs")) if row.get("lc") and isinstance(row.get("id"), list) else row


def _role(row: Json) -> str:
    inner = _kwargs(row)
    return as_text(inner.get("role")) or _KINDS.get(as_text(inner.get("type")), "")


def _list_items(value: list[Any], before: Sequence[Item], gaps: list[str]) -> list[Item]:
    """Chat messages or Responses items. Empty if the list holds anything else."""
    rows = as_objects(value)
    if rows and all(map(is_chat_message, rows)) and not any(row.get("type") in _ITEMS for row in rows):
        return chat_items([chat_message(row) for row in rows], before)
    if rows and all(row.get("type") in _ITEMS or isinstance(row.get("role"), str) for row in rows):
        left_out: Counter[str] = Counter()
        items = response_items(rows, left_out)
        gaps += [f"items of kind {kind[:40]}: {count}" for kind, count in sorted(left_out.items())]
        return items
    return []


def _system(row: Json) -> list[Item]:
    text = row.get("system") or row.get("instructions")
    return [Message("system", text)] if isinstance(text, str) else []


def _as_json(value: Any, role: Any, gaps: list[str], what: str) -> list[Item]:
    keys = ", ".join(sorted(value)[:5]) if isinstance(value, dict) else "a list"
    gaps.append(f"{what} that is neither text nor messages ({keys[:60]}): kept as JSON")
    return [Message(role, as_text(value))]
