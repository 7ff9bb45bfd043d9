"""An episode that somebody outside drives: a server, another framework's loop, an agent in a process of its own.

`run_episode` asks a policy for replies. Here the replies and calls come from outside, one method call at a time:

    live = await Live.open(environment, task, settings, agent=version, id="run/task/0", group="run/task")
    outcome = await live.call("calendar.create_event", '{"day": "Monday"}')
    trajectory = await live.end()

Nothing here raises for what goes wrong inside the episode. A failure ends the episode and is recorded in its trajectory. Calls
run one after another, except tools that may run in parallel.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection
from typing import Any, Self

import msgspec

from verigym.core.records import (
    Failure,
    Fault,
    FunctionCall,
    Item,
    Mark,
    Message,
    Stop,
    Task,
    Toolset,
    Trajectory,
    Turn,
    Version,
)
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.executor import OutOfTime
from verigym.harness.tools import CallOutcome
from verigym.rollout.session import Session, hash_only, mark_format
from verigym.rollout.settings import RunSettings

_OVER = "error: the episode is over"
_MARKS_OF_CALLS = {"executed", "tool_error", "bad_arguments", "unknown_tool", "unanswered_call"}
"""Marks of a call. The live state knows them better than the conversation."""


class ExecutedCall(msgspec.Struct, frozen=True):
    """A call that ran on the live state, as it came from outside."""

    call: FunctionCall
    outcome: CallOutcome


class Live:
    """One episode between `open` and `end`."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.executed: list[ExecutedCall] = []
        """The calls in the order in which they ended."""
        self.stop: Stop | None = None
        """Why the episode is over. None while it goes on."""
        self.deadline = time.monotonic() + session.limits.seconds
        self._in_order = asyncio.Lock()
        self._ended: Trajectory | None = None
        self._ending = asyncio.Lock()

    @classmethod
    async def open(
        cls,
        environment: EnvironmentSpec,
        task: Task,
        settings: RunSettings = RunSettings(),
        *,
        agent: Version,
        id: str,
        group: str,
        index: int = 0,
        keep_blob: Callable[[bytes], str] = hash_only,
        keep_tools: Callable[[Toolset], None] = lambda toolset: None,
    ) -> Self:
        """Opens the environment. If that fails, the episode is over, and its trajectory says why."""
        session = Session(
            environment, task, settings,
            agent=agent, id=id, group=group, index=index, keep_blob=keep_blob, keep_tools=keep_tools,
        )  # fmt: skip
        await session.start()
        live = cls(session)
        await live._inside(session.open)
        return live

    @property
    def items(self) -> list[Item]:
        """The log so far: system prompt, prompt, and what was called and said here."""
        return self.session.log.items

    @property
    def offer(self) -> Toolset:
        return self.session.offer

    @property
    def error(self) -> Failure | None:
        return self.session.log.error

    def add(self, turn: Turn, items: list[Item]) -> Turn:
        """Logs one reply of a model. `call` and `say` do it themselves."""
        made = self.session.log.add(turn, items)
        if turn.actor == "policy":
            self.session.log.cost += self.session.settings.prices.cost(turn)
        return made

    async def call(self, name: str, arguments: str, call_id: str = "", *, log: bool = True) -> CallOutcome:
        """Runs a tool on the live state. With `log`, the call and its result become items of the log. Otherwise only
        `executed` holds them, because somebody else logs what the model wrote."""
        if self.stop is not None:
            return CallOutcome(_OVER, [])
        session = self.session
        call = FunctionCall(call_id or f"call_{len(self.executed)}", name, arguments)

        async def run() -> CallOutcome:
            outcome = await session.call(call)
            self.executed.append(ExecutedCall(call, outcome))
            if log:
                turn = session.log.add(Turn(tools=session.changed_tools), [call])
                session.log_result(turn.made[0], outcome)
            self.stop = session.limit_reached(outcome) or await session.over()
            if log:
                await session.reward_step()
            return outcome

        if session.toolbox.parallel(name):
            outcome = await self._inside(run)
        else:
            async with self._in_order:
                outcome = await self._inside(run)
        return outcome if outcome is not None else CallOutcome(self._why_over(), [])

    async def say(self, text: str, *, log: bool = True) -> tuple[str, bool]:
        """Passes on what the agent says. Returns what comes back, and whether the episode is over."""
        session, environment = self.session, self.session.environment

        async def run() -> tuple[str, bool]:
            if log:
                turn = session.log.add(Turn(tools=session.changed_tools), [Message("assistant", text)])
                mark_format(session.log, turn.made, False, bool(session.offer.tools))
            if environment.steps:
                observation, done = await session.step(text)
                return observation, done
            said = await session.user(text) if environment.scripted_user else None
            if log:
                await session.reward_step()
            return said or "", said is None

        if self.stop is not None:
            return _OVER, True
        async with self._in_order:
            result = await self._inside(run)
        if result is None:
            return self._why_over(), True
        if result[1]:
            self.stop = self.stop or Stop.DONE
        return result

    async def reply(self, turn: Turn, items: list[Item]) -> bool:
        """Logs a whole reply of the policy and acts on it: runs its calls in order, or passes on its text if it has none. Returns
        whether the episode is over. What came back is at the end of `items`."""
        if self.stop is not None:
            return True
        session, made = self.session, list(items)
        calls = [item for item in made if isinstance(item, FunctionCall)]
        logged = self.add(msgspec.structs.replace(turn, tools=session.changed_tools), made)
        mark_format(session.log, logged.made, bool(calls), bool(session.offer.tools))
        if not calls:
            said = "\n".join(item.text for item in made if isinstance(item, Message))
            await self.say(said, log=False)
        for index in logged.made:
            if isinstance(call := self.items[index], FunctionCall):
                session.log_result(index, await self.call(call.name, call.arguments, call.call_id, log=False))
        if not session.environment.steps and self.error is None:
            await self._inside(session.reward_step)
        return self.stop is not None

    async def snapshot(self) -> Trajectory | None:
        """The record so far with the end state of now. The episode goes on. None if the end state cannot be taken."""
        log, marks = self.session.log, len(self.session.log.marks)
        await self._inside(self.session.finish)
        if self.error is not None:
            return None
        taken = self.session.trajectory(Stop.DONE)
        copies = {name: list(getattr(taken, name)) for name in ("items", "turns", "marks", "rewards", "states")}
        del log.marks[marks:]  # `finish` adds them again at the end
        return msgspec.structs.replace(taken, **copies)

    async def end(self, stop: Stop | None = None, error: Failure | None = None) -> Trajectory:
        """Takes the end state, closes the environment and returns the trajectory. Ending twice returns it again. `error` is a
        failure outside the environment, such as an agent that crashed."""
        async with self._ending:
            if self._ended is not None:
                return self._ended
            session = self.session
            session.log.error = session.log.error or error
            if session.log.error is None or session.log.error.fault is Fault.MODEL:
                self.deadline = max(self.deadline, time.monotonic() + 10.0)  # what was done before counts
                await self._inside(session.finish)
            await session.close()
            self.stop = self.stop or stop or (Stop.DONE if session.log.error is None else Stop.ERROR)
            self._ended = session.trajectory(self.stop)
            return self._ended

    async def _inside(self, work: Callable[[], Awaitable[Any]]) -> Any:
        """The result of a step, or None if it failed. The one boundary: a failure ends the episode. If the time was over before
        the step, nobody in here is to blame, and what was done before counts."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            self.stop = Stop.TIME_OUT
            return None
        clock = asyncio.timeout(left)
        try:
            async with clock:
                return await work()
        except (Exception, SystemExit) as raised:
            late = isinstance(raised, OutOfTime) or (isinstance(raised, TimeoutError) and clock.expired())
            self.stop = await self.session.record_failure(raised, late)
            return None

    def _why_over(self) -> str:
        error = self.error
        return f"error: the episode is over: {error.message}" if error is not None else _OVER


def merged(
    live: Trajectory, captured: Trajectory, executed: list[ExecutedCall], tools: Collection[str] = ()
) -> Trajectory:
    """One trajectory of an episode whose model calls somebody else captured: items and turns of the capture, everything else of
    the live episode. A call that ran on the live state gives its marks, and the environment's own name of the tool, to the
    item in which the model asked for it. `tools` are the names of the environment's tools: only they must run here, and one that
    did not is not marked as executed, whatever the agent told the model. A call of another tool without a result is not marked,
    because the agent may have used the result or told it in other words."""
    items, marks = list(captured.items), list(live.marks)
    waiting = [index for index, item in enumerate(items) if isinstance(item, FunctionCall)]
    for each in executed:
        index = next((i for i in waiting if _is_same(items[i], each.call)), None)
        if index is not None:
            waiting.remove(index)
            items[index] = msgspec.structs.replace(items[index], name=each.call.name)
        marks += [Mark(mark.kind, index, mark.detail) for mark in each.outcome.marks]
    ran = {mark.item for mark in marks if mark.item is not None}
    for mark in captured.marks:
        known = mark.kind in _MARKS_OF_CALLS and mark.item in ran
        ours = _is_one_of(items, mark.item, tools)
        false = ours if mark.kind == "executed" else mark.kind == "unanswered_call" and not ours
        if not known and not false:
            marks.append(mark)
    return msgspec.structs.replace(
        live,
        items=items,
        turns=captured.turns,
        tools=captured.tools or live.tools,
        marks=marks,
        cost=live.cost + captured.cost,
        gaps=[*live.gaps, *captured.gaps],
    )


def _is_same(item: Item, call: FunctionCall) -> bool:
    """Whether the model's call is the one that ran. Agents prefix the names of tools from servers (`mcp__verigym__create`)."""
    if not isinstance(item, FunctionCall) or not _is_name_of(item.name, call.name):
        return False
    return _plain_json(item.arguments) == _plain_json(call.arguments)


def _is_one_of(items: list[Item], index: int | None, tools: Collection[str]) -> bool:
    item = None if index is None else items[index]
    return isinstance(item, FunctionCall) and any(_is_name_of(item.name, tool) for tool in tools)


def _is_name_of(asked: str, tool: str) -> bool:
    asked, tool = _plain_name(asked), _plain_name(tool)
    return asked == tool or asked.endswith(f"_{tool}")


def _plain_name(name: str) -> str:
    return name.replace(".", "_").replace("-", "_")


def _plain_json(arguments: str) -> bytes | str:
    try:
        return msgspec.json.encode(msgspec.json.decode(arguments or "{}"), order="sorted")
    except (ValueError, RecursionError):
        return arguments.strip()
