"""One optimizer update over a batch of samples, in micro-batches, for every loss. The only place with a backward pass.

A micro-batch is as many tokens as memory holds; what its samples begin with alike is counted, and computed, once.
"""

import itertools
import math
import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from verigym.core.errors import Refused
from verigym.core.records import Sample
from verigym.model import lora
from verigym.model.agree import can_share
from verigym.model.logprobs import token_logprobs
from verigym.model.tree import Packed, pack
from verigym.training.budget import lower_budget, token_budget
from verigym.training.losses import grpo_loss, sft_loss

MAX_GRAD_NORM = 1.0

Figures = dict[str, float]
LossOf = Callable[[list[int], Tensor, Tensor], tuple[Tensor, dict[str, Tensor]]]
"""(which samples, logprobs_BS, mask_BS) -> their part of the loss, and of other figures that add up"""


def make_optimizer(model: Any, learning_rate: float) -> torch.optim.Optimizer:
    fused = model.device.type == "cuda" or None
    settings: Any = {"lr": learning_rate, "weight_decay": 0.0, "betas": (0.9, 0.99), "fused": fused}
    return torch.optim.AdamW(lora.parameters(model), **settings)


def sft_update(model: Any, optimizer: torch.optim.Optimizer, samples: Sequence[Sample]) -> Figures:
    num_tokens = _num_scored(samples)

    def loss_of(_: list[int], logprobs_BS: Tensor, mask_BS: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        return sft_loss(logprobs_BS, mask_BS, num_tokens), {}

    return _update(model, optimizer, samples, loss_of)


def grpo_update(
    model: Any,
    optimizer: torch.optim.Optimizer,
    samples: Sequence[Sample],
    *,
    temperature: float,
    clip_low: float,
    clip_high: float,
    updates: int = 1,
) -> Figures:
    """`updates` optimizer updates, each on its share of the samples. With one, the old logprobs are the current ones."""
    old = None if updates == 1 else _old_logprobs(model, samples, temperature)
    size = math.ceil(len(samples) / updates)
    made: list[Figures] = []
    for start in range(0, len(samples), size):
        part = slice(start, start + size)
        loss_of = _grpo_loss_of(samples[part], old and old[part], clip_low, clip_high)
        made.append(_update(model, optimizer, samples[part], loss_of, temperature))
    figures = {name: statistics.fmean(update[name] for update in made) for name in made[0]}
    return {**figures, "tokens": sum(update["tokens"] for update in made)}


def _grpo_loss_of(
    samples: Sequence[Sample], old: list[list[float]] | None, clip_low: float, clip_high: float
) -> LossOf:
    num_tokens = _num_scored(samples)

    def loss_of(rows: list[int], logprobs_BS: Tensor, mask_BS: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        sampled_BS = _table(logprobs_BS, [_scored(samples[i]) for i in rows])
        old_BS = logprobs_BS.detach() if old is None else _table(logprobs_BS, [old[i] for i in rows])
        advantages_B = torch.tensor([samples[i].advantage for i in rows], device=logprobs_BS.device)
        loss, cut = grpo_loss(logprobs_BS, old_BS, advantages_B, mask_BS, num_tokens, clip_low, clip_high)
        mismatch = (logprobs_BS.detach() - sampled_BS).abs().sum()
        return loss, {"clipped": cut / num_tokens, "mismatch": mismatch / num_tokens}

    return loss_of


def _update(
    model: Any,
    optimizer: torch.optim.Optimizer,
    samples: Sequence[Sample],
    loss_of: LossOf,
    temperature: float = 1.0,
) -> Figures:
    """One optimizer update; figures are summed over its micro-batches."""
    parameters = lora.parameters(model)
    optimizer.zero_grad()
    sums: Counter[str] = Counter()
    waiting = _micro_batches(model, samples)
    while waiting:
        packed = waiting.pop(0)
        found = _gradients(model, parameters, packed, loss_of, temperature)
        if found is None:
            lower_budget(model, packed)
            again = _micro_batches(model, [samples[i] for i in packed.samples])
            waiting = [part._replace(samples=[packed.samples[i] for i in part.samples]) for part in again] + waiting
            continue
        for parameter, gradient in zip(parameters, found[0], strict=True):
            parameter.grad = gradient if parameter.grad is None else parameter.grad.add_(gradient)
        sums.update(found[1])  # type: ignore[arg-type]
    norm = _clip(parameters)
    if not math.isfinite(norm):
        optimizer.zero_grad()
        raise Refused(
            "the gradient is not finite: the update was not made; lower learning_rate, or look at the rewards of this step"
        )
    optimizer.step()
    num_tokens = _num_scored(samples)
    return {**sums, "entropy": sums["entropy"] / num_tokens, "grad_norm": norm, "tokens": num_tokens}


def _gradients(
    model: Any, parameters: Sequence[Tensor], packed: Packed, loss_of: LossOf, temperature: float
) -> tuple[list[Tensor], Figures] | None:
    """A micro-batch's gradients and figures, whole; none where memory ran out, with nothing left of the attempt.
    No figure is looked at before all is under way: a GPU would wait for whoever looks."""
    try:
        logprobs_BS, entropy_BS, mask_BS = token_logprobs(model, packed, temperature)
        loss, figures = loss_of(packed.samples, logprobs_BS, mask_BS)
        gradients = torch.autograd.grad(loss, parameters, materialize_grads=True)
        figures = {"loss": loss, "entropy": entropy_BS.sum(), **figures}
        return [each.contiguous() for each in gradients], {name: each.item() for name, each in figures.items()}
    except torch.OutOfMemoryError:
        return None


@torch.no_grad()
def _clip(parameters: Sequence[Tensor]) -> float:
    """Scales the gradients down to MAX_GRAD_NORM where they are longer; how long they were."""
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients)))  # pyright: ignore[reportPrivateImportUsage]
    scale = (MAX_GRAD_NORM / (norm + 1e-6)).clamp(max=1.0)
    torch._foreach_mul_(gradients, scale)  # pyright: ignore[reportPrivateImportUsage]
    return norm.item()


@torch.no_grad()
def _old_logprobs(model: Any, samples: Sequence[Sample], temperature: float) -> list[list[float]]:
    """Of each sample's scored tokens, under the weights as they are now."""
    found: list[list[float]] = [[] for _ in samples]
    for packed in _micro_batches(model, samples):
        logprobs_BS, _, mask_BS = token_logprobs(model, packed, temperature)
        for i, logprobs, mask in zip(packed.samples, logprobs_BS.tolist(), mask_BS.tolist(), strict=True):
            found[i] = logprobs[: sum(mask)]
    return found


def _micro_batches(model: Any, samples: Sequence[Sample]) -> list[Packed]:
    return pack(samples, token_budget(model), share=can_share(model), device=model.device)


def _num_scored(samples: Sequence[Sample]) -> int:
    return sum(sample.mask.count(1) for sample in samples)


def _scored(sample: Sample) -> list[float]:
    """The sampler's logprobs of the scored tokens."""
    return [*itertools.compress(sample.logprobs, sample.mask)]


def _table(like_BS: Tensor, rows: list[list[float]]) -> Tensor:
    table_BS = np.zeros(like_BS.shape, dtype=np.float32)
    for place, row in zip(table_BS, rows, strict=True):
        place[: len(row)] = row
    return torch.from_numpy(table_BS).to(like_BS.device)
