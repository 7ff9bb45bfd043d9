"""The environment's side of one episode: its state, its tools, and the log that becomes the trajectory.

`episode` drives a session with a policy, and `live` lets somebody outside drive it. A session raises what goes wrong. Its
drivers are the boundary that records whose fault it was.
"""

import asyncio
import hashlib
import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from verigym.core import codec
from verigym.core.errors import EnvironmentFailure, failure, words_of
from verigym.core.records import (
    Failure,
    Fault,
    FunctionCall,
    FunctionCallOutput,
    Item,
    Json,
    Mark,
    Message,
    Stop,
    Task,
    Toolset,
    ToolSpec,
    Trajectory,
    Turn,
    Version,
    content_hash,
)
from verigym.core.watchdog import Overdue
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.executor import EpisodeExecutor, OutOfTime
from verigym.harness.tools import CallOutcome, ToolBox
from verigym.policies import dialects
from verigym.rollout.settings import RunSettings
from verigym.rollout.skills import READ_SKILL, SPEC, offered, read_skill, with_skills

_CLOSE_S = 10.0
_LATE_S = 10.0
"""Seconds for the end state of an episode whose time is over."""
EXTERNAL = "external_verdict"
"""Key of the end state that holds a verdict of an external system, which nobody can compute again."""


def hash_only(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Log:
    """The trajectory while it is being recorded."""

    __slots__ = (
        "blobs", "calls", "cost", "error", "in_calls_s", "items", "marks", "own", "rewards", "running", "states", "tokens",
        "turns", "view",
    )  # fmt: skip

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.turns: list[Turn] = []
        self.own: list[int] = []
        """Indices of the policy's turns in `turns`, since the last compaction."""
        self.view: list[int] | None = None
        """Indices of the items that the policy sees. None for all of them."""
        self.marks: list[Mark] = []
        self.rewards: list[float] = []
        self.states: list[str] = []
        self.blobs: dict[str, str] = {}
        self.calls: Counter[str] = Counter()
        self.tokens, self.cost = 0, 0.0
        self.in_calls_s = 0.0
        """Seconds in tool calls that returned."""
        self.error: Failure | None = None
        self.running = Fault.ENVIRONMENT
        """Whose code is running now. An exception that names no fault is blamed on it."""

    def add(self, turn: Turn, items: list[Item]) -> Turn:
        """Appends a turn and its items. The turn saw all items before it that are in view."""
        first = len(self.items)
        saw = [(0, first)] if self.view is None else ranges(self.view)
        self.append(*items)
        made = list(range(first, len(self.items)))
        self.turns.append(msgspec.structs.replace(turn, saw=saw if first else [], made=made))
        return self.turns[-1]

    def append(self, *items: Item) -> None:
        if self.view is not None:
            self.view += range(len(self.items), len(self.items) + len(items))
        self.items += items


def ranges(indices: list[int]) -> list[tuple[int, int]]:
    """Rising indices as half-open ranges: 0, 1, 2, 5 is `[(0, 3), (5, 6)]`."""
    found: list[tuple[int, int]] = []
    for index in indices:
        if found and found[-1][1] == index:
            found[-1] = (found[-1][0], index + 1)
        else:
            found.append((index, index + 1))
    return found


class Session:
    """The state that the steps of one episode share."""

    __slots__ = (
        "agent", "end_state", "environment", "executor", "first_tools", "group", "id", "index", "keep_blob", "keep_tools",
        "limits", "log", "offer", "settings", "started", "state", "task", "toolbox",
    )  # fmt: skip

    def __init__(
        self,
        environment: EnvironmentSpec,
        task: Task,
        settings: RunSettings,
        *,
        agent: Version,
        id: str,
        group: str,
        index: int = 0,
        keep_blob: Callable[[bytes], str] = hash_only,
        keep_tools: Callable[[Toolset], None] = lambda toolset: None,
    ) -> None:
        self.environment, self.task, self.settings, self.agent = environment, task, settings, agent
        self.id, self.group, self.index = id, group, index
        self.keep_blob, self.keep_tools = keep_blob, keep_tools
        self.limits = settings.limits
        self.started = time.perf_counter()
        self.log = Log()
        self.toolbox = environment.toolbox
        self.offer = offered(environment.toolbox, environment, agent)
        self.first_tools = self.offer.hash
        """Hash of the tools that the episode began with."""
        self.state: Any = None
        self.executor: EpisodeExecutor | None = None
        self.end_state: Json = {}

    async def start(self) -> None:
        """Gets a thread for the episode. Waiting for one does not count as time of the episode."""
        self.executor = await self.environment.executor.start_episode(self.limits.seconds)

    @property
    def _executor(self) -> EpisodeExecutor:
        assert self.executor is not None, "start() comes first"
        return self.executor

    async def open(self) -> None:
        """Creates the state, opens it with the task, and finds out which tools it offers."""
        environment, executor = self.environment, self._executor
        self.state = await executor.call(environment.factory)
        await executor.call(self.state.open, (self.task,), informative=environment.only_replies)
        await self._ask_tools(first=True)
        self.first_tools = self.offer.hash
        self.log.items.extend(first_items(environment, self.task, self.agent))

    async def _ask_tools(self, first: bool = False) -> None:
        """Asks the state for its tools: after `open`, and after a message of the user, which may bring others."""
        if not self.environment.toolbox.by_state:
            return
        before = self.offer.hash
        self.toolbox = await self.environment.toolbox.of_state(self.state, self.task, self._executor)
        self.offer = offered(self.toolbox, self.environment, self.agent)
        if first or self.offer.hash != before:
            self.keep_tools(self.offer)

    @property
    def changed_tools(self) -> str:
        """Hash of the tools that are offered now, if they are not those that the episode began with."""
        return "" if self.offer.hash == self.first_tools else self.offer.hash

    async def execute(self, calls: list[int], gathered: Callable[..., Any]) -> Stop | None:
        """Runs the calls of one reply. Parallel tools run at the same time, the others in order. Results are logged in order."""
        results: dict[int, CallOutcome] = {}
        if len(calls) == 1:
            results[calls[0]] = await self.call(self.call_at(calls[0]))
        else:
            await self._together(calls, results, gathered)
        stop: Stop | None = None
        for i in calls:
            self.log_result(i, results[i])
            stop = stop or self.limit_reached(results[i])
        return stop or await self.over()

    async def _together(self, calls: list[int], results: dict[int, CallOutcome], gathered: Callable[..., Any]) -> None:
        async def in_order(some: list[int]) -> None:
            for i in some:
                results[i] = await self.call(self.call_at(i))

        parallel = {i for i in calls if self.toolbox.parallel(self.call_at(i).name)}
        chains = [[i] for i in calls if i in parallel] + [[i for i in calls if i not in parallel]]
        await gathered([in_order(chain) for chain in chains if chain])

    def call_at(self, i: int) -> FunctionCall:
        call = self.log.items[i]
        assert isinstance(call, FunctionCall)
        return call

    async def call(self, call: FunctionCall) -> CallOutcome:
        """Runs one call on the state. The caller logs its result."""
        if call.name == READ_SKILL and any(tool is SPEC for tool in self.offer.tools):
            return read_skill(self.agent.skills, call.arguments)
        before = self.log.calls[call.name]
        self.log.calls[call.name] = before + 1
        began = time.monotonic()
        outcome = await self.toolbox.call(self.state, call.name, call.arguments, self.executor, before)
        self.log.in_calls_s += time.monotonic() - began
        return outcome

    def log_result(self, i: int, outcome: CallOutcome) -> None:
        """Logs the result of the call at item `i`."""
        self.log.append(FunctionCallOutput(self.call_at(i).call_id, outcome.output))
        for mark in outcome.marks:
            self.log.marks.append(Mark(mark.kind, i, mark.detail))

    def none_ran(self, calls: list[int]) -> bool:
        """Whether all calls of a reply were refused before they ran: an unknown tool, or arguments that do not fit."""
        refused = {mark.item for mark in self.log.marks if mark.kind in ("unknown_tool", "bad_arguments")}
        return refused.issuperset(calls)

    def limit_reached(self, outcome: CallOutcome) -> Stop | None:
        """The limit that a call reached, if any. A call that took too long is a failure of the environment."""
        if outcome.stop is Stop.TOOL_TIME_OUT:
            self.log.error = Failure(Fault.ENVIRONMENT, "ToolTimeOut", outcome.marks[-1].detail)
        return outcome.stop

    async def over(self) -> Stop | None:
        """Asks the environment whether the task is over after calls, if it has `done()`."""
        done = method(self.state, "done")
        return Stop.DONE if done is not None and await self._executor.call(done) else None

    async def reward_step(self) -> None:
        """Asks the environment for the reward of the last reply, if it has `step_reward()`."""
        reward = method(self.state, "step_reward")
        if reward is not None:
            self._add_reward(await self._executor.call(reward), "step_reward()")

    def _add_reward(self, reward: Any, whose: str) -> None:
        if not isinstance(reward, int | float) or not math.isfinite(reward):
            raise EnvironmentFailure(f"{whose} returned the reward {reward}. A reward must be a finite number.")
        self.log.rewards.append(float(reward))

    async def step(self, text: str) -> tuple[str, bool]:
        """Passes the reply to a reset/step environment: `step(reply) -> (observation, reward, done)`."""
        observation, reward, done = await self._executor.call(self.state.step, (text,), informative=True)
        self._add_reward(reward, "step()")
        if not done:
            self.log.append(Message("user", str(observation)))
        return str(observation), bool(done)

    async def user(self, text: str) -> str | None:
        """The next message of a scripted user. None at the end."""
        said = await self._executor.call(self.state.user, (text,))
        self.log.add(Turn(actor="user", agent="scripted"), [] if said is None else [Message("user", str(said))])
        if said is not None:
            await self._ask_tools()
        return None if said is None else str(said)

    async def persona(self) -> str:
        return str(await self._executor.call(self.state.persona))

    async def record_state(self) -> None:
        """Records the hash of the state that the policy is about to act in, if the settings ask for it and the environment has
        `end_state()`."""
        if self.settings.record_states and hasattr(self.state, "end_state"):
            self.log.states.append(content_hash(await _end_state(self._executor, self.state)))

    async def finish(self) -> None:
        """Takes the end state and the blobs."""
        self.log.running = Fault.ENVIRONMENT
        self.end_state = await _end_state(self._executor, self.state)
        self.log.blobs = await _blobs(self._executor, self.state, self.keep_blob)
        if EXTERNAL in self.end_state:
            self.log.marks.append(Mark("not_rescorable", detail="the verdict of an external system"))

    async def record_failure(self, raised: BaseException, late: bool) -> Stop:
        """Records an exception that ended the episode. `late`: the time of the episode was over."""
        log = self.log
        if not late:
            log.error = failure(raised, log.running)
            return Stop.ERROR
        if (
            self.executor is not None and log.in_calls_s > self.limits.seconds / 2
        ):  # the model's own calls used the time
            await self._finish_late()
        else:
            log.error = Failure(log.running, "TimeOut", f"the episode took more than {self.limits.seconds:g} s")
        return Stop.TIME_OUT

    async def _finish_late(self) -> None:
        """What an episode left whose time is over, so that damage done before counts."""
        try:
            async with asyncio.timeout(_LATE_S):
                await self.finish()
        except (Exception, SystemExit) as raised:
            self.log.error = failure(raised, Fault.ENVIRONMENT)
            self.end_state = {}

    async def close(self) -> None:
        """Closes the environment. A failure only adds a mark, because the episode is complete."""
        if self.executor is None:
            return
        executor = self.executor
        try:
            for name in ("close", "close_tools"):
                await self._close(executor, getattr(self.state, name, None))
        finally:
            executor.finish()
            self.executor = None

    async def _close(self, executor: EpisodeExecutor, close: Any) -> None:
        try:
            if close is not None:
                await executor.call(close, seconds=_CLOSE_S)
        except (Overdue, OutOfTime):
            self.log.marks.append(Mark("close_error", detail="close took too long"))
        except (Exception, SystemExit) as raised:
            self.log.marks.append(Mark("close_error", detail=f"{type(raised).__name__}: {words_of(raised)}"))

    def trajectory(self, stop: Stop) -> Trajectory:
        log = self.log
        return Trajectory(
            id=self.id,
            task=self.task.id,
            group=self.group,
            index=self.index,
            items=log.items,
            tools=self.first_tools,
            turns=log.turns,
            marks=log.marks,
            rewards=log.rewards,
            states=log.states,
            end_state=self.end_state,
            blobs=log.blobs,
            stop=stop,
            error=log.error,
            seed=self.settings.seed,
            seconds=time.perf_counter() - self.started,
            cost=log.cost,
        )


async def task_tools(environment: EnvironmentSpec, task: Task, agent: Version | None = None) -> Toolset:
    """The tools that an episode of this task offers."""
    toolbox = await task_toolbox(environment, task)
    return offered(toolbox, environment, agent or Version(base=""))


async def task_toolbox(environment: EnvironmentSpec, task: Task) -> ToolBox:
    """The tools of an episode of this task. If only its state knows them, a state is opened and closed."""
    if not environment.needs_task_tools:
        return environment.toolbox
    agent = Version(base="")
    session = Session(environment, task, RunSettings(), agent=agent, id="tools", group="tools")
    await session.start()
    try:
        await session.open()
    finally:
        await session.close()
    return session.toolbox


def method(state: Any, name: str) -> Any:
    """An optional method of a state. A tool or an attribute of that name is another thing."""
    found = getattr(state, name, None)
    return found if callable(found) and not hasattr(found, "__verigym_tool__") else None


def first_items(environment: EnvironmentSpec, task: Task, agent: Version) -> list[Item]:
    """The system prompt of the agent, or of the environment if the agent has none, with its skills, and the task's prompt."""
    system = environment.system if agent.system_prompt is None else agent.system_prompt
    system = with_skills(system, environment, agent)
    prompt: list[Item] = [Message("user", task.prompt)] if isinstance(task.prompt, str) else list(task.prompt)
    return [Message("system", system), *prompt] if system else prompt


def explanation(tools: Sequence[ToolSpec]) -> str:
    """The answer to a malformed call, if the agent may try again."""
    names = ", ".join(tool.name for tool in tools)
    return (
        f"Your last reply looks like a tool call, but it cannot be read as one. Write it again. The tools are: {names}."
    )


def mark_format(log: Log, made: list[int], called: bool, has_tools: bool) -> bool:
    """Marks format errors: a message that looks like a call but is not one, or has markup of a call beside real calls. Returns
    whether there are any."""
    before = len(log.marks)
    looks_wrong = dialects.has_markup if called else dialects.looks_like_call
    for i in made if has_tools else []:
        item = log.items[i]
        if isinstance(item, Message) and looks_wrong(item.text):
            log.marks.append(Mark("format_error", item=i, detail="looks like a tool call, but cannot be read as one"))
    return len(log.marks) > before


async def _end_state(executor: EpisodeExecutor, state: Any) -> Json:
    found = await executor.call(state.end_state) if hasattr(state, "end_state") else {}
    try:
        plain = codec.plain(found)
    except Exception as error:  # a value of the user's own class, or one that refers to itself
        raise EnvironmentFailure(
            f"end_state(){_unstorable(found)} cannot be stored: {words_of(error)}. Return numbers, text, lists and dicts."
        ) from error
    if not isinstance(plain, dict):
        raise EnvironmentFailure(f"end_state() returned {type(found).__name__}. It must return a dict.")
    return plain


def _unstorable(value: Any, depth: int = 0) -> str:
    """The path to the part of a value that cannot be encoded: `["rows"][3]`. Empty if it is the value itself."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list | tuple) else ()
    for key, part in parts:
        try:
            codec.plain({key: part})
        except Exception:
            return f"[{key!r}]{_unstorable(part, depth + 1) if depth < 8 else ''}"
    return ""


async def _blobs(executor: EpisodeExecutor, state: Any, keep: Callable[[bytes], str]) -> dict[str, str]:
    """The environment's `blobs()`: files and other bytes that the verifier needs, by name."""
    found = await executor.call(state.blobs) if hasattr(state, "blobs") else {}
    wrong = [name for name, data in found.items() if not isinstance(data, bytes | bytearray | memoryview)]
    if wrong:
        raise EnvironmentFailure(
            f"blobs() returned {type(found[wrong[0]]).__name__} as {wrong[0]}. A blob must be bytes."
        )
    return {str(name): keep(bytes(data)) for name, data in found.items()}
