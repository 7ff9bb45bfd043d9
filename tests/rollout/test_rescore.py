"""Stored runs scored again: no model, no environment, every verdict kept, and the last verifier's count."""

import asyncio
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.rollout.shop import ADD, Shop, spec
from tests.rollout.test_many import Flaky, plan, run
from verigym.core.errors import InfrastructureFailure, VerifierFailure
from verigym.core.protocols import Context, Policy, Verifier
from verigym.core.records import Task, Trajectory, Verdict
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.many import Progress
from verigym.rollout.rescore import RescoreResult, rescore
from verigym.store.database import Store
from verigym.verifiers.lift import lift


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "store.db")
    yield made
    made.close()


def again(
    store: Store, verifier: Verifier, run: str = "r", context: Context = Context(), **settings: Any
) -> RescoreResult:
    return asyncio.run(rescore(store, run, verifier, context, **settings))


def test_a_new_verifiers_verdicts_stand_beside_the_old_ones_and_count(store: Store) -> None:
    _, before = run(store, plan(3, 2), ScriptedPolicy([ADD, "Done."]))
    verifier = lift("strict", lambda task, trajectory: float(task.id == "t1"))
    found = again(store, verifier)
    assert found == RescoreResult(
        verifier=verifier.name,
        before=before[0].verifier,
        trajectories=6,
        scored=6,
        passed=2,
        lost=found.lost,
        moved=4,
    )
    assert sorted(found.lost) == ["r/t0/0", "r/t0/1", "r/t2/0", "r/t2/1"]
    assert len(store.verdicts("r", "*")) == 12
    assert sorted(one.trajectory for one in store.verdicts("r") if one.passed) == ["r/t1/0", "r/t1/1"]
    known = store.run("r")
    assert (known.verifier, known.passed, known.scored) == (verifier.name, 2, 6)


def test_what_passes_now_and_did_not_before_is_gained(store: Store) -> None:
    run(store, plan(2, 1), ScriptedPolicy(["no tea"]))
    found = again(store, lift("kind", lambda task, trajectory: True))
    assert (sorted(found.gained), found.lost, found.moved) == (["r/t0/0", "r/t1/0"], [], 2)


def test_the_same_verifier_again_changes_nothing(store: Store) -> None:
    what = plan(2, 2)
    _, before = run(store, what, ScriptedPolicy([ADD, "Done."]))
    found = again(store, what.verifier)
    assert (found.gained, found.lost, found.moved, found.passed) == ([], [], 0, 4)
    assert sorted(store.verdicts("r", "*"), key=lambda one: one.trajectory) == before


class Grouped:
    name = "grouped@1"

    def __init__(self) -> None:
        self.groups: list[list[str]] = []

    async def verify(self, task: Task, group: Sequence[Trajectory], context: Context) -> list[Verdict]:
        self.groups.append([one.id for one in group])
        await asyncio.sleep(0)
        return [Verdict(trajectory=one.id, verifier=self.name, reward=0.5) for one in group]


@pytest.mark.parametrize("concurrency", [1, 3, 64])
def test_groups_are_judged_whole_and_once(store: Store, concurrency: int) -> None:
    run(store, plan(5, 3), ScriptedPolicy(["Done."]))
    verifier = Grouped()
    again(store, verifier, concurrency=concurrency)
    assert sorted(verifier.groups) == [[f"r/t{task}/{index}" for index in range(3)] for task in range(5)]


def test_a_run_may_be_named_by_its_beginning(store: Store) -> None:
    run(store, plan(2, 1, run="rollout-abc"), ScriptedPolicy([ADD, "Done."]))
    assert again(store, lift("v", lambda task, trajectory: True), run="roll").trajectories == 2
    assert again(store, lift("w", lambda task, trajectory: True), run="latest").trajectories == 2


def test_a_verifier_that_breaks_costs_its_verdicts_and_never_scores_0(store: Store) -> None:
    run(store, plan(2, 1), ScriptedPolicy([ADD, "Done."]))

    def odd(task: Task, trajectory: Trajectory) -> float:
        if task.id == "t0":
            raise KeyError("t0")
        return 1.0

    found = again(store, lift("odd", odd))
    assert (found.trajectories, found.scored, found.passed) == (2, 1, 1)
    assert {one.trajectory: one.reward for one in store.verdicts("r")} == {"r/t0/0": None, "r/t1/0": 1.0}


def test_an_episode_that_infrastructure_broke_stays_without_a_reward(store: Store) -> None:
    run(store, plan(1, 2, retries=0), Flaky(9, InfrastructureFailure("down")))
    found = again(store, lift("kind", lambda task, trajectory: True))
    assert (found.trajectories, found.scored, found.passed) == (2, 0, 0)


def test_a_verifier_may_use_the_context_and_the_blobs_of_the_run(store: Store) -> None:
    class Filing(Shop):
        def blobs(self) -> dict[str, bytes]:
            return {"page": b"tea"}

    run(store, plan(2, 1, environment=spec(Filing)), ScriptedPolicy(["Done."]))

    def verify(task: Task, trajectory: Trajectory, context: Context) -> float:
        judge: Policy = context.policies["judge"]
        return float(judge is not None and context.blob(trajectory.blobs["page"]) == b"tea")

    found = again(store, lift("filed", verify), context=Context(policies={"judge": ScriptedPolicy(["1"])}))
    assert found.passed == 2


def test_progress_counts_what_is_committed(store: Store) -> None:
    run(store, plan(10, 2), ScriptedPolicy([ADD, "Done."]))
    seen: list[tuple[int, int, int]] = []

    def check(now: Progress) -> None:
        assert len(store.verdicts("r", "kind@1")) == now.done <= now.total == 20
        seen.append((now.done, now.passed, now.errors))

    class Kind(Grouped):
        name = "kind@1"

        async def verify(self, task: Task, group: Sequence[Trajectory], context: Context) -> list[Verdict]:
            if task.id == "t3":
                raise ValueError("odd")
            return [Verdict(trajectory=one.id, verifier=self.name, reward=1.0, passed=True) for one in group]

    again(store, Kind(), on_progress=check)
    assert seen[-1] == (20, 18, 2)


def test_until_all_of_it_is_judged_the_old_verdicts_count_and_nobody_is_left_judging(store: Store) -> None:
    run(store, plan(6, 1), ScriptedPolicy([ADD, "Done."]))
    before = store.run("r").verifier
    judged: list[str] = []

    class Cut(Grouped):
        async def verify(self, task: Task, group: Sequence[Trajectory], context: Context) -> list[Verdict]:
            if task.id == "t3":
                signal.raise_signal(signal.SIGINT)
            await asyncio.sleep(0.2)
            judged.append(task.id)
            return await super().verify(task, group, context)

    with pytest.raises(KeyboardInterrupt):
        again(store, Cut())
    assert store.run("r").verifier == before
    assert judged == []
    assert again(store, Grouped()).trajectories == 6
    assert store.run("r").verifier == "grouped@1"


def test_a_verifier_that_can_judge_nothing_changes_nothing(store: Store) -> None:
    _, before = run(store, plan(3, 1), ScriptedPolicy([ADD, "Done."]))

    def down(task: Task, trajectory: Trajectory) -> float:
        raise InfrastructureFailure("the judge is gone")

    with pytest.raises(VerifierFailure, match=r"scored none of 3 trajectories. Most often: .*the judge is gone"):
        again(store, lift("down", down))
    assert store.run("r").verifier == before[0].verifier and store.run("r").passed == 3
