"""Limits of connections, which apply before any key is known: how many are open, and how long each may stay silent.

Uvicorn alone lets a client that never sends a request keep its connection forever. If all connections are taken, the one
that has been silent for the longest time is closed, so that clients that send nothing cannot keep others out.
"""

import asyncio
import resource
import socket
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from verigym.core.errors import BadInput
from verigym.wire.http import HttpError

_MOST = 10_000
_RESERVED_FILES = 64
"""Open files that the process needs besides connections: databases, models, logs."""


def most_connections() -> int:
    """The number of connections that the process can hold. Raises its limit of open files as far as it may. A forwarded
    request takes two connections: the client's and the server's."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * _MOST + _RESERVED_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return _MOST if soft == resource.RLIM_INFINITY else max(16, min(_MOST, (soft - _RESERVED_FILES) // 2))


class LimitedConnection(H11Protocol):
    """A connection of one client. `most` and `header_s` are set by a subclass: `limited(most, header_s)`."""

    most: int
    header_s: float
    silent_since: float | None = None
    """Since when the server has waited for a request. None while a request is in progress."""
    _timer: asyncio.TimerHandle | None = None
    _has_data = False

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.silent_since = self.loop.time()
        self._start_timer()
        if len(self.connections) > self.most:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        self._has_data = True
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self.silent_since = None
            self._stop_timer()
        elif self._timer is None:  # the first part of a later request
            self._start_timer()

    def on_response_complete(self) -> None:
        self.silent_since, self._has_data = self.loop.time(), False
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def _start_timer(self) -> None:
        self._timer = self.loop.call_later(self.header_s, self._end_silence)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end_silence(self) -> None:
        message = f"The request's headers did not arrive within {self.header_s:g} s"
        self._refuse(HttpError(408, message, code="header_time_out") if self._has_data else None)

    def _make_room(self) -> None:
        """Closes the connection that has been silent for the longest time, or this one if all others are in use."""
        open = [other for other in self.connections if isinstance(other, LimitedConnection) and other is not self]
        silent = [other for other in open if other.silent_since is not None and not other.transport.is_closing()]
        if silent:
            min(silent, key=lambda other: other.silent_since or 0.0)._refuse(None)
            return
        message = (
            f"The server has {self.most} open connections, its maximum. Send the request again later. "
            "A higher limit of open files (ulimit -n) allows more"
        )
        self._refuse(HttpError(503, message, code="too_many_connections", retry_after_s=1))

    def _refuse(self, error: HttpError | None) -> None:
        """Closes the connection, with an error if there is one to tell."""
        if self.transport.is_closing():
            return
        if error is not None:
            headers = [b"content-type: application/json", b"connection: close", b"content-length: %d" % len(error.body)]
            headers += [b"%b: %b" % pair for pair in error.headers]
            self.transport.write(b"\r\n".join([b"HTTP/1.1 %d Refused" % error.status, *headers, b"", error.body]))
        self.transport.close()
        self.connections.discard(self)


def limited(most: int, header_s: float = 10.0) -> type[LimitedConnection]:
    """The protocol for uvicorn with these limits: at most so many connections, and seconds until a request's headers arrive."""
    return type("GatewayConnection", (LimitedConnection,), {"most": most, "header_s": header_s})


def listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named because asyncio otherwise leaves Nagle's algorithm on, which delays answers by 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(2048)
    except OSError as error:
        listening.close()
        reason = error.strerror or str(error)
        raise BadInput(f"Cannot listen on {host}:{port} ({reason}). Use another --port or --host") from error
    return listening


def url_of(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
