"""One update: micro-batches add up to the batch, and every update of a batch looks back to the same old logprobs."""

import math
import random
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.tiny import tiny
from verigym.core.errors import InfrastructureFailure, Refused
from verigym.core.records import Sample
from verigym.model import lora
from verigym.training import update
from verigym.training.recipe_groups import Optimizer, PolicyLoss, PreferenceLoss
from verigym.training.update import (
    MAX_GRAD_NORM,
    dpo_update,
    logprobs_of,
    make_optimizer,
    policy_update,
    reward_update,
    sft_update,
    token_budget,
)

SETTINGS = PolicyLoss(clip_low=0.2, clip_high=0.3, correction="none")


def model(head: bool = False) -> Any:
    made = tiny().model
    lora.attach(made, lora.LoraConfig(r=4, head=head))
    with torch.no_grad():
        for parameter in lora.parameters(made):
            parameter.normal_(std=0.1, generator=torch.Generator().manual_seed(2))
    return made


def samples(count: int, shared: int = 5) -> list[Sample]:
    draw = random.Random(1)
    made = []
    for _ in range(count):
        prompt = list(range(30, 30 + shared)) + [draw.randrange(6, 100) for _ in range(draw.randrange(1, 6))]
        tokens = [draw.randrange(6, 100) for _ in range(draw.randrange(1, 9))]
        mask = [1, *(draw.randrange(2) for _ in tokens[1:])]
        logprobs = [0.0] * len(prompt) + [-4.0 * one for one in mask]
        made.append(
            Sample(ids=prompt + tokens, mask=[0] * len(prompt) + mask, logprobs=logprobs, advantage=draw.uniform(-2, 2))
        )
    return made


def slow_logprobs(model: Any, sample: Sample, temperature: float) -> Tensor:
    """Of the scored tokens, from a forward of this sample alone."""
    table = torch.log_softmax(model(input_ids=torch.tensor([sample.ids])).logits[0] / temperature, -1)
    scored = [t for t, one in enumerate(sample.mask) if one]
    return torch.stack([table[t - 1, sample.ids[t]] for t in scored])


def slow_step(model: Any, loss: Tensor) -> float:
    """Plain gradient descent with rate 1 and the gradient's norm bounded."""
    for parameter in lora.parameters(model):
        parameter.grad = None
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(lora.parameters(model), MAX_GRAD_NORM).item()
    with torch.no_grad():
        for parameter in lora.parameters(model):
            assert parameter.grad is not None
            parameter.sub_(parameter.grad)
    return norm


def slow_grpo(model: Any, part: list[Sample], old: list[Tensor]) -> Tensor:
    num_tokens = sum(sum(sample.mask) for sample in part)
    total = torch.zeros(())
    for sample, before in zip(part, old, strict=True):
        ratio = torch.exp(slow_logprobs(model, sample, 0.8) - before)
        total = total - torch.minimum(ratio * sample.advantage, ratio.clamp(0.8, 1.3) * sample.advantage).sum()
    return total / num_tokens


def descent(model: Any) -> torch.optim.Optimizer:
    return torch.optim.SGD(lora.parameters(model), lr=1.0)


def assert_same_weights(one: Any, other: Any) -> None:
    theirs = lora.weights(other)
    for name, weight in lora.weights(one).items():
        assert torch.allclose(weight, theirs[name], atol=2e-5), name


class Batches:
    """Watches the micro-batches: how many tokens each had; `full_at`: memory runs out at the first that have so many."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, full_at: int | None = None) -> None:
        self.tokens: list[int] = []
        self.failed: list[int] = []
        self.full_at = full_at
        self.counted = update.token_logprobs
        monkeypatch.setattr(update, "token_logprobs", self)

    def __call__(self, model: Any, packed: Any, temperature: float = 1.0, *, entropy_too: bool = False) -> Any:
        if self.full_at is not None and len(packed.ids_N) >= self.full_at:
            self.failed.append(len(packed.ids_N))
            raise torch.OutOfMemoryError("a fake")
        self.tokens.append(len(packed.ids_N))
        return self.counted(model, packed, temperature, entropy_too=entropy_too)


budgets = pytest.mark.parametrize("tokens", [1, 20, 90, 10_000], ids=lambda tokens: f"{tokens} tokens")


@budgets
def test_a_batch_in_micro_batches_is_the_whole_batch_for_sft(tokens: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update, "CPU_TOKENS", tokens)
    seen = Batches(monkeypatch)
    fast, slow, batch = model(), model(), samples(40)
    figures = sft_update(fast, descent(fast), batch)
    assert (len(seen.tokens) == 1) == (tokens == 10_000)
    num_tokens = sum(sum(sample.mask) for sample in batch)
    loss = -torch.stack([slow_logprobs(slow, sample, 1.0).sum() for sample in batch]).sum() / num_tokens
    norm = slow_step(slow, loss)
    assert figures["loss"] == pytest.approx(loss.item(), abs=1e-5)
    assert (figures["grad_norm"], figures["tokens"]) == (pytest.approx(norm, rel=1e-4), num_tokens)
    assert_same_weights(fast, slow)


@budgets
def test_a_batch_in_micro_batches_is_the_whole_batch_for_grpo(tokens: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update, "CPU_TOKENS", tokens)
    fast, slow, batch = model(), model(), samples(40)
    figures = policy_update(fast, descent(fast), batch, SETTINGS, temperature=0.8)
    old = [slow_logprobs(slow, sample, 0.8).detach() for sample in batch]
    loss = slow_grpo(slow, batch, old)
    norm = slow_step(slow, loss)
    assert figures["loss"] == pytest.approx(loss.item(), abs=1e-5)
    assert (figures["grad_norm"], figures["clipped"]) == (pytest.approx(norm, rel=1e-4), 0)
    assert_same_weights(fast, slow)


def test_out_of_memory_halves_the_budget_and_counts_nothing_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fast, slow, batch = model(), model(), samples(40)
    seen = Batches(monkeypatch, full_at=100)
    figures = policy_update(fast, descent(fast), batch, SETTINGS, temperature=0.8)
    monkeypatch.undo()
    plain = policy_update(slow, descent(slow), batch, SETTINGS, temperature=0.8)
    assert seen.failed and max(seen.tokens) < 100
    assert figures == pytest.approx(plain, abs=1e-5)
    assert_same_weights(fast, slow)
    assert token_budget(fast) < 100 and token_budget(slow) == update.CPU_TOKENS


def test_out_of_memory_in_the_backward_pass_leaves_no_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    fast, slow, batch = model(), model(), samples(40)
    fails = [True]

    def fail_once(gradient: Tensor) -> Tensor:
        if fails.pop() if fails else False:
            raise torch.OutOfMemoryError("a fake, with half of the gradients made")
        return gradient

    handle = dict(lora.modules(fast))["model.layers.0.mlp.up_proj"].a.register_hook(fail_once)
    sft_update(fast, descent(fast), batch)
    handle.remove()
    assert not fails
    sft_update(slow, descent(slow), batch)
    assert_same_weights(fast, slow)


def test_a_sample_that_alone_is_too_much_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    Batches(monkeypatch, full_at=0)
    with pytest.raises(
        InfrastructureFailure, match=r"Out of memory on cpu: one sample of \d+ tokens does not fit. Set"
    ):
        sft_update(model(), descent(model()), samples(5))


def pairs(count: int) -> list[tuple[Sample, Sample]]:
    made = samples(2 * count)
    return list(zip(made[::2], made[1::2], strict=True))


def test_memory_that_runs_out_never_parts_a_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    fast, slow = model(), model()
    seen = Batches(monkeypatch, full_at=100)
    monkeypatch.setattr(update, "logprobs_of", lambda model, given: [[-3.0]] * len(given))
    figures = dpo_update(fast, descent(fast), pairs(20), PreferenceLoss())
    assert seen.failed and max(seen.tokens) < 100
    seen.full_at = None
    assert figures == pytest.approx(dpo_update(slow, descent(slow), pairs(20), PreferenceLoss()), abs=1e-5)
    assert_same_weights(fast, slow)


def test_margins_stay_with_their_pairs_when_memory_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    fast, slow = model(head=True), model(head=True)
    settings = PreferenceLoss(margin=True)
    rows = [(pair, index / 3) for index, pair in enumerate(pairs(12))]
    right, fails = update.scores, [True]

    def fail_once(model: Any, packed: Any) -> Tensor:
        if fails and fails.pop():
            raise torch.OutOfMemoryError("a fake")
        return right(model, packed)

    plain = reward_update(slow, descent(slow), rows, settings)
    monkeypatch.setattr(update, "scores", fail_once)
    assert reward_update(fast, descent(fast), rows, settings) == pytest.approx(plain, abs=1e-5)
    assert not fails and token_budget(fast) < update.CPU_TOKENS
    assert_same_weights(fast, slow)


def test_a_pair_that_alone_is_too_much_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    Batches(monkeypatch, full_at=0)
    monkeypatch.setattr(update, "logprobs_of", lambda model, given: [[-3.0]] * len(given))
    with pytest.raises(InfrastructureFailure, match=r"Out of memory on cpu: a pair of \d+ tokens does not fit. Set"):
        dpo_update(model(), descent(model()), pairs(1), PreferenceLoss())


def test_a_token_is_thought_to_need_what_the_layers_keep_of_it() -> None:
    assert update.bytes_per_token(tiny().model) == 2 * (12 * 32 + 4 * 64) * 4


@pytest.mark.parametrize("updates", [2, 3])
def test_several_updates_of_one_batch_all_look_back_to_where_it_began(updates: int) -> None:
    fast, slow, batch = model(), model(), samples(36)
    figures = policy_update(fast, descent(fast), batch, SETTINGS, temperature=0.8, updates=updates)
    old = [slow_logprobs(slow, sample, 0.8).detach() for sample in batch]
    size, losses = 36 // updates, []
    for first in range(0, 36, size):
        loss = slow_grpo(slow, batch[first : first + size], old[first : first + size])
        losses.append(loss.item())
        slow_step(slow, loss)
    assert figures["loss"] == pytest.approx(sum(losses) / updates, abs=1e-4)
    assert figures["clipped"] > 0, "the weights moved far enough for the clip to act"
    assert_same_weights(fast, slow)


@pytest.mark.parametrize("average", ["tokens", "sequences", "constant"])
def test_rows_that_were_masked_out_count_as_rows_and_as_nothing_else(average: Any) -> None:
    """Two of ten were: the same samples weigh 8/10 of what they would by themselves, except in a mean over tokens."""
    settings = PolicyLoss(average=average, correction="none")
    norms = [
        policy_update(model(), descent(model()), samples(8), settings, longest=20, rows=rows)["grad_norm"]
        for rows in (0, 10)
    ]
    assert norms[1] == pytest.approx(norms[0] * (1 if average == "tokens" else 0.8), rel=1e-5)


def test_masked_rows_are_shared_out_among_several_updates() -> None:
    """Each of three updates has a third of the rows that were masked."""
    own, batch = PolicyLoss(average="constant", correction="none"), samples(9)
    found = [
        policy_update(
            model(), torch.optim.SGD(lora.parameters(model()), lr=0.0), batch, own, longest=20, updates=3, rows=n
        )
        for n in (9, 18)
    ]
    assert found[1]["loss"] == pytest.approx(found[0]["loss"] / 2, rel=1e-4)


def test_samples_with_and_without_token_advantages_can_be_mixed() -> None:
    batch = samples(6)
    spelled = [
        Sample(ids=s.ids, mask=s.mask, logprobs=s.logprobs, advantages=[s.advantage] * sum(s.mask)) if i % 2 else s
        for i, s in enumerate(batch)
    ]
    one, other = model(), model()
    figures = [policy_update(made, descent(made), rows, SETTINGS) for made, rows in ((one, batch), (other, spelled))]
    assert figures[0] == pytest.approx(figures[1], abs=1e-5)
    assert_same_weights(one, other)


def test_the_reference_is_worn_for_its_logprobs_alone() -> None:
    trained, batch = model(), samples(6)
    before = lora.weights(trained)
    other = {name: weight + 0.05 for name, weight in before.items()}
    optimizer = torch.optim.SGD(lora.parameters(trained), lr=0.0)
    figures = policy_update(trained, optimizer, batch, PolicyLoss(kl=0.1), reference=other)
    assert all(torch.equal(weight, before[name]) for name, weight in lora.weights(trained).items())
    now = logprobs_of(trained, batch)
    with lora.with_weights(trained, other):
        then = logprobs_of(trained, batch)
    away = torch.tensor(
        [b - a for mine, theirs in zip(now, then, strict=True) for a, b in zip(mine, theirs, strict=True)]
    )
    assert figures["kl"] == pytest.approx((away.exp() - away - 1).mean().item(), rel=1e-3)
    assert "kl" not in policy_update(trained, optimizer, batch, PolicyLoss(kl=0.1, kl_in="reward"), reference=other)


@pytest.mark.parametrize("tokens", [1, 30, 10_000])
def test_logprobs_are_the_samples_own_in_their_order(tokens: int) -> None:
    trained, batch = model(), samples(12)
    trained._verigym_budget = tokens
    for found, sample in zip(logprobs_of(trained, batch, 0.8), batch, strict=True):
        assert found == pytest.approx(slow_logprobs(trained, sample, 0.8).tolist(), abs=1e-4)


def test_the_mismatch_is_how_far_the_samplers_logprobs_were_from_ours() -> None:
    trained, batch = model(), samples(10)
    exact = []
    for sample in batch:
        values = iter(slow_logprobs(trained, sample, 0.8).tolist())
        logprobs = [next(values) if one else 0.0 for one in sample.mask]
        exact.append(Sample(ids=sample.ids, mask=sample.mask, logprobs=logprobs, advantage=sample.advantage))
    moved = [
        Sample(ids=s.ids, mask=s.mask, logprobs=[x + 0.25 * m for x, m in zip(s.logprobs, s.mask, strict=True)])
        for s in exact
    ]
    assert policy_update(model(), descent(model()), exact, SETTINGS, temperature=0.8)["mismatch"] < 1e-5
    assert policy_update(model(), descent(model()), moved, SETTINGS, temperature=0.8)["mismatch"] == pytest.approx(
        0.25, abs=1e-5
    )


@pytest.mark.parametrize("updates", [1, 2, 3])
def test_the_ratio_is_split_by_the_age_of_the_version_that_sampled(updates: int) -> None:
    """Samples of age 0 are exact. Those of age 1 and 2 are off by 0.1 and 0.3. Without rates, the model stays as it is."""
    trained, batch, off = model(), samples(12), (0.0, 0.1, 0.3)
    aged: list[Sample] = []
    for place, sample in enumerate(batch):
        values, age = iter(slow_logprobs(trained, sample, 0.8).tolist()), place % 3
        logprobs = [next(values) + off[age] if one else 0.0 for one in sample.mask]
        aged.append(Sample(ids=sample.ids, mask=sample.mask, logprobs=logprobs))
    still = torch.optim.SGD(lora.parameters(trained), lr=0.0)
    ages = [place % 3 for place in range(12)]
    figures = policy_update(trained, still, aged, SETTINGS, temperature=0.8, updates=updates, ages=ages)
    for age, difference in enumerate(off):
        assert figures[f"mismatch_ratio/age_{age}"] == pytest.approx(math.exp(difference), abs=1e-4)
    for young in ([], [0] * 12):
        plain = policy_update(trained, still, aged, SETTINGS, temperature=0.8, ages=young)
        assert not [name for name in plain if "age" in name]


def test_a_gradient_that_is_not_finite_is_refused_and_changes_nothing() -> None:
    trained = model()
    optimizer, before = make_optimizer(trained, 1e-3), lora.weights(trained)
    broken = [Sample(ids=s.ids, mask=s.mask, logprobs=s.logprobs, advantage=float("inf")) for s in samples(3)]
    with pytest.raises(Refused, match="The gradient is not finite, so no update was made"):
        policy_update(trained, optimizer, broken, SETTINGS, temperature=0.8)
    assert all(torch.equal(weight, before[name]) for name, weight in lora.weights(trained).items())
    sft_update(trained, optimizer, samples(3))
    assert all(weight.isfinite().all() for weight in lora.weights(trained).values())


def test_the_optimizer_holds_the_adapter_and_nothing_else() -> None:
    trained = model()
    held = [parameter for group in make_optimizer(trained, 1e-3).param_groups for parameter in group["params"]]
    assert {id(parameter) for parameter in held} == {id(parameter) for parameter in lora.parameters(trained)}


def test_the_optimizer_has_the_settings_of_the_recipe_and_shortens_long_gradients() -> None:
    trained = model()
    settings = Optimizer(betas=(0.8, 0.95), weight_decay=0.1, max_grad_norm=1e-3)
    [group] = make_optimizer(trained, 0.5, settings).param_groups
    assert (group["lr"], group["betas"], group["weight_decay"]) == (0.5, (0.8, 0.95), 0.1)
    [usual] = make_optimizer(trained, 0.5).param_groups
    assert (usual["betas"], usual["weight_decay"]) == ((0.9, 0.99), 0.0)

    seen: list[float] = []
    for most in (1e-3, 1e9):
        other = model()
        optimizer = make_optimizer(other, 0.0, Optimizer(max_grad_norm=most))
        figures = policy_update(other, optimizer, samples(6), SETTINGS)
        norms = [parameter.grad.norm() for parameter in lora.parameters(other) if parameter.grad is not None]
        seen.append(torch.stack(norms).norm().item())
        assert figures["grad_norm"] > 1e-3, "the length before it is shortened"
    assert seen[0] == pytest.approx(1e-3, rel=1e-2) and seen[1] > 1e-3
