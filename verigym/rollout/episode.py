"""Runs one episode: a policy in an environment, from `open` to `close`, recorded as one trajectory.

An episode raises nothing to its caller. Every failure is recorded here, with whose fault it was. The verifier scores it later.
"""

import asyncio
import hashlib
import math
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec

from verigym.core import codec
from verigym.core.errors import ContextFull, EnvironmentFailure, InfrastructureFailure, failure, words_of
from verigym.core.protocols import Policy, Request
from verigym.core.records import (
    Failure,
    Fault,
    FunctionCall,
    FunctionCallOutput,
    Item,
    Json,
    Mark,
    Message,
    Sampling,
    Stop,
    Task,
    Trajectory,
    Turn,
    Version,
)
from verigym.core.seeds import derive
from verigym.core.time_limit import TimeLimit
from verigym.core.watchdog import Overdue
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.executor import EpisodeExecutor, OutOfTime
from verigym.harness.tools import CallOutcome
from verigym.harness.user import ask_policy
from verigym.policies import dialects
from verigym.rollout.settings import RunSettings

_CLOSE_S = 10.0
_LATE_S = 10.0
"""Seconds for the end state of an episode whose time is over."""


def hash_only(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class _Log:
    """The trajectory while it is being recorded."""

    __slots__ = (
        "blobs", "calls", "cost", "error", "in_calls_s", "items", "marks", "own", "rewards", "running", "tokens", "turns"
    )  # fmt: skip

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.turns: list[Turn] = []
        self.own: list[int] = []
        """Indices of the policy's turns in `turns`."""
        self.marks: list[Mark] = []
        self.rewards: list[float] = []
        self.blobs: dict[str, str] = {}
        self.calls: Counter[str] = Counter()
        self.tokens, self.cost = 0, 0.0
        self.in_calls_s = 0.0
        """Seconds in tool calls that returned."""
        self.error: Failure | None = None
        self.running = Fault.ENVIRONMENT
        """Whose code is running now. An exception that names no fault is blamed on it."""

    def add(self, turn: Turn, items: list[Item]) -> Turn:
        """Appends a turn and its items. The turn saw all items before it."""
        first = len(self.items)
        self.items += items
        made = list(range(first, len(self.items)))
        self.turns.append(msgspec.structs.replace(turn, saw=[(0, first)] if first else [], made=made))
        return self.turns[-1]


async def run_episode(
    environment: EnvironmentSpec,
    task: Task,
    policy: Policy,
    settings: RunSettings = RunSettings(),
    *,
    agent: Version,
    id: str,
    group: str,
    index: int = 0,
    user: Policy | None = None,
    keep_blob: Callable[[bytes], str] = hash_only,
) -> Trajectory:
    """Runs one episode. `user` plays the user if the environment has a `persona`. `keep_blob` stores bytes and returns their
    hash."""
    limits = settings.limits
    started = time.perf_counter()
    log = _Log()
    offer = environment.toolbox.offer(agent.tool_descriptions)
    stop, end_state = Stop.ERROR, {}
    state: Any = None
    executor: EpisodeExecutor | None = None
    clock: TimeLimit | None = None
    try:
        executor = await environment.executor.start_episode(limits.seconds)  # waiting for a thread does not count
        clock = TimeLimit(limits.seconds, executor.extend)
        async with clock:
            state = await executor.call(environment.factory)
            await executor.call(state.open, (task,), informative=environment.only_replies)
            log.items.extend(first_items(environment, task, agent))
            sampling = agent.sampling or settings.sampling
            if agent.constraints:
                sampling = msgspec.structs.replace(sampling, constrain=agent.constraints)
            request = Request(items=[], tools=offer.tools, sampling=sampling, seed=settings.seed)
            episode = _Episode(environment, state, executor, policy, user, settings, log)
            stop = await episode.converse(request)
            log.running = Fault.ENVIRONMENT
            end_state = await _end_state(executor, state)
            log.blobs = await _blobs(executor, state, keep_blob)
    except (Exception, SystemExit) as raised:  # the one boundary: an episode's failure is data
        late = isinstance(raised, OutOfTime) or (
            isinstance(raised, TimeoutError) and clock is not None and clock.expired()
        )
        if late:  # not a timeout raised by the environment's own code
            stop = Stop.TIME_OUT
            if executor is not None and log.in_calls_s > limits.seconds / 2:  # the model's own calls used the time
                end_state = await _late_end_state(executor, state, log, keep_blob)
            else:
                log.error = Failure(log.running, "TimeOut", f"the episode took more than {limits.seconds:g} s")
        else:
            stop, log.error = Stop.ERROR, failure(raised, log.running)
    finally:
        if executor is not None:
            try:
                await _close(executor, state, log)
            finally:
                executor.finish()
    return Trajectory(
        id=id,
        task=task.id,
        group=group,
        index=index,
        items=log.items,
        tools=offer.hash,
        turns=log.turns,
        marks=log.marks,
        rewards=log.rewards,
        end_state=end_state,
        blobs=log.blobs,
        stop=stop,
        error=log.error,
        seed=settings.seed,
        seconds=time.perf_counter() - started,
        cost=log.cost,
    )


def first_items(environment: EnvironmentSpec, task: Task, agent: Version) -> list[Item]:
    """The system prompt of the agent, or of the environment if the agent has none, and the task's prompt."""
    system = environment.system if agent.system_prompt is None else agent.system_prompt
    prompt: list[Item] = [Message("user", task.prompt)] if isinstance(task.prompt, str) else list(task.prompt)
    return [Message("system", system), *prompt] if system else prompt


async def _close(executor: EpisodeExecutor, state: Any, log: _Log) -> None:
    """Closes the environment. A failure only adds a mark, because the episode is complete."""
    try:
        if not hasattr(state, "close"):
            return
        await executor.call(state.close, seconds=_CLOSE_S)
    except (Overdue, OutOfTime):
        log.marks.append(Mark("close_error", detail="close took too long"))
    except (Exception, SystemExit) as raised:
        log.marks.append(Mark("close_error", detail=f"{type(raised).__name__}: {words_of(raised)}"))


class _Episode:
    """The state that the steps of one episode share."""

    __slots__ = ("environment", "executor", "limits", "log", "policy", "settings", "state", "user")

    def __init__(
        self,
        environment: EnvironmentSpec,
        state: Any,
        executor: EpisodeExecutor,
        policy: Policy,
        user: Policy | None,
        settings: RunSettings,
        log: _Log,
    ) -> None:
        self.environment, self.state, self.executor, self.log = environment, state, executor, log
        self.policy, self.user, self.settings, self.limits = policy, user, settings, settings.limits

    async def converse(self, request: Request) -> Stop:
        log, limits = self.log, self.limits
        max_turns = limits.turns or self.environment.max_turns
        for _ in range(max_turns):
            spent = self._spent()
            if spent is not None:
                return spent
            turn = await self._reply(request)
            if turn.finish == "context_full":
                return Stop.CONTEXT_FULL
            calls = [i for i in turn.made if isinstance(log.items[i], FunctionCall)]
            _mark_format(log, turn.made, bool(calls), bool(request.tools))
            stop: Stop | None = None
            if self.environment.steps:
                stop = await self._step(self._said(turn))
            elif calls:
                stop = await self._execute(calls)
            elif turn.finish == "length":
                return self._spent() or Stop.MAX_TOKENS
            else:
                stop = await self._ask_user(self._said(turn))
            if stop is not None:
                return stop
        return Stop.DONE if self.environment.max_turns == 1 else Stop.MAX_TURNS

    def _spent(self) -> Stop | None:
        if self.limits.tokens is not None and self.log.tokens >= self.limits.tokens:
            return Stop.TOKENS_SPENT
        if self.limits.cost is not None and self.log.cost >= self.limits.cost:
            return Stop.COST_SPENT
        return None

    async def _reply(self, request: Request) -> Turn:
        """The policy's next turn. The policy counts only its own turns, so its parent index is mapped to the log's."""
        log, sampling = self.log, request.sampling
        if self.limits.tokens is not None:
            left = self.limits.tokens - log.tokens
            sampling = msgspec.structs.replace(sampling, max_tokens=min(sampling.max_tokens, left))
        log.running = Fault.INFRASTRUCTURE
        reply = await self.policy.respond(
            Request(
                items=log.items[:],
                tools=request.tools,
                sampling=sampling,
                seed=request.seed,
                turns=[log.turns[index] for index in log.own],
            )
        )
        turn = reply.turn
        if turn.parent is not None and turn.parent != log.own[turn.parent]:
            turn = msgspec.structs.replace(turn, parent=log.own[turn.parent])
        log.own.append(len(log.turns))
        log.tokens += turn.usage.completion_tokens
        log.cost += self.settings.prices.cost(turn)
        log.running = Fault.ENVIRONMENT
        return log.add(turn, reply.items)

    async def _execute(self, calls: list[int]) -> Stop | None:
        """Runs the calls of one reply. Parallel tools run at the same time, the others in order. Results are logged in order."""
        if len(calls) == 1:
            results = {calls[0]: await self._call(calls[0])}
        else:
            results = await self._together(calls)
        stop: Stop | None = None
        for i in calls:
            call, result = self.log.items[i], results[i]
            assert isinstance(call, FunctionCall)
            self.log.items.append(FunctionCallOutput(call.call_id, result.output))
            for mark in result.marks:
                self.log.marks.append(Mark(mark.kind, i, mark.detail))
            if result.stop is not None and stop is None:
                stop = result.stop
                if stop is Stop.TOOL_TIME_OUT:
                    self.log.error = Failure(Fault.ENVIRONMENT, "ToolTimeOut", result.marks[-1].detail)
        return stop

    async def _together(self, calls: list[int]) -> dict[int, CallOutcome]:
        results: dict[int, CallOutcome] = {}

        async def in_order(some: list[int]) -> None:
            for i in some:
                results[i] = await self._call(i)

        parallel = {i for i in calls if self.environment.toolbox.parallel(self._name(i))}
        chains = [[i] for i in calls if i in parallel] + [[i for i in calls if i not in parallel]]
        await gathered([in_order(chain) for chain in chains if chain])
        return results

    def _name(self, i: int) -> str:
        call = self.log.items[i]
        assert isinstance(call, FunctionCall)
        return call.name

    async def _call(self, i: int) -> CallOutcome:
        call = self.log.items[i]
        assert isinstance(call, FunctionCall)
        before = self.log.calls[call.name]
        self.log.calls[call.name] = before + 1
        began = time.monotonic()
        outcome = await self.environment.toolbox.call(self.state, call.name, call.arguments, self.executor, before)
        self.log.in_calls_s += time.monotonic() - began
        return outcome

    def _said(self, turn: Turn) -> str:
        """The text of a reply. Empty if it has only calls."""
        made = [self.log.items[i] for i in turn.made]
        return "".join(item.text for item in made if isinstance(item, Message))

    async def _step(self, text: str) -> Stop | None:
        """Passes the reply to a reset/step environment: `step(reply) -> (observation, reward, done)`."""
        observation, reward, done = await self.executor.call(self.state.step, (text,), informative=True)
        if not math.isfinite(reward):
            raise EnvironmentFailure(f"step() returned the reward {reward}. A reward must be a finite number.")
        self.log.rewards.append(float(reward))
        if done:
            return Stop.DONE
        self.log.items.append(Message("user", str(observation)))
        return None

    async def _ask_user(self, text: str) -> Stop | None:
        """The simulated user's next message. The episode is done if there is no user or the user has nothing more to say."""
        log, environment = self.log, self.environment
        if environment.needs_user and self.user is None:
            raise EnvironmentFailure(
                f"{environment.name} has a persona(), but no model plays the user. Pass --user MODEL."
            )
        if environment.has_persona and self.user is not None:
            persona = await self.executor.call(self.state.persona)
            log.running = Fault.INFRASTRUCTURE
            seed = derive(self.settings.seed, "user", len(log.turns))
            try:
                reply = await ask_policy(self.user, str(persona), log.items, Sampling(), seed)
            except ContextFull as error:
                raise InfrastructureFailure(
                    f"The context window of the model that plays the user is full: {error}"
                ) from error
            log.running = Fault.ENVIRONMENT
            turn, items = msgspec.structs.replace(reply.turn, actor="user", parent=None), reply.items
        elif environment.scripted_user:
            said = await self.executor.call(self.state.user, (text,))
            turn = Turn(actor="user", agent="scripted")
            items: list[Item] = [] if said is None else [Message("user", str(said))]
        else:
            return Stop.DONE
        log.add(turn, items)
        return None if items else Stop.DONE


async def gathered(work: list[Coroutine[Any, Any, None]]) -> None:
    """Runs all coroutines. If one fails or is cancelled, the others are cancelled too, and none is left running. Each is
    cancelled once, so that its cleanup (closing an environment) is not interrupted."""
    tasks = [asyncio.create_task(each) for each in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        while left := [task for task in tasks if not task.done()]:
            for task in left:
                if not task.cancelling():
                    task.cancel()
            await asyncio.wait(left, timeout=1.0)  # then again: a timeout of its own may have swallowed the first
        await asyncio.gather(*tasks, return_exceptions=True)


def _mark_format(log: _Log, made: list[int], called: bool, has_tools: bool) -> None:
    """Marks format errors: a message that looks like a call but is not one, or has markup of a call beside real calls."""
    looks_wrong = dialects.has_markup if called else dialects.looks_like_call
    for i in made if has_tools else []:
        item = log.items[i]
        if isinstance(item, Message) and looks_wrong(item.text):
            log.marks.append(Mark("format_error", item=i, detail="looks like a tool call, but cannot be read as one"))


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


async def _late_end_state(executor: EpisodeExecutor, state: Any, log: _Log, keep: Callable[[bytes], str]) -> Json:
    """What an episode left whose time is over, so that damage done before counts."""
    try:
        async with asyncio.timeout(_LATE_S):
            end_state = await _end_state(executor, state)
            log.blobs = await _blobs(executor, state, keep)
            return end_state
    except (Exception, SystemExit) as raised:
        log.error = failure(raised, Fault.ENVIRONMENT)
        return {}


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
