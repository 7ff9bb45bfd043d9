"""HTTP/1.1 connections to one server that need little memory while a request waits for its answer.

A client has one connection for every request in flight, and tens of thousands of them wait at once. A connection here takes
about 3 KB, and that of a general client 16 KB. There are no redirects, cookies, proxies, retries or streamed answers.
"""

import asyncio
import contextlib
import math
import socket
import ssl
import time
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
from yarl import URL

from verigym.policies.engines.patience import patient

_CONNECT_S = 30.0
_MOST_CONNECTING = 128
"""Connections that an event loop opens at once. If it opened thousands at once, it would need longer than the time limit to
look at the last of them, and a server would seem lost."""
_IDLE_S = 4.0
"""How long an idle connection stays open. uvicorn closes it after 5 s."""
_RESOLVED_S = 60.0
"""How long the addresses of a host name are used."""
_LOOK_S = 5.0
"""Seconds between two looks at requests that may wait long."""
_MOST_HEADERS = 1 << 16


class ConnectionBroken(OSError):
    """The server closed the connection before its answer was complete, or the answer is not HTTP."""


class HttpAnswer(NamedTuple):
    status: int
    headers: dict[str, str]
    """By names in lower case. The last value, if a name occurs twice."""
    body: bytes


Headers = Callable[[Any], dict[str, str]]
"""The headers of a request with this body."""


class Connections:
    """The connections to the server at `url`, in one event loop."""

    def __init__(self, url: URL) -> None:
        assert url.host is not None and url.port is not None
        self._host, self._port = url.host, url.port
        self._tls = ssl.create_default_context() if url.scheme == "https" else None
        self._authority = url.raw_authority
        self._prefix = url.raw_path.rstrip("/")
        self._idle: deque[tuple[float, _Connection]] = deque()
        """Since when it is idle, the longest first."""
        self._open: set[_Connection] = set()
        self._found: tuple[float, list[str]] = (0.0, [])
        self._closer: asyncio.TimerHandle | None = None
        self._looking: asyncio.TimerHandle | None = None

    async def ask(self, method: str, path: str, body: Any, headers: Headers, long_s: float | None = None) -> HttpAnswer:
        """Sends a request, whose body becomes JSON unless it is None or bytes, and returns the whole answer. Raises OSError.
        `body` can be a function that makes it, and `headers` is one, so that a request that waits does not keep them.

        `long_s` marks one of many requests that may wait long: a new connection waits for its turn, and others are opened
        before it. After this time without an answer, it raises TimeoutError, a few seconds late. All of them share one timer.
        """
        connection = self._taken()
        idle = connection is not None
        while True:
            if connection is None:
                connection = await self._opened(long_s is not None)
            connection.send(self._written(method, path, body, headers), self._until(long_s))  # no frame keeps the bytes
            try:
                answer = await connection.waiting()
            except BaseException as error:
                connection.ended()
                connection.close()  # a server sees that nobody waits any more
                broken = isinstance(error, OSError) and not isinstance(error, TimeoutError)
                if not idle or not broken or connection.answered:
                    raise
                connection, idle = None, False  # the server closed it while it was idle, and has not read the request
            else:
                connection.ended()
                self._keep(connection)
                return answer

    def _until(self, long_s: float | None) -> float:
        if long_s is None:
            return math.inf
        if self._looking is None:
            self._looking = asyncio.get_running_loop().call_later(min(_LOOK_S, long_s), self._look)
        return time.monotonic() + long_s

    def _look(self) -> None:
        """Ends requests that wait for too long."""
        now = time.monotonic()
        for connection in [one for one in self._open if one.until < now]:
            connection.expire()
        waiting = any(one.until < math.inf for one in self._open)
        self._looking = asyncio.get_running_loop().call_later(_LOOK_S, self._look) if waiting else None

    def _written(self, method: str, path: str, body: Any, headers: Headers) -> bytes:
        body = body() if callable(body) else body
        data = b"" if body is None else body if isinstance(body, bytes) else msgspec.json.encode(body)
        lines = [f"{method} {self._prefix}{path} HTTP/1.1", f"Host: {self._authority}"]
        lines += [f"{name}: {value}" for name, value in headers(body).items()]
        if body is not None:
            lines.append(f"Content-Length: {len(data)}")
        return "\r\n".join([*lines, "\r\n"]).encode() + data

    def close(self) -> None:
        if self._closer is not None:
            self._closer.cancel()
            self._closer = None
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
        for connection in [*self._open]:
            connection.close()
        self._idle.clear()

    def _keep(self, connection: "_Connection") -> None:
        """Keeps a connection whose answer is complete for the next request."""
        if connection.reusable:
            self._idle.append((time.monotonic(), connection))
            if self._closer is None:
                self._closer = asyncio.get_running_loop().call_later(_IDLE_S, self._close_idle)
        else:
            connection.close()

    def _taken(self) -> "_Connection | None":
        """The connection that was used last. It is the least likely to be closed by the server soon."""
        while self._idle:
            since, connection = self._idle.pop()
            if connection.reusable and time.monotonic() - since < _IDLE_S:
                return connection
            connection.close()
        return None

    def _close_idle(self) -> None:
        self._closer = None
        oldest = time.monotonic() - _IDLE_S
        while self._idle and self._idle[0][0] <= oldest:
            self._idle.popleft()[1].close()
        if self._idle:
            left = max(0.1, self._idle[0][0] - oldest)
            self._closer = asyncio.get_running_loop().call_later(left, self._close_idle)

    async def _opened(self, waits: bool) -> "_Connection":
        loop = asyncio.get_running_loop()
        wrong: OSError = ConnectionBroken(f"{self._host} has no address")
        try:
            async with _turns(loop) if waits else contextlib.nullcontext(), patient(_CONNECT_S):
                for address in await self._addresses():
                    try:
                        _, connection = await loop.create_connection(
                            lambda: _Connection(self._open),
                            address,
                            self._port,
                            ssl=self._tls,
                            server_hostname=self._host if self._tls else None,
                        )
                        return connection
                    except OSError as error:
                        wrong = error
        except TimeoutError:
            wrong = ConnectionBroken(f"no connection within {_CONNECT_S:g} s")
        self._found = 0.0, []
        raise wrong

    async def _addresses(self) -> list[str]:
        until, addresses = self._found
        if time.monotonic() > until:
            found = await asyncio.get_running_loop().getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)
            addresses = list(dict.fromkeys(str(one[4][0]) for one in found))
            self._found = time.monotonic() + _RESOLVED_S, addresses
        return addresses


_loops: "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]" = weakref.WeakKeyDictionary()


def _turns(loop: asyncio.AbstractEventLoop) -> asyncio.Semaphore:
    """Limits how many connections the event loop opens at once, to all servers."""
    if loop not in _loops:
        _loops[loop] = asyncio.Semaphore(_MOST_CONNECTING)
    return _loops[loop]


class _Connection(asyncio.Protocol):
    """One connection with at most one request."""

    __slots__ = ("_all", "_buffer", "_head", "_transport", "_waiting", "answered", "reusable", "until")

    def __init__(self, everyone: "set[_Connection]") -> None:
        self._all = everyone
        self._transport: asyncio.Transport | None = None
        self._waiting: asyncio.Future[HttpAnswer] | None = None
        self._buffer = b""
        self._head: _Head | None = None
        self.answered = False
        """Whether a part of the answer to the last request arrived."""
        self.reusable = False
        self.until = math.inf
        """When the request is given up."""

    def send(self, data: bytes, until: float = math.inf) -> None:
        """Sends a request. `waiting` must follow."""
        self.until = until
        self._buffer, self._head, self.answered, self.reusable = b"", None, False, False
        self._waiting = asyncio.get_running_loop().create_future()
        if self._transport is None or self._transport.is_closing():
            self._fail(ConnectionBroken("closed"))
        else:
            self._transport.write(data)

    def waiting(self) -> asyncio.Future[HttpAnswer]:
        """The answer to the request. `ended` must follow."""
        assert self._waiting is not None
        return self._waiting

    def ended(self) -> None:
        self._waiting, self.until = None, math.inf

    def expire(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(TimeoutError())

    def close(self) -> None:
        self.reusable = False
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._all.add(self)
        with contextlib.suppress(OSError, AttributeError):
            transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)

    def data_received(self, data: bytes) -> None:
        if self._waiting is None or self._waiting.done():
            self.close()  # nobody asked
            return
        self.answered = True
        self._buffer = self._buffer + data if self._buffer else data
        try:
            self._read(ended=False)
        except (ValueError, IndexError) as error:
            self._fail(ConnectionBroken(f"the answer is not HTTP ({error})"))

    def connection_lost(self, exc: Exception | None) -> None:
        self.reusable, self._transport = False, None
        self._all.discard(self)
        if self._waiting is not None and not self._waiting.done():
            with contextlib.suppress(ValueError, IndexError):
                self._read(ended=True)
            self._fail(exc or ConnectionBroken("the server closed the connection"))

    def _fail(self, error: Exception) -> None:
        self.reusable = False
        if self._waiting is not None and not self._waiting.done():
            wrapped = error if isinstance(error, OSError) else ConnectionBroken(str(error))
            self._waiting.set_exception(wrapped)

    def _read(self, ended: bool) -> None:
        """Ends the request if its answer is complete."""
        while self._head is None:
            end = self._buffer.find(b"\r\n\r\n")
            if end < 0:
                if len(self._buffer) > _MOST_HEADERS:
                    raise ValueError("its headers are too long")
                return
            head = _Head.read(self._buffer[:end])
            self._buffer = self._buffer[end + 4 :]
            if head.status >= 200:  # before it are interim answers
                self._head = head
        body, rest = self._head.body(self._buffer, ended)
        if body is not None and self._waiting is not None and not self._waiting.done():
            self.reusable = self._head.stays and not rest and not ended
            self._waiting.set_result(HttpAnswer(self._head.status, self._head.headers, body))
            self._buffer = b""


class _Head(NamedTuple):
    """The first lines of an answer."""

    status: int
    headers: dict[str, str]
    stays: bool
    """Whether the connection stays open."""

    @classmethod
    def read(cls, text: bytes) -> "_Head":
        first, *lines = text.decode("latin-1").split("\r\n")
        protocol, status = first.split(" ", 2)[:2]
        if not protocol.startswith("HTTP/1."):
            raise ValueError(first[:40])
        pairs = (line.partition(":") for line in lines)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        says = headers.get("connection", "").lower()
        return cls(int(status), headers, "close" not in says and (protocol != "HTTP/1.0" or "keep-alive" in says))

    def body(self, data: bytes, ended: bool) -> tuple[bytes | None, bytes]:
        """The body and what follows it. None if it is not complete."""
        if self.status in (204, 304):
            return b"", data
        if "chunked" in self.headers.get("transfer-encoding", "").lower():
            return _joined(data)
        if "content-length" in self.headers:
            length = int(self.headers["content-length"])
            return (data[:length], data[length:]) if len(data) >= length else (None, b"")
        return (data, b"") if ended else (None, b"")


def _joined(data: bytes) -> tuple[bytes | None, bytes]:
    """The body of chunks, and what follows it."""
    parts: list[bytes] = []
    start = 0
    while (end := data.find(b"\r\n", start)) >= 0:
        size = int(data[start:end].partition(b";")[0], 16)
        if not size:
            trailer = data.find(b"\r\n\r\n", end)
            return (b"".join(parts), data[trailer + 4 :]) if trailer >= 0 else (None, b"")
        start = end + 2 + size + 2
        if len(data) < start:
            return None, b""
        parts.append(data[end + 2 : start - 2])
    return None, b""
