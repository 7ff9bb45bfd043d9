"""Many episodes: whole groups, nothing run twice, everything scored."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.rollout.shop import ADD, AGENT, spec, tasks
from verigym.core.errors import ContextFull, InfrastructureFailure
from verigym.core.protocols import Context, Request
from verigym.core.records import Fault, Message, Task, Trajectory, Verdict
from verigym.core.seeds import derive
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.many import Plan, Progress, results, run_many
from verigym.store.database import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "store.db")
    yield made
    made.close()


def plan(count: int = 3, k: int = 2, **settings: Any) -> Plan:
    environment = spec()
    given = {
        "run": "r",
        "environment": environment,
        "tasks": tasks(count),
        "verifier": environment.verifier,
        **settings,
    }
    return Plan(agent=AGENT, k=k, **given)


def run(
    store: Store, what: Plan, policy: Any, on_progress: Any = lambda _: None
) -> tuple[list[Trajectory], list[Verdict]]:
    store.begin_run(what.run, "rollout", {}, what.tasks)
    asyncio.run(run_many(store, what, policy, on_progress))
    return results(store, what)


class Counting:
    """Calls the tool, then is done; counts the first turns it was asked for, by prompt and seed."""

    def __init__(self, stop_after: int = 10**9, error: BaseException | None = None) -> None:
        self.begun: Counter[tuple[str, int]] = Counter()
        self.stop_after, self.error = stop_after, error
        self.inner = ScriptedPolicy([ADD, "Done."])

    async def respond(self, request: Request) -> Any:
        if not request.turns:
            if len(self.begun) >= self.stop_after:
                assert self.error is not None
                raise self.error
            user = next(item for item in request.items if isinstance(item, Message) and item.role == "user")
            self.begun[user.text, request.seed] += 1
        return await self.inner.respond(request)


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

    run(store, plan(40, 4, concurrency=8), ScriptedPolicy([ADD, "Done."]), check)
    assert seen[0] == Progress(total=160)
    assert seen[-1] == Progress(total=160, done=160, passed=160)
    assert len(seen) > 2, "it is told on the way, not only at the end"
