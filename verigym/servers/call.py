"""One request that was let in, and what goes back to its client."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from verigym.servers.ask import Api
from verigym.servers.errors import HttpError
from verigym.servers.routing import Agent

JSON, EVENTS = (b"content-type", b"application/json"), (b"content-type", b"text/event-stream; charset=utf-8")
Headers = Mapping[bytes, bytes]
Pairs = Sequence[tuple[bytes, bytes]]


class Out:
    def __init__(self, send: Any) -> None:
        self._send = send
        self.status = 0
        """0 until the answer began."""
        self.is_over = False
        self.extra: dict[bytes, bytes] = {}
        """Headers of our own."""

    async def whole(self, status: int, body: bytes, headers: Pairs = (JSON,)) -> None:
        await self.begin(status, [(b"content-length", b"%d" % len(body)), *headers])
        await self.piece(body, more=False)

    async def begin(self, status: int, headers: Pairs) -> None:
        self.status = status
        start = {"type": "http.response.start", "status": status, "headers": [*headers, *self.extra.items()]}
        await self._send(start)

    async def piece(self, body: bytes, *, more: bool = True) -> None:
        self.is_over = not more
        await self._send({"type": "http.response.body", "body": body, "more_body": more})

    async def error(self, error: HttpError, api: Api) -> None:
        """As a status, or in a stream that has begun as its last event."""
        if not self.status:
            await self.whole(error.status, error.body, [JSON, *error.headers])
        elif not self.is_over:
            await self.piece(api.error_event(error), more=False)


class Call(Struct, frozen=True):
    api: Api
    agent: Agent
    headers: Headers
    body: bytes
    client: str
    """Who asks: a hash of the key, or the address."""
    out: Out

    @property
    def conversation(self) -> str:
        return conversation_in(self.headers)


def conversation_in(headers: Headers) -> str:
    """The conversation's id, where the client gives one."""
    return headers.get(b"x-verigym-conversation", b"").decode("latin-1").strip()
