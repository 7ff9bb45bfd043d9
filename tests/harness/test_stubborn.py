"""Code that does not play along: it shares state across threads, will not be cancelled, blocks, or raises what ends a process."""

import asyncio
import contextlib
import sqlite3
import time

import pytest

from tests.harness.test_executor import WHERE, at, broken
from tests.rollout.shop import AGENT, spec
from verigym.core import watchdog as alarm
from verigym.core.errors import EnvironmentFailure
from verigym.core.records import Task, Trajectory
from verigym.core.watchdog import Overdue
from verigym.harness import executor as module
from verigym.harness.tools import tool
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.episode import run_episode


class Mixed:
    """Plain and async methods share a connection that belongs to a thread."""

    def open(self, task: Task) -> None:
        self.connection = sqlite3.connect(":memory:")

    @tool
    async def count(self) -> str:
        """Ask the connection."""
        return str(self.connection.execute("select 1").fetchall())


def test_a_class_with_async_methods_stays_on_the_loop_with_all_of_them() -> None:
    environment = spec(Mixed)

    async def many() -> list[Trajectory]:
        policy = ScriptedPolicy(['{"tool": "count", "args": {}}', "Done."])
        one = {"agent": AGENT, "group": "g"}
        return await asyncio.gather(
            *(run_episode(environment, Task(id="t", prompt="p"), policy, id=str(i), **one) for i in range(300))
        )

    assert all(made.marked("executed") and not made.marked("tool_error") for made in asyncio.run(many()))


class Strange(BaseException):
    """As some test frameworks raise."""


@WHERE
def test_what_would_end_a_process_ends_its_own_call(own_thread: bool) -> None:
    async def one() -> None:
        with pytest.raises(RuntimeError, match="Strange: odd"):
            await at(own_thread, broken(Strange("odd")))

    asyncio.run(one())


def test_an_async_method_that_will_not_be_cancelled_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CUT_S", 0.1)
    ended = False

    async def stubborn() -> None:
        while not ended:
            with contextlib.suppress(BaseException):
                await asyncio.sleep(0.05)

    async def one() -> None:
        nonlocal ended
        began = time.monotonic()
        with pytest.raises(Overdue):
            await at(False, stubborn, seconds=0.1)
        assert time.monotonic() - began < 300
        ended = True
        await asyncio.sleep(0.2)

    asyncio.run(one())


@pytest.mark.timeout(1000, method="thread")
@pytest.mark.parametrize("seconds", [0.2, None], ids=["its own limit", "nobody's"])
def test_an_async_method_that_blocks_is_interrupted(monkeypatch: pytest.MonkeyPatch, seconds: float | None) -> None:
    monkeypatch.setattr(module, "_HERE_S", 0.3)

    async def blocks() -> None:
        await asyncio.sleep(0)
        time.sleep(900)

    async def one() -> None:
        with alarm.watching(), pytest.raises(EnvironmentFailure if seconds is None else Overdue):
            await at(False, blocks, seconds=seconds)

    began = time.monotonic()
    asyncio.run(one())
    assert time.monotonic() - began < 300


@pytest.mark.timeout(1000, method="thread")
def test_a_loop_that_tries_again_whatever_happens_is_interrupted_all_the_same() -> None:
    def tries() -> None:
        while True:
            with contextlib.suppress(Exception):
                time.sleep(0.05)

    async def one() -> None:
        with alarm.watching(), pytest.raises(Overdue):
            await at(False, tries, seconds=0.2)

    asyncio.run(one())
