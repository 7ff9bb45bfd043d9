"""Perplexity of plain text under a model in this process, in nats per token and without a chat template."""

from collections.abc import Sequence
from typing import NamedTuple

import torch

from verigym.core.errors import BadInput
from verigym.core.records import Sample
from verigym.model.forward_check import can_share
from verigym.model.logprobs import token_logprobs
from verigym.model.tree import pack
from verigym.policies.local.policy import LocalPolicy

_TOKENS = 2048
"""Of a batch."""


class TextScore(NamedTuple):
    nats: float
    """Mean of -log p over all tokens except the first, which has no context."""
    tokens: int


@torch.no_grad()
def nats_per_token(policy: LocalPolicy, texts: Sequence[str]) -> list[TextScore]:
    """Scores each text separately, with the current weights and adapter of the policy."""
    policy.engine.wait()
    samples: list[Sample] = []
    for text in texts:
        ids: list[int] = policy.render.tokenizer(text).input_ids
        if len(ids) < 2:
            raise BadInput(f'"{text}" is too short for perplexity. Use a text of at least two tokens')
        samples.append(Sample(ids=ids, mask=[0] + [1] * (len(ids) - 1), logprobs=[]))
    found: dict[int, TextScore] = {}
    for packed in pack(samples, _TOKENS, share=can_share(policy.model), device=policy.model.device):
        logprobs_BS, _, mask_BS = token_logprobs(policy.model, packed)
        for row, i in enumerate(packed.samples):
            own = logprobs_BS[row][mask_BS[row]].double()
            found[i] = TextScore(-own.mean().item(), len(own))
    return [found[i] for i in range(len(samples))]
