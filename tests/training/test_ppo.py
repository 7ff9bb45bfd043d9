"""PPO: the critic and its loss against the formulas by brute force, rewards of tokens, resuming, and learning."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.tiny import tiny
from tests.training.oracles import assert_same, gradients, shake
from tests.training.test_distill import in_digits, sampled
from tests.training.test_loops import (
    Reporter,
    assert_resumes_exactly,
    fresh_policy,
    letters,
    recipe,
    rollouts_of,
    sampled_recipe,
)
from verigym.core.errors import BadInput
from verigym.core.records import Sample, Trajectory, Turn
from verigym.model import lora
from verigym.training.critic import Critic
from verigym.training.losses import value_loss
from verigym.training.ppo import _quality, gae, token_rewards, train_ppo, whitened
from verigym.training.update import value_update, values_of

FLOATS = st.floats(-3, 3)


# -- estimators -----------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(FLOATS, FLOATS), min_size=1, max_size=7), st.floats(0.1, 1), st.floats(0, 1))
def test_gae_is_the_sum_of_discounted_errors(
    rows: list[tuple[float, float]], discount: float, smoothing: float
) -> None:
    rewards, values = [r for r, _ in rows], [v for _, v in rows]
    after = [*values[1:], 0.0]
    delta = [r + discount * later - v for r, v, later in zip(rewards, values, after, strict=True)]
    slow = [sum((discount * smoothing) ** (k - t) * delta[k] for k in range(t, len(rows))) for t in range(len(rows))]
    assert gae(rewards, values, discount, smoothing) == pytest.approx(slow, abs=1e-9)


@given(st.lists(st.tuples(FLOATS, FLOATS, st.booleans()), min_size=1, max_size=9), st.floats(0.5, 1), st.floats(0, 1))
def test_tool_tokens_are_skipped_and_not_discounted(
    rows: list[tuple[float, float, bool]], discount: float, smoothing: float
) -> None:
    """As verl does it over the whole sequence: at a tool token, the next value and advantage are carried on unchanged."""
    after = later = 0.0
    slow: list[float] = []
    for reward, value, ours in reversed(rows):
        if ours:
            later = reward + discount * after - value + discount * smoothing * later
            after = value
            slow.append(later)
    kept = [(reward, value) for reward, value, ours in rows if ours]
    fast = gae([r for r, _ in kept], [v for _, v in kept], discount, smoothing)
    assert fast == pytest.approx(slow[::-1], abs=1e-9)


def test_with_no_smoothing_and_discount_returns_are_rewards_to_come() -> None:
    values = [0.3, -0.2, 0.9]
    advantages = gae([0.0, 0.5, 1.0], values, 1.0, 1.0)
    assert [a + v for a, v in zip(advantages, values, strict=True)] == pytest.approx([1.5, 1.5, 1.0])


def test_whitening_is_over_all_tokens_of_the_batch() -> None:
    rows = whitened([[1.0, 2.0, 6.0], [-1.0]])
    flat = torch.tensor([value for row in rows for value in row], dtype=torch.float64)
    assert [len(row) for row in rows] == [3, 1]
    assert flat.mean().item() == pytest.approx(0, abs=1e-12) and flat.std().item() == pytest.approx(1, abs=1e-6)
    assert whitened([[2.0]]) == [[0.0]]


def test_explained_variance_is_one_for_a_perfect_critic_and_absent_without_spread() -> None:
    assert _quality([[1.0, 2.0]], [[1.0, 2.0]])["explained_variance"] == 1
    assert _quality([[1.5, 1.5]], [[1.0, 2.0]])["explained_variance"] == pytest.approx(0)
    assert _quality([[2.0, 1.0]], [[1.0, 2.0]])["explained_variance"] < 0
    assert "explained_variance" not in _quality([[0.0, 1.0]], [[1.0, 1.0]])


def episode(*turns: tuple[int, int]) -> Trajectory:
    """Turns as (new context tokens, sampled tokens)."""
    made = [
        Turn(
            parent=number - 1 if number else None,
            context_ids=[7] * context,
            completion_ids=[8] * reply,
            logprobs=[-1.0] * reply,
        )
        for number, (context, reply) in enumerate(turns)
    ]
    return Trajectory(id="i", task="t", group="g", turns=made)


def test_the_verdict_is_on_the_last_token_and_step_rewards_end_their_turns() -> None:
    one = episode((3, 2), (4, 1), (1, 3))
    [(sample, rewards)] = token_rewards(one, 0.7, None)
    assert rewards == [0, 0, 0, 0, 0, 0.7] and sample.mask.count(1) == 6 and not sample.advantages
    [(_, rewards)] = token_rewards(one, 0.7, [0.1, 0.2, 0.4])
    assert rewards == [0, 0.1, 0.2, 0, 0, 0.4]


# -- the critic -----------------------------------------------------------------------------------------------------


def slow_values(model: Any, sample: Sample) -> torch.Tensor:
    """The head on the hidden state before each scored token, from a forward pass of this sample alone."""
    hidden = model.model(input_ids=torch.tensor([sample.ids])).last_hidden_state[0]
    head = lora.head(model)
    assert head is not None
    return torch.stack([hidden[t - 1] @ head for t, scored in enumerate(sample.mask) if scored])


def with_head() -> Any:
    model = tiny().model
    lora.attach(model, lora.LoraConfig(r=4, head=True))
    shake(model, 3)
    return model


@pytest.mark.parametrize("clip", [0.0, 0.2], ids=["no bound", "clipped"])
@pytest.mark.parametrize("budget", [10_000, 17], ids=["one micro-batch", "several"])
def test_an_update_of_the_critic_is_the_formula_in_value_and_gradient(clip: float, budget: int) -> None:
    model = with_head()
    model._verigym_budget = budget
    samples = sampled(4)
    generator = torch.Generator().manual_seed(1)
    rows = [sum(sample.mask) for sample in samples]
    old = [(0.5 * torch.randn(n, generator=generator)).tolist() for n in rows]
    returns = [torch.randn(n, generator=generator).tolist() for n in rows]
    total = torch.zeros(())
    for sample, before, target in zip(samples, old, returns, strict=True):
        now, past, wanted = slow_values(model, sample), torch.tensor(before), torch.tensor(target)
        error = (now - wanted) ** 2
        if clip:
            near = past + (now - past).clamp(-clip, clip)
            error = torch.maximum(error, (near - wanted) ** 2)
        total = total + 0.5 * error.sum()
    loss = total / sum(rows)
    expected = gradients(loss, lora.parameters(model))
    figures = value_update(model, torch.optim.SGD(lora.parameters(model), lr=0.0), samples, old, returns, clip)
    assert figures["loss"] == pytest.approx(float(loss.detach()), rel=1e-5)
    scale = min(1.0, 1.0 / float(torch.stack([each.norm() for each in expected]).norm()))
    assert_same([parameter.grad / scale for parameter in lora.parameters(model)], expected)  # type: ignore[operator]
    assert (figures["value_clipped"] > 0) == (clip > 0)


def test_a_value_is_read_before_its_token() -> None:
    """Another token at a scored place changes the values after it, and not its own."""
    model, [sample] = with_head(), sampled(2, count=1)
    other = msgspec.structs.replace(sample, ids=[*sample.ids[:4], 9, *sample.ids[5:]])
    [one], [two] = values_of(model, [sample]), values_of(model, [other])
    assert one[:2] == pytest.approx(two[:2], abs=1e-6) and one[2] != pytest.approx(two[2], abs=1e-6)
    assert one == pytest.approx(slow_values(model, sample).tolist(), abs=1e-5)


def test_the_critic_leaves_the_policy_as_it_is() -> None:
    policy = fresh_policy()
    shake(policy.model, 1)
    before, ids = lora.weights(policy.model), [id(one) for one in lora.parameters(policy.model)]
    critic = Critic(policy.model, recipe(algorithm="ppo", critic={"learning_rate": 0.1}, steps=9))
    samples = sampled(1)
    old = critic.values(samples)
    assert all(value == 0 for row in old for value in row), "it expects nothing at first"
    critic.learn(samples, old, [[1.0] * len(row) for row in old], 2)
    assert sum(value for row in critic.values(samples) for value in row) > 0.1, "now it expects something"
    assert [id(one) for one in lora.parameters(policy.model)] == ids and lora.head(policy.model) is None
    assert all(torch.equal(weight, before[name]) for name, weight in lora.weights(policy.model).items())


def test_the_value_loss_ignores_padding() -> None:
    now, old, wanted = torch.tensor([[1.0, 5.0]]), torch.tensor([[0.0, 9.0]]), torch.tensor([[0.5, -7.0]])
    loss, _ = value_loss(now, old, wanted, torch.tensor([[True, False]]), 0.0, 1)
    assert float(loss) == pytest.approx(0.125)


# -- steps ----------------------------------------------------------------------------------------------------------


def run(policy: Any, folder: Path, reporter: Reporter, *, score: Any = letters, **fields: Any) -> None:
    critic = {"warmup": 1, "learning_rate": 1e-2}
    settings = sampled_recipe(**{"algorithm": "ppo", "steps": 4, "critic": critic, **fields})
    rollouts, start = rollouts_of(policy, settings, score), lora.weights(policy.model)
    asyncio.run(train_ppo(policy.model, settings, rollouts, folder, reference=start, report=reporter))


@pytest.mark.usefixtures("checkpoint_every_step")
def test_a_run_that_was_killed_ends_with_the_same_weights(tmp_path: Path) -> None:
    """Also the critic's: from other values, the policy would learn other advantages."""
    asked = partial(run, updates_per_batch=2, loss={"kl": 0.05})
    last, rest = assert_resumes_exactly(asked, tmp_path, dies_at=3, steps=4)
    assert rest.steps[4]["value_loss"] == last.steps[4]["value_loss"]


def test_in_the_warm_up_only_the_critic_learns(tmp_path: Path) -> None:
    policy, reporter = fresh_policy(), Reporter()
    run(policy, tmp_path, reporter, steps=3, critic={"warmup": 2, "learning_rate": 1e-2})
    assert ["loss" in row for row in reporter.steps.values()] == [False, False, True]
    assert all("value_loss" in row and "live_groups" not in row for row in reporter.steps.values())


def test_one_episode_per_task_is_enough_and_unscored_ones_are_left_out(tmp_path: Path) -> None:
    policy, reporter = fresh_policy(), Reporter()

    def score(one: Trajectory) -> Any:
        return letters(one) if one.task == "t0" else msgspec.structs.replace(letters(one), reward=None)

    fields: Any = {"num_generations_per_prompt": 1, "prompts_per_step": 6, "critic": {"warmup": 0}}
    run(policy, tmp_path, reporter, score=score, steps=1, **fields)
    assert reporter.steps[1]["unscored"] == 5 and "loss" in reporter.steps[1]


def test_the_policy_learns_and_the_critic_foresees(tmp_path: Path) -> None:
    policy, reporter = fresh_policy(), Reporter()
    fields: Any = {
        "steps": 30,
        "max_tokens": 3,
        "prompts_per_step": 4,
        "num_generations_per_prompt": 12,
        "updates_per_batch": 2,
        "critic": {"warmup": 2, "learning_rate": 1e-2, "smoothing": 0.95},
    }
    run(policy, tmp_path, reporter, score=in_digits, **fields)
    steps = list(reporter.steps.values())

    def mean(rows: list[dict[str, float]], name: str) -> float:
        return sum(row[name] for row in rows) / len(rows)

    assert mean(steps[:3], "reward") < 0.25 < 0.6 < mean(steps[-4:], "reward")
    assert mean(steps[-4:], "value_loss") < mean(steps[:3], "value_loss") + 0.05
    assert abs(mean(steps[-4:], "value") - mean(steps[-4:], "reward")) < 0.3


# -- recipes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"critic": {"warmup": 6}}, r"critic.warmup \(6\) must be smaller than steps \(6\)"),
        ({"critic": {"discount": 0}}, "critic.discount"),
        ({"critic": {"smoothing": 1.5}}, "critic.smoothing"),
        ({"critic": {"learning_rate": -1}}, "critic.learning_rate"),
        ({"critic": {"gamma": 1}}, "gamma"),
        ({"episodes": {"dynamic_rounds": 2}}, "dynamic_rounds cannot be used with ppo"),
        ({"advantage": {"credit": "state"}}, "credit: state cannot be used with ppo"),
        ({"algorithm": "grpo", "critic": {"warmup": 3}}, "critic cannot be used with grpo"),
    ],
)
def test_a_recipe_that_makes_no_sense_is_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        recipe(**{"algorithm": "ppo", **fields})
