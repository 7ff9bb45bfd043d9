"""What a lower layer needs from a higher one, as protocols: nothing to inherit, everything passed in."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

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


class Context(Struct, frozen=True, kw_only=True):
    """What a verifier may use beside the record."""

    policies: dict[str, Any] = {}
    """Named policies, for judges."""
    sandbox: Any = None
    scorer: Any = None
    """A reward model's `score(task, trajectory) -> float`."""


@runtime_checkable
class Verifier(Protocol):
    """Scores the trajectories of one task, together: `name` is `name@version`."""

    name: str

    async def verify(self, task: Task, group: Sequence[Trajectory], context: Context) -> list[Verdict]: ...
