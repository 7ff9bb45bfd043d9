"""What a lower layer needs from a higher one, as protocols: nothing to inherit, everything passed in."""

import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Literal, Protocol, Self, runtime_checkable

from msgspec import Struct

from verigym.core.records import Item, Sampling, Task, ToolSpec, Trajectory, Turn, Verdict


class Request(Struct, frozen=True, kw_only=True):
    """One call of a policy."""

    items: list[Item]
    """The whole context."""
    tools: list[ToolSpec] = []
    sampling: Sampling = Sampling()
    seed: int = 0
    turns: list[Turn] = []
    """The policy's earlier turns in this episode: a policy with tokens extends their ids, never re-tokenises them."""


class Reply(Struct, frozen=True, kw_only=True):
    """What a policy answered: the items, and the turn that made them (`saw` and `made` are the caller's to fill)."""

    items: list[Item]
    turn: Turn


@runtime_checkable
class Policy(Protocol):
    """Anything that answers: a local model, a server, a script."""

    async def respond(self, request: Request) -> Reply: ...


@contextlib.asynccontextmanager
async def closing(*policies: Policy | None) -> AsyncIterator[None]:
    """Closes the policies at the end of the block. A policy without a `close` method needs no closing."""
    async with contextlib.AsyncExitStack() as stack:
        for policy in policies:
            if hasattr(policy, "close"):
                stack.push_async_callback(policy.close)  # type: ignore[union-attr]
        yield


class CommandResult(Struct, frozen=True, kw_only=True):
    """What came of one command in a sandbox."""

    code: int | None
    """Exit code; none when it was killed."""
    stdout: str = ""
    stderr: str = ""
    """Both cut at the output limit."""
    stop: Literal["exit", "time", "memory", "output", "killed"] = "exit"
    """Why it ended: by itself, or by which limit."""
    seconds: float = 0.0


class Box(Protocol):
    """One private folder of a sandbox, kept over several commands: `async with await sandbox.open(files) as box`."""

    async def run(self, command: Sequence[str], *, stdin: str = "", seconds: float | None = None) -> CommandResult: ...
    async def read(self, path: str) -> bytes: ...
    async def write(self, path: str, data: str | bytes) -> None: ...
    async def close(self) -> None: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *error: object) -> None: ...


class Sandbox(Protocol):
    """Runs code that nobody trusts."""

    @property
    def isolated(self) -> bool:
        """Whether code in it can see neither network nor files of the host; a plain process can."""
        ...

    async def open(self, files: Mapping[str, str | bytes] = {}) -> Box: ...


class Scorer(Protocol):
    """A reward model."""

    @property
    def name(self) -> str:
        """Of its version."""
        ...

    async def score(self, trajectories: Sequence[Trajectory]) -> list[float]: ...


def no_blob(sha256: str) -> bytes:
    raise KeyError(f"blob {sha256} is not here")


class Context(Struct, frozen=True, kw_only=True):
    """What a verifier may use beside the record."""

    policies: dict[str, Policy] = {}
    """By name: `judge`, `user`."""
    sandbox: Sandbox | None = None
    blob: Callable[[str], bytes] = no_blob
    """The bytes of a blob by its hash."""
    scorer: Scorer | None = None
    """A reward model."""


@runtime_checkable
class Verifier(Protocol):
    """Scores the trajectories of one task, together."""

    @property
    def name(self) -> str:
        """name@version"""
        ...

    async def verify(self, task: Task, group: Sequence[Trajectory], context: Context) -> list[Verdict]: ...
