"""Protocols for what a lower layer needs from a higher one. You inherit nothing and pass everything in."""

import contextlib
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol, Self, runtime_checkable

from msgspec import Struct

from verigym.core.generation import Completion, EngineLoad, Generation
from verigym.core.records import Item, Sampling, Task, ToolSpec, Trajectory, Turn, Verdict


class Request(Struct, frozen=True, kw_only=True):
    """One call to a policy."""

    items: list[Item]
    """The whole context."""
    tools: list[ToolSpec] = []
    sampling: Sampling = Sampling()
    seed: int = 0
    turns: list[Turn] = []
    """The policy's earlier turns in this episode. A policy with tokens extends their ids and never tokenises them again."""


class Reply(Struct, frozen=True, kw_only=True):
    """A policy's answer: the items, and the turn that made them. The caller fills in `saw` and `made`."""

    items: list[Item]
    turn: Turn


@runtime_checkable
class Policy(Protocol):
    """Anything that answers requests: a local model, a server, a script."""

    async def respond(self, request: Request) -> Reply: ...


class Gateway(Protocol):
    """The addresses of one episode, at which the loop of another project asks for replies."""

    def url(self, actor: str = "policy") -> str:
        """Base URL for clients of Chat Completions and Responses. Replies of another actor than `policy`, such as `user` or
        `judge`, come from the model of that role and are never trained on."""
        ...


@contextlib.asynccontextmanager
async def closing(*policies: Policy | None) -> AsyncGenerator[None]:
    """Closes the policies at the end of the block. A policy without a `close` method needs no closing."""
    async with contextlib.AsyncExitStack() as stack:
        for policy in policies:
            if hasattr(policy, "close"):
                stack.push_async_callback(policy.close)  # type: ignore[union-attr]
        yield


@runtime_checkable
class Engine(Protocol):
    """Samples tokens: the model in this process, a server, many servers, or a fake.

    A version is an adapter in a folder. An engine can have several versions loaded, and each request names one. Loading a
    version does not disturb requests that run. An engine that can no longer answer raises `EngineLost`.
    """

    @property
    def max_batch(self) -> int:
        """Maximum useful number of concurrent requests."""
        ...

    async def generate(self, request: Generation) -> Completion: ...

    async def load(self, version: str, folder: Path) -> None:
        """Makes requests with this version possible. A version that is loaded already stays as it is."""
        ...

    async def forget(self, version: str) -> None:
        """Unloads a version after its last request has ended. Does nothing if the version is not loaded."""
        ...

    async def alive(self) -> bool:
        """Whether the engine answers now."""
        ...

    async def usage(self) -> EngineLoad:
        """How busy the engine is."""
        ...


class CommandResult(Struct, frozen=True, kw_only=True):
    """The result of one command in a sandbox."""

    code: int | None
    """Exit code, or None if the command was killed."""
    stdout: str = ""
    stderr: str = ""
    """Both are cut at the output limit."""
    stop: Literal["exit", "time", "memory", "output", "killed"] = "exit"
    """Why it ended: on its own, or because of a limit."""
    seconds: float = 0.0


class Box(Protocol):
    """One private folder in a sandbox that persists across commands: `async with await sandbox.open(files) as box`."""

    async def run(self, command: Sequence[str], *, stdin: str = "", seconds: float | None = None) -> CommandResult: ...
    async def read(self, path: str) -> bytes: ...
    async def write(self, path: str, data: str | bytes) -> None: ...
    async def close(self) -> None: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *error: object) -> None: ...


class Sandbox(Protocol):
    """Runs untrusted code."""

    @property
    def isolated(self) -> bool:
        """Whether code in it is cut off from the network and the host's files. Code in a plain process is not."""
        ...

    async def open(self, files: Mapping[str, str | bytes] = {}) -> Box: ...


class Scorer(Protocol):
    """A reward model."""

    @property
    def name(self) -> str:
        """The name of its version."""
        ...

    async def score(self, trajectories: Sequence[Trajectory]) -> list[float]: ...


def no_blob(sha256: str) -> bytes:
    raise KeyError(f"blob {sha256} is not stored")


class Context(Struct, frozen=True, kw_only=True):
    """What a verifier may use besides the record."""

    policies: dict[str, Policy] = {}
    """Policies by name: `judge`, `user`."""
    sandbox: Sandbox | None = None
    blob: Callable[[str], bytes] = no_blob
    """Returns the bytes of a blob by its hash."""
    scorer: Scorer | None = None
    """A reward model."""


@runtime_checkable
class Verifier(Protocol):
    """Scores all trajectories of one task together."""

    @property
    def name(self) -> str:
        """name@version"""
        ...

    async def verify(self, task: Task, group: Sequence[Trajectory], context: Context) -> list[Verdict]: ...
