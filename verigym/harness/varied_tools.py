"""Other tools in every training episode: in another order, without some of the wrong ones, some with another name.

A small model otherwise learns by heart which request means which tool, and does not read the list. The order, the hidden tools
and the names depend only on a seed and the task, so the attempts at one task see the same list. Records keep a tool's own name,
because verifiers know no other. The tokens of an episode hold the name that the model saw.
"""

import random
from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from verigym.core.records import FunctionCall, Task
from verigym.core.seeds import derive
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import Vary

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_LENGTH = 5


class ToolVariation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """How the offered tools differ from episode to episode in training. Key `tools` of a recipe."""

    shuffle: bool = False
    """Whether the tools come in another order for each task."""
    hide: Annotated[float, Meta(ge=0, lt=1)] = 0.0
    """Share of the tools that are not offered. The tools of the gold solution always are."""
    rename: Annotated[float, Meta(ge=0, le=1)] = 0.0
    """Share of the tools that have a random name, so that only the description says what they do."""

    @property
    def active(self) -> bool:
        return self.shuffle or self.hide > 0 or self.rename > 0


def with_varied_tools(environment: EnvironmentSpec, how: ToolVariation, *seed: int) -> EnvironmentSpec:
    """The environment with tools that vary by task. Unchanged if it has no tools, or nothing varies."""
    if not (how.active and environment.has_tools):
        return environment
    vary = _vary(environment, how, derive(*seed, "tools"))
    return msgspec.structs.replace(environment, toolbox=environment.toolbox.varied(vary))


def _vary(environment: EnvironmentSpec, how: ToolVariation, seed: int) -> Vary:
    def vary(task: Task, names: Sequence[str]) -> dict[str, str]:
        draw = random.Random(derive(seed, task.id))
        shown = [*names]
        if how.shuffle:
            draw.shuffle(shown)
        if how.hide and (needed := _needed(environment, task, names)):
            others = [name for name in shown if name not in needed]
            hidden = set(draw.sample(others, min(len(others), round(how.hide * len(shown)))))
            shown = [name for name in shown if name not in hidden]
        renamed = set(draw.sample(shown, round(how.rename * len(shown))))
        return {name: _made_up(draw) if name in renamed else name for name in shown}

    return vary


def _needed(environment: EnvironmentSpec, task: Task, names: Sequence[str]) -> set[str]:
    """The tools of the gold solution, and every tool that a written reply of it names. Empty without one, and then nothing may
    be hidden."""
    needed: set[str] = set()
    for reply in environment.gold_replies(task):
        if isinstance(reply, str):
            needed.update(name for name in names if name in reply)
        else:
            needed.update(item.name for item in reply if isinstance(item, FunctionCall))
    return needed


def _made_up(draw: random.Random) -> str:
    return "".join(draw.choices(_LETTERS, k=_LENGTH))
