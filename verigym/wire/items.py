"""Conversations in JSON of unknown origin, to items: chat messages (`role`, `content`, `tool_calls`) and Responses items.

`read_items` is strict, for files that people write: it names the message that is wrong. `chat_items` and `response_items`
are lenient, for logs: they refuse little, so that a call without a name, arguments that are not JSON and results without a
call stay visible. Chat calls often have no ids. Then ids are made (`call_0`, `call_1`, ...), and a result without an id
belongs to the oldest open call. Other keys of a message (`weight`, `name`) are ignored.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
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
    Sampling,
    SummaryText,
    Usage,
)
from verigym.wire.tools import custom_arguments, new_call_id, open_call_id, qualified
from verigym.wire.types import Finish
from verigym.wire.values import as_count, as_list, as_object, as_text, is_number, kind_of

ROLES = ("system", "developer", "user", "assistant")


def message_text(message: Message) -> str:
    """The message's text, including refusals."""
    if isinstance(message.content, str):
        return message.content
    refusals = [part.refusal for part in message.content if isinstance(part, Refusal)]
    return message.text + "".join(refusals)


def reasoning_text(item: Reasoning) -> str:
    """The reasoning, or its summary if only that was given."""
    return "".join(part.text for part in item.content or item.summary)


def is_reply(item: Item) -> bool:
    """Whether the item is part of the model's reply."""
    return isinstance(item, FunctionCall | Reasoning) or (isinstance(item, Message) and item.role == "assistant")


def thought(text: str) -> Reasoning:
    return Reasoning(content=[ReasoningText(text)])


_TEXT_PARTS = {"text", "input_text", "output_text"}
_THOUGHTS = ("reasoning_content", "thinking")


def read_items(value: Any, what: str, before: Sequence[Item] = ()) -> list[Item]:
    """A reply or conversation as items. Text is one assistant message. `before` are the items that precede it."""
    if isinstance(value, str):
        if not value.strip():
            raise BadInput(f'"{what}" is empty. Write the text of the message')
        return [Message("assistant", value)]
    if not isinstance(value, list):
        raise BadInput(f'"{what}" is {kind_of(value)}. It must be text or a list of messages')
    if not value:
        raise BadInput(f'"{what}" is empty. Write at least one message')
    items = list(before)
    for number, message in enumerate(value, start=1):
        try:
            items += _read_item(message, items)
        except BadInput as error:
            raise BadInput(f'"{what}", message {number}: {error}') from error
    return items[len(before) :]


def _read_item(message: Any, before: list[Item]) -> list[Item]:
    if not isinstance(message, dict):
        raise BadInput(f'it is {kind_of(message)}. A message is {{"role", "content"}}')
    kind = message.get("type", "message")
    if kind == "message":
        return _read_message(message, before)
    if kind == "function_call_output":
        message = {**message, "output": _read_text(message.get("output"))}
    try:
        return [msgspec.convert(message, Item)]
    except msgspec.ValidationError as error:
        raise BadInput(f"not a Responses item: {error}") from error


def _read_message(message: Json, before: list[Item]) -> list[Item]:
    role = message.get("role")
    if role == "tool":
        return [FunctionCallOutput(_read_result_id(message, before), _read_text(message.get("content")))]
    if role not in ROLES:
        raise BadInput(f"the role is {role!r}. It must be {', '.join(ROLES)} or tool")
    items: list[Item] = []
    reasoning = next((message[key] for key in _THOUGHTS if message.get(key)), None)
    if reasoning is not None:
        items.append(thought(_read_text(reasoning)))
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list):
        raise BadInput(f'"tool_calls" is {kind_of(calls)}. It must be a list')
    content = message.get("content")
    if content is not None and not (calls and content in ("", [])):
        items.append(_read_content(role, content))
    elif not calls:
        raise BadInput('"content" is missing. Write the text of the message')
    for call in calls:
        items.append(_read_call(call, [*before, *items]))
    return items


def _read_content(role: Any, content: Any) -> Message:
    if isinstance(content, str):
        return Message(role, content)
    if not isinstance(content, list):
        raise BadInput(f'"content" is {kind_of(content)}. It must be text or a list of parts')
    kind = "output_text" if role == "assistant" else "input_text"
    parts = [{**p, "type": kind} if isinstance(p, dict) and p.get("type") == "text" else p for p in content]
    try:
        return msgspec.convert({"type": "message", "role": role, "content": parts}, Message)
    except msgspec.ValidationError as error:
        raise BadInput(f"only text content is supported: {error}") from error


def _read_call(call: Any, before: list[Item]) -> FunctionCall:
    function = call.get("function", call) if isinstance(call, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        raise BadInput('a tool call must be {"function": {"name", "arguments"}}')
    arguments = function.get("arguments", {})
    if isinstance(arguments, dict):
        arguments = msgspec.json.encode(arguments).decode()
    if not isinstance(arguments, str):
        raise BadInput(f'"arguments" is {kind_of(arguments)}. It must be an object, or its JSON as text')
    id = call.get("id")
    return FunctionCall(id if id and isinstance(id, str) else new_call_id(before), function["name"], arguments)


def _read_result_id(message: Json, before: list[Item]) -> str:
    id = message.get("tool_call_id")
    call_id = id if id and isinstance(id, str) else open_call_id(before, message.get("name"))
    if call_id is None:
        raise BadInput('a "tool" message must follow a tool call. Set its "tool_call_id" to the id of an earlier call')
    return call_id


def _read_text(content: Any) -> str:
    """Text, or text parts as one text. Another JSON value (a tool's result) becomes its JSON."""
    if content is None:
        raise BadInput('"content" is missing. Write what the tool returned')
    if isinstance(content, list) and content and all(_is_text_part(part) for part in content):
        return "".join(part["text"] for part in content)
    return as_text(content)


def _is_text_part(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in _TEXT_PARTS and isinstance(part.get("text"), str)


_ROLE_NAMES = {
    **{name: "user" for name in ("user", "human")},
    **{name: "assistant" for name in ("assistant", "ai", "gpt", "model", "bot", "agent")},
    **{name: name for name in ("system", "developer", "tool")},
    **{name: "tool" for name in ("function", "tool_response", "observation", "ipython")},
}
_IMAGES = ("image_url", "input_image", "image", "uri", "blob")
_MEDIA = (*_IMAGES, "input_audio", "audio", "audio_url", "file", "input_file", "document", "video", "video_url")


def chat_items(messages: Sequence[Any], before: Sequence[Item] = ()) -> list[Item]:
    """Chat messages as items. `before` are the items that precede them; a result may belong to a call there.

    Also reads `from` and `value` for role and content, calls and results as content parts (Anthropic's way), and a
    single `function_call`.
    """
    items = list(before)
    for number, message in enumerate(messages, start=1):
        row = as_object(message)
        name = row.get("role", row.get("from"))
        role: Any = _ROLE_NAMES.get(name.lower()) if isinstance(name, str) else None
        if role is None:
            raise BadInput(f"message {number}: the role {as_text(name)[:40]!r} is unknown")
        content = row.get("content", row.get("value"))
        if role == "tool":
            items.append(FunctionCallOutput(result_id(row, items), output_text(content)))
        else:
            _add_message(row, role, content, items)
    return items[len(before) :]


def output_text(value: Any) -> str:
    """A tool's result as text. Text parts become one text, other values their JSON."""
    parts = as_list(value)
    if parts and all(isinstance(as_object(part).get("text"), str) for part in parts):
        return "".join(part["text"] for part in parts)
    return as_text(value)


def image_of(part: Json) -> Image:
    """An image, recorded by its hash."""
    return Image(hashlib.sha256(msgspec.json.encode(part, order="sorted")).hexdigest())


def media_part(part: Json, role: Any) -> Image | InputText | OutputText:
    """An image by its hash. No record holds audio, video or files, so they become their kind in brackets: `[audio]`."""
    kind = as_text(part.get("type")).removeprefix("input_").removesuffix("_url")
    return image_of(part) if kind in _IMAGES else _text_part(role, f"[{kind[:40] or 'media'}]")


def call_of(call: Json, before: Sequence[Item]) -> FunctionCall:
    """A tool call. One without a name or id is kept, so that the model's or the logger's mistake stays visible."""
    inner = call.get("function")
    named = {"name": inner, "arguments": call.get("arguments")} if isinstance(inner, str) else call
    function = as_object(inner) or named
    id = as_text(call.get("id") or call.get("call_id")) or new_call_id(before)
    return FunctionCall(id, as_text(function.get("name")), as_text(function.get("arguments")))


def result_id(row: Json, before: Sequence[Item]) -> str:
    """The id of the call that a result belongs to. Empty if no call is open."""
    id = row.get("tool_call_id") or row.get("call_id")
    return as_text(id) if id else open_call_id(before, row.get("name")) or ""


def _add_message(row: Json, role: Any, content: Any, items: list[Item]) -> None:
    reasoning = next((row[key] for key in ("reasoning_content", "reasoning", "thinking") if row.get(key)), None)
    if reasoning is not None:
        items.append(thought(as_text(reasoning)))
    calls = as_list(row.get("tool_calls"))
    if row.get("function_call"):
        calls = [*calls, {"function": row["function_call"]}]
    before = len(items)
    if isinstance(content, list):
        _add_parts(content, role, items)
    elif content is not None and (content != "" or not calls):
        items.append(Message(role, as_text(content)))
    if row.get("refusal"):
        items.append(Message("assistant", [Refusal(as_text(row["refusal"]))]))
    for call in calls:
        items.append(call_of(as_object(call), items))
    if len(items) == before and reasoning is None:
        items.append(Message(role, ""))


def _add_parts(content: list[Any], role: Any, items: list[Item]) -> None:
    parts: list[Any] = []
    for element in content:
        part = as_object(element) if not isinstance(element, str) else {"type": "text", "text": element}
        kind = part.get("type", "text")
        if kind == "tool_use":
            _flush(parts, role, items)
            call = {"id": part.get("id"), "name": part.get("name"), "arguments": part.get("input")}
            items.append(call_of(call, items))
        elif kind == "tool_result":
            _flush(parts, role, items)
            items.append(FunctionCallOutput(as_text(part.get("tool_use_id")), output_text(part.get("content"))))
        elif kind in ("thinking", "reasoning", "redacted_thinking"):
            _flush(parts, role, items)
            reasoning = next((part[key] for key in ("thinking", "reasoning", "text", "data") if part.get(key)), "")
            items.append(thought(as_text(reasoning)))
        elif kind == "refusal":
            parts.append(Refusal(as_text(part.get("refusal"))))
        elif kind in _MEDIA:
            parts.append(media_part(part, role))
        else:
            parts.append(_text_part(role, as_text(part.get("text", part.get("content")))))
    _flush(parts, role, items)


def _flush(parts: list[Any], role: Any, items: list[Item]) -> None:
    """Moves the parts into one message. Text parts alone become one text."""
    if parts and all(isinstance(part, InputText | OutputText) for part in parts):
        items.append(Message(role, "".join(part.text for part in parts)))
    elif parts:
        items.append(Message(role, list(parts)))
    parts.clear()


def _text_part(role: Any, text: str) -> InputText | OutputText:
    return OutputText(text) if role == "assistant" else InputText(text)


CALLS, OUTPUTS = ("function_call", "custom_tool_call", "mcp_call"), ("function_call_output", "custom_tool_call_output")
"""Types of items that are calls, and of those that are their results."""


def response_items(values: Sequence[Any], left_out: Counter[str]) -> list[Item]:
    """Responses items. Kinds that no record can hold (a server's own tools) are counted in `left_out`."""
    items: list[Item] = []
    for number, value in enumerate(values, start=1):
        row = as_object(value)
        kind = row.get("type", "message" if "role" in row else None)
        if kind == "message":
            items.append(_message_item(row, number))
        elif kind == "reasoning":
            items.append(_reasoning_item(row))
        elif kind in CALLS:
            call_id = as_text(row.get("call_id") or row.get("id"))
            is_custom = kind == "custom_tool_call"
            arguments = custom_arguments(as_text(row.get("input"))) if is_custom else as_text(row.get("arguments"))
            name = qualified(as_text(row.get("namespace")), as_text(row.get("name")))
            items.append(FunctionCall(call_id, name, arguments))
            if kind == "mcp_call" and (row.get("output") or row.get("error")):
                items.append(FunctionCallOutput(call_id, output_text(row.get("output") or row.get("error"))))
        elif kind in OUTPUTS:
            items.append(FunctionCallOutput(as_text(row.get("call_id")), output_text(row.get("output"))))
        elif isinstance(kind, str) and kind:
            left_out[kind] += 1
        else:
            raise BadInput(f"item {number} has neither a type nor a role")
    return items


def request_items(request: Json, left_out: Counter[str]) -> list[Item]:
    """Instructions and input of a Responses request."""
    value, instructions = request.get("input"), request.get("instructions")
    items: list[Item] = [Message("user", value)] if isinstance(value, str) else response_items(as_list(value), left_out)
    return [Message("system", instructions), *items] if isinstance(instructions, str) and instructions else items


def _message_item(row: Json, number: int) -> Message:
    role = row.get("role")
    if role not in ROLES:
        raise BadInput(f"item {number}: the role is {as_text(role)[:40]!r}. It must be {', '.join(ROLES)}")
    content = row.get("content")
    if not isinstance(content, list):
        return Message(role, as_text(content))
    parts: list[Any] = []
    for element in content:
        part = as_object(element) if not isinstance(element, str) else {"text": element}
        if part.get("type") == "refusal":
            parts.append(Refusal(as_text(part.get("refusal"))))
        elif isinstance(part.get("text"), str):
            parts.append(_text_part(role, part["text"]))
        else:
            parts.append(media_part(part, role))
    return Message(role, parts)


def _reasoning_item(row: Json) -> Reasoning:
    summary = [SummaryText(as_text(as_object(part).get("text"))) for part in as_list(row.get("summary"))]
    parts = row.get("content")
    content = (
        [ReasoningText(as_text(as_object(part).get("text"))) for part in parts] if isinstance(parts, list) else None
    )
    encrypted = row.get("encrypted_content")
    return Reasoning(summary, content, encrypted if isinstance(encrypted, str) else None)


_FINISH: dict[str, Finish] = {
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_length": "context_full",
    "tool_calls": "tool_calls",
    "tool_call": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "error",
    "error": "error",
}


def finish_of(reason: Any) -> Finish:
    return _FINISH.get(reason, "stop") if isinstance(reason, str) else "stop"


def usage_of(value: Any) -> Usage:
    """Token counts under any of their usual names."""
    counts = as_object(value)
    prompt = [as_count(counts.get(key)) for key in ("prompt_tokens", "input_tokens")]
    completion = [as_count(counts.get(key)) for key in ("completion_tokens", "output_tokens")]
    return Usage(max(prompt), max(completion))


def sampling_of(request: Json) -> Sampling:
    """The sampling settings in a request that can be read."""
    fields: dict[str, Any] = {}
    for name in ("temperature", "top_p", "min_p"):
        if is_number(request.get(name)):
            fields[name] = float(request[name])
    if as_count(request.get("top_k")):
        fields["top_k"] = as_count(request["top_k"])
    for name in ("max_tokens", "max_completion_tokens", "max_output_tokens"):
        if as_count(request.get(name)):
            fields["max_tokens"] = as_count(request[name])
    stop = request.get("stop") or request.get("stop_sequences")
    stops = [text for text in ([stop] if isinstance(stop, str) else as_list(stop)) if isinstance(text, str)]
    return Sampling(**fields, stop=stops) if stops else Sampling(**fields)
