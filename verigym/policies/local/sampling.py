"""Drawing tokens: temperature, truncation, constraint. B rows, V vocabulary.

Truncation and constraint leave out tokens by setting their logits to minus infinity; the draw itself is the decoder's. The
logprob of a drawn token is given twice where anything was left out: of the whole distribution at temperature, which training
compares, and of what was left.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor


class Drawn(NamedTuple):
    """One token of each row."""

    ids: list[int]
    logprobs: list[float]
    """At temperature (at 1 when greedy), of the whole distribution."""
    restricted: list[float] | None
    """Of what truncation and constraint left; none where they were not on."""


def restricts(row: Any) -> bool:
    """Whether some tokens may not be drawn."""
    settings = row.request.sampling
    return row.matcher is not None or settings.top_p < 1 or settings.top_k > 0 or settings.min_p > 0


def scale(rows: list[Any], device: torch.device) -> Tensor:
    """What logits are divided by, (B, 1): the temperature, 1 for greedy rows."""
    return torch.tensor([[row.request.sampling.temperature or 1.0] for row in rows], device=device)


def restrict(logits_BV: Tensor, rows: list[Any]) -> Tensor:
    """The logits with minus infinity where a row's truncation or constraint leaves a token out.
    Constraint first; then top_k, top_p and min_p, each of what is likely at the row's temperature."""
    kept_BV = logits_BV.clone()
    for place, row in enumerate(rows):
        if row.matcher is not None:
            kept_BV[place].masked_fill_(~row.matcher.allowed(kept_BV.shape[1]).to(kept_BV.device), -torch.inf)
    settings = [row.request.sampling for row in rows]
    if any(one.top_k > 0 or one.top_p < 1 for one in settings):
        sorted_BV, order_BV = (kept_BV / scale(rows, kept_BV.device)).sort(dim=-1, descending=True, stable=True)
        probs_BV = sorted_BV.softmax(-1)
        place_V = torch.arange(kept_BV.shape[1], device=kept_BV.device)
        top_k = torch.tensor([[one.top_k or kept_BV.shape[1]] for one in settings], device=kept_BV.device)
        top_p = torch.tensor([[one.top_p] for one in settings], device=kept_BV.device)
        before_BV = probs_BV.cumsum(-1) - probs_BV
        out_BV = (place_V >= top_k) | ((before_BV >= top_p) & (top_p < 1))
        out_BV[:, 0] = False
        kept_BV.masked_fill_(torch.empty_like(out_BV).scatter_(-1, order_BV, out_BV), -torch.inf)
    if any(one.min_p > 0 for one in settings):
        logprobs_BV = (kept_BV / scale(rows, kept_BV.device)).log_softmax(-1)
        least = torch.tensor([[one.min_p] for one in settings], device=kept_BV.device).log()
        kept_BV.masked_fill_(logprobs_BV < logprobs_BV.amax(-1, keepdim=True) + least, -torch.inf)
    return kept_BV


def logprobs_of(logits_BV: Tensor, rows: list[Any], ids_B: Tensor) -> Tensor:
    """Of the given tokens, at temperature."""
    scaled_BV = logits_BV.float() / scale(rows, logits_BV.device)
    return scaled_BV.gather(-1, ids_B[:, None])[:, 0] - scaled_BV.logsumexp(-1)


def draw(logits_BV: Tensor, rows: list[Any]) -> Drawn:
    """One token a row by inverting its distribution at one number of the row's own stream. For decoders without kernels."""
    on = any(map(restricts, rows))
    kept_BV = restrict(logits_BV.float(), rows) if on else logits_BV.float()
    settings = [row.request.sampling for row in rows]
    chosen_B = kept_BV.argmax(-1)
    if any(one.temperature > 0 for one in settings):
        cumulative_BV = (kept_BV / scale(rows, kept_BV.device)).softmax(-1).cumsum(-1, dtype=torch.float64)
        draws = [row.random.random() if row.request.sampling.temperature > 0 else 0.0 for row in rows]
        target_B = torch.tensor(draws, dtype=torch.float64, device=kept_BV.device) * cumulative_BV[:, -1]
        drawn_B = torch.searchsorted(cumulative_BV, target_B[:, None], right=True)[:, 0]
        greedy_B = torch.tensor([one.temperature == 0 for one in settings], device=kept_BV.device)
        chosen_B = torch.where(greedy_B, chosen_B, drawn_B.clamp_(max=kept_BV.shape[1] - 1))
    logprobs = logprobs_of(logits_BV, rows, chosen_B).tolist()
    return Drawn(chosen_B.tolist(), logprobs, logprobs_of(kept_BV, rows, chosen_B).tolist() if on else None)
