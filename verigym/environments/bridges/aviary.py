"""Aviary: `aviary:NAME?size=200&train=0.5&OPTION=VALUE`, environments whose `reset` brings tools and whose `step` gives rewards.

NAME is a dataset of Aviary's registry (`dummy`, `gsm8k`), or `module:Class` or `file.py:Class`, where the class is a
`TaskDataset` or an `Environment`. A task is one index of the dataset. Its prompt is what `reset` says. A call is one `step`.
`train` is the share of tasks for training. Other options go to the class. A dataset with a method `gold(index)` brings gold
solutions, in the format of `gold(task)`.
"""

import asyncio
import functools
import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

import msgspec

from verigym.core import event_loop
from verigym.core.errors import BadInput, EnvironmentFailure, not_found
from verigym.core.records import FunctionCall, Item, Json, Message, Task, content_hash
from verigym.environments.bridges.about import Bridge, Package
from verigym.environments.bridges.find import name_and_options, number, share_for_training, split_by_hash, whole_number
from verigym.environments.bridges.install import require
from verigym.environments.bridges.sum_of_rewards import RewardedSteps, SumOfRewards
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox, ToolResult
from verigym.verifiers.lift import lift
from verigym.verifiers.version import version

BRIDGE = Bridge(
    example="aviary:dummy?size=20",
    what="datasets and environments of Aviary",
    package=Package(
        name="fhaviary",
        version="0.37.0",
        place="folder",
        module="aviary",
        without_requirements=(
            "fhaviary==0.37.0",
            "docstring_parser==0.18.0",
            "httpx==0.28.1",
            "httpx-aiohttp==0.2.0",
            "httpcore==1.0.9",
            "h11==0.16.0",
            "anyio==4.16.0",
            "certifi==2026.10.18",
            "pydantic==2.14.3",
            "pydantic_core==2.50.4",
            "annotated-types==0.8.0",
            "typing-inspection==0.4.5",
            "typing_extensions==4.16.0",
        ),
        why="a folder of its own changes no other package",
    ),
    licence="Apache-2.0",
    names=("aviary:dummy?size=20", "aviary:examples/aviary_counter.py:CounterDataset"),
)
_TURNS = 20
_MOST = 10_000
_EMPTY = {"type": "object", "properties": {}}
_STEP, _END = "step", "end"


@functools.cache
def _core() -> Any:
    return importlib.import_module("aviary.core")


class Episode(RewardedSteps):
    """One environment of Aviary, from `reset` to `close`."""

    source: "Source"
    env: Any = None

    async def open(self, task: Task) -> None:
        self.env = self.source.environment(task.data["index"])
        self.order = asyncio.Lock()  # calls of one reply are steps, one after another
        observations, self.tools_of_env = await self.env.reset()
        if prompt_of(observations) != task.prompt:
            raise EnvironmentFailure(
                f"reset() of {task.id} said something else than when the tasks were made. Give the environment a fixed seed"
            )

    def tools(self) -> list[Json]:
        return [tool_json(tool) for tool in self.tools_of_env]

    async def call(self, name: str, arguments: Json) -> ToolResult:
        async with self.order:
            if self.finished:
                return ToolResult(output="The episode is over.", failed=True)
            action = _core().ToolRequestMessage(tool_calls=[_core().ToolCall.from_name(name, **arguments)])
            return ToolResult(output=await self._step(action))

    async def user(self, reply: str) -> str | None:
        """What the environment answers to a reply without calls."""
        if self.finished or self.source.text == _END:
            return None
        words = await self._step(_core().Message(role="assistant", content=reply))
        return None if self.finished else words

    async def _step(self, action: Any) -> str:
        try:
            observations, reward, done, truncated = await self.env.step(action)
        except BaseExceptionGroup as errors:  # the tools of one action ran together
            raise errors.exceptions[0] from errors
        self.add_reward(float(reward), bool(done or truncated))
        return "\n".join(each.content or "" for each in observations)

    async def close(self) -> None:
        if self.env is not None:
            await self.env.close()


def load(where: str, rest: str) -> EnvironmentSpec:
    name, options = name_and_options(where, rest)
    package = require("aviary")
    size = whole_number(where, options, "size", 200, 1, _MOST)
    turns = whole_number(where, options, "turns", _TURNS, 1, 1000)
    share = share_for_training(where, options, 0.5)
    least = number(where, options, "pass", 1.0)
    text = options.pop("text", _STEP)
    if text not in (_STEP, _END):
        raise BadInput(f'"{where}": text must be {_STEP} or {_END}, not {text!r}')
    source = Source(where, name, options, size, text)
    kind = type("Environment", (Episode,), {"source": source, "__module__": __name__})

    @functools.cache
    def every() -> list[Task]:
        return event_loop.LoopThread("aviary-tasks").call(lambda: event_loop.run(_tasks(source, share)))

    return EnvironmentSpec(
        name=where,
        tasks=lambda split: [task for task in every() if task.split == split],
        factory=kind,
        toolbox=ToolBox(kind),
        verifiers={"sum_of_rewards": lift("sum_of_rewards", SumOfRewards(least))},
        suites={"val": "val"},
        max_turns=turns,
        gold=source.gold,
        version=f"{version(Episode)}-fhaviary-{package}",
    )


def prompt_of(observations: list[Any]) -> str | list[Item]:
    """The first messages of an environment as a prompt."""
    if len(observations) == 1 and observations[0].role == "user":
        return observations[0].content or ""
    role = {"system": "system", "assistant": "assistant"}
    return [Message(role.get(each.role, "user"), each.content or "") for each in observations]  # type: ignore[arg-type]


def tool_json(tool: Any) -> Json:
    info = tool.info
    parameters = info.parameters.model_dump(exclude_none=True, by_alias=True) if info.parameters else _EMPTY
    return {"name": info.name, "description": info.description, "parameters": parameters}


async def _tasks(source: "Source", share: float) -> list[Task]:
    tasks: list[Task] = []
    for index in range(len(source)):
        env = source.environment(index)
        observations, _ = await env.reset()
        prompt = prompt_of(observations)
        await env.close()
        family = content_hash(prompt if isinstance(prompt, str) else [msgspec.to_builtins(each) for each in prompt])[
            :12
        ]
        tasks.append(
            Task(
                id=f"{source.label}-{index}",
                prompt=prompt,
                data={"index": index},
                split=split_by_hash(family, share),
                family=f"{source.label}-{family}",
                lineage=[f"aviary:{source.name} index {index}"],
            )
        )
    if len({task.family for task in tasks}) == 1:  # one prompt cannot be in two splits
        return [msgspec.structs.replace(task, split="val") for task in tasks]
    return tasks


# -- datasets -------------------------------------------------------------------------------------------------------------


class Source:
    """A dataset of Aviary, or an environment class with one task."""

    def __init__(self, where: str, name: str, options: Json, size: int, text: str) -> None:
        self.where, self.name, self.text = where, name, text
        self.label = name.rpartition("/")[2].replace(".py", "").replace(":", "-")
        self._options = options
        self._class: Any = _class_of(where, name)
        self.dataset: Any = None
        if issubclass(self._class, _core().TaskDataset):
            self.dataset = self._made()
        elif not issubclass(self._class, _core().Environment):
            raise BadInput(f'"{where}": {self._class.__name__} is neither a TaskDataset nor an Environment of Aviary')
        self._finite, self._length = self._count(size)
        self.environment(0)  # what is wrong with the options shows now

    def _made(self) -> Any:
        try:
            return self._class(**self._options)
        except Exception as error:  # the class may also download its data
            raise BadInput(
                f'"{self.where}": {self._class.__name__}({", ".join(self._options)}) raised {type(error).__name__}: '
                f"{str(error)[:300]}. Options that are not size, train, turns, pass or text go to the class"
            ) from error

    def _count(self, size: int) -> tuple[bool, int]:
        """Whether the dataset is indexed, and its number of tasks."""
        if self.dataset is None:
            return False, 1
        try:
            length = len(self.dataset)
        except TypeError:
            return False, size
        if not length:
            raise BadInput(f'"{self.where}": the dataset has no tasks')
        return True, min(length, size)

    def __len__(self) -> int:
        return self._length

    def environment(self, index: int) -> Any:
        if self.dataset is None:
            return self._made()
        return self.dataset.get_new_env_by_idx(index) if self._finite else self.dataset.get_new_env()

    def gold(self, task: Task) -> Any:
        if self.name == "dummy":
            return [[FunctionCall("call_0", "print_story", '{"story": "A heron saw one fish."}')]]
        given = getattr(self.dataset, "gold", None)
        return given(task.data["index"]) if callable(given) else None


def _class_of(where: str, name: str) -> Any:
    registry: dict[str, tuple[str, str]] = importlib.import_module("aviary.env").TASK_DATASET_REGISTRY
    module, colon, attribute = name.rpartition(":")
    remedy = "Install the package that has it"
    if not colon:
        remedy = f"Run: pip install aviary.{name}"
        if name not in registry:
            raise not_found("dataset of Aviary", name, registry, "Or write module:Class or file.py:Class.")
        module, attribute = registry[name]
    try:
        loaded = _import_file(where, Path(module)) if module.endswith(".py") else importlib.import_module(module)
    except ImportError as error:
        raise BadInput(f'"{where}": {module} cannot be imported: {error}. {remedy}') from error
    found = getattr(loaded, attribute, None)
    if not isinstance(found, type):
        classes = [
            key
            for key, value in vars(loaded).items()
            if isinstance(value, type) and value.__module__ == loaded.__name__
        ]
        raise not_found(f"class in {module}", attribute, classes)
    return found


def _import_file(where: str, path: Path) -> Any:
    if not path.is_file():
        raise BadInput(f'"{where}": {path} does not exist. Check the path')
    name = f"aviary_{path.stem}_{content_hash(str(path.resolve()))[:8]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
