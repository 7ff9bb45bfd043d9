"""Runs one episode: a policy in an environment, from `open` to `close`, recorded as one trajectory.

An episode raises nothing to its caller. Every failure is recorded here, with whose fault it was. The verifier scores it later.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec

from verigym.core.errors import ContextFull, EnvironmentFailure, InfrastructureFailure
from verigym.core.protocols import Policy, Request
from verigym.core.records import (
    Fault,
    FunctionCall,
    Message,
    Sampling,
    Stop,
    Task,
    Toolset,
    Trajectory,
    Turn,
    Version,
)
from verigym.core.seeds import derive
from verigym.core.time_limit import TimeLimit
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.executor import OutOfTime
from verigym.harness.user import ask_policy
from verigym.policies.version_texts import with_examples
from verigym.rollout.compaction import compact, is_due, own_view
from verigym.rollout.session import Session, explanation, hash_only, mark_format
from verigym.rollout.settings import RunSettings


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
    keep_tools: Callable[[Toolset], None] = lambda toolset: None,
) -> Trajectory:
    """Runs one episode. `user` plays the user if the environment has a `persona`. `keep_blob` stores bytes and returns their
    hash. `keep_tools` stores tools that only the state of the episode knew."""
    session = Session(
        environment, task, settings,
        agent=agent, id=id, group=group, index=index, keep_blob=keep_blob, keep_tools=keep_tools,
    )  # fmt: skip
    stop = Stop.ERROR
    clock: TimeLimit | None = None
    try:
        await session.start()
        assert session.executor is not None
        clock = TimeLimit(settings.limits.seconds, session.executor.extend)
        async with clock:
            await session.open()
            sampling = settings.sampling_of(agent)
            if agent.constraints:
                sampling = msgspec.structs.replace(sampling, constrain=agent.constraints)
            request = Request(items=[], tools=session.offer.tools, sampling=sampling, seed=settings.seed)
            stop = await _Conversation(session, policy, user).run(request)
            await session.finish()
    except (Exception, SystemExit) as raised:  # the one boundary: an episode's failure is data
        late = isinstance(raised, OutOfTime) or (
            isinstance(raised, TimeoutError) and clock is not None and clock.expired()
        )  # not a timeout raised by the environment's own code
        stop = await session.record_failure(raised, late)
    finally:
        await session.close()
    return session.trajectory(stop)


class _Conversation:
    """The policy's side of an episode."""

    __slots__ = ("limits", "log", "policy", "session", "user")

    def __init__(self, session: Session, policy: Policy, user: Policy | None) -> None:
        self.session, self.policy, self.user = session, policy, user
        self.log, self.limits = session.log, session.limits

    async def run(self, request: Request) -> Stop:
        log, session, environment = self.log, self.session, self.session.environment
        harness = session.agent.harness
        own_turns = harness.turns if harness is not None else 0
        left, retries = (
            self.limits.turns or own_turns or environment.max_turns,
            harness.format_retries if harness else 0,
        )
        while left > 0:
            left -= 1
            spent = self._spent()
            if spent is not None:
                return spent
            if harness is not None and is_due(log, harness.compact_at):
                await compact(session, self._reply, request)
            turn = await self._reply(request)
            if turn.finish == "context_full":
                return Stop.CONTEXT_FULL
            calls = [i for i in turn.made if isinstance(log.items[i], FunctionCall)]
            malformed = mark_format(log, turn.made, bool(calls), bool(request.tools))
            stop: Stop | None = None
            if environment.steps:
                _, done = await session.step(self._said(turn))
                stop = Stop.DONE if done else None
            elif calls:
                stop = await session.execute(calls, gathered)
                if retries and stop is None and session.none_ran(calls):  # the results say what was wrong
                    left, retries = left + 1, retries - 1
            elif malformed and retries and turn.finish != "length":
                left, retries = left + 1, retries - 1
                log.append(Message("user", explanation(session.offer.tools)))
            elif turn.finish == "length":
                return self._spent() or Stop.MAX_TOKENS
            else:
                stop = await self._ask_user(self._said(turn))
            await session.reward_step()
            if stop is not None:
                return stop
        return Stop.DONE if environment.max_turns == 1 else Stop.MAX_TURNS

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
            left = max(self.limits.tokens - log.tokens, 1)
            sampling = msgspec.structs.replace(sampling, max_tokens=min(sampling.max_tokens, left))
        if self.session.settings.record_states:
            await self.session.record_state()
        log.running = Fault.INFRASTRUCTURE
        items, turns = with_examples(*own_view(log), self.session.agent.examples)
        reply = await self.policy.respond(
            Request(
                items=items,
                tools=self.session.offer.tools if request.tools else [],
                sampling=sampling,
                seed=request.seed,
                turns=turns,
            )
        )
        turn = reply.turn
        if turn.parent is not None and turn.parent != log.own[turn.parent]:
            turn = msgspec.structs.replace(turn, parent=log.own[turn.parent])
        if self.session.changed_tools:
            turn = msgspec.structs.replace(turn, tools=self.session.changed_tools)
        log.own.append(len(log.turns))
        log.tokens += turn.usage.completion_tokens
        log.cost += self.session.settings.prices.cost(turn)
        log.running = Fault.ENVIRONMENT
        return log.add(turn, self.session.toolbox.recorded(reply.items))

    def _said(self, turn: Turn) -> str:
        """The text of a reply. Empty if it has only calls."""
        made = [self.log.items[i] for i in turn.made]
        return "".join(item.text for item in made if isinstance(item, Message))

    async def _ask_user(self, text: str) -> Stop | None:
        """The simulated user's next message. The episode is done if there is no user or the user has nothing more to say."""
        session, environment = self.session, self.session.environment
        if environment.needs_user and self.user is None:
            raise EnvironmentFailure(
                f"{environment.name} has a persona(), but no model plays the user. Pass --user MODEL."
            )
        if environment.has_persona and self.user is not None:
            return await self._ask_played_user(self.user)
        if environment.scripted_user:
            return Stop.DONE if await session.user(text) is None else None
        return Stop.DONE

    async def _ask_played_user(self, user: Policy) -> Stop | None:
        log, session = self.log, self.session
        persona = await session.persona()
        log.running = Fault.INFRASTRUCTURE
        seed = derive(session.settings.seed, "user", len(log.turns))
        try:
            reply = await ask_policy(user, persona, log.items, Sampling(), seed)
        except ContextFull as error:
            raise InfrastructureFailure(
                f"The context window of the model that plays the user is full: {error}"
            ) from error
        log.running = Fault.ENVIRONMENT
        log.add(msgspec.structs.replace(reply.turn, actor="user", parent=None), reply.items)
        return None if reply.items else Stop.DONE


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
