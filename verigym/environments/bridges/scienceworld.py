"""ScienceWorld: `scienceworld:TASK?size=40&val=20&simplify=easy`, experiments of a science class in a text world.

A task is one variation of one of 30 experiments, in the splits of ScienceWorld (its dev split is `val`). A reply is one action in
words. Every step earns the change of the score, so the rewards add up to the score (1.0 is the whole experiment). A wrong focus
ends the game with a negative score. Gold solutions come from ScienceWorld's own solver. The simulator runs in Java, in a child
process that several episodes share.
"""

import functools
import json
import shutil
from typing import Any

from verigym.core.errors import BadInput, not_found
from verigym.core.records import Json, Task
from verigym.environments.bridges.about import Bridge, Package
from verigym.environments.bridges.child import Child, Episode
from verigym.environments.bridges.find import name_and_options, no_more_options, whole_number
from verigym.environments.bridges.install import folder_of, require
from verigym.environments.bridges.sum_of_rewards import SumOfRewards
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox
from verigym.verifiers.lift import lift
from verigym.verifiers.version import version

BRIDGE = Bridge(
    example="scienceworld:find-plant",
    what="30 experiments of a science class in the text world ScienceWorld",
    package=Package(
        name="scienceworld",
        version="1.2.3",
        place="venv",
        module="scienceworld",
        requirements=("scienceworld==1.2.3", "py4j==0.10.9.9"),
        why="its simulator runs in Java, in a process of its own",
    ),
    licence="Apache-2.0",
    names=("scienceworld:find-plant", "scienceworld:chemistry-mix"),
)
_OPTIONS = ("size", "val", "turns", "simplify")
_TURNS = 200
_SIMPLIFY = (
    "",
    "easy",
    "teleportAction",
    "openDoors",
    "openContainers",
    "selfWateringFlowerPots",
    "noElectricalAction",
)
_AT_ONCE = 8
"""Episodes in one Java machine. It runs one step at a time."""
_JAVA = {"JAVA_TOOL_OPTIONS": "-Xmx1g -XX:+UseSerialGC"}
_SYSTEM = """You act in a text world of a science class. Write one action, alone on the last line of your reply. Some actions:
look around, inventory, open X, close X, go to X, pick up X, move X to Y, pour X into Y, focus on X, activate X, deactivate X,
use X on Y, examine X, read X, mix X, connect X to Y, wait. If the world asks for a number, write the number."""


class Play(Episode):
    """One game."""

    async def open(self, task: Task) -> None:
        self.total, self.steps, self.ended = 0.0, 0, False
        await super().open(task)

    async def step(self, reply: str) -> tuple[str, float, bool]:
        answer = await self.live.ask("step", reply=action_in(reply))
        self.steps += 1
        self.total, self.ended = answer["score"] / 100, bool(answer["done"])
        return str(answer["observation"]), float(answer["reward"]), self.ended

    async def end_state(self) -> Json:
        return {"return": self.total, "steps": self.steps, "done": self.ended}


def action_in(reply: str) -> str:
    """The last line of a reply."""
    lines = reply.strip().splitlines()
    return lines[-1].strip(" \t*`\"'.")[:500] if lines else ""


def load(where: str, rest: str) -> EnvironmentSpec:
    name, options = name_and_options(where, rest)
    package = require("scienceworld")
    if name not in task_names():
        raise not_found("task of ScienceWorld", name, task_names())
    if shutil.which("java") is None:
        raise BadInput("Java is not installed, and ScienceWorld needs it. Run: apt-get install default-jre-headless")
    size = whole_number(where, options, "size", 40, 1, 10_000)
    val = whole_number(where, options, "val", 20, 1, 10_000)
    turns = whole_number(where, options, "turns", _TURNS, 1, 10_000)
    simplify = options.pop("simplify", "")
    if simplify not in _SIMPLIFY:
        raise not_found("simplification of ScienceWorld", str(simplify), _SIMPLIFY[1:])
    no_more_options(where, options, _OPTIONS)
    given = {"task": name, "simplify": simplify, "size": size, "val": val}
    child = Child("scienceworld", "scienceworld_child.py", given, at_once=_AT_ONCE, variables=_JAVA)
    kind = type("Environment", (Play,), {"child": child, "__module__": __name__})

    @functools.cache
    def every() -> list[Task]:
        return [_task(name, simplify, row) for row in child.tasks()]

    @functools.cache
    def solution(variation: int) -> list[str]:
        return child.ask_now("gold", variation=variation)

    return EnvironmentSpec(
        name=where,
        tasks=lambda split: [task for task in every() if task.split == split],
        factory=kind,
        toolbox=ToolBox(kind),
        verifiers={"sum_of_rewards": lift("sum_of_rewards", SumOfRewards(1.0))},
        suites={"val": "val", "test": "test"},
        system=_SYSTEM,
        max_turns=turns,
        gold=lambda task: solution(task.data["row"]["variation"]),
        cheats=cheats,
        version=f"{version(Play)}-scienceworld-{package}",
    )


def task_names() -> list[str]:
    """The tasks that the package has."""
    [file] = (folder_of("scienceworld") / "lib").glob("python*/site-packages/scienceworld/tasks.json")
    return sorted(each["task_name"] for each in json.loads(file.read_text(encoding="utf-8")))


def _task(name: str, simplify: str, row: Json) -> Task:
    variation = row["variation"]
    return Task(
        id=f"{name}-{variation}{'-' if simplify else ''}{simplify}",
        prompt=f"{row['description']}\n\nBegin with: look around",
        data={"row": {"variation": variation}},
        split=row["split"],
        family=f"scienceworld-{name}-{variation}",
        lineage=[f"scienceworld:{name} variation {variation}"],
    )


def cheats(task: Task) -> list[Any]:
    """Claims, and actions that change nothing."""
    return ["The task is done.", ["look around", "inventory", "wait"], ["task completed"] * 3]
