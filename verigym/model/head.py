"""Logits from hidden states for each model family."""

from typing import Any

import torch
from torch import Tensor, nn


def logits_of(model: Any, hidden: Tensor) -> Tensor:
    """The model's own logits from its last hidden states, with the scaling or soft cap that some families apply."""
    logits = model.get_output_embeddings()(hidden)
    scale, cap = _scale(model.config), _cap(model.config)
    logits = logits if scale == 1.0 else logits * scale
    return torch.tanh(logits / cap) * cap if cap else logits


def bare_head(model: Any) -> Tensor | None:
    """The weight of the output layer, if logits are a single product with it. Otherwise None."""
    head = model.get_output_embeddings()
    bare = _scale(model.config) == 1.0 and not _cap(model.config) and type(head) is nn.Linear and head.bias is None
    return head.weight.detach() if bare else None


def _scale(config: Any) -> float:
    return (getattr(config, "logit_scale", None) or 1.0) / (getattr(config, "logits_scaling", None) or 1.0)


def _cap(config: Any) -> float | None:
    return getattr(config, "final_logit_softcapping", None)
