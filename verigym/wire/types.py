"""Requests and replies as the APIs mean them, however each writes them, and the fields that OpenAI's requests share."""

import json
import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Protocol, TypeVar

import msgspec
from msgspec import Meta, Struct

from verigym.core.errors import BadInput
from verigym.core.records import Item, Json, Sampling, ToolSpec, Usage
from verigym.wire.tools import ToolNames, tool_spec
from verigym.wire.values import read_json_as

Finish = Literal["stop", "length", "tool_calls", "context_full", "error"]
T = TypeVar("T")


class ApiReply(Struct, frozen=True, kw_only=True):
    """What a server replied."""

    items: list[Item]
    finish: Finish
    usage: Usage
    prompt_ids: list[int] = []
    completion_ids: list[int] = []
    logprobs: list[float] = []
    """One for each completion token, as the server sent them. Empty if it sent none."""


class ServerError(Exception):
    """A reply with HTTP status 200 whose body reports a failure."""

    def __init__(self, body: Any) -> None:
        error = body if isinstance(body, dict) else {"message": body}
        super().__init__(str(error.get("message") or body))
        self.codes = [str(error[field]) for field in ("code", "type", "status") if error.get(field) is not None]


class InvalidRequest(BadInput):
    """A request that the server cannot honour, with the name of the field that is wrong."""

    def __init__(self, message: str, param: str | None = None) -> None:
        super().__init__(message if param is None else f"{param}: {message}")
        self.param = param


class ApiRequest(Struct, kw_only=True):
    """A client's request."""

    model: str
    items: list[Item]
    instructions: str | None = None
    """System prompt for this request only, placed before all items."""
    tools: list[ToolSpec] = []
    sampling: Json = {}
    """The fields of `Sampling` that the client set."""
    constrain: str = ""
    """JSON schema that the reply must match, or `MUST_CALL`."""
    seed: int | None = None
    stream: bool = False
    stream_usage: bool = False
    metadata: dict[str, str] = {}
    user: str = ""
    previous: str = ""
    """Id of the response that this request continues."""
    keep: bool = False
    """Whether a later request may continue this one."""
    echo: Json = {}
    """Fields of the request that the response repeats."""
    one_call: bool = False
    """Whether the reply may hold at most one call."""
    left_out: list[str] = []
    """Types of tools that only the API's own company can run. They are not offered."""
    call_forms: dict[str, Any] = {}
    """How the client reads the calls of a function, by its name (`responses_tools.CallForm`)."""


class ReplyToSend(Struct, kw_only=True):
    """A reply for the client."""

    id: str
    created: int
    model: str
    """Id of the version that answered."""
    items: list[Item] = []
    """As the client sees them: a call that the model wrote as text is only a call."""
    usage: Usage = Usage()
    finish: Literal["stop", "length", "tool_calls"] = "stop"


class ReplyStream(Protocol):
    """A reply in pieces. Call `begin` first, `text` for each new text, then `end` with the whole reply."""

    def begin(self) -> bytes: ...
    def text(self, text: str) -> bytes: ...
    def end(self, reply: ReplyToSend) -> bytes: ...


class Api(Protocol):
    """The modules `chat`, `responses` and `messages`."""

    @property
    def NAME(self) -> str: ...
    @property
    def PATH(self) -> str:
        """The path below /v1."""
        ...

    @property
    def CONTEXT(self) -> str:
        """The field of a request that holds the conversation."""
        ...

    @property
    def SYSTEM(self) -> str:
        """The field of a request that holds the system prompt. Empty if a message holds it."""
        ...

    @property
    def MAX_TOKENS(self) -> str: ...
    @property
    def STOP(self) -> str: ...
    def context(self, items: Sequence[Item], names: ToolNames) -> list[Any]: ...
    def conversation(self, items: Sequence[Item], names: ToolNames) -> Json:
        """The fields of a request that hold the conversation and the system prompt."""
        ...

    def tool(self, tool: ToolSpec, name: str) -> Json: ...
    def settings(self, sampling: Sampling, seed: int, token_ids: bool) -> Json: ...
    def options(self, request: ApiRequest) -> Json:
        """The fields that ask for what a client asked in another API, besides sampling: a call, a format, a stream."""
        ...

    def read_reply(self, body: bytes) -> ApiReply: ...
    def read_stream(self, events: Sequence[Json]) -> Json:
        """The body that a stream adds up to. Raises `BadInput` if the stream was cut off."""
        ...

    def forwarded_items(self, request: Json) -> list[Item]:
        """The conversation in a request that another server answers, which may hold more than `read_request` allows."""
        ...

    def read_request(self, body: bytes) -> ApiRequest: ...
    def new_id(self) -> str: ...
    def write_reply(self, request: ApiRequest, reply: ReplyToSend) -> bytes: ...
    def stream(self, request: ApiRequest, reply: ReplyToSend) -> ReplyStream: ...
    def error_body(self, error: Json) -> bytes:
        """The body of an error. `error` is in OpenAI's form."""
        ...

    def error_event(self, error: Json) -> bytes:
        """The event that ends a stream after an error."""
        ...


Temperature = Annotated[float, Meta(ge=0, le=2)]
TopP = Annotated[float, Meta(ge=0, le=1)]
TopK = Annotated[int, Meta(ge=0, le=1_000_000, description="Sample from the K likeliest tokens only; 0 for all.")]
MinP = Annotated[
    float,
    Meta(ge=0, le=1, description="Sample only tokens with at least this share of the likeliest one's probability."),
]
MaxTokens = Annotated[int, Meta(ge=1, le=1_000_000)]
Seed = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
StopText = Annotated[str, Meta(min_length=1)]
Stops = Annotated[list[StopText], Meta(max_length=16)]
ToolName = Annotated[str, Meta(min_length=1, max_length=256)]
Never = Annotated[bool, Meta(extra_json_schema={"enum": [False]})]
"""A field that must not be true."""
MUST_CALL = "call"
"""Value of `ApiRequest.constrain`: the reply must be a call of one of the tools."""


def ignored(reason: str) -> Meta:
    """Marks a request field that is accepted without effect: `Annotated[Any, ignored("there is one tier")]`."""
    return Meta(description=f"Ignored: {reason}.")


class TextFormat(Struct, tag="text"):
    pass


class JsonObjectFormat(Struct, tag="json_object"):
    pass


class JsonSchemaFields(Struct):
    name: str
    schema: Json
    description: str | None = None
    strict: bool | None = None


class FunctionFields(Struct):
    name: ToolName
    description: str | None = None
    parameters: Json | None = None
    strict: bool | None = None


class TokenLogprob(Struct):
    logprob: float


class SharedFields(Struct, forbid_unknown_fields=True, kw_only=True):
    """Request fields of OpenAI's APIs."""

    model: str
    parallel_tool_calls: bool | None = None
    stream: bool | None = None
    temperature: Temperature | None = None
    top_p: TopP | None = None
    top_k: TopK | None = None
    min_p: MinP | None = None
    stop: StopText | Stops | None = None
    seed: Seed | None = None
    metadata: dict[str, str] | None = None
    user: str | None = None
    store: bool | None = None
    safety_identifier: str | None = None
    service_tier: Annotated[Any, ignored("there is one tier")] = None
    prompt_cache_key: Annotated[Any, ignored("prompts are cached without a key")] = None
    prompt_cache_retention: Annotated[Any, ignored("prompts stay cached while there is room")] = None


def shared_request(fields: SharedFields, max_tokens: int | None, **more: Any) -> ApiRequest:
    """The request with the fields that OpenAI's APIs have in common."""
    sampling = {
        "temperature": fields.temperature,
        "top_p": fields.top_p,
        "top_k": fields.top_k,
        "min_p": fields.min_p,
        "max_tokens": max_tokens,
        "stop": [fields.stop] if isinstance(fields.stop, str) else fields.stop,
    }
    return ApiRequest(
        model=fields.model,
        sampling={name: value for name, value in sampling.items() if value is not None},
        seed=fields.seed,
        stream=bool(fields.stream),
        metadata=fields.metadata or {},
        user=fields.safety_identifier or fields.user or "",
        one_call=fields.parallel_tool_calls is False,
        **more,
    )


_FIELD = re.compile(r"(.*) - at `\$\.?([^`]*)`", re.DOTALL)
_PART = re.compile(r"content\[\d+\]\.type$")


def decode(body: bytes, decoder: "msgspec.json.Decoder[T]") -> T:
    """The body as its struct. Raises `InvalidRequest` with the field that is wrong."""
    try:
        try:
            return read_json_as(body, decoder)
        except msgspec.ValidationError as error:
            if "got `float`" not in str(error):
                raise
        return msgspec.convert(json.loads(body.decode(errors="replace"), parse_float=_number), decoder.type)
    except (ValueError, RecursionError) as error:
        raise unreadable(error) from error


def _number(text: str) -> int | float:
    """17.0 is a whole number in JSON."""
    number = float(text)
    return int(number) if number.is_integer() else number


def unreadable(error: Exception) -> InvalidRequest:
    """The error for a body that is not JSON or has a field of the wrong type."""
    if isinstance(error, msgspec.ValidationError):
        match = _FIELD.fullmatch(str(error))
        message, field = (match[1], match[2]) if match else (str(error), "")
        if "unknown field" in message:
            message += ". See /openapi.json for the supported fields"
        elif _PART.search(field):
            message += ". Only text content is supported"
        return InvalidRequest(message, field or None)
    if isinstance(error, RecursionError):
        return InvalidRequest("The body is nested too deeply")
    return InvalidRequest(f"The body is not JSON: {error}")


def refuse(**fields: tuple[bool, str]) -> None:
    """Raises for the first field whose value is not supported: `n=(body.n != 1, "It must be 1")`."""
    for name, (is_wrong, message) in fields.items():
        if is_wrong:
            raise InvalidRequest(message, name)


def constraint(format: TextFormat | JsonObjectFormat | JsonSchemaFields | None) -> str:
    """The schema that a reply in this format must match, as text. Empty if the reply is free text."""
    if isinstance(format, JsonSchemaFields):
        return msgspec.json.encode(format.schema).decode()
    return '{"type":"object"}' if isinstance(format, JsonObjectFormat) else ""


def offered_tools(
    functions: Sequence[FunctionFields], choice: str, chosen: str | None, constrain: str
) -> tuple[list[ToolSpec], str]:
    """The tools that the reply may call, and the reply's constraint. `chosen` is the tool that it must call, if any."""
    tools = [tool_spec(function.name, function.description, function.parameters) for function in functions]
    names = [tool.name for tool in tools]
    duplicate = next((name for name in names if names.count(name) > 1), None)
    if duplicate is not None:
        raise InvalidRequest(f'two tools are named "{duplicate}"', "tools")
    if choice == "none" or not (tools or choice == "required" or chosen is not None):
        return [], constrain
    if constrain:
        message = "a response format and tools cannot be combined. Remove one, or set tool_choice to none"
        raise InvalidRequest(message, "tools")
    if choice == "auto":
        return tools, ""
    callable_tools = [tool for tool in tools if chosen in (None, tool.name)]
    if not callable_tools:
        message = f'no tool is named "{chosen}"' if chosen else "a call is required, but no tool is offered"
        raise InvalidRequest(message, "tool_choice")
    return callable_tools, MUST_CALL


def sampling_fields(sampling: Sampling, max_tokens: str) -> Json:
    """The sampling settings of a request. `max_tokens` is the API's name for that field."""
    fields: Json = {"temperature": sampling.temperature, "top_p": sampling.top_p, max_tokens: sampling.max_tokens}
    return {**fields, "stop": sampling.stop} if sampling.stop else fields


def error_body(error: Json) -> bytes:
    """An error in OpenAI's form."""
    return msgspec.json.encode({"error": error})


def schema_format(constrain: str) -> Json:
    """A constraint as the fields of a JSON schema format."""
    return {"name": "reply", "schema": msgspec.json.decode(constrain)}


def left_out_header(request: ApiRequest) -> dict[bytes, bytes]:
    """The header that names the types of tools that are not offered. Empty if all are."""
    types = ", ".join(dict.fromkeys(request.left_out))
    return {b"x-verigym-tools-left-out": types.encode("ascii", "replace")} if types else {}
