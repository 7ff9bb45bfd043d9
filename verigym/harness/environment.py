"""The contract of an environment, as the rest of the ring sees it.

A user writes one module (see `verigym init`): `tasks(split)`, a class `Environment` with `open`, tools or `step`, and
`end_state`, and `verify`. Nothing is inherited or registered. This is that module, read and understood.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from verigym.core.protocols import Request, Verifier
from verigym.core.records import Item, Task, ToolSpec
from verigym.harness.pace import Pace
from verigym.harness.tools import ToolBox


class EnvironmentSpec(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    """Of the module."""
    tasks: Callable[[str], list[Task]]
    """By split."""
    factory: Callable[[], Any]
    """Makes the state of one episode; nothing is shared between two."""
    toolbox: ToolBox
    verifiers: dict[str, Verifier]
    """By name without version; the first is the default."""
    suites: dict[str, str]
    """Name of a held-out suite to its split."""
    system: str = ""
    """System prompt, used where the agent version has none of its own."""
    max_turns: int = 8
    gold: Callable[[Task], Any] | None = None
    """The perfect solution, to imitate and for `verigym check`: the items of one reply, or a list of replies (each its text
    or its items); none where there is none. `gold_replies` reads it."""
    cheats: Callable[[Task], list[str | list[Item]]] | None = None
    """Replies that must not pass."""
    judge: Callable[[Request], str] | None = None
    """A scripted judge for `verigym check`, where the verifier asks one in words of its own."""
    pace: Pace = msgspec.field(default_factory=Pace)

    @property
    def tools(self) -> list[ToolSpec]:
        return self.toolbox.specs

    def gold_replies(self, task: Task) -> list[str | list[Item]]:
        """The replies of the perfect solution, in order; empty where there is none."""
        found = self.gold(task) if self.gold is not None else None
        if not found:
            return []
        return [found] if isinstance(found, str) or isinstance(found[0], Item) else list(found)

    @property
    def steps(self) -> bool:
        """Whether it is a reset/step environment: `step(reply)` instead of tools."""
        return hasattr(self.factory, "step")

    @property
    def scripted_user(self) -> bool:
        """Whether the user's part is written: `user(reply)`."""
        return callable(getattr(self.factory, "user", None))

    @property
    def needs_user(self) -> bool:
        """Whether a policy has to play the user: `persona()`, and no script."""
        return callable(getattr(self.factory, "persona", None)) and not self.scripted_user

    @property
    def verifier(self) -> Verifier:
        return next(iter(self.verifiers.values()))
