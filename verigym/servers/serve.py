"""Serving an agent: opens it, listens, and answers until it is stopped. Captures what goes through unless told not to."""

import atexit
import contextlib
import signal
import socket
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from typing import Self

import uvicorn

from verigym.core.errors import BadInput
from verigym.core.records import Version
from verigym.servers.app import make_app
from verigym.servers.connections import limited, most_connections, url_of
from verigym.servers.gateway import Gateway
from verigym.servers.routing import ModelPool, Router
from verigym.traces.capture import Capture
from verigym.traces.otlp import SpanReceiver
from verigym.workspace.servers import read_servers
from verigym.workspace.workspace import WorkspaceFolder

_KEEP_ALIVE_S = 75
_GRACE_S = 30
"""Seconds that open requests get to finish after Ctrl-C. A second Ctrl-C does not wait."""


def served_version(ws: WorkspaceFolder, version: str, upstream: str) -> tuple[Version | None, dict[str, str]]:
    """The version to serve, none for the champion, and the variables that hold API keys of servers, by base."""
    if version and upstream:
        raise BadInput("A version and --upstream cannot be combined. Remove one")
    upstream, version = (read_servers(ws.home).get(name, name) for name in (upstream, version))
    if upstream and not upstream.startswith(("http://", "https://")):
        raise BadInput(
            f'--upstream "{upstream}" is not an address. Write URL#MODEL, such as http://localhost:8000/v1#qwen'
        )
    given = upstream or version
    if not given or given == "champion":
        return None, {}
    agent = ws.agent(given)
    options = dict(urllib.parse.parse_qsl(given.partition("#")[2].partition("?")[2]))
    return agent, {agent.base: options["key_env"]} if options.get("key_env") else {}


def open_router(
    ws: WorkspaceFolder,
    version: Version | None,
    *,
    server_keys: dict[str, str],
    canary: Version | None,
    share: float,
    say: Callable[[str], None],
) -> Router:
    """Opens the version, or the champion if none is named, and the canary."""
    router = Router(
        ws, fixed=version, canary=canary, share=share if canary else 0.0, pool=ModelPool(ws, server_keys), say=say
    )
    for _, served in router.roles():
        ws.register(served)
    return router


class RunningServer:
    """A gateway that answers on a thread of its own until it is closed. It is a context manager."""

    def __init__(
        self,
        gateway: Gateway,
        listening: socket.socket,
        capture: Capture | None,
        folder: WorkspaceFolder,
        spans: SpanReceiver | None = None,
    ) -> None:
        self.url = f"{url_of(listening)}/v1"
        """Base URL for OpenAI clients."""
        self.gateway = gateway
        self._listening, self._capture, self._folder, self._spans = listening, capture, folder, spans
        self._server = _uvicorn(gateway)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [listening]}, daemon=True, name="verigym-serve"
        )
        self._closed = False
        self._thread.start()
        while self._thread.is_alive() and not self._server.started:
            time.sleep(0.01)
        atexit.register(self.close)

    def wait(self) -> None:
        """Blocks until Ctrl-C or SIGTERM, then closes the server. A second Ctrl-C does not wait for open requests."""
        with contextlib.suppress(KeyboardInterrupt), _ended_by_signals():
            while self._thread.is_alive():
                self._thread.join(0.2)
        self.close()

    def close(self) -> None:
        """Lets open requests finish, writes captured exchanges and stops. Closing twice does nothing."""
        if self._closed:
            return
        self._closed = True
        atexit.unregister(self.close)
        self._server.should_exit = True
        try:
            self._thread.join()
        except KeyboardInterrupt:
            self._server.force_exit = True
            self._thread.join()
        if self._capture is not None:
            self._capture.close()
        if self._spans is not None:
            self._spans.close()
        self._listening.close()
        self._folder.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"RunningServer({self.url!r}{', closed' if self._closed else ''})"


def _uvicorn(gateway: Gateway) -> uvicorn.Server:
    settings = uvicorn.Config(
        make_app(gateway),
        http=limited(most_connections()),
        ws="none",
        log_level="error",
        access_log=False,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=_GRACE_S,
    )
    return uvicorn.Server(settings)


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """SIGTERM, which service managers send, stops the server as Ctrl-C does. A shell that starts a process in the background
    lets it ignore SIGINT, so both are set. Only the main thread gets signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    stops = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(stop, signal.default_int_handler) for stop in stops]
    try:
        yield
    finally:
        for stop, handler in zip(stops, before, strict=True):
            signal.signal(stop, handler)
