"""What went through to another server, read on the side for capture. It changes nothing and refuses nothing: what cannot be read
here was still handed on."""

import hashlib
from typing import Any

import msgspec
from msgspec import Struct

from verigym.core.errors import BadInput
from verigym.core.records import Item, Json, Message, Sampling, ToolSpec
from verigym.policies.openai import chat as chat_api
from verigym.policies.openai import responses as responses_api
from verigym.policies.openai.answer import Answer, ServerError, read_as
from verigym.tasks.chat import read_items

_TEXT = {"text", "input_text", "output_text", "refusal"}
_ITEMS = {"message", "reasoning", "function_call", "function_call_output"}
_SAMPLING = ("temperature", "top_p", "top_k", "min_p")


class Peek(Struct):
    """All that has to be known of a body before it is handed on."""

    model: str


peek = msgspec.json.Decoder(Peek)
_any = msgspec.json.Decoder()


class Seen(Struct, kw_only=True):
    """A request as it was sent on."""

    items: list[Item]
    tools: list[ToolSpec] = []
    sampling: Sampling = Sampling()
    previous: str = ""
    conversation: str = ""
    user: str = ""
    metadata: Json = {}


def request(body: bytes, is_chat: bool) -> Seen:
    """Raises `BadInput` where the conversation cannot be read."""
    try:
        data = read_as(body, _any)
        if not isinstance(data, dict):
            raise BadInput("the request is not an object")
        items = _messages(data.get("messages")) if is_chat else _input(data)
        conversation = data.get("conversation")
        return Seen(
            items=items,
            tools=[spec for tool in data.get("tools") or () if (spec := _tool(tool)) is not None],
            sampling=_sampling(data),
            previous=_text(data.get("previous_response_id")),
            conversation=_text(conversation.get("id") if isinstance(conversation, dict) else conversation),
            user=_text(data.get("safety_identifier")) or _text(data.get("user")),
            metadata=data["metadata"] if isinstance(data.get("metadata"), dict) else {},
        )
    except (ValueError, TypeError, RecursionError) as error:
        raise BadInput(f"the request cannot be read: {error}") from error


def reply(body: bytes, is_chat: bool, is_stream: bool) -> tuple[Answer, str]:
    """The answer and its id. Raises `BadInput` where there is none."""
    try:
        if is_stream:
            body = _stitched(body) if is_chat else _completed(body)
        answer = (chat_api if is_chat else responses_api).read(body)
        return answer, msgspec.json.decode(body, type=_Named).id
    except (ServerError, ValueError, RecursionError) as error:
        raise BadInput(f"the answer cannot be read: {error}") from error


class _Named(Struct):
    id: str = ""


# -- requests -------------------------------------------------------------------------------------------------------


def _messages(messages: Any) -> list[Item]:
    if not isinstance(messages, list):
        raise BadInput("messages are a list")
    return read_items([_pictured(one) for one in messages], "messages")


def _input(data: Json) -> list[Item]:
    given, told = data.get("input"), data.get("instructions")
    items: list[Item] = [Message("system", told)] if isinstance(told, str) else []
    if isinstance(given, str):
        return [*items, Message("user", given)]
    known = [_pictured(one) for one in given or () if isinstance(one, dict) and one.get("type", "message") in _ITEMS]
    return items + (read_items(known, "input") if known else [])


def _pictured(message: Any) -> Any:
    """The message with what is not text as an image, which is known by its hash alone."""
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list) or message.get("role") == "tool":
        return message
    parts = [
        part
        if isinstance(part, dict) and part.get("type") in _TEXT
        else {"type": "input_image", "sha256": hashlib.sha256(msgspec.json.encode(part)).hexdigest()}
        for part in content
    ]
    return {**message, "content": parts}


def _tool(tool: Any) -> ToolSpec | None:
    own = tool.get("function", tool) if isinstance(tool, dict) else None
    if not isinstance(own, dict) or not isinstance(own.get("name"), str):
        return None
    parameters = own.get("parameters")
    return ToolSpec(
        name=own["name"],
        description=_text(own.get("description")),
        parameters=parameters if isinstance(parameters, dict) else {},
    )


def _sampling(data: Json) -> Sampling:
    given = {name: data[name] for name in _SAMPLING if data.get(name) is not None}
    most = data.get("max_completion_tokens") or data.get("max_tokens") or data.get("max_output_tokens")
    stop = data.get("stop") or []
    given |= {"stop": [stop] if isinstance(stop, str) else stop} | ({"max_tokens": most} if most else {})
    return msgspec.convert(given, Sampling, strict=False)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


# -- streams --------------------------------------------------------------------------------------------------------


def _events(body: bytes) -> list[Any]:
    lines = [line[5:].strip() for line in body.split(b"\n") if line.startswith(b"data:")]
    return [msgspec.json.decode(line) for line in lines if line and line != b"[DONE]"]


def _completed(body: bytes) -> bytes:
    """The response in the last event of a stream."""
    ended = [event for event in _events(body) if event.get("type") in _LAST]
    if not ended:
        raise BadInput("the stream ended before the response did")
    return msgspec.json.encode(ended[-1]["response"])


_LAST = ("response.completed", "response.incomplete", "response.failed")


def _stitched(body: bytes) -> bytes:
    """The chunks of a chat stream as the whole completion."""
    message: Json = {"role": "assistant"}
    calls: dict[int, Json] = {}
    finish, usage, id = None, None, ""
    for chunk in _events(body):
        if chunk.get("error"):
            raise ServerError(chunk["error"])
        id, usage = chunk.get("id") or id, chunk.get("usage") or usage
        for choice in chunk.get("choices") or ():
            if choice.get("index", 0) != 0:
                continue
            finish = choice.get("finish_reason") or finish
            delta = choice.get("delta") or {}
            for name in ("content", "refusal", "reasoning_content", "reasoning"):
                if isinstance(delta.get(name), str):
                    message[name] = message.get(name, "") + delta[name]
            for call in delta.get("tool_calls") or ():
                _add(
                    calls.setdefault(call.get("index", 0), {"id": "", "function": {"name": "", "arguments": ""}}), call
                )
    if finish is None:
        raise BadInput("the stream ended before the reply did")
    if calls:
        message["tool_calls"] = [calls[place] for place in sorted(calls)]
    choices = [{"index": 0, "message": message, "finish_reason": finish}]
    return msgspec.json.encode({"id": id, "choices": choices, "usage": usage})


def _add(call: Json, delta: Json) -> None:
    call["id"] = delta.get("id") or call["id"]
    function = delta.get("function") or {}
    call["function"]["name"] = function.get("name") or call["function"]["name"]
    call["function"]["arguments"] += function.get("arguments") or ""
