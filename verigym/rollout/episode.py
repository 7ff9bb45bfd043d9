"""One episode: a policy in an environment, from `open` to `close`, as one trajectory.

Nothing that happens in it is an exception to the caller: whatever breaks is recorded once, here, with whose fault it was.
Scoring is the verifier's business, and comes later.
"""

import asyncio
import inspect
import math
import time
from typing import Any

import msgspec

from verigym.core.errors import EnvironmentFailure, failure
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
    ToolSpec,
    Trajectory,
    Turn,
    Version,
    content_hash,
)
from verigym.harness.environment import EnvironmentSpec


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    seconds: float = 300.0
    """Of one episode."""
    turns: int | None = None
    """None leaves the environment's own."""


class _Log:
    """The trajectory in the making."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.turns: list[Turn] = []
        self.marks: list[Mark] = []
        self.rewards: list[float] = []
        self.running = Fault.ENVIRONMENT
        """Whose code is running now: the one to blame for an exception that does not say."""


async def run_episode(
    environment: EnvironmentSpec,
    task: Task,
    policy: Policy,
    *,
    agent: Version,
    id: str,
    group: str,
    index: int = 0,
    sampling: Sampling = Sampling(),
    seed: int = 0,
    limits: Limits = Limits(),
) -> Trajectory:
    started = time.perf_counter()
    log = _Log()
    tools = tools_shown(environment.tools, agent)
    stop, error, end_state = Stop.ERROR, None, {}
    state: Any = None
    clock = asyncio.timeout(limits.seconds)
    try:
        async with clock:
            state = environment.factory()
            await _maybe(state.open(task))
            log.items.extend(first_items(environment, task, agent))
            request = Request(items=[], tools=tools, sampling=agent.sampling or sampling, seed=seed)
            stop = await _converse(environment, state, policy, request, log, limits.turns or environment.max_turns)
            log.running = Fault.ENVIRONMENT
            end_state = await _end_state(state)
    except (Exception, SystemExit) as raised:  # the one boundary: an episode's failure is data
        if isinstance(raised, TimeoutError) and clock.expired():  # not a time-out of somebody's own
            stop = Stop.TIME_OUT
            error = Failure(log.running, "TimeOut", f"the episode took more than {limits.seconds:g} s")
        else:
            stop, error = Stop.ERROR, failure(raised, log.running)
    finally:
        if state is not None and hasattr(state, "close"):
            try:
                await _maybe(state.close())
            except Exception as raised:  # its work is done; a close that fails is noted
                log.marks.append(Mark("close_error", detail=f"{type(raised).__name__}: {raised}"))
    return Trajectory(
        id=id,
        task=task.id,
        group=group,
        index=index,
        items=log.items,
        tools=content_hash(tools)[:16],
        turns=log.turns,
        marks=log.marks,
        rewards=log.rewards,
        end_state=end_state,
        stop=stop,
        error=error,
        seed=seed,
        seconds=time.perf_counter() - started,
    )


def first_items(environment: EnvironmentSpec, task: Task, agent: Version) -> list[Item]:
    """System prompt (the agent's own, else the environment's) and the task's prompt."""
    system = environment.system if agent.system_prompt is None else agent.system_prompt
    prompt: list[Item] = [Message("user", task.prompt)] if isinstance(task.prompt, str) else list(task.prompt)
    return [Message("system", system), *prompt] if system else prompt


def tools_shown(tools: list[ToolSpec], agent: Version) -> list[ToolSpec]:
    """The tools with the agent's own descriptions where it has them."""
    own = agent.tool_descriptions
    return (
        [msgspec.structs.replace(tool, description=own.get(tool.name, tool.description)) for tool in tools]
        if own
        else tools
    )


async def _converse(
    environment: EnvironmentSpec, state: Any, policy: Policy, request: Request, log: _Log, max_turns: int
) -> Stop:
    for _ in range(max_turns):
        log.running = Fault.INFRASTRUCTURE
        reply = await policy.respond(msgspec.structs.replace(request, items=list(log.items), turns=list(log.turns)))
        log.running = Fault.ENVIRONMENT
        saw, first = list(range(len(log.items))), len(log.items)
        log.items.extend(reply.items)
        made = list(range(first, len(log.items)))
        log.turns.append(msgspec.structs.replace(reply.turn, saw=saw, made=made))
        if reply.turn.finish == "context_full":
            return Stop.CONTEXT_FULL
        calls = [i for i in made if isinstance(log.items[i], FunctionCall)]
        _mark_format(log, made, bool(calls), bool(request.tools))
        if environment.steps:
            if await _step(state, log):
                return Stop.DONE
        elif calls:
            await _execute(environment, state, log, calls)
        else:
            return Stop.MAX_TOKENS if reply.turn.finish == "length" else Stop.DONE
    return Stop.DONE if max_turns == 1 else Stop.MAX_TURNS


def _mark_format(log: _Log, made: list[int], called: bool, has_tools: bool) -> None:
    """A reply that looks like a call and is none is a format error."""
    for i in made:
        item = log.items[i]
        if (
            has_tools
            and not called
            and isinstance(item, Message)
            and (item.text.lstrip()[:1] == "{" or '"tool"' in item.text)
        ):
            log.marks.append(Mark("format_error", item=i, detail="looks like a tool call, but is not one JSON object"))


async def _execute(environment: EnvironmentSpec, state: Any, log: _Log, calls: list[int]) -> None:
    for i in calls:
        call = log.items[i]
        assert isinstance(call, FunctionCall)
        result = await environment.toolbox.call(state, call.name, call.arguments)
        log.items.append(FunctionCallOutput(call.call_id, result.output))
        log.marks.extend(msgspec.structs.replace(mark, item=i) for mark in result.marks)


async def _step(state: Any, log: _Log) -> bool:
    """Hands the reply to a reset/step environment: `step(reply) -> (observation, reward, done)`."""
    reply = log.items[-1]
    observation, reward, done = await _maybe(state.step(reply.text if isinstance(reply, Message) else ""))
    if not math.isfinite(reward):
        raise EnvironmentFailure(f"step() returned the reward {reward}; a reward is a finite number")
    log.rewards.append(float(reward))
    if not done:
        log.items.append(Message("user", str(observation)))
    return bool(done)


async def _end_state(state: Any) -> Json:
    found = await _maybe(state.end_state()) if hasattr(state, "end_state") else {}
    plain = msgspec.json.decode(msgspec.json.encode(found))  # as it will be read back: keys are text, tuples are lists
    if not isinstance(plain, dict):
        raise EnvironmentFailure(f"end_state() returned {type(found).__name__}; it should return a dict")
    return plain


async def _maybe(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value
