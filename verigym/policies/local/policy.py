"""A policy that is a model in this process: a `TokenPolicy` on the local engine, and the model that can be trained."""

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verigym.core.records import Item, ToolSpec
from verigym.model import lora, lora_files
from verigym.model.load import LoadedModel, load
from verigym.model.lora_layers import base_of
from verigym.model.nf4 import Quantized
from verigym.model.untrained import untrained_tokens
from verigym.policies.local.engine import LocalEngine
from verigym.policies.local.rendering import add_stop_ids
from verigym.policies.render import Renderer
from verigym.policies.tokens import TokenPolicy


class LocalPolicy(TokenPolicy):
    """A policy on a local model: `LocalPolicy.open("smollm2-135m")`.

    The model has one adapter or none, and `load_adapter` changes it. `with_adapter` returns a second policy on
    the same model with another adapter.
    """

    def __init__(self, loaded: LoadedModel, *, agent: str = "", max_batch: int | None = None) -> None:
        self.model: Any = loaded.model
        self.base, self.quantized = loaded.name, loaded.quantized
        render = Renderer(loaded.tokenizer, functools.partial(untrained_tokens, loaded.model))
        add_stop_ids(render, loaded.model.generation_config)
        self.engine: LocalEngine
        engine = LocalEngine(loaded.model, stop_ids=render.stop_ids, decode=render.decode, max_batch=max_batch)
        super().__init__(loaded.tokenizer, engine, agent=agent or loaded.name, render=render, matcher=self._constrained)

    @classmethod
    def open(
        cls, name: str, *, adapter: Path | None = None, device: str | None = None, quantized: Quantized = ""
    ) -> "LocalPolicy":
        policy = cls(load(name, device=device, quantized=quantized))
        policy.load_adapter(adapter, policy.agent)
        return policy

    def load_adapter(self, adapter: Path | None, agent: str) -> None:
        """Loads the adapter in a folder, or removes it, and names the policy `agent` from now on."""
        self.engine.wait()
        if adapter is None:
            lora.detach(self.model)
        else:
            lora_files.load(self.model, adapter)
        self.weights_changed(agent)

    def add_adapter(self, r: int = 16, alpha: int = 32, seed: int = 0) -> None:
        """Puts a new, untrained LoRA adapter on the model, for training."""
        self.engine.wait()
        lora.attach(self.model, lora.LoraConfig(r=r, alpha=alpha), seed)
        self.weights_changed(self.agent)

    def with_adapter(self, adapter: Path | None, agent: str) -> "LocalPolicy":
        """A second policy on the same model and engine with another adapter. Both answer at the same time."""
        bare = lora.LoraAdapter(lora.LoraConfig(), {})
        self.engine.adapters[agent] = bare if adapter is None else lora_files.read(self.model, adapter)
        return self.with_version(agent, agent)

    def weights_changed(self, agent: str) -> None:
        """Drops the cache of the old weights. Call this after changing the weights in place."""
        self.agent = agent
        self.engine.refresh()

    @functools.cached_property
    def _constraints(self) -> Any:
        from verigym.policies.local.constrain import Constraints

        return Constraints(self.render, base_of(self.model.get_output_embeddings()).weight.shape[0])

    def _constrained(self, constrain: str, tools: list[ToolSpec], items: Sequence[Item]) -> Any:
        return self._constraints.matcher(constrain, tools, items)
