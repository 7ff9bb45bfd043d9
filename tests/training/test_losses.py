"""Our losses against TRL's, in value and in every gradient, and against a loop over tokens."""

import math
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from tests.tiny import tiny
from verigym.core.records import Sample
from verigym.model.logprobs import token_logprobs
from verigym.model.tree import pack
from verigym.training.losses import grpo_loss, sft_loss

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import datasets
    from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer  # type: ignore[attr-defined]

PREFIX = list(range(20, 32))
SAMPLES = [
    # a reply, a tool result, a reply: prompts and completions of several lengths, advantages of both signs
    Sample(ids=[*PREFIX, 40, 41, 50, 51, 52], mask=[0] * 14 + [1, 1, 1], logprobs=[], advantage=1.3),
    Sample(ids=[*PREFIX, 42, 60, 61, 6, 6, 62, 63], mask=[0] * 13 + [1, 1, 0, 0, 1, 1], logprobs=[], advantage=-0.7),
    Sample(ids=[*PREFIX, 43, 44, 45, 70], mask=[0] * 15 + [1], logprobs=[], advantage=0.4),
    Sample(ids=[*PREFIX, 80, 81, 82, 83, 84, 2], mask=[0] * 12 + [1] * 6, logprobs=[], advantage=-1.1),
]
NUM_TOKENS = sum(sum(sample.mask) for sample in SAMPLES)


def gradients(model: Any, loss: Tensor) -> list[Tensor]:
    model.zero_grad()
    loss.backward()
    found = [parameter.grad.clone() for parameter in model.parameters()]
    model.zero_grad()
    return found


def assert_same(ours: list[Tensor], theirs: list[Tensor]) -> None:
    largest = max(float(gradient.abs().max()) for gradient in theirs)
    assert largest > 1e-3, "a gradient of nothing proves nothing"
    for mine, reference in zip(ours, theirs, strict=True):
        assert (mine - reference).abs().max() < 1e-5 * max(largest, 1.0)


def for_the_oracle(old: list[list[float]] | None) -> dict[str, Tensor]:
    """Prompts padded on the left, completions on the right, as TRL wants them."""
    cuts = [sample.mask.index(1) for sample in SAMPLES]
    widest, longest = max(cuts), max(len(sample.ids) - cut for sample, cut in zip(SAMPLES, cuts, strict=True))
    rows: dict[str, list[list[Any]]] = {key: [] for key in KEYS}
    for i, (sample, cut) in enumerate(zip(SAMPLES, cuts, strict=True)):
        left, right = [0] * (widest - cut), [0] * (longest - len(sample.ids) + cut)
        rows["prompt_ids"].append(left + sample.ids[:cut])
        rows["prompt_mask"].append(left + [1] * cut)
        rows["completion_ids"].append(sample.ids[cut:] + right)
        rows["completion_mask"].append([1] * len(sample.ids[cut:]) + right)
        rows["tool_mask"].append(sample.mask[cut:] + right)
        rows["old_per_token_logps"].append([*(old[i] if old else sample.mask)[cut:], *right])
    made = {key: torch.tensor(value) for key, value in rows.items()}
    if old is None:
        del made["old_per_token_logps"]
    made["advantages"] = torch.tensor([sample.advantage for sample in SAMPLES])
    made["num_items_in_batch"] = torch.tensor(float(NUM_TOKENS))
    return made


KEYS = ["prompt_ids", "prompt_mask", "completion_ids", "completion_mask", "tool_mask", "old_per_token_logps"]
COMMON: dict[str, Any] = {"use_cpu": True, "bf16": False, "gradient_checkpointing": False, "report_to": []}


def grpo_oracle(folder: Path, **settings: Any) -> Any:
    loaded = tiny()
    config = GRPOConfig(
        output_dir=str(folder),
        loss_type="dapo",
        num_generations=2,
        per_device_train_batch_size=2,
        steps_per_generation=1,
        **COMMON,
        **settings,
    )
    trainer = GRPOTrainer(
        model=loaded.model.requires_grad_(True),
        reward_funcs=lambda completions, **_: [0.0] * len(completions),
        args=config,
        train_dataset=datasets.Dataset.from_dict({"prompt": ["a", "b"]}),
        processing_class=loaded.tokenizer,
    )
    trainer.current_gradient_accumulation_steps = 1
    return trainer


def ours(
    model: Any, old: list[list[float]] | None, temperature: float, low: float, high: float
) -> tuple[Tensor, Tensor]:
    [packed] = pack(SAMPLES, 1000)
    logprobs_BS, _, mask_BS = token_logprobs(model, packed, temperature)
    old_BS = logprobs_BS.detach().clone()
    if old is not None:
        for row, i in enumerate(packed.samples):
            scored = [value for value, mask in zip(old[i], SAMPLES[i].mask, strict=True) if mask]
            old_BS[row, : len(scored)] = torch.tensor(scored)
    advantages_B = torch.tensor([SAMPLES[i].advantage for i in packed.samples])
    return grpo_loss(logprobs_BS, old_BS, advantages_B, mask_BS, NUM_TOKENS, low, high)


def shifted(model: Any, temperature: float, by: float) -> list[list[float]]:
    """Old logprobs that differ from the current ones by up to `by`, both ways."""
    generator = torch.Generator().manual_seed(8)
    found = []
    with torch.no_grad():
        for sample in SAMPLES:
            table = torch.log_softmax(model(input_ids=torch.tensor([sample.ids])).logits[0] / temperature, -1)
            now = table[torch.arange(len(sample.ids) - 1), sample.ids[1:]]
            found.append([0.0, *(now + by * (2 * torch.rand(now.shape, generator=generator) - 1)).tolist()])
    return found


@pytest.mark.parametrize("temperature", [1.0, 0.7], ids=lambda t: f"temperature {t}")
@pytest.mark.parametrize("clips", [(0.2, 0.2), (0.2, 0.28), (0.1, 0.4)], ids=lambda clips: f"clips {clips}")
@pytest.mark.parametrize("by", [None, 0.1, 0.8], ids=["old is current", "few clipped", "many clipped"])
def test_grpo_is_trls_dapo_in_value_and_gradient(
    by: float | None, clips: tuple[float, float], temperature: float, tmp_path: Path
) -> None:
    low, high = clips
    trainer = grpo_oracle(tmp_path, epsilon=low, epsilon_high=high, temperature=temperature)
    old = None if by is None else shifted(trainer.model, temperature, by)
    theirs = trainer._compute_loss(trainer.model, for_the_oracle(old))
    mine, cut = ours(trainer.model, old, temperature, low, high)
    assert mine.item() == pytest.approx(theirs.item(), abs=1e-5)
    assert_same(gradients(trainer.model, mine), gradients(trainer.model, theirs))
    assert int(cut) == 0 if by is None else int(cut) > 0 or by < 0.2


def test_sft_is_trls_in_value_and_gradient(tmp_path: Path) -> None:
    loaded = tiny()
    trainer: Any = SFTTrainer(
        model=loaded.model.requires_grad_(True),
        args=SFTConfig(output_dir=str(tmp_path), **COMMON),
        train_dataset=datasets.Dataset.from_dict({"text": ["a", "b"]}),
        processing_class=loaded.tokenizer,
    )
    width = max(len(sample.ids) for sample in SAMPLES)
    pad = [[0] * (width - len(sample.ids)) for sample in SAMPLES]
    inputs = {
        "input_ids": torch.tensor([sample.ids + none for sample, none in zip(SAMPLES, pad, strict=True)]),
        "attention_mask": torch.tensor(
            [[1] * len(sample.ids) + none for sample, none in zip(SAMPLES, pad, strict=True)]
        ),
    }
    scored = torch.tensor([sample.mask + none for sample, none in zip(SAMPLES, pad, strict=True)])
    inputs["labels"] = torch.where(scored == 1, inputs["input_ids"], -100)
    theirs: Any = trainer.compute_loss(trainer.model, inputs, num_items_in_batch=torch.tensor(NUM_TOKENS))
    logprobs_BS, _, mask_BS = token_logprobs(trainer.model, pack(SAMPLES, 1000)[0])
    mine = sft_loss(logprobs_BS, mask_BS, NUM_TOKENS)
    assert mine.item() == pytest.approx(theirs.item(), abs=1e-5)
    assert_same(gradients(trainer.model, mine), gradients(trainer.model, theirs))


numbers = st.floats(-3, 0, width=32)


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(1, 3), st.integers(1, 5), st.sampled_from([(0.2, 0.2), (0.1, 0.5)]))
def test_grpo_is_the_loop_over_tokens_that_the_paper_writes(
    data: st.DataObject, rows: int, width: int, clips: tuple[float, float]
) -> None:
    def table(values: st.SearchStrategy[Any]) -> list[list[Any]]:
        return data.draw(st.lists(st.lists(values, min_size=width, max_size=width), min_size=rows, max_size=rows))

    new, old, mask = table(numbers), table(numbers), table(st.integers(0, 1))
    advantages = data.draw(st.lists(st.floats(-2, 2, width=32), min_size=rows, max_size=rows))
    low, high = clips
    total, cut = 0.0, 0
    for i in range(rows):
        for t in range(width):
            if mask[i][t]:
                ratio = math.exp(new[i][t] - old[i][t])
                bounded = min(max(ratio, 1 - low), 1 + high)
                total += min(ratio * advantages[i], bounded * advantages[i])
                gap = ratio * advantages[i] - bounded * advantages[i]
                cut += gap > 1e-5
    loss, clipped = grpo_loss(
        torch.tensor(new), torch.tensor(old), torch.tensor(advantages), torch.tensor(mask), 7, low, high
    )
    assert loss.item() == pytest.approx(-total / 7, rel=1e-4, abs=1e-5)
    assert int(clipped) >= cut
    assert int(clipped) <= sum(map(sum, mask))


def test_masked_tokens_have_no_part_in_any_loss() -> None:
    mask_BS = torch.tensor([[0, 1, 0]])
    values_BS = torch.tensor([[-5.0, -1.0, -9.0]], requires_grad=True)
    for loss in (
        sft_loss(values_BS, mask_BS, 1),
        grpo_loss(values_BS, values_BS.detach(), torch.tensor([2.0]), mask_BS, 1)[0],
    ):
        (gradient,) = torch.autograd.grad(loss, values_BS, retain_graph=True)
        assert gradient[0, [0, 2]].tolist() == [0, 0] and gradient[0, 1] < 0
