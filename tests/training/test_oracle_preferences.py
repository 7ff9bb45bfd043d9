"""DPO, reward models and SFT against TRL's trainers: the loss and the gradient of every parameter."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import LlamaForSequenceClassification

from tests.tiny import tiny
from tests.training.oracles import (
    adapted,
    as_pairs,
    as_rows,
    assert_same,
    dpo_trainer,
    gradients,
    reward_trainer,
    sft_trainer,
    slow_logprobs,
    trained,
)
from verigym.core.records import Sample
from verigym.model import lora
from verigym.model.logprobs import scores, token_logprobs
from verigym.model.tree import PackedBatch, pack
from verigym.training import update
from verigym.training.losses import dpo_loss, sft_loss
from verigym.training.recipe_groups import PreferenceLoss, beta_of
from verigym.training.update import Pair, dpo_update, num_scored, reward_update, sft_update

PREFIX = list(range(20, 32))
RATE = 0.05


def side(own: list[int], replies: list[int], first: int = 0) -> Sample:
    """`replies`: 1 where the assistant said it."""
    ids = [*PREFIX[first:], *own]
    return Sample(ids=ids, mask=[0] * (len(ids) - len(replies)) + replies, logprobs=[])


PAIRS: list[Pair] = [
    # of several lengths, of one token, of several turns, of other prompts; one begins the other; neighbours of other pairs
    (side([40, 50, 51, 52], [1, 1, 1]), side([40, 60], [1])),
    (side([41, 70, 71, 6, 6, 72], [1, 1, 0, 0, 1]), side([41, 70, 73, 74, 75, 76, 77], [1] * 6)),
    (side([42, 80], [1], first=3), side([42, 80, 81], [1, 1], first=3)),
    (side([40, 60, 61], [1, 1]), side([40, 50, 2], [1, 1])),
]
MARGINS = [0.7, 0.0, 1.5, 0.2]
budgets = pytest.mark.parametrize("budget", [10_000, 30], ids=["one micro-batch", "several"])


@pytest.fixture(autouse=True)
def no_bound_on_the_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update, "MAX_GRAD_NORM", float("inf"))


def sides(pairs: Sequence[Pair]) -> list[Sample]:
    return [sample for pair in pairs for sample in pair]


def descent(model: Any) -> torch.optim.Optimizer:
    return torch.optim.SGD(lora.parameters(model), lr=RATE)


def assert_moved_by(model: Any, before: dict[str, Tensor], found: Sequence[Tensor]) -> None:
    """One step of plain gradient descent along these gradients."""
    expected = [value.clone() for value in before.values()]
    assert max(gradient.abs().max() for gradient in found) > 1e-3
    for place, gradient in zip(expected, found, strict=True):
        place.sub_(RATE * gradient)
    for mine, theirs in zip(lora.weights(model).values(), expected, strict=True):
        assert (mine - theirs).abs().max() < 2e-6


# -- DPO ------------------------------------------------------------------------------------------------------------

LOSSES = {
    "sigmoid": PreferenceLoss(),
    "sigmoid, beta 0.5": PreferenceLoss(beta=0.5),
    "some labels wrong": PreferenceLoss(smoothing=0.1),
    "many labels wrong, beta 0.5": PreferenceLoss(smoothing=0.3, beta=0.5),
    "ipo": PreferenceLoss(objective="ipo"),
    "ipo, beta 0.5": PreferenceLoss(objective="ipo", beta=0.5),
}
objectives = pytest.mark.parametrize("settings", LOSSES.values(), ids=LOSSES)


def their_dpo(model: Any, reference: Any, settings: PreferenceLoss, pairs: Sequence[Pair], folder: Path) -> Tensor:
    """TRL's sigmoid knows no label smoothing; its `aot` has the smoothed loss, of sorted pairs: of one pair, the same."""
    if settings.smoothing:
        trainer = dpo_trainer(
            model, reference, folder, loss_type="aot", beta=beta_of(settings), label_smoothing=settings.smoothing
        )
        return torch.stack([trainer.compute_loss(model, as_pairs([pair])) for pair in pairs]).mean()
    trainer = dpo_trainer(model, reference, folder, loss_type=settings.objective, beta=beta_of(settings))
    return trainer.compute_loss(model, as_pairs(pairs))


@budgets
@objectives
def test_dpo_is_trls_in_value_and_gradient(settings: PreferenceLoss, budget: int, tmp_path: Path) -> None:
    model, reference = trained(), tiny(1).model
    with torch.no_grad():
        known = [slow_logprobs(reference, sample).sum() for sample in sides(PAIRS)]
    theirs = their_dpo(model, reference, settings, PAIRS, tmp_path)
    their_gradients = gradients(theirs, model.parameters())

    def ours(packed: PackedBatch) -> Tensor:
        logprobs_BS, _, mask_BS = token_logprobs(model, packed)
        order = sorted(range(len(packed.samples)), key=lambda row: packed.samples[row])
        gains = logprobs_BS.sum(1) - torch.stack([known[i] for i in packed.samples])
        return dpo_loss(gains[order].view(-1, 2), mask_BS.sum(1)[order].view(-1, 2), settings, len(PAIRS))[0]

    parts = [ours(packed) for packed in pack(sides(PAIRS), budget, together=2)]
    assert (len(parts) > 1) == (budget == 30)
    mine = torch.stack(parts).sum()
    assert mine.item() == pytest.approx(theirs.item(), abs=1e-5, rel=1e-5)
    assert_same(gradients(mine, model.parameters()), their_gradients)


@budgets
@objectives
@pytest.mark.parametrize("bare", [True, False], ids=["from the base", "from a version"])
def test_a_dpo_update_moves_the_adapter_as_trls_loss_would(
    settings: PreferenceLoss, budget: int, bare: bool, tmp_path: Path
) -> None:
    fast, slow = adapted(), adapted()
    before, other = lora.weights(fast), adapted(seed=5)
    fast._verigym_budget = budget
    figures = dpo_update(fast, descent(fast), PAIRS, settings, None if bare else lora.weights(other))
    theirs = their_dpo(slow, tiny().model if bare else other, settings, PAIRS, tmp_path)
    assert figures["loss"] == pytest.approx(theirs.item(), abs=1e-5, rel=1e-5)
    assert figures["tokens"] == num_scored(sides(PAIRS))
    assert_moved_by(fast, before, gradients(theirs, lora.parameters(slow)))


def test_the_figures_of_dpo_are_trls(tmp_path: Path) -> None:
    fast, slow = adapted(), adapted()
    figures = dpo_update(fast, descent(fast), PAIRS, PreferenceLoss(beta=0.3))
    trainer = dpo_trainer(slow, tiny().model, tmp_path, beta=0.3)
    trainer.compute_loss(slow, as_pairs(PAIRS))
    theirs = {name: values[-1] for name, values in trainer._metrics["eval"].items()}
    for name, key in {
        "told_apart": "accuracies",
        "margin": "margins",
        "chosen": "chosen",
        "rejected": "rejected",
    }.items():
        assert figures[name] == pytest.approx(theirs[f"rewards/{key}"], abs=1e-5)
    assert figures["entropy"] == pytest.approx(theirs["entropy"], abs=1e-5)
    assert 0 < figures["told_apart"] < 1


# -- reward models --------------------------------------------------------------------------------------------------


def classifier(model: Any) -> Any:
    """TRL's kind of reward model, with the weights of ours: base, adapter and head."""
    config = type(model.config)(**{**model.config.to_dict(), "num_labels": 1})
    made: Any = LlamaForSequenceClassification(config).requires_grad_(False).eval()
    made.model.load_state_dict(tiny().model.model.state_dict())
    lora.attach(made, lora.LoraConfig(r=4))
    lora.set_weights(made, lora.weights(model))
    head = lora.head(model)
    assert head is not None
    made.score.weight = torch.nn.Parameter(head.detach().clone()[None])
    return made


RANKINGS = {
    "bradley-terry": PreferenceLoss(),
    "margins": PreferenceLoss(margin=True),
    "centred": PreferenceLoss(centre=0.1),
    "margins, centred": PreferenceLoss(margin=True, centre=0.01),
}


@budgets
@pytest.mark.parametrize("settings", RANKINGS.values(), ids=RANKINGS)
def test_a_reward_update_moves_adapter_and_head_as_trls_loss_would(
    settings: PreferenceLoss, budget: int, tmp_path: Path
) -> None:
    model = adapted(head=True)
    slow, before = classifier(model), lora.weights(model)
    model._verigym_budget = budget
    figures = reward_update(model, descent(model), list(zip(PAIRS, MARGINS, strict=True)), settings)

    inputs = as_pairs(PAIRS)
    del inputs["completion_mask"]
    if settings.margin:
        inputs["margin"] = torch.tensor(MARGINS)
    trainer = reward_trainer(slow, tmp_path, center_rewards_coefficient=settings.centre or None)
    theirs = trainer.compute_loss(slow, inputs)
    assert figures["loss"] == pytest.approx(theirs.item(), abs=1e-5)
    assert_moved_by(model, before, gradients(theirs, [*lora.parameters(slow), slow.score.weight]))
    metrics = {name: values[-1] for name, values in trainer._metrics["eval"].items()}
    assert (figures["told_apart"], figures["margin"], figures["score"]) == pytest.approx(
        (metrics["accuracy"], metrics["margin"], metrics["mean_reward"]), abs=1e-5
    )


@budgets
@pytest.mark.parametrize("share", [True, False], ids=["shared", "separate"])
def test_scores_are_the_classifiers(share: bool, budget: int) -> None:
    model, rows = (
        adapted(head=True),
        [Sample(ids=one.ids, mask=[0] * len(one.ids), logprobs=[]) for one in sides(PAIRS)],
    )
    inputs, _ = as_rows(rows)
    with torch.no_grad():
        theirs = classifier(model)(**inputs).logits[:, 0].tolist()
        for packed in pack(rows, budget, share=share):
            assert scores(model, packed).tolist() == pytest.approx([theirs[i] for i in packed.samples], abs=1e-5)


# -- SFT ------------------------------------------------------------------------------------------------------------


def their_sft(model: Any, samples: Sequence[Sample], folder: Path) -> Tensor:
    inputs, mask = as_rows(samples)
    inputs["labels"] = torch.where(mask == 1, inputs["input_ids"], -100)
    return sft_trainer(model, folder).compute_loss(model, inputs, num_items_in_batch=mask.sum())


@budgets
def test_sft_is_trls_in_value_and_gradient(budget: int, tmp_path: Path) -> None:
    model, samples = trained(), sides(PAIRS)
    theirs = their_sft(model, samples, tmp_path)
    found = [token_logprobs(model, packed) for packed in pack(samples, budget)]
    mine = torch.stack([sft_loss(logprobs, mask, num_scored(samples)) for logprobs, _, mask in found]).sum()
    assert mine.item() == pytest.approx(theirs.item(), abs=1e-5)
    assert_same(gradients(mine, model.parameters()), gradients(theirs, model.parameters()))


@budgets
def test_an_sft_update_moves_the_adapter_as_trls_loss_would(budget: int, tmp_path: Path) -> None:
    fast, slow, samples = adapted(), adapted(), sides(PAIRS)
    before = lora.weights(fast)
    fast._verigym_budget = budget
    figures = sft_update(fast, descent(fast), samples)
    theirs = their_sft(slow, samples, tmp_path)
    assert figures["loss"] == pytest.approx(theirs.item(), abs=1e-5)
    assert_moved_by(fast, before, gradients(theirs, lora.parameters(slow)))
