"""What the tests of the executor share: an episode, a call, and a check that no thread is left running."""

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.rollout.shop import AGENT, run_settings
from verigym.core.records import Task, Trajectory
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.executor import AdaptiveExecutor, EpisodeExecutor
from verigym.harness.method_thread import MethodThread
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.episode import run_episode

TASK = Task(id="t", prompt="p")
CALL = '{"tool": "look", "args": {}}'


@pytest.fixture(autouse=True)
def nothing_is_left_running() -> Iterator[None]:
    """Of what the test started. A thread that an earlier test left in this process is not this test's failure."""
    earlier = set(threading.enumerate())
    yield
    alive: list[str] = []
    for _ in range(3_000):
        idle = {thread._thread for thread in MethodThread.idle}
        alive = [
            one.name for one in threading.enumerate() if one not in earlier | idle and one.name == "verigym-episode"
        ]
        if not alive:
            return
        time.sleep(0.02)
    raise AssertionError(f"{len(alive)} threads are still busy")


async def episode(environment: EnvironmentSpec, replies: Any = (CALL, "Done."), **settings: Any) -> Trajectory:
    under = run_settings(settings)
    return await run_episode(
        environment, TASK, ScriptedPolicy(list(replies)), under, agent=AGENT, id="r/t/0", group="r/t", **settings
    )


async def at(own_thread: bool, function: Any, *args: Any, **settings: Any) -> Any:
    place = EpisodeExecutor(AdaptiveExecutor(), own_thread)
    try:
        return await place.call(function, args, **settings)
    finally:
        place.finish()


WHERE = pytest.mark.parametrize("own_thread", [False, True], ids=["on the loop", "in a thread"])
