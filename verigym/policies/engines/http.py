"""The connection to an engine's server: JSON over HTTP, with failures in words.

A server that cannot be reached, breaks off or does not answer in time is an `EngineLost`. There are no retries here: a fleet
sends the request to another engine. The key is read from the environment at each call and is never stored or shown.
"""

import asyncio
import contextlib
import os
from collections.abc import Coroutine, Iterable
from typing import Any

import msgspec
from msgspec import Struct
from yarl import URL

from verigym.core.errors import BadInput, EngineLost, InfrastructureFailure, not_found
from verigym.core.generation import Generation
from verigym.policies.engines.connections import Connections
from verigym.policies.engines.patience import patient

_SHOWN = 300
_LONG_S = 300.0
"""From here on, the client's own delays do not matter, and requests share one timer."""


class Answer(Struct, frozen=True):
    """A server's answer, whatever its status."""

    status: int
    body: bytes
    date: str = ""
    """The time of the server when it answered, as HTTP writes it."""

    @property
    def ok(self) -> bool:
        return self.status == 200

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace").strip()[:_SHOWN]


class EngineServer:
    """The server at `address`, such as `http://localhost:8000`. `key_env` names the variable with its key."""

    def __init__(self, address: str, key_env: str = "VERIGYM_ENGINE_KEY") -> None:
        try:
            url = URL(address)
        except ValueError:
            url = URL()
        if url.scheme not in ("http", "https") or not url.host or url.user or url.password or url.query:
            raise BadInput(f'"{address}" is not the address of an engine. Write one such as http://localhost:8000')
        self.address = str(url).rstrip("/").removesuffix("/v1")
        self.key_env = key_env
        self._connections: Connections | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._sending: set[asyncio.Task[None]] = set()

    def get(self, path: str, timeout_s: float = 30.0) -> Coroutine[Any, Any, Answer]:
        return self._ask("GET", path, None, timeout_s)

    def post(self, path: str, body: Any, timeout_s: float = 30.0) -> Coroutine[Any, Any, Answer]:
        """Posts plain data as JSON, or bytes. `body` can also be a function that returns one of them."""
        return self._ask("POST", path, body, timeout_s)

    def send(self, path: str, body: Any) -> None:
        """Posts without waiting for an answer, such as the end of a cancelled request. A lost server has ended it already."""

        async def posted() -> None:
            with contextlib.suppress(EngineLost):
                await self.post(path, body, 10.0)

        task = asyncio.get_running_loop().create_task(posted())
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def healthy(self) -> bool:
        with contextlib.suppress(EngineLost):
            return (await self.get("/health", 10.0)).ok
        return False

    async def close(self) -> None:
        """Closes the connection after what was sent. The server goes on."""
        if self._sending:
            await asyncio.wait(self._sending, timeout=5.0)
        if self._connections is not None:
            self._connections.close()
            self._connections = None

    def failure(self, what: str, answer: Answer | None = None) -> InfrastructureFailure:
        """An error about this server, with the beginning of its answer."""
        return InfrastructureFailure(f"{self.address}: {what}" + (f": {self._hidden(answer.text)}" if answer else ""))

    def decoded(self, answer: Answer, kind: type[Any]) -> Any:
        """The answer as a record, or an error that says what was wrong."""
        if answer.status in (401, 403):
            raise self.failure(f"HTTP status {answer.status}. Set {self.key_env} to the key of the engine", answer)
        if not answer.ok:
            raise self.failure(f"HTTP status {answer.status}", answer)
        try:
            return msgspec.json.decode(answer.body, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self.failure(f"the answer cannot be read ({error})", answer) from None

    async def _ask(self, method: str, path: str, body: Any, timeout_s: float) -> Answer:
        try:
            if timeout_s >= _LONG_S:  # a reply, of which there are many. Others, such as the health, go first
                answer = await self._opened().ask(method, path, body, self._headers, timeout_s)
            else:
                async with patient(timeout_s):
                    answer = await self._opened().ask(method, path, body, self._headers)
            return Answer(answer.status, answer.body, answer.headers.get("date", ""))
        except TimeoutError:
            wrong = f"no answer within {timeout_s:g} s ({path})"
        except OSError as error:
            wrong = f"the connection failed ({type(error).__name__})"
        raise EngineLost(f"{self.address}: {wrong}")

    def _opened(self) -> Connections:
        """The connections of the running event loop."""
        loop = asyncio.get_running_loop()
        if self._connections is None or self._loop is not loop:
            self._loop, self._connections = loop, Connections(URL(self.address))
        return self._connections

    def _headers(self, body: Any) -> dict[str, str]:
        kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
        key = os.environ.get(self.key_env, "").strip()
        if not key.isascii() or not key.isprintable():
            raise BadInput(
                f"The key in {self.key_env} has a character that an HTTP header cannot contain. Set it again"
            )
        said = {"Content-Type": kind, "User-Agent": "verigym"}
        return {**said, "Authorization": f"Bearer {key}"} if key else said

    def _hidden(self, text: str) -> str:
        key = os.environ.get(self.key_env, "").strip()
        return text.replace(key, "***") if key else text


def check_request(request: Generation, name: str, versions: Iterable[str]) -> None:
    """Refuses what an engine behind a server cannot do: a constraint, or a version that it has not loaded."""
    if request.matcher is not None:
        raise BadInput(f"{name} cannot constrain replies. Remove the constraint, or use a model in this process")
    if request.version and request.version not in versions:
        raise not_found("loaded version", request.version, versions)
