"""A model behind an OpenAI-compatible server, by Chat Completions or by Responses.

One call is one reply: `respond` writes the request, posts it (with retries, under one time-out) and reads what came
back. Whatever the server does wrong is an `InfrastructureFailure` in words, never a crash. Left out: streaming,
proxies, images, and prices. The key is read from the environment at each call and is kept nowhere.
"""

import asyncio
import email.utils
import json
import os
import random
import re
import time
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

import aiohttp
import msgspec
from msgspec import Meta, Struct
from yarl import URL

from verigym.core.errors import BadInput, ContextFull, InfrastructureFailure
from verigym.core.protocols import Reply, Request
from verigym.core.records import (
    FunctionCall,
    FunctionCallOutput,
    Item,
    Json,
    Message,
    Reasoning,
    ReasoningText,
    Refusal,
    Turn,
    Usage,
)
from verigym.policies import dialects, plain

Finish = Literal["stop", "length", "tool_calls", "context_full", "error"]

_PATHS = {"chat": ("chat", "completions"), "responses": ("responses",)}
_RETRIED = {408, 409, 429}
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 30.0
_BODY_SHOWN = 300
_CONTEXT_WORDS = re.compile(r"(?i)context[ _-]?(length|window|size)|maximum model length|prompt is too long")


class RemotePolicy:
    """`async with RemotePolicy("http://localhost:8000/v1", "qwen") as policy: reply = await policy.respond(request)`.

    `tools="text"` is for models without a tool channel: tools and calls go through the plain dialect. `extra` is added
    to every request's body, and a None in it takes a field away (`{"max_tokens": None, "max_completion_tokens": 512}`).
    `token_ids` asks vLLM for the ids and logprobs that training needs; its logprobs do not know the temperature, so
    they are kept only at temperature 1, where they are the sampler's own.
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
        extra: Mapping[str, Any] = {},
    ) -> None:
        base = _address(base_url, key_env)
        if token_ids and api != "chat":
            raise BadInput('token ids come with Chat Completions only; use api="chat"')
        self.model = model
        self._api = api
        self._url = base.joinpath(*_PATHS[api]).with_query(base.query)
        self._shown_url = str(self._url.with_query(None))
        self._key_env = key_env
        self._as_text = tools == "text"
        self._timeout_s = timeout_s
        self._retries = retries
        self._concurrency = concurrency
        self._token_ids = token_ids
        self._extra = dict(extra)
        self._open: _Open | None = None

    def __repr__(self) -> str:
        return f"RemotePolicy({self._shown_url!r}, {self.model!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        if self._open is not None:
            await self._open.session.close()
            self._open = None

    async def respond(self, request: Request) -> Reply:
        names = ToolNames([tool.name for tool in request.tools], request.items)
        body, latency_s = await self._post(self._body(request, names))
        try:
            answer = _read_chat(body) if self._api == "chat" else _read_responses(body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            api = "Chat Completions" if self._api == "chat" else "Responses"
            raise self._failure(f"the reply is not of the {api} API ({error})", body) from error
        items = answer.items if self._as_text else [names.restored(item) for item in answer.items]
        if self._as_text or _wrote_a_call(items, request):
            items = _from_text(items, request)
        parent = len(request.turns) - 1 if request.turns else None
        context_ids: list[int] = []
        if self._token_ids:
            self._check_ids(answer, body)
            parent, context_ids = _gain(answer.prompt_ids, request.turns)
        turn = Turn(
            parent=parent,
            context_ids=context_ids,
            completion_ids=answer.completion_ids,
            logprobs=answer.logprobs if request.sampling.temperature == 1 else [],
            sampling=request.sampling,
            agent=self.model,
            usage=answer.usage,
            latency_s=latency_s,
            finish=_finish(answer.finish, items),
        )
        return Reply(items=items, turn=turn)

    # -- the request ------------------------------------------------------------------------------------------------

    def _body(self, request: Request, names: "ToolNames") -> Json:
        chat, sampling = self._api == "chat", request.sampling
        if self._as_text:
            context: list[Any] = plain.to_messages(request.items, request.tools)
        else:
            context = [names.sent(item) for item in request.items]
            context = _chat_messages(context) if chat else [_responses_item(item) for item in context]
        body: Json = {
            "model": self.model,
            "messages" if chat else "input": context,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens" if chat else "max_output_tokens": sampling.max_tokens,
        }
        if sampling.stop:
            body["stop"] = sampling.stop
        if chat:
            body["seed"] = request.seed & 0x7FFFFFFF
        if self._token_ids:
            body |= {"return_token_ids": True, "logprobs": True}
        if request.tools and not self._as_text:
            tools = [{**msgspec.to_builtins(tool), "name": names.wire(tool.name)} for tool in request.tools]
            body["tools"] = [
                {"type": "function", "function": tool} if chat else {"type": "function", **tool} for tool in tools
            ]
        body |= self._extra
        return {name: value for name, value in body.items() if value is not None}

    # -- the wire ---------------------------------------------------------------------------------------------------

    async def _post(self, body: Json) -> tuple[bytes, float]:
        """The body of a good response, and the seconds that its own try took."""
        data = json.dumps(body).encode()
        opened = self._opened()
        async with opened.slots:
            deadline = time.monotonic() + self._timeout_s
            try:
                async with asyncio.timeout(self._timeout_s):
                    return await self._try_until(deadline, data, opened.session)
            except TimeoutError as error:
                raise self._failure(f"no reply within {self._timeout_s:g} s") from error

    async def _try_until(self, deadline: float, data: bytes, session: aiohttp.ClientSession) -> tuple[bytes, float]:
        for tried in range(self._retries + 1):
            began = time.monotonic()
            retry_after = None
            try:
                async with session.post(
                    self._url, data=data, headers=self._headers(), allow_redirects=False
                ) as response:
                    body = await response.read()
                if response.status == 200:
                    return body, time.monotonic() - began
                failure = self._refusal(response.status, body)
                if response.status not in _RETRIED and response.status < 500:
                    raise failure
                retry_after = response.headers.get("Retry-After")
            except (aiohttp.ClientError, OSError) as error:
                words = str(error).replace(str(self._url), self._shown_url)
                failure = self._failure(f"the connection failed ({type(error).__name__}: {words})")
            wait = wait_s(tried, retry_after)
            if tried == self._retries or time.monotonic() + wait > deadline:
                raise failure
            await asyncio.sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _opened(self) -> "_Open":
        """The session of the running loop: a policy may outlive the loop that it was first used in."""
        loop = asyncio.get_running_loop()
        if self._open is None or self._open.loop is not loop:
            timeout = aiohttp.ClientTimeout(total=None, sock_connect=30)
            session = aiohttp.ClientSession(timeout=timeout, connector=aiohttp.TCPConnector(limit=0))
            self._open = _Open(loop, session, asyncio.Semaphore(self._concurrency))
        return self._open

    def _key(self) -> str:
        return os.environ.get(self._key_env, "").strip()

    def _headers(self) -> dict[str, str]:
        key = self._key()
        return {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}

    # -- what went wrong --------------------------------------------------------------------------------------------

    def _refusal(self, status: int, body: bytes) -> ContextFull | InfrastructureFailure:
        if status == 400 and _CONTEXT_WORDS.search(body.decode(errors="replace")):
            return ContextFull(f"{self._shown_url}: {self._shown(body)}")
        remedy = f"; is the key in {self._key_env} right?" if self._key() else f"; set {self._key_env} to the key"
        return self._failure(f"HTTP status {status}{remedy if status in (401, 403) else ''}", body)

    def _failure(self, what: str, body: bytes = b"") -> InfrastructureFailure:
        shown = self._shown(body)
        return InfrastructureFailure(f"{self._shown_url}: {what}" + (f": {shown}" if shown else ""))

    def _shown(self, body: bytes) -> str:
        text, key = body.decode(errors="replace").strip(), self._key()
        return (text.replace(key, "***") if key else text)[:_BODY_SHOWN]

    def _check_ids(self, answer: "_Answer", body: bytes) -> None:
        if not answer.prompt_ids or not answer.completion_ids:
            raise self._failure("the reply has no token ids; they need vLLM 0.10.2 or later", body)
        if len(answer.logprobs) != len(answer.completion_ids):
            counts = f"{len(answer.logprobs)} logprobs for {len(answer.completion_ids)} token ids"
            raise self._failure(f"the reply has {counts}", body)


class _Open(Struct, frozen=True):
    """What belongs to one event loop."""

    loop: asyncio.AbstractEventLoop
    session: aiohttp.ClientSession
    slots: asyncio.Semaphore


def _address(base_url: str, key_env: str) -> URL:
    try:
        base = URL(base_url)
    except ValueError:
        base = URL()
    if base.user or base.password:
        raise BadInput(f"the server's address holds a user name or password; put the key into {key_env} instead")
    if base.scheme not in ("http", "https") or not base.host:
        raise BadInput(f'"{base_url}" is not the address of a server; one looks like http://localhost:8000/v1')
    return base


def wait_s(tried: int, retry_after: str | None) -> float:
    """Seconds until the next try: what the server asks for (seconds or a date), else doubling, with jitter."""
    if retry_after is not None:
        try:
            return max(0.0, float(retry_after))
        except ValueError:
            pass
        try:
            return max(0.0, email.utils.parsedate_to_datetime(retry_after).timestamp() - time.time())
        except ValueError:
            pass  # neither: wait as if it had not been sent
    return min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2**tried) * random.uniform(0.5, 1.0)


# -- tool names -------------------------------------------------------------------------------------------------------


class ToolNames:
    """Tool names as the APIs allow them (letters, digits, `_` and `-`, at most 64), and back: `calendar.create_event`
    is sent as `calendar-create_event`. No two names share one; a name that is allowed is sent as it is."""

    def __init__(self, offered: list[str], items: list[Item]) -> None:
        self._wire: dict[str, str] = {}
        self._name: dict[str, str] = {}
        called = [item.name for item in items if isinstance(item, FunctionCall)]
        for name in [*sorted(offered, key=lambda name: _allowed(name) != name), *called]:
            if name not in self._wire:
                self._add(name)

    def _add(self, name: str) -> None:
        wire, number = _allowed(name), 1
        while wire in self._name:
            number += 1
            wire = f"{_allowed(name)[: 63 - len(str(number))]}_{number}"
        self._wire[name], self._name[wire] = wire, name

    def wire(self, name: str) -> str:
        return self._wire[name]

    def name(self, wire: str) -> str:
        """A name that was never offered stays as the model wrote it."""
        return self._name.get(wire, wire)

    def sent(self, item: Item) -> Item:
        return msgspec.structs.replace(item, name=self.wire(item.name)) if isinstance(item, FunctionCall) else item

    def restored(self, item: Item) -> Item:
        return msgspec.structs.replace(item, name=self.name(item.name)) if isinstance(item, FunctionCall) else item


def _allowed(name: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]", "-", name)[:64] or "-"


# -- items to the wire ------------------------------------------------------------------------------------------------


def _chat_messages(items: list[Item]) -> list[Json]:
    """Calls join the assistant's message that they follow; reasoning is not sent back."""
    messages: list[Json] = []
    for item in items:
        if isinstance(item, Message):
            role = "system" if item.role == "developer" else item.role
            messages.append({"role": role, "content": plain.text_of(item)})
        elif isinstance(item, FunctionCallOutput):
            messages.append({"role": "tool", "tool_call_id": item.call_id, "content": item.output})
        elif isinstance(item, FunctionCall):
            if not messages or messages[-1]["role"] != "assistant":
                messages.append({"role": "assistant", "content": None})
            function = {"name": item.name, "arguments": item.arguments}
            call = {"id": item.call_id, "type": "function", "function": function}
            messages[-1].setdefault("tool_calls", []).append(call)
    return messages


def _responses_item(item: Item) -> Json:
    """The item's own JSON; the API wants a reasoning item's summary even when it is empty."""
    written = msgspec.to_builtins(item)
    return {**written, "summary": written.get("summary", [])} if isinstance(item, Reasoning) else written


# -- the wire to items ------------------------------------------------------------------------------------------------


class _Answer(Struct, frozen=True, kw_only=True):
    """What both APIs say in the end."""

    items: list[Item]
    finish: Finish
    usage: Usage
    prompt_ids: list[int] = []
    completion_ids: list[int] = []
    logprobs: list[float] = []


class _Function(Struct):
    name: str
    arguments: str


class _ToolCall(Struct):
    id: str
    function: _Function


class _ChatMessage(Struct):
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
    message: _ChatMessage
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None
    token_ids: list[int] | None = None


class _ChatReply(Struct):
    choices: Annotated[list[_Choice], Meta(min_length=1)]
    usage: Usage | None = None
    prompt_token_ids: list[int] | None = None


_CHAT_FINISH: dict[str, Finish] = {"length": "length", "content_filter": "error"}


def _read_chat(body: bytes) -> _Answer:
    reply = msgspec.json.decode(body, type=_ChatReply)
    choice = reply.choices[0]
    message = choice.message
    calls = [FunctionCall(call.id, call.function.name, call.function.arguments) for call in message.tool_calls or []]
    items: list[Item] = []
    thought = message.reasoning_content or message.reasoning
    if thought:
        items.append(Reasoning(content=[ReasoningText(thought)]))
    if message.refusal:
        items.append(Message("assistant", [Refusal(message.refusal)]))
    elif message.content or not calls:
        items.append(Message("assistant", message.content or ""))
    logprobs = choice.logprobs.content if choice.logprobs else None
    return _Answer(
        items=[*items, *calls],
        finish=_CHAT_FINISH.get(choice.finish_reason or "", "stop"),
        usage=reply.usage or Usage(),
        prompt_ids=reply.prompt_token_ids or [],
        completion_ids=choice.token_ids or [],
        logprobs=[token.logprob for token in logprobs or []],
    )


class _ResponsesUsage(Struct):
    input_tokens: int = 0
    output_tokens: int = 0


class _Incomplete(Struct):
    reason: str = ""


class _ResponsesReply(Struct):
    output: list[Json]
    status: Literal["completed", "incomplete"] = "completed"
    incomplete_details: _Incomplete | None = None
    usage: _ResponsesUsage | None = None


def _read_responses(body: bytes) -> _Answer:
    reply = msgspec.json.decode(body, type=_ResponsesReply)
    kinds = ("message", "reasoning", "function_call")  # a server's own tools make others, which no record holds
    items = msgspec.convert([item for item in reply.output if item.get("type") in kinds], list[Item])
    finish: Finish = "stop"
    if reply.status == "incomplete":
        filtered = reply.incomplete_details is not None and reply.incomplete_details.reason == "content_filter"
        finish = "error" if filtered else "length"
    usage = reply.usage or _ResponsesUsage()
    return _Answer(items=items, finish=finish, usage=Usage(usage.input_tokens, usage.output_tokens))


def _from_text(items: list[Item], request: Request) -> list[Item]:
    """The reply read in the plain dialect; reasoning stays as it is."""
    text = "".join(plain.text_of(item) for item in items if isinstance(item, Message))
    said = dialects.parse(text, f"call_{len(request.turns)}") if request.tools else [Message("assistant", text)]
    return [*(item for item in items if isinstance(item, Reasoning)), *said]


def _wrote_a_call(items: list[Item], request: Request) -> bool:
    """Whether a model with a tool channel wrote its call as text instead, as some prompts ask of it."""
    said = "".join(plain.text_of(item) for item in items if isinstance(item, Message))
    called = any(isinstance(item, FunctionCall) for item in items)
    return bool(request.tools) and not called and dialects.read_call(said) is not None


def _finish(finish: Finish, items: list[Item]) -> Finish:
    called = any(isinstance(item, FunctionCall) for item in items)
    return "tool_calls" if finish == "stop" and called else finish


def _gain(prompt_ids: list[int], turns: list[Turn]) -> tuple[int | None, list[int]]:
    """Parent and context gain of a turn: the ids after those of the last root and what extends it, when the prompt
    begins with them; a new root with the whole prompt when it does not."""
    root = max((place for place, turn in enumerate(turns) if turn.parent is None), default=0)
    known = [token for turn in turns[root:] for token in [*turn.context_ids, *turn.completion_ids]]
    if known and prompt_ids[: len(known)] == known:
        return len(turns) - 1, prompt_ids[len(known) :]
    return None, prompt_ids
