"""The GRPO family against TRL's trainers: the loss and the gradient of every parameter, algorithm by algorithm."""

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor

from tests.training.oracles import (
    LONGEST,
    Table,
    adapted,
    as_completions,
    assert_same,
    gradients,
    grpo_trainer,
    moved,
    rloo_trainer,
    shake,
    slow_logprobs,
    trained,
)
from verigym.core.records import Sample
from verigym.model import lora
from verigym.model.tree import pack
from verigym.training import update
from verigym.training.defaults import Facts, resolved
from verigym.training.losses import Totals
from verigym.training.recipe import PolicyLoss, make_recipe
from verigym.training.recipe_groups import correction_bounds
from verigym.training.update import num_scored, policy_update

PREFIX = list(range(20, 32))


def row(prompt: list[int], parts: list[tuple[list[int], int]], advantage: float, by_token: list[float]) -> Sample:
    """`parts` are ids with 1 for what the policy said, 0 for a tool's result."""
    ids, mask = [*PREFIX, *prompt], [0] * (len(PREFIX) + len(prompt))
    for own, said in parts:
        ids, mask = ids + own, mask + [said] * len(own)
    return Sample(ids=ids, mask=mask, logprobs=[], advantage=advantage, advantages=by_token)


TURNS = [
    # prompts and replies of several lengths, advantages of both signs, tool results between replies
    row([40, 41], [([50, 51, 52], 1)], 1.3, [1.0, -0.2, 0.7]),
    row([42], [([60, 61], 1), ([6, 6], 0), ([62, 63], 1)], -0.7, [0.9, 0.9, -1.4, -1.4]),
    row([43, 44, 45], [([70], 1)], 0.4, [-0.8]),
    row([], [([80, 81, 82, 83, 84, 2], 1)], -1.1, [0.3, 0.3, -0.6, -0.6, 1.1, 1.1]),
    row([41], [([90], 1), ([7, 8, 9], 0), ([91, 92, 2], 1)], 0.9, [0.5, -0.5, -0.5, -0.5]),
]
REPLIES = [
    row([40, 41], [([50, 51, 52], 1)], 1.3, []),
    row([42], [([60, 61], 1)], -0.7, []),
    row([], [([80, 81, 82, 83, 84, 2], 1)], -1.1, []),
    row([41], [([90, 91, 92, 2], 1)], 0.9, []),
]
ONE_TOKEN = [row([40 + i], [([50 + i], 1)], advantage, []) for i, advantage in enumerate([1.0, -0.5, -1.5, 1.0])]


class Case(NamedTuple):
    loss: dict[str, Any] = {}
    """Fields of the recipe's `loss`, over those that the algorithm sets."""
    old: float | None = None
    """How far the logprobs of several updates ago are from those of now; none with one update."""
    sampler: float | None = None
    """How far those of the sampler are."""
    reference: float = 0.5
    temperature: float = 1.0
    samples: Sequence[Sample] = TURNS
    by_token: bool = False
    masked: int | None = None
    """A row that was cut off, so that it counts and teaches nothing."""


BOUNDS = {"correction_low": 0.6, "correction_high": 1.4}
CASES = {
    "one update": Case(),
    "several updates": Case(old=0.1),
    "several updates, much clipped": Case(old=0.8),
    "unequal clips": Case({"clip_low": 0.1, "clip_high": 0.4}, old=0.8),
    "the ratio is bounded": Case({"clip_most": 1.1, "clip_high": 0.05}, old=0.9),
    "kl": Case({"kl": 0.3}, old=0.4),
    "kl, one update": Case({"kl": 0.3}),
    "kl by k3": Case({"kl": 0.3, "kl_estimator": "k3"}, old=0.4),
    "tis": Case({"correction": "tis", **BOUNDS}, old=0.3, sampler=0.6),
    "icepop": Case({"correction": "icepop", **BOUNDS}, old=0.3, sampler=0.6),
    "sequence_tis": Case({"correction": "sequence_tis", **BOUNDS}, old=0.3, sampler=0.6),
    "sequence_mask": Case({"correction": "sequence_mask", **BOUNDS}, old=0.3, sampler=0.6),
    "tis, one update": Case({"correction": "tis", **BOUNDS}, sampler=0.6),
    "entropy bonus": Case({"entropy_bonus": 0.2}, old=0.1),
    "a temperature": Case({"entropy_bonus": 0.2, "kl": 0.2}, old=0.3, temperature=0.7),
    "a row is masked": Case({"kl": 0.2}, old=0.1, masked=1),
    "advantages of tokens": Case(old=0.4, by_token=True),
    "one token each": Case({"kl": 0.2}, old=0.3, samples=ONE_TOKEN),
}
THEIR_NAMES = {
    "grpo": {"loss_type": "grpo"},
    "dr_grpo": {"loss_type": "dr_grpo"},
    "dapo": {"loss_type": "dapo"},
    "gspo": {"loss_type": "grpo", "importance_sampling_level": "sequence"},
    "cispo": {"loss_type": "cispo"},
}
THEIR_CORRECTION = {
    "tis": "token_truncate",
    "icepop": "token_mask",
    "sequence_tis": "sequence_truncate",
    "sequence_mask": "sequence_mask",
}


def settings_of(algorithm: str, **loss: Any) -> PolicyLoss:
    """As a recipe with this algorithm has them."""
    given = {"model": "tiny", "algorithm": algorithm, "reward": "r", "loss": loss, "learning_rate": 1e-4}
    return resolved(make_recipe(given, [], "r.yaml"), Facts()).loss


def oracle(
    model: Any, samples: Sequence[Sample], algorithm: str, settings: PolicyLoss, folder: Path, case: Case
) -> Any:
    """The trainer that has these settings under its own names."""
    if algorithm == "rloo":
        return rloo_trainer(
            model,
            folder,
            epsilon=settings.clip_low,
            epsilon_high=settings.clip_high,
            temperature=case.temperature,
        )
    return grpo_trainer(
        model,
        folder,
        beta=settings.kl or 0.0,
        use_bias_correction_kl=settings.kl_estimator == "unbiased",
        epsilon=settings.clip_low,
        epsilon_high=settings.clip_high,
        delta=settings.clip_most or None,
        entropy_coef=settings.entropy_bonus,
        temperature=case.temperature,
        **THEIR_NAMES[algorithm],
    )


def their_loss(
    trainer: Any,
    model: Any,
    samples: Sequence[Sample],
    settings: PolicyLoss,
    *,
    temperature: float = 1.0,
    old: Table | None = None,
    sampled: Table | None = None,
    reference: Table | None = None,
    by_token: bool = False,
    masked: int | None = None,
) -> Tensor:
    by_tokens = [sample.advantages for sample in samples] if by_token else None
    inputs = as_completions(
        samples, old_per_token_logps=old, ref_per_token_logps=reference, sampled=sampled, advantages=by_tokens
    )
    if not by_token:
        inputs["advantages"] = torch.tensor([sample.advantage for sample in samples])
    if masked is not None:
        inputs["completion_mask"][masked] = 0
        inputs["num_items_in_batch"] = (inputs["completion_mask"] * inputs["tool_mask"]).sum().float()
    if settings.ratio == "product":
        now = [slow_logprobs(model, sample, temperature).tolist() for sample in samples] if old is None else old
        inputs["old_logps"] = torch.tensor([0.0 if i == masked else sum(values) for i, values in enumerate(now)])
    if sampled is not None and settings.correction != "none":
        trainer.use_vllm = trainer.vllm_importance_sampling_correction = True
        now = as_completions(samples, then=old or [slow_logprobs(model, s, temperature).tolist() for s in samples])
        inputs["importance_sampling_ratio"] = their_ratio(
            (now["then"] - inputs.pop("sampled")) * inputs["completion_mask"] * inputs["tool_mask"],
            THEIR_CORRECTION[settings.correction],
            settings,
        )
    return trainer._compute_loss(model, inputs)


def their_ratio(log_BT: Tensor, mode: str, settings: PolicyLoss) -> Tensor:
    """As TRL's `_generate_and_score_completions` has it, which cannot be called without a server."""
    ratio = torch.exp(log_BT.sum(dim=-1, keepdim=True) if mode.startswith("sequence") else log_BT)
    low, high = correction_bounds(settings)
    if mode.endswith("truncate"):
        return torch.clamp(ratio, min=low, max=high)
    return ratio.masked_fill((ratio < low) | (ratio > high), value=0.0)


def with_sampler(samples: Sequence[Sample], sampled: Table) -> list[Sample]:
    made = []
    for sample, values in zip(samples, sampled, strict=True):
        own = iter(values)
        logprobs = [next(own) if one else 0.0 for one in sample.mask]
        made.append(
            Sample(ids=sample.ids, mask=sample.mask, logprobs=logprobs,
                   advantage=sample.advantage, advantages=sample.advantages)
        )  # fmt: skip
    return made


def without_tokens(samples: Sequence[Sample]) -> list[Sample]:
    return [Sample(ids=s.ids, mask=s.mask, logprobs=[], advantage=s.advantage) for s in samples]


def compare(algorithm: str, case: Case, folder: Path) -> None:
    """Ours is the closure that an update runs, on the whole batch and in small micro-batches."""
    model = trained()
    settings = settings_of(algorithm, **{"correction": "none", **case.loss})
    samples = list(case.samples) if case.by_token else without_tokens(case.samples)

    def near(by: float | None, seed: int) -> Table | None:
        return None if by is None else moved(model, samples, case.temperature, by, seed)

    old, sampled = near(case.old, 8), near(case.sampler, 9)
    reference = near(case.reference, 10) if settings.kl and settings.kl_in == "loss" else None
    trainer = oracle(model, samples, algorithm, settings, folder, case)
    theirs = their_loss(
        trainer, model, samples, settings, temperature=case.temperature, old=old, sampled=sampled,
        reference=reference, by_token=case.by_token, masked=case.masked,
    )  # fmt: skip
    their_gradients = gradients(theirs, model.parameters())
    if (
        settings.ratio == "product" and case.masked is not None
    ):  # an empty reply's ratio is 1: a constant, in TRL's loss alone
        theirs = theirs + samples[case.masked].advantage / len(samples)

    kept = [i for i in range(len(samples)) if i != case.masked]
    before, anchor = (table and [table[i] for i in kept] for table in (old, reference))
    known = sampled or [[0.0] * sum(sample.mask) for sample in samples]
    rows = with_sampler([samples[i] for i in kept], [known[i] for i in kept])
    totals = Totals(len(samples), num_scored(rows), LONGEST)
    loss_of = update._policy_loss_of(model, rows, settings, totals, case.temperature, before, anchor)
    for budget in (10_000, 17):
        parts = [loss_of(packed)[0] for packed in pack(rows, budget)]
        assert (len(parts) > 1) == (budget == 17)
        ours = torch.stack(parts).sum()
        assert ours.item() == pytest.approx(theirs.item(), abs=1e-5, rel=1e-5)
        assert_same(gradients(ours, model.parameters()), their_gradients)


def hardly(algorithm: str, case: Case) -> Case:
    """gspo's own clips are so narrow that nothing would be left of a batch this far off; cispo's is a cap. TRL weighs the
    divergence of a token by the ratio of its reply, which is biased (test_losses.py), so gspo is compared with plain k3."""
    if algorithm == "gspo":
        clips = {"clip_low": 0.05, "clip_high": 0.08} if case.old else {}
        return case._replace(loss={**clips, "kl_estimator": "k3", **case.loss})
    if algorithm == "cispo" and case.old:
        return case._replace(loss={**case.loss, "clip_high": 0.9 if "clip_high" in case.loss else 1.3})
    return case


BOTH = itertools.product(THEIR_NAMES, CASES)
OTHERS = {("cispo", "the ratio is bounded"), ("gspo", "advantages of tokens")}
"""TRL has no such bound, and it has no GSPO-token, which test_losses.py compares with the paper."""


@pytest.mark.parametrize(("algorithm", "name"), [both for both in BOTH if both not in OTHERS])
def test_an_algorithm_is_trls_in_value_and_gradient(algorithm: str, name: str, tmp_path: Path) -> None:
    compare(algorithm, hardly(algorithm, CASES[name]), tmp_path)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(Case(samples=REPLIES), id="one update"),
        pytest.param(Case(samples=REPLIES, old=0.05), id="several updates"),
        pytest.param(Case(samples=REPLIES, old=0.4), id="several updates, much clipped"),
        pytest.param(Case({"clip_low": 0.1, "clip_high": 0.5}, samples=REPLIES, old=0.4), id="unequal clips"),
        pytest.param(Case(samples=REPLIES, old=0.1, temperature=0.7), id="a temperature"),
        pytest.param(Case(samples=ONE_TOKEN, old=0.15), id="one token each"),
        pytest.param(Case(samples=REPLIES, old=0.05, masked=1), id="a row is masked"),
    ],
)
def test_rloo_is_trls_in_value_and_gradient(case: Case, tmp_path: Path) -> None:
    compare("rloo", case, tmp_path)


# -- the update that a user runs ------------------------------------------------------------------------------------

RATE = {"rloo": 1e-3}
"""So small that the second update still has something to learn within the clips."""


@pytest.fixture
def no_bound_on_the_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update, "MAX_GRAD_NORM", float("inf"))


@pytest.mark.usefixtures("no_bound_on_the_gradient")
@pytest.mark.parametrize("budget", [10_000, 25], ids=["one micro-batch", "several"])
@pytest.mark.parametrize("updates", [1, 2], ids=["one update", "two updates"])
@pytest.mark.parametrize("algorithm", [*THEIR_NAMES, "rloo"])
def test_an_update_moves_the_adapter_as_trls_loss_would(
    algorithm: str, updates: int, budget: int, tmp_path: Path
) -> None:
    """Plain gradient descent on the adapter alone, with what a real step has: a sampler that is a bit off, a reference,
    several updates that look back to where they began."""
    fast, slow, rate = adapted(), adapted(), RATE.get(algorithm, 0.01)
    rloo = algorithm == "rloo"
    extra = {} if rloo else {"kl": 0.2, "entropy_bonus": 0.1, "correction": "tis", "correction_high": 1.1}
    extra |= {"kl_estimator": "k3"} if algorithm == "gspo" else {}
    settings = settings_of(algorithm, **{"correction": "none", **extra})
    samples = (REPLIES if rloo else without_tokens(TURNS))[:4]
    sampled = moved(slow, samples, 0.8, 0.3, seed=9)
    samples = with_sampler(samples, sampled)
    other = adapted(seed=5)
    reference = None if rloo else lora.weights(other)

    fast._verigym_budget = budget
    figures = policy_update(
        fast, torch.optim.SGD(lora.parameters(fast), lr=rate), samples, settings,
        temperature=0.8, longest=LONGEST, updates=updates, reference=reference,
    )  # fmt: skip

    trainer = oracle(slow, samples, algorithm, settings, tmp_path, Case(temperature=0.8))
    with torch.no_grad():
        old, known = ([slow_logprobs(model, s, 0.8).tolist() for s in samples] for model in (slow, other))
    losses = []
    for part in [slice(0, 4)] if updates == 1 else [slice(0, 2), slice(2, 4)]:
        loss = their_loss(
            trainer, slow, samples[part], settings, temperature=0.8, old=old[part],
            sampled=None if rloo else sampled[part], reference=None if rloo else known[part],
        )  # fmt: skip
        losses.append(loss.item())
        found = gradients(loss, lora.parameters(slow))
        assert max(gradient.abs().max() for gradient in found) > 1e-3
        with torch.no_grad():
            for parameter, gradient in zip(lora.parameters(slow), found, strict=True):
                parameter.sub_(rate * gradient)
    assert figures["loss"] == pytest.approx(sum(losses) / updates, abs=1e-5)
    for mine, theirs in zip(lora.parameters(fast), lora.parameters(slow), strict=True):
        assert (mine - theirs).abs().max() < 2e-6


def test_the_divergence_of_a_bare_reference_is_that_of_the_base(tmp_path: Path) -> None:
    model, settings = adapted(), settings_of("grpo", kl=0.5)
    before = lora.weights(model)
    samples = with_sampler(REPLIES, moved(model, REPLIES, 1.0, 0.0, seed=1))
    figures = policy_update(model, torch.optim.SGD(lora.parameters(model), lr=0.0), samples, settings, reference=None)
    lora.set_weights(model, before)
    with torch.no_grad():
        now = torch.cat([slow_logprobs(model, sample) for sample in samples])
        shake(model, 3)
        with lora.without(model):
            away = torch.cat([slow_logprobs(model, sample) for sample in samples]) - now
    assert figures["kl"] == pytest.approx((away.exp() - away - 1).mean().item(), abs=1e-5)
