"""Where plain methods run: quick ones on the loop's thread, waiting ones in a thread of their episode, and nobody in between."""

import asyncio
import gc
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from tests.harness.recorded_executor import CALL, TASK, WHERE, at, episode, nothing_is_left_running  # noqa: F401
from tests.rollout.shop import AGENT, Shop, spec
from verigym.core.records import Stop, Task, Trajectory
from verigym.core.watchdog import Overdue
from verigym.harness import executor as module
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.executor import AdaptiveExecutor, EpisodeExecutor, in_new_thread
from verigym.harness.method_thread import MethodThread
from verigym.harness.tools import tool
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.episode import run_episode
from verigym.rollout.settings import EpisodeLimits, RunSettings


def recording(wait_s: float = 0.0) -> tuple[EnvironmentSpec, list[tuple[str, int]]]:
    """An environment that notes on which thread each of its methods ran."""
    seen: list[tuple[str, int]] = []

    class Recording:
        def __init__(self) -> None:
            seen.append(("init", threading.get_ident()))

        def open(self, task: Task) -> None:
            seen.append(("open", threading.get_ident()))

        @tool(unsafe_if=lambda self: self.unsafe())
        def look(self) -> str:
            time.sleep(wait_s)
            seen.append(("look", threading.get_ident()))
            return "seen"

        def unsafe(self) -> bool:
            seen.append(("unsafe", threading.get_ident()))
            return False

        def end_state(self) -> dict[str, Any]:
            seen.append(("end_state", threading.get_ident()))
            return {}

        def blobs(self) -> dict[str, bytes]:
            seen.append(("blobs", threading.get_ident()))
            return {"b": b"x"}

        def close(self) -> None:
            seen.append(("close", threading.get_ident()))

    return spec(Recording), seen


# -- which thread -----------------------------------------------------------------------------------------------------


def test_an_environment_that_was_seen_to_be_quick_runs_on_the_loops_own_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_QUICK_S", 0.5)  # however busy the machine is
    environment, seen = recording()

    async def three() -> None:
        for _ in range(3):
            await episode(environment)

    asyncio.run(three())
    here = threading.get_ident()
    assert all(thread != here for _, thread in seen[:7]), "nothing was known of it yet"
    assert [thread for _, thread in seen[7:]] == [here] * 14


def test_all_methods_of_one_episode_run_on_one_thread_in_order() -> None:
    environment, seen = recording(wait_s=0.01)
    asyncio.run(episode(environment, [CALL, CALL, "Done."]))
    assert [name for name, _ in seen] == [
        "init", "open", "unsafe", "look", "unsafe", "look", "end_state", "blobs", "close"
    ]  # fmt: skip
    assert len({thread for _, thread in seen}) == 1


class Database:
    """State that belongs to the thread that made it."""

    def open(self, task: Task) -> None:
        self.connection = sqlite3.connect(":memory:")
        self.connection.execute("CREATE TABLE seen (what)")

    @tool(unsafe_if=lambda self: self.connection.execute("SELECT count(*) > 0 FROM seen").fetchone()[0])
    def look(self) -> str:
        time.sleep(0.005)
        self.connection.execute("INSERT INTO seen VALUES ('it')")
        return "seen"

    def end_state(self) -> dict[str, Any]:
        return {"rows": self.connection.execute("SELECT count(*) FROM seen").fetchone()[0]}

    def close(self) -> None:
        self.connection.close()


def test_a_sqlite_connection_made_in_open_works_in_every_method() -> None:
    environment = spec(Database)

    async def many() -> list[Trajectory]:
        return await asyncio.gather(*(episode(environment, [CALL, CALL, "Done."]) for _ in range(20)))

    for made in asyncio.run(many()):
        assert (made.end_state, made.error) == ({"rows": 2}, None)
        assert [mark.kind for mark in made.marks] == ["executed", "unsafe", "executed"]


@pytest.mark.parametrize("known", [True, False], ids=["known to wait", "nothing known"])
def test_tools_of_64_episodes_that_sleep_overlap(known: bool) -> None:
    together = threading.Barrier(8)

    class Meeting(Shop):
        @tool
        def look(self) -> str:
            together.wait()  # for seven others
            return "seen"

    environment = spec(Meeting)
    if known:
        environment.executor.record(1.0)

    async def all_of_them() -> list[Trajectory]:
        return await asyncio.gather(*(episode(environment) for _ in range(64)))

    assert all(one.marked("executed") for one in asyncio.run(all_of_them()))


def test_an_environment_that_was_slow_once_becomes_quick_again() -> None:
    pool = AdaptiveExecutor()
    pool.record(0.0)
    assert pool.quick
    pool.record(5.0)
    assert not pool.quick
    for _ in range(600):
        pool.record(0.0001)
    assert pool.quick


def test_setting_up_tells_nothing_unless_it_is_slow() -> None:
    pool = AdaptiveExecutor()
    pool.record(0.0001, informative=False)
    assert not pool.quick
    pool.record(0.0001)
    assert pool.quick
    pool.record(0.5, informative=False)
    assert not pool.quick


def test_episodes_beyond_the_most_threads_wait_for_their_turn_and_all_are_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FIRST_THREADS", 3)
    monkeypatch.setattr(module, "_MOST_THREADS", 5)
    now, most = 0, 0
    lock = threading.Lock()

    class Crowded:
        def open(self, task: Task) -> None:
            nonlocal now, most
            with lock:
                now += 1
                most = max(most, now)
            time.sleep(0.02)

        def close(self) -> None:
            nonlocal now
            with lock:
                now -= 1

    environment = spec(Crowded)

    async def all_of_them() -> list[Trajectory]:
        return await asyncio.gather(*(episode(environment, ["Done."]) for _ in range(30)))

    assert [made.stop for made in asyncio.run(all_of_them())] == [Stop.DONE] * 30
    assert 3 < most <= 5


def test_those_who_wait_for_a_thread_go_on_at_once_when_the_environment_turns_out_to_be_quick(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_FIRST_THREADS", 2)
    environment, _ = recording()
    held = asyncio.Event()

    async def slow_at_first(request: Any) -> str:
        if not request.turns:
            return CALL
        await held.wait()
        return "Done."

    async def all_of_them() -> list[Trajectory]:
        policy = ScriptedPolicy(slow_at_first)
        work = [
            asyncio.create_task(run_episode(environment, TASK, policy, agent=AGENT, id="i", group="g"))
            for _ in range(50)
        ]
        while not environment.executor.quick or environment.executor._waiting:
            await asyncio.sleep(0.01)  # nobody waits for those who wait for the model
        held.set()
        return await asyncio.gather(*work)

    assert len(asyncio.run(all_of_them())) == 50


def test_episodes_that_all_wait_for_their_first_reply_keep_no_other_from_asking_for_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_FIRST_THREADS", 4)
    environment, seen = recording()
    asked, everyone = 0, asyncio.Event()

    async def together(request: Any) -> str:
        """A server that fills its batch before it begins."""
        nonlocal asked
        if not request.turns:
            asked += 1
            if asked == 40:
                everyone.set()
            await everyone.wait()
            return CALL
        return "Done."

    async def all_of_them() -> list[Trajectory]:
        policy, settings = ScriptedPolicy(together), RunSettings(limits=EpisodeLimits(seconds=600))
        work = [run_episode(environment, TASK, policy, settings, agent=AGENT, id="i", group="g") for _ in range(40)]
        return await asyncio.gather(*work)

    assert {made.stop for made in asyncio.run(all_of_them())} == {Stop.DONE}
    assert environment.executor._threads == environment.executor._busy == 0
    assert threading.main_thread().ident not in {thread for name, thread in seen if name == "open"}


def test_one_who_comes_when_all_wait_for_the_model_already_does_not_wait_for_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_FIRST_THREADS", 4)
    monkeypatch.setattr(module, "_MOST_THREADS", 8)
    pool = AdaptiveExecutor()

    async def one_after_another() -> None:
        places: list[EpisodeExecutor] = []
        for _ in range(8):
            places.append(await pool.start_episode())
            await places[-1].call(time.sleep, (0.0,))  # its set-up, which tells nothing
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(pool.start_episode(), 0.1)
        for place in places:
            place.finish()

    asyncio.run(one_after_another())
    assert pool._threads == 0


def test_few_threads_are_taken_while_the_first_methods_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FIRST_THREADS", 4)
    pool = AdaptiveExecutor()

    async def busy() -> None:
        first = [await pool.start_episode() for _ in range(4)]
        release = threading.Event()
        running = asyncio.create_task(first[0].call(release.wait, ()))
        await asyncio.sleep(0.01)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(pool.start_episode(), 0.1)
        release.set()
        await running
        for place in first:
            place.finish()

    asyncio.run(busy())


def test_one_who_is_cancelled_while_it_waits_for_a_thread_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FIRST_THREADS", 1)
    monkeypatch.setattr(module, "_MOST_THREADS", 1)
    monkeypatch.setattr(MethodThread, "stuck", 0)  # a thread that an earlier test abandoned would take the only place
    release = threading.Event()

    class Held(Shop):
        def open(self, task: Task) -> None:
            super().open(task)
            release.wait(60)

    environment = spec(Held)

    async def all_of_them() -> None:
        work = [asyncio.create_task(episode(environment, ["Done."])) for _ in range(6)]
        async with asyncio.timeout(60):
            while len(environment.executor._waiting) < 5:
                await asyncio.sleep(0.01)
        work[1].cancel()
        work[3].cancel()
        release.set()
        made = await asyncio.gather(*work, return_exceptions=True)
        assert [type(one).__name__ for one in made] == [
            "Trajectory", "CancelledError", "Trajectory", "CancelledError", "Trajectory", "Trajectory"
        ]  # fmt: skip

    asyncio.run(all_of_them())
    assert environment.executor._threads == 0


# -- what comes back --------------------------------------------------------------------------------------------------


def broken(error: BaseException) -> Callable[[], Any]:
    def fail() -> Any:
        raise error

    return fail


@WHERE
@pytest.mark.parametrize(
    "error",
    [KeyError("k"), SystemExit(3), TimeoutError("theirs"), Overdue("theirs"), MemoryError()],
    ids=lambda error: type(error).__name__,
)
def test_what_a_method_raises_arrives_as_it_is(own_thread: bool, error: BaseException) -> None:
    async def both() -> None:
        with pytest.raises(type(error)) as caught:
            await at(own_thread, broken(error))
        assert caught.value is error

    asyncio.run(both())


@WHERE
def test_a_method_that_says_it_was_cancelled_has_failed_and_its_caller_is_not_cancelled(own_thread: bool) -> None:
    async def awaited() -> None:
        raise asyncio.CancelledError

    async def three() -> None:
        for function in (broken(asyncio.CancelledError()), awaited, lambda: awaited()):  # noqa: PLW0108 (plain, and what it returns is awaited)
            with pytest.raises(RuntimeError, match="The method raised CancelledError"):
                await at(own_thread, function)

    asyncio.run(three())


@WHERE
def test_arguments_go_in_and_results_come_out(own_thread: bool) -> None:
    async def later(value: int) -> int:
        await asyncio.sleep(0)
        return value

    async def all_three() -> list[Any]:
        return [
            await at(own_thread, divmod, 7, 2),
            await at(own_thread, sorted, [1, 2], kwargs={"reverse": True}),
            await at(own_thread, later, 5),
            await at(own_thread, lambda value: later(value), 6),  # noqa: PLW0108
        ]

    assert asyncio.run(all_three()) == [(3, 1), [2, 1], 5, 6]


def test_a_thread_that_is_idle_keeps_nothing_of_its_last_episode_alive() -> None:
    class State:
        def look(self) -> "State":
            return self

    async def once() -> weakref.ref[State]:
        state = State()
        await at(True, state.look)
        return weakref.ref(state)

    seen = asyncio.run(once())
    for _ in range(30_000):
        gc.collect()
        if seen() is None:
            return
        time.sleep(0.01)
    raise AssertionError("the state is still held")


# -- beside the episode ------------------------------------------------------------------------------------------------


def test_functions_beside_the_episode_run_at_the_same_time() -> None:
    barrier = threading.Barrier(8)

    def meet(name: int) -> int:
        barrier.wait()
        return name

    async def all_of_them() -> list[int]:
        return await asyncio.gather(*(in_new_thread(meet, {"name": name}) for name in range(8)))

    assert asyncio.run(all_of_them()) == list(range(8))


def test_a_function_beside_the_episode_that_fails_or_is_late_says_so() -> None:
    release = threading.Event()

    async def three() -> None:
        with pytest.raises(SystemExit):
            await in_new_thread(broken(SystemExit(2)), {})
        with pytest.raises(Overdue):
            await in_new_thread(release.wait, {}, 0.05)
        with pytest.raises(TimeoutError, match="theirs"):
            await in_new_thread(broken(TimeoutError("theirs")), {}, 5.0)
        work = asyncio.create_task(in_new_thread(release.wait, {}))
        await asyncio.sleep(0.02)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(three())
    release.set()
