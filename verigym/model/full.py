"""Training of all parameters of a model, without an adapter.

`begin` marks a model: `lora.parameters`, `lora.weights` and `lora.set_weights` then mean all of its parameters, so the training
loops are the same as for adapters. The weights are stored as one safetensors file with the configuration and the tokenizer,
which transformers loads as it is.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import msgspec
import torch
from safetensors import SafetensorError
from torch import Tensor, nn
from torch.distributed.tensor import DTensor
from transformers.modeling_layers import GradientCheckpointingLayer

from verigym.core.errors import BadInput, InfrastructureFailure
from verigym.model.attention import over_tree, tree_attention

WEIGHTS_FILE, SETTINGS_FILE = "model.safetensors", "config.json"


class FullSettings(msgspec.Struct, frozen=True, kw_only=True):
    checkpointing: bool = False
    """Whether the backward pass computes each layer again instead of keeping its activations."""
    offload: bool = False
    """Whether the optimizer's states are in the memory of the CPU."""


def begin(model: Any, settings: FullSettings = FullSettings()) -> None:
    """Makes all parameters of the model trainable."""
    model._verigym_full = settings
    model.requires_grad_(True)
    if not settings.checkpointing:
        return
    if not _layers(model):
        raise BadInput(
            f"{type(model).__name__} does not support activation checkpointing. Remove full.checkpointing from the recipe"
        )

    def contexts() -> tuple[AbstractContextManager[None], AbstractContextManager[None]]:
        """Of the forward pass, and of its repetition, which attends as the forward pass did."""
        return nullcontext(), tree_attention(model) if over_tree(model) else nullcontext()

    model.gradient_checkpointing_enable({"use_reentrant": False, "context_fn": contexts})


@contextmanager
def recomputing(model: Any) -> Iterator[None]:
    """A context in which layers are computed again in the backward pass, if the settings say so. Outside of it, layers use their
    caches. Only the layers themselves are in training mode. What is inside them stays in evaluation mode, without dropout."""
    settings = settings_of(model)
    layers = _layers(model) if settings is not None and settings.checkpointing and torch.is_grad_enabled() else []
    for layer in layers:
        layer.training = True
    try:
        yield
    finally:
        for layer in layers:
            layer.training = False


def _layers(model: Any) -> list[GradientCheckpointingLayer]:
    return [module for module in model.modules() if isinstance(module, GradientCheckpointingLayer)]


def settings_of(model: Any) -> FullSettings | None:
    """How all parameters are trained. None if they are not."""
    return getattr(model, "_verigym_full", None)


def is_full(model: Any) -> bool:
    return settings_of(model) is not None


def named_weights(model: nn.Module) -> dict[str, Tensor]:
    """A copy of all parameters on the CPU. Tied parameters are there once."""
    return {name: parameter.detach().cpu().clone() for name, parameter in model.named_parameters()}


@torch.no_grad()
def set_named_weights(model: nn.Module, weights: dict[str, Tensor]) -> None:
    for name, parameter in model.named_parameters():
        if name not in weights or weights[name].shape != parameter.shape:
            raise BadInput(
                f"The stored weights do not have the parameter {name} of this model. They are of another model"
            )
        set_parameter(parameter, weights[name])


@torch.no_grad()
def set_parameter(parameter: Any, value: Tensor) -> None:
    """Sets a parameter, or this rank's part of it."""
    if isinstance(parameter, DTensor):
        parameter.to_local().copy_(own_part(parameter, value))
    else:
        parameter.copy_(value)


def own_part(parameter: DTensor, value: Any) -> Tensor:
    """This rank's part of a value of a parameter that is divided among ranks (`shards.py`)."""
    if isinstance(value, DTensor):
        return value.to_local()
    parts = value.chunk(parameter.device_mesh.size())
    rank = parameter.device_mesh.get_local_rank()
    return parts[rank] if rank < len(parts) else value[:0]


def save(model: Any, tokenizer: Any, folder: Path) -> None:
    """Writes weights, configuration and tokenizer. The same weights give the same bytes."""
    copies: dict[tuple[int, torch.Size], Tensor] = {}
    state: dict[str, Tensor] = {}
    for name, tensor in model.state_dict().items():  # joined layers are views of one tensor, so each gets its own
        key = tensor.data_ptr(), tensor.shape
        state[name] = copies.setdefault(key, tensor.detach().cpu().clone())
    try:
        model.save_pretrained(folder, state_dict=state, max_shard_size="100TB")
        tokenizer.save_pretrained(folder)
    except (OSError, SafetensorError) as error:
        raise InfrastructureFailure(
            f"{folder}: the weights could not be written ({error}). Free some disk space and repeat the command to resume"
        ) from error
