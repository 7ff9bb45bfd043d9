"""Faults with a real agent: it is killed, or a tool hangs. Each leaves one record that says what happened, within its limit."""

import asyncio
import os
import signal
import time
from pathlib import Path
from typing import Any

import msgspec

from tests.third_party.agents import CASES, answer, play
from verigym.core.protocols import Request
from verigym.core.records import Fault, Stop, Task
from verigym.harness.tools import tool
from verigym.policies.scripted import ScriptedPolicy

CASE = CASES["openai-agents-chat"]


def children() -> list[int]:
    """The processes that this one started."""
    tasks = Path("/proc/self/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def test_an_agent_killed_during_its_run_leaves_one_failed_record() -> None:
    before = children()

    def kills(request: Request) -> Any:
        if request.turns:  # the second call: a tool ran before
            for child in set(children()) - set(before):
                os.killpg(child, signal.SIGKILL)
        return answer(request)

    made = asyncio.run(play(CASE, ScriptedPolicy(kills))).trajectory
    assert made.error is not None and (made.error.fault, made.error.kind) == (Fault.INFRASTRUCTURE, "AgentKilled")
    assert made.stop is Stop.ERROR and made.turns, "what it did before is in the record"


class Stuck:
    """A shop whose tool never ends by itself."""

    def open(self, task: Task) -> None:
        pass

    @tool(seconds=2.0)
    async def add(self, item: str, count: int = 1) -> str:
        """Put something into the basket."""
        await asyncio.sleep(3600)
        return ""


def test_a_tool_that_hangs_ends_the_episode_at_its_own_limit() -> None:
    began = time.monotonic()
    made = asyncio.run(play(msgspec.structs.replace(CASE, environment=Stuck), ScriptedPolicy(answer))).trajectory
    assert made.error is not None and (made.error.fault, made.error.kind) == (Fault.ENVIRONMENT, "ToolTimeOut")
    assert made.stop is Stop.TOOL_TIME_OUT and made.marked("tool_time_out")
    assert time.monotonic() - began < 200.0, "the episode's own limit is 240 s"


class Asleep(Stuck):
    @tool
    async def add(self, item: str, count: int = 1) -> str:
        """Put something into the basket."""
        await asyncio.sleep(3600)
        return ""


def test_a_tool_without_a_limit_hangs_no_longer_than_the_episode() -> None:
    made = asyncio.run(play(msgspec.structs.replace(CASE, environment=Asleep), ScriptedPolicy(answer), 40.0)).trajectory
    assert made.stop is Stop.TIME_OUT and made.error is not None and made.error.fault is Fault.ENVIRONMENT
    assert made.marked("agent_stopped") and not made.marked("executed") and made.seconds < 100.0
