"""What the servers of an environment share: an ASGI app around a function, and running it until Ctrl-C."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from verigym.core.errors import VerigymError
from verigym.core.records import Json
from verigym.servers.environment_sessions import EnvironmentSessions
from verigym.wire.http import JSON, HttpError, Responder

_LARGEST = 64 * 2**20
_TEXT = (b"content-type", b"text/plain; charset=utf-8")


class AppRequest(msgspec.Struct, frozen=True):
    method: str
    path: str
    query: str
    headers: dict[bytes, bytes]
    body: bytes


class AppAnswer(msgspec.Struct, frozen=True, kw_only=True):
    status: int = 200
    body: Json | bytes | str = {}
    """JSON, bytes of JSON, or text."""
    headers: list[tuple[bytes, bytes]] = []


Answer = Callable[[AppRequest], Awaitable[AppAnswer]]


def app_of(answer: Answer, sessions: EnvironmentSessions) -> Any:
    """An ASGI app. It closes the sessions when the server stops."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            return await _lifespan(receive, send, sessions)
        if scope["type"] != "http":
            return None
        out = Responder(send)
        try:
            headers = {name.lower(): value for name, value in scope["headers"]}
            query = scope.get("query_string", b"").decode("latin-1")
            request = AppRequest(scope["method"], scope["path"], query, headers, await _body(receive))
            made = await answer(request)
        except HttpError as error:
            made = AppAnswer(status=error.status, body={"detail": error.message}, headers=list(error.headers))
        except VerigymError as error:
            made = AppAnswer(status=400, body={"detail": str(error)})
        text = isinstance(made.body, str)
        body = made.body.encode() if isinstance(made.body, str) else made.body
        content = body if isinstance(body, bytes) else msgspec.json.encode(body)
        await out.whole(made.status, content, [_TEXT if text else JSON, *made.headers])

    return app


async def _lifespan(receive: Any, send: Any, sessions: EnvironmentSessions) -> None:
    while True:
        message = await receive()
        if message["type"] == "lifespan.shutdown":
            await sessions.close()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


async def _body(receive: Any) -> bytes:
    parts: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        parts.append(message.get("body", b""))
        size, more = size + len(parts[-1]), message.get("more_body", False)
        if size > _LARGEST:
            raise HttpError(413, f"The request is larger than {_LARGEST >> 20} MiB")
    return b"".join(parts)


def json_object(body: bytes) -> Json:
    try:
        value = msgspec.json.decode(body or b"{}")
    except (ValueError, RecursionError) as error:
        raise HttpError(400, "The body is not JSON") from error
    if not isinstance(value, dict):
        raise HttpError(400, "The body must be a JSON object")
    return value
