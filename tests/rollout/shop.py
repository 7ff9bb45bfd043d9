"""A small shop: an environment with tools, and what the tests need around it."""

from typing import Any

from verigym.core.records import Task, Trajectory, Version
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox, tool
from verigym.rollout.settings import RunSettings
from verigym.verifiers.lift import lift

AGENT = Version(base="scripted", id="agent-1")
ADD = '{"tool": "add", "args": {"item": "tea", "count": 2}}'


class Shop:
    system = "You keep a shop."

    def open(self, task: Task) -> None:
        self.basket: dict[str, int] = {}
        self.closed = 0

    @tool
    def add(self, item: str, count: int = 1) -> str:
        """Put something into the basket."""
        self.basket[item] = self.basket.get(item, 0) + count
        return f"{count} {item}"

    @tool
    def burn(self) -> str:
        raise OSError("the shop is on fire")

    def end_state(self) -> dict[str, Any]:
        return {"basket": self.basket}


def run_settings(options: dict[str, Any]) -> RunSettings:
    """Takes the fields of `RunSettings` out of the options of a test."""
    names = {*RunSettings.__struct_fields__} - {"user", "judge"}
    return RunSettings(**{name: options.pop(name) for name in [*options] if name in names})


def passed(task: Task, trajectory: Trajectory) -> float:
    return float(trajectory.end_state.get("basket") == {"tea": 2})


def spec(environment: Any = Shop, max_turns: int = 8) -> EnvironmentSpec:
    return EnvironmentSpec(
        name="shop",
        tasks=lambda split: [],
        factory=environment,
        toolbox=ToolBox(environment if isinstance(environment, type) else Shop),
        verifiers={"passed": lift("passed", passed)},
        suites={},
        system=getattr(environment, "system", ""),
        max_turns=max_turns,
    )


def tasks(count: int) -> list[Task]:
    return [Task(id=f"t{i}", prompt=f"buy tea {i}") for i in range(count)]
