"""Responses. With token ids: vLLM's `enable_response_messages` gives the prompt's and the sampled ones.

Its logprobs hang on the text of a message, so a reply that is only a native tool call, or nothing, comes without them.
The seed is vLLM's own addition to this API, so it is sent only with token ids, which no other server has here.
"""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from verigym.core.records import FunctionCall, Item, Json, Message, Reasoning, Sampling, ToolSpec, Usage
from verigym.policies.openai.answer import Answer, Finish, ServerError, read_as
from verigym.policies.openai.names import ToolNames

NAME = "Responses"
PATH = ("responses",)
CONTEXT = "input"
_KINDS = ("message", "reasoning", "function_call")  # a server's own tools make others, which no record holds


def context(items: Sequence[Item], names: ToolNames) -> list[Any]:
    """The items' own JSON; the API wants a reasoning item's summary even when it is empty."""
    return [_sent(item, names) if isinstance(item, FunctionCall | Reasoning) else item for item in items]


def _sent(item: FunctionCall | Reasoning, names: ToolNames) -> Any:
    if isinstance(item, FunctionCall):
        wire = names.wire(item.name)
        return item if wire == item.name else FunctionCall(item.call_id, wire, item.arguments)
    return {"summary": [], **msgspec.to_builtins(item)}


def tool(tool: ToolSpec, name: str) -> Json:
    return {"type": "function", "name": name, "description": tool.description, "parameters": tool.parameters}


def settings(sampling: Sampling, seed: int, token_ids: bool) -> Json:
    chosen: Json = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "max_output_tokens": sampling.max_tokens,
    }
    if sampling.stop:
        chosen["stop"] = sampling.stop
    if token_ids:
        chosen |= {"enable_response_messages": True, "include": ["message.output_text.logprobs"]}
        chosen["seed"] = seed & 0x7FFFFFFF
    return chosen


class _Usage(Struct):
    input_tokens: int = 0
    output_tokens: int = 0


class _Incomplete(Struct):
    reason: str = ""


class _Tokens(Struct):
    tokens: list[int] = []


class _TokenLogprob(Struct):
    logprob: float


class _Part(Struct):
    logprobs: list[_TokenLogprob] | None = None


class _Said(Struct):
    content: list[_Part] | None = None


class _Reply(Struct):
    output: list[Json] | None = None
    status: Literal["completed", "incomplete", "failed", "cancelled"] = "completed"
    incomplete_details: _Incomplete | None = None
    usage: _Usage | None = None
    input_messages: list[_Tokens] | None = None
    output_messages: list[_Tokens] | None = None
    error: Any = None


_decoder = msgspec.json.Decoder(_Reply)


def read(body: bytes) -> Answer:
    reply = read_as(body, _decoder)
    if reply.error or reply.status in ("failed", "cancelled"):
        raise ServerError(reply.error or f"the response is {reply.status}")
    if reply.output is None:
        raise msgspec.ValidationError("Object missing required field `output`")
    output = [item for item in reply.output if item.get("type") in _KINDS]
    items = msgspec.convert(output, list[Item])
    if all(isinstance(item, Reasoning) for item in items):
        items.append(Message("assistant", ""))
    finish: Finish = "stop"
    if reply.status == "incomplete":
        filtered = reply.incomplete_details is not None and reply.incomplete_details.reason == "content_filter"
        finish = "error" if filtered else "length"
    usage = reply.usage or _Usage()
    return Answer(
        items=items,
        finish=finish,
        usage=Usage(usage.input_tokens, usage.output_tokens),
        prompt_ids=[token for message in reply.input_messages or () for token in message.tokens],
        completion_ids=[token for message in reply.output_messages or () for token in message.tokens],
        logprobs=_logprobs(output) if reply.output_messages else [],
    )


def _logprobs(output: list[Json]) -> list[float]:
    said = [msgspec.convert(item, _Said) for item in output if item["type"] == "message"]
    return [token.logprob for one in said for part in one.content or () for token in part.logprobs or ()]
