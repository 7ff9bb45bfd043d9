"""The critic of PPO: a second adapter with a head on the same base model. It is part of the checkpoint and not of the version."""

import math
import statistics
from collections.abc import Sequence
from typing import Any

import msgspec
import torch

from verigym.core.records import Sample
from verigym.model import lora
from verigym.training.recipe import Recipe
from verigym.training.update import Figures, make_optimizer, value_update, values_of

Tokens = list[list[float]]
"""A figure for every scored token of every sample."""


class Critic:
    """An adapter with a head, with its own optimizer. It is on the model only while it computes."""

    def __init__(self, model: Any, recipe: Recipe) -> None:
        self._model, self._settings = model, recipe.critic
        config = lora.config_of(model)
        assert config is not None, "the policy has an adapter"
        own = lora.take_off(model)
        try:
            lora.attach(model, msgspec.structs.replace(config, head=True), recipe.seed)
            head = lora.head(model)
            assert head is not None
            torch.nn.init.zeros_(head)  # at first it expects nothing, and advantages are returns
            self._optimizer = make_optimizer(model, recipe.critic.learning_rate, recipe.optimizer)
            self._worn = lora.take_off(model)
        finally:
            lora.put_on(model, own)

    def values(self, samples: Sequence[Sample]) -> Tokens:
        with lora.wearing(self._model, self._worn):
            return values_of(self._model, samples)

    def learn(self, samples: Sequence[Sample], old: Tokens, returns: Tokens, updates: int) -> Figures:
        """Makes `updates` updates, each on its share of the samples."""
        size = math.ceil(len(samples) / updates)
        done: list[Figures] = []
        with lora.wearing(self._model, self._worn):
            for start in range(0, len(samples), size):
                part = slice(start, start + size)
                given = samples[part], old[part], returns[part]
                done.append(value_update(self._model, self._optimizer, *given, self._settings.clip))
        means = {name: statistics.fmean(update[name] for update in done) for name in done[0]}
        return {
            "value_loss": means["loss"],
            "value_clipped": means["value_clipped"],
            "value_grad_norm": means["grad_norm"],
        }

    def state(self) -> dict[str, Any]:
        with lora.wearing(self._model, self._worn):
            return {"adapter": lora.weights(self._model), "optimizer": self._optimizer.state_dict()}

    def load_state(self, state: dict[str, Any]) -> None:
        with lora.wearing(self._model, self._worn):
            lora.set_weights(self._model, state["adapter"])
        self._optimizer.load_state_dict(state["optimizer"])
