"""Scores with a model in this process: a reward model on whole conversations, and the perplexity of plain text."""

import asyncio
import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch

from verigym.core.errors import BadInput
from verigym.core.records import Sample, ToolSpec, Trajectory
from verigym.model import lora, lora_files
from verigym.model.forward_check import can_share
from verigym.model.load import load
from verigym.model.logprobs import scores, token_logprobs
from verigym.model.nf4 import Quantized
from verigym.model.threads import in_thread
from verigym.model.tree import pack
from verigym.policies.local.policy import LocalPolicy
from verigym.policies.render import Renderer

_SCORED_TOKENS, _TEXT_TOKENS = 4096, 2048
"""Maximum tokens of a batch: of conversations, and of texts."""


class LocalScorer:
    """A reward model: an adapter with a head on its own base model."""

    def __init__(self, model: Any, render: Renderer, name: str) -> None:
        self.name = name
        self._model, self._render = model, render
        self._tools: list[ToolSpec] = []
        self._turn = asyncio.Lock()

    def offered(self, tools: list[ToolSpec]) -> "LocalScorer":
        """The same scorer for conversations with these tools."""
        other = copy.copy(self)
        other._tools = tools
        return other

    @classmethod
    def open(cls, base: str, adapter: Path, name: str, quantized: Quantized = "") -> "LocalScorer":
        loaded = load(base, quantized=quantized)
        lora_files.load(loaded.model, adapter)
        if lora.head(loaded.model) is None:
            raise BadInput(
                f"{name} is not a reward model. Its adapter has no reward head. Train one with algorithm: reward"
            )
        return cls(loaded.model, Renderer(loaded.tokenizer), name)

    async def score(self, trajectories: Sequence[Trajectory]) -> list[float]:
        samples = []
        for trajectory in trajectories:
            ids = self._render.whole(trajectory.items, self._tools)
            samples.append(Sample(ids=ids, mask=[0] * len(ids), logprobs=[]))
        async with self._turn:
            return await in_thread(self._score, samples)

    @torch.no_grad()
    def _score(self, samples: list[Sample]) -> list[float]:
        rewards = [0.0] * len(samples)
        for packed in pack(samples, _SCORED_TOKENS, share=can_share(self._model), device=self._model.device):
            for i, score in zip(packed.samples, scores(self._model, packed).tolist(), strict=True):
                rewards[i] = score
        return rewards


class TextScore(NamedTuple):
    nats: float
    """Mean of -log p over all tokens except the first, which has no context."""
    tokens: int


@torch.no_grad()
def nats_per_token(policy: LocalPolicy, texts: Sequence[str]) -> list[TextScore]:
    """The nats per token of each text, without a chat template, with the current weights and adapter of the policy."""
    policy.engine.wait()
    samples: list[Sample] = []
    for text in texts:
        ids: list[int] = policy.render.tokenizer(text).input_ids
        if len(ids) < 2:
            raise BadInput(f'"{text}" is too short for perplexity. Use a text of at least two tokens')
        samples.append(Sample(ids=ids, mask=[0] + [1] * (len(ids) - 1), logprobs=[]))
    results: dict[int, TextScore] = {}
    for packed in pack(samples, _TEXT_TOKENS, share=can_share(policy.model), device=policy.model.device):
        logprobs_BS, _, mask_BS = token_logprobs(policy.model, packed)
        for row, i in enumerate(packed.samples):
            logprobs = logprobs_BS[row][mask_BS[row]].double()
            results[i] = TextScore(-logprobs.mean().item(), len(logprobs))
    return [results[i] for i in range(len(samples))]
