"""The states of recurrent layers, for example Mamba: what a layer keeps of all tokens before, in place of keys and values.

    state of a row in a layer = the last inputs of its convolution  +  its recurrent state

Both have a fixed size and no positions, so rows at different positions advance together. transformers updates the states of a
step in place. The cache of a step therefore has views of the first slots, which keep their addresses until more rows need room.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import torch
from torch import Tensor
from transformers import DynamicCache
from transformers.cache_utils import LinearAttentionCacheLayerMixin

Kind: TypeAlias = Literal["conv_states", "recurrent_states"]


class StateName(NamedTuple):
    """One state of one layer. A layer may have several of each kind."""

    layer: int
    kind: Kind
    number: int


States: TypeAlias = dict[StateName, Tensor]
"""(B, ...) each."""


def empty_layers(model: Any) -> list[Any]:
    """The layers of a cache of transformers for this model, without states."""
    return DynamicCache(config=model.config).layers


def has_states(model: Any) -> bool:
    return any(_recurrent(empty_layers(model)))


def _recurrent(layers: Sequence[Any]) -> Iterator[tuple[int, LinearAttentionCacheLayerMixin]]:
    return ((i, layer) for i, layer in enumerate(layers) if isinstance(layer, LinearAttentionCacheLayerMixin))


def states_of(layers: Sequence[Any]) -> States:
    """The states of all layers after a forward pass. Layers without states (attention, MLP) are left out."""
    kinds: tuple[Kind, Kind] = ("conv_states", "recurrent_states")
    return {
        StateName(i, kind, number): state
        for i, layer in _recurrent(layers)
        for kind in kinds
        for number, state in getattr(layer, kind).items()
        if state is not None
    }


def set_states(layers: Sequence[Any], states: States) -> None:
    """Lets the layers continue from these states. A forward pass writes the new ones into the same memory."""
    for (i, kind, number), state in states.items():
        layer = layers[i]
        getattr(layer, kind)[number] = state
        getattr(layer, f"is_{kind}_initialized")[number] = True
        layer.has_previous_state[number] = True
        if kind == "conv_states":
            layer.conv_kernel_size[number] = state.shape[-1]


def copies(states: States, rows: int) -> States:
    """The states of one row for each of several rows, in memory of their own."""
    repeated = ((name, state.expand(rows, *state.shape[1:])) for name, state in states.items())
    return {name: state.clone(memory_format=torch.contiguous_format) for name, state in repeated}
