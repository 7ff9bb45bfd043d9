"""Sampling ahead, on a simulated cluster with a clock of its own: staleness, order, kills. Training with it is in
tests/workspace/test_train_ahead.py."""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from tests.tiny import tiny
from verigym.core.errors import BadInput, Refused
from verigym.core.records import Trajectory, Turn
from verigym.model import lora
from verigym.policies.engines.fake import drawer
from verigym.policies.engines.virtual_clock import Deadlock, VirtualClock
from verigym.policies.local.policy import LocalPolicy
from verigym.training.ahead import AheadSampler, EpisodeSlots, LocalPublisher, VersionFiles, Versions, ages_of
from verigym.training.recipe import make_recipe, recipe_json

T = TypeVar("T")


def simulated(work: Awaitable[T]) -> T:
    async def run() -> T:
        return await work

    with asyncio.Runner(loop_factory=VirtualClock) as runner:
        return runner.run(run())


class Cluster(Struct):
    """A training run without a model. `stored`, `checkpoint` and `files` survive a kill."""

    ahead: int
    steps: int = 6
    tasks: int = 3
    k: int = 2
    slots: int = 4
    update_s: float = 2.0
    seed: int = 0
    stored: dict[tuple[int, int, int], int] = {}
    """The version of each episode by step, task and index."""
    checkpoint: int = 0
    files: set[int] = set()
    learnt: list[int] = []
    metrics: dict[int, dict[str, float]] = {}
    published: list[int] = []

    async def publish(self, agent: str) -> Any:
        self.published.append(int(agent.partition("@")[2]))
        return self.published[-1]

    async def close(self) -> None: ...

    async def live(self) -> None:
        """One process: from its checkpoint to the end, or until it is cancelled."""
        versions = Versions("run", self, self.ahead, self.slots)
        latency = drawer((1.0, 8.0))

        async def run(environment: Any, task: int, policy: Any, *, group: str, index: int, step: int) -> Any:
            await asyncio.sleep(latency(random.Random(f"{self.seed} {step} {task} {index}")))
            return policy

        async def sample(step: int) -> None:
            assert step - 1 - self.ahead <= versions.newest, "its version would be too old"
            done = Counter(task for at, task, _ in self.stored if at == step)
            begun = {
                f"{at}/{task}": version
                for (at, task, _), version in self.stored.items()
                if at == step and done[task] < self.k
            }
            runner = versions.runner(step, run, begun)

            async def episode(task: int, index: int) -> None:
                version: Any = await runner(None, task, None, group=f"{step}/{task}", index=index, step=step)
                assert (step, task, index) not in self.stored, "an episode is never sampled twice"
                self.stored[step, task, index] = version

            every = [(task, index) for task in range(self.tasks) for index in range(self.k)]
            missing = [one for one in every if (step, *one) not in self.stored]
            async with asyncio.TaskGroup() as group:
                for task, index in missing:
                    group.create_task(episode(task, index))

        sampler = AheadSampler(sample, self.ahead, self.steps)
        for version in sorted(self.files):
            if self.checkpoint - self.ahead <= version < self.checkpoint:
                await versions.publish(version)
        await versions.publish(self.checkpoint)
        sampler.learnt(self.checkpoint)
        self.files.add(self.checkpoint)
        try:
            for step in range(self.checkpoint + 1, self.steps + 1):
                _, self.metrics[step] = await sampler.take(step)
                assert sum(at == step for at, *_ in self.stored) == self.tasks * self.k, "a step is learnt whole"
                await asyncio.sleep(self.update_s)
                self.learnt.append(step)
                await versions.publish(step)
                sampler.learnt(step)
                self.files.add(step)
                if random.Random(f"{self.seed} {step}").random() < 0.5:
                    self.checkpoint = step
        finally:
            await sampler.close()

    def check(self) -> None:
        assert Counter((step, task) for step, task, _ in self.stored) == {
            (step, task): self.k for step in range(1, self.steps + 1) for task in range(self.tasks)
        }
        by_group: dict[tuple[int, int], set[int]] = {}
        for (step, task, _), version in self.stored.items():
            assert 0 <= step - 1 - version <= self.ahead
            by_group.setdefault((step, task), set()).add(version)
        assert all(len(versions) == 1 for versions in by_group.values()), "a group keeps its version"


kills = st.lists(st.floats(0.1, 30.0), max_size=4)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 4), st.integers(1, 8), st.integers(1, 9), st.floats(0.1, 6.0), kills, st.integers(0, 1000))
def test_staleness_is_at_most_ahead_and_every_task_is_sampled_once_whenever_it_is_killed(
    ahead: int, steps: int, slots: int, update_s: float, killed_after: list[float], seed: int
) -> None:
    run = Cluster(ahead=ahead, steps=steps, slots=slots, update_s=update_s, seed=seed)
    for seconds in killed_after:
        try:
            simulated(asyncio.wait_for(run.live(), seconds))
        except TimeoutError:
            continue
    simulated(run.live())
    run.check()


def test_without_kills_each_version_is_published_once_and_steps_are_learnt_in_order() -> None:
    run = Cluster(ahead=2, steps=8)
    simulated(run.live())
    run.check()
    assert run.learnt == [*range(1, 9)] and run.published == [*range(9)]
    assert max(step - 1 - version for (step, *_), version in run.stored.items()) == 2, "it really is ahead"


def test_the_sampler_and_the_learner_wait_for_each_other() -> None:
    slow_learner, slow_sampler = Cluster(ahead=1, update_s=100.0), Cluster(ahead=1, update_s=0.01)
    for run in (slow_learner, slow_sampler):
        simulated(run.live())
    assert slow_learner.metrics[4]["waited_for_episodes_s"] == 0
    assert slow_learner.metrics[4]["waited_for_learner_s"] > 50
    assert slow_sampler.metrics[4]["waited_for_episodes_s"] > 0.5
    assert slow_sampler.metrics[4]["waited_for_learner_s"] <= 0.01


def test_a_step_that_cannot_be_sampled_is_the_error_of_that_step() -> None:
    async def sample(step: int) -> int:
        if step == 2:
            raise BadInput("no such task")
        return step

    async def run() -> list[int]:
        sampler = AheadSampler(sample, 3, 4)
        sampler.learnt(0)
        taken = [(await sampler.take(1))[0]]
        with pytest.raises(BadInput, match="no such task"):
            await sampler.take(2)
        await sampler.close()
        return taken

    assert simulated(run()) == [1]


def test_earlier_steps_get_free_slots_first_and_cancelled_episodes_free_theirs() -> None:
    order: list[int] = []

    async def episode(slots: EpisodeSlots, step: int) -> None:
        async with slots.of(step):
            order.append(step)
            await asyncio.sleep(1)

    async def run() -> None:
        slots = EpisodeSlots(1)
        tasks = [asyncio.create_task(episode(slots, step)) for step in (5, 7, 6, 5, 7)]
        await asyncio.sleep(0.5)
        tasks[2].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    simulated(run())
    assert order == [5, 5, 7, 7]


def test_a_clock_without_anything_to_wait_for_says_so() -> None:
    with pytest.raises(Deadlock):
        simulated(asyncio.Event().wait())


def test_ages_count_the_updates_since_the_oldest_version_of_an_episode() -> None:
    def episode(id: str, *agents: str) -> Trajectory:
        turns = [Turn(agent=agent) for agent in agents]
        return Trajectory(id=id, task="t", group="g", turns=turns)

    made = [episode("a", "run@4"), episode("b", "run@3", "user", "run@2"), episode("c", "running@1")]
    assert ages_of(made, "run", 5) == {"a": 0, "b": 2}


# -- in one process ---------------------------------------------------------------------------------------------------


def policy() -> LocalPolicy:
    loaded = tiny()
    lora.attach(loaded.model, lora.LoraConfig(r=8, alpha=16), seed=1)
    return LocalPolicy(loaded)


def test_published_versions_are_copies_and_only_the_newest_stay() -> None:
    made = policy()

    async def run() -> None:
        publisher = LocalPublisher(made, keep=2)
        for step in range(4):
            await publisher.publish(f"run@{step}")
            for parameter in lora.parameters(made.model):
                parameter.data.add_(1.0)
        assert list(made.engine.adapters) == ["run@2", "run@3"]
        name, weight = next(iter(made.engine.adapters["run@2"].weights.items()))
        assert (lora.weights(made.model)[name] - weight).min() > 1.5
        await publisher.close()
        assert not made.engine.adapters

    asyncio.run(run())


def test_a_model_whose_adapters_take_turns_is_refused() -> None:
    made = policy()
    made.model.config.model_type = "other"
    with pytest.raises(Refused, match=r"cannot be sampled while it is trained.*Set ahead: 0"):
        LocalPublisher(made, keep=2)


def test_files_of_versions_are_kept_as_long_as_a_resumed_run_may_need_them(tmp_path: Path) -> None:
    made, files = policy(), VersionFiles(tmp_path, 2)
    for step in range(1, 6):
        files.write(made.model, step)
    (tmp_path / "step-000005.pt").touch()
    files.write(made.model, 6)
    assert [step for step, _ in files.read(5)] == [3, 4]
    assert sorted(path.name for path in tmp_path.glob("version-*")) == [f"version-00000{n}.pt" for n in (3, 4, 5, 6)]
    torn = tmp_path / "version-000003.pt"
    torn.write_bytes(torn.read_bytes()[:-200])
    assert [step for step, _ in files.read(5)] == [4]


# -- the recipe -------------------------------------------------------------------------------------------------------


def made_recipe(**fields: Any) -> Any:
    return make_recipe({"model": "tiny", "algorithm": "grpo", "reward": "letters", **fields}, [], "r.yaml")


def test_a_recipe_that_is_not_ahead_is_stored_as_before() -> None:
    assert "ahead" not in recipe_json(made_recipe()) and recipe_json(made_recipe(ahead=2))["ahead"] == 2


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"algorithm": "sft"}, "ahead cannot be used with sft, which samples no episodes"),
        ({"algorithm": "ppo"}, "ahead cannot be used with ppo, which has no correction"),
        ({"algorithm": "rft"}, "ahead cannot be used with rft"),
        ({"data": "run-1"}, "stored episodes are not sampled. Remove one"),
        ({"adapter": "full"}, "ahead and `adapter: full` cannot be combined"),
        ({"loss": {"correction": "none"}}, "would ignore that older weights sampled"),
        ({"ahead": -1}, "ahead"),
        ({"ahead": "two"}, "ahead"),
    ],
)
def test_combinations_without_sense_are_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        made_recipe(**{"ahead": 1, **fields})
