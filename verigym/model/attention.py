"""Attention over a prefix tree, for every transformers model with a replaceable attention function.

Shapes: N places of the tree (see tree.py), H query heads, K key-value heads, D head size, L keys of all blocks.
The tree is one row without padding, cut into blocks of neighbouring places. A block attends only to itself and to the path from
the root to its first place, so each block is one masked product over few keys.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor
from transformers import AttentionInterface

_NAME = "verigym_tree"
_BLOCK = 128
"""Places per block. A smaller block computes fewer masked scores, a larger one needs fewer calls."""
_IDLE = {"position_ids", "use_cache", "past_key_values", "output_attentions", "output_router_logits"}
"""Arguments that models pass and that have no effect here."""
_USUAL = {"is_causal": True, "dropout": 0.0}


class Scores(NamedTuple):
    """How a layer scores its keys."""

    scaling: float
    window: int | None = None
    """Positions that a place attends to, the place itself included. None for all."""
    cap: float | None = None
    """Scores become `cap * tanh(score / cap)`, as in Gemma 2."""


class Blocks(NamedTuple):
    sizes: list[int]
    keys_L: Tensor
    """The places that each block attends to, block after block."""
    num_keys: list[int]
    masks: list[Tensor]
    """(size, num_keys) of each block: which keys a place attends to."""


class Tree:
    """The structure of a micro-batch, computed once for all layers."""

    def __init__(self, positions_N: Tensor, ends_N: Tensor) -> None:
        self.positions_N = positions_N
        self.ends_N = ends_N
        self._blocks: dict[int | None, Blocks] = {}

    def blocks(self, window: int | None) -> Blocks:
        """The blocks for a sliding window of `window` positions, the place itself included. None for full attention."""
        if window not in self._blocks:
            self._blocks[window] = self._cut(window)
        return self._blocks[window]

    def _cut(self, window: int | None) -> Blocks:
        place_N = torch.arange(len(self.ends_N), device=self.ends_N.device)
        sizes = _sizes(self.positions_N.tolist())
        keys: list[Tensor] = []
        masks: list[Tensor] = []
        for places in place_N.split(sizes):
            before = place_N[: places[0]]
            looked = torch.cat([before[self.ends_N[before] > places[0]], places])
            mask = (looked <= places[:, None]) & (places[:, None] < self.ends_N[looked])
            if window is not None:
                mask &= self.positions_N[places][:, None] - self.positions_N[looked] < window
            keys.append(looked)
            masks.append(mask)
        return Blocks(sizes, torch.cat(keys), [len(each) for each in keys], masks)


def _sizes(positions: list[int]) -> list[int]:
    """The sizes of the blocks. Each block ends where the next path is shortest."""
    starts = [0]
    while len(positions) - starts[-1] > _BLOCK:
        choices = range(starts[-1] + _BLOCK, starts[-1] + _BLOCK // 2, -1)
        starts.append(min(choices, key=lambda place: positions[place]))
    return [end - start for start, end in zip(starts, [*starts[1:], len(positions)], strict=True)]


@contextmanager
def tree_attention(model: Any) -> Iterator[None]:
    """A context in which the model's layers attend over the tree that is passed as `tree`."""
    found = (module.config for module in model.modules() if hasattr(module, "config"))
    configs = list({id(config): config for config in found}.values())  # the model's config first, then nested ones
    before = [config._attn_implementation for config in configs]
    for config in configs:
        config._attn_implementation = _NAME
    try:
        yield
    finally:
        for config, name in zip(configs, before, strict=True):
            config._attn_implementation = name


def over_tree(model: Any) -> bool:
    """Whether the model is inside of `tree_attention`."""
    return model.config._attn_implementation == _NAME


def _attention(
    module: Any,
    query_1HND: Tensor,
    key_1KND: Tensor,
    value_1KND: Tensor,
    _: Any,
    *,
    tree: Tree,
    scaling: float | None = None,
    sliding_window: int | None = None,
    softcap: float | None = None,
    **others: Any,
) -> tuple[Tensor, None]:
    check_known(module, sliding_window, others)
    out_1NHD = attend(query_1HND, key_1KND, value_1KND, tree.blocks(sliding_window), scaling, softcap)
    return out_1NHD, None


def attend(
    query_1HND: Tensor, key_1KND: Tensor, value_1KND: Tensor, blocks: Blocks, scaling: float | None, cap: float | None
) -> Tensor:
    """(1, N, H, D), block by block."""
    out: list[Tensor] = []
    for query, key, value, mask in zip(
        query_1HND.split(blocks.sizes, 2),
        key_1KND.index_select(2, blocks.keys_L).split(blocks.num_keys, 2),
        value_1KND.index_select(2, blocks.keys_L).split(blocks.num_keys, 2),
        blocks.masks,
        strict=True,
    ):
        if cap is None:
            one = F.scaled_dot_product_attention(query, key, value, mask, scale=scaling, enable_gqa=True)
        else:
            one = _capped(query, key, value, mask, scaling or query.shape[-1] ** -0.5, cap)
        out.append(one.transpose(1, 2))
    return torch.cat(out, 1)


class UnknownAttention(Exception):
    """A layer needs an attention feature that is not supported. The caller then uses a slower method."""


def check_known(module: Any, window: int | None, others: dict[str, Any]) -> None:
    """Raises `UnknownAttention` for features that are not supported. A sliding window must be passed as an argument, because the
    mask of the model is not used here."""
    given = {"is_causal": getattr(module, "is_causal", True), **others}
    odd = [name for name, value in given.items() if value is not None and name not in _IDLE]
    odd = [name for name in odd if name not in _USUAL or given[name] != _USUAL[name]]
    if odd:
        raise UnknownAttention(f"attention with {', '.join(odd)}")
    kind = kind_of(module.config, module.layer_idx)
    if kind != "full_attention" and (kind != "sliding_attention" or window is None):
        raise UnknownAttention(f"attention of kind {kind}")


def kind_of(config: Any, layer: int) -> str:
    """`full_attention`, `sliding_attention`, or what else the layer is called in the config."""
    sliding = getattr(config, "sliding_window", None) and getattr(config, "use_sliding_window", True)
    kinds = getattr(config, "layer_types", None)
    return kinds[layer] if kinds else "sliding_attention" if sliding else "full_attention"


def with_cap(model: Any) -> Any:
    """Corrects a model for which transformers chose an attention that ignores its soft cap, as 5.17 does for Gemma 2."""
    if getattr(model.config, "attn_logit_softcapping", None) and model.config._attn_implementation == "sdpa":
        model.set_attn_implementation("eager")
    return model


def _capped(query: Tensor, key: Tensor, value: Tensor, mask: Tensor, scaling: float, cap: float) -> Tensor:
    """Attention with softly capped scores, as in Gemma 2."""
    groups = query.shape[1] // key.shape[1]
    key, value = key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1)
    scores = torch.tanh(query @ key.transpose(2, 3) * (scaling / cap)) * cap
    return torch.softmax(scores.masked_fill(~mask, -torch.inf).float(), -1).to(query.dtype) @ value


AttentionInterface.register(_NAME, _attention)
