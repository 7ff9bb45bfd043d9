"""The training loops on a tiny model: what a step is made of, and a run that was killed ends where it would have ended.
That they learn is in test_learning.py."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
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
from verigym.core.records import Example, Message, Preference, Sample, Sampling, Stop, Task, Trajectory, Verdict
from verigym.core.seeds import derive
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox
from verigym.model import lora
from verigym.model.forward_check import can_share
from verigym.policies.local.policy import LocalPolicy
from verigym.policies.render import Renderer
from verigym.rollout.episode import run_episode
from verigym.rollout.settings import RunSettings
from verigym.training import grpo
from verigym.training import learner as learner_module
from verigym.training.groups import Group, Source, less
from verigym.training.grpo import train_grpo
from verigym.training.learner import UPDATES, LocalLearner
from verigym.training.offline import batch, hold_out, train_dpo, train_reward, train_sft
from verigym.training.recipe import Recipe, make_recipe
from verigym.training.samples import example_samples, from_trajectory, preference_pair, reward_pair
from verigym.training.update import logprobs_of

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
    return make_recipe(given, [], "r.yaml")


def fresh_policy(head: bool = False) -> LocalPolicy:
    """As a new process would make it."""
    loaded = tiny()
    lora.attach(loaded.model, lora.LoraConfig(r=8, alpha=16, head=head), seed=1)
    return LocalPolicy(loaded)


def assert_same_weights(one: Any, other: Any) -> None:
    theirs = lora.weights(other)
    for name, weight in lora.weights(one).items():
        assert torch.equal(weight, theirs[name]), name


def assert_resumes_exactly(
    run: Callable[[LocalPolicy, Path, Reporter], object], folder: Path, *, dies_at: int, steps: int, head: bool = False
) -> tuple[Reporter, Reporter]:
    """A run that dies at a step and is repeated ends with the weights of a run that was never killed. Returns what both said."""
    whole, last = fresh_policy(head), Reporter()
    run(whole, folder / "whole", last)
    with pytest.raises(Killed):
        run(fresh_policy(head), folder / "cut", Reporter(dies_at))
    resumed, rest = fresh_policy(head), Reporter()
    run(resumed, folder / "cut", rest)
    assert list(rest.steps) == list(range(dies_at, steps + 1)), "only what was lost is done again"
    assert_same_weights(resumed.model, whole.model)
    return last, rest


# -- SFT --------------------------------------------------------------------------------------------------------------


def demonstrations() -> list[Sample]:
    render = Renderer(tiny().tokenizer)
    answers = ["Here is tea.", "No jam today!", '{"tool": "milk"}', "salt & pepper"]
    return [
        sample
        for task, answer in zip(TASKS, answers, strict=False)
        for sample in example_samples(
            render,
            Example(
                task=task.id, items=[Message("user", str(task.prompt)), Message("assistant", answer)], made=[(1, 2)]
            ),
        )
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


@pytest.mark.usefixtures("checkpoint_every_step")
@pytest.mark.parametrize("dies_at", [1, 4, 6], ids=["at the first step", "on the way", "at the last step"])
def test_sft_that_was_killed_ends_where_it_would_have_ended(dies_at: int, tmp_path: Path) -> None:
    assert_resumes_exactly(run_sft, tmp_path, dies_at=dies_at, steps=6)


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


Score = Callable[[Trajectory], Verdict]


class Rollouts:
    """Samples the groups that a step asks for, and remembers what was asked."""

    def __init__(self, policy: LocalPolicy, settings: Recipe, score: Score, sources: Sequence[Source]) -> None:
        self.policy, self.settings, self.score, self.sources = policy, settings, score, sources
        self.changes: list[int] = []
        self.asked: list[tuple[int, int, dict[str, list[str]]]] = []
        self.groups: list[Group] = []
        self.taken: dict[int, dict[str, float]] = {}

    def keep_kl_share(self, step: int, taken: Mapping[str, float]) -> None:
        self.taken[step] = dict(taken)

    def weights_changed(self, step: int) -> None:
        self.changes.append(step)
        self.policy.weights_changed(f"run@{step}")

    async def evaluate(self, step: int) -> dict[str, float]:
        return await no_evaluation(step)

    async def collect(self, step: int, number: int, picked: Mapping[str, list[Task]]) -> list[Group]:
        self.asked.append((step, number, {name: [task.id for task in tasks] for name, tasks in picked.items()}))
        made = await asyncio.gather(
            *(self._group(step, number, name, task) for name, tasks in picked.items() for task in tasks)
        )
        self.groups += made
        return made

    async def _group(self, step: int, number: int, name: str, task: Task) -> Group:
        settings = self.settings
        episodes = [
            run_episode(
                CHAT,
                task,
                self.policy,
                RunSettings(
                    sampling=Sampling(temperature=settings.temperature, max_tokens=settings.max_tokens or 0),
                    seed=derive(settings.seed, step, number, task.id, i),
                ),
                agent=AGENT,
                id=f"{task.id}/{i}",
                group=task.id,
            )
            for i in range(settings.num_generations_per_prompt)
        ]
        made = list(await asyncio.gather(*episodes))
        return Group(name, made, [self.score(one) for one in made])


def sampled_recipe(**fields: Any) -> Recipe:
    return recipe(**{"algorithm": "grpo", "num_generations_per_prompt": 4, "max_tokens": 8, **fields})


def rollouts_of(policy: LocalPolicy, settings: Recipe, score: Score = letters) -> Any:
    return Rollouts(policy, settings, score, [Source("chat", 1.0, TASKS)])


def run_grpo(
    policy: LocalPolicy,
    folder: Path,
    reporter: Reporter,
    score: Score = letters,
    sources: Sequence[Source] = (Source("chat", 1.0, TASKS),),
    reference: Any = None,
    **fields: Any,
) -> tuple[list[int], Rollouts]:
    """Returns the steps after which the weights were said to have changed, and what was sampled."""
    settings = sampled_recipe(**fields)
    rollouts: Any = Rollouts(policy, settings, score, sources)
    asyncio.run(train_grpo(policy.model, settings, rollouts, folder, reference=reference, report=reporter))
    return rollouts.changes, rollouts


@pytest.mark.usefixtures("checkpoint_every_step")
@pytest.mark.parametrize("dies_at", [1, 3], ids=["at the first step", "on the way"])
@pytest.mark.parametrize("updates", [1, 2], ids=["one update a batch", "two updates a batch"])
def test_grpo_that_was_killed_ends_where_it_would_have_ended(updates: int, dies_at: int, tmp_path: Path) -> None:
    changes: list[list[int]] = []

    def run(policy: LocalPolicy, folder: Path, reporter: Reporter) -> None:
        changes.append(run_grpo(policy, folder, reporter, steps=5, updates_per_batch=updates)[0])

    last, rest = assert_resumes_exactly(run, tmp_path, dies_at=dies_at, steps=5)
    assert changes[-1][0] == dies_at - 1, "the sampler is told of the weights it begins with"
    assert rest.steps[5]["reward"] == last.steps[5]["reward"]


@pytest.mark.usefixtures("checkpoint_every_step")
@pytest.mark.parametrize(
    ("algorithm", "fields"),
    [
        ("dr_grpo", {}),
        ("dapo", {"updates_per_batch": 2, "episodes": {"dynamic_rounds": 1}}),
        ("gspo", {"updates_per_batch": 2, "loss": {"kl": 0.1}}),
        ("gspo", {"updates_per_batch": 2, "advantage": {"credit": "step"}}),
        ("cispo", {"updates_per_batch": 2, "loss": {"entropy_bonus": 0.01}}),
        ("rloo", {"loss": {"kl": 0.1}}),
    ],
    ids=["dr_grpo", "dapo", "gspo", "gspo-token", "cispo", "rloo"],
)
def test_every_algorithm_that_was_killed_ends_where_it_would_have_ended(
    algorithm: str, fields: dict[str, Any], tmp_path: Path
) -> None:
    run = partial(run_grpo, algorithm=algorithm, steps=3, num_generations_per_prompt=3, **fields)
    assert_resumes_exactly(run, tmp_path, dies_at=3, steps=3)


def test_groups_that_say_nothing_change_nothing(tmp_path: Path) -> None:
    policy, reporter = fresh_policy(), Reporter()
    before = lora.weights(policy.model)
    changes, _ = run_grpo(
        policy, tmp_path, reporter, steps=2, score=lambda one: Verdict(trajectory=one.id, verifier="v", reward=0.5)
    )
    assert changes == [0, 1, 2]
    assert all(torch.equal(weight, before[name]) for name, weight in lora.weights(policy.model).items())
    assert "loss" not in reporter.steps[2]
    assert (reporter.steps[2]["reward"], reporter.steps[2]["live_groups"]) == (0.5, 0.0)


def test_episodes_without_a_reward_are_counted_and_not_trained_on(tmp_path: Path) -> None:
    policy, reporter = fresh_policy(), Reporter()

    def score(one: Trajectory) -> Verdict:
        rewards = {"0": None, "1": 1.0, "2": 0.0, "3": 0.0}
        return Verdict(trajectory=one.id, verifier="v", reward=rewards[one.id[-1]])

    run_grpo(policy, tmp_path, reporter, steps=1, score=score, prompts_per_step=2)
    (metrics,) = reporter.steps.values()
    assert (metrics["unscored"], metrics["reward"], metrics["live_groups"]) == (2, pytest.approx(1 / 3), 1.0)


def test_dynamic_sampling_replaces_groups_without_signal(tmp_path: Path) -> None:
    """Only one task in six has any signal: it is looked for, round by round, and no task is tried twice a step."""

    def score(one: Trajectory) -> Verdict:
        reward = int(one.id[-1]) / 4 if one.task == "t3" else 0.0
        return Verdict(trajectory=one.id, verifier="v", reward=reward)

    reporter = Reporter()
    _, rollouts = run_grpo(
        fresh_policy(), tmp_path, reporter, score, steps=2, algorithm="dapo", episodes={"dynamic_rounds": 3}
    )
    for step in (1, 2):
        rounds = [tasks["chat"] for at, _, tasks in rollouts.asked if at == step]
        tried = [task for tasks in rounds for task in tasks]
        assert len(set(tried)) == len(tried) and len(rounds[0]) == 2
        for number, tasks in enumerate(rounds[1:], start=1):
            found = any("t3" in earlier for earlier in rounds[:number])
            assert len(tasks) <= 2 - found, "as many as are still wanted"
        assert [number for at, number, _ in rollouts.asked if at == step] == list(range(len(rounds)))
        assert ("t3" in tried) == ("loss" in reporter.steps[step])
    assert any("t3" in tasks["chat"] for _, _, tasks in rollouts.asked)


def test_dynamic_sampling_stops_as_soon_as_the_step_is_full(tmp_path: Path) -> None:
    _, rollouts = run_grpo(
        fresh_policy(), tmp_path, Reporter(), steps=2, episodes={"dynamic_rounds": 3}, score=by_place
    )
    assert [(step, number) for step, number, _ in rollouts.asked] == [(1, 0), (2, 0)]


def by_place(one: Trajectory) -> Verdict:
    return Verdict(trajectory=one.id, verifier="v", reward=float(one.id[-1] == "0"))


def test_a_mixture_is_sampled_by_its_shares_and_told_apart_in_the_figures(tmp_path: Path) -> None:
    reporter = Reporter()
    sources = [Source("chat", 1.0, TASKS[:3]), Source("other", 1.0, TASKS[3:])]
    _, rollouts = run_grpo(fresh_policy(), tmp_path, reporter, by_place, sources, steps=4, prompts_per_step=3)
    assert {name for _, _, tasks in rollouts.asked for name in tasks} == {"chat", "other"}
    assert {name for metrics in reporter.steps.values() for name in metrics if "/" in name} >= {
        "chat/reward", "other/reward",
    }  # fmt: skip


def test_cut_off_replies_are_counted_in_the_mean_and_not_learnt_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[int, int]] = []
    right = UPDATES["policy"]

    def watched(model: Any, optimizer: Any, samples: Sequence[Sample], *given: Any, **named: Any) -> Any:
        seen.append((len(samples), named["rows"]))
        return right(model, optimizer, samples, *given, **named)

    monkeypatch.setitem(UPDATES, "policy", watched)
    fields: Any = {"steps": 1, "episodes": {"mask_truncated": True}, "max_tokens": 40, "num_generations_per_prompt": 8}
    _, rollouts = run_grpo(fresh_policy(), tmp_path, Reporter(), by_place, **fields)
    episodes = [one for group in rollouts.groups for one in group.trajectories]
    cut = sum(one.stop is Stop.MAX_TOKENS for one in episodes)
    assert 0 < cut < len(episodes), "some of each, or nothing is shown"
    assert seen == [(len(episodes) - cut, len(episodes))]


def test_kl_in_the_reward_is_the_divergence_from_the_reference(tmp_path: Path) -> None:
    """RLOO's: the reward less kl times the sum over the reply of logprob now less logprob of the reference."""
    policy = fresh_policy()
    other = {name: weight + 0.02 for name, weight in lora.weights(policy.model).items()}
    settings = recipe(algorithm="rloo", loss={"kl": 0.3}, max_tokens=6, num_generations_per_prompt=3)
    rollouts = Rollouts(policy, settings, by_place, ())
    groups = asyncio.run(rollouts.collect(1, 0, {"chat": TASKS[:2]}))
    groups = [groups[0]._replace(rewards=[1.0, 0.0, None]), groups[1]._replace(rewards=[0.5, 0.0, 0.0])]
    taken, mean = grpo._kl_share(LocalLearner(policy.model, settings, other), groups, settings)
    flat: list[float] = []
    for group in groups:
        for trajectory, reward, value in zip(
            group.trajectories, group.rewards, less(group, taken).rewards, strict=True
        ):
            samples = from_trajectory(trajectory, 0.0)
            [now] = logprobs_of(policy.model, samples)
            with lora.with_weights(policy.model, other):
                [then] = logprobs_of(policy.model, samples)
            flat += [a - b for a, b in zip(now, then, strict=True)]
            assert value == (None if reward is None else pytest.approx(reward - 0.3 * (sum(now) - sum(then)), abs=1e-4))
    assert mean == pytest.approx(sum(flat) / len(flat), abs=1e-4)


@pytest.mark.parametrize("algorithm", ["grpo", "dr_grpo", "dapo", "gspo", "cispo", "rloo"])
def test_every_algorithm_makes_its_steps_with_a_reference(algorithm: str, tmp_path: Path) -> None:
    policy, reporter = fresh_policy(), Reporter()
    start = lora.weights(policy.model)
    run_grpo(policy, tmp_path, reporter, by_place, reference=start, algorithm=algorithm, steps=2, loss={"kl": 0.1})
    assert reporter.steps[1]["kl"] == pytest.approx(0, abs=1e-5), "at the first step it is where it started"
    assert reporter.steps[2]["kl"] != 0
    assert any(not torch.equal(weight, start[name]) for name, weight in lora.weights(policy.model).items())


# -- preferences ------------------------------------------------------------------------------------------------------


def pairs() -> list[Preference]:
    return [
        Preference(
            task=task.id,
            prompt=[Message("user", str(task.prompt))],
            chosen=[Message("assistant", "yes")],
            rejected=[Message("assistant", f"no {task.id}")],
        )
        for task in TASKS
    ]


def run_dpo(policy: LocalPolicy, folder: Path, reporter: Reporter, **fields: Any) -> None:
    render = Renderer(tiny().tokenizer)
    rows = [preference_pair(render, pair) for pair in pairs()]
    settings = recipe(algorithm="dpo", data="pairs", **fields)
    asyncio.run(
        train_dpo(policy.model, settings, rows, folder, reference=None, evaluate=no_evaluation, report=reporter)
    )


async def nothing_held_out(step: int) -> dict[str, float]:
    return {}


def run_reward(policy: LocalPolicy, folder: Path, reporter: Reporter, **fields: Any) -> None:
    render = Renderer(tiny().tokenizer)
    rows = [(reward_pair(render, pair), 0.5) for pair in pairs()]
    settings = recipe(algorithm="reward", data="pairs", **fields)
    asyncio.run(train_reward(policy.model, settings, rows, folder, evaluate=nothing_held_out, report=reporter))


@pytest.mark.usefixtures("checkpoint_every_step")
@pytest.mark.parametrize(("run", "head"), [(run_dpo, False), (run_reward, True)], ids=["dpo", "reward"])
def test_killed_training_on_pairs_resumes_to_the_same_weights(run: Any, head: bool, tmp_path: Path) -> None:
    assert_resumes_exactly(run, tmp_path, dies_at=4, steps=6, head=head)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=60), st.integers(0, 3))
def test_a_tenth_of_the_families_is_held_out_whole(families: list[int], seed: int) -> None:
    rows = [Preference(task=f"t{i}", family=f"f{n}", prompt=[], chosen=[], rejected=[]) for i, n in enumerate(families)]
    kept, unseen = hold_out(rows, seed)
    assert (kept, unseen) == hold_out(rows, seed)
    assert sorted(row.task for row in kept + unseen) == sorted(row.task for row in rows)
    assert not {row.family for row in kept} & {row.family for row in unseen}
    assert len({row.family for row in unseen}) == len(set(families)) // 10


# -- the first step ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("run", [run_sft, run_grpo, run_dpo, run_reward], ids=["sft", "grpo", "dpo", "reward"])
def test_a_run_whose_forward_is_wrong_stops_before_its_first_update(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy, reporter = fresh_policy(head=run is run_reward), Reporter()
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
    calls: list[None] = []
    check = learner_module.check_agreement
    monkeypatch.setattr(learner_module, "check_agreement", lambda *given: calls.append(check(*given)))
    for number, run in enumerate((run_sft, run_grpo, run_dpo, run_reward), start=1):
        run(fresh_policy(head=run is run_reward), tmp_path / str(number), Reporter(), steps=4)
        assert len(calls) == number


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
