"""Logprobs of given tokens, the same numbers in training and in checks.

Shapes: B rows, T positions of a row, P positions of a shared prefix, V vocabulary.
A prefix that all rows share is computed once and its keys and values are handed to every row, gradient included. Logits are
made only where a token is scored.
"""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from transformers import DynamicCache


def logits_of(model: Any, hidden: Tensor) -> Tensor:
    """The model's own logits from its last hidden states, with the scaling or soft cap that some families apply."""
    logits = model.get_output_embeddings()(hidden)
    config = model.config
    scale = (getattr(config, "logit_scale", None) or 1.0) / (getattr(config, "logits_scaling", None) or 1.0)
    logits = logits if scale == 1.0 else logits * scale
    cap = getattr(config, "final_logit_softcapping", None)
    return torch.tanh(logits / cap) * cap if cap else logits


def shared_prefix(rows: list[list[int]]) -> int:
    """How many leading ids all rows share, leaving at least one id to each row."""
    first, shortest = rows[0], min(map(len, rows))
    length = 0
    while length < shortest - 1 and all(row[length] == first[length] for row in rows):
        length += 1
    return length if len(rows) > 1 else 0


def token_logprobs(
    model: Any, rows: list[list[int]], masks: list[list[int]], temperature: float = 1.0
) -> tuple[Tensor, Tensor, Tensor]:
    """Logprobs and entropies of the masked tokens, each of shape (B, T), zero elsewhere, and the mask as a tensor.
    Row i's ids are its whole context with completions; mask 1 marks the tokens to score (never the first)."""
    prefix = min(shared_prefix(rows), min(_first_scored(mask) for mask in masks) - 1)
    prefix = max(prefix, 0)
    device = next(model.parameters()).device
    tails = [row[prefix:] for row in rows]
    longest = max(map(len, tails))
    ids_BT = torch.zeros(len(rows), longest, dtype=torch.long, device=device)
    mask_BT = torch.zeros(len(rows), longest, dtype=torch.bool, device=device)
    attend_BT = torch.zeros(len(rows), prefix + longest, dtype=torch.long, device=device)
    attend_BT[:, :prefix] = 1
    for i, (tail, mask) in enumerate(zip(tails, masks, strict=True)):
        ids_BT[i, : len(tail)] = torch.tensor(tail)
        mask_BT[i, : len(tail)] = torch.tensor(mask[prefix:], dtype=torch.bool)
        attend_BT[i, prefix : prefix + len(tail)] = 1
    positions_BT = torch.arange(prefix, prefix + longest, device=device).expand(len(rows), -1)

    cache = _prefix_cache(model, rows[0][:prefix], len(rows), device) if prefix else None
    hidden = model.base_model(
        input_ids=ids_BT,
        attention_mask=attend_BT,
        position_ids=positions_BT,
        past_key_values=cache,
        use_cache=cache is not None,
    ).last_hidden_state
    scored_BT = mask_BT[:, 1:]
    hidden_N = hidden[:, :-1][scored_BT]
    logits_NV = logits_of(model, hidden_N).float()
    if temperature not in (0.0, 1.0):
        logits_NV = logits_NV / temperature
    target_N = ids_BT[:, 1:][scored_BT]
    norm_N = torch.logsumexp(logits_NV, -1)
    found_N = logits_NV.gather(-1, target_N[:, None])[:, 0] - norm_N
    with torch.no_grad():
        entropy_N = norm_N - (torch.softmax(logits_NV, -1) * logits_NV).sum(-1)
    logprobs_BT = torch.zeros(mask_BT.shape, device=device, dtype=torch.float32)
    entropy_BT = torch.zeros_like(logprobs_BT)
    place = F.pad(scored_BT, (1, 0))
    logprobs_BT = logprobs_BT.masked_scatter(place, found_N)
    entropy_BT = entropy_BT.masked_scatter(place, entropy_N)
    return logprobs_BT, entropy_BT, place


def _first_scored(mask: list[int]) -> int:
    return mask.index(1) if 1 in mask else len(mask)


def _prefix_cache(model: Any, prefix: list[int], rows: int, device: torch.device) -> Any:
    """Keys and values of the shared prefix, computed once and shown to every row (a view: no copy until it grows)."""
    ids = torch.tensor([prefix], device=device)
    cache: Any = DynamicCache(config=model.config)
    model.base_model(input_ids=ids, past_key_values=cache, use_cache=True)
    for layer in cache.layers:
        layer.keys = layer.keys.expand(rows, -1, -1, -1)
        layer.values = layer.values.expand(rows, -1, -1, -1)
    return cache
