"""Losses: pure functions of tensors. B samples, S scored tokens; mask_BS is 1 where a sample has one.

`num_tokens` is the number of scored tokens of the whole batch, so that micro-batches add up to the batch's own mean.
"""

import torch
from torch import Tensor


def sft_loss(logprobs_BS: Tensor, mask_BS: Tensor, num_tokens: int) -> Tensor:
    """Mean negative logprob over the batch's scored tokens."""
    return -(logprobs_BS * mask_BS).sum() / num_tokens


def grpo_loss(
    logprobs_BS: Tensor,
    old_BS: Tensor,
    advantages_B: Tensor,
    mask_BS: Tensor,
    num_tokens: int,
    clip_low: float = 0.2,
    clip_high: float = 0.2,
) -> tuple[Tensor, Tensor]:
    """Clipped policy gradient, averaged over the batch's tokens (the token-level form; DAPO with equal clips).
    Returns the loss and how many tokens were clipped. With one update per batch `old_BS` is `logprobs_BS` detached."""
    ratio_BS = torch.exp(logprobs_BS - old_BS)
    advantages_B1 = advantages_B[:, None]
    clipped_BS = ratio_BS.clamp(1 - clip_low, 1 + clip_high)
    gain_BS = torch.minimum(ratio_BS * advantages_B1, clipped_BS * advantages_B1)
    cut_BS = (clipped_BS * advantages_B1 < ratio_BS * advantages_B1) & mask_BS.bool()
    return -(gain_BS * mask_BS).sum() / num_tokens, cut_BS.sum()
