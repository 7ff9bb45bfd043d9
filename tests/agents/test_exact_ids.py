"""Exact tokens: whatever a client makes of the past, a chain of turns holds the ids that the engine sampled, and nothing else."""

import asyncio
import json
from typing import Any

import pytest

from tests.agents.hosting import Hosting, chat_tool, hosting
from tests.one_thread import one_thread as one_thread
from tests.tiny import tiny
from verigym.core.protocols import Reply, Request
from verigym.core.records import FunctionCall, Sampling, Trajectory
from verigym.policies.local.policy import LocalPolicy
from verigym.rollout.settings import RunSettings
from verigym.training.samples import from_trajectory

TOOL = chat_tool("add", item="string", count="integer")
USER = {"role": "user", "content": "buy tea"}


class Recorded:
    """A local policy that remembers what the engine got and gave, and replies with a call at first, as if it had sampled one."""

    def __init__(self) -> None:
        self.inner = LocalPolicy(tiny(window=4096))
        self.sampled: list[tuple[list[int], list[int]]] = []

    async def respond(self, request: Request) -> Reply:
        reply = await self.inner.respond(request)
        before = [id for turn in request.turns for id in turn.context_ids + turn.completion_ids]
        context = reply.turn.context_ids if reply.turn.parent is None else before + reply.turn.context_ids
        self.sampled.append((context, reply.turn.completion_ids))
        if len(request.turns) < 2 and request.tools:
            call = FunctionCall(f"call_{len(request.turns)}", "add", '{"item": "tea", "count": 2}')
            return Reply(items=[*reply.items, call], turn=reply.turn)
        return reply


def changed(message: Any, how: str) -> Any:
    """An assistant's message as clients send it back."""
    message = json.loads(json.dumps(message))
    for call in message.get("tool_calls") or []:
        if how == "arguments written anew":
            call["function"]["arguments"] = json.dumps(json.loads(call["function"]["arguments"]), indent=2)
    if how == "no text":
        message["content"] = None
    if how == "empty text":
        message["content"] = ""
    if how == "reasoning dropped":
        message.pop("reasoning_content", None)
    return message


async def chain(here: Hosting, how: str) -> Trajectory:
    messages: list[Any] = [USER]
    for _ in range(3):
        message = await here.chat(messages, [TOOL])
        messages.append(changed(message, how))
        for call in message.get("tool_calls") or []:
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": "2 tea"})
    return await here.episode.end()


@pytest.mark.parametrize("how", ["unchanged", "arguments written anew", "no text", "empty text", "reasoning dropped"])
def test_a_chain_holds_exactly_the_sampled_ids(how: str) -> None:
    policy = Recorded()

    async def run() -> Trajectory:
        settings = RunSettings(sampling=Sampling(max_tokens=12), seed=5)
        async with hosting(policy, settings=settings) as here:
            return await chain(here, how)

    made = asyncio.run(run())
    assert [turn.parent for turn in made.turns] == [None, 0, 1] and not made.marked("new_root")
    [sample] = from_trajectory(made, 1.0)
    context, completion = policy.sampled[-1]
    assert sample.ids == context + completion
    trained = [id for id, mask in zip(sample.ids, sample.mask, strict=True) if mask]
    assert trained == [id for _, ids in policy.sampled for id in ids]


def test_the_same_past_gives_the_ids_of_our_own_loop() -> None:
    """The agent's chain is the one that `run_episode` makes of the same replies."""
    from tests.rollout.shop import AGENT, spec
    from verigym.core.records import Task
    from verigym.rollout.episode import run_episode

    settings = RunSettings(sampling=Sampling(max_tokens=12), seed=5)

    async def both() -> tuple[Trajectory, Trajectory]:
        ours, theirs = Recorded(), Recorded()
        environment = spec()
        task = Task(id="t", prompt="buy tea")
        own = await run_episode(environment, task, ours, settings, agent=AGENT, id="r/t/0", group="r/t")
        async with hosting(theirs, settings=settings) as here:
            system = {"role": "system", "content": environment.system}
            tools = [{"type": "function", "function": tool} for tool in await here.episode.tools()]
            messages: list[Any] = [system, USER]
            for _ in own.turns:
                message = await here.chat(messages, tools)
                messages.append(message)
                for call in message.get("tool_calls") or []:
                    _, result = await here.post("tools/add", json.loads(call["function"]["arguments"]))
                    messages.append({"role": "tool", "tool_call_id": call["id"], "content": result["output"]})
            return own, await here.episode.end()

    own, agents = asyncio.run(both())
    assert [turn.completion_ids for turn in own.turns] == [turn.completion_ids for turn in agents.turns]
    assert [turn.context_ids for turn in own.turns] == [turn.context_ids for turn in agents.turns]
