"""A gateway of our own on a free port, whose versions say what they are told to, for the tests of the server."""

import contextlib
import functools
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import openai
import uvicorn

from verigym.core.errors import NotFound
from verigym.core.protocols import Policy
from verigym.core.records import Decision, Feedback, Version
from verigym.policies.scripted import ScriptedPolicy
from verigym.registry import ledger
from verigym.servers.admission import Admission, AdmissionLimits
from verigym.servers.app import make_app
from verigym.servers.gateway import Gateway
from verigym.servers.routing import Router
from verigym.traces.capture import CaptureCounts, Exchange, Placement
from verigym.traces.feedback import new_feedback
from verigym.workspace.workspace import WorkspaceFolder

CLIENT: dict[str, Any] = {"api_key": "none", "max_retries": 0, "timeout": 600.0}
"""By itself a client waits only 5 seconds for a connection, which 200 at once can take on a busy machine."""


class Recorded:
    """Takes exchanges as `Capture` does, and keeps them in a list."""

    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []
        self.said: list[tuple[str, dict[str, Any]]] = []

    @property
    def counts(self) -> CaptureCounts:
        return CaptureCounts(captured=len(self.exchanges), waiting=0, sampled_out=0, lost={"disk": 2}, conversations=0)

    def place(self, exchange: Exchange) -> Placement:
        return Placement("traces-served-2026-01-01/0123456789abcdef")

    def add(self, exchange: Exchange, placed: Placement | None) -> str:
        assert placed is not None
        self.exchanges.append(exchange)
        return placed.trajectory

    def feedback(self, of: str, owner: str = "", **said: Any) -> Feedback:
        if of == "unknown":
            raise NotFound('no trajectory "unknown"')
        made = new_feedback(**said)
        self.said.append((of, said))
        return msgspec.structs.replace(made, trajectory=of)


class Fakes:
    """Opens versions as policies of the test's own, and remembers what was opened and closed."""

    def __init__(self, policy: Callable[[Version], Policy]) -> None:
        self._policy = policy
        self.opened: list[str] = []
        self.closed: list[str] = []

    def open(self, version: Version) -> Policy:
        policy = self._policy(version)
        self.opened.append(version.name)
        return policy

    def close(self, version: Version) -> None:
        self.closed.append(version.name)


class Running:
    """A server in a thread."""

    def __init__(self, ws: WorkspaceFolder, gateway: Gateway, fakes: Any, recorded: Recorded, port: int) -> None:
        self.ws, self.gateway, self.fakes, self.recorded, self.port = ws, gateway, fakes, recorded, port
        self.url = f"http://127.0.0.1:{port}"

    @functools.cache  # noqa: B019
    def client(self, **options: Any) -> openai.OpenAI:
        return openai.OpenAI(base_url=f"{self.url}/v1", **{**CLIENT, **options})

    def async_client(self, **options: Any) -> openai.AsyncOpenAI:
        return openai.AsyncOpenAI(base_url=f"{self.url}/v1", **{**CLIENT, **options})

    def promote(self, version: Version) -> None:
        current = ledger.champion(self.ws.store) or ""
        ledger.promote(
            self.ws.store,
            Decision(candidate=version.id, champion=current, verdict="PROMOTE", kind="override"),
            who="a test",
            why="a test",
        )

    def until(self, is_so: Callable[[], bool], seconds: float = 600) -> None:
        deadline = time.monotonic() + seconds
        while not is_so():
            assert time.monotonic() < deadline, "it did not become so in time"
            time.sleep(0.02)


@contextlib.contextmanager
def leaving(port: int, body: bytes) -> Iterator[None]:
    """A client that asks, and leaves without an answer when the block ends."""
    head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {len(body)}\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.sendall(f"{head}content-type: application/json\r\n\r\n".encode() + body)
        yield


def version(ws: WorkspaceFolder, name: str, **fields: Any) -> Version:
    """A version of the name, kept; another system prompt makes it another one."""
    return ws.register(Version(**{"base": "scripted", "name": name, "system_prompt": f"You are {name}.", **fields}))


def says_its_name(one: Version) -> Policy:
    return ScriptedPolicy([f"I am {one.name}."])


@contextlib.contextmanager
def running(
    home: Path,
    policy: Callable[[Version], Policy] = says_its_name,
    *,
    fixed: str | Version = "",
    canary: Version | None = None,
    share: float = 0.0,
    limits: AdmissionLimits = AdmissionLimits(),
    keys: list[str] | None = None,
    pool: Any = None,
    capture: Any = None,
    http: Any = "auto",
) -> Iterator[Running]:
    """`fixed` names a new version to serve; without it the champion is served."""
    ws = WorkspaceFolder(home)
    fakes = pool or Fakes(policy)
    recorded: Any = Recorded() if capture is None else capture
    one = version(ws, fixed) if isinstance(fixed, str) and fixed else fixed or None
    router = Router(ws, fixed=one, canary=canary, share=share, pool=fakes)
    gateway = Gateway(router, Admission(limits, keys or []), capture=recorded)
    with serving(make_app(gateway), http) as port:
        yield Running(ws, gateway, fakes, recorded, port)


@contextlib.contextmanager
def serving(app: Any, http: Any = "auto") -> Iterator[int]:
    """Any ASGI app in a thread of its own; its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(
        uvicorn.Config(app, http=http, port=port, log_level="warning", access_log=False, backlog=1024)
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.005)
        yield port
    finally:
        server.should_exit = True
        thread.join()


def json_of(body: bytes) -> Any:
    return msgspec.json.decode(body)
