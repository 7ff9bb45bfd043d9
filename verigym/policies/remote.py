"""A model behind an OpenAI-compatible server, by Chat Completions or by Responses.

One call is one reply: `respond` writes the request, posts it (with retries, under one timeout) and reads the answer.
Any fault of the server is an `InfrastructureFailure` with a readable message. `openai/` has the formats of the APIs.
Not supported: streaming, redirects, proxies, images, and prices. The key is read from the environment at each call and
is never stored.
"""

import asyncio
import contextlib
import email.utils
import json
import math
import os
import random
import re
import time
from collections.abc import Mapping
from typing import Any, Literal, Self

import aiohttp
import msgspec
from msgspec import Struct
from yarl import URL

from verigym.core.errors import BadInput, ContextFull, InfrastructureFailure, NoServer
from verigym.core.protocols import Reply, Request
from verigym.core.records import FunctionCall, Item, Json, Message, Reasoning, Sampling, ToolSpec, Turn
from verigym.policies import dialects
from verigym.policies.dialects.instructions import adapted, in_words
from verigym.policies.dialects.markup import bare_calls, to_items
from verigym.policies.dialects.plain import to_messages
from verigym.policies.render import ids_so_far
from verigym.policies.version_texts import is_system
from verigym.wire import chat, responses
from verigym.wire.items import message_text
from verigym.wire.tools import ToolNames
from verigym.wire.types import Api, ApiReply, Finish, ServerError
from verigym.wire.values import write_json

__all__ = ["RemotePolicy", "ToolNames", "wait_s"]

_APIS: dict[str, Api] = {"chat": chat, "responses": responses}
_RETRIED = {408, 409, 429}
_RETRIED_WORDS = re.compile(r"(?i)rate.?limit|server.?error|internal|overloaded|unavailable|time.?out")
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 30.0
_CONNECT_S = 30.0
_IDLE_S = 4.0
"""How long an idle connection stays open. uvicorn, which vLLM uses, closes it after 5 s."""
_LARGEST = 64 * 1024 * 1024
_BODY_SHOWN = 300
_OFFERS_KEPT = 8
_CONTEXT_WORDS = re.compile(r"(?i)context[ _-]?(length|window|size)|maximum model length|prompt is too long")
_HEADERS = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "verigym"}


class RemotePolicy:
    """A policy behind a server: `async with RemotePolicy("http://localhost:8000/v1", "qwen") as policy: ...`.

    `tools="text"` is for models without a tool channel: tools and calls are written as text in the plain dialect. `extra`
    is added to the body of every request. A None in it removes a field
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
        extra: Mapping[str, Any] = {},
    ) -> None:
        if api not in _APIS or tools not in ("native", "text"):
            raise BadInput(
                f'api="{api}", tools="{tools}": api must be chat or responses, and tools must be native or text'
            )
        if not timeout_s > 0 or retries < 0 or concurrency < 1:
            raise BadInput("timeout_s must be more than 0, retries at least 0 and concurrency at least 1")
        base = _address(base_url, key_env)
        self.model = model
        self._api = _APIS[api]
        self._url = base.joinpath(*self._api.PATH.split("/")).with_query(base.query)
        self._shown_url, self._base = str(self._url.with_query(None)), str(base.with_query(None))
        self._answered = False
        self._key_env = key_env
        self._as_text = tools == "text"
        self._timeout_s = timeout_s
        self._retries = retries
        self._concurrency = concurrency
        self._token_ids = token_ids
        self._extra = dict(extra)
        self._offers: list[_Offer] = []
        self._processed: bool | None = None
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
        offer = self._offer(request.tools)
        names = offer.names if self._as_text else offer.names.with_calls(request.items)
        opened = self._opened()
        async with opened.slots:
            answer, latency_s = await self._post(write_json(self._body(request, offer, names)), opened.session)
            logprobs = await self._kept(answer.logprobs, request.sampling, opened) if self._token_ids else []
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
        if not self._extra:
            return body
        body |= self._extra
        return {name: value for name, value in body.items() if value is not None}

    async def _post(self, data: bytes, session: aiohttp.ClientSession) -> tuple[ApiReply, float]:
        """The answer of the server, and the seconds that the successful attempt took."""
        deadline = time.monotonic() + self._timeout_s
        failure: Exception | None = None
        try:
            async with asyncio.timeout(self._timeout_s):
                for tried in range(self._retries + 1):
                    began = time.monotonic()
                    result = await self._try(data, session)
                    if isinstance(result, ApiReply):
                        return result, time.monotonic() - began
                    failure, wait = result.error, wait_s(tried, result.retry_after)
                    if not result.passing or tried == self._retries:
                        break
                    if time.monotonic() + wait > deadline:
                        failure = _and(
                            failure, f". The next retry, in {wait:.3g} s, would exceed timeout_s ({self._timeout_s:g})"
                        )
                        break
                    await asyncio.sleep(wait)
        except TimeoutError:
            late = self._failure(f"no reply within {self._timeout_s:g} s. Raise the option timeout_s to wait longer")
            failure = late if failure is None else _and(late, f" (before that: {failure})")
        assert failure is not None
        raise failure  # outside the except block, because an exception of aiohttp contains the key

    async def _try(self, data: bytes, session: aiohttp.ClientSession) -> "ApiReply | _Failed":
        try:
            async with session.post(self._url, data=data, headers=self._headers(), allow_redirects=False) as response:
                self._answered = True
                body = await _whole(response)
        except aiohttp.ClientConnectorError as error:
            if self._answered or not isinstance(error.os_error, ConnectionRefusedError):
                return self._no_connection(error)
            wrong = f"No server answers at {self._hidden(self._base)}. Start it, or correct its address"
            return _Failed(NoServer(wrong))
        except (aiohttp.ClientError, OSError) as error:
            return self._no_connection(error)
        if body is None:
            return _Failed(self._failure(f"the reply is larger than {_LARGEST // 2**20} MiB"))
        if response.status != 200:
            return self._refusal(response.status, body, response.headers)
        try:
            answer = self._api.read_reply(body)
        except ServerError as error:
            return self._said(error, body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            return _Failed(self._failure(f"the reply does not follow the {self._api.NAME} API ({error})", body))
        wrong = _wrong_ids(answer) if self._token_ids else ""
        return _Failed(self._failure(wrong, body)) if wrong else answer

    def _no_connection(self, error: Exception) -> "_Failed":
        words = str(error).replace(str(self._url), self._shown_url)
        return _Failed(self._failure(f"the connection failed ({type(error).__name__}: {words})"), passing=True)

    def _opened(self) -> "_Open":
        """The session of the running event loop. A policy can outlive the loop that it was first used in."""
        loop = asyncio.get_running_loop()
        if self._open is None or self._open.loop is not loop:
            session = aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_S),
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE_S),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers=_HEADERS,
            )
            self._open = _Open(loop, session, asyncio.Semaphore(self._concurrency), asyncio.Lock())
        return self._open

    def _key(self) -> str:
        return os.environ.get(self._key_env, "").strip()

    def _headers(self) -> dict[str, str] | None:
        key = self._key()
        if not key.isascii() or not key.isprintable():
            raise BadInput(
                f"The key in {self._key_env} has a character that an HTTP header cannot contain. Set it again"
            )
        return {"Authorization": f"Bearer {key}"} if key else None

    def _refusal(self, status: int, body: bytes, headers: Mapping[str, str]) -> "_Failed":
        if status == 400 and _CONTEXT_WORDS.search(body.decode(errors="replace")):
            return _Failed(ContextFull(f"{self._shown_url}: {self._shown(body)}"))
        remedy = ""
        if status in (401, 403):
            remedy = f". Check the key in {self._key_env}" if self._key() else f". Set {self._key_env} to the key"
        elif 300 <= status < 400:
            elsewhere = headers.get("Location", "").partition("?")[0]
            remedy = f". Redirects are not followed. Use the target address ({elsewhere})"
        failure = self._failure(f"HTTP status {status}{remedy}", body)
        return _Failed(failure, passing=_passes(str(status)), retry_after=headers.get("Retry-After"))

    def _said(self, error: ServerError, body: bytes) -> "_Failed":
        """A failure that came with HTTP status 200."""
        if _CONTEXT_WORDS.search(f"{error} {error.codes}"):
            return _Failed(ContextFull(f"{self._shown_url}: {self._shown(body)}"))
        return _Failed(self._failure("the server reported a failure", body), passing=any(map(_passes, error.codes)))

    def _failure(self, what: str, body: bytes = b"") -> InfrastructureFailure:
        shown = self._shown(body)
        return InfrastructureFailure(f"{self._shown_url}: {self._hidden(what)}" + (f": {shown}" if shown else ""))

    def _shown(self, body: bytes) -> str:
        return self._hidden(body.decode(errors="replace").strip())[:_BODY_SHOWN]

    def _hidden(self, text: str) -> str:
        """The text without the key and the values of the address's query, in any encoding that a server may echo."""
        queried = [value for value in self._url.query.values() if len(value) >= _SECRET_LENGTH]
        for secret in filter(None, [self._key(), *queried]):
            text = re.sub("".join(map(_any_form, secret)), "***", text, flags=re.IGNORECASE)
        return text

    async def _kept(self, logprobs: list[float], sampling: Sampling, opened: "_Open") -> list[float]:
        """The logprobs if they are at the sampling temperature and untruncated. Otherwise an empty list.

        vLLM returns raw logprobs (temperature 1, untruncated) or, with `--logprobs-mode processed_logprobs`, the sampler's.
        """
        if not logprobs or sampling.temperature == 0:
            return []
        if sampling.temperature == 1 and sampling.top_p == 1:
            return logprobs
        async with opened.asking:
            if self._processed is None:
                self._processed = await self._are_processed(opened.session)
        return logprobs if (sampling.top_p == 1 if self._processed else sampling.temperature == 1) else []

    async def _are_processed(self, session: aiohttp.ClientSession) -> bool:
        """Whether the server returns processed logprobs. Asks for a few tokens with top_k 1, which have logprob 0 only after
        processing."""
        request = Request(items=[Message("user", "Say something.")], sampling=Sampling(max_tokens=8))
        body = {**self._body(request, self._offer([]), ToolNames([])), "top_k": 1, "ignore_eos": True}
        answer, _ = await self._post(write_json(body), session)
        return bool(answer.logprobs) and all(abs(logprob) <= _ROUNDING for logprob in answer.logprobs)

    def _items(self, items: list[Item], request: Request, names: ToolNames) -> list[Item]:
        """The items with the original tool names. Some models with a tool channel write their call as text: as JSON without tags,
        which the server then does not recognise, or in the plain dialect."""
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


_SECRET_LENGTH = 8
"""Minimum length at which a value in the address's query counts as a secret."""
_ROUNDING = 1e-5


class _Open(Struct, frozen=True):
    """The resources of one event loop."""

    loop: asyncio.AbstractEventLoop
    session: aiohttp.ClientSession
    slots: asyncio.Semaphore
    asking: asyncio.Lock
    """Held while the server is asked which logprobs it returns."""


class _Failed(Struct, frozen=True):
    """The failure of one attempt."""

    error: Exception
    passing: bool = False
    """Whether a retry may help."""
    retry_after: str | None = None


class _Offer(Struct, frozen=True):
    """The encoded tools of a run."""

    tools: list[ToolSpec]
    names: ToolNames
    written: msgspec.Raw


def _in_own_form(items: list[Item], offer: _Offer) -> list[Item]:
    """The items with system prompts that do not ask for the plain dialect. The server has a form of its own for calls."""
    return [
        msgspec.structs.replace(item, content=adapted(message_text(item), offer.names, in_words))
        if is_system(item) and isinstance(item, Message) and '"tool"' in message_text(item)
        else item
        for item in items
    ]


def _address(base_url: str, key_env: str) -> URL:
    try:
        base = URL(base_url)
    except ValueError:
        base = URL()
    if base.user or base.password:
        raise BadInput(f"The server address contains a user name or password. Remove it and put the key into {key_env}")
    if base.scheme not in ("http", "https") or not base.host:
        raise BadInput(f'"{base_url}" is not a server address. Write one such as http://localhost:8000/v1')
    return base


async def _whole(response: aiohttp.ClientResponse) -> bytes | None:
    """The body, or None if it is too large."""
    try:
        await response.content.readexactly(_LARGEST + 1)
    except asyncio.IncompleteReadError as error:
        return error.partial
    return None


def wait_s(tried: int, retry_after: str | None) -> float:
    """Seconds until the next retry: the value of the server (seconds or a date), otherwise exponential with jitter."""
    if retry_after is not None:
        with contextlib.suppress(ValueError):
            return max(0.0, float(retry_after))
        with contextlib.suppress(ValueError, OverflowError):  # neither: ignore the header
            return max(0.0, email.utils.parsedate_to_datetime(retry_after).timestamp() - time.time())
    return min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2.0 ** min(tried, 64)) * random.uniform(0.5, 1.0)


def _passes(code: str) -> bool:
    """Whether a failure with this code (a number or text) may succeed on a retry."""
    if re.fullmatch("[0-9]{3}", code):
        return int(code) in _RETRIED or code >= "500"
    return _RETRIED_WORDS.search(code) is not None


def _and(failure: Exception, words: str) -> Exception:
    return type(failure)(f"{failure}{words}")


def _any_form(letter: str) -> str:
    """A pattern for a character as it is, in a URL (`%2F`) and in JSON (`\\u002f`, `\\/`)."""
    in_url = "".join(f"%{byte:02x}" for byte in letter.encode(errors="surrogatepass"))
    coded = {in_url, f"\\u{ord(letter):04x}", json.dumps(letter)[1:-1]}
    return f"(?:{'|'.join(map(re.escape, sorted(coded)))}|\\\\?{re.escape(letter)})"


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
