"""The contract of an environment, as the rest of the ring sees it.

A user writes one module (see `verigym init`): `tasks(split)`, a class `Environment` with `open`, tools or `step`, and
`end_state`, and `verify`. Nothing is inherited or registered. This is that module, read and understood.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from verigym.core.protocols import Verifier
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
    gold: Callable[[Task], list[Item] | None] | None = None
    """The items of a perfect reply, for `verigym check`."""
    cheats: Callable[[Task], list[list[Item]]] | None = None
    """Replies that must not pass."""
    pace: Pace = msgspec.field(default_factory=Pace)

    @property
    def tools(self) -> list[ToolSpec]:
        return self.toolbox.specs

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
