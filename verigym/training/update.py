"""One optimizer update over a batch of samples, in micro-batches, for every loss. The only place with a backward pass.

Rows are sorted by length, so that little is padded; a prefix that the rows of a micro-batch share is computed once.
"""

import math
import statistics
from collections.abc import Sequence
from typing import Any

import torch

from verigym.core.errors import Refused
from verigym.core.records import Sample
from verigym.model import lora
from verigym.model.logprobs import token_logprobs
from verigym.training.losses import grpo_loss, sft_loss

MAX_GRAD_NORM = 1.0


def make_optimizer(model: Any, learning_rate: float) -> torch.optim.Optimizer:
    return torch.optim.AdamW(lora.parameters(model), lr=learning_rate, weight_decay=0.0, betas=(0.9, 0.99))


def micro_rows(model: Any) -> int:
    return 16 if next(model.parameters()).device.type == "cpu" else 128


def sft_update(model: Any, optimizer: torch.optim.Optimizer, samples: Sequence[Sample]) -> dict[str, float]:
    num_tokens = sum(sum(sample.mask) for sample in samples)
    loss_sum = entropy_sum = 0.0
    optimizer.zero_grad()
    for rows in _micro_batches(samples, micro_rows(model)):
        logprobs_BT, entropy_BT, mask_BT = token_logprobs(model, [s.ids for s in rows], [s.mask for s in rows])
        loss = sft_loss(logprobs_BT, mask_BT, num_tokens)
        loss.backward()
        loss_sum += loss.item()
        entropy_sum += entropy_BT.sum().item()
    return {"loss": loss_sum, "entropy": entropy_sum / num_tokens, **_apply(model, optimizer), "tokens": num_tokens}


def grpo_update(
    model: Any,
    optimizer: torch.optim.Optimizer,
    samples: Sequence[Sample],
    *,
    temperature: float,
    clip_low: float,
    clip_high: float,
    updates: int = 1,
) -> dict[str, float]:
    """`updates` optimizer updates, each on its share of the samples. With one, the old logprobs are the current ones."""
    old = [] if updates == 1 else _old_logprobs(model, samples, temperature)
    made: list[dict[str, float]] = []
    size = math.ceil(len(samples) / updates)
    for first in range(0, len(samples), size):
        part = list(range(first, min(first + size, len(samples))))
        num_tokens = sum(sum(samples[i].mask) for i in part)
        sums = {"loss": 0.0, "entropy": 0.0, "clipped": 0.0, "mismatch": 0.0}
        optimizer.zero_grad()
        for places in _micro_batches(part, micro_rows(model), key=lambda i: len(samples[i].ids)):
            rows = [samples[i] for i in places]
            logprobs_BT, entropy_BT, mask_BT = token_logprobs(
                model, [s.ids for s in rows], [s.mask for s in rows], temperature
            )
            sampled_BT = _align([s.logprobs for s in rows], mask_BT, rows)
            old_BT = _align([old[i] for i in places], mask_BT, rows) if old else logprobs_BT.detach()
            advantages_B = torch.tensor([s.advantage for s in rows], device=logprobs_BT.device)
            loss, cut = grpo_loss(logprobs_BT, old_BT, advantages_B, mask_BT, num_tokens, clip_low, clip_high)
            loss.backward()
            sums["loss"] += loss.item()
            sums["entropy"] += entropy_BT.sum().item() / num_tokens
            sums["clipped"] += cut.item() / num_tokens
            sums["mismatch"] += ((logprobs_BT.detach() - sampled_BT).abs() * mask_BT).sum().item() / num_tokens
        made.append({**sums, **_apply(model, optimizer), "tokens": num_tokens})
    figures = {name: statistics.fmean(update[name] for update in made) for name in made[0]}
    return {**figures, "tokens": sum(update["tokens"] for update in made)}


@torch.no_grad()
def _old_logprobs(model: Any, samples: Sequence[Sample], temperature: float) -> list[list[float]]:
    """Each sample's logprobs under the weights as they are now, in the layout of `Sample.logprobs`."""
    found: list[list[float]] = [[] for _ in samples]
    for places in _micro_batches(range(len(samples)), micro_rows(model), key=lambda i: len(samples[i].ids)):
        rows = [samples[i] for i in places]
        logprobs_BT, _, _ = token_logprobs(model, [s.ids for s in rows], [s.mask for s in rows], temperature)
        for i, row, values in zip(places, rows, logprobs_BT.tolist(), strict=True):
            skipped = max(len(s.ids) for s in rows) - len(values)
            found[i] = [0.0] * skipped + values[: len(row.ids) - skipped]
    return found


def _align(values: list[list[float]], mask_BT: torch.Tensor, rows: Sequence[Sample]) -> torch.Tensor:
    """Per-token values of whole samples, cut to the positions that `token_logprobs` returned (it leaves the prefix out)."""
    out = torch.zeros(mask_BT.shape)
    skipped = max(len(row.ids) for row in rows) - mask_BT.shape[1]
    for i, row in enumerate(values):
        tail = row[skipped:]
        out[i, : len(tail)] = torch.tensor(tail)
    return out.to(mask_BT.device)


def _micro_batches(rows: Sequence[Any], size: int, key: Any = lambda sample: len(sample.ids)) -> list[list[Any]]:
    ordered = sorted(rows, key=key)
    return [ordered[i : i + size] for i in range(0, len(ordered), size)]


def _apply(model: Any, optimizer: torch.optim.Optimizer) -> dict[str, float]:
    norm = torch.nn.utils.clip_grad_norm_(lora.parameters(model), MAX_GRAD_NORM).item()
    if not math.isfinite(norm):
        optimizer.zero_grad()
        raise Refused(
            "the gradient is not finite: the update was not made; lower learning_rate, or look at the rewards of this step"
        )
    optimizer.step()
    return {"grad_norm": norm}
