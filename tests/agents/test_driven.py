"""Environments that ask for the replies themselves: the loop of another project at the address of the episode."""

import asyncio
from typing import Any

import aiohttp
import msgspec
import pytest

from verigym.agents.run import driven_runner, runner_of
from verigym.audit.check import check_environment
from verigym.audit.scripted_episodes import play
from verigym.core.errors import BadInput
from verigym.core.protocols import Context, Gateway
from verigym.core.records import Fault, FunctionCall, Json, Stop, Task, Trajectory, Version
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.settings import EpisodeLimits, RunSettings
from verigym.verifiers.external import external_verdict
from verigym.verifiers.lift import lift

AGENT = Version(base="scripted", id="scripted")


async def ask(url: str, text: str) -> str:
    body = {"model": "m", "messages": [{"role": "user", "content": text}]}
    async with aiohttp.ClientSession() as http, http.post(f"{url}/chat/completions", json=body) as answer:
        if answer.status != 200:
            raise RuntimeError(await answer.text())
        return (await answer.json())["choices"][0]["message"]["content"]


class Interview:
    """Their loop: the user asks, the policy answers, and the answer must be the task's."""

    roles = ("user",)
    user_script = ("What is it?",)
    score: float | None = None

    def open(self, task: Task) -> None:
        self.answer = task.data["answer"]

    async def drive(self, gateway: Gateway) -> None:
        question = await ask(gateway.url("user"), "Begin.")
        reply = await ask(gateway.url(), question)
        if reply == "crash":
            raise RuntimeError("their loop is broken")
        self.score = float(reply == self.answer)

    def end_state(self) -> Json:
        return {"external_verdict": {"reward": self.score or 0.0}}


def spec_of(kind: type = Interview) -> EnvironmentSpec:
    tasks = [Task(id="1", prompt="What is it?", data={"answer": "a cat"}, split="val")]
    return EnvironmentSpec(
        name="interview",
        tasks=lambda split: tasks,
        factory=kind,
        toolbox=ToolBox(kind),
        verifiers={"external_verdict": lift("external_verdict", external_verdict)},
        suites={"val": "val"},
    )


class Looks:
    """Their loop has a tool. The gateway gives every call an id of its own."""

    async def drive(self, gateway: Gateway) -> None:
        look = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}
        messages: list[Json] = [{"role": "user", "content": "What is it?"}]
        async with aiohttp.ClientSession() as http:
            while True:
                body = {"model": "m", "messages": messages, "tools": [look]}
                async with http.post(f"{gateway.url()}/chat/completions", json=body) as answer:
                    message = (await answer.json())["choices"][0]["message"]
                messages.append(message)
                if not message.get("tool_calls"):
                    break
                for call in message["tool_calls"]:
                    messages.append({"role": "tool", "tool_call_id": call["id"], "content": "It has fur."})
        self.score = float(message["content"] == "a cat")

    def open(self, task: Task) -> None:
        self.score = 0.0

    def end_state(self) -> Json:
        return {"external_verdict": {"reward": self.score}}


def run(reply: Any, roles: dict[str, Any], kind: type = Interview, seconds: float = 60.0) -> Trajectory:
    spec = spec_of(kind)
    settings = RunSettings(limits=EpisodeLimits(seconds=seconds))

    async def one() -> Trajectory:
        async with driven_runner(roles) as run_one:
            task = spec.tasks("val")[0]
            return await run_one(spec, task, ScriptedPolicy(reply), settings, agent=AGENT, id="r/1/0", group="r/1")

    return asyncio.run(one())


def test_the_verdict_of_their_loop_is_stored_and_the_user_is_another_actor() -> None:
    spec = spec_of()
    assert spec.drives_itself and spec.needs_user
    task = spec.tasks("val")[0]
    right, wrong = (asyncio.run(play(spec, task, [text])) for text in ("a cat", "a dog"))
    assert right.verdict.passed and wrong.verdict.reward == 0.0
    assert [turn.actor for turn in right.trajectory.turns] == ["user", "policy"]
    assert right.trajectory.marked("not_rescorable") and right.trajectory.stop is Stop.DONE


def test_check_does_not_take_the_random_ids_of_calls_for_a_difference() -> None:
    spec = msgspec.structs.replace(spec_of(Looks), gold=lambda task: [[FunctionCall("c", "look", "{}")], "a cat"])
    first, again = (
        asyncio.run(play(spec, spec.tasks("val")[0], spec.gold_replies(spec.tasks("val")[0]))) for _ in "12"
    )
    assert first.verdict.passed and first.trajectory.items != again.trajectory.items
    outcomes = {check.name: check.outcome for check in check_environment(spec)}
    assert outcomes["episodes share no state"] == outcomes["the same replies end the same"] == "pass"


def test_an_exception_of_their_loop_is_the_environments_fault() -> None:
    made = run(["crash"], {"user": ScriptedPolicy(["What?"])})
    assert (
        made.error is not None
        and made.error.fault is Fault.ENVIRONMENT
        and "their loop is broken" in made.error.message
    )


def test_a_role_that_no_model_plays_is_named_and_never_played_by_the_policy() -> None:
    made = run(["a cat"], {})
    assert made.error is not None and made.error.fault is Fault.INFRASTRUCTURE
    assert "Pass --user MODEL" in made.error.message and made.turns == []


def test_a_loop_that_hangs_ends_with_the_episodes_time() -> None:
    class Hangs(Interview):
        async def drive(self, gateway: Gateway) -> None:
            await asyncio.sleep(60)

    made = run(["a cat"], {}, Hangs, seconds=0.3)
    assert made.stop is Stop.TIME_OUT and made.error is None


def test_an_external_agent_cannot_take_the_place_of_their_loop() -> None:
    async def open_runner() -> None:
        agent = Version(base="x", id="x", program="codex exec {prompt}")
        async with runner_of(spec_of(), agent, RunSettings(), Context()):
            pass

    with pytest.raises(BadInput, match="Remove --agent"):
        asyncio.run(open_runner())
