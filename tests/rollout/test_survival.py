"""What a run survives, and what it refuses: a quick environment that hangs, blobs on their way, another process, a time limit."""

import asyncio
import signal
import threading

import pytest

from tests.rollout.shop import ADD, Shop, spec
from tests.rollout.test_many import plan, run, store
from verigym.core.errors import Refused
from verigym.core.protocols import Context, Request
from verigym.core.records import Task, Trajectory
from verigym.harness import executor as pace
from verigym.harness.tools import tool
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.many import pending, run_many
from verigym.rollout.settings import EpisodeLimits
from verigym.store.database import Store
from verigym.verifiers.lift import lift

__all__ = ["store"]  # the fixture of the tests below


@pytest.mark.timeout(1000, method="thread")
def test_an_environment_that_was_quick_and_then_hangs_is_interrupted_and_tried_again_in_a_thread(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace, "_HERE_S", 0.3)
    hung = 0

    class Moody(Shop):
        @tool
        def add(self, item: str, count: int = 1) -> str:
            """Put something into the basket."""
            nonlocal hung
            if threading.current_thread() is threading.main_thread() and not hung:
                hung += 1
                while True:
                    pass
            self.basket[item] = self.basket.get(item, 0) + count
            return "added"

    environment = spec(Moody)
    made, verdicts = run(
        store,
        plan(100, 1, environment=environment, verifier=environment.verifier, concurrency=8),
        ScriptedPolicy([ADD, "Done."]),
    )
    assert len(made) == 100 and all(verdict.passed for verdict in verdicts)
    assert hung == 1


def test_a_verifier_reads_a_blob_that_is_not_committed_yet(store: Store) -> None:
    class Filing(Shop):
        def open(self, task: Task) -> None:
            super().open(task)
            self.page = task.id.encode()

        def blobs(self) -> dict[str, bytes]:
            return {"page": self.page}

    def verify(task: Task, trajectory: Trajectory, context: Context) -> bool:
        return context.blob(trajectory.blobs["page"]) == task.id.encode()

    _, verdicts = run(
        store, plan(20, 2, environment=spec(Filing), verifier=lift("page", verify)), ScriptedPolicy(["Done."])
    )
    assert all(verdict.passed for verdict in verdicts)


def test_a_run_that_another_process_makes_is_refused(store: Store) -> None:
    what = plan(1, 1)
    store.begin_run("r", "rollout", {}, what.tasks)
    with store.claim("r"), pytest.raises(Refused, match="Another process"):
        asyncio.run(run_many(store, what, ScriptedPolicy(["Done."])))


def test_an_episode_whose_time_was_over_is_not_tried_again_at_once(store: Store) -> None:
    asked = 0

    async def slow(request: Request) -> str:
        nonlocal asked
        asked += 1
        await asyncio.sleep(30)
        return "late"

    made, _ = run(store, plan(2, 1, limits=EpisodeLimits(seconds=0.1)), ScriptedPolicy(slow))
    assert asked == 2 and {one.stop for one in made} == {"time_out"}
    assert pending(store, plan(2, 1)) == 2, "the same call tries it again"


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt, asyncio.CancelledError, GeneratorExit], ids=lambda kind: kind.__name__
)
@pytest.mark.parametrize("is_async", [False, True], ids=["plain", "async"])
def test_a_tool_that_raises_what_ends_a_run_fails_alone(
    store: Store, error: type[BaseException], is_async: bool
) -> None:
    class Rude(Shop):
        @tool
        def add(self, item: str, count: int = 1) -> str:
            """Put something into the basket."""
            raise error

    class RudeAsync(Shop):
        @tool
        async def add(self, item: str, count: int = 1) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]
            """Put something into the basket."""
            raise error

    environment = spec(RudeAsync if is_async else Rude)
    made, _ = run(
        store, plan(20, 1, environment=environment, verifier=environment.verifier), ScriptedPolicy([ADD, "Done."])
    )
    assert len(made) == 20 and all(one.marked("tool_error") and one.error is None for one in made)


@pytest.mark.parametrize("error", [KeyboardInterrupt, asyncio.CancelledError], ids=lambda kind: kind.__name__)
def test_a_verifier_that_raises_what_ends_a_run_gives_no_verdict_and_the_run_goes_on(
    store: Store, error: type[BaseException]
) -> None:
    def verify(task: Task, trajectory: Trajectory) -> bool:
        if task.id == "t1":
            raise error
        return True

    _, verdicts = run(store, plan(3, 1, verifier=lift("rude", verify)), ScriptedPolicy(["Done."]))
    assert [verdict.reward for verdict in verdicts] == [1.0, None, 1.0]
    assert verdicts[1].error is not None and error.__name__ in verdicts[1].error.message


def test_control_c_inside_a_tool_still_ends_the_run(store: Store) -> None:
    class Interrupting(Shop):
        @tool
        def add(self, item: str, count: int = 1) -> str:
            """Put something into the basket."""
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)  # the first only cancels the run
            return "added"

    environment = spec(Interrupting)
    environment.executor.on_loop = True  # where the signal arrives
    with pytest.raises(KeyboardInterrupt):
        run(store, plan(5, 1, environment=environment, verifier=environment.verifier), ScriptedPolicy([ADD, "Done."]))
