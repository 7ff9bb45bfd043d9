"""Serves the addresses of episodes: an ASGI app, and a server for it on the event loop of a rollout.

`verigym rollout --agent` runs the server for its own agents. `verigym serve` answers the same paths beside its others.
A request needs no key, because the id in its path is a secret of the episode.
"""

import asyncio
import contextlib
import re
import socket
import traceback
from collections.abc import AsyncIterator, Iterator
from typing import Any

import msgspec

from verigym.agents.hosted import HostedEpisode, unanswered
from verigym.core.errors import BadInput, VerigymError
from verigym.core.install import install_command
from verigym.core.printable import tell
from verigym.wire import chat, messages, responses
from verigym.wire.http import HttpError, Responder, watched
from verigym.wire.mcp import http_answer
from verigym.wire.types import Api, InvalidRequest

_PATH = re.compile(r"/e/([0-9a-f]{32})(?:~([A-Za-z0-9_-]{1,40}))?/(.+)")
_APIS: dict[str, Api] = {"v1/chat/completions": chat, "v1/responses": responses, "v1/messages": messages}
_LARGEST = 64 * 2**20
"""Maximum bytes of a request."""
_JSON = (b"content-type", b"application/json")


class EpisodeHost:
    """The episodes that run now, and the app that answers their agents."""

    def __init__(self) -> None:
        self._episodes: dict[str, HostedEpisode] = {}
        self.url = ""
        """Where the app is served, without a path."""

    def __len__(self) -> int:
        return len(self._episodes)

    def add(self, episode: HostedEpisode) -> None:
        self._episodes[episode.id] = episode

    def remove(self, episode: HostedEpisode) -> None:
        self._episodes.pop(episode.id, None)

    def find(self, id: str) -> HostedEpisode:
        episode = self._episodes.get(id)
        if episode is None:
            raise HttpError(404, "No episode has this address. It may be over", code="episode_not_found")
        return episode

    def base_url(self, episode: HostedEpisode, actor: str = "") -> str:
        """The address of an episode, without the version of an API."""
        return f"{self.url}/e/{episode.id}{f'~{actor}' if actor else ''}"

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers one request, in ASGI's form. Other paths than those of episodes are not found."""
        if scope["type"] != "http":
            return
        out, left = Responder(send), asyncio.Event()
        api: Api = chat
        match = _PATH.fullmatch(scope["path"])
        id, actor, path = (match[1], match[2] or "policy", match[3]) if match is not None else ("", "", "")
        try:
            if not path:
                raise HttpError(404, f"{scope['path']}: not found. Addresses of episodes begin with /e/ID/")
            api = _APIS.get(path.removesuffix("/count_tokens"), chat)
            episode = self.find(id)
            body = await _body(receive) if scope["method"] in ("POST", "PUT") else b""
            async with watched(receive, out, left):
                await _route(episode, scope["method"], path, actor, body, out)
        except asyncio.CancelledError:
            if not left.is_set() and not _is_over(self._episodes.get(id)):
                raise
            if not out.is_over:
                await out.error(HttpError(503, "The episode ended while it was answering", code="episode_over"), api)
        except ConnectionError:
            pass
        except (HttpError, VerigymError, InvalidRequest) as error:
            await out.error(unanswered(error), api)
        except Exception as error:
            tell("".join(traceback.format_exception(error)).rstrip())
            await out.error(HttpError(500, f"The server failed ({type(error).__name__}). See its output"), api)

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Serves the app on a free port of this machine until the end of the block."""
        try:
            import uvicorn
        except ImportError as error:
            raise BadInput(f"External agents need a server. Install it: {install_command('serve')}") from error

        class Server(uvicorn.Server):
            @contextlib.contextmanager
            def capture_signals(self) -> Iterator[None]:  # Ctrl-C belongs to the command
                yield

        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.bind(("127.0.0.1", 0))
        listening.listen(2048)
        self.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        settings = uvicorn.Config(
            self, lifespan="off", ws="none", log_level="error", access_log=False, timeout_graceful_shutdown=5
        )
        server = Server(settings)
        running = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            yield
        finally:
            server.should_exit = True
            await asyncio.wait({running}, timeout=10)
            running.cancel()
            listening.close()


def _is_over(episode: HostedEpisode | None) -> bool:
    return episode is None or episode.ended


async def _body(receive: Any) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionError
        body += message.get("body", b"")
        if len(body) > _LARGEST:
            raise HttpError(413, f"The body is larger than {_LARGEST // 2**20} MiB", code="body_too_large")
        if not message.get("more_body", False):
            return bytes(body)


async def _route(episode: HostedEpisode, method: str, path: str, actor: str, body: bytes, out: Responder) -> None:
    if path == "v1/messages/count_tokens" and method == "POST":
        return await episode.count(actor, body, out)
    if path in _APIS and method == "POST":
        return await episode.answer(_APIS[path], actor, body, out)
    if path == "v1/models" and method == "GET":
        model = {"id": "verigym", "object": "model", "created": 0, "owned_by": "verigym"}
        return await out.whole(200, msgspec.json.encode({"object": "list", "data": [model]}))
    if path == "mcp":
        status, answer = await http_answer(episode.mcp, method, body)
        return await out.whole(status, answer)
    if path == "tools" and method == "GET":
        return await out.whole(200, msgspec.json.encode({"tools": await episode.tools()}))
    if path.startswith("tools/") and method == "POST":
        answer = await episode.call(path.removeprefix("tools/"), body.decode("utf-8", "replace") or "{}")
        return await out.whole(200, msgspec.json.encode({"output": answer.text, "failed": answer.failed}))
    if path == "say" and method == "POST":
        said = msgspec.json.decode(body) if body else {}
        if not isinstance(said, dict) or not isinstance(said.get("text"), str):
            raise HttpError(400, 'The body must be {"text": "..."}')
        observation, done = await episode.say(said["text"])
        return await out.whole(200, msgspec.json.encode({"observation": observation, "done": done}))
    raise HttpError(404, f"{method} {path}: an episode has no such path")
