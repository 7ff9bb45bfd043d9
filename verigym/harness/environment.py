"""The contract of an environment, as the rest of the ring sees it.

A user writes one module (see `verigym init`): `tasks(split)`, a class `Environment` with `open`, tools or `step`, and
`end_state`, and `verify`. Nothing is inherited or registered. This is that module, read and understood.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from verigym.core.errors import BadInput
from verigym.core.protocols import Request, Verifier
from verigym.core.records import Item, Json, Task, ToolSpec, Trajectory, Verdict
from verigym.harness.executor import Pace
from verigym.harness.tools import ToolBox

Reply = str | list[Item]
"""One reply of a written solution: its text, or its items."""


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
    cheats: Callable[[Task], Any] | None = None
    """A list of solutions that must not pass, each as `gold` gives one, or its text."""
    judge: Callable[[Request], str] | None = None
    """A scripted judge for `verigym check`, where the verifier asks one in words of its own."""
    explain: Callable[[Task, Trajectory, Verdict], str | None] | None = None
    """Its own rule for why an episode failed: a bucket, `bucket: reason`, or none to leave it to the general rules."""
    mined: Callable[[str, list[Item]], Json | None] | None = None
    """Its own rule for a request of production with the items that were right: the data of a task, or none where it cannot
    make one."""
    pace: Pace = msgspec.field(default_factory=Pace)
    version: str = ""
    """Of the code: another one makes other runs."""

    def __post_init__(self) -> None:
        self.pace.on_loop = self.toolbox.is_async

    @property
    def tools(self) -> list[ToolSpec]:
        return self.toolbox.specs

    def gold_replies(self, task: Task) -> list[Reply]:
        """The replies of the perfect solution, in order; empty where there is none."""
        return _replies(self.gold(task), f"gold of {task.id}") if self.gold is not None else []

    def cheat_replies(self, task: Task) -> list[list[Reply]]:
        """Solutions that must not pass, each as its replies in order."""
        found = self.cheats(task) if self.cheats is not None else []
        if not isinstance(found, list):
            raise BadInput(f"cheats of {task.id}: a {type(found).__name__}; it should be a list of solutions")
        return [_replies(each, f"cheats of {task.id}") for each in found]

    @property
    def steps(self) -> bool:
        """Whether it is a reset/step environment: `step(reply)` instead of tools."""
        return callable(getattr(self.factory, "step", None))

    @property
    def only_replies(self) -> bool:
        """Whether there is nothing to do in it but reply."""
        return not (self.tools or self.steps or self.scripted_user or self.needs_user)

    @property
    def scripted_user(self) -> bool:
        """Whether the user's part is written: `user(reply)`."""
        return callable(getattr(self.factory, "user", None))

    @property
    def has_persona(self) -> bool:
        """Whether a policy can play the user: `persona()`."""
        return callable(getattr(self.factory, "persona", None))

    @property
    def needs_user(self) -> bool:
        """Whether a policy has to play the user: `persona()`, and no script."""
        return self.has_persona and not self.scripted_user

    @property
    def verifier(self) -> Verifier:
        return next(iter(self.verifiers.values()))


def _replies(found: Any, what: str) -> list[Reply]:
    """`"Done."`, `[call]` and `[[call], "Done."]` as replies; an item may be written as the JSON that it is."""
    if isinstance(found, str):
        return [found]
    if not found:
        return []
    if not isinstance(found, list):
        raise BadInput(f"{what}: a {type(found).__name__}; a solution is a reply's text or items, or a list of replies")
    if all(isinstance(each, dict | Item) for each in found):
        return [[_item(each, what, place) for place, each in enumerate(found)]]
    return [
        each if isinstance(each, str) else [_item(item, what, place) for place, item in enumerate(each)]
        for each in found
    ]


def _item(value: Any, what: str, place: int) -> Item:
    if isinstance(value, Item):
        return value
    try:
        return msgspec.convert({"call_id": f"call_{place}", **value}, Item)
    except (TypeError, msgspec.ValidationError) as error:
        raise BadInput(f"{what}: {value!r} is no item ({error}); write FunctionCall(...) or Message(...)") from error
