"""An episode that is driven from outside leaves the same record as one that a policy drives."""

import asyncio
from typing import Any

from tests.rollout.shop import AGENT, Shop, spec
from tests.rollout.test_episode import TASK, run
from verigym.core.records import (
    Failure,
    Fault,
    FunctionCall,
    FunctionCallOutput,
    Mark,
    Message,
    Stop,
    Task,
    Trajectory,
    Turn,
)
from verigym.rollout.live import Live, merged
from verigym.rollout.settings import EpisodeLimits, RunSettings

ARGUMENTS = '{"item":"tea","count":2}'


async def opened(environment: Any = Shop, seconds: float = 300.0) -> Live:
    settings = RunSettings(limits=EpisodeLimits(seconds=seconds))
    return await Live.open(spec(environment), TASK, settings, agent=AGENT, id="r/t/0", group="r/t")


def test_calls_and_words_from_outside_leave_the_record_of_an_episode() -> None:
    async def drive() -> Trajectory:
        live = await opened()
        outcome = await live.call("add", ARGUMENTS, "call_0")
        assert outcome.output == "2 tea"
        assert await live.say("Done.") == ("", True)
        return await live.end()

    made, inside = asyncio.run(drive()), run([[FunctionCall("call_0", "add", ARGUMENTS)], "Done."])
    assert (made.items, made.marks, made.end_state, made.tools) == (
        inside.items,
        inside.marks,
        inside.end_state,
        inside.tools,
    )
    assert made.stop is Stop.DONE


def test_ending_twice_returns_the_same_trajectory_and_nothing_runs_after_it() -> None:
    async def drive() -> None:
        live = await opened()
        first = await live.end()
        assert await live.end() is first
        assert (await live.call("add", ARGUMENTS)).output.startswith("error: the episode is over")
        assert (await live.say("more"))[1]
        assert live.executed == []

    asyncio.run(drive())


class Broken(Shop):
    def open(self, task: Task) -> None:
        raise OSError("no such database")


def test_an_environment_that_does_not_open_leaves_a_failed_record() -> None:
    async def drive() -> Trajectory:
        live = await opened(Broken)
        assert "no such database" in (await live.call("add", ARGUMENTS)).output or live.stop is Stop.ERROR
        return await live.end()

    made = asyncio.run(drive())
    assert made.error is not None and made.error.fault is Fault.ENVIRONMENT and "no such database" in made.error.message


def test_a_failure_outside_the_environment_is_recorded_with_its_owner() -> None:
    async def drive() -> Trajectory:
        live = await opened()
        return await live.end(error=Failure(Fault.INFRASTRUCTURE, "AgentCrashed", "exit code 3"))

    made = asyncio.run(drive())
    assert made.error == Failure(Fault.INFRASTRUCTURE, "AgentCrashed", "exit code 3") and made.stop is Stop.ERROR


def test_time_is_over_after_the_limit_and_what_was_done_still_counts() -> None:
    async def drive() -> Trajectory:
        live = await opened()
        await live.call("add", ARGUMENTS)
        live.deadline = 0.0
        late = await live.call("add", ARGUMENTS)
        assert late.output.startswith("error: the episode is over")
        return await live.end()

    made = asyncio.run(drive())
    assert made.stop is Stop.TIME_OUT and made.error is None
    assert made.end_state == {"basket": {"tea": 2}}


class Counting:
    def open(self, task: Task) -> None:
        self.inside = self.most = 0

    def tools(self) -> list[Any]:
        return [{"name": "enter", "parameters": {}}]

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        import time

        self.inside += 1
        self.most = max(self.most, self.inside)
        time.sleep(0.01)
        self.inside -= 1
        return "left"

    def end_state(self) -> dict[str, Any]:
        return {"most": self.most}


def test_calls_from_outside_run_one_after_another() -> None:
    async def drive() -> Trajectory:
        live = await opened(Counting)
        await asyncio.gather(*(live.call("enter", "{}") for _ in range(5)))
        return await live.end()

    assert asyncio.run(drive()).end_state == {"most": 1}


def test_what_somebody_else_captured_gets_the_marks_of_the_calls_that_ran() -> None:
    async def drive() -> Trajectory:
        live = await opened()
        await live.call("add", ARGUMENTS, log=False)
        made = await live.end()
        items = [
            Message("user", "buy tea"),
            FunctionCall("x", "mcp__shop__add", '{"count": 2, "item": "tea"}'),
            FunctionCallOutput("x", "2 tea"),
            FunctionCall("y", "bash", '{"command": "ls"}'),
            Message("assistant", "Done."),
        ]
        turns = [Turn(saw=[(0, 1)], made=[1]), Turn(parent=0, saw=[(0, 3)], made=[3, 4])]
        captured = Trajectory(
            id="g",
            task="g",
            group="g",
            items=items,
            turns=turns,
            marks=[Mark("unknown_tool", 1), Mark("unanswered_call", 3)],
        )
        return merged(made, captured, live.executed)

    made = asyncio.run(drive())
    assert made.items[1] == FunctionCall("x", "add", '{"count": 2, "item": "tea"}')
    assert made.marks == [Mark("executed", 1, "add")], (
        "bash is the agent's own tool, so a call without a result is no fault"
    )
    assert made.end_state == {"basket": {"tea": 2}} and len(made.turns) == 2
