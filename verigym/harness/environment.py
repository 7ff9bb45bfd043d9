"""The contract of an environment, as the rest of the package sees it.

You write one module (see `verigym init`): `tasks(split)`, a class `Environment` with `open`, tools or `step`, and
`end_state`, and `verify`. You inherit and register nothing. `EnvironmentSpec` is that module after loading.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from verigym.core.errors import BadInput
from verigym.core.protocols import Request, Verifier
from verigym.core.records import Item, Json, Task, ToolSpec, Trajectory, Verdict
from verigym.harness.executor import AdaptiveExecutor
from verigym.harness.tools import ToolBox

Reply = str | list[Item]
"""One reply of a written solution: its text, or its items."""


class EnvironmentSpec(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    """Name of the module."""
    tasks: Callable[[str], list[Task]]
    """Returns the tasks of a split."""
    factory: Callable[[], Any]
    """Creates the state of one episode. Episodes share nothing."""
    toolbox: ToolBox
    verifiers: dict[str, Verifier]
    """Verifiers by name without version. The first is the default."""
    suites: dict[str, str]
    """Name of a held-out suite to its split."""
    system: str = ""
    """System prompt, used if the agent version has none."""
    max_turns: int = 8
    gold: Callable[[Task], Any] | None = None
    """The gold solution, to imitate and for `verigym check`: the items of one reply, or a list of replies (each a text or
    items), or None. `gold_replies` reads it."""
    cheats: Callable[[Task], Any] | None = None
    """A list of solutions that must not pass, each in the format of `gold` or as text."""
    judge: Callable[[Request], str] | None = None
    """A scripted judge for `verigym check`, if the verifier uses its own judge prompt."""
    explain: Callable[[Task, Trajectory, Verdict], str | None] | None = None
    """The environment's rule for why an episode failed: a bucket, `bucket: reason`, or None to use the general rules."""
    mined: Callable[[str, list[Item]], Json | None] | None = None
    """The environment's rule for turning a production request and its right items into task data, or None if it cannot."""
    training_sets: dict[str, Callable[[], list[Task]]] = {}
    """Other training tasks than those of `tasks("train")`, by the name that `ENV?train=NAME` uses."""
    agent: str = ""
    """The external agent that drives the episodes, if the version names none: a command, or `module:function`."""
    mined_episode: Callable[[Json, Trajectory], Json | None] | None = None
    """The environment's rule for turning a start and an episode that was right into task data, or None if it cannot. See
    `mining.multi_step`."""
    executor: AdaptiveExecutor = msgspec.field(default_factory=AdaptiveExecutor)
    version: str = ""
    """Version of the code. Another version makes other runs."""
    tools_files: list[Any] = []
    """The tools files whose tools were added (`with_tools`)."""

    def __post_init__(self) -> None:
        self.executor.on_loop = self.toolbox.is_async

    @property
    def tools(self) -> list[ToolSpec]:
        """The tools of the class. Those of a state are known only after `open`."""
        return self.toolbox.specs

    @property
    def tools_hash(self) -> str:
        """Hash of the tools files that belong to it. Other tools make other runs."""
        return "+".join(file.hash[:16] for file in self.tools_files)

    def gold_replies(self, task: Task) -> list[Reply]:
        """The replies of the gold solution, in order. Empty without one."""
        return _replies(self.gold(task), f"gold(task) for task {task.id}") if self.gold is not None else []

    def cheat_replies(self, task: Task) -> list[list[Reply]]:
        """Solutions that must not pass, each as a list of replies."""
        solutions = self.cheats(task) if self.cheats is not None else []
        if not isinstance(solutions, list):
            raise BadInput(
                f"cheats(task) for task {task.id} returned {type(solutions).__name__}. It must return a list of solutions"
            )
        return [_replies(each, f"cheats(task) for task {task.id}") for each in solutions]

    @property
    def steps(self) -> bool:
        """Whether it is a reset/step environment, with `step(reply)` instead of tools."""
        return callable(getattr(self.factory, "step", None))

    @property
    def needs_task_tools(self) -> bool:
        """Whether the state of an episode provides tools, so that they are known only per task."""
        return self.toolbox.by_state

    @property
    def has_tools(self) -> bool:
        """Whether an agent may be offered tools."""
        return bool(self.tools) or self.needs_task_tools

    @property
    def only_replies(self) -> bool:
        """Whether the agent can only reply, without tools or steps."""
        return not (self.has_tools or self.steps or self.scripted_user or self.needs_user)

    @property
    def scripted_user(self) -> bool:
        """Whether the user is scripted with `user(reply)`."""
        return callable(getattr(self.factory, "user", None))

    @property
    def has_persona(self) -> bool:
        """Whether a policy can play the user from `persona()`."""
        return callable(getattr(self.factory, "persona", None))

    @property
    def needs_user(self) -> bool:
        """Whether a policy must play the user: `persona()` and no script, or `roles` of the class name it."""
        return (self.has_persona and not self.scripted_user) or "user" in getattr(self.factory, "roles", ())

    @property
    def drives_itself(self) -> bool:
        """Whether the environment asks for the replies itself, with `drive(gateway)`: the loop of another project."""
        return callable(getattr(self.factory, "drive", None))

    @property
    def verifier(self) -> Verifier:
        return next(iter(self.verifiers.values()))


def live_tools(environment: EnvironmentSpec) -> list[str]:
    """Names of the tools whose calls reach a live server."""
    return [name for file in environment.tools_files for name in file.live]


def _replies(value: Any, what: str) -> list[Reply]:
    """Reads `"Done."`, `[call]` and `[[call], "Done."]` as replies. An item may be written as its JSON."""
    if isinstance(value, str):
        return [value]
    if not value:
        return []
    if not isinstance(value, list):
        raise BadInput(f"{what} returned {type(value).__name__}. Return a reply's text or items, or a list of replies")
    if all(isinstance(each, dict | Item) for each in value):
        return [[_item(each, what, index) for index, each in enumerate(value)]]
    return [
        each if isinstance(each, str) else [_item(item, what, index) for index, item in enumerate(each)]
        for each in value
    ]


def _item(value: Any, what: str, index: int) -> Item:
    if isinstance(value, Item):
        return value
    try:
        return msgspec.convert({"call_id": f"call_{index}", **value}, Item)
    except (TypeError, msgspec.ValidationError) as error:
        raise BadInput(
            f"{what}: {value!r} is not an item ({error}). Write FunctionCall(...) or Message(...)"
        ) from error
