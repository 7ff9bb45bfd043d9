"""A reward model in this process: an adapter with a head on its own base model. It scores a whole conversation."""

import asyncio
import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from verigym.core.errors import BadInput
from verigym.core.records import Sample, ToolSpec, Trajectory
from verigym.model import lora
from verigym.model.forward_check import can_share
from verigym.model.load import load
from verigym.model.logprobs import scores
from verigym.model.threads import in_thread
from verigym.model.tree import pack
from verigym.policies.render import Renderer

_TOKENS = 4096
"""Of a batch."""


class LocalScorer:
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
    def open(cls, base: str, adapter: Path, name: str) -> "LocalScorer":
        loaded = load(base)
        lora.load(loaded.model, adapter)
        if lora.head(loaded.model) is None:
            raise BadInput(
                f"{name} is not a reward model, because its adapter has no head. Train one with algorithm: reward"
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
        found = [0.0] * len(samples)
        for packed in pack(samples, _TOKENS, share=can_share(self._model), device=self._model.device):
            for i, score in zip(packed.samples, scores(self._model, packed).tolist(), strict=True):
                found[i] = score
        return found
