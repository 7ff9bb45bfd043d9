"""Plain methods that hang: they end their own episode, and hold up nobody else."""

import asyncio
import os
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from tests.harness.recorded_executor import CALL, TASK, WHERE, at, episode, nothing_is_left_running  # noqa: F401
from tests.rollout.shop import Shop, spec
from verigym.core.records import Mark, Stop, Trajectory
from verigym.core.watchdog import Overdue, watching
from verigym.harness import executor as module
from verigym.harness.executor import AdaptiveExecutor, EpisodeExecutor, OutOfTime
from verigym.harness.tools import tool
from verigym.rollout.settings import EpisodeLimits


def test_a_method_in_a_thread_that_is_overdue_is_left_behind_and_the_next_one_runs() -> None:
    release = threading.Event()

    async def both() -> None:
        pool = AdaptiveExecutor()
        place = EpisodeExecutor(pool, own_thread=True)
        with pytest.raises(Overdue):
            await place.call(release.wait, seconds=0.05)
        assert await place.call(threading.get_ident) != threading.get_ident()
        assert not pool.quick
        place.finish()
        assert pool._threads == 0

    asyncio.run(both())
    release.set()


@pytest.mark.timeout(1000, method="thread")  # the other method has an alarm of its own
@pytest.mark.parametrize(
    ("seconds", "episode_s", "error"),
    [(0.1, 900.0, Overdue), (None, 0.0, OutOfTime), (900.0, 0.0, OutOfTime)],
    ids=["the method's time", "the episode's time", "the episode's time before the method's"],
)
def test_a_method_on_the_loop_that_is_overdue_is_interrupted(
    seconds: float | None, episode_s: float, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LEAST_S", 0.1)

    async def hang() -> EpisodeExecutor:
        place = EpisodeExecutor(AdaptiveExecutor(), own_thread=False, seconds=episode_s)
        with pytest.raises(error):
            await place.call(time.sleep, (900,), seconds=seconds)
        return place

    began = time.monotonic()
    with watching():
        place = asyncio.run(hang())
    assert time.monotonic() - began < 300
    assert not place._executor.quick, "the next episode has a thread of its own"


@pytest.mark.timeout(1000, method="thread")
@pytest.mark.parametrize("quick", [True, False], ids=["on the loop", "in a thread"])
def test_a_tool_of_a_quick_environment_that_hangs_ends_its_own_episode_and_no_other(quick: bool) -> None:
    release = threading.Event()

    class Hanging(Shop):
        @tool
        def look(self) -> str:
            release.wait()
            return ""

    environment = spec(Hanging)
    environment.executor.record(0.0 if quick else 1.0)

    async def both() -> list[Trajectory]:
        limits = EpisodeLimits(seconds=0.5)
        work = [
            episode(environment, limits=limits),
            episode(environment, ['{"tool": "add", "args": {"item": "tea"}}', "Done."], limits=EpisodeLimits()),
        ]
        return await asyncio.gather(*work)

    with watching():
        hung, well = asyncio.run(both())
    assert hung.error is not None and (hung.stop, hung.error.kind) == (Stop.TIME_OUT, "TimeOut")
    assert (well.stop, well.end_state) == (Stop.DONE, {"basket": {"tea": 1}})
    release.set()


@WHERE
def test_an_async_method_that_is_overdue_is_cancelled(own_thread: bool) -> None:
    ended: list[str] = []

    async def wait() -> None:
        try:
            await asyncio.sleep(900)
        finally:
            ended.append("cancelled")

    async def theirs() -> None:
        raise TimeoutError("theirs")

    async def both() -> None:
        with pytest.raises(Overdue):
            await at(own_thread, wait, seconds=0.05)
        with pytest.raises(TimeoutError, match="theirs"):
            await at(own_thread, theirs, seconds=600.0)

    asyncio.run(both())
    assert ended == ["cancelled"]


def test_cancelling_an_episode_leaves_its_thread_and_closes_on_another() -> None:
    release = threading.Event()
    looking = threading.Event()
    closed: list[int] = []

    class Stuck(Shop):
        @tool
        def look(self) -> str:
            looking.set()
            release.wait()
            return ""

        def close(self) -> None:
            closed.append(threading.get_ident())

    environment = spec(Stuck)

    async def cancel() -> None:
        work = asyncio.create_task(episode(environment))
        while not looking.is_set():
            await asyncio.sleep(0.01)
        work.cancel()
        await work

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancel())
    assert len(closed) == 1
    assert environment.executor._threads == 0
    release.set()


def test_a_close_that_is_cancelled_as_well_gives_its_thread_back() -> None:
    release = threading.Event()

    class Stuck(Shop):
        def close(self) -> None:
            release.wait()

    environment = spec(Stuck)

    async def cancel_twice() -> None:
        work = asyncio.create_task(episode(environment, ["Done."]))
        for _ in range(2):
            await asyncio.sleep(0.1)
            work.cancel()
        await work

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancel_twice())
    assert environment.executor._threads == 0
    release.set()


@pytest.mark.timeout(1000, method="thread")
@pytest.mark.parametrize("quick", [True, False], ids=["on the loop", "in a thread"])
def test_a_close_that_hangs_is_noted_and_its_episode_stands(quick: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verigym.rollout.session._CLOSE_S", 0.1)
    release = threading.Event()
    environment = spec(type("Stuck", (Shop,), {"close": lambda self: release.wait()}))
    environment.executor.record(0.0 if quick else 1.0)
    with watching():
        made = asyncio.run(episode(environment, ["Done."]))
    assert (made.stop, made.error) == (Stop.DONE, None)
    assert made.marks == [Mark("close_error", detail="close took too long")]
    release.set()


HANGS = """
import asyncio, sys, time
from verigym.core.records import Task, Version
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox, tool
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.episode import run_episode
from verigym.rollout.settings import EpisodeLimits

class Hanging:
    def open(self, task): ...
    @tool(seconds=0.1, parallel=PARALLEL)
    def look(self) -> str:
        time.sleep(1000)

environment = EnvironmentSpec(
    name="h", tasks=lambda split: [], factory=Hanging, toolbox=ToolBox(Hanging), verifiers={}, suites={}
)
policy = ScriptedPolicy(['{"tool": "look", "args": {}}'])
made = asyncio.run(run_episode(
    environment, Task(id="t", prompt="p"), policy, agent=Version(base="x"), id="i", group="g"
))
print(made.stop.value)
"""


@pytest.mark.parametrize("parallel", [False, True], ids=["in the episode's thread", "beside it"])
def test_a_method_that_never_ends_does_not_hold_up_the_end_of_the_process(parallel: bool) -> None:
    root = str(Path(__file__).parents[2])
    code = textwrap.dedent(HANGS).replace("PARALLEL", str(parallel))
    environment = {**os.environ, "PYTHONPATH": root}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=1000, env=environment)
    assert (done.stdout, done.returncode) == ("tool_time_out\n", 0), done.stderr


def test_a_thread_that_comes_back_after_its_loop_has_ended_disturbs_nobody() -> None:
    release = threading.Event()

    async def give_up() -> None:
        with pytest.raises(Overdue):
            await at(True, release.wait, seconds=0.05)

    asyncio.run(give_up())
    release.set()
    assert asyncio.run(at(True, lambda: "fine")) == "fine"
