"""How many tokens a micro-batch may have: as many as memory holds, and fewer for good once that was too many."""

import sys
from typing import Any

import torch

from verigym.core.errors import InfrastructureFailure
from verigym.model.tree import Packed

CPU_TOKENS = 2048
"""More would save little time and take more memory (docs/LOG.md)."""
_SHARE = 0.7
"""Of the free memory; the rest is for logits and what is short-lived."""


def token_budget(model: Any) -> int:
    lowered = getattr(model, "_verigym_budget", sys.maxsize)
    if model.device.type == "cpu":
        return min(CPU_TOKENS, lowered)
    unused = torch.cuda.memory_reserved(model.device) - torch.cuda.memory_allocated(model.device)
    free = torch.cuda.mem_get_info(model.device)[0] + unused
    return min(max(1, int(_SHARE * free / bytes_per_token(model))), lowered)


def bytes_per_token(model: Any) -> int:
    """What the backward pass needs of one token: in each layer about 12 vectors of the hidden size and 4 of the inner one."""
    config = model.config.get_text_config()
    inner = getattr(config, "intermediate_size", None) or 4 * config.hidden_size
    return config.num_hidden_layers * (12 * config.hidden_size + 4 * inner) * model.dtype.itemsize


def lower_budget(model: Any, failed: Packed, together: int = 1) -> None:
    """Half of what did not fit, from now on."""
    tokens = len(failed.ids_N)
    if len(failed.samples) == together:
        raise InfrastructureFailure(
            f"out of memory on {model.device}: {'one sample' if together == 1 else 'a pair'} of {tokens} tokens does not fit; "
            "set a smaller lora.top_layers, limit the length of episodes, or take a smaller model"
        )
    model._verigym_budget = tokens // 2
    torch.cuda.empty_cache()
