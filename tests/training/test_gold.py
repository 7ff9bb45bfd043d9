"""Gold solutions in groups in which every attempt fails: when they enter, and their gradient against brute force."""

import asyncio
from typing import Any

import msgspec
import pytest
import torch

from tests.training.test_loops import TASKS, demonstrations, fresh_policy, recipe
from verigym.core.errors import BadInput
from verigym.core.records import Sample, Task, Trajectory, Verdict
from verigym.model import lora
from verigym.training.gold import all_fail, gold_samples, spread
from verigym.training.groups import Group
from verigym.training.recipe_groups import PolicyLoss
from verigym.training.update import logprobs_of, policy_update

LOSS = {"clip_low": 0.2, "clip_high": 0.2, "average": "tokens", "kl": 0.0, "kl_in": "loss", "ratio": "token"}
LOSS |= {"objective": "clip", "correction_low": 0.0, "correction_high": 3.0}


def group(*passed: bool | None, task: str = "t0") -> Group:
    episodes = [Trajectory(id=f"{task}/{i}", task=task, group=task) for i in range(len(passed))]
    verdicts = [
        Verdict(trajectory=one.id, verifier="v", reward=None if good is None else 0.5 * good, passed=bool(good))
        for one, good in zip(episodes, passed, strict=True)
    ]
    return Group("chat", episodes, verdicts)


def test_a_group_fails_if_something_was_scored_and_nothing_passed() -> None:
    assert all_fail(group(False, False)) and all_fail(group(False, None))
    assert not all_fail(group(False, True)) and not all_fail(group(None, None)) and not all_fail(group())


def test_gold_enters_the_groups_that_fail_and_is_counted() -> None:
    async def gold_of(source: str, task: Task, step: int) -> list[Sample]:
        assert (source, step) == ("chat", 3)
        return [Sample(ids=[1, 2, 3], mask=[0, 1, 1], logprobs=[])] if task.id != "t2" else []

    groups = [group(False, False), group(True, False, task="t1"), group(False, task="t2")]
    tasks = {("chat", task.id): task for task in TASKS}
    samples, counts = asyncio.run(gold_samples(groups, tasks, gold_of, 0.5, 3))
    assert [sample.advantage for sample in samples] == [0.5]
    assert counts == {"gold": 1.0, "gold_missing": 1.0, "gold_tokens": 2.0}


def test_gold_is_spread_over_the_updates_of_a_batch() -> None:
    def rows(names: str, count: int) -> list[Sample]:
        return [Sample(ids=[1], mask=[1], logprobs=[], trajectory=f"{names}{i}") for i in range(count)]

    mixed = [sample.trajectory for sample in spread(rows("try", 8), rows("gold", 4))]
    shares = [sum(name.startswith("gold") for name in mixed[start : start + 3]) for start in range(0, 12, 3)]
    assert shares == [1, 1, 1, 1], "each of four updates gets one"
    assert [name for name in mixed if "try" in name] == [f"try{i}" for i in range(8)]
    assert spread(rows("try", 2), []) == rows("try", 2) and spread([], rows("gold", 2)) == rows("gold", 2)


def batch(model: Any) -> tuple[list[Sample], list[Sample]]:
    """Two attempts with the logprobs that the model itself gives them, and two gold solutions."""
    rows = demonstrations()
    sampled = logprobs_of(model, rows[:2])
    attempts: list[Sample] = []
    for row, logprobs, advantage in zip(rows, sampled, (1.0, -0.5), strict=False):
        known = iter(logprobs)
        by_token = [next(known) if scored else 0.0 for scored in row.mask]
        attempts.append(msgspec.structs.replace(row, logprobs=by_token, advantage=advantage))
    return attempts, [msgspec.structs.replace(row, advantage=0.7, logprobs=[]) for row in rows[2:]]


def gradients(model: Any, samples: list[Sample], updates: int = 1, **settings: Any) -> list[torch.Tensor]:
    """The gradient of one update, before it was clipped."""
    optimizer = torch.optim.SGD(lora.parameters(model), lr=0.0)
    figures = policy_update(model, optimizer, samples, PolicyLoss(**{**LOSS, **settings}), updates=updates)
    norm = max(1.0, figures["grad_norm"])
    return [parameter.grad.clone() * norm for parameter in lora.parameters(model) if parameter.grad is not None]


def brute_force(model: Any, samples: list[Sample], per_row: bool = False) -> list[torch.Tensor]:
    """minus the advantage times the logprob of each scored token, by transformers' own forward pass."""
    total: Any = 0.0
    num_tokens = sum(sum(sample.mask) for sample in samples)
    for sample in samples:
        ids = torch.tensor([sample.ids])
        logits = model(input_ids=ids).logits[0, :-1].float()
        logprobs = torch.log_softmax(logits, -1).gather(1, ids[0, 1:, None])[:, 0]
        scored = torch.tensor(sample.mask[1:], dtype=torch.float32)
        share = 1 / (scored.sum() * len(samples)) if per_row else 1 / num_tokens
        worth = torch.full_like(scored, sample.advantage)
        if sample.advantages:
            worth[scored.bool()] = torch.tensor(sample.advantages)
        total = total - (worth * logprobs * scored).sum() * share
    return list(torch.autograd.grad(total, lora.parameters(model)))


@pytest.mark.parametrize("average", ["tokens", "sequences"])
def test_the_gradient_is_that_of_the_attempts_plus_the_weighted_logprob_of_the_gold(average: str) -> None:
    model = fresh_policy().model
    for parameter in lora.parameters(model):  # a new adapter changes nothing, and half of its gradients are 0
        torch.nn.init.normal_(parameter, std=0.05, generator=torch.Generator().manual_seed(parameter.numel()))
    attempts, gold = batch(model)
    expected = brute_force(model, attempts + gold, per_row=average == "sequences")
    for ours, theirs in zip(gradients(model, attempts + gold, average=average), expected, strict=True):
        assert torch.allclose(ours, theirs, atol=1e-5), (ours - theirs).abs().max()


@pytest.mark.parametrize("correction", ["tis", "icepop", "geometric_mask", "sequence_tis", "sequence_mask", "none"])
def test_no_correction_weighs_gold_whose_sampler_is_unknown(correction: str) -> None:
    model = fresh_policy().model
    _, gold = batch(model)
    plain = gradients(model, gold, correction="none")
    for ours, theirs in zip(gradients(model, gold, correction=correction), plain, strict=True):
        assert torch.equal(ours, theirs)


def test_several_updates_bound_how_far_gold_moves_in_one_batch() -> None:
    model = fresh_policy().model
    _, gold = batch(model)
    optimizer = torch.optim.SGD(lora.parameters(model), lr=5.0)
    settings = PolicyLoss(**LOSS)
    figures = policy_update(model, optimizer, gold * 8, settings, updates=8)
    assert figures["clipped"] > 0


@pytest.mark.parametrize("algorithm", ["sft", "rft"])
def test_gold_in_groups_is_refused_where_nothing_is_compared(algorithm: str) -> None:
    with pytest.raises(BadInput, match="gold_when_all_fail works only with grpo"):
        recipe(algorithm=algorithm, episodes={"gold_when_all_fail": 1.0})
