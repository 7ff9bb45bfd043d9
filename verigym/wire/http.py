"""The response to one HTTP request in ASGI's form, and errors in the form that clients of the APIs expect."""

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from verigym.core.records import Json
from verigym.wire.types import Api, error_body

JSON, EVENTS = (b"content-type", b"application/json"), (b"content-type", b"text/event-stream; charset=utf-8")
Headers = Mapping[bytes, bytes]
HeaderPairs = Sequence[tuple[bytes, bytes]]
_TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}


class HttpError(Exception):
    """An error for the client: `HttpError(404, 'No model is named "x"', code="model_not_found")`."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str | None = None,
        param: str | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.code, self.param = status, message, code, param
        self.headers: HeaderPairs = ()
        if retry_after_s is not None:
            self.headers = [(b"retry-after", b"%d" % max(1, math.ceil(retry_after_s)))]

    @property
    def error(self) -> Json:
        kind = _TYPES.get(self.status, "invalid_request_error" if self.status < 500 else "server_error")
        return {"message": self.message, "type": kind, "param": self.param, "code": self.code}

    @property
    def body(self) -> bytes:
        """In OpenAI's form, for errors before the client's API is known."""
        return error_body(self.error)


class Responder:
    """Sends the response to one request."""

    def __init__(self, send: Any) -> None:
        self._send = send
        self.status = 0
        """0 until the response begins."""
        self.is_over = False
        self.extra: dict[bytes, bytes] = {}
        """Headers that the gateway adds."""

    async def whole(self, status: int, body: bytes, headers: HeaderPairs = (JSON,)) -> None:
        await self.begin(status, [(b"content-length", b"%d" % len(body)), *headers])
        await self.piece(body, more=False)

    async def begin(self, status: int, headers: HeaderPairs) -> None:
        self.status = status
        start = {"type": "http.response.start", "status": status, "headers": [*headers, *self.extra.items()]}
        await self._send(start)

    async def piece(self, body: bytes, *, more: bool = True) -> None:
        self.is_over = not more
        await self._send({"type": "http.response.body", "body": body, "more_body": more})

    async def error(self, error: HttpError, api: Api) -> None:
        """Sends the error as an HTTP status, or as the last event of a stream that has begun."""
        if not self.status:
            await self.whole(error.status, api.error_body(error.error), [JSON, *error.headers])
        elif not self.is_over:
            await self.piece(api.error_event(error.error), more=False)


@contextlib.asynccontextmanager
async def watched(receive: Any, out: Responder, left: asyncio.Event) -> AsyncIterator[None]:
    """Cancels the work inside when the client disconnects."""
    inside = asyncio.current_task()
    assert inside is not None

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        if not out.is_over:
            left.set()
            inside.cancel()

    watching = asyncio.ensure_future(watch())
    try:
        yield
    finally:
        watching.cancel()
