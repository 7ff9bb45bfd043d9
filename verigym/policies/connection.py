"""The connection to an OpenAI-compatible server: one post with retries, under one timeout.

Any fault of the server is an `InfrastructureFailure` with a readable message. The key is read from the environment at each call
and is never stored. What is sent and how an answer is read belongs to the callers (`remote.py`, `remote_scores.py`).
"""

import asyncio
import contextlib
import email.utils
import json
import os
import random
import re
import time
from collections.abc import Callable, Mapping
from typing import TypeVar

import aiohttp
import msgspec
from msgspec import Struct
from yarl import URL

from verigym.core.errors import BadInput, ContextFull, InfrastructureFailure, NoServer
from verigym.wire.types import ServerError

T = TypeVar("T")

_RETRIED = {408, 409, 429}
_RETRIED_WORDS = re.compile(r"(?i)rate.?limit|server.?error|internal|overloaded|unavailable|time.?out")
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 30.0
_CONNECT_S = 30.0
_IDLE_S = 4.0
"""How long an idle connection stays open. uvicorn, which vLLM uses, closes it after 5 s."""
_LARGEST = 64 * 1024 * 1024
_BODY_SHOWN = 300
_CONTEXT_WORDS = re.compile(r"(?i)context[ _-]?(length|window|size)|maximum model length|prompt is too long")
_HEADERS = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "verigym"}
_SECRET_LENGTH = 8
"""Minimum length at which a value in the address's query counts as a secret."""


class UnusableReply(Exception):
    """An answer that follows the API and lacks what was asked for. The message says what."""


class ServerConnection:
    """The server at `base_url`, asked under `path`. `api_name` names the format of its answers in errors."""

    def __init__(
        self,
        base_url: str,
        path: str,
        api_name: str,
        *,
        key_env: str = "OPENAI_API_KEY",
        timeout_s: float = 600,
        retries: int = 4,
        concurrency: int = 256,
    ) -> None:
        if not timeout_s > 0 or retries < 0 or concurrency < 1:
            raise BadInput("timeout_s must be more than 0, retries at least 0 and concurrency at least 1")
        base = _address(base_url, key_env)
        self._url = base.joinpath(*path.split("/")).with_query(base.query)
        self._models_url = base.joinpath("models").with_query(base.query)
        self.shown_url, self._base = str(self._url.with_query(None)), str(base.with_query(None))
        self._api_name = api_name
        self._answered = False
        self._key_env = key_env
        self._timeout_s = timeout_s
        self._retries = retries
        self.concurrency = concurrency
        self._open: _Open | None = None

    async def close(self) -> None:
        if self._open is not None:
            await self._open.session.close()
            self._open = None

    @property
    def slots(self) -> asyncio.Semaphore:
        """Limits the calls in flight."""
        return self._opened().slots

    @property
    def asking(self) -> asyncio.Lock:
        """Held while the server is asked what it can do."""
        return self._opened().asking

    async def post(self, data: bytes, read: Callable[[bytes], T]) -> tuple[T, float]:
        """What `read` makes of the answer of the server, and the seconds that the successful attempt took. `read` raises
        `UnusableReply` if the answer lacks what was asked for. Callers hold a slot (`slots`)."""
        session = self._opened().session
        deadline = time.monotonic() + self._timeout_s
        failure: Exception | None = None
        try:
            async with asyncio.timeout(self._timeout_s):
                for tried in range(self._retries + 1):
                    began = time.monotonic()
                    result = await self._try(data, session, read)
                    if not isinstance(result, _Failed):
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
            late = self.failure(f"no reply within {self._timeout_s:g} s. Raise the option timeout_s to wait longer")
            failure = late if failure is None else _and(late, f" (before that: {failure})")
        assert failure is not None
        raise failure  # outside the except block, because an exception of aiohttp contains the key

    async def check(self) -> None:
        """Raises an `InfrastructureFailure` if nothing answers now, or if the key is refused. It asks for the list of models,
        which costs nothing. Any other answer will do, because some servers have no such list."""
        session = self._opened().session
        failed: _Failed | None = None
        try:
            async with session.get(self._models_url, headers=self._headers(), allow_redirects=False) as response:
                if response.status in (401, 403):
                    failed = self._refusal(response.status, await _whole(response) or b"", response.headers)
        except (aiohttp.ClientError, OSError) as error:
            failed = self._unreached(error)
        if failed is not None:
            raise failed.error  # outside the except block, because an exception of aiohttp contains the key

    async def _try(self, data: bytes, session: aiohttp.ClientSession, read: Callable[[bytes], T]) -> "T | _Failed":
        try:
            async with session.post(self._url, data=data, headers=self._headers(), allow_redirects=False) as response:
                self._answered = True
                body = await _whole(response)
        except (aiohttp.ClientError, OSError) as error:
            return self._unreached(error)
        if body is None:
            return _Failed(self.failure(f"the reply is larger than {_LARGEST // 2**20} MiB"))
        if response.status != 200:
            return self._refusal(response.status, body, response.headers)
        try:
            return read(body)
        except ServerError as error:
            return self._said(error, body)
        except UnusableReply as error:
            return _Failed(self.failure(str(error), body))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            return _Failed(self.failure(f"the reply does not follow the {self._api_name} API ({error})", body))

    def _unreached(self, error: Exception) -> "_Failed":
        refused = isinstance(error, aiohttp.ClientConnectorError) and isinstance(error.os_error, ConnectionRefusedError)
        if refused and not self._answered:
            return _Failed(
                NoServer(f"No server answers at {self._hidden(self._base)}. Start it, or correct its address")
            )
        words = str(error).replace(str(self._url), self.shown_url).replace(str(self._models_url), self._base)
        return _Failed(self.failure(f"the connection failed ({type(error).__name__}: {words})"), passing=True)

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
            self._open = _Open(loop, session, asyncio.Semaphore(self.concurrency), asyncio.Lock())
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
            return _Failed(ContextFull(f"{self.shown_url}: {self._shown(body)}"))
        remedy = ""
        if status in (401, 403):
            remedy = f". Check the key in {self._key_env}" if self._key() else f". Set {self._key_env} to the key"
        elif 300 <= status < 400:
            elsewhere = headers.get("Location", "").partition("?")[0]
            remedy = f". Redirects are not followed. Use the target address ({elsewhere})"
        failure = self.failure(f"HTTP status {status}{remedy}", body)
        return _Failed(failure, passing=_passes(str(status)), retry_after=headers.get("Retry-After"))

    def _said(self, error: ServerError, body: bytes) -> "_Failed":
        """A failure that came with HTTP status 200."""
        if _CONTEXT_WORDS.search(f"{error} {error.codes}"):
            return _Failed(ContextFull(f"{self.shown_url}: {self._shown(body)}"))
        return _Failed(self.failure("the server reported a failure", body), passing=any(map(_passes, error.codes)))

    def failure(self, what: str, body: bytes = b"") -> InfrastructureFailure:
        """An error about this server, without its secrets."""
        shown = self._shown(body)
        return InfrastructureFailure(f"{self.shown_url}: {self._hidden(what)}" + (f": {shown}" if shown else ""))

    def _shown(self, body: bytes) -> str:
        return self._hidden(body.decode(errors="replace").strip())[:_BODY_SHOWN]

    def _hidden(self, text: str) -> str:
        """The text without the key and the values of the address's query, in any encoding that a server may echo."""
        queried = [value for value in self._url.query.values() if len(value) >= _SECRET_LENGTH]
        for secret in filter(None, [self._key(), *queried]):
            text = re.sub("".join(map(_any_form, secret)), "***", text, flags=re.IGNORECASE)
        return text


class _Open(Struct, frozen=True):
    """The resources of one event loop."""

    loop: asyncio.AbstractEventLoop
    session: aiohttp.ClientSession
    slots: asyncio.Semaphore
    asking: asyncio.Lock
    """Held while the server is asked what it can do."""


class _Failed(Struct, frozen=True):
    """The failure of one attempt."""

    error: Exception
    passing: bool = False
    """Whether a retry may help."""
    retry_after: str | None = None


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
