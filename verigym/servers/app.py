"""The server: its routes and its OpenAPI page.

Routes are plain Starlette ones, which read bodies by the structs of `chat`, `responses` and `feedback`; the page is made from
the same structs.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import msgspec
from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from verigym.servers import feedback
from verigym.servers.call import JSON, Headers, Out
from verigym.servers.errors import HttpError
from verigym.servers.gateway import Gateway
from verigym.servers.openapi import page

_TEXT = (b"content-type", b"text/plain; version=0.0.4; charset=utf-8")
Handler = Callable[[Headers, bytes, str, Out], Awaitable[None]]


def make_app(gateway: Gateway) -> FastAPI:
    @contextlib.asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        following = asyncio.create_task(gateway.lineup.follow()) if gateway.lineup.follows else None
        yield
        if following is not None:
            following.cancel()
        await gateway.lineup.close()

    app = FastAPI(title="verigym", lifespan=life, exception_handlers={HTTPException: _refused})
    app.openapi = lambda: page([name for name, _ in gateway.lineup.models()], bool(gateway.door.keys))
    app.router.routes += [
        Route("/v1/chat/completions", _Asgi(gateway.serve_chat), methods=["POST"]),
        Route("/v1/responses", _Asgi(gateway.serve_responses), methods=["POST"]),
        Route("/v1/feedback", _Asgi(_handled(gateway, feedback.kept(gateway))), methods=["POST"]),
        Route("/v1/models", _Asgi(_handled(gateway, _models(gateway))), methods=["GET"]),
        Route("/metrics", _Asgi(_handled(gateway, _metrics(gateway))), methods=["GET"]),
        Route("/health", _health(gateway), methods=["GET"]),
        Route("/ready", _health(gateway), methods=["GET"]),
    ]
    return app


class _Asgi:
    """A route that gets the connection itself; Starlette takes a plain function for one that is handed a request."""

    def __init__(self, handle: Callable[[Any, Any, Any], Awaitable[None]]) -> None:
        self._handle = handle

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._handle(scope, receive, send)


def _handled(gateway: Gateway, answer: Handler) -> Callable[[Any, Any, Any], Awaitable[None]]:
    async def handle(scope: Any, receive: Any, send: Any) -> None:
        await gateway.handle(answer, scope, receive, send)

    return handle


def _models(gateway: Gateway) -> Handler:
    async def answer(headers: Headers, body: bytes, client: str, out: Out) -> None:
        listed = [
            {
                "id": name,
                "object": "model",
                "created": 0,
                "owned_by": "verigym",
                "version": version.id,
                "base": version.base,
            }
            for name, version in gateway.lineup.models()
        ]
        await out.whole(200, msgspec.json.encode({"object": "list", "data": listed}))

    return answer


def _metrics(gateway: Gateway) -> Handler:
    async def answer(headers: Headers, body: bytes, client: str, out: Out) -> None:
        text = gateway.recorder.metrics.text(
            in_flight=gateway.door.inside - 1,
            agents=[(role, version.id, version.name) for role, version in gateway.lineup.roles()],
            capture=gateway.recorder.captured(),
        )
        await out.whole(200, text.encode(), [_TEXT])

    return answer


def _health(gateway: Gateway) -> Callable[[Request], Awaitable[Response]]:
    """Who answers, and what is wrong. It asks for no key: it tells little, and watchdogs have none."""

    async def answer(request: Request) -> Response:
        lineup = gateway.lineup
        told = {
            "status": "trouble" if lineup.trouble else "ok",
            "trouble": lineup.trouble,
            "versions": {role: version.id for role, version in lineup.roles()},
            "in_flight": gateway.door.inside,
        }
        return Response(msgspec.json.encode(told), media_type="application/json")

    return answer


async def _refused(request: Request, error: Any) -> Response:
    """A path or method that there is not."""
    words = f"{request.method} {request.url.path}: {error.detail.lower()}; see /openapi.json"
    said = HttpError(error.status_code, words)
    return Response(said.body, error.status_code, headers=error.headers, media_type=JSON[1].decode())
