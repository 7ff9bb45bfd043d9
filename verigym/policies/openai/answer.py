"""What both APIs say in the end, and what a module of an API is."""

import json
from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeVar

import msgspec
from msgspec import Struct

from verigym.core.records import Item, Json, Sampling, ToolSpec, Usage
from verigym.policies.openai.names import ToolNames

Finish = Literal["stop", "length", "tool_calls", "context_full", "error"]
T = TypeVar("T")


class Answer(Struct, frozen=True, kw_only=True):
    items: list[Item]
    finish: Finish
    usage: Usage
    prompt_ids: list[int] = []
    completion_ids: list[int] = []
    logprobs: list[float] = []
    """Of each completion token, as the server gave them; empty where it gave none."""


class Api(Protocol):
    """`chat` and `responses` are both one."""

    @property
    def NAME(self) -> str: ...
    @property
    def PATH(self) -> tuple[str, ...]: ...
    @property
    def CONTEXT(self) -> str:
        """The body's field that holds the conversation."""
        ...

    def context(self, items: Sequence[Item], names: ToolNames) -> list[Any]: ...
    def tool(self, tool: ToolSpec, name: str) -> Json: ...
    def settings(self, sampling: Sampling, seed: int, token_ids: bool) -> Json: ...
    def read(self, body: bytes) -> Answer: ...


class ServerError(Exception):
    """A reply with HTTP status 200 that says itself that it failed."""

    def __init__(self, said: Any) -> None:
        error = said if isinstance(said, dict) else {"message": said}
        super().__init__(str(error.get("message") or said))
        self.codes = [str(error[field]) for field in ("code", "type", "status") if error.get(field) is not None]


def write(body: Any) -> bytes:
    """JSON; half a surrogate pair, which no UTF-8 holds, goes out as the replacement character."""
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:
        return msgspec.json.encode(_mended(msgspec.to_builtins(body, enc_hook=msgspec.json.decode)))  # Raw is JSON


def read_as(body: bytes, decoder: "msgspec.json.Decoder[T]") -> T:
    """The body as a record. One that is JSON but for bytes or escapes that are no text is read with those replaced."""
    try:
        return decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        if isinstance(error, msgspec.ValidationError):  # a field is wrong, not the text
            raise
        try:
            plain = json.loads(body.decode(errors="replace"))
        except ValueError:
            raise error from None
        return msgspec.convert(_mended(plain), decoder.type)


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    if isinstance(value, list):
        return [_mended(each) for each in value]
    if isinstance(value, dict):
        return {_mended(key): _mended(each) for key, each in value.items()}
    return value
