"""Responses: requests read, replies and streams written.

What is not in `ResponsesBody` is refused by name. A response is remembered, so that the next request may go on
from it (`answer`). Conversations kept under an id, background work and the tools that OpenAI runs itself are not done here.
"""

import uuid
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from verigym.core import records
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
    SummaryText,
    ToolSpec,
)
from verigym.policies.openai.answer import write
from verigym.policies.text_chat import text_of
from verigym.servers import ask as asks
from verigym.servers.ask import Answered, Ask, given, offered, schema_of
from verigym.servers.errors import HttpError, bad, decode

PATH = "responses"

# -- what is read ---------------------------------------------------------------------------------------------------


class InputText(Struct, tag="input_text"):
    text: str


class InputOutputText(Struct, tag="output_text"):
    text: str


class InputRefusal(Struct, tag="refusal"):
    refusal: str


class InputMessage(Struct, tag="message"):
    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[InputText | InputOutputText | InputRefusal]


class InputSummary(Struct):
    type: Literal["summary_text"]
    text: str


class InputThought(Struct):
    type: Literal["reasoning_text"]
    text: str


class InputReasoning(Struct, tag="reasoning"):
    summary: list[InputSummary] = []
    content: list[InputThought] | None = None
    encrypted_content: str | None = None


class InputCall(Struct, tag="function_call"):
    call_id: str
    name: str
    arguments: str


class InputResult(Struct, tag="function_call_output"):
    call_id: str
    output: str | list[InputText | InputOutputText]


InputItem = InputMessage | InputReasoning | InputCall | InputResult
AN_ITEM = {"items": {"$ref": "#/components/schemas/InputItem"}}


class Tool(Struct):
    name: asks.ToolName
    type: Literal["function"]
    description: str | None = None
    parameters: Json | None = None
    strict: bool | None = None


class ToolChoice(Struct):
    type: Literal["function"]
    name: str


class PlainText(Struct, tag="text"):
    pass


class JsonObject(Struct, tag="json_object"):
    pass


class JsonSchema(Struct, tag="json_schema"):
    name: str
    schema: Json
    description: str | None = None
    strict: bool | None = None


class TextSettings(Struct, forbid_unknown_fields=True):
    format: PlainText | JsonObject | JsonSchema | None = None


class ResponsesBody(Struct, forbid_unknown_fields=True):
    model: str
    input: str | Annotated[list[Any], Meta(min_length=1, extra_json_schema=AN_ITEM)]
    instructions: str | None = None
    previous_response_id: str | None = None
    tools: list[Tool] | None = None
    tool_choice: Literal["auto", "none", "required"] | ToolChoice | None = None
    parallel_tool_calls: asks.Always | None = None
    text: TextSettings | None = None
    stream: bool | None = None
    stream_options: Json | None = None
    max_output_tokens: asks.MaxTokens | None = None
    temperature: asks.Temperature | None = None
    top_p: asks.TopP | None = None
    top_k: asks.TopK | None = None
    min_p: asks.MinP | None = None
    stop: asks.StopText | asks.Stops | None = None
    seed: asks.Seed | None = None
    background: asks.Never | None = None
    truncation: Annotated[str, Meta(extra_json_schema={"enum": ["disabled"]})] | None = None
    include: list[Literal["reasoning.encrypted_content"]] | None = None
    metadata: dict[str, str] | None = None
    user: str | None = None
    store: bool | None = None
    service_tier: str | None = None
    safety_identifier: str | None = None
    prompt_cache_key: str | None = None


_decoder = msgspec.json.Decoder(ResponsesBody)


def read(body: bytes) -> Ask:
    asked = decode(body, _decoder)
    asks.refuse(
        background=(bool(asked.background), "a response is made while the client waits: it is false"),
        truncation=(asked.truncation not in (None, "disabled"), "nothing is cut out of a conversation: it is disabled"),
        parallel_tool_calls=(asked.parallel_tool_calls is False, "a model may call several tools: it is true"),
    )
    wanted = asked.text.format if asked.text is not None else None
    choice = asked.tool_choice or "auto"
    tools, constrain = offered(
        [
            ToolSpec(name=tool.name, description=tool.description or "", parameters=tool.parameters or {})
            for tool in asked.tools or ()
        ],
        choice if isinstance(choice, str) else "required",
        choice.name if isinstance(choice, ToolChoice) else None,
        _constraint(wanted),
    )
    return Ask(
        model=asked.model,
        items=[Message("user", asked.input)] if isinstance(asked.input, str) else read_input(asked.input, "input"),
        instructions=asked.instructions,
        tools=tools,
        sampling=given(
            temperature=asked.temperature,
            top_p=asked.top_p,
            top_k=asked.top_k,
            min_p=asked.min_p,
            max_tokens=asked.max_output_tokens,
            stop=[asked.stop] if isinstance(asked.stop, str) else asked.stop,
        ),
        constrain=constrain,
        seed=asked.seed,
        stream=bool(asked.stream),
        metadata=asked.metadata or {},
        user=asked.safety_identifier or asked.user or "",
        previous=asked.previous_response_id or "",
        keep=asked.store is not False,
        echo={
            "instructions": asked.instructions,
            "max_output_tokens": asked.max_output_tokens,
            "metadata": asked.metadata or {},
            "parallel_tool_calls": True,
            "previous_response_id": asked.previous_response_id,
            "temperature": asked.temperature,
            "text": {"format": msgspec.to_builtins(wanted) if wanted is not None else {"type": "text"}},
            "tool_choice": choice,
            "tools": [msgspec.to_builtins(tool) for tool in asked.tools or ()],
            "top_p": asked.top_p,
            "truncation": "disabled",
            "user": asked.user,
        },
    )


def _constraint(wanted: PlainText | JsonObject | JsonSchema | None) -> str:
    if isinstance(wanted, JsonSchema):
        return schema_of(wanted.schema)
    return schema_of({"type": "object"}) if isinstance(wanted, JsonObject) else ""


def read_input(given: list[Any], what: str) -> list[Item]:
    """Items as clients write them: a message may leave its type out."""
    items: list[Item] = []
    for place, one in enumerate(given):
        typed = {"type": "message", **one} if isinstance(one, dict) else one
        try:
            items.append(_item(msgspec.convert(typed, InputItem)))
        except msgspec.ValidationError as error:
            words, _, path = str(error).partition(" - at `$")
            raise bad(words, f"{what}[{place}]{path.rstrip('`')}") from error
    return items


def _item(item: InputItem) -> Item:
    match item:
        case InputMessage():
            return Message(item.role, item.content if isinstance(item.content, str) else [*map(_part, item.content)])
        case InputReasoning():
            thoughts = None if item.content is None else [ReasoningText(part.text) for part in item.content]
            return Reasoning([SummaryText(part.text) for part in item.summary], thoughts, item.encrypted_content)
        case InputCall():
            return FunctionCall(item.call_id, item.name, item.arguments)
        case InputResult():
            output = item.output if isinstance(item.output, str) else "".join(part.text for part in item.output)
            return FunctionCallOutput(item.call_id, output)


def _part(part: InputText | InputOutputText | InputRefusal) -> Any:
    if isinstance(part, InputRefusal):
        return Refusal(part.refusal)
    return OutputText(part.text) if isinstance(part, InputOutputText) else records.InputText(part.text)


# -- what is written ------------------------------------------------------------------------------------------------


def new_id() -> str:
    return _id("resp")


def _id(kind: str) -> str:
    return f"{kind}_{uuid.uuid4().hex}"


def whole(ask: Ask, answered: Answered) -> bytes:
    return write(_response(ask, answered, _status(answered), [_output(item) for item in answered.items]))


def stream(ask: Ask, answered: Answered) -> "ResponseStream":
    return ResponseStream(ask, answered)


class ResponseStream:
    """Events as they are sent, numbered; `text` may be called before the reply is whole, `end` with all of it."""

    def __init__(self, ask: Ask, answered: Answered) -> None:
        self._ask, self._answered = ask, answered
        self._number = 0
        self._output: list[Json] = []
        self._message: Json | None = None
        """The message under way, the last of the output."""

    def begin(self) -> bytes:
        now = _response(self._ask, self._answered, "in_progress", [])
        return self._event("response.created", response=now) + self._event("response.in_progress", response=now)

    def text(self, words: str) -> bytes:
        opened = b"" if self._message is not None else self._open()
        assert self._message is not None
        self._message["content"][0]["text"] += words
        return opened + self._event(
            "response.output_text.delta", **self._place(), content_index=0, delta=words, logprobs=[]
        )

    def end(self, answered: Answered) -> bytes:
        sent = b"".join(self._item(item) for item in answered.items)
        status = _status(answered)
        response = _response(self._ask, answered, status, self._output)
        return sent + self._event(f"response.{status}", response=response)

    def _item(self, item: Item) -> bytes:
        if isinstance(item, Message):
            told = len(self._message["content"][0]["text"]) if self._message is not None else 0
            rest = text_of(item)[told:]
            sent = self.text(rest) if rest else b"" if self._message is not None else self._open()
            return sent + self._close()
        made = _output(item)
        self._output.append(made)
        if isinstance(item, FunctionCall):
            added = self._added({**made, "arguments": "", "status": "in_progress"})
            arguments = self._event("response.function_call_arguments.delta", **self._place(), delta=item.arguments)
            arguments += self._event(
                "response.function_call_arguments.done", **self._place(), name=item.name, arguments=item.arguments
            )
            return added + arguments + self._done(made)
        return self._added(made) + self._done(made)

    def _open(self) -> bytes:
        self._message = {**_output(Message("assistant", "")), "status": "in_progress"}
        self._output.append(self._message)
        empty = {**self._message["content"][0]}
        return self._added({**self._message, "content": []}) + self._event(
            "response.content_part.added", **self._place(), content_index=0, part=empty
        )

    def _close(self) -> bytes:
        made = self._message
        assert made is not None
        made["status"] = "completed"
        part = made["content"][0]
        where = {**self._place(), "content_index": 0}
        self._message = None
        return (
            self._event("response.output_text.done", **where, text=part["text"], logprobs=[])
            + self._event("response.content_part.done", **where, part=part)
            + self._done(made)
        )

    def _added(self, item: Json) -> bytes:
        return self._event("response.output_item.added", output_index=len(self._output) - 1, item=item)

    def _done(self, item: Json) -> bytes:
        return self._event("response.output_item.done", output_index=len(self._output) - 1, item=item)

    def _place(self) -> Json:
        return {"item_id": self._output[-1]["id"], "output_index": len(self._output) - 1}

    def _event(self, type: str, **data: Any) -> bytes:
        self._number += 1
        return _event({"type": type, "sequence_number": self._number - 1, **data})


def error_event(error: HttpError) -> bytes:
    return _event({"type": "error", "code": error.code, "message": error.message, "param": error.param})


def _event(data: Json) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (data["type"].encode(), write(data))


def _status(answered: Answered) -> str:
    return "incomplete" if answered.finish == "length" else "completed"


def _response(ask: Ask, answered: Answered, status: str, output: list[Json]) -> Json:
    used = answered.usage
    usage = {
        "input_tokens": used.prompt_tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": used.completion_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": used.prompt_tokens + used.completion_tokens,
    }
    return {
        "id": answered.id,
        "object": "response",
        "created_at": answered.created,
        "status": status,
        "error": None,
        "incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None,
        "model": answered.model,
        "output": output,
        "usage": None if status == "in_progress" else usage,
        **ask.echo,
    }


def _output(item: Item) -> Json:
    match item:
        case Message():
            part = {"type": "output_text", "text": text_of(item), "annotations": [], "logprobs": []}
            return {
                "type": "message",
                "id": _id("msg"),
                "status": "completed",
                "role": "assistant",
                "content": [part],
            }
        case FunctionCall():
            return {"id": _id("fc"), "status": "completed", **msgspec.to_builtins(item)}
        case _:
            return {"id": _id("rs"), "summary": [], **msgspec.to_builtins(item)}
