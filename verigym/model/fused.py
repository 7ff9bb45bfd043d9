"""The weights of a plain model made for decoding: joined, the adapter merged into them.

A step of a small model is bound by the number of products, so joined ones decode faster, and a merged adapter costs nothing.
The buffers stay where they are when weights change, so that CUDA graphs over them stay valid; without an adapter they are the
model's own.
"""

import torch
from torch import Tensor

from verigym.model import lora
from verigym.model.plain import Attend, Joined, Plain, hidden


class Fused:
    def __init__(self, plain: Plain) -> None:
        self.plain = plain
        self.weights: list[list[Tensor]] = [[part.weight for part in layer.joined] for layer in plain.layers]
        """A list a layer: qkv, out, gate_up, down."""
        self._own = False

    @torch.no_grad()
    def wear(self, adapter: lora.Adapter | None = None) -> bool:
        """Takes over the adapter given, or what sits on the model. Says whether the buffers are other ones than before."""
        joined = [part for layer in self.plain.layers for part in layer.joined]
        pairs = [part.pairs(adapter) for part in joined]
        moved = not self._own and any(pair for found in pairs for pair in found)
        if moved:
            with torch.inference_mode(False):
                self.weights = [[torch.empty_like(part.weight) for part in layer.joined] for layer in self.plain.layers]
            self._own = True
        if self._own:
            into = (weight for layer in self.weights for weight in layer)
            for part, found, weight in zip(joined, pairs, into, strict=True):
                _merge(part, found, weight)
        return moved

    def hidden(self, ids_N: Tensor, positions_N: Tensor, attend: Attend) -> Tensor:
        return hidden(self.plain, self.weights, ids_N, positions_N, attend)


def _merge(part: Joined, pairs: list[lora.Pair | None], into: Tensor) -> None:
    for base, target, pair in zip(part.weight.split(part.sizes), into.split(part.sizes), pairs, strict=True):
        if pair is None:
            target.copy_(base)
        else:
            a, b = (tensor.detach().to(base.device, base.dtype) for tensor in (pair.a, pair.b))
            torch.addmm(base, b, a, alpha=pair.scale, out=target)
