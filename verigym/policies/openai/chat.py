"""Chat Completions. With token ids: vLLM's `return_token_ids` gives the prompt's and the sampled ones, `logprobs` theirs."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from verigym.core.records import (
    FunctionCall,
    FunctionCallOutput,
    Item,
    Json,
    Message,
    Reasoning,
    ReasoningText,
    Refusal,
    Sampling,
    ToolSpec,
    Usage,
)
from verigym.policies import text_chat as plain
from verigym.policies.openai.answer import Answer, Finish, ServerError, read_as
from verigym.policies.openai.names import ToolNames

NAME = "Chat Completions"
PATH = ("chat", "completions")
CONTEXT = "messages"
_FINISH: dict[str, Finish] = {"length": "length", "content_filter": "error"}


def context(items: Sequence[Item], names: ToolNames) -> list[Json]:
    """Calls join the assistant's message that they follow; reasoning is not sent back."""
    messages: list[Json] = []
    said: Json | None = None
    for item in items:
        if isinstance(item, FunctionCall):
            if said is None:
                said = {"role": "assistant", "content": None}
                messages.append(said)
            function = {"name": names.wire(item.name), "arguments": item.arguments}
            call = {"id": item.call_id, "type": "function", "function": function}
            said.setdefault("tool_calls", []).append(call)
        elif isinstance(item, FunctionCallOutput):
            messages.append({"role": "tool", "tool_call_id": item.call_id, "content": item.output})
            said = None
        elif isinstance(item, Message):
            role = "system" if item.role == "developer" else item.role
            message: Json = {"role": role, "content": plain.text_of(item)}
            messages.append(message)
            said = message if role == "assistant" else None
    return messages


def tool(tool: ToolSpec, name: str) -> Json:
    return {
        "type": "function",
        "function": {"name": name, "description": tool.description, "parameters": tool.parameters},
    }


def settings(sampling: Sampling, seed: int, token_ids: bool) -> Json:
    chosen: Json = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "max_tokens": sampling.max_tokens,
        "seed": seed & 0x7FFFFFFF,
    }
    if sampling.stop:
        chosen["stop"] = sampling.stop
    if token_ids:
        chosen |= {"return_token_ids": True, "logprobs": True}
    return chosen


class _Function(Struct):
    name: str
    arguments: str


class _ToolCall(Struct):
    id: str
    function: _Function


class _Message(Struct):
    content: str | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    tool_calls: list[_ToolCall] | None = None


class _TokenLogprob(Struct):
    logprob: float


class _Logprobs(Struct):
    content: list[_TokenLogprob] | None = None


class _Choice(Struct):
    message: _Message | None = None
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None
    token_ids: list[int] | None = None
    error: Any = None


class _Reply(Struct):
    choices: list[_Choice] | None = None
    usage: Usage | None = None
    prompt_token_ids: list[int] | None = None
    error: Any = None


_decoder = msgspec.json.Decoder(_Reply)


def read(body: bytes) -> Answer:
    reply = read_as(body, _decoder)
    choice = reply.choices[0] if reply.choices else _Choice()
    if reply.error or choice.error:
        raise ServerError(reply.error or choice.error)
    message = choice.message
    if message is None:
        raise msgspec.ValidationError("Object missing required field `choices[0].message`")
    items: list[Item] = []
    thought = message.reasoning_content or message.reasoning
    if thought:
        items.append(Reasoning(content=[ReasoningText(thought)]))
    if message.refusal:
        items.append(Message("assistant", [Refusal(message.refusal)]))
    elif message.content or not message.tool_calls:
        items.append(Message("assistant", message.content or ""))
    for call in message.tool_calls or ():
        items.append(FunctionCall(call.id, call.function.name, call.function.arguments))
    logprobs = choice.logprobs.content if choice.logprobs else None
    return Answer(
        items=items,
        finish=_FINISH.get(choice.finish_reason or "", "stop"),
        usage=reply.usage or Usage(),
        prompt_ids=reply.prompt_token_ids or [],
        completion_ids=choice.token_ids or [],
        logprobs=[token.logprob for token in logprobs or ()],
    )
