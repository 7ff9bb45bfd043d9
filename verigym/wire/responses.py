"""Responses, for clients (requests written, replies read) and for servers (requests read, replies written).

A server refuses fields that `ResponsesRequest` does not have, by name. Not supported are conversations stored under an id and
background responses. `responses_tools` holds the kinds of tools.

With token ids, vLLM's `enable_response_messages` gives those of the prompt and of the reply. vLLM attaches logprobs to the
text of a message, so a reply that is only a native tool call, or empty, has none. The seed is vLLM's own addition to this
API, so it is sent with token ids only.
"""

import uuid
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from verigym.core.errors import BadInput
from verigym.core.records import (
    FunctionCall,
    FunctionCallOutput,
    InputText,
    Item,
    Json,
    Message,
    Reasoning,
    Refusal,
    Sampling,
    ToolSpec,
    Usage,
)
from verigym.wire import types
from verigym.wire.items import message_text, request_items
from verigym.wire.responses_tools import (
    ResponsesCustomCall,
    ResponsesFunctionCall,
    ResponsesTool,
    as_functions,
    echoed,
    read_call,
    written_call,
)
from verigym.wire.streams import LAST_EVENTS, assemble_response, event
from verigym.wire.tools import ToolNames, qualified
from verigym.wire.values import read_json_as, write_json

NAME = "Responses"
PATH = "responses"
CONTEXT = "input"
SYSTEM = "instructions"
MAX_TOKENS = "max_output_tokens"
STOP = "stop"
_KINDS = (
    "message",
    "reasoning",
    "function_call",
    "custom_tool_call",
)  # a server's own tools make others, which no record holds


def context(items: Sequence[Item], names: ToolNames) -> list[Any]:
    """The items' own JSON. The API requires a reasoning item's summary even when it is empty."""
    return [_sent(item, names) if isinstance(item, FunctionCall | Reasoning) else item for item in items]


def conversation(items: Sequence[Item], names: ToolNames) -> Json:
    return {CONTEXT: context(items, names)}


def _sent(item: FunctionCall | Reasoning, names: ToolNames) -> Any:
    if isinstance(item, FunctionCall):
        wire = names.wire(item.name)
        return item if wire == item.name else FunctionCall(item.call_id, wire, item.arguments)
    return {"summary": [], **msgspec.to_builtins(item)}


def tool(tool: ToolSpec, name: str) -> Json:
    return {"type": "function", "name": name, "description": tool.description, "parameters": tool.parameters}


def settings(sampling: Sampling, seed: int, token_ids: bool) -> Json:
    fields = types.sampling_fields(sampling, "max_output_tokens")
    if token_ids:
        fields |= {"enable_response_messages": True, "include": ["message.output_text.logprobs"]}
        fields["seed"] = seed & 0x7FFFFFFF
    return fields


def options(request: types.ApiRequest) -> Json:
    fields: Json = {"parallel_tool_calls": False} if request.one_call and request.tools else {}
    if request.constrain == types.MUST_CALL:
        fields["tool_choice"] = "required"
    elif request.constrain:
        fields["text"] = {"format": {"type": "json_schema", **types.schema_format(request.constrain)}}
    return fields


class _ResponsesUsage(Struct):
    input_tokens: int = 0
    output_tokens: int = 0


class _IncompleteDetails(Struct):
    reason: str = ""


class _TokenMessage(Struct):
    tokens: list[int] = []


class _LogprobPart(Struct):
    logprobs: list[types.TokenLogprob] | None = None


class _LogprobMessage(Struct):
    content: list[_LogprobPart] | None = None


class _ResponsesReply(Struct):
    output: list[Json] | None = None
    status: Literal["completed", "incomplete", "failed", "cancelled"] = "completed"
    incomplete_details: _IncompleteDetails | None = None
    usage: _ResponsesUsage | None = None
    input_messages: list[_TokenMessage] | None = None
    output_messages: list[_TokenMessage] | None = None
    error: Any = None


_reply_decoder = msgspec.json.Decoder(_ResponsesReply)


def read_reply(body: bytes) -> types.ApiReply:
    reply = read_json_as(body, _reply_decoder)
    if reply.error or reply.status in ("failed", "cancelled"):
        raise types.ServerError(reply.error or f"the response is {reply.status}")
    if reply.output is None:
        raise msgspec.ValidationError("Object missing required field `output`")
    output = [item for item in reply.output if item.get("type") in _KINDS]
    items = [
        read_call(msgspec.convert(item, ResponsesFunctionCall | ResponsesCustomCall))
        if "call" in item["type"]
        else msgspec.convert(item, Item)
        for item in output
    ]
    if all(isinstance(item, Reasoning) for item in items):
        items.append(Message("assistant", ""))
    finish: types.Finish = "stop"
    if reply.status == "incomplete":
        filtered = reply.incomplete_details is not None and reply.incomplete_details.reason == "content_filter"
        finish = "error" if filtered else "length"
    usage = reply.usage or _ResponsesUsage()
    return types.ApiReply(
        items=items,
        finish=finish,
        usage=Usage(usage.input_tokens, usage.output_tokens),
        prompt_ids=[token for message in reply.input_messages or () for token in message.tokens],
        completion_ids=[token for message in reply.output_messages or () for token in message.tokens],
        logprobs=_logprobs(output) if reply.output_messages else [],
    )


def _logprobs(output: list[Json]) -> list[float]:
    messages = [msgspec.convert(item, _LogprobMessage) for item in output if item["type"] == "message"]
    parts = [part for message in messages for part in message.content or ()]
    return [token.logprob for part in parts for token in part.logprobs or ()]


def read_stream(events: Sequence[Json]) -> Json:
    if not any(event.get("type") in LAST_EVENTS for event in events):
        raise BadInput("the stream ended before the response was complete")
    return assemble_response(events)


def forwarded_items(request: Json) -> list[Item]:
    return request_items(request, Counter())


class ResponsesOutputText(Struct, tag="output_text"):
    text: str


class ResponsesMessage(Struct, tag="message"):
    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[InputText | ResponsesOutputText | Refusal]


class ResponsesSummary(Struct):
    type: Literal["summary_text"]
    text: str


class ResponsesReasoningText(Struct):
    type: Literal["reasoning_text"]
    text: str


class ResponsesReasoning(Struct, tag="reasoning"):
    summary: list[ResponsesSummary] = []
    content: list[ResponsesReasoningText] | None = None
    encrypted_content: str | None = None


class ResponsesCallOutput(Struct, tag="function_call_output"):
    call_id: str
    output: str | list[InputText | ResponsesOutputText]


class ResponsesCustomCallOutput(Struct, tag="custom_tool_call_output"):
    call_id: str
    output: str | list[InputText | ResponsesOutputText]


class ResponsesMoreTools(Struct, tag="additional_tools"):
    """Tools that codex offers inside the conversation."""

    tools: list[ResponsesTool]


ResponsesItem = (
    ResponsesMessage
    | ResponsesReasoning
    | ResponsesFunctionCall
    | ResponsesCallOutput
    | ResponsesCustomCall
    | ResponsesCustomCallOutput
    | ResponsesMoreTools
)
ITEM_SCHEMA = {"items": {"$ref": "#/components/schemas/ResponsesItem"}}


class ResponsesToolChoice(Struct):
    type: Literal["function", "custom"]
    name: str
    namespace: str | None = None


class ResponsesJsonSchemaFormat(types.JsonSchemaFields, tag="json_schema"):
    pass


class ResponsesTextSettings(Struct, forbid_unknown_fields=True):
    format: types.TextFormat | types.JsonObjectFormat | ResponsesJsonSchemaFormat | None = None
    verbosity: Annotated[Any, types.ignored("the model decides how long its text is")] = None


ResponsesIncluded = Literal[
    "reasoning.encrypted_content",
    "code_interpreter_call.outputs",
    "computer_call_output.output.image_url",
    "file_search_call.results",
    "message.input_image.image_url",
    "web_search_call.action.sources",
    "web_search_call.results",
]
"""Parts of replies that this server never makes."""


class ResponsesRequest(types.SharedFields, kw_only=True):
    input: str | Annotated[list[Any], Meta(min_length=1, extra_json_schema=ITEM_SCHEMA)]
    instructions: str | None = None
    previous_response_id: str | None = None
    tools: list[ResponsesTool] | None = None
    tool_choice: Literal["auto", "none", "required"] | ResponsesToolChoice | None = None
    text: ResponsesTextSettings | None = None
    stream_options: Json | None = None
    max_output_tokens: types.MaxTokens | None = None
    background: types.Never | None = None
    truncation: Annotated[str, Meta(extra_json_schema={"enum": ["disabled"]})] | None = None
    include: list[ResponsesIncluded] | None = None
    top_logprobs: Annotated[int, Meta(extra_json_schema={"enum": [0]})] | None = None
    reasoning: Annotated[Any, types.ignored("the model decides how long it thinks")] = None
    client_metadata: Annotated[Any, types.ignored("it is codex's own record")] = None
    max_tool_calls: Annotated[Any, types.ignored("it limits tools that this server does not run")] = None


_request_decoder = msgspec.json.Decoder(ResponsesRequest)


def read_request(body: bytes) -> types.ApiRequest:
    request = types.decode(body, _request_decoder)
    types.refuse(
        background=(bool(request.background), "it must be false: background responses are not supported"),
        truncation=(
            request.truncation not in (None, "disabled"),
            "it must be disabled: this server does not shorten conversations",
        ),
        top_logprobs=(bool(request.top_logprobs), "it must be 0: this server does not send logprobs"),
    )
    format = request.text.format if request.text is not None else None
    choice = request.tool_choice or "auto"
    chosen = qualified(choice.namespace or "", choice.name) if isinstance(choice, ResponsesToolChoice) else None
    items, more_tools = _read_input(request.input, "input", "user")
    offered = as_functions([*(request.tools or ()), *more_tools])
    kind = choice if isinstance(choice, str) else "required"
    tools, constrain = types.offered_tools(offered.functions, kind, chosen, types.constraint(format))
    return types.shared_request(
        request,
        request.max_output_tokens,
        items=items,
        instructions=request.instructions,
        tools=tools,
        constrain=constrain,
        previous=request.previous_response_id or "",
        keep=request.store is not False,
        call_forms=offered.forms,
        left_out=offered.left_out,
        echo={
            "instructions": request.instructions,
            "max_output_tokens": request.max_output_tokens,
            "metadata": request.metadata or {},
            "parallel_tool_calls": request.parallel_tool_calls is not False,
            "previous_response_id": request.previous_response_id,
            "temperature": request.temperature,
            "text": {"format": msgspec.to_builtins(format) if format is not None else {"type": "text"}},
            "tool_choice": choice,
            "tools": echoed(request.tools or ()),
            "top_p": request.top_p,
            "truncation": "disabled",
            "user": request.user,
        },
    )


def read_input(values: str | list[Any], field: str, role: Literal["user", "assistant"] = "user") -> list[Item]:
    """Items as clients write them: a message may omit its type, and text is a message of `role`. `field` is for errors."""
    return _read_input(values, field, role)[0]


def _read_input(
    values: str | list[Any], field: str, role: Literal["user", "assistant"]
) -> tuple[list[Item], list[ResponsesTool]]:
    """The items, and the tools that are offered among them."""
    if isinstance(values, str):
        return [Message(role, values)], []
    items: list[Item] = []
    tools: list[ResponsesTool] = []
    for index, value in enumerate(values):
        typed = {"type": "message", **value} if isinstance(value, dict) else value
        try:
            item = msgspec.convert(typed, ResponsesItem)
        except msgspec.ValidationError as error:
            message, _, path = str(error).partition(" - at `$")
            raise types.InvalidRequest(message, f"{field}[{index}]{path.rstrip('`')}") from error
        match item:
            case ResponsesMoreTools():
                tools += item.tools
            case ResponsesFunctionCall() | ResponsesCustomCall():
                items.append(read_call(item))
            case ResponsesCallOutput() | ResponsesCustomCallOutput():
                output = item.output if isinstance(item.output, str) else "".join(part.text for part in item.output)
                items.append(FunctionCallOutput(item.call_id, output))
            case _:
                items.append(msgspec.convert(msgspec.to_builtins(item), Item))
    return items, tools


def new_id() -> str:
    return _id("resp")


def _id(kind: str) -> str:
    return f"{kind}_{uuid.uuid4().hex}"


def write_reply(request: types.ApiRequest, reply: types.ReplyToSend) -> bytes:
    output = [_output(item, request) for item in reply.items]
    return write_json(_response(request, reply, _status(reply), output))


class ResponsesStream:
    """Writes a reply as numbered events."""

    def __init__(self, request: types.ApiRequest, reply: types.ReplyToSend) -> None:
        self._request, self._reply = request, reply
        self._number = 0
        self._output: list[Json] = []
        self._message: Json | None = None
        """The unfinished message, the last element of the output."""

    def begin(self) -> bytes:
        response = _response(self._request, self._reply, "in_progress", [])
        created = self._event("response.created", response=response)
        return created + self._event("response.in_progress", response=response)

    def text(self, text: str) -> bytes:
        opened = b"" if self._message is not None else self._open()
        assert self._message is not None
        self._message["content"][0]["text"] += text
        return opened + self._event(
            "response.output_text.delta", **self._position(), content_index=0, delta=text, logprobs=[]
        )

    def end(self, reply: types.ReplyToSend) -> bytes:
        events = b"".join(self._item(item) for item in reply.items)
        status = _status(reply)
        response = _response(self._request, reply, status, self._output)
        return events + self._event(f"response.{status}", response=response)

    def _item(self, item: Item) -> bytes:
        if isinstance(item, Message):
            sent = len(self._message["content"][0]["text"]) if self._message is not None else 0
            rest = message_text(item)[sent:]
            events = self.text(rest) if rest else b"" if self._message is not None else self._open()
            return events + self._close()
        output = _output(item, self._request)
        self._output.append(output)
        if isinstance(item, FunctionCall):
            is_custom = output["type"] == "custom_tool_call"
            field, event = (
                ("input", "custom_tool_call_input") if is_custom else ("arguments", "function_call_arguments")
            )
            added = self._added({**output, field: "", "status": "in_progress"})
            delta = self._event(f"response.{event}.delta", **self._position(), delta=output[field])
            done = {field: output[field]} if is_custom else {"name": output["name"], field: output[field]}
            return (
                added + delta + self._event(f"response.{event}.done", **self._position(), **done) + self._done(output)
            )
        return self._added(output) + self._done(output)

    def _open(self) -> bytes:
        self._message = {**_output(Message("assistant", ""), self._request), "status": "in_progress"}
        self._output.append(self._message)
        empty = {**self._message["content"][0]}
        return self._added({**self._message, "content": []}) + self._event(
            "response.content_part.added", **self._position(), content_index=0, part=empty
        )

    def _close(self) -> bytes:
        message = self._message
        assert message is not None
        message["status"] = "completed"
        part = message["content"][0]
        position = {**self._position(), "content_index": 0}
        self._message = None
        return (
            self._event("response.output_text.done", **position, text=part["text"], logprobs=[])
            + self._event("response.content_part.done", **position, part=part)
            + self._done(message)
        )

    def _added(self, item: Json) -> bytes:
        return self._event("response.output_item.added", output_index=len(self._output) - 1, item=item)

    def _done(self, item: Json) -> bytes:
        return self._event("response.output_item.done", output_index=len(self._output) - 1, item=item)

    def _position(self) -> Json:
        return {"item_id": self._output[-1]["id"], "output_index": len(self._output) - 1}

    def _event(self, type: str, **data: Any) -> bytes:
        self._number += 1
        return event({"type": type, "sequence_number": self._number - 1, **data}, type)


stream = ResponsesStream


error_body = types.error_body


def error_event(error: Json) -> bytes:
    return event({"type": "error", **{key: error[key] for key in ("code", "message", "param")}}, "error")


def _status(reply: types.ReplyToSend) -> str:
    return "incomplete" if reply.finish == "length" else "completed"


def _response(request: types.ApiRequest, reply: types.ReplyToSend, status: str, output: list[Json]) -> Json:
    prompt, completion = reply.usage.prompt_tokens, reply.usage.completion_tokens
    usage = {
        "input_tokens": prompt,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": completion,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": prompt + completion,
    }
    return {
        "id": reply.id,
        "object": "response",
        "created_at": reply.created,
        "status": status,
        "error": None,
        "incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None,
        "model": reply.model,
        "output": output,
        "usage": None if status == "in_progress" else usage,
        **request.echo,
    }


def _output(item: Item, request: types.ApiRequest) -> Json:
    match item:
        case Message():
            part = {"type": "output_text", "text": message_text(item), "annotations": [], "logprobs": []}
            head = {"type": "message", "id": _id("msg"), "status": "completed"}
            return {**head, "role": "assistant", "content": [part]}
        case FunctionCall():
            call = written_call(item, request.call_forms.get(item.name))
            return {"id": _id("ctc" if "input" in call else "fc"), "status": "completed", **call}
        case _:
            return {"id": _id("rs"), "summary": [], **msgspec.to_builtins(item)}
