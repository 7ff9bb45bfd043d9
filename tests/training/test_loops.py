"""The training loops on a tiny model: they learn, and a run that was killed ends where it would have ended."""

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.model.families import forget_the_tree
from tests.rollout.shop import AGENT
from tests.tiny import tiny
from verigym.core.errors import Refused
from verigym.core.records import Message, Sample, Sampling, Task, Trajectory, Verdict
from verigym.core.seeds import derive
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox
from verigym.model import lora
from verigym.model.agree import can_share
from verigym.policies.local.policy import LocalPolicy
from verigym.policies.render import Renderer
from verigym.rollout.episode import run_episode
from verigym.training import grpo, sft
from verigym.training.grpo import Group, pick, train_grpo
from verigym.training.recipe import Recipe
from verigym.training.samples import demonstration
from verigym.training.sft import batch, train_sft

TASKS = [Task(id=f"t{i}", prompt=f"say {word}") for i, word in enumerate(["tea", "jam", "milk", "salt", "rice", "egg"])]


class Killed(Exception):
    """Stands for kill -9 in the middle of a step."""


class Reporter:
    """Keeps what was reported; dies at one step, before anything after the report is done."""

    def __init__(self, dies_at: int | None = None) -> None:
        self.steps: dict[int, dict[str, float]] = {}
        self.dies_at = dies_at

    def __call__(self, step: int, metrics: dict[str, float]) -> None:
        if step == self.dies_at:
            raise Killed
        self.steps[step] = metrics


async def no_evaluation(step: int) -> dict[str, float]:
    raise AssertionError("nothing is to be evaluated")


def recipe(**fields: Any) -> Recipe:
    given = {"model": "tiny", "reward": "letters", "steps": 6, "prompts_per_step": 2, "learning_rate": 1e-2, **fields}
    return Recipe(**given)


def fresh_policy() -> LocalPolicy:
    """As a new process would make it."""
    loaded = tiny()
    lora.attach(loaded.model, lora.LoraConfig(r=8, alpha=16), seed=1)
    return LocalPolicy(loaded)


def assert_same_weights(one: Any, other: Any) -> None:
    theirs = lora.weights(other)
    for name, weight in lora.weights(one).items():
        assert torch.allclose(weight, theirs[name], atol=1e-6), name


@pytest.fixture
def checkpoint_every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """A setting, made small: in life a checkpoint is written every ten seconds."""
    for loop in (sft, grpo):
        monkeypatch.setattr(loop, "CHECKPOINT_S", -1.0)


# -- SFT --------------------------------------------------------------------------------------------------------------


def demonstrations() -> list[Sample]:
    render = Renderer(tiny().tokenizer)
    answers = ["Here is tea.", "No jam today!", '{"tool": "milk"}', "salt & pepper"]
    return [
        demonstration(render, [Message("user", str(task.prompt))], [], [Message("assistant", answer)], task.id)
        for task, answer in zip(TASKS, answers, strict=False)
    ]


def run_sft(policy: LocalPolicy, folder: Path, reporter: Reporter, **fields: Any) -> None:
    training = train_sft(
        policy.model,
        recipe(algorithm="sft", **fields),
        demonstrations(),
        folder,
        evaluate=no_evaluation,
        report=reporter,
    )
    asyncio.run(training)


def test_sft_learns_four_demonstrations_by_heart(tmp_path: Path) -> None:
    policy, reporter = fresh_policy(), Reporter()
    run_sft(policy, tmp_path, reporter, steps=90, prompts_per_step=4, learning_rate=2e-2)
    assert reporter.steps[90]["loss"] < 0.1 * reporter.steps[1]["loss"]
    policy.changed("trained")
    ask = run_episode(
        CHAT, TASKS[1], policy, agent=AGENT, id="i", group="g", sampling=Sampling(temperature=0.0, max_tokens=30)
    )
    assert asyncio.run(ask).reply == "No jam today!", "and it says so itself, end token included"


@pytest.mark.usefixtures("checkpoint_every_step")
@pytest.mark.parametrize("dies_at", [1, 4, 6], ids=["at the first step", "on the way", "at the last step"])
def test_sft_that_was_killed_ends_where_it_would_have_ended(dies_at: int, tmp_path: Path) -> None:
    whole = fresh_policy()
    run_sft(whole, tmp_path / "whole", Reporter())
    killed, rest = fresh_policy(), Reporter()
    with pytest.raises(Killed):
        run_sft(killed, tmp_path / "cut", Reporter(dies_at))
    resumed = fresh_policy()
    run_sft(resumed, tmp_path / "cut", rest)
    assert list(rest.steps) == list(range(dies_at, 7)), "only what was lost is done again"
    assert_same_weights(resumed.model, whole.model)


def test_a_finished_run_does_nothing_more(tmp_path: Path) -> None:
    first, again, rest = fresh_policy(), fresh_policy(), Reporter()
    run_sft(first, tmp_path, Reporter())
    run_sft(again, tmp_path, rest)
    assert rest.steps == {}
    assert_same_weights(again.model, first.model)


@given(st.integers(1, 7), st.integers(1, 5), st.integers(1, 12), st.integers(0, 3))
def test_every_demonstration_is_seen_once_before_any_is_seen_again(
    count: int, size: int, steps: int, seed: int
) -> None:
    samples = [Sample(ids=[i], mask=[0], logprobs=[]) for i in range(count)]
    settings = recipe(algorithm="sft", prompts_per_step=size, seed=seed)
    seen = [sample.ids[0] for step in range(1, steps + 1) for sample in batch(samples, settings, step)]
    assert len(seen) == steps * size
    for first in range(0, len(seen), count):
        epoch = seen[first : first + count]
        assert len(set(epoch)) == len(epoch)


def test_the_order_of_demonstrations_is_the_seeds() -> None:
    samples = [Sample(ids=[i], mask=[0], logprobs=[]) for i in range(20)]
    orders = [
        [s.ids[0] for s in batch(samples, recipe(algorithm="sft", prompts_per_step=20, seed=seed), 1)]
        for seed in (0, 0, 1)
    ]
    assert orders[0] == orders[1] != orders[2]


# -- GRPO -------------------------------------------------------------------------------------------------------------


class Chat:
    """The reply is all there is."""

    def open(self, task: Task) -> None: ...


CHAT = EnvironmentSpec(
    name="chat", tasks=lambda split: TASKS, factory=Chat, toolbox=ToolBox(Chat), verifiers={}, suites={}, max_turns=1
)


def letters(trajectory: Trajectory) -> Verdict:
    """The share of small letters in the reply."""
    share = sum(letter.islower() for letter in trajectory.reply) / 8
    return Verdict(trajectory=trajectory.id, verifier="letters", reward=share, passed=share == 1)


def run_grpo(policy: LocalPolicy, folder: Path, reporter: Reporter, score: Any = letters, **fields: Any) -> list[int]:
    """Returns the steps after which the weights were said to have changed."""
    settings = recipe(algorithm="grpo", num_generations_per_prompt=4, max_tokens=8, **fields)
    sampling = Sampling(temperature=settings.temperature, max_tokens=settings.max_tokens)
    changes: list[int] = []

    async def collect(step: int, picked: list[Task]) -> list[Group]:
        async def group(task: Task) -> Group:
            episodes = [
                run_episode(
                    CHAT,
                    task,
                    policy,
                    agent=AGENT,
                    id=f"{task.id}/{i}",
                    group=task.id,
                    sampling=sampling,
                    seed=derive(settings.seed, step, task.id, i),
                )
                for i in range(settings.num_generations_per_prompt)
            ]
            made = list(await asyncio.gather(*episodes))
            return made, [score(one) for one in made]

        return list(await asyncio.gather(*map(group, picked)))

    def changed(step: int) -> None:
        changes.append(step)
        policy.changed(f"run@{step}")

    training = train_grpo(
        policy.model, settings, TASKS, folder, collect=collect, changed=changed, evaluate=no_evaluation, report=reporter
    )
    asyncio.run(training)
    return changes


def test_grpo_raises_the_reward_of_a_trivial_task(tmp_path: Path) -> None:
    policy, reporter = fresh_policy(), Reporter()
    changes = run_grpo(policy, tmp_path, reporter, steps=30, prompts_per_step=6, learning_rate=2e-2)
    rewards = [metrics["reward"] for metrics in reporter.steps.values()]
    before, after = sum(rewards[:3]) / 3, sum(rewards[-3:]) / 3
    assert after > 2 * before and after > 0.6
    assert changes == list(range(31))
    assert max(metrics["mismatch"] for metrics in reporter.steps.values()) < 1e-4, "sampler and trainer agree"
    assert all(metrics["clipped"] == 0 for metrics in reporter.steps.values()), "one update per batch clips nothing"


@pytest.mark.usefixtures("checkpoint_every_step")
@pytest.mark.parametrize("dies_at", [1, 3], ids=["at the first step", "on the way"])
@pytest.mark.parametrize("updates", [1, 2], ids=["one update a batch", "two updates a batch"])
def test_grpo_that_was_killed_ends_where_it_would_have_ended(updates: int, dies_at: int, tmp_path: Path) -> None:
    whole, reporter = fresh_policy(), Reporter()
    run_grpo(whole, tmp_path / "whole", reporter, steps=5, updates_per_batch=updates)
    killed, rest = fresh_policy(), Reporter()
    with pytest.raises(Killed):
        run_grpo(killed, tmp_path / "cut", Reporter(dies_at), steps=5, updates_per_batch=updates)
    resumed = fresh_policy()
    changes = run_grpo(resumed, tmp_path / "cut", rest, steps=5, updates_per_batch=updates)
    assert list(rest.steps) == list(range(dies_at, 6))
    assert changes[0] == dies_at - 1, "the sampler is told of the weights it begins with"
    assert_same_weights(resumed.model, whole.model)
    assert rest.steps[5]["reward"] == reporter.steps[5]["reward"]


def test_groups_that_say_nothing_change_nothing(tmp_path: Path) -> None:
    policy, reporter = fresh_policy(), Reporter()
    before = lora.weights(policy.model)
    changes = run_grpo(
        policy, tmp_path, reporter, steps=2, score=lambda one: Verdict(trajectory=one.id, verifier="v", reward=0.5)
    )
    assert changes == [0]
    assert all(torch.equal(weight, before[name]) for name, weight in lora.weights(policy.model).items())
    assert reporter.steps[2] | {"seconds": 0, "sampling_s": 0, "update_s": 0, "length": 0} == {
        "reward": 0.5, "passed": 0.0, "length": 0, "live_groups": 0.0, "unscored": 0,
        "seconds": 0, "sampling_s": 0, "update_s": 0,
    }  # fmt: skip


def test_episodes_without_a_reward_are_counted_and_not_trained_on(tmp_path: Path) -> None:
    policy, reporter = fresh_policy(), Reporter()

    def score(one: Trajectory) -> Verdict:
        rewards = {"0": None, "1": 1.0, "2": 0.0, "3": 0.0}
        return Verdict(trajectory=one.id, verifier="v", reward=rewards[one.id[-1]])

    run_grpo(policy, tmp_path, reporter, steps=1, score=score, prompts_per_step=2)
    (metrics,) = reporter.steps.values()
    assert (metrics["unscored"], metrics["reward"], metrics["live_groups"]) == (2, pytest.approx(1 / 3), 1.0)


@given(st.integers(1, 20), st.integers(1, 25), st.integers(1, 50))
def test_the_tasks_of_a_step_are_no_two_alike_and_follow_from_seed_and_step(count: int, size: int, step: int) -> None:
    tasks = [Task(id=str(i), prompt="") for i in range(count)]
    settings = recipe(algorithm="grpo", prompts_per_step=size)
    picked = [task.id for task in pick(tasks, settings, step)]
    assert len(set(picked)) == len(picked) == min(size, count)
    assert [task.id for task in pick(tasks, settings, step)] == picked


def test_over_the_steps_every_task_has_its_turn() -> None:
    tasks = [Task(id=str(i), prompt="") for i in range(8)]
    seen = Counter(task.id for step in range(1, 201) for task in pick(tasks, recipe(algorithm="grpo"), step))
    assert len(seen) == 8 and min(seen.values()) > 25


# -- the first step ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("run", [run_sft, run_grpo], ids=["sft", "grpo"])
def test_a_run_whose_forward_is_wrong_stops_before_its_first_update(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy, reporter = fresh_policy(), Reporter()
    assert can_share(policy.model)
    before = lora.weights(policy.model)
    forget_the_tree(monkeypatch)
    with pytest.raises(Refused, match="logprobs of the first batch differ"):
        run(policy, tmp_path, reporter)
    assert reporter.steps == {}
    assert all(torch.equal(weight, before[name]) for name, weight in lora.weights(policy.model).items())


@pytest.mark.usefixtures("checkpoint_every_step")
def test_a_run_that_goes_on_is_checked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Killed):
        run_sft(fresh_policy(), tmp_path, Reporter(dies_at=3))
    policy = fresh_policy()
    assert can_share(policy.model)
    forget_the_tree(monkeypatch)
    with pytest.raises(Refused, match="logprobs of the first batch differ"):
        run_sft(policy, tmp_path, Reporter())


def test_the_check_is_made_once_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for loop, run in ((sft, run_sft), (grpo, run_grpo)):
        calls: list[int] = []
        check = loop.check_agreement
        monkeypatch.setattr(
            loop, "check_agreement", lambda *given, check=check, calls=calls: calls.append(check(*given))
        )
        run(fresh_policy(), tmp_path / loop.__name__, Reporter(), steps=4)
        assert len(calls) == 1


def test_the_held_out_suite_is_measured_on_the_way(tmp_path: Path) -> None:
    policy, reporter = fresh_policy(), Reporter()

    async def evaluate(step: int) -> dict[str, float]:
        return {"held_out_success": step / 10}

    settings = recipe(algorithm="sft", steps=5, eval_interval=2, held_out_eval="val")
    asyncio.run(train_sft(policy.model, settings, demonstrations(), tmp_path, evaluate=evaluate, report=reporter))
    assert {step: one.get("held_out_success") for step, one in reporter.steps.items()} == {
        1: None,
        2: 0.2,
        3: None,
        4: 0.4,
        5: 0.5,
    }
