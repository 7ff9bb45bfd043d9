"""The client side of OpenEnv's WebSocket: one connection is one session of a server.

A message is `{"type": "reset" | "step" | "close", "data": {...}}`. The answer is an observation or an error. An action that the
server refuses is the model's affair. A server that is away, full, silent or broken is a failure of the infrastructure.
"""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import aiohttp
import msgspec

from verigym.core.errors import EnvironmentFailure, InfrastructureFailure
from verigym.core.records import Json

_LARGEST = 64 * 2**20
_SHOWN = 500


class Socket:
    """One session."""

    def __init__(self, url: str, seconds: float, http: aiohttp.ClientSession, socket: Any) -> None:
        self._url, self._seconds, self._http, self._socket = url, seconds, http, socket
        self._leave: Callable[[], None] | None = None
        self._last_words: Callable[[], str] | None = None
        self._order = asyncio.Lock()  # one question at a time

    @classmethod
    async def connected(
        cls,
        url: str,
        seconds: float,
        leave: Callable[[], None] | None = None,
        last_words: Callable[[], str] | None = None,
    ) -> "Socket":
        """Connects. `leave` is called when the session ends, and `last_words` tells why a server that we started died."""
        http = aiohttp.ClientSession()
        try:
            async with asyncio.timeout(seconds):
                socket = await http.ws_connect(f"ws{url.removeprefix('http')}/ws", max_msg_size=_LARGEST)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            await http.close()
            if leave is not None:
                leave()
            raise _away(url, error, seconds, last_words) from error
        except BaseException:
            await http.close()
            raise
        made = cls(url, seconds, http, socket)
        made._leave, made._last_words = leave, last_words
        return made

    async def reset(self, arguments: Json) -> Json:
        data, problem = await self._ask("reset", arguments)
        if problem:
            raise EnvironmentFailure(f"{self._url}: reset failed: {problem}")
        return data

    async def step(self, action: Json) -> tuple[Json, str]:
        """The observation, or what the server refused."""
        return await self._ask("step", action)

    async def _ask(self, kind: str, data: Json) -> tuple[Json, str]:
        try:
            async with self._order, asyncio.timeout(self._seconds):
                await self._socket.send_str(json.dumps({"type": kind, "data": data}))
                message = await self._socket.receive()
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise _away(self._url, error, self._seconds, self._last_words) from error
        if message.type is not aiohttp.WSMsgType.TEXT:
            words = f": {self._last_words()}" if self._last_words else ""
            raise InfrastructureFailure(
                f"{self._url}: the server closed the session during {kind} (code {self._socket.close_code}){words}"
            )
        return self._read(kind, message.data)

    def _read(self, kind: str, text: str) -> tuple[Json, str]:
        try:
            answer = msgspec.json.decode(text)
            form, data = answer["type"], answer["data"]
            assert isinstance(data, dict)
        except (msgspec.DecodeError, LookupError, TypeError, AssertionError) as error:
            raise InfrastructureFailure(
                f"{self._url}: the answer to {kind} is not a message of OpenEnv: {text[:_SHOWN]}"
            ) from error
        if form != "error":
            return data, ""
        code, words = data.get("code", ""), str(data.get("message", ""))
        if code == "CAPACITY_REACHED":
            remedy = "Raise max_concurrent_envs of the server, or run fewer episodes at once"
            raise InfrastructureFailure(f"{self._url}: {words}. {remedy}")
        if code in ("FACTORY_ERROR", "SESSION_ERROR"):
            raise EnvironmentFailure(f"{self._url}: the server ended the session during {kind}: {words}")
        fields = [f"{'.'.join(map(str, each.get('loc', [])))}: {each.get('msg')}" for each in data.get("errors") or []]
        return {}, f"error: {words}{': ' if fields else ''}{'; '.join(fields)}"[:_SHOWN] or "error"

    async def close(self) -> None:
        try:
            async with asyncio.timeout(2.0):
                if not self._socket.closed:
                    await self._socket.send_str('{"type": "close"}')
                    await self._socket.close()
        except (aiohttp.ClientError, TimeoutError, OSError):
            pass  # the server notices the end of the connection
        finally:
            await self._http.close()
            if self._leave is not None:
                self._leave()


async def get(url: str, seconds: float) -> Json:
    """JSON at an address of the server."""
    try:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=seconds)) as http,
            http.get(url) as answer,
        ):
            text = await answer.text(errors="replace")
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise _away(url, error, seconds, None) from error
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError:
        value = None
    if answer.status != 200 or not isinstance(value, dict):
        raise InfrastructureFailure(f"{url}: status {answer.status}: {text[:_SHOWN]}. Is it a server of OpenEnv?")
    return value


def _away(
    url: str, error: BaseException, seconds: float, last_words: Callable[[], str] | None
) -> InfrastructureFailure:
    words = f"no answer in {seconds:g} s" if isinstance(error, TimeoutError) else str(error) or type(error).__name__
    if isinstance(error, aiohttp.ClientConnectorError):
        words = f"cannot connect: {error.os_error.strerror or error.os_error}"
    why = f" ({last_words()})" if last_words else ""
    return InfrastructureFailure(f"{url}: {words}{why}. Check that the OpenEnv server is running")
