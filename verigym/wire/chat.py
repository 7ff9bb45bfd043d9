"""Chat Completions, for clients (requests written, replies read) and for servers (requests read, replies written).

A server refuses fields that `ChatRequest` does not have, by name: a client gets what it asks for or learns that it does not.
With token ids, vLLM's `return_token_ids` gives those of the prompt and of the reply, and `logprobs` their logprobs.
"""

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
    OutputText,
    Reasoning,
    Refusal,
    Sampling,
    ToolSpec,
    Usage,
)
from verigym.wire import types
from verigym.wire.items import chat_items, message_text, reasoning_text, thought
from verigym.wire.streams import assemble_chat, event
from verigym.wire.tools import ToolNames
from verigym.wire.values import as_list, read_json_as, write_json

NAME = "Chat Completions"
PATH = "chat/completions"
CONTEXT = "messages"
SYSTEM = ""
MAX_TOKENS = "max_tokens"
STOP = "stop"
_FINISH: dict[str, types.Finish] = {"length": "length", "content_filter": "error"}


def context(items: Sequence[Item], names: ToolNames) -> list[Json]:
    """The items as messages. Calls join the assistant message before them. Reasoning is not sent back."""
    messages: list[Json] = []
    reply: Json | None = None
    """The assistant message that a call would join."""
    for item in items:
        if isinstance(item, FunctionCall):
            if reply is None:
                reply = {"role": "assistant", "content": None}
                messages.append(reply)
            function = {"name": names.wire(item.name), "arguments": item.arguments}
            call = {"id": item.call_id, "type": "function", "function": function}
            reply.setdefault("tool_calls", []).append(call)
        elif isinstance(item, FunctionCallOutput):
            messages.append({"role": "tool", "tool_call_id": item.call_id, "content": item.output})
            reply = None
        elif isinstance(item, Message):
            role = "system" if item.role == "developer" else item.role
            message: Json = {"role": role, "content": message_text(item)}
            messages.append(message)
            reply = message if role == "assistant" else None
    return messages


def conversation(items: Sequence[Item], names: ToolNames) -> Json:
    return {CONTEXT: context(items, names)}


def tool(tool: ToolSpec, name: str) -> Json:
    return {
        "type": "function",
        "function": {"name": name, "description": tool.description, "parameters": tool.parameters},
    }


def settings(sampling: Sampling, seed: int, token_ids: bool) -> Json:
    fields = types.sampling_fields(sampling, "max_tokens") | {"seed": seed & 0x7FFFFFFF}
    return {**fields, "return_token_ids": True, "logprobs": True} if token_ids else fields


def options(request: types.ApiRequest) -> Json:
    fields: Json = {}
    if request.constrain == types.MUST_CALL:
        fields["tool_choice"] = "required"
    elif request.constrain:
        schema = types.schema_format(request.constrain)
        fields["response_format"] = {"type": "json_schema", "json_schema": schema}
    if request.one_call and request.tools:
        fields["parallel_tool_calls"] = False
    return fields | {"stream": True, "stream_options": {"include_usage": True}} if request.stream else fields


class ChatCalledFunction(Struct):
    name: str
    arguments: str


class _ReplyCall(Struct):
    id: str
    function: ChatCalledFunction


class _ReplyMessage(Struct):
    content: str | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    tool_calls: list[_ReplyCall] | None = None


class _ChatLogprobs(Struct):
    content: list[types.TokenLogprob] | None = None


class _ReplyChoice(Struct):
    message: _ReplyMessage | None = None
    finish_reason: str | None = None
    logprobs: _ChatLogprobs | None = None
    token_ids: list[int] | None = None
    error: Any = None


class _ChatReply(Struct):
    choices: list[_ReplyChoice] | None = None
    usage: Usage | None = None
    prompt_token_ids: list[int] | None = None
    error: Any = None


_reply_decoder = msgspec.json.Decoder(_ChatReply)


def read_reply(body: bytes) -> types.ApiReply:
    reply = read_json_as(body, _reply_decoder)
    choice = reply.choices[0] if reply.choices else _ReplyChoice()
    if reply.error or choice.error:
        raise types.ServerError(reply.error or choice.error)
    message = choice.message
    if message is None:
        raise msgspec.ValidationError("Object missing required field `choices[0].message`")
    reasoning = message.reasoning_content or message.reasoning
    logprobs = choice.logprobs.content if choice.logprobs else None
    return types.ApiReply(
        items=_assistant_items(reasoning, message.refusal, message.content, message.tool_calls or []),
        finish=_FINISH.get(choice.finish_reason or "", "stop"),
        usage=reply.usage or Usage(),
        prompt_ids=reply.prompt_token_ids or [],
        completion_ids=choice.token_ids or [],
        logprobs=[token.logprob for token in logprobs or ()],
    )


def read_stream(events: Sequence[Json]) -> Json:
    completion = assemble_chat(events)
    if not completion.get("error") and not (completion and completion["choices"][0]["finish_reason"]):
        raise BadInput("the stream ended before the reply was complete")
    return completion


def forwarded_items(request: Json) -> list[Item]:
    messages = as_list(request.get(CONTEXT))
    if not messages:
        raise BadInput("it has no messages")
    return chat_items(messages)


def _assistant_items(
    reasoning: str | None, refusal: str | None, content: Any, calls: "Sequence[_ReplyCall]"
) -> list[Item]:
    items: list[Item] = [thought(reasoning)] if reasoning else []
    if refusal:
        items.append(Message("assistant", [Refusal(refusal)]))
    elif content or not calls:
        items.append(Message("assistant", content or ""))
    return items + [FunctionCall(call.id, call.function.name, call.function.arguments) for call in calls]


class ChatText(Struct):
    type: Literal["text"]
    text: str


class ChatReplyText(Struct, tag="text"):
    text: str


ChatContent = str | list[ChatText]


class ChatSystemMessage(Struct, tag_field="role", tag="system"):
    content: ChatContent


class ChatDeveloperMessage(Struct, tag_field="role", tag="developer"):
    content: ChatContent


class ChatUserMessage(Struct, tag_field="role", tag="user"):
    content: ChatContent


class ChatToolCall(_ReplyCall):
    type: Literal["function"] = "function"


class ChatAssistantMessage(Struct, tag_field="role", tag="assistant"):
    content: str | list[ChatReplyText | Refusal] | None = None
    tool_calls: list[ChatToolCall] | None = None
    reasoning_content: str | None = None
    refusal: str | None = None


class ChatToolMessage(Struct, tag_field="role", tag="tool"):
    tool_call_id: str
    content: ChatContent


ChatMessage = ChatSystemMessage | ChatDeveloperMessage | ChatUserMessage | ChatAssistantMessage | ChatToolMessage


class ChatTool(Struct):
    function: types.FunctionFields
    type: Literal["function"]


class ChatFunctionName(Struct):
    name: str


class ChatToolChoice(Struct):
    type: Literal["function"]
    function: ChatFunctionName


class ChatStreamOptions(Struct):
    include_usage: bool | None = None


class ChatJsonSchemaFormat(Struct, tag="json_schema"):
    json_schema: types.JsonSchemaFields


ChatFormat = types.TextFormat | types.JsonObjectFormat | ChatJsonSchemaFormat
Zero = Annotated[float, Meta(extra_json_schema={"enum": [0]})]


class ChatRequest(types.SharedFields, kw_only=True):
    messages: Annotated[list[ChatMessage], Meta(min_length=1)]
    tools: list[ChatTool] | None = None
    tool_choice: Literal["auto", "none", "required"] | ChatToolChoice | None = None
    response_format: ChatFormat | None = None
    stream_options: ChatStreamOptions | None = None
    max_tokens: types.MaxTokens | None = None
    max_completion_tokens: types.MaxTokens | None = None
    n: Annotated[int, Meta(extra_json_schema={"enum": [1]})] | None = None
    logprobs: types.Never | None = None
    frequency_penalty: Zero | None = None
    presence_penalty: Zero | None = None
    reasoning_effort: Annotated[Any, types.ignored("the model decides how long it thinks")] = None
    verbosity: Annotated[Any, types.ignored("the model decides how long its text is")] = None
    prediction: Annotated[Any, types.ignored("it only makes replies faster")] = None
    modalities: list[Literal["text"]] | None = None


_request_decoder = msgspec.json.Decoder(ChatRequest)


def read_request(body: bytes) -> types.ApiRequest:
    request = types.decode(body, _request_decoder)
    types.refuse(
        n=(request.n not in (None, 1), "it must be 1: a request gets one reply"),
        logprobs=(bool(request.logprobs), "it must be false: this server does not send logprobs"),
        frequency_penalty=(bool(request.frequency_penalty), "it must be 0: penalties are not supported"),
        presence_penalty=(bool(request.presence_penalty), "it must be 0: penalties are not supported"),
    )
    choice, format = request.tool_choice or "auto", request.response_format
    tools, constrain = types.offered_tools(
        [tool.function for tool in request.tools or ()],
        choice if isinstance(choice, str) else "required",
        choice.function.name if isinstance(choice, ChatToolChoice) else None,
        types.constraint(format.json_schema if isinstance(format, ChatJsonSchemaFormat) else format),
    )
    return types.shared_request(
        request,
        request.max_completion_tokens or request.max_tokens,
        items=[item for message in request.messages for item in _items(message)],
        tools=tools,
        constrain=constrain,
        stream_usage=request.stream_options is not None and bool(request.stream_options.include_usage),
    )


def _items(message: ChatMessage) -> list[Item]:
    match message:
        case ChatToolMessage():
            return [FunctionCallOutput(message.tool_call_id, _text(message.content))]
        case ChatAssistantMessage():
            content: Any = message.content
            if isinstance(content, list):
                content = [OutputText(part.text) if isinstance(part, ChatReplyText) else part for part in content]
            return _assistant_items(message.reasoning_content, message.refusal, content, message.tool_calls or [])
        case _:
            role: Any = message.__struct_config__.tag
            return [Message(role, _text(message.content))]


def _text(content: ChatContent) -> str:
    return content if isinstance(content, str) else "".join(part.text for part in content)


def new_id() -> str:
    return f"chatcmpl-{uuid.uuid4().hex}"


def write_reply(request: types.ApiRequest, reply: types.ReplyToSend) -> bytes:
    text, reasoning, calls = _parts(reply.items)
    message: Json = {"role": "assistant", "content": text if text or not calls else None, "refusal": None}
    if reasoning:
        message["reasoning_content"] = reasoning
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reply.finish}
    return write_json({**_head(reply, "chat.completion"), "choices": [choice], "usage": _usage(reply)})


class ChatStream:
    """Writes a reply as chunks."""

    def __init__(self, request: types.ApiRequest, reply: types.ReplyToSend) -> None:
        self._with_usage = request.stream_usage
        self._head = _head(reply, "chat.completion.chunk")
        self._sent = 0

    def begin(self) -> bytes:
        return self._chunk({"role": "assistant", "content": ""})

    def text(self, text: str) -> bytes:
        self._sent += len(text)
        return self._chunk({"content": text})

    def end(self, reply: types.ReplyToSend) -> bytes:
        text, reasoning, calls = _parts(reply.items)
        chunks = [self._chunk({"reasoning_content": reasoning})] if reasoning else []
        if len(text) > self._sent:
            chunks.append(self.text(text[self._sent :]))
        for index, call in enumerate(calls):
            head = {**call["function"], "arguments": ""}
            chunks.append(self._chunk({"tool_calls": [{"index": index, **call, "function": head}]}))
            rest = {"index": index, "function": {"arguments": call["function"]["arguments"]}}
            chunks.append(self._chunk({"tool_calls": [rest]}))
        chunks.append(self._chunk({}, reply.finish))
        if self._with_usage:
            chunks.append(event({**self._head, "choices": [], "usage": _usage(reply)}))
        return b"".join([*chunks, b"data: [DONE]\n\n"])

    def _chunk(self, delta: Json, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        usage = {"usage": None} if self._with_usage else {}
        return event({**self._head, "choices": [choice], **usage})


stream = ChatStream


error_body = types.error_body


def error_event(error: Json) -> bytes:
    return event({"error": error})


def _head(reply: types.ReplyToSend, kind: str) -> Json:
    return {"id": reply.id, "object": kind, "created": reply.created, "model": reply.model}


def _parts(items: list[Item]) -> tuple[str, str, list[Json]]:
    """Text, reasoning and calls of a reply."""
    text = "".join(message_text(item) for item in items if isinstance(item, Message))
    reasoning = "\n".join(reasoning_text(item) for item in items if isinstance(item, Reasoning))
    calls = [
        {"id": item.call_id, "type": "function", "function": {"name": item.name, "arguments": item.arguments}}
        for item in items
        if isinstance(item, FunctionCall)
    ]
    return text, reasoning, calls


def _usage(reply: types.ReplyToSend) -> Json:
    prompt, completion = reply.usage.prompt_tokens, reply.usage.completion_tokens
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
