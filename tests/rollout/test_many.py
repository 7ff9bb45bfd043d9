"""Many episodes: whole groups, nothing run twice, everything scored."""

import asyncio
import contextlib
import gc
import signal
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import event

from tests.rollout.shop import ADD, AGENT, Shop, run_settings, spec, tasks
from verigym.core.errors import ContextFull, InfrastructureFailure
from verigym.core.protocols import Context, Request
from verigym.core.records import Fault, Message, Task, Trajectory, Verdict
from verigym.core.seeds import derive
from verigym.harness.tools import tool
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.many import Progress, RunPlan, pending, results, run_many
from verigym.rollout.settings import RunSettings
from verigym.store import writer as writer_module
from verigym.store.database import Store
from verigym.verifiers import lift as lift_module
from verigym.verifiers.lift import lift


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "store.db")
    yield made
    made.close()


def plan(count: int = 3, k: int = 2, **settings: Any) -> RunPlan:
    environment = spec()
    under = run_settings({"k": k, **settings})
    given = {
        "run": "r",
        "environment": environment,
        "tasks": tasks(count),
        "verifier": environment.verifier,
        **{name: value for name, value in settings.items() if name not in RunSettings.__struct_fields__},
    }
    return RunPlan(agent=AGENT, settings=under, **given)


def run(
    store: Store, what: RunPlan, policy: Any, on_progress: Any = lambda _: None
) -> tuple[list[Trajectory], list[Verdict]]:
    store.begin_run(what.run, "rollout", {}, what.tasks)
    asyncio.run(run_many(store, what, policy, on_progress))
    return results(store, what)


@pytest.fixture(autouse=True)
def control_c_is_heard() -> Iterator[None]:
    """A process that was started in the background ignores it, and hands that on."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Counting:
    """Calls the tool, then is done; counts the first turns it was asked for, by prompt and seed."""

    def __init__(self, stop_after: int = 10**9, error: BaseException | None = None, pause_s: float = 0.0) -> None:
        self.begun: Counter[tuple[str, int]] = Counter()
        self.stop_after, self.error, self.signals = stop_after, error, 0
        self.inner = ScriptedPolicy([ADD, "Done."], latency_s=pause_s)

    async def respond(self, request: Request) -> Any:
        if not request.turns:
            if len(self.begun) >= self.stop_after:
                assert self.error is not None
                await self._end(self.error)
            user = next(item for item in request.items if isinstance(item, Message) and item.role == "user")
            self.begun[user.text, request.seed] += 1
        return await self.inner.respond(request)

    async def _end(self, error: BaseException) -> None:
        if not isinstance(error, KeyboardInterrupt):
            raise error
        self.signals += 1
        if self.signals == 1:
            signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(60)


def test_every_task_is_run_k_times_and_comes_back_by_task_and_index(store: Store) -> None:
    made, verdicts = run(store, plan(3, 2), ScriptedPolicy([ADD, "Done."]))
    ids = [f"r/t{task}/{index}" for task in range(3) for index in range(2)]
    assert [one.id for one in made] == [one.trajectory for one in verdicts] == ids
    assert [one.group for one in made] == [f"r/t{task}" for task in range(3) for _ in range(2)]
    assert [one.index for one in made] == [0, 1] * 3
    assert all(verdict.passed for verdict in verdicts)
    assert store.trajectories("r") == made
    assert {one.trajectory: one for one in store.verdicts("r")} == {one.trajectory: one for one in verdicts}
    assert store.run("r").finished is not None


def test_seeds_follow_from_the_task_and_the_index_alone(store: Store) -> None:
    made, _ = run(store, plan(4, 2, seed=5), ScriptedPolicy(["ok"]))
    assert [one.seed for one in made] == [
        derive(5, "episode", f"t{task}", index) for task in range(4) for index in range(2)
    ]
    backwards = plan(4, 2, seed=5, run="again", tasks=tasks(4)[::-1], concurrency=1)
    again, _ = run(store, backwards, ScriptedPolicy(["ok"]))
    assert {(one.task, one.index): one.seed for one in again} == {(one.task, one.index): one.seed for one in made}
    other, _ = run(store, plan(4, 2, seed=6, run="other"), ScriptedPolicy(["ok"]))
    assert {one.seed for one in other}.isdisjoint(one.seed for one in made)


def test_no_more_episodes_than_allowed_run_at_once(store: Store) -> None:
    now, most = 0, 0

    async def answer(request: Request) -> str:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.001)
        now -= 1
        return "ok"

    run(store, plan(10, 2, concurrency=3), ScriptedPolicy(answer))
    assert most == 3


@pytest.mark.parametrize("error", [KeyboardInterrupt(), asyncio.CancelledError()], ids=["control-C", "cancelled"])
def test_a_run_that_was_cut_goes_on_and_runs_nothing_twice(store: Store, error: BaseException) -> None:
    what = plan(6, 2, concurrency=2)
    cut = Counting(stop_after=5, error=error)
    with pytest.raises(type(error)):
        run(store, what, cut)
    kept = store.trajectories("r")
    assert 0 < len(kept) < 12
    assert store.run("r").finished is None

    rest = Counting()
    made, verdicts = run(store, what, rest)
    assert [one.id for one in made] == [f"r/t{task}/{index}" for task in range(6) for index in range(2)]
    assert all(verdict.passed for verdict in verdicts) and len(verdicts) == 12
    assert len(rest.begun) == 12 - len(kept)
    finished_before = {one.seed for one in kept}
    assert finished_before.isdisjoint(seed for _, seed in rest.begun)
    assert store.run("r").scored == 12


def test_a_finished_run_asks_the_policy_nothing(store: Store) -> None:
    what = plan(2, 2)
    first = run(store, what, ScriptedPolicy([ADD, "Done."]))
    again = run(store, what, ScriptedPolicy([AssertionError("asked again")]))
    assert again == first


def test_episodes_that_were_stored_without_a_verdict_are_scored_by_the_next_call(store: Store) -> None:
    what = plan(2, 2)
    made, verdicts = run(store, what, ScriptedPolicy([ADD, "Done."]))
    other = msgspec.structs.replace(what, verifier=Constant("other@1"))
    again, scored = run(store, other, ScriptedPolicy([AssertionError("asked again")]))
    assert again == made
    assert [one.reward for one in scored] == [0.25] * 4
    assert len(store.verdicts("r", "*")) == 8 and len(verdicts) == 4


class Constant:
    """A group verifier that remembers the sizes of the groups it was shown."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.groups: list[list[str]] = []

    async def verify(self, task: Task, group: Sequence[Trajectory], context: Context) -> list[Verdict]:
        self.groups.append([one.id for one in group])
        await asyncio.sleep(0)
        return [Verdict(trajectory=one.id, verifier=self.name, reward=0.25) for one in group]


@pytest.mark.parametrize("concurrency", [1, 5, 256])
def test_a_group_is_scored_once_and_whole(store: Store, concurrency: int) -> None:
    verifier = Constant("group@1")
    run(store, plan(5, 4, verifier=verifier, concurrency=concurrency), ScriptedPolicy(["ok"]))
    assert sorted(verifier.groups) == [[f"r/t{task}/{index}" for index in range(4)] for task in range(5)]


class Flaky:
    """Fails a number of times for each episode, then answers."""

    def __init__(self, failures: int, error: Exception) -> None:
        self.failures, self.error = failures, error
        self.asked: Counter[int] = Counter()

    async def respond(self, request: Request) -> Any:
        self.asked[request.seed] += 1
        if self.asked[request.seed] <= self.failures:
            raise self.error
        return await ScriptedPolicy(["ok"]).respond(request)


def test_an_episode_that_infrastructure_broke_is_tried_again(store: Store) -> None:
    policy = Flaky(1, InfrastructureFailure("down"))
    made, _ = run(store, plan(2, 2, retries=1), policy)
    assert [one.error for one in made] == [None] * 4
    assert set(policy.asked.values()) == {2}


def test_an_episode_that_stays_broken_has_no_reward_and_is_counted_as_an_error(store: Store) -> None:
    seen: list[tuple[int, int]] = []
    policy = Flaky(9, InfrastructureFailure("down"))
    made, verdicts = run(store, plan(1, 2, retries=0), policy, lambda now: seen.append((now.done, now.errors)))
    assert [one.error.fault for one in made if one.error] == [Fault.INFRASTRUCTURE] * 2
    assert [verdict.reward for verdict in verdicts] == [None, None]
    assert verdicts[0].error == made[0].error
    assert seen[-1] == (2, 2)
    assert set(policy.asked.values()) == {1}


def test_the_models_own_failures_are_not_tried_again(store: Store) -> None:
    policy = Flaky(1, ContextFull("too long"))
    made, verdicts = run(store, plan(1, 1, retries=2), policy)
    assert made[0].error is not None and made[0].error.fault is Fault.MODEL
    assert verdicts[0].reward == 0.0
    assert set(policy.asked.values()) == {1}


def test_what_progress_has_counted_is_committed(store: Store) -> None:
    seen: list[Progress] = []

    def check(now: Progress) -> None:
        assert len(store.trajectories("r")) == now.done
        assert sum(verdict.passed for verdict in store.verdicts("r")) == now.passed
        seen.append(Progress(total=now.total, done=now.done, passed=now.passed, errors=now.errors))

    run(store, plan(40, 4, concurrency=8), ScriptedPolicy([ADD, "Done."], latency_s=0.001), check)
    assert seen[0] == Progress(total=160)
    assert seen[-1] == Progress(total=160, done=160, passed=160)
    assert len(seen) > 2, "it is told on the way, not only at the end"


def test_progress_never_counts_more_than_there_is_whatever_was_stored_before(store: Store) -> None:
    seen: list[Progress] = []

    def check(now: Progress) -> None:
        assert now.done <= now.total and now.passed + now.errors <= now.done
        seen.append(msgspec.structs.replace(now))

    what = plan(4, 3, retries=0)
    run(store, what, Flaky(1, InfrastructureFailure("down")), check)
    assert (seen[-1].done, seen[-1].errors) == (12, 12)
    assert store.run("r").finished is None, "infrastructure broke it: it is to be run again"
    assert pending(store, what) == 12
    for again in (Counting(stop_after=5, error=KeyboardInterrupt()), Counting(), Counting()):
        seen.clear()
        with contextlib.suppress(KeyboardInterrupt):
            run(store, plan(4, 3, retries=0, concurrency=2), again, check)
        counts = [(now.done, now.passed) for now in seen]
        assert counts == sorted(counts), "it only grows"
    assert seen[-1] == Progress(total=12, done=12, judged=12, passed=12)
    assert pending(store, what) == 0


def test_more_episodes_of_the_same_tasks_are_added_to_those_that_are_there(store: Store) -> None:
    made, _ = run(store, plan(3, 1), ScriptedPolicy([ADD, "Done."]))
    verifier = Constant("group@1")
    policy = Counting()
    more, _ = run(store, plan(3, 4, verifier=verifier), policy)
    assert [one for one in more if one.index == 0] == made
    assert len(policy.begun) == 9
    assert sorted(verifier.groups) == [[f"r/t{task}/{index}" for index in range(4)] for task in range(3)]
    fewer = Constant("other@1")
    run(store, plan(2, 2, verifier=fewer), ScriptedPolicy([AssertionError("asked again")]))
    assert sorted(fewer.groups) == [[f"r/t{task}/{index}" for index in range(2)] for task in range(2)]


# -- what breaks ------------------------------------------------------------------------------------------------------


def crash(task: Task) -> None:
    match task.id:
        case "t0":
            raise KeyError("crashed")
        case "t1":
            raise SystemExit("left")
        case "t2":
            raise asyncio.CancelledError
        case "t3":
            crash(task.__class__(id="t3", prompt=""))
        case "t4":
            raise MemoryError


class Crashing(Shop):
    def open(self, task: Task) -> None:
        super().open(task)
        crash(task)


def test_an_environment_that_crashes_is_one_failed_record_and_the_others_go_on(store: Store) -> None:
    environment = spec(Crashing)
    made, verdicts = run(store, plan(8, 2, environment=environment, retries=0), ScriptedPolicy([ADD, "Done."]))
    kinds = [one.error.kind if one.error else "" for one in made[::2]]
    assert kinds == ["KeyError", "SystemExit", "RuntimeError", "RecursionError", "MemoryError", "", "", ""]
    assert [verdict.reward for verdict in verdicts] == [None] * 10 + [1.0] * 6


@pytest.mark.timeout(1000, method="thread")  # the other method has an alarm of its own
@pytest.mark.parametrize("kind", ["plain", "async"])
def test_a_verifier_that_hangs_costs_its_verdicts_and_nothing_else(
    store: Store, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lift_module, "_LONGEST_S", 1.5)

    def hang(task: Task, trajectory: Trajectory) -> float:
        while task.id == "t1":
            pass
        return 1.0

    async def hang_async(task: Task, trajectory: Trajectory) -> float:
        await asyncio.sleep(900 if task.id == "t1" else 0)
        return 1.0

    verifier = lift("hanging", hang if kind == "plain" else hang_async)
    what = plan(3, 1, verifier=verifier, verifier_seconds=1.5)
    _, verdicts = run(store, what, ScriptedPolicy(["Done."]))
    assert [verdict.reward for verdict in verdicts] == [1.0, None, 1.0]
    broken = verdicts[1].error
    assert broken is not None and broken.fault is Fault.VERIFIER and "took more than 1.5 s" in broken.message
    well = msgspec.structs.replace(what, verifier=Constant(verifier.name))
    _, verdicts = run(store, well, ScriptedPolicy([AssertionError("asked again")]))
    assert [verdict.reward for verdict in verdicts] == [1.0, 0.25, 1.0], "it was asked again about what it owed"


@pytest.mark.parametrize("wrong", ["fewer", "others"])
def test_verdicts_on_other_trajectories_than_those_asked_about_are_the_verifiers_failure(
    store: Store, wrong: str
) -> None:
    class Careless(Constant):
        async def verify(self, task: Task, group: Sequence[Trajectory], context: Context) -> list[Verdict]:
            found = await super().verify(task, group, context)
            return found[1:] if wrong == "fewer" else found[::-1]

    _, verdicts = run(store, plan(1, 2, verifier=Careless("careless@1")), ScriptedPolicy(["Done."]))
    assert [verdict.reward for verdict in verdicts] == [None, None]
    assert verdicts[0].error is not None and "other trajectories than those of the group" in verdicts[0].error.message


def test_a_disk_that_is_full_is_said_and_the_same_call_goes_on_when_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "_PATIENCE_S", 0)
    path = tmp_path / "store.db"
    what = plan(40, 2, concurrency=4, environment=spec(Wordy))
    small = Store(path)
    small.begin_run("r", "rollout", {}, what.tasks)
    small.close()
    small = Store(path)
    event.listen(small._engine, "connect", lambda connection, _: connection.execute("PRAGMA max_page_count=80"))
    small._engine.dispose()
    seen: list[int] = []
    policy = Counting(pause_s=0.02)
    with pytest.raises(
        InfrastructureFailure, match=r"store\.db could not be written, because the disk is full.*Earlier results"
    ):
        run(small, what, policy, lambda now: seen.append(now.done))
    small.close()
    store = Store(path)
    kept = store.trajectories("r")
    assert 0 < len(kept) < 80 and len(kept) >= seen[-1] > 0
    assert len(policy.begun) < 80, "no more were run when nothing could be kept"
    rest = Counting()
    made, verdicts = run(store, what, rest)
    assert len(rest.begun) == 80 - len(kept)
    assert len(made) == len(verdicts) == 80
    store.close()


class Wordy(Shop):
    def end_state(self) -> dict[str, Any]:
        return {**super().end_state(), "words": "w" * 5000}


def test_a_progress_callback_that_raises_ends_the_run_with_its_own_exception(store: Store) -> None:
    def fail(now: Progress) -> None:
        if now.done:
            raise BrokenPipeError("nobody reads")

    what = plan(3000, 2, concurrency=8)
    with pytest.raises(BrokenPipeError, match="nobody reads"):
        run(store, what, ScriptedPolicy(["Done."]), fail)
    assert 0 < len(store.trajectories("r")) < 6000


def test_commits_do_not_wait_for_an_environment_that_fills_the_loops_threads(store: Store) -> None:
    release = threading.Event()
    counted: list[int] = []

    class Greedy(Shop):
        async def open(self, task: Task) -> None:  # type: ignore[override]
            super().open(task)
            if task.id != "t0":
                await asyncio.to_thread(release.wait, 900)

    def check(now: Progress) -> None:
        counted.append(now.done)
        if now.done:
            release.set()

    began = time.monotonic()
    run(store, plan(101, 1, environment=spec(Greedy)), ScriptedPolicy(["Done."]), check)
    assert time.monotonic() - began < 600
    assert counted[-1] == 101


@pytest.mark.parametrize("where", ["the policy", "a thread", "an async tool"])
def test_a_run_that_is_cancelled_closes_every_episode_that_it_opened(store: Store, where: str) -> None:
    opened: list[int] = []
    closed: list[int] = []
    release = threading.Event()

    class Closing(Shop):
        def open(self, task: Task) -> None:
            super().open(task)
            opened.append(id(self))

        @tool
        def block(self) -> str:
            release.wait()
            return ""

        def close(self) -> None:
            closed.append(id(self))

    class WithAsync(Closing):
        @tool
        async def wait(self) -> str:
            await asyncio.sleep(3600)
            return ""

    async def answer(request: Request) -> str:
        if where == "the policy":
            await asyncio.sleep(3600)
        return f'{{"tool": "{"block" if where == "a thread" else "wait"}", "args": {{}}}}'

    what = plan(8, 2, environment=spec(Closing if where == "a thread" else WithAsync))
    store.begin_run("r", "rollout", {}, what.tasks)

    async def cancel() -> None:
        work = asyncio.create_task(run_many(store, what, ScriptedPolicy(answer)))
        while len(opened) < 16:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        work.cancel()
        await work

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancel())
    release.set()
    assert len(opened) == 16 and sorted(closed) == sorted(opened)
    assert store.run("r").finished is None


@pytest.mark.timeout(1000, method="thread")
def test_two_runs_in_one_loop_do_not_disturb_each_other(store: Store) -> None:
    one, two = plan(10, 2, run="one"), plan(40, 2, run="two")
    for what in (one, two):
        store.begin_run(what.run, "rollout", {}, what.tasks)

    async def both() -> list[Progress]:
        policy = ScriptedPolicy([ADD, "Done."], latency_s=0.001)
        return await asyncio.gather(*(run_many(store, what, policy) for what in (one, two)))

    before = gc.get_threshold()
    assert [(now.done, now.passed) for now in asyncio.run(both())] == [(20, 20), (80, 80)]
    assert gc.get_threshold() == before


def test_what_is_finished_leaves_memory(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only groups in flight are held, and what waits to be committed."""
    monkeypatch.setattr(writer_module, "_MAX_WAITING", 100)
    monkeypatch.setattr(writer_module, "_BATCH", 50)
    live: list[int] = []
    begun = 0

    async def answer(request: Request) -> str:
        nonlocal begun
        begun += 1
        if begun % 500 == 0:
            live.append(sum(type(one) is Trajectory for one in gc.get_objects()))
        await asyncio.sleep(0)
        return "Done."

    gc.collect()
    run_only(store, plan(1500, 2, concurrency=8, run="memory"), ScriptedPolicy(answer))
    assert len(live) == 6 and max(live) < 2 * 100 + 2 * 8 * 2, live
    gc.collect()
    assert not [one for one in gc.get_objects() if type(one) is Trajectory and one.group.startswith("memory")]


def run_only(store: Store, what: RunPlan, policy: Any) -> None:
    store.begin_run(what.run, "rollout", {}, what.tasks)
    asyncio.run(run_many(store, what, policy))


# -- any interruption -------------------------------------------------------------------------------------------------


class Cut(Exception):
    pass


async def life(store: Store, what: RunPlan, policy: "Dying", how: str) -> None:
    """One try at the run, ended when the policy says so."""

    def on_progress(now: Progress) -> None:
        if how == "progress" and policy.over:
            raise Cut

    work = asyncio.create_task(run_many(store, what, policy, on_progress))
    if how == "cancelled":
        policy.end = work.cancel
    await work


class Dying:
    """Counts what it begins; after so many, the end comes in one of several ways."""

    def __init__(self, after: int, how: str) -> None:
        self.after, self.how = after, how
        self.begun: list[int] = []
        self.told = False
        self.end: Any = lambda: None
        self.inner = ScriptedPolicy([ADD, "Done."])

    @property
    def over(self) -> bool:
        return len(self.begun) > self.after

    async def respond(self, request: Request) -> Any:
        if not request.turns:
            self.begun.append(request.seed)
        await asyncio.sleep(0)
        if self.over:
            if self.how == "interrupted" and not self.told:
                self.told = True
                signal.raise_signal(signal.SIGINT)
            self.end()
        return await self.inner.respond(request)


def final(store: Store, what: RunPlan) -> Any:
    made, verdicts = results(store, what)
    run = store.run(what.run)
    bare = [
        msgspec.structs.replace(
            one, seconds=0.0, turns=[msgspec.structs.replace(turn, latency_s=0.0) for turn in one.turns]
        )
        for one in made
    ]
    return bare, verdicts, (run.trajectories, run.scored, run.passed, run.verifier, run.finished is not None)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 5),
    st.integers(1, 3),
    st.integers(1, 6),
    st.lists(
        st.tuples(st.integers(0, 10), st.sampled_from(["interrupted", "cancelled", "progress"])), min_size=1, max_size=3
    ),
)
def test_however_often_a_run_is_cut_its_end_is_that_of_one_that_was_not_and_nothing_committed_is_run_twice(
    count: int, k: int, concurrency: int, cuts: list[tuple[int, str]]
) -> None:
    with tempfile.TemporaryDirectory() as place:
        whole, store = Store(Path(place) / "whole.db"), Store(Path(place) / "cut.db")
        what = plan(count, k, concurrency=concurrency)
        for each in (whole, store):
            each.begin_run("r", "rollout", {}, what.tasks)
        asyncio.run(run_many(whole, what, Counting()))
        for after, how in [*cuts, (10**9, "")]:
            committed = {one.seed for one in store.trajectories("r")}
            policy = Dying(after, how)
            with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError, Cut):
                asyncio.run(life(store, what, policy, how))
            assert committed.isdisjoint(policy.begun)
            assert len(policy.begun) == len(set(policy.begun))
            assert committed <= {one.seed for one in store.trajectories("r")}, "what was committed stays"
        assert final(store, what) == final(whole, what)
        whole.close()
        store.close()
