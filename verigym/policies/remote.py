"""A model behind an OpenAI-compatible server, by Chat Completions or by Responses.

One call is one reply: `respond` writes the request, posts it (`connection.py`) and reads the answer. `wire/` has the formats
of the APIs. Not supported: streaming, redirects, proxies, images, and prices.
"""

import math
from collections.abc import Mapping
from typing import Any, Literal, Self

import msgspec
from msgspec import Struct

from verigym.core.errors import BadInput
from verigym.core.protocols import Reply, Request
from verigym.core.records import FunctionCall, Item, Json, Message, Reasoning, Sampling, ToolSpec, Turn
from verigym.policies import dialects
from verigym.policies.connection import ServerConnection, UnusableReply
from verigym.policies.dialects import thinking
from verigym.policies.dialects.instructions import adapted, in_words
from verigym.policies.dialects.markup import bare_calls, to_items
from verigym.policies.dialects.plain import to_messages
from verigym.policies.render import ids_so_far
from verigym.policies.version_texts import is_system
from verigym.wire import chat, responses
from verigym.wire.items import message_text, thought
from verigym.wire.tools import ToolNames
from verigym.wire.types import Api, ApiReply, Finish
from verigym.wire.values import write_json

__all__ = ["RemotePolicy", "ToolNames"]

_APIS: dict[str, Api] = {"chat": chat, "responses": responses}
_OFFERS_KEPT = 8


class RemotePolicy:
    """A policy behind a server: `async with RemotePolicy("http://localhost:8000/v1", "qwen") as policy: ...`.

    `tools="text"` is for models without a tool channel: tools and calls are written as text in the plain dialect. `extra`
    is added to the body of every request. `reasoning_field` names the field of a request in which the server takes the limit of
    `Sampling.reasoning_tokens`, with dots between the levels. A None in it removes a field
    (`{"max_tokens": None, "max_completion_tokens": 512}`). `token_ids` asks vLLM for the ids and logprobs that training
    needs. A turn keeps the logprobs only if they are the sampler's own (see `_kept`). The seed of a turn is the episode's
    seed plus the number of the turn. With one seed for all turns, vLLM would draw the same noise at every turn, and a small
    model would repeat itself.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api: Literal["chat", "responses"] = "chat",
        key_env: str = "OPENAI_API_KEY",
        tools: Literal["native", "text"] = "native",
        timeout_s: float = 600,
        retries: int = 4,
        concurrency: int = 256,
        token_ids: bool = False,
        reasoning_field: str = "",
        extra: Mapping[str, Any] = {},
    ) -> None:
        if api not in _APIS or tools not in ("native", "text"):
            raise BadInput(
                f'api="{api}", tools="{tools}": api must be chat or responses, and tools must be native or text'
            )
        self.model = model
        self._api = _APIS[api]
        self._connection = ServerConnection(
            base_url,
            self._api.PATH,
            self._api.NAME,
            key_env=key_env,
            timeout_s=timeout_s,
            retries=retries,
            concurrency=concurrency,
        )
        self._as_text = tools == "text"
        self._token_ids = token_ids
        self._reasoning_field = reasoning_field
        self._extra = dict(extra)
        self._offers: list[_Offer] = []
        self._processed: bool | None = None

    def __repr__(self) -> str:
        return f"RemotePolicy({self._connection.shown_url!r}, {self.model!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._connection.close()

    async def check(self) -> None:
        """Raises an `InfrastructureFailure` if the server does not answer now. No reply is sampled."""
        await self._connection.check()

    async def respond(self, request: Request) -> Reply:
        if request.sampling.weights:
            raise BadInput(f"Weights in {request.sampling.weights} are for a model in this process. Remove the setting")
        offer = self._offer(request.tools)
        names = offer.names if self._as_text else offer.names.with_calls(request.items)
        async with self._connection.slots:
            body = write_json(self._body(request, offer, names))
            answer, latency_s = await self._connection.post(body, self._read)
            logprobs = await self._kept(answer.logprobs, request.sampling) if self._token_ids else []
        items = self._items(answer.items, request, names)
        if self._token_ids:
            parent, context_ids = _gain(answer.prompt_ids, request.turns)
        else:
            parent, context_ids = (len(request.turns) - 1 if request.turns else None), []
        turn = Turn(
            parent=parent,
            context_ids=context_ids,
            completion_ids=answer.completion_ids,
            logprobs=logprobs,
            sampling=request.sampling,
            agent=self.model,
            usage=answer.usage,
            latency_s=latency_s,
            finish=_finish(answer.finish, items),
        )
        return Reply(items=items, turn=turn)

    def _offer(self, tools: list[ToolSpec]) -> "_Offer":
        """The encoded tools. A run offers the same tools in each request, so they are encoded once."""
        for offer in self._offers:
            if offer.tools == tools:
                return offer
        names = ToolNames(tool.name for tool in tools)
        written = write_json([self._api.tool(tool, names.wire(tool.name)) for tool in tools])
        self._offers = [_Offer(list(tools), names, msgspec.Raw(written)), *self._offers[: _OFFERS_KEPT - 1]]
        return self._offers[0]

    def _body(self, request: Request, offer: "_Offer", names: ToolNames) -> Json:
        if self._as_text:
            context: list[Any] = to_messages(request.items, request.tools)
        else:
            context = self._api.context(_in_own_form(request.items, offer) if request.tools else request.items, names)
        body: Json = {"model": self.model, self._api.CONTEXT: context}
        body |= self._api.settings(request.sampling, request.seed + len(request.turns), self._token_ids)
        if request.tools and not self._as_text:
            body["tools"] = offer.written
        if request.sampling.reasoning_tokens:
            self._limit_reasoning(body, request.sampling.reasoning_tokens)
        if not self._extra:
            return body
        body |= self._extra
        return {name: value for name, value in body.items() if value is not None}

    def _limit_reasoning(self, body: Json, tokens: int) -> None:
        if not self._reasoning_field:
            raise BadInput(
                f"{self._connection.shown_url}: a limit for reasoning has no standard field. Name the field of this server "
                "with the option reasoning_field: thinking_token_budget (vLLM), nvext.max_thinking_tokens (NIM), "
                "reasoning.max_tokens (OpenRouter)"
            )
        *groups, name = self._reasoning_field.split(".")
        for group in groups:
            body = body.setdefault(group, {})
        body[name] = tokens

    def _read(self, body: bytes) -> ApiReply:
        answer = self._api.read_reply(body)
        wrong = _wrong_ids(answer) if self._token_ids else ""
        if wrong:
            raise UnusableReply(wrong)
        return answer

    async def _kept(self, logprobs: list[float], sampling: Sampling) -> list[float]:
        """The logprobs if they are at the sampling temperature and untruncated. Otherwise an empty list.

        vLLM returns raw logprobs (temperature 1, untruncated) or, with `--logprobs-mode processed_logprobs`, the sampler's.
        """
        if not logprobs or sampling.temperature == 0:
            return []
        if sampling.temperature == 1 and sampling.top_p == 1:
            return logprobs
        async with self._connection.asking:
            if self._processed is None:
                self._processed = await self._are_processed()
        return logprobs if (sampling.top_p == 1 if self._processed else sampling.temperature == 1) else []

    async def _are_processed(self) -> bool:
        """Whether the server returns processed logprobs. Asks for a few tokens with top_k 1, which have logprob 0 only after
        processing."""
        request = Request(items=[Message("user", "Say something.")], sampling=Sampling(max_tokens=8))
        body = {**self._body(request, self._offer([]), ToolNames([])), "top_k": 1, "ignore_eos": True}
        answer, _ = await self._connection.post(write_json(body), self._read)
        return bool(answer.logprobs) and all(abs(logprob) <= _ROUNDING for logprob in answer.logprobs)

    def _items(self, items: list[Item], request: Request, names: ToolNames) -> list[Item]:
        """The items with the original tool names. Some models with a tool channel write their call as text: as JSON without tags,
        which the server then does not recognise, or in the plain dialect."""
        items = _with_thinking(items)
        text = "".join(message_text(item) for item in items if isinstance(item, Message))
        called = any(isinstance(item, FunctionCall) for item in items)
        bare = bare_calls(text, names) if request.tools and not called and not self._as_text else []
        if bare:
            thoughts = [item for item in items if isinstance(item, Reasoning)]
            items, called = [*thoughts, *to_items("", bare, f"call_{len(request.turns)}")], True
        if not self._as_text and (called or not request.tools or dialects.read_call(text) is None):
            return [
                msgspec.structs.replace(item, name=names.name(item.name)) if isinstance(item, FunctionCall) else item
                for item in items
            ]
        reply = dialects.parse(text, f"call_{len(request.turns)}") if request.tools else [Message("assistant", text)]
        return [*(item for item in items if isinstance(item, Reasoning)), *reply]


_ROUNDING = 1e-5


class _Offer(Struct, frozen=True):
    """The encoded tools of a run."""

    tools: list[ToolSpec]
    names: ToolNames
    written: msgspec.Raw


def _with_thinking(items: list[Item]) -> list[Item]:
    """The items with thinking as an item of its own, if the server left it in the text of the first message."""
    first = items[0] if items else None
    if not isinstance(first, Message) or first.role != "assistant":
        return items
    thinking_text, said = thinking.split_unmarked(message_text(first))
    if thinking_text is None:
        return items
    return [thought(thinking_text), *([Message("assistant", said)] if said or len(items) == 1 else []), *items[1:]]


def _in_own_form(items: list[Item], offer: _Offer) -> list[Item]:
    """The items with system prompts that do not ask for the plain dialect. The server has a form of its own for calls."""
    return [
        msgspec.structs.replace(item, content=adapted(message_text(item), offer.names, in_words))
        if is_system(item) and isinstance(item, Message) and '"tool"' in message_text(item)
        else item
        for item in items
    ]


def _finish(finish: Finish, items: list[Item]) -> Finish:
    called = any(isinstance(item, FunctionCall) for item in items)
    return "tool_calls" if finish == "stop" and called else finish


def _wrong_ids(answer: ApiReply) -> str:
    """The problem with the ids and logprobs of an answer. Empty if training can use them."""
    ids, logprobs = answer.completion_ids, answer.logprobs
    if not answer.prompt_ids or not ids:
        return "the reply has no token ids. Use vLLM 0.10.2 or later"
    if logprobs and len(logprobs) != len(ids):
        return f"the reply has {len(logprobs)} logprobs for {len(ids)} token ids"
    if any(not math.isfinite(logprob) or logprob > _ROUNDING for logprob in logprobs):
        return "the reply's logprobs are invalid. Start vLLM with --logprobs-mode processed_logprobs"
    return ""


def _gain(prompt_ids: list[int], turns: list[Turn]) -> tuple[int | None, list[int]]:
    """Parent and new context ids of a turn. If the prompt begins with the ids of the last path, only the ids after them are
    new. Otherwise the turn is a new root with the whole prompt."""
    path = ids_so_far(turns, len(turns) - 1) if turns else []
    if path and prompt_ids[: len(path)] == path:
        return len(turns) - 1, prompt_ids[len(path) :]
    return None, prompt_ids
