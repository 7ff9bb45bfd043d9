"""Losses: pure functions of tensors. B samples, S scored tokens, P pairs; mask_BS is 1 where a sample has a token.

Every loss is a sum whose terms are divided by figures of the whole batch (`Totals`), so that micro-batches add up to it.
`recipe.ALGORITHMS` defines each algorithm by these settings. The tests compare all of them with TRL.
"""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from verigym.training import mismatch
from verigym.training.recipe_groups import (
    TOKEN_BOUND,
    Distill,
    PolicyLoss,
    PreferenceLoss,
    Thumbs,
    beta_of,
    clips_of,
    correction_bounds,
)

Figures = dict[str, Tensor]
"""Metrics by name, summed over micro-batches."""


class Totals(NamedTuple):
    """Counts over the whole batch."""

    rows: float
    """Number of samples, masked ones included. With several updates per batch, the share of this update."""
    tokens: int
    longest: int
    """Maximum tokens per reply."""


def sft_loss(logprobs_BS: Tensor, mask_BS: Tensor, num_tokens: int) -> Tensor:
    """Mean negative logprob over the batch's scored tokens."""
    return -(logprobs_BS * mask_BS).sum() / num_tokens


def policy_loss(
    now_BS: Tensor,
    mask_BS: Tensor,
    advantages: Tensor,
    settings: PolicyLoss,
    totals: Totals,
    *,
    old_BS: Tensor | None = None,
    sampled_BS: Tensor | None = None,
    reference_BS: Tensor | None = None,
    entropy_BS: Tensor | None = None,
) -> tuple[Tensor, Figures]:
    """The loss of the GRPO family. `advantages` is (B, 1), or (B, S) if tokens of one reply differ. With one update per batch,
    `old_BS` is None because it would equal `now_BS`. `sampled_BS` holds the logprobs of the sampler."""
    then_BS = now_BS.detach() if old_BS is None else old_BS
    ratio = _ratio(now_BS, then_BS, mask_BS, settings.ratio, by_token=advantages.shape[1] > 1)
    low, high = clips_of(settings)
    if settings.objective == "cispo":
        weight = ratio.clamp(max=high).detach()
        gain = weight * advantages * now_BS
        cut = (ratio > high).expand_as(mask_BS)
    else:
        kept = ratio.clamp(1 - low, 1 + high) * advantages
        free = (ratio.clamp(max=settings.clip_most) if settings.clip_most else ratio) * advantages
        gain = torch.minimum(free, kept)
        cut = (kept < free).expand_as(mask_BS)
    figures = {"clipped": (cut & mask_BS.bool()).sum() / totals.tokens}
    if sampled_BS is not None:
        figures["mismatch"] = ((now_BS.detach() - sampled_BS).abs() * mask_BS).sum() / totals.tokens
        figures["mismatch_ratio"] = mismatch.ratio(then_BS, sampled_BS, mask_BS) / totals.tokens
        gain = gain * _correction((then_BS - sampled_BS) * mask_BS, mask_BS, settings)
    loss_BS = -gain
    if reference_BS is not None:
        figures["kl"] = (divergence(now_BS.detach(), reference_BS, "k3") * mask_BS).sum() / totals.tokens
        kl_BS = divergence(now_BS, reference_BS, settings.kl_estimator)
        if (
            settings.kl_estimator == "unbiased"
        ):  # by the token, whatever the ratio of the gain: a token's divergence is its own
            kl_BS = kl_BS * torch.exp(now_BS - then_BS)
        loss_BS = loss_BS + (settings.kl or 0.0) * kl_BS
    loss = (loss_BS * _shares(mask_BS, settings.average, totals)).sum()
    if entropy_BS is not None:
        loss = loss - settings.entropy_bonus * (entropy_BS * mask_BS).sum() / totals.tokens
    return loss, figures


def teacher_advantages(
    teacher_BS: Tensor, student_BS: Tensor, mask_BS: Tensor, settings: Distill, num_tokens: int
) -> tuple[Tensor, Figures]:
    """The advantage of each token under a teacher: its logprob less the student's. The expected gradient of `policy_loss` with
    it is that of the reverse KL divergence at each sampled context."""
    bound = settings.clip or float("inf")
    gap_BS = ((teacher_BS - student_BS) * mask_BS).detach()
    bounded_BS = gap_BS.clamp(-bound, bound)
    figures = {
        "teacher_kl": -bounded_BS.sum() / num_tokens,
        "teacher_clipped": (gap_BS.abs() > bound).sum() / num_tokens,
    }
    return settings.kl * bounded_BS, figures


def divergence(now: Tensor, reference: Tensor, estimator: str) -> Tensor:
    """An estimate of the divergence from the reference, per token, from the logprobs of the sampled tokens (Schulman's k1, k2 and
    k3). `unbiased` is k3 here, and the caller multiplies it by the ratio of the token."""
    gain = now - reference
    if estimator == "k1":
        return gain
    return gain**2 / 2 if estimator == "k2" else torch.exp(-gain) + gain - 1


def _ratio(now_BS: Tensor, then_BS: Tensor, mask_BS: Tensor, of: str | None, *, by_token: bool) -> Tensor:
    """The importance ratio: (B, S) per token, (B, 1) per reply. If tokens of a reply have advantages of their own, the ratio of
    the reply would mix them up, so `sequence` has its value and the gradient of each token (GSPO-token)."""
    log_BS = now_BS - then_BS
    if of in ("token", None):
        return torch.exp(log_BS)
    log_B1 = (log_BS * mask_BS).sum(1, keepdim=True)
    if of == "product":
        return torch.exp(log_B1)
    ratio_B1 = torch.exp(log_B1 / mask_BS.sum(1, keepdim=True).clamp(min=1))
    return ratio_B1.detach() * torch.exp(now_BS - now_BS.detach()) if by_token else ratio_B1


def _correction(log_BS: Tensor, mask_BS: Tensor, settings: PolicyLoss) -> Tensor | float:
    """The weight of a token that corrects for the sampler's different probability."""
    if settings.correction == "none":
        return 1.0
    whole = settings.correction.startswith("sequence")
    weight = torch.exp(log_BS.sum(1, keepdim=True) if whole else log_BS)
    low, high = correction_bounds(settings)
    if settings.correction == "geometric_mask":
        mean_B1 = torch.exp(log_BS.sum(1, keepdim=True) / mask_BS.sum(1, keepdim=True).clamp(min=1))
        return weight.clamp(0.0, TOKEN_BOUND).where((mean_B1 >= low) & (mean_B1 <= high), 0.0)
    if settings.correction.endswith("tis"):
        return weight.clamp(low, high)
    return weight.where((weight >= low) & (weight <= high), 0.0)


def _shares(mask_BS: Tensor, average: str | None, totals: Totals) -> Tensor:
    """The weight of each token in the mean."""
    if average in ("tokens", None):
        return mask_BS / totals.tokens
    lengths_B1 = mask_BS.sum(1, keepdim=True).clamp(min=1) if average == "sequences" else totals.longest
    return mask_BS / (lengths_B1 * totals.rows)


def value_loss(
    now_BS: Tensor, old_BS: Tensor, returns_BS: Tensor, mask_BS: Tensor, clip: float, num_tokens: int
) -> tuple[Tensor, Figures]:
    """Half of the mean squared error of a critic. With `clip`, a value that moved farther than that from its old one counts with
    the larger of both errors (Schulman et al. 2017, as in verl and TRL)."""
    error_BS = (now_BS - returns_BS) ** 2
    if clip:
        kept_BS = torch.maximum(torch.minimum(now_BS, old_BS + clip), old_BS - clip)
        clipped_BS = (kept_BS - returns_BS) ** 2
        error_BS = torch.maximum(error_BS, clipped_BS)
        cut_BS = clipped_BS > (now_BS - returns_BS) ** 2
    else:
        cut_BS = torch.zeros_like(mask_BS, dtype=torch.bool)
    loss = 0.5 * (error_BS * mask_BS).sum() / num_tokens
    return loss, {"value_clipped": (cut_BS & mask_BS.bool()).sum() / num_tokens}


def dpo_loss(gains_P2: Tensor, lengths_P2: Tensor, settings: PreferenceLoss, num_pairs: int) -> tuple[Tensor, Figures]:
    """The DPO or IPO loss of pairs (chosen, rejected). `gains` are sums of logprobs less those of the reference."""
    beta = beta_of(settings)
    if settings.objective == "ipo":
        each_P2 = gains_P2 / lengths_P2.clamp(min=1)
        apart_P = each_P2[:, 0] - each_P2[:, 1]
        loss_P = (apart_P - 1 / (2 * beta)) ** 2
    else:
        apart_P = gains_P2[:, 0] - gains_P2[:, 1]
        right_P, wrong_P = F.logsigmoid(beta * apart_P), F.logsigmoid(-beta * apart_P)
        loss_P = -(1 - settings.smoothing) * right_P - settings.smoothing * wrong_P
    figures = {
        "told_apart": (apart_P.detach() > 0).sum() / num_pairs,
        "margin": beta * apart_P.detach().sum() / num_pairs,
        "chosen": beta * gains_P2[:, 0].detach().sum() / num_pairs,
        "rejected": beta * gains_P2[:, 1].detach().sum() / num_pairs,
    }
    return loss_P.sum() / num_pairs, figures


def kto_loss(
    gains_B: Tensor, good_B: Tensor, kl: Tensor, settings: PreferenceLoss, weights: Thumbs, num_rows: int
) -> tuple[Tensor, Figures]:
    """The KTO loss (Ethayarajh et al. 2024) of replies with a thumb up (`good_B`) or down. `gains` are sums of logprobs less
    those of the reference. `kl` is their mean over replies to other prompts, at least 0. Gains are compared with it."""
    beta = beta_of(settings)
    sign_B = good_B.float() * 2 - 1
    weight_B = torch.where(good_B, weights.desirable_weight, weights.undesirable_weight)
    loss_B = weight_B * (1 - torch.sigmoid(beta * sign_B * (gains_B - kl)))
    right_B = (sign_B * (gains_B.detach() - kl)) > 0
    figures = {"told_apart": right_B.sum() / num_rows}
    for name, chosen_B in (("chosen", good_B), ("rejected", ~good_B)):
        figures[name] = beta * (gains_B.detach() * chosen_B).sum()
    return loss_B.sum() / num_rows, figures


def reward_loss(
    scores_P2: Tensor, margins_P: Tensor, settings: PreferenceLoss, num_pairs: int
) -> tuple[Tensor, Figures]:
    """The Bradley-Terry loss of pairs (chosen, rejected): the chosen score should be higher."""
    apart_P = scores_P2[:, 0] - scores_P2[:, 1]
    loss_P = -F.logsigmoid(apart_P - margins_P) + settings.centre * scores_P2.sum(1) ** 2
    figures = {
        "told_apart": (apart_P.detach() > 0).sum() / num_pairs,
        "margin": apart_P.detach().sum() / num_pairs,
        "score": scores_P2.detach().sum() / (2 * num_pairs),
    }
    return loss_P.sum() / num_pairs, figures
