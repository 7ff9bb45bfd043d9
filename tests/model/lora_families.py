"""Tiny models of every family that an adapter is tested on, and the same adapter in PEFT."""

from collections.abc import Callable
from typing import Any

import peft
import torch
from torch import Tensor

from tests.model.families import MAMBA, SEPARATE, SHARING, make
from verigym.model import lora

EXPERTS: dict[str, Any] = {"num_experts_per_tok": 2, "moe_intermediate_size": 16}


def nemotron_with_experts(**settings: Any) -> Any:
    return make(
        "NemotronH",
        num_hidden_layers=4,
        layers_block_type=["mamba", "attention", "moe", "mlp"],
        n_routed_experts=4,
        moe_shared_expert_intermediate_size=16,
        n_group=1,
        topk_group=1,
        **EXPERTS,
        **MAMBA,
        **settings,
    )


FAMILIES: dict[str, Callable[[], Any]] = {
    "llama": SHARING["llama"],
    "qwen2": lambda: make("Qwen2"),
    "qwen3": SHARING["qwen3"],
    "gemma": SHARING["gemma"],
    "gemma2": SHARING["gemma2"],
    "gemma3": SHARING["gemma3"],
    "mistral": SHARING["mistral"],
    "phi3": lambda: make("Phi3"),
    "mixtral": lambda: make("Mixtral", num_local_experts=4, num_experts_per_tok=2, sliding_window=None),
    "qwen3 moe": SHARING["qwen3 moe"],
    "qwen2 moe": lambda: make("Qwen2Moe", num_experts=4, shared_expert_intermediate_size=16, **EXPERTS),
    "gpt-oss": SEPARATE["gpt-oss"],
    "mamba": lambda: make("Mamba", state_size=4),
    "mamba2": lambda: make("Mamba2", num_heads=8, head_dim=8, state_size=8, n_groups=1, expand=2, chunk_size=8),
    "nemotron-h": SEPARATE["nemotron-h"],
    "nemotron-h with experts": nemotron_with_experts,
}
"""Mixtures of experts route by random weights, so the small differences of two attentions could send a token elsewhere. With
these seeds they do not."""


@torch.no_grad()
def shake(model: Any, seed: int = 1) -> None:
    """Random weights in place of the zeros that a new adapter begins with."""
    generator = torch.Generator().manual_seed(seed)
    for parameter in lora.parameters(model):
        parameter.copy_(torch.randn(parameter.shape, generator=generator) * 0.1)


def adapted_model(name: str, config: lora.LoraConfig = lora.LoraConfig(r=4, alpha=12)) -> Any:
    model = FAMILIES[name]()
    lora.attach(model, config)
    shake(model)
    return model


def in_peft(name: str, folder: str) -> Any:
    """The model of plain transformers with the saved adapter, trainable, as PEFT loads it."""
    return peft.PeftModel.from_pretrained(FAMILIES[name](), folder, is_trainable=True).eval()


def peft_parameters(theirs: Any) -> dict[str, Tensor]:
    """The adapter's parameters under the names of its file."""
    return {name.replace(".default", ""): each for name, each in theirs.named_parameters() if "lora_" in name}
