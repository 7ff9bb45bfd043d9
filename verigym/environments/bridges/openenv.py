"""OpenEnv: `openenv:URL[#ROWS][?size=20&seed=0]` is a server that is running, and `openenv:file.py:app` one that is started.

An episode is one WebSocket, which is one session of the server. A task is a seed for `reset`, and its prompt is the first
observation. An environment with MCP tools offers them. Any other offers one tool, `act`, with the schema of its action. ROWS is a
JSONL file with tasks of your own: `prompt`, and optionally `id`, `reset` (arguments of `reset`), `split` and `gold` (a list of
actions). Then the tool `observe` returns the last observation. The verdict is the sum of the rewards of all steps.
"""

import functools
import json
from pathlib import Path
from typing import Any

import aiohttp
import msgspec

from verigym.core import event_loop
from verigym.core.errors import BadInput, EnvironmentFailure, InfrastructureFailure
from verigym.core.records import FunctionCall, Json, Task, content_hash
from verigym.environments.bridges.about import Bridge, Package
from verigym.environments.bridges.find import name_and_options, no_more_options, number, split_by_hash, whole_number
from verigym.environments.bridges.install import python_of, require
from verigym.environments.bridges.openenv_socket import Socket, get
from verigym.environments.bridges.processes import ChildProcess, ProcessPool
from verigym.environments.bridges.sum_of_rewards import RewardedSteps, SumOfRewards
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox, ToolResult
from verigym.tasks.files import rows_of
from verigym.verifiers.lift import lift
from verigym.verifiers.version import version

BRIDGE = Bridge(
    example="openenv:http://localhost:8000",
    what="servers of OpenEnv, over WebSocket",
    package=Package(
        name="openenv",
        version="0.10.0",
        place="venv",
        module="openenv",
        requirements=("openenv==0.10.0",),
        why="it needs another version of mcp. A server that is running needs no package",
    ),
    licence="BSD-3-Clause",
    offline=False,
    gold=False,
    names=("openenv:examples/openenv_guess.py:app#examples/openenv_guess.jsonl",),
)
_OPTIONS = ("size", "val", "seed", "turns", "seconds", "pass")
_TURNS = 20
_FORM = '{"prompt": ..., "reset": {...}, "split": "val", "gold": [...]}'
_RANGE = 1_000_000
_ACT, _OBSERVE = "act", "observe"
_OBSERVE_TOOL = {
    "name": _OBSERVE,
    "description": "Show the last observation of the environment.",
    "parameters": {"type": "object", "properties": {}},
}


class Server:
    """Where the server is: its URL, or a file whose application is started in the virtual environment of the bridge."""

    def __init__(self, where: str, head: str, seconds: float) -> None:
        self.seconds = seconds
        self._url, self._processes = "", None
        if "://" in head:
            if not head.startswith(("http://", "https://")):
                raise BadInput(f'"{where}": "{head}" is not a URL of a server. Begin it with http:// or https://')
            self._url = head.rstrip("/")
            return
        file, colon, name = head.rpartition(":")
        if not colon or not file.endswith(".py"):
            raise BadInput(
                f'"{where}" names neither a server nor a file. Write openenv:http://HOST:PORT or openenv:FILE.py:APP'
            )
        if not Path(file).is_file():
            raise BadInput(f'"{where}": the file {file} does not exist. Check the path')
        require("openenv")
        self._processes = ProcessPool(functools.partial(_start, Path(file).absolute(), name))

    async def socket(self) -> Socket:
        """A session. The first one starts the server, if it is a file."""
        if self._processes is None:
            return await Socket.connected(self._url, self.seconds)
        for again in (True, False):
            child = await self._processes.session()
            leave = functools.partial(self._processes.leave, child)
            try:
                return await Socket.connected(child.url, self.seconds, leave, child.last_words)
            except InfrastructureFailure as error:
                if not again or not isinstance(error.__cause__, aiohttp.ClientConnectorError):
                    raise
                child.kill()  # it died while it was idle, and nobody noticed yet
        raise AssertionError("the second attempt returns or raises")

    async def schema(self) -> Json:
        """JSON schema of an action."""
        if not hasattr(self, "_schema"):
            child = await self._processes.session() if self._processes else None
            try:
                self._schema = (await get(f"{child.url if child else self._url}/schema", self.seconds))["action"]
            finally:
                if self._processes and child:
                    self._processes.leave(child)
        return self._schema


def _start(file: Path, name: str) -> ChildProcess:
    script = Path(__file__).with_name("openenv_server.py")
    return ChildProcess(
        f"The OpenEnv server {file.name}:{name}", [str(python_of("openenv")), "-P", str(script), str(file), name]
    )


class Episode(RewardedSteps):
    """One session of the server."""

    server: Server
    socket: Socket | None = None

    async def open(self, task: Task) -> None:
        self.own_prompt = "prompt" in task.data
        self.socket = await self.server.socket()
        self.seen = await self.socket.reset(task.data["reset"])
        if not self.own_prompt and shown(self.seen) != task.prompt:
            raise EnvironmentFailure(
                f"{task.id}: reset gave another observation than when the tasks were made. The server ignores the seed, so "
                "write the tasks as rows with prompts of their own (openenv:URL#rows.jsonl)"
            )
        self.mcp, self.offered = await _tools(self.socket, await self.server.schema())

    def tools(self) -> list[Json]:
        return [*self.offered, _OBSERVE_TOOL] if self.own_prompt else self.offered

    async def call(self, name: str, arguments: Json) -> ToolResult:
        assert self.socket is not None, "open comes first"
        if name == _OBSERVE:
            return ToolResult(output=shown(self.seen))
        if self.finished:
            return ToolResult(output="The episode is over.", failed=True)
        action = {"type": "call_tool", "tool_name": name, "arguments": arguments} if self.mcp else arguments
        data, problem = await self.socket.step(action)
        if problem:
            return ToolResult(output=problem, failed=True)
        self.seen = data
        self.add_reward(float(data.get("reward") or 0.0), bool(data.get("done")))
        return ToolResult(output=shown(data), failed=bool(data.get("observation", {}).get("error")))

    async def close(self) -> None:
        if self.socket is not None:
            await self.socket.close()


def shown(data: Json) -> str:
    """An observation as the model reads it: its only text, or its fields as JSON. Reward and end are not shown."""
    observation = data.get("observation")
    if not isinstance(observation, dict):
        return "" if observation is None else str(observation)
    fields = {key: value for key, value in observation.items() if value not in (None, {}, []) and key != "tool_name"}
    if len(fields) == 1 and isinstance(next(iter(fields.values())), str):
        return next(iter(fields.values()))
    return json.dumps(fields, ensure_ascii=False)


async def _tools(socket: Socket, schema: Json) -> tuple[bool, list[Json]]:
    """Whether the environment has MCP tools, and the tools."""
    properties = schema.get("properties", {})
    if "tool_name" in properties:
        data, problem = await socket.step({"type": "list_tools"})
        if problem:
            raise EnvironmentFailure(f"The server cannot list its tools: {problem}")
        return True, data["observation"].get("tools", [])
    kept = {key: value for key, value in properties.items() if key != "metadata"}
    parameters = {
        key: schema[key] for key in ("type", "required", "$defs", "additionalProperties") if key in schema
    } | {"properties": kept}
    return False, [{"name": _ACT, "description": "Take one step in the environment.", "parameters": parameters}]


def load(where: str, rest: str) -> EnvironmentSpec:
    head, options = name_and_options(where, rest)
    target, _, file = head.partition("#")
    size = whole_number(where, options, "size", 20, 0, 10_000)
    val = whole_number(where, options, "val", 20, 1, 10_000)
    first = whole_number(where, options, "seed", 0, 0, 1000) * _RANGE
    turns = whole_number(where, options, "turns", _TURNS, 1, 1000)
    seconds = whole_number(where, options, "seconds", 60, 1, 3600)
    least = number(where, options, "pass", 1.0)
    no_more_options(where, options, _OPTIONS)
    server = Server(where, target, seconds)
    kind = type("Environment", (Episode,), {"server": server, "__module__": __name__})
    rows = _from_rows(file) if file else []

    @functools.cache
    def every() -> list[Task]:
        if rows:
            return rows
        thread = event_loop.LoopThread("openenv-tasks")
        return thread.call(lambda: event_loop.run(_from_seeds(server, first, size, val)))

    return EnvironmentSpec(
        name=where,
        tasks=lambda split: [task for task in every() if task.split == split],
        factory=kind,
        toolbox=ToolBox(kind),
        verifiers={"sum_of_rewards": lift("sum_of_rewards", SumOfRewards(least))},
        suites={"val": "val"},
        max_turns=turns,
        gold=gold,
        version=version(Episode),
    )


def gold(task: Task) -> list[Any] | None:
    """The actions of the row. An action with `tool_name` calls an MCP tool."""
    actions = task.data.get("gold")
    if not actions:
        return None
    return [[_call(number, each)] for number, each in enumerate(actions)]


def _call(number: int, action: Json) -> FunctionCall:
    if "tool_name" in action:
        return FunctionCall(f"call_{number}", action["tool_name"], json.dumps(action.get("arguments", {})))
    return FunctionCall(f"call_{number}", _ACT, json.dumps(action))


# -- tasks ----------------------------------------------------------------------------------------------------------------


async def _from_seeds(server: Server, first: int, size: int, val: int) -> list[Task]:
    """A task per seed. Seeds with the same first observation are one family. A server with one observation has no training
    tasks."""
    tasks: list[Task] = []
    for seed in range(first, first + size + val):
        socket = await server.socket()
        try:
            prompt = shown(await socket.reset({"seed": seed}))
        finally:
            await socket.close()
        family = content_hash(prompt)[:12]
        tasks.append(
            Task(
                id=f"seed-{seed}",
                prompt=prompt,
                data={"reset": {"seed": seed}},
                split=split_by_hash(family, size / (size + val)),
                family=family,
                lineage=[f"openenv seed {seed}"],
            )
        )
    if len({task.family for task in tasks}) == 1:
        return [msgspec.structs.replace(task, split="val") for task in tasks]
    return tasks


class _Row(msgspec.Struct, forbid_unknown_fields=True):
    prompt: str
    id: str = ""
    reset: Json = {}
    split: str = "val"
    gold: list[Json] = []


def _from_rows(file: str) -> list[Task]:
    tasks: dict[str, Task] = {}
    for row in rows_of(Path(file)):
        try:
            value = msgspec.convert(row.value, _Row)
        except msgspec.ValidationError as error:
            problem = row.problem or str(error)
            raise BadInput(f"{file} {row.position}: {problem}. Write {_FORM}") from error
        id = value.id or f"{Path(file).stem}-{row.number}"
        if id in tasks:
            raise BadInput(f"{file} {row.position}: two rows have the id {id}. Give each row its own id")
        data = {"reset": value.reset, "prompt": True, **({"gold": value.gold} if value.gold else {})}
        tasks[id] = Task(
            id=id, prompt=value.prompt, data=data, split=value.split, family=content_hash(value.prompt)[:12],
            lineage=[f"{Path(file).name} {row.position}"],
        )  # fmt: skip
    if not tasks:
        raise BadInput(f"{file} has no rows. Write {_FORM}")
    return list(tasks.values())
