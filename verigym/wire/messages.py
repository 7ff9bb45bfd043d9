"""Anthropic's Messages, for clients (requests written, replies read) and for servers (requests read, replies written).

A server refuses fields that `MessagesRequest` does not have, by name. Not supported are images and documents, replies that go
on from a half-written assistant message, and tools that Anthropic runs itself: those are left out of the offer. The API has no
token ids.
"""

import re
import uuid
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from verigym.core.errors import BadInput
from verigym.core.records import (
    FunctionCall,
    FunctionCallOutput,
    Item,
    Json,
    Message,
    Reasoning,
    Sampling,
    ToolSpec,
    Usage,
)
from verigym.wire import types
from verigym.wire.items import chat_items, message_text, reasoning_text, thought
from verigym.wire.streams import assemble_message, event
from verigym.wire.tools import ToolNames
from verigym.wire.values import as_list, as_object, as_text, read_json_as, write_json

NAME = "Messages"
PATH = "messages"
CONTEXT = "messages"
SYSTEM = "system"
MAX_TOKENS = "max_tokens"
STOP = "stop_sequences"
_DEFAULT_MAX_TOKENS = 4096
"""The API requires the field. Sent if neither the client nor the version sets it."""
_FINISH: dict[str, types.Finish] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "context_full",
    "refusal": "error",
}
_STOP_REASON = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}
_ERROR_TYPES = {
    "body_too_large": "request_too_large",
    "queue_full": "overloaded_error",
    "time_out": "timeout_error",
    "server_error": "api_error",
}
"""The API's names for errors that OpenAI's APIs name by another type, or only by a code."""


def context(items: Sequence[Item], names: ToolNames) -> list[Json]:
    """The items as messages of alternating roles, without system messages. Reasoning is not sent back."""
    messages: list[Json] = []
    for item in items:
        block: Json | None = None
        role = "assistant"
        if isinstance(item, FunctionCall):
            block = {**_tool_use(item), "name": names.wire(item.name)}
        elif isinstance(item, FunctionCallOutput):
            role, block = "user", {"type": "tool_result", "tool_use_id": item.call_id, "content": item.output}
        elif isinstance(item, Message) and item.role in ("user", "assistant") and message_text(item):
            role, block = item.role, {"type": "text", "text": message_text(item)}
        if block is not None and messages and messages[-1]["role"] == role:
            messages[-1]["content"].append(block)
        elif block is not None:
            messages.append({"role": role, "content": [block]})
    return messages


def conversation(items: Sequence[Item], names: ToolNames) -> Json:
    system = [
        message_text(item) for item in items if isinstance(item, Message) and item.role in ("system", "developer")
    ]
    fields: Json = {SYSTEM: "\n\n".join(system)} if system else {}
    return {**fields, CONTEXT: context(items, names)}


def tool(tool: ToolSpec, name: str) -> Json:
    return {"name": name, "description": tool.description, "input_schema": {"type": "object", **tool.parameters}}


def settings(sampling: Sampling, seed: int, token_ids: bool) -> Json:
    assert not token_ids, "the Messages API has no token ids"
    fields: Json = {"temperature": sampling.temperature, "top_p": sampling.top_p, "max_tokens": sampling.max_tokens}
    return {**fields, STOP: sampling.stop} if sampling.stop else fields


def options(request: types.ApiRequest) -> Json:
    fields: Json = {} if MAX_TOKENS in request.sampling else {MAX_TOKENS: _DEFAULT_MAX_TOKENS}
    if request.constrain == types.MUST_CALL:
        fields["tool_choice"] = {"type": "any"}
    elif request.constrain:
        schema = msgspec.json.decode(request.constrain)
        fields["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
    return fields


class _MessagesUsage(Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class _MessagesReply(Struct):
    content: list[Json] | None = None
    stop_reason: str | None = None
    usage: _MessagesUsage | None = None
    error: Any = None


_reply_decoder = msgspec.json.Decoder(_MessagesReply)


def read_reply(body: bytes) -> types.ApiReply:
    reply = read_json_as(body, _reply_decoder)
    if reply.error:
        raise types.ServerError(reply.error)
    if reply.content is None:
        raise msgspec.ValidationError("Object missing required field `content`")
    items = chat_items([{"role": "assistant", "content": reply.content}])
    if all(isinstance(item, Reasoning) for item in items):
        items.append(Message("assistant", ""))
    usage = reply.usage or _MessagesUsage()
    prompt = (usage.input_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens)
    return types.ApiReply(
        items=items,
        finish=_FINISH.get(reply.stop_reason or "", "stop"),
        usage=Usage(sum(count or 0 for count in prompt), usage.output_tokens or 0),
    )


def read_stream(events: Sequence[Json]) -> Json:
    if not any(event.get("type") in ("message_stop", "error") for event in events):
        raise BadInput("the stream ended before the message was complete")
    return assemble_message(events)


def forwarded_items(request: Json) -> list[Item]:
    system = request.get(SYSTEM)
    text = "".join(as_text(as_object(block).get("text")) for block in as_list(system)) or as_text(system or "")
    before: list[Item] = [Message("system", text)] if text else []
    messages = as_list(request.get(CONTEXT))
    if not messages:
        raise BadInput("it has no messages")
    return before + chat_items(messages)


class MessagesText(Struct, tag="text"):
    text: str


class MessagesTextBlock(Struct):
    """The same where no other block may stand. There, msgspec would not miss a tag."""

    type: Literal["text"]
    text: str


class MessagesToolUse(Struct, tag="tool_use"):
    id: str
    name: str
    input: Json


class MessagesToolResult(Struct, tag="tool_result"):
    tool_use_id: str
    content: str | list[MessagesTextBlock] | None = None


class MessagesThinking(Struct, tag="thinking"):
    thinking: str


class MessagesRedactedThinking(Struct, tag="redacted_thinking"):
    data: str


class MessagesSystemMessage(Struct, tag_field="role", tag="system"):
    content: str | list[MessagesTextBlock]


class MessagesUserMessage(Struct, tag_field="role", tag="user"):
    content: str | list[MessagesText | MessagesToolResult]


class MessagesAssistantMessage(Struct, tag_field="role", tag="assistant"):
    content: str | list[MessagesText | MessagesToolUse | MessagesThinking | MessagesRedactedThinking]


MessagesMessage = MessagesSystemMessage | MessagesUserMessage | MessagesAssistantMessage


class MessagesTool(Struct):
    """A tool with a schema. One whose type names a version (`web_search_20250305`) is run by Anthropic."""

    name: types.ToolName | None = None
    description: str | None = None
    input_schema: Json | None = None
    type: Annotated[str, Meta(pattern=r"^(custom|[a-z0-9_]+_[0-9]{8})$")] | None = None


class MessagesToolChoice(Struct):
    type: Literal["auto", "any", "tool", "none"]
    name: str | None = None
    disable_parallel_tool_use: bool | None = None


class MessagesMetadata(Struct):
    user_id: str | None = None


class MessagesJsonSchema(Struct):
    type: Literal["json_schema"]
    schema: Json


class MessagesOutputConfig(Struct, forbid_unknown_fields=True):
    format: MessagesJsonSchema | None = None
    effort: Annotated[Any, types.ignored("the model decides how long it thinks")] = None


class MessagesConversation(Struct, forbid_unknown_fields=True, kw_only=True):
    """The fields of a request that say what the model reads."""

    model: str
    messages: Annotated[list[MessagesMessage], Meta(min_length=1)]
    system: str | list[MessagesTextBlock] | None = None
    tools: list[MessagesTool] | None = None
    tool_choice: MessagesToolChoice | None = None
    output_config: MessagesOutputConfig | None = None
    thinking: Annotated[Any, types.ignored("the model's chat template decides whether it thinks")] = None
    cache_control: Annotated[Any, types.ignored("prompts are cached without being asked")] = None
    context_management: Annotated[Any, types.ignored("the server does not shorten conversations")] = None
    speed: Annotated[Any, types.ignored("there is one speed")] = None


class MessagesRequest(MessagesConversation, kw_only=True):
    max_tokens: types.MaxTokens
    stream: bool | None = None
    temperature: types.Temperature | None = None
    top_p: types.TopP | None = None
    top_k: types.TopK | None = None
    stop_sequences: types.Stops | None = None
    metadata: MessagesMetadata | None = None
    service_tier: Annotated[Any, types.ignored("there is one tier")] = None
    inference_geo: Annotated[Any, types.ignored("the model runs on this machine")] = None
    diagnostics: Annotated[Any, types.ignored("it asks for reports about the prompt cache")] = None


_request_decoder = msgspec.json.Decoder(MessagesRequest)
_conversation_decoder = msgspec.json.Decoder(MessagesConversation)


def read_request(body: bytes) -> types.ApiRequest:
    request = types.decode(body, _request_decoder)
    sampling = {
        "temperature": request.temperature,
        "top_p": request.top_p,
        "top_k": request.top_k,
        "max_tokens": request.max_tokens,
        "stop": request.stop_sequences,
    }
    return types.ApiRequest(
        **_conversation(request),
        sampling={name: value for name, value in sampling.items() if value is not None},
        stream=bool(request.stream),
        user=(request.metadata.user_id or "") if request.metadata is not None else "",
    )


def read_count_request(body: bytes) -> types.ApiRequest:
    """The request of `POST /v1/messages/count_tokens`."""
    return types.ApiRequest(**_conversation(types.decode(body, _conversation_decoder)))


def _conversation(request: MessagesConversation) -> dict[str, Any]:
    """The fields of `ApiRequest` that say what the model reads."""
    if isinstance(request.messages[-1], MessagesAssistantMessage):
        message = "the last message must not be the assistant's: a reply cannot go on from the client's text"
        raise types.InvalidRequest(message, f"messages[{len(request.messages) - 1}]")
    hosted = [tool for tool in request.tools or () if tool.type not in (None, "custom")]
    own = [tool for tool in request.tools or () if tool.type in (None, "custom")]
    for tool in own:
        types.refuse(tools=(not tool.name, "a tool must have a name"))
    functions = [types.FunctionFields(tool.name or "", tool.description, tool.input_schema) for tool in own]
    choice, config = request.tool_choice or MessagesToolChoice("auto"), request.output_config
    types.refuse(tool_choice=(choice.type == "tool" and not choice.name, "it must name the tool"))
    schema = msgspec.json.encode(config.format.schema).decode() if config is not None and config.format else ""
    kind = {"auto": "auto", "none": "none"}.get(choice.type, "required")
    tools, constrain = types.offered_tools(functions, kind, choice.name if choice.type == "tool" else None, schema)
    return {
        "model": request.model,
        "items": [item for message in request.messages for item in _items(message)],
        "instructions": None if request.system is None else _text(request.system),
        "tools": tools,
        "constrain": constrain,
        "one_call": bool(choice.disable_parallel_tool_use),
        "left_out": [tool.type or "" for tool in hosted],
    }


def _items(message: MessagesMessage) -> list[Item]:
    role: Any = message.__struct_config__.tag
    if isinstance(message.content, str):
        return [Message(role, message.content)]
    items: list[Item] = []
    for block in message.content:
        match block:
            case MessagesText() | MessagesTextBlock():
                last = items[-1] if items else None
                if isinstance(last, Message):  # the texts of one message are one text
                    items[-1] = Message(role, f"{last.content}{block.text}")
                else:
                    items.append(Message(role, block.text))
            case MessagesToolUse():
                items.append(FunctionCall(block.id, block.name, msgspec.json.encode(block.input).decode()))
            case MessagesToolResult():
                items.append(FunctionCallOutput(block.tool_use_id, _text(block.content or "")))
            case MessagesThinking():
                items.append(thought(block.thinking))
            case MessagesRedactedThinking():
                items.append(Reasoning(encrypted_content=block.data))
    return items or [Message(role, "")]


def _text(content: str | list[MessagesTextBlock]) -> str:
    return content if isinstance(content, str) else "".join(block.text for block in content)


def new_id() -> str:
    return f"msg_{uuid.uuid4().hex[:24]}"


def write_reply(request: types.ApiRequest, reply: types.ReplyToSend) -> bytes:
    end = {"stop_reason": _STOP_REASON[reply.finish], "stop_sequence": None, "usage": _usage(reply)}
    blocks = [_block(item) for item in reply.items] or [_block(Message("assistant", ""))]
    return write_json({**_head(reply), "content": blocks, **end})


class MessagesStream:
    """Writes a reply as events. A block of content is opened, filled and closed before the next one."""

    def __init__(self, request: types.ApiRequest, reply: types.ReplyToSend) -> None:
        self._reply = reply
        self._index = -1
        """Number of the latest block."""
        self._sent: int | None = None
        """Characters sent of the open text block. None if none is open."""

    def begin(self) -> bytes:
        end = {"stop_reason": None, "stop_sequence": None, "usage": _usage(self._reply)}
        start = _event("message_start", message={**_head(self._reply), "content": [], **end})
        return start + _event("ping")

    def text(self, text: str) -> bytes:
        opened = b"" if self._sent is not None else self._open({"type": "text", "text": ""})
        self._sent = (self._sent or 0) + len(text)
        return opened + self._delta({"type": "text_delta", "text": text})

    def end(self, reply: types.ReplyToSend) -> bytes:
        items = reply.items or [Message("assistant", "")]
        if self._sent is not None:  # the message whose text has been sent in part comes first
            items = sorted(items, key=lambda item: not isinstance(item, Message))
        blocks = b"".join(self._item(item) for item in items)
        stop = {"stop_reason": _STOP_REASON[reply.finish], "stop_sequence": None}
        return blocks + _event("message_delta", delta=stop, usage=_usage(reply)) + _event("message_stop")

    def _item(self, item: Item) -> bytes:
        block = _block(item)
        if isinstance(item, Message):
            rest = block["text"][self._sent or 0 :]
            written = self.text(rest) if rest or self._sent is None else b""
        elif isinstance(item, FunctionCall):
            written = self._open({**block, "input": {}})
            written += self._delta({"type": "input_json_delta", "partial_json": _input(item)})
        else:
            written = self._open({"type": "thinking", "thinking": "", "signature": ""})
            written += self._delta({"type": "thinking_delta", "thinking": block["thinking"]})
            written += self._delta({"type": "signature_delta", "signature": block["signature"]})
        self._sent = None
        return written + _event("content_block_stop", index=self._index)

    def _open(self, block: Json) -> bytes:
        self._index += 1
        return _event("content_block_start", index=self._index, content_block=block)

    def _delta(self, delta: Json) -> bytes:
        return _event("content_block_delta", index=self._index, delta=delta)


stream = MessagesStream


def error_body(error: Json) -> bytes:
    return write_json(_error(error))


def error_event(error: Json) -> bytes:
    return event(_error(error), "error")


def _error(error: Json) -> Json:
    kind = _ERROR_TYPES.get(error["code"] or "") or _ERROR_TYPES.get(error["type"], error["type"])
    return {"type": "error", "error": {"type": kind, "message": error["message"]}, "request_id": None}


def _event(type: str, **data: Any) -> bytes:
    return event({"type": type, **data}, type)


def _head(reply: types.ReplyToSend) -> Json:
    return {"id": reply.id, "type": "message", "role": "assistant", "model": reply.model}


def _block(item: Item) -> Json:
    match item:
        case FunctionCall():
            return _tool_use(item)
        case Reasoning():
            return {"type": "thinking", "thinking": reasoning_text(item), "signature": ""}
        case _:
            assert isinstance(item, Message), "a reply holds no results of tools"
            return {"type": "text", "text": message_text(item)}


def _tool_use(call: FunctionCall) -> Json:
    return {"type": "tool_use", "id": call.call_id, "name": call.name, "input": msgspec.Raw(_input(call).encode())}


_OBJECT = re.compile(r"\s*\{")


def _input(call: FunctionCall) -> str:
    """The call's arguments, as the model wrote them. The API allows only objects: other text becomes `{"arguments": TEXT}`."""
    try:
        if _OBJECT.match(call.arguments) and isinstance(msgspec.json.decode(call.arguments), dict):
            return call.arguments
    except (ValueError, RecursionError):
        pass
    return write_json({"arguments": call.arguments}).decode() if call.arguments.strip() else "{}"


def _usage(reply: types.ReplyToSend) -> Json:
    return {
        "input_tokens": reply.usage.prompt_tokens,
        "output_tokens": reply.usage.completion_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
    }
