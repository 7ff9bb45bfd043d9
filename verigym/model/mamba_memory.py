"""How much memory a Mamba layer takes per token if transformers computes its scan in torch, because the kernels are missing.

The scan then makes products of a whole chunk of tokens with every head and state, in float32. Only one layer has them at a time.
The length of a chunk changes the memory and not the result, so models without kernels get short chunks.
"""

import importlib.util
import math
from typing import Any

import torch

from verigym.model.devices import free_bytes
from verigym.model.lora_targets import is_mamba

KERNELS = ("mamba_ssm", "causal_conv1d")
_AT_ONCE = 3
"""The product of the forward pass, and the gradients of its two factors."""
_CHUNK = 16
"""Tokens of a chunk without kernels. In a layer of 128 heads and 128 states, 128 tokens take eight times as much memory."""


def missing_kernels() -> list[str]:
    """The packages with kernels that are not installed."""
    return [name for name in KERNELS if importlib.util.find_spec(name) is None]


def shorten_chunks(model: Any) -> None:
    """Lets the scans of a model without kernels use little memory."""
    if missing_kernels():
        for mixer in model.modules():
            if is_mamba(mixer) and hasattr(mixer, "chunk_size"):
                mixer.chunk_size = min(mixer.chunk_size, _CHUNK)


def scan_bytes(model: Any) -> int:
    """Bytes per token of the largest scan. 0 with kernels, and for models without Mamba layers."""
    mixers = [module for module in model.modules() if is_mamba(module)]
    if not mixers or not missing_kernels():
        return 0
    return max(map(_bytes, mixers))


def prompt_tokens(device: torch.device, size: int) -> float:
    """How many tokens of prompts a scan of so many bytes per token reads in half of the free memory. No limit on a CPU."""
    return math.inf if device.type == "cpu" or not size else free_bytes(device) / 2 / size


def _bytes(mixer: Any) -> int:
    state = mixer.ssm_state_size
    if not hasattr(mixer, "num_heads"):  # the first Mamba has no heads and no chunks
        return 4 * _AT_ONCE * mixer.intermediate_size * state
    pairs = (mixer.chunk_size * state, mixer.head_dim * state, mixer.chunk_size * mixer.head_dim)
    return 4 * _AT_ONCE * mixer.num_heads * max(pairs)
