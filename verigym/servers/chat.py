"""Chat Completions: requests read, replies and streams written.

What is not in `ChatBody` is refused by name, rather than ignored: a client that asks for something gets it or is told.
"""

import uuid
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from verigym.core.records import (
    FunctionCall,
    FunctionCallOutput,
    Item,
    Json,
    Message,
    OutputText,
    Reasoning,
    ReasoningText,
    Refusal,
    ToolSpec,
)
from verigym.policies.dialects import thinking
from verigym.policies.openai.answer import write
from verigym.policies.text_chat import text_of
from verigym.servers import ask as asks
from verigym.servers.ask import Answered, Ask, given, offered, schema_of
from verigym.servers.errors import HttpError, decode

PATH = "chat/completions"

# -- what is read ---------------------------------------------------------------------------------------------------


class TextPart(Struct):
    type: Literal["text"]
    text: str


class SaidPart(Struct, tag="text"):
    text: str


class RefusalPart(Struct, tag="refusal"):
    refusal: str


Text = str | list[TextPart]


class System(Struct, tag_field="role", tag="system"):
    content: Text


class Developer(Struct, tag_field="role", tag="developer"):
    content: Text


class User(Struct, tag_field="role", tag="user"):
    content: Text


class CalledFunction(Struct):
    name: str
    arguments: str


class Call(Struct):
    id: str
    function: CalledFunction
    type: Literal["function"] = "function"


class Assistant(Struct, tag_field="role", tag="assistant"):
    content: str | list[SaidPart | RefusalPart] | None = None
    tool_calls: list[Call] | None = None
    reasoning_content: str | None = None
    refusal: str | None = None


class ToolResult(Struct, tag_field="role", tag="tool"):
    tool_call_id: str
    content: Text


class Function(Struct):
    name: asks.ToolName
    description: str | None = None
    parameters: Json | None = None
    strict: bool | None = None


class Tool(Struct):
    function: Function
    type: Literal["function"]


class ChosenFunction(Struct):
    name: str


class ToolChoice(Struct):
    type: Literal["function"]
    function: ChosenFunction


class StreamOptions(Struct):
    include_usage: bool | None = None


class PlainText(Struct, tag="text"):
    pass


class JsonObject(Struct, tag="json_object"):
    pass


class Schema(Struct):
    name: str
    schema: Json
    description: str | None = None
    strict: bool | None = None


class JsonSchema(Struct, tag="json_schema"):
    json_schema: Schema


class ChatBody(Struct, forbid_unknown_fields=True):
    model: str
    messages: Annotated[list[System | Developer | User | Assistant | ToolResult], Meta(min_length=1)]
    tools: list[Tool] | None = None
    tool_choice: Literal["auto", "none", "required"] | ToolChoice | None = None
    parallel_tool_calls: asks.Always | None = None
    response_format: PlainText | JsonObject | JsonSchema | None = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    max_tokens: asks.MaxTokens | None = None
    max_completion_tokens: asks.MaxTokens | None = None
    temperature: asks.Temperature | None = None
    top_p: asks.TopP | None = None
    top_k: asks.TopK | None = None
    min_p: asks.MinP | None = None
    stop: asks.StopText | asks.Stops | None = None
    seed: asks.Seed | None = None
    n: Annotated[int, Meta(extra_json_schema={"enum": [1]})] | None = None
    logprobs: asks.Never | None = None
    frequency_penalty: Annotated[float, Meta(extra_json_schema={"enum": [0]})] | None = None
    presence_penalty: Annotated[float, Meta(extra_json_schema={"enum": [0]})] | None = None
    metadata: dict[str, str] | None = None
    user: str | None = None
    store: bool | None = None
    service_tier: str | None = None
    safety_identifier: str | None = None
    prompt_cache_key: str | None = None


_decoder = msgspec.json.Decoder(ChatBody)


def read(body: bytes) -> Ask:
    asked = decode(body, _decoder)
    asks.refuse(
        n=(asked.n not in (None, 1), "one reply a request: n is 1"),
        logprobs=(bool(asked.logprobs), "logprobs are captured, and not sent"),
        frequency_penalty=(bool(asked.frequency_penalty), "penalties are not known here"),
        presence_penalty=(bool(asked.presence_penalty), "penalties are not known here"),
        parallel_tool_calls=(asked.parallel_tool_calls is False, "a model may call several tools: it is true"),
    )
    choice = asked.tool_choice or "auto"
    tools, constrain = offered(
        [_tool(tool.function) for tool in asked.tools or ()],
        choice if isinstance(choice, str) else "required",
        choice.function.name if isinstance(choice, ToolChoice) else None,
        _constraint(asked.response_format),
    )
    return Ask(
        model=asked.model,
        items=[item for message in asked.messages for item in _items(message)],
        tools=tools,
        sampling=given(
            temperature=asked.temperature,
            top_p=asked.top_p,
            top_k=asked.top_k,
            min_p=asked.min_p,
            max_tokens=asked.max_completion_tokens or asked.max_tokens,
            stop=[asked.stop] if isinstance(asked.stop, str) else asked.stop,
        ),
        constrain=constrain,
        seed=asked.seed,
        stream=bool(asked.stream),
        stream_usage=asked.stream_options is not None and bool(asked.stream_options.include_usage),
        metadata=asked.metadata or {},
        user=asked.safety_identifier or asked.user or "",
    )


def _constraint(wanted: PlainText | JsonObject | JsonSchema | None) -> str:
    if isinstance(wanted, JsonSchema):
        return schema_of(wanted.json_schema.schema)
    return schema_of({"type": "object"}) if isinstance(wanted, JsonObject) else ""


def _tool(function: Function) -> ToolSpec:
    return ToolSpec(name=function.name, description=function.description or "", parameters=function.parameters or {})


def _items(message: System | Developer | User | Assistant | ToolResult) -> list[Item]:
    if isinstance(message, ToolResult):
        return [FunctionCallOutput(message.tool_call_id, _text(message.content))]
    if not isinstance(message, Assistant):
        role = "user" if isinstance(message, User) else "developer" if isinstance(message, Developer) else "system"
        return [Message(role, _text(message.content))]
    items: list[Item] = []
    if message.reasoning_content:
        items.append(Reasoning(content=[ReasoningText(message.reasoning_content)]))
    calls = message.tool_calls or []
    if message.refusal:
        items.append(Message("assistant", [Refusal(message.refusal)]))
    elif message.content or not calls:
        items.append(Message("assistant", _said(message.content)))
    return items + [FunctionCall(call.id, call.function.name, call.function.arguments) for call in calls]


def _text(content: Text) -> str:
    return content if isinstance(content, str) else "".join(part.text for part in content)


def _said(content: str | list[SaidPart | RefusalPart] | None) -> Any:
    if content is None or isinstance(content, str):
        return content or ""
    return [OutputText(part.text) if isinstance(part, SaidPart) else Refusal(part.refusal) for part in content]


# -- what is written ------------------------------------------------------------------------------------------------


def new_id() -> str:
    return f"chatcmpl-{uuid.uuid4().hex}"


def whole(ask: Ask, answered: Answered) -> bytes:
    words, thought, calls = _parts(answered.items)
    message: Json = {"role": "assistant", "content": words if words or not calls else None, "refusal": None}
    if thought:
        message["reasoning_content"] = thought
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": answered.finish}
    head = {"id": answered.id, "object": "chat.completion", "created": answered.created, "model": answered.model}
    return write({**head, "choices": [choice], "usage": _usage(answered)})


def stream(ask: Ask, answered: Answered) -> "ChatStream":
    return ChatStream(ask, answered)


class ChatStream:
    """Chunks as they are sent; `text` may be called before the reply is whole, `end` with all of it."""

    def __init__(self, ask: Ask, answered: Answered) -> None:
        self._ask = ask
        self._head = {
            "id": answered.id,
            "object": "chat.completion.chunk",
            "created": answered.created,
            "model": answered.model,
        }
        self._told = 0

    def begin(self) -> bytes:
        return self._chunk({"role": "assistant", "content": ""})

    def text(self, words: str) -> bytes:
        self._told += len(words)
        return self._chunk({"content": words})

    def end(self, answered: Answered) -> bytes:
        words, thought, calls = _parts(answered.items)
        sent = [self._chunk({"reasoning_content": thought})] if thought else []
        if len(words) > self._told:
            sent.append(self.text(words[self._told :]))
        for place, call in enumerate(calls):
            named = {**call["function"], "arguments": ""}
            sent.append(self._chunk({"tool_calls": [{"index": place, **call, "function": named}]}))
            rest = {"index": place, "function": {"arguments": call["function"]["arguments"]}}
            sent.append(self._chunk({"tool_calls": [rest]}))
        sent.append(self._chunk({}, answered.finish))
        if self._ask.stream_usage:
            sent.append(_event({**self._head, "choices": [], "usage": _usage(answered)}))
        return b"".join([*sent, b"data: [DONE]\n\n"])

    def _chunk(self, delta: Json, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        usage = {"usage": None} if self._ask.stream_usage else {}
        return _event({**self._head, "choices": [choice], **usage})


def error_event(error: HttpError) -> bytes:
    return _event({"error": error.error})


def _event(data: Json) -> bytes:
    return b"data: %b\n\n" % write(data)


def _parts(items: list[Item]) -> tuple[str, str, list[Json]]:
    """Words, thoughts and calls of a reply."""
    words = "".join(text_of(item) for item in items if isinstance(item, Message))
    thought = "\n".join(thinking.text_of(item) for item in items if isinstance(item, Reasoning))
    calls = [
        {"id": item.call_id, "type": "function", "function": {"name": item.name, "arguments": item.arguments}}
        for item in items
        if isinstance(item, FunctionCall)
    ]
    return words, thought, calls


def _usage(answered: Answered) -> Json:
    used = answered.usage
    total = used.prompt_tokens + used.completion_tokens
    return {"prompt_tokens": used.prompt_tokens, "completion_tokens": used.completion_tokens, "total_tokens": total}
