"""The server's routes and its OpenAPI page.

Routes are plain Starlette routes. They read bodies with structs, and the page is generated from the same structs.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.openapi.docs import get_redoc_html, get_swagger_ui_html
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

import verigym
from verigym.core.records import Feedback, Json
from verigym.servers.episodes import EndBody, EpisodeBody
from verigym.servers.gateway import Gateway
from verigym.servers.otlp import TraceRoute
from verigym.servers.types import JSON, FeedbackBody, Headers, HttpError, Responder
from verigym.wire import chat, messages, responses
from verigym.wire.types import InvalidRequest, decode

_feedback_decoder = msgspec.json.Decoder(FeedbackBody)
_HTML = (b"content-type", b"text/html; charset=utf-8")
_TEXT = (b"content-type", b"text/plain; version=0.0.4; charset=utf-8")


def make_app(gateway: Gateway) -> FastAPI:
    @contextlib.asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        following = asyncio.create_task(gateway.router.follow()) if gateway.router.follows else None
        reaping = asyncio.create_task(gateway.episodes.reap()) if gateway.episodes is not None else None
        yield
        if reaping is not None:
            reaping.cancel()
            await asyncio.gather(reaping, return_exceptions=True)
        if following is not None:
            following.cancel()
        await gateway.router.close()

    def handled(answer: Callable[..., Awaitable[None]], needs_key: bool = True) -> Asgi:
        return Asgi(partial(gateway.handle, partial(answer, gateway), needs_key=needs_key))

    own_pages: Any = {"openapi_url": None, "docs_url": None, "redoc_url": None}  # FastAPI's need no key
    app = FastAPI(title="verigym", lifespan=life, exception_handlers={HTTPException: _refused}, **own_pages)
    app.router.routes += [
        Route("/v1/chat/completions", Asgi(partial(gateway.serve, chat)), methods=["POST"]),
        Route("/v1/responses", Asgi(partial(gateway.serve, responses)), methods=["POST"]),
        Route("/v1/messages", Asgi(partial(gateway.serve, messages)), methods=["POST"]),
        Route("/v1/messages/count_tokens", Asgi(gateway.count_tokens), methods=["POST"]),
        Route("/v1/feedback", handled(_feedback), methods=["POST"]),
        Route("/v1/traces", TraceRoute(gateway), methods=["POST"]),
        Route("/v1/models", handled(_models), methods=["GET"]),
        Route("/metrics", handled(_metrics), methods=["GET"]),
        Route("/health", handled(_health, needs_key=False), methods=["GET"]),
        Route("/ready", handled(_health, needs_key=False), methods=["GET"]),
        Route("/openapi.json", handled(_openapi), methods=["GET"]),
        Route("/docs", handled(partial(_page, get_swagger_ui_html)), methods=["GET"]),
        Route("/redoc", handled(partial(_page, get_redoc_html)), methods=["GET"]),
    ]
    if gateway.episodes is not None:
        app.router.routes += [
            Route("/v1/episodes", Asgi(partial(_open_episode, gateway)), methods=["POST"]),
            Route("/v1/episodes/{id}/end", Asgi(partial(_end_episode, gateway)), methods=["POST"]),
            Route("/e/{path:path}", Asgi(gateway.episodes.host), methods=["GET", "POST", "DELETE"]),
        ]
    return app


async def _open_episode(gateway: Gateway, scope: Any, receive: Any, send: Any) -> None:
    async def answer(headers: Headers, body: bytes, client: str, out: Responder) -> None:
        assert gateway.episodes is not None
        host = headers.get(b"host", b"127.0.0.1").decode("latin-1")
        await gateway.episodes.create(f"{scope.get('scheme', 'http')}://{host}", _owner(gateway, client), body, out)

    await gateway.handle(answer, scope, receive, send)


async def _end_episode(gateway: Gateway, scope: Any, receive: Any, send: Any) -> None:
    async def answer(headers: Headers, body: bytes, client: str, out: Responder) -> None:
        assert gateway.episodes is not None
        await gateway.episodes.end(scope["path_params"]["id"], _owner(gateway, client), body, out)

    await gateway.handle(answer, scope, receive, send)


def _owner(gateway: Gateway, client: str) -> str:
    return client if gateway.admission.keys else ""


class Asgi:
    """An ASGI route. Starlette would call a plain function with a request instead."""

    def __init__(self, handle: Callable[[Any, Any, Any], Awaitable[None]]) -> None:
        self._handle = handle

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._handle(scope, receive, send)


async def _feedback(gateway: Gateway, headers: Headers, body: bytes, client: str, out: Responder) -> None:
    feedback = decode(body, _feedback_decoder)
    of = feedback.trajectory or feedback.conversation
    if not of or (feedback.trajectory and feedback.conversation):
        raise InvalidRequest("Give either the trajectory or the conversation that the feedback is about")
    capture = gateway.recorder.capture
    if capture is None:
        raise HttpError(409, "Capture is off (--no-capture), so feedback cannot be stored")
    correction = feedback.correction or []
    if isinstance(correction, str) and not correction.strip():
        correction = []
    fields = {name: getattr(feedback, name) for name in ("outcome", "intervention", "note", "who")}
    fields["correction"] = responses.read_input(correction, "correction", "assistant")
    owner = client if gateway.admission.keys else ""
    record = await asyncio.to_thread(capture.feedback, of, owner, **fields)
    await out.whole(200, msgspec.json.encode(record))


async def _models(gateway: Gateway, headers: Headers, body: bytes, client: str, out: Responder) -> None:
    shared = {"object": "model", "created": 0, "owned_by": "verigym"}
    models = [
        {"id": name, **shared, "version": version.id, "base": version.base} for name, version in gateway.router.models()
    ]
    await out.whole(200, msgspec.json.encode({"object": "list", "data": models}))


async def _metrics(gateway: Gateway, headers: Headers, body: bytes, client: str, out: Responder) -> None:
    text = gateway.recorder.metrics.text(
        in_flight=gateway.admission.inside - 1,
        agents=[(role, version.id, version.name) for role, version in gateway.router.roles()],
        capture=gateway.recorder.captured(),
        spans=gateway.spans.counts if gateway.spans is not None else {},
    )
    await out.whole(200, text.encode(), [_TEXT])


async def _openapi(gateway: Gateway, headers: Headers, body: bytes, client: str, out: Responder) -> None:
    """The page names the models, so it needs the key where one is required."""
    page = openapi_page([name for name, _ in gateway.router.models()], bool(gateway.admission.keys))
    if gateway.episodes is None:
        page["paths"] = {path: value for path, value in page["paths"].items() if "/episodes" not in path}
    await out.whole(200, msgspec.json.encode(page))


async def _page(
    html: Callable[..., Any], gateway: Gateway, headers: Headers, body: bytes, client: str, out: Responder
) -> None:
    await out.whole(200, html(openapi_url="/openapi.json", title="verigym").body, [_HTML])


async def _health(gateway: Gateway, headers: Headers, body: bytes, client: str, out: Responder) -> None:
    """Reports which versions answer and any problem. It needs no key, because monitors have none."""
    router = gateway.router
    status = {
        "status": "trouble" if router.trouble else "ok",
        "trouble": router.trouble,
        "versions": {role: version.id for role, version in router.roles()},
        "in_flight": gateway.admission.inside - 1,
    }
    await out.whole(200, msgspec.json.encode(status))


async def _refused(request: Request, error: Any) -> Response:
    """The response for an unknown path or method."""
    message = f"{request.method} {request.url.path}: {error.detail.lower()}. See /openapi.json"
    error_of = HttpError(error.status_code, message).error
    api = messages if request.url.path.startswith("/v1/messages") else chat
    return Response(api.error_body(error_of), error.status_code, headers=error.headers, media_type=JSON[1].decode())


def openapi_page(models: list[str], with_key: bool) -> Json:
    """The page in `openapi.yaml`, with the schemas of requests from the structs that read them.

    `models` are the names that a request may use now. `with_key`: whether this server requires an API key.
    """
    page: Json = msgspec.yaml.decode(Path(__file__).with_name("openapi.yaml").read_bytes())
    page["info"]["version"] = verigym.__version__
    written = page["components"]["schemas"]
    kinds = [
        chat.ChatRequest,
        responses.ResponsesRequest,
        messages.MessagesRequest,
        messages.MessagesConversation,
        FeedbackBody,
        Feedback,
        EpisodeBody,
        EndBody,
        responses.ResponsesItem,
    ]
    refs, schemas = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    schemas["ResponsesItem"] = {"anyOf": refs[-1]["anyOf"]}
    schemas["ResponsesMessage"]["required"].remove("type")
    schemas["FeedbackBody"] |= written.pop("FeedbackBody")
    for body in ("ChatRequest", "ResponsesRequest", "MessagesRequest", "MessagesConversation"):
        schemas[body]["properties"]["model"]["enum"] = models
    page["components"]["schemas"] = schemas | written
    if with_key:
        page["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        for path, operations in page["paths"].items():
            if path not in ("/health", "/ready"):
                for operation in operations.values():
                    operation["security"] = [{"key": []}]
    return page
