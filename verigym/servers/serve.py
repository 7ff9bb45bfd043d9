"""Serving an agent: opens it, listens, and answers until it is stopped. Captures what goes through unless told not to."""

import contextlib
import signal
import socket
import urllib.parse
from collections.abc import Callable, Iterator

import uvicorn

from verigym.core.errors import BadInput
from verigym.core.records import Version
from verigym.servers.app import make_app
from verigym.servers.gateway import Gateway
from verigym.servers.routing import ModelPool, Router
from verigym.traces.capture import Capture
from verigym.workspace.servers import read_servers
from verigym.workspace.workspace import WorkspaceFolder

_KEEP_ALIVE_S = 75
_GRACE_S = 30
"""Seconds that open requests get to finish after Ctrl-C. A second Ctrl-C does not wait."""


def served_version(ws: WorkspaceFolder, version: str, upstream: str) -> tuple[Version | None, dict[str, str]]:
    """The version to serve, none for the champion, and the variables that hold API keys of servers, by base."""
    if version and upstream:
        raise BadInput("Name a version or --upstream, not both")
    upstream, version = (read_servers(ws.home).get(name, name) for name in (upstream, version))
    if upstream and not upstream.startswith(("http://", "https://")):
        raise BadInput(
            f'--upstream "{upstream}" is not an address. Write URL#MODEL, such as http://localhost:8000/v1#qwen'
        )
    given = upstream or version
    if not given or given == "champion":
        return None, {}
    found = ws.agent(given)
    options = dict(urllib.parse.parse_qsl(given.partition("#")[2].partition("?")[2]))
    return found, {found.base: options["key_env"]} if options.get("key_env") else {}


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


def run_gateway(gateway: Gateway, listening: socket.socket, capture: Capture | None) -> None:
    """Answers until Ctrl-C or SIGTERM. Captured exchanges are written before it returns."""
    settings = uvicorn.Config(
        make_app(gateway),
        log_level="error",
        access_log=False,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=_GRACE_S,
    )
    try:
        with _sigterm_as_ctrl_c():
            uvicorn.Server(settings).run(sockets=[listening])
    except KeyboardInterrupt:
        pass
    finally:
        if capture is not None:
            capture.close()
        listening.close()


@contextlib.contextmanager
def _sigterm_as_ctrl_c() -> Iterator[None]:
    """SIGTERM, which service managers send, stops the server as Ctrl-C does."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
