"""One optimizer update over a batch of samples, in micro-batches, for every loss. The only place with a backward pass.

A micro-batch has as many tokens as fit into memory. A prefix that its samples share is counted and computed once.
"""

import ctypes
import itertools
import math
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_

from verigym.core.errors import InfrastructureFailure, Refused
from verigym.core.records import Sample
from verigym.model import full, lora, shards
from verigym.model.devices import empty_cache, free_bytes
from verigym.model.forward_check import can_share
from verigym.model.logprobs import hidden_states, scores, token_logprobs, token_values
from verigym.model.mamba_memory import scan_bytes
from verigym.model.nf4 import bitsandbytes, is_quantized
from verigym.model.tree import PackedBatch, pack
from verigym.training.losses import (
    Totals,
    dpo_loss,
    kto_loss,
    policy_loss,
    reward_loss,
    sft_loss,
    teacher_advantages,
    value_loss,
)
from verigym.training.master_weights import MasterWeights, add_gradients, summed_in
from verigym.training.mismatch import ratios_by_age, tokens_by_age
from verigym.training.plan import CPU_TOKENS
from verigym.training.ranks import ranks_of
from verigym.training.recipe_groups import Distill, Optimizer, PolicyLoss, PreferenceLoss, Thumbs

MAX_GRAD_NORM = 1.0
"""For an optimizer that `make_optimizer` did not make."""
_MAX_NORM = "max_grad_norm"
_SHARE = 0.7
"""Share of the free memory that a micro-batch may use. The rest is for logits and temporary tensors."""
ROUNDING = 1e-4
"""Logprobs of sampler and trainer that are this close count as equal. In float32 they differ by rounding, which depends on
how requests were batched. Ignoring it makes a resumed run end with the same weights."""

Figures = dict[str, float]
Pair = tuple[Sample, Sample]
"""Chosen, rejected."""
Rated = tuple[Sample, bool]
"""A sample with its thumb: True for up."""
LossOf = Callable[[PackedBatch], tuple[Tensor, dict[str, Tensor]]]
"""Maps a micro-batch to its part of the loss and of other metrics that add up."""
Weights = dict[str, Tensor] | None
"""Adapter weights of the reference. None for the base model."""


class Teaching(NamedTuple):
    """What a teacher says of the samples of a step."""

    logprobs: list[list[float]]
    """The teacher's logprob of each scored token of each sample."""
    settings: Distill


def make_optimizer(model: Any, learning_rate: float | None, settings: Optimizer = Optimizer()) -> torch.optim.Optimizer:
    """The AdamW optimizer of an adapter, or of all parameters. Weights in half precision have a copy in float32."""
    assert learning_rate is not None, "resolve the recipe first"

    common: dict[str, Any] = {
        "lr": learning_rate,
        "weight_decay": settings.weight_decay,
        "betas": settings.betas,
    }

    def made(parameters: Sequence[Tensor]) -> Any:
        if settings.name == "adamw8bit":
            return bitsandbytes().optim.AdamW8bit(parameters, **common)
        return torch.optim.AdamW(parameters, fused=parameters[0].device.type == "cuda" or None, **common)

    parameters, whole = shards.trained(model), full.settings_of(model)
    if whole is not None and (whole.offload or model.dtype.itemsize < 4):
        optimizer: Any = MasterWeights(parameters, made, "cpu" if whole.offload else None)
    else:
        optimizer = made(parameters)
    optimizer.defaults[_MAX_NORM] = settings.max_grad_norm
    return optimizer


def sft_update(model: Any, optimizer: torch.optim.Optimizer, samples: Sequence[Sample]) -> Figures:
    num_tokens = num_scored(samples)

    def loss_of(packed: PackedBatch) -> tuple[Tensor, dict[str, Tensor]]:
        logprobs_BS, entropy_BS, mask_BS = token_logprobs(model, packed)
        return sft_loss(logprobs_BS, mask_BS, num_tokens), {"entropy": entropy_BS.sum() / num_tokens}

    return {**_update(model, optimizer, samples, loss_of), "tokens": num_tokens, "seen": _num_tokens(samples)}


def policy_update(
    model: Any,
    optimizer: torch.optim.Optimizer,
    samples: Sequence[Sample],
    settings: PolicyLoss,
    *,
    temperature: float = 1.0,
    longest: int = 1,
    rows: int = 0,
    updates: int = 1,
    reference: Weights = None,
    teaching: Teaching | None = None,
    ages: Sequence[int] = (),
) -> Figures:
    """Makes `updates` optimizer updates, each on its share of the samples. With one update, the old logprobs are the current
    ones. `rows` is the number of samples including masked ones. The advantages of a teacher are added to those of the samples.
    `ages` has the age of each sample, if versions differ: the number of updates since the version that sampled it."""
    old = None if updates == 1 else logprobs_of(model, samples, temperature)
    anchor = None
    if settings.kl and settings.kl_in != "reward":
        with lora.with_weights(model, reference):
            anchor = logprobs_of(model, samples, temperature)
    size = math.ceil(len(samples) / updates)
    done: list[Figures] = []
    aged = tokens_by_age(samples, ages, math.ceil(len(samples) / size))
    for start in range(0, len(samples), size):
        part = slice(start, start + size)
        share = samples[part]
        totals = Totals((rows or len(samples)) * len(share) / len(samples), num_scored(share), longest)
        taught = teaching and teaching._replace(logprobs=teaching.logprobs[part])
        loss_of = _policy_loss_of(
            model,
            share,
            settings,
            totals,
            temperature,
            old and old[part],
            anchor and anchor[part],
            taught,
            ages[part],
            aged,
        )
        done.append(_update(model, optimizer, share, loss_of))
    figures = {name: statistics.fmean(update[name] for update in done) for name in done[0]}
    return {**figures, "tokens": num_scored(samples)}


def _policy_loss_of(
    model: Any,
    samples: Sequence[Sample],
    settings: PolicyLoss,
    totals: Totals,
    temperature: float,
    old: list[list[float]] | None,
    reference: list[list[float]] | None,
    teaching: Teaching | None = None,
    ages: Sequence[int] = (),
    aged: Mapping[int, float] = {},
) -> LossOf:
    bonus = settings.entropy_bonus > 0
    by_token = any(sample.advantages for sample in samples)

    def loss_of(packed: PackedBatch) -> tuple[Tensor, dict[str, Tensor]]:
        now_BS, entropy_BS, mask_BS = token_logprobs(model, packed, temperature, entropy_too=bonus)
        rows = [samples[i] for i in packed.samples]

        def at_rows(logprobs: list[list[float]] | None) -> Tensor | None:
            return None if logprobs is None else _table(now_BS, [logprobs[i] for i in packed.samples])

        if by_token:
            advantages = _table(now_BS, [row.advantages or [row.advantage] * sum(row.mask) for row in rows])
        else:
            advantages = torch.tensor([[row.advantage] for row in rows], device=now_BS.device)
        old_BS, sampled_BS = at_rows(old), _table(now_BS, [_scored(row) for row in rows])
        then_BS = now_BS.detach() if old_BS is None else old_BS
        if written := [i for i, row in enumerate(rows) if not row.logprobs]:  # a demonstration, which was not sampled
            sampled_BS[written] = then_BS[written]
        taught: dict[str, Tensor] = {}
        if teaching is not None:
            scored_BS = _table(now_BS, [teaching.logprobs[i] for i in packed.samples])
            more_BS, taught = teacher_advantages(scored_BS, then_BS, mask_BS, teaching.settings, totals.tokens)
            advantages = advantages + more_BS
        sampled_BS = sampled_BS.where((then_BS - sampled_BS).abs() > ROUNDING, then_BS)
        loss, figures = policy_loss(
            now_BS,
            mask_BS,
            advantages,
            settings,
            totals,
            old_BS=old_BS,
            sampled_BS=sampled_BS,
            reference_BS=at_rows(reference),
            entropy_BS=entropy_BS if bonus else None,
        )
        row_ages = [ages[i] for i in packed.samples] if aged else []
        by_age = ratios_by_age(then_BS, sampled_BS, mask_BS, row_ages, aged) if aged else {}
        return loss, {**figures, **by_age, **taught, "entropy": entropy_BS.detach().sum() / totals.tokens}

    return loss_of


def dpo_update(
    model: Any,
    optimizer: torch.optim.Optimizer,
    pairs: Sequence[Pair],
    settings: PreferenceLoss,
    reference: Weights = None,
) -> Figures:
    samples = sides_of(pairs)
    with lora.with_weights(model, reference):
        anchor = [math.fsum(row) for row in logprobs_of(model, samples)]

    def loss_of(packed: PackedBatch) -> tuple[Tensor, dict[str, Tensor]]:
        logprobs_BS, entropy_BS, mask_BS = token_logprobs(model, packed)
        chosen_first = _in_pairs(packed.samples, logprobs_BS.device)
        anchor_B = torch.tensor([anchor[i] for i in packed.samples], device=logprobs_BS.device)
        gains_B, lengths_B = logprobs_BS.sum(1) - anchor_B, mask_BS.sum(1)
        loss, figures = dpo_loss(gains_B[chosen_first], lengths_B[chosen_first], settings, len(pairs))
        return loss, {**figures, "entropy": entropy_BS.sum() / num_scored(samples)}

    figures = _update(model, optimizer, samples, loss_of, together=2)
    return {**figures, "tokens": num_scored(samples), "seen": _num_tokens(samples)}


def kto_update(
    model: Any,
    optimizer: torch.optim.Optimizer,
    rows: Sequence[Rated],
    settings: PreferenceLoss,
    weights: Thumbs,
    reference: Weights = None,
) -> Figures:
    """`rows` are samples with their thumbs. The divergence is estimated from the prompt of each row with the reply of the row
    before it."""
    samples, good = [sample for sample, _ in rows], [thumb for _, thumb in rows]
    others = [_with_reply(sample, samples[index - 1]) for index, sample in enumerate(samples)]
    with lora.with_weights(model, reference):
        anchor = [math.fsum(row) for row in logprobs_of(model, [*samples, *others])]
    now = [math.fsum(row) for row in logprobs_of(model, others)]
    moved = [ours - theirs for ours, theirs in zip(now, anchor[len(samples) :], strict=True)]
    kl = max(0.0, statistics.fmean(moved))

    def loss_of(packed: PackedBatch) -> tuple[Tensor, dict[str, Tensor]]:
        logprobs_BS, entropy_BS, _ = token_logprobs(model, packed)
        device = logprobs_BS.device
        anchor_B = torch.tensor([anchor[i] for i in packed.samples], device=device)
        good_B = torch.tensor([good[i] for i in packed.samples], device=device)
        gains_B, at = logprobs_BS.sum(1) - anchor_B, torch.tensor(kl, device=device)
        loss, figures = kto_loss(gains_B, good_B, at, settings, weights, len(rows))
        return loss, {**figures, "entropy": entropy_BS.sum() / num_scored(samples)}

    figures = _update(model, optimizer, samples, loss_of)
    for name, count in (("chosen", sum(good)), ("rejected", len(good) - sum(good))):
        figures[name] = figures[name] / count if count else 0.0
    figures["margin"] = figures["chosen"] - figures["rejected"]
    if not 0 < sum(good) < len(good):
        del figures["margin"], figures["rejected" if all(good) else "chosen"]
    return {**figures, "kl": kl, "tokens": num_scored(samples), "seen": _num_tokens([*samples, *others])}


def _with_reply(sample: Sample, other: Sample) -> Sample:
    """The prompt of one sample with what follows the prompt of another."""
    own, theirs = sample.mask.index(1), other.mask.index(1)
    return Sample(ids=sample.ids[:own] + other.ids[theirs:], mask=[0] * own + other.mask[theirs:], logprobs=[])


def reward_update(
    model: Any, optimizer: torch.optim.Optimizer, rows: Sequence[tuple[Pair, float]], settings: PreferenceLoss
) -> Figures:
    """`rows` are pairs with their margins."""
    samples = sides_of([pair for pair, _ in rows])

    def loss_of(packed: PackedBatch) -> tuple[Tensor, dict[str, Tensor]]:
        scores_B = scores(model, packed)
        chosen_first = _in_pairs(packed.samples, scores_B.device)
        margins = [rows[i // 2][1] if settings.margin else 0.0 for i in sorted(packed.samples)[::2]]
        return reward_loss(scores_B[chosen_first], torch.tensor(margins, device=scores_B.device), settings, len(rows))

    return {**_update(model, optimizer, samples, loss_of, together=2), "seen": _num_tokens(samples)}


def sides_of(pairs: Sequence[Pair]) -> list[Sample]:
    """The samples of pairs: chosen, rejected, chosen, rejected, ..."""
    return [side for pair in pairs for side in pair]


@torch.no_grad()
def pair_accuracy(model: Any, pairs: Sequence[Pair]) -> float:
    """The share of pairs whose chosen side a reward model scores higher."""
    samples = sides_of(pairs)
    score_of: dict[int, float] = {}
    for packed in _micro_batches(model, samples):
        score_of |= zip(packed.samples, scores(model, packed).tolist(), strict=True)
    return statistics.fmean(score_of[i] > score_of[i + 1] for i in range(0, len(samples), 2))


def _in_pairs(samples: list[int], device: torch.device) -> Tensor:
    """(P, 2): the rows of each pair's chosen and rejected sample, which are 2p and 2p + 1 of the batch."""
    return torch.tensor(samples, device=device).argsort().view(-1, 2)


def _update(
    model: Any, optimizer: torch.optim.Optimizer, samples: Sequence[Sample], loss_of: LossOf, together: int = 1
) -> Figures:
    """Makes one optimizer update. Metrics are summed over its micro-batches. If the model computes together with other ranks,
    each has some of the samples, and gradients and metrics are summed over the ranks."""
    parameters, ranks = shards.trained(model), ranks_of(model)
    holders = summed_in(optimizer, parameters)
    optimizer.zero_grad()
    _return_memory(model)  # what sampling left
    sums: Counter[str] = Counter()
    waiting = _micro_batches(model, samples, together)
    first, stride = (0, 1) if ranks is None else (ranks.rank, ranks.world)
    update = updates_made(optimizer) if lora.drops(model) else 0  # reading it makes the GPU wait
    for micro_batch in itertools.count(first, stride):
        if not waiting:
            break
        packed = waiting.pop(0)
        with lora.dropping(model, update, micro_batch):
            if shards.is_divided(model):
                result = _divided_gradients(model, packed, loss_of)
            else:
                result = _gradients(parameters, packed, loss_of)
        if result is None:
            lower_budget(model, packed, together)
            waiting = _micro_batches(model, samples, together, sorted(packed.samples)) + waiting
            continue
        add_gradients(holders, result[0])
        sums.update(result[1])  # type: ignore[arg-type]
        del result  # only the sums stay while the next micro-batch is computed
    most = optimizer.defaults.get(_MAX_NORM, MAX_GRAD_NORM)
    norm = _clip(model, holders, most)
    if not math.isfinite(norm):
        optimizer.zero_grad()
        raise Refused(
            "The gradient is not finite, so no update was made. Lower learning_rate, or check the rewards of this step"
        )
    optimizer.step()
    _return_memory(model)
    if ranks is not None:
        sums = ranks.after_update(sums, shards.whole(model))
    return {**sums, "grad_norm": norm}


def _clip(model: Any, holders: Sequence[Tensor], most: float) -> float:
    """Sums the gradients of the holders over the ranks, if there are any, and limits their norm. Returns the norm before."""
    ranks = ranks_of(model)
    if ranks is None:
        return clip_grad_norm_(holders, most, foreach=True).item()
    whole, parts = shards.whole_and_parts(model, holders)
    ranks.sum_gradients(whole)
    if not shards.is_divided(model):
        return clip_grad_norm_(holders, most, foreach=True).item()
    return shards.clip(whole, parts, most, lambda value: math.fsum(ranks.gather(value)))


def updates_made(optimizer: torch.optim.Optimizer) -> int:
    """Number of updates that the optimizer made. It is part of a checkpoint."""
    return max((int(state.get("step", 0)) for state in optimizer.state.values()), default=0)


def _return_memory(model: Any) -> None:
    """Gives freed memory back to the system. The C library keeps it otherwise, and batches of other sizes cannot use all of
    it: the quickstart's training took 7.6 GB."""
    if model.device.type != "cpu":
        return
    library = ctypes.CDLL(None)
    if hasattr(library, "malloc_trim"):  # glibc
        library.malloc_trim(0)


def _gradients(
    parameters: Sequence[Tensor], packed: PackedBatch, loss_of: LossOf
) -> tuple[list[Tensor], Figures] | None:
    """The gradients and metrics of a micro-batch, or None if memory ran out. Metrics are read last, because reading one makes
    the GPU wait."""
    try:
        loss, figures = loss_of(packed)
        gradients = torch.autograd.grad(loss, parameters, materialize_grads=True)
        figures = {"loss": loss, **figures}
        return [gradient.contiguous() for gradient in gradients], {name: sum.item() for name, sum in figures.items()}
    except torch.OutOfMemoryError:
        return None


def _divided_gradients(model: Any, packed: PackedBatch, loss_of: LossOf) -> tuple[list[Tensor | None], Figures]:
    """As `_gradients`, for a model that is divided among ranks. A micro-batch without samples only takes part in gathering the
    layers."""
    try:
        if packed.samples:
            loss, figures = loss_of(packed)
        else:
            loss, figures = 0.0 * hidden_states(model, packed).float().sum(), dict[str, Tensor]()
        loss.backward()
        values = {"loss": loss, **figures} if packed.samples else {}
        return shards.take_gradients(model), {name: value.item() for name, value in values.items()}
    except torch.OutOfMemoryError:
        raise InfrastructureFailure(
            f"Out of memory on {model.device}: a micro-batch of {len(packed.ids_N)} tokens does not fit. {_remedy(model)}"
        ) from None


def value_update(
    model: Any,
    optimizer: torch.optim.Optimizer,
    samples: Sequence[Sample],
    old: Sequence[list[float]],
    returns: Sequence[list[float]],
    clip: float,
) -> Figures:
    """One update of a critic, whose adapter must be on the model. `old` and `returns` are per scored token."""
    num_tokens = num_scored(samples)

    def loss_of(packed: PackedBatch) -> tuple[Tensor, dict[str, Tensor]]:
        now_BS, mask_BS = token_values(model, packed)
        old_BS, returns_BS = (_table(now_BS, [rows[i] for i in packed.samples]) for rows in (old, returns))
        return value_loss(now_BS, old_BS, returns_BS, mask_BS, clip, num_tokens)

    return _update(model, optimizer, samples, loss_of)


@torch.no_grad()
def values_of(model: Any, samples: Sequence[Sample]) -> list[list[float]]:
    """The values of each sample's scored tokens under the critic on the model."""
    by_sample: dict[int, list[float]] = {}
    for packed in _micro_batches(model, samples):
        values_BS, mask_BS = token_values(model, packed)
        if not packed.samples:
            continue
        for i, values, mask in zip(packed.samples, values_BS.tolist(), mask_BS.tolist(), strict=True):
            by_sample[i] = values[: sum(mask)]
    return _in_order(model, by_sample, len(samples))


@torch.no_grad()
def logprobs_of(model: Any, samples: Sequence[Sample], temperature: float = 1.0) -> list[list[float]]:
    """The logprobs of each sample's scored tokens under the current weights."""
    by_sample: dict[int, list[float]] = {}
    for packed in _micro_batches(model, samples):
        logprobs_BS, _, mask_BS = token_logprobs(model, packed, temperature)
        if not packed.samples:
            continue
        for i, logprobs, mask in zip(packed.samples, logprobs_BS.tolist(), mask_BS.tolist(), strict=True):
            by_sample[i] = logprobs[: sum(mask)]
    return _in_order(model, by_sample, len(samples))


def _in_order(model: Any, rows: dict[int, list[float]], count: int) -> list[list[float]]:
    """The rows of all samples, also those that other ranks computed."""
    ranks = ranks_of(model)
    return [rows[index] for index in range(count)] if ranks is None else ranks.gather_rows(rows, count)


def _micro_batches(
    model: Any, samples: Sequence[Sample], together: int = 1, kept: Sequence[int] | None = None
) -> list[PackedBatch]:
    """The micro-batches of the samples at the indices `kept`. None for all, or for those of this rank. If the model is divided
    among ranks, each has equally many, and those that it lacks have no samples."""
    ranks = ranks_of(model)
    if kept is None and ranks is not None:
        kept = ranks.own(samples, together)
    rows = samples if kept is None else [samples[i] for i in kept]
    packed = pack(rows, token_budget(model), share=can_share(model), together=together, device=model.device)
    if kept is None:
        return packed
    packed = [part._replace(samples=[kept[i] for i in part.samples]) for part in packed]
    if ranks is not None and shards.is_divided(model):
        missing = max(ranks.gather(len(packed))) - len(packed)
        filler = pack(samples[:together], sys.maxsize, share=can_share(model), together=together, device=model.device)
        packed += [filler[0]._replace(samples=[])] * missing
    return packed


def _num_tokens(samples: Sequence[Sample]) -> int:
    return sum(len(sample.ids) for sample in samples)


def num_scored(samples: Sequence[Sample]) -> int:
    return sum(sample.mask.count(1) for sample in samples)


def _scored(sample: Sample) -> list[float]:
    """The sampler's logprobs of the scored tokens."""
    return [*itertools.compress(sample.logprobs, sample.mask)]


def _table(like_BS: Tensor, rows: list[list[float]]) -> Tensor:
    table_BS = np.zeros(like_BS.shape, dtype=np.float32)
    for row_S, row in zip(table_BS, rows, strict=True):
        row_S[: len(row)] = row
    return torch.from_numpy(table_BS).to(like_BS.device)


def token_budget(model: Any) -> int:
    """Maximum tokens of a micro-batch: as many as fit into memory. It stays lower after memory ran out once."""
    lowered = getattr(model, "_verigym_budget", sys.maxsize)
    if model.device.type == "cpu":
        return min(CPU_TOKENS, lowered)
    return min(max(1, int(_SHARE * free_bytes(model.device) / bytes_per_token(model))), lowered)


def bytes_per_token(model: Any) -> int:
    """Bytes that the backward pass needs per token: in each layer about 12 vectors of the hidden size and 4 of the inner, and
    once what a Mamba layer without kernels needs."""
    config = model.config.get_text_config()
    inner = getattr(config, "intermediate_size", None) or 4 * config.hidden_size
    layers = config.num_hidden_layers * (12 * config.hidden_size + 4 * inner) * model.dtype.itemsize
    return layers + scan_bytes(model)


def lower_budget(model: Any, failed: PackedBatch, together: int = 1) -> None:
    """Halves the budget after a micro-batch did not fit."""
    tokens = len(failed.ids_N)
    if len(failed.samples) == together:
        what = "one sample" if together == 1 else "a pair"
        raise InfrastructureFailure(
            f"Out of memory on {model.device}: {what} of {tokens} tokens does not fit. {_remedy(model)}"
        )
    model._verigym_budget = tokens // 2
    empty_cache(model.device)


def _remedy(model: Any) -> str:
    """What takes less memory, by what is trained."""
    rest = "limit the length of episodes, or use a smaller model."
    whole = full.settings_of(model)
    if whole is None:
        narrow = is_quantized(model)
        return f"Set {'' if narrow else 'adapter: qlora or '}a smaller lora.top_layers, {rest}"
    unset = [
        words
        for words, used in (("full.checkpointing: true", whole.checkpointing), ("full.offload: true", whole.offload))
        if not used
    ]
    return f"Set {' or '.join([*unset, 'adapter: lora'])}, {rest}"
