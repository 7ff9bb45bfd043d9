"""A request and its answer as both APIs mean them, however they are written (`chat`, `responses`)."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Protocol

import msgspec
from msgspec import Meta, Struct

from verigym.core.records import Item, Json, ToolSpec, Usage
from verigym.servers.errors import HttpError, bad

Finish = Literal["stop", "length", "tool_calls"]

# Fields of both APIs, with what they may be.
Temperature = Annotated[float, Meta(ge=0, le=2)]
TopP = Annotated[float, Meta(ge=0, le=1)]
TopK = Annotated[int, Meta(ge=0, le=1_000_000, description="Only so many of the likeliest tokens; 0 for all.")]
MinP = Annotated[float, Meta(ge=0, le=1, description="Only tokens at least this share as likely as the likeliest.")]
MaxTokens = Annotated[int, Meta(ge=1, le=1_000_000)]
Seed = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
StopText = Annotated[str, Meta(min_length=1)]
Stops = Annotated[list[StopText], Meta(max_length=16)]
ToolName = Annotated[str, Meta(min_length=1, max_length=256)]
MUST_CALL = "call"
"""As a constraint: the reply is a call of one of the tools."""
Never = Annotated[bool, Meta(extra_json_schema={"enum": [False]})]
"""True cannot be honoured."""
Always = Annotated[bool, Meta(extra_json_schema={"enum": [True]})]
"""False cannot be honoured."""


class Ask(Struct, kw_only=True):
    model: str
    items: list[Item]
    instructions: str | None = None
    """System prompt of this one request, before all items."""
    tools: list[ToolSpec] = []
    sampling: Json = {}
    """The fields of `Sampling` that the client gave."""
    constrain: str = ""
    """A JSON schema that the reply is held to."""
    seed: int | None = None
    stream: bool = False
    stream_usage: bool = False
    metadata: dict[str, str] = {}
    user: str = ""
    previous: str = ""
    """The response that this one goes on from."""
    keep: bool = False
    """Whether a later one may go on from this."""
    echo: Json = {}
    """What a response repeats of its request."""


class Answered(Struct, kw_only=True):
    id: str
    created: int
    model: str
    """Id of the version that answered."""
    items: list[Item] = []
    """As the client sees them: a call that is written in words is only a call."""
    usage: Usage = Usage()
    finish: Finish = "stop"


class Stream(Protocol):
    """A reply in pieces; all but `end` may come before the reply is whole."""

    def begin(self) -> bytes: ...
    def text(self, words: str) -> bytes: ...
    def end(self, answered: Answered) -> bytes: ...


class Api(Protocol):
    """`chat` and `responses` are both one."""

    @property
    def PATH(self) -> str:
        """Below /v1."""
        ...

    def read(self, body: bytes) -> Ask: ...
    def new_id(self) -> str: ...
    def whole(self, ask: Ask, answered: Answered) -> bytes: ...
    def stream(self, ask: Ask, answered: Answered) -> Stream: ...
    def error_event(self, error: HttpError) -> bytes:
        """What ends a stream that broke off."""
        ...


def given(**fields: Any) -> Json:
    return {name: value for name, value in fields.items() if value is not None}


def offered(tools: Sequence[ToolSpec], choice: str, named: str | None, constrain: str) -> tuple[list[ToolSpec], str]:
    """The tools as far as the choice leaves them, and what the reply is held to. `named`: the one that is to be called."""
    names = [tool.name for tool in tools]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise bad(f'two tools are named "{twice}"', "tools")
    if choice == "none" or not (tools or choice == "required" or named is not None):
        return [], constrain
    if constrain:
        words = "a reply that is held to a schema can call no tools: leave one of them out, or set tool_choice to none"
        raise bad(words, "tools")
    if choice == "auto":
        return [*tools], ""
    left = [tool for tool in tools if named in (None, tool.name)]
    if not left:
        raise bad(f'there is no tool "{named}" to call' if named else "there is no tool to call", "tool_choice")
    return left, MUST_CALL


def schema_of(schema: Json) -> str:
    return msgspec.json.encode(schema).decode()


def refuse(**wrong: tuple[bool, str]) -> None:
    """Raises for the first field that asks for what is not done here."""
    for name, (asked, words) in wrong.items():
        if asked:
            raise bad(words, name)
