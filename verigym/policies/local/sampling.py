"""Token sampling: temperature, truncation, constraint. B rows, V vocabulary.

Truncation and constraint exclude tokens by setting their logits to minus infinity. The decoder draws the token. If tokens were
excluded, a drawn token has two logprobs: over the whole distribution at temperature, which training uses, and over the
remaining tokens.
"""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from verigym.policies.local.requests import Row

_BLOCK = 256
_CACHED = 1 << 18
"""Logits that stay in the cache of a CPU core from one operation to the next."""


class SampledTokens(NamedTuple):
    """The next tokens of each row, one list per row, all of the same length."""

    ids: list[list[int]]
    logprobs: list[list[float]]
    """Logprobs at temperature (1 if greedy), over the whole distribution."""
    restricted: list[float] | None
    """Logprobs after truncation and constraint, for one token per row. None without either."""


def restricts(row: Row) -> bool:
    """Whether some tokens are excluded."""
    settings = row.request.sampling
    return row.request.matcher is not None or settings.top_p < 1 or settings.top_k > 0 or settings.min_p > 0


def _scaled(logits_BV: Tensor, rows: list[Row]) -> Tensor:
    """The logits divided by the temperature, or by 1 for greedy rows."""
    divisors = [[row.request.sampling.temperature or 1.0] for row in rows]
    hot = any(divisor != [1.0] for divisor in divisors)
    return logits_BV / torch.tensor(divisors, device=logits_BV.device) if hot else logits_BV


def restrict(logits_BV: Tensor, rows: list[Row]) -> Tensor:
    """The logits with minus infinity for tokens that a row's constraint or truncation excludes.
    The constraint applies first, then top_k, top_p and min_p at the row's temperature."""
    kept_BV = logits_BV.clone()
    for place, row in enumerate(rows):
        if row.request.matcher is not None:
            kept_BV[place].masked_fill_(~row.request.matcher.allowed(kept_BV.shape[1]).to(kept_BV.device), -torch.inf)
    settings = [row.request.sampling for row in rows]
    if any(one.top_k > 0 or one.top_p < 1 for one in settings):
        sorted_BV, order_BV = _scaled(kept_BV, rows).sort(dim=-1, descending=True, stable=True)
        probs_BV = sorted_BV.softmax(-1)
        place_V = torch.arange(kept_BV.shape[1], device=kept_BV.device)
        top_k = torch.tensor([[one.top_k or kept_BV.shape[1]] for one in settings], device=kept_BV.device)
        top_p = torch.tensor([[one.top_p] for one in settings], device=kept_BV.device)
        before_BV = probs_BV.cumsum(-1) - probs_BV
        out_BV = (place_V >= top_k) | ((before_BV >= top_p) & (top_p < 1))
        out_BV[:, 0] = False
        kept_BV.masked_fill_(torch.empty_like(out_BV).scatter_(-1, order_BV, out_BV), -torch.inf)
    if any(one.min_p > 0 for one in settings):
        logprobs_BV = _scaled(kept_BV, rows).log_softmax(-1)
        least = torch.tensor([[one.min_p] for one in settings], device=kept_BV.device).log()
        kept_BV.masked_fill_(logprobs_BV < logprobs_BV.amax(-1, keepdim=True) + least, -torch.inf)
    return kept_BV


def logprobs_of(logits_BV: Tensor, rows: list[Row], ids_B: Tensor) -> Tensor:
    """The logprobs of the given tokens at temperature."""
    scaled_BV = _scaled(logits_BV.float(), rows)
    return scaled_BV.gather(-1, ids_B[:, None])[:, 0] - scaled_BV.logsumexp(-1)


def draw(logits_BV: Tensor, rows: list[Row]) -> SampledTokens:
    """Draws one token per row by inverting its distribution at a random number of the row. For decoders without kernels."""
    on = any(map(restricts, rows))
    kept_BV = restrict(logits_BV.float(), rows) if on else logits_BV.float()
    scaled_BV = _scaled(kept_BV, rows)
    chosen_B, logprobs_B = _invert(scaled_BV, rows)
    free_B = logprobs_of(logits_BV, rows, chosen_B) if on else logprobs_B
    return SampledTokens(chosen_B[:, None].tolist(), free_B[:, None].tolist(), logprobs_B.tolist() if on else None)


def _invert(scaled_BV: Tensor, rows: list[Row]) -> tuple[Tensor, Tensor]:
    """The drawn tokens (the likeliest for greedy rows) and their logprobs. It sums blocks first and then searches the block of
    the random number, to read the vocabulary only a few times and use double precision where it matters."""
    most_B1, sums_BN = _block_sums(scaled_BV)
    sums_BN = sums_BN.double().cumsum(-1)
    greedy = [row.request.sampling.temperature == 0 for row in rows]
    numbers = [0.0 if likeliest else row.random.random() for likeliest, row in zip(greedy, rows, strict=True)]
    number_B1 = torch.tensor(numbers, dtype=torch.float64, device=sums_BN.device)[:, None]
    target_B1, block_B1 = _place(sums_BN, number_B1 * sums_BN[:, -1:])
    before_B1 = F.pad(sums_BN, (1, 0)).gather(-1, block_B1)
    place_BW = block_B1 * _BLOCK + torch.arange(_BLOCK, device=block_B1.device)
    inside_BW = (scaled_BV.gather(-1, place_BW.clamp_max(scaled_BV.shape[1] - 1)) - most_B1).exp_()
    inside_BW = inside_BW.masked_fill_(place_BW >= scaled_BV.shape[1], 0.0).double().cumsum(-1)
    _, found_B1 = _place(inside_BW, target_B1 - before_B1)
    chosen_B1 = block_B1 * _BLOCK + found_B1
    if any(greedy):
        greedy_B1 = torch.tensor(greedy, device=chosen_B1.device)[:, None]
        chosen_B1 = torch.where(greedy_B1, scaled_BV.argmax(-1, keepdim=True), chosen_B1)
    logprobs_B1 = scaled_BV.gather(-1, chosen_B1) - most_B1 - sums_BN[:, -1:].log().float()
    return chosen_B1[:, 0], logprobs_B1[:, 0]


def _block_sums(scaled_BV: Tensor) -> tuple[Tensor, Tensor]:
    """The largest logit of each row, and the sums of each block of its weights, which are relative to it. A few rows at a time,
    so that they stay in the cache of a core from one operation to the next."""
    vocabulary = scaled_BV.shape[1]
    rows = len(scaled_BV) if scaled_BV.device.type != "cpu" else max(1, _CACHED // vocabulary)
    weights_BV = scaled_BV.new_zeros(min(rows, len(scaled_BV)), -(-vocabulary // _BLOCK) * _BLOCK)
    most: list[Tensor] = []
    sums: list[Tensor] = []
    for scaled in scaled_BV.split(rows):
        most.append(scaled.amax(-1, keepdim=True))
        torch.sub(scaled, most[-1], out=weights_BV[: len(scaled), :vocabulary]).exp_()
        sums.append(weights_BV[: len(scaled)].unflatten(-1, (-1, _BLOCK)).sum(-1))
    return torch.cat(most), torch.cat(sums)


def _place(sums_BN: Tensor, target_B1: Tensor) -> tuple[Tensor, Tensor]:
    """The interval of the cumulative sums that contains the target. Rounding never selects an interval of width zero."""
    target_B1 = torch.minimum(target_B1, torch.nextafter(sums_BN[:, -1:], torch.zeros_like(target_B1)))
    return target_B1, torch.searchsorted(sums_BN, target_B1, right=True)
