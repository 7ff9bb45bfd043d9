"""Losses: pure functions of tensors. B rows, T positions; mask_BT is 1 on tokens that are trained.

`num_tokens` is the number of masked tokens of the whole batch, so that micro-batches add up to the batch's own mean.
"""

import torch
from torch import Tensor


def sft_loss(logprobs_BT: Tensor, mask_BT: Tensor, num_tokens: int) -> Tensor:
    """Mean negative logprob over the batch's scored tokens."""
    return -(logprobs_BT * mask_BT).sum() / num_tokens


def grpo_loss(
    logprobs_BT: Tensor,
    old_BT: Tensor,
    advantages_B: Tensor,
    mask_BT: Tensor,
    num_tokens: int,
    clip_low: float = 0.2,
    clip_high: float = 0.2,
) -> tuple[Tensor, Tensor]:
    """Clipped policy gradient, averaged over the batch's tokens (the token-level form; DAPO with equal clips).
    Returns the loss and how many tokens were clipped. With one update per batch `old_BT` is `logprobs_BT` detached."""
    ratio_BT = torch.exp(logprobs_BT - old_BT)
    advantages_B1 = advantages_B[:, None]
    clipped_BT = ratio_BT.clamp(1 - clip_low, 1 + clip_high)
    gain_BT = torch.minimum(ratio_BT * advantages_B1, clipped_BT * advantages_B1)
    cut_BT = (clipped_BT * advantages_B1 < ratio_BT * advantages_B1) & mask_BT.bool()
    return -(gain_BT * mask_BT).sum() / num_tokens, cut_BT.sum()
