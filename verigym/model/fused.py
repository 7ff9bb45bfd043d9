"""The weights of a plain model made for decoding: joined, the adapter merged into them.

A step of a small model is bound by the number of products, so joined ones decode faster, and a merged adapter costs nothing.
The buffers stay where they are when weights change, so that CUDA graphs over them stay valid; without an adapter they are the
model's own.
"""

import torch
from torch import Tensor

from verigym.model import lora
from verigym.model.llama_family import Attend, Plain, hidden, joined_adapters


class Fused:
    def __init__(self, plain: Plain) -> None:
        self.plain = plain
        self.weights: list[list[Tensor]] = [[part.weight for part in layer.joined] for layer in plain.layers]
        """A list a layer: qkv, out, gate_up, down."""
        self._own = False

    @torch.no_grad()
    def wear(self, adapter: lora.LoraAdapter | None = None) -> bool:
        """Takes over the adapter given, or what sits on the model. Says whether the buffers are other ones than before."""
        adapters = joined_adapters(self.plain, adapter)
        moved = not self._own and any(each is not None for layer in adapters for each in layer)
        if moved:
            with torch.inference_mode(False):
                self.weights = [[torch.empty_like(part.weight) for part in layer.joined] for layer in self.plain.layers]
            self._own = True
        if self._own:
            for layer, found, weights in zip(self.plain.layers, adapters, self.weights, strict=True):
                for part, a_RH, b_OR, into in zip(layer.joined, found[::2], found[1::2], weights, strict=True):
                    if a_RH is None or b_OR is None:
                        into.copy_(part.weight)
                    else:
                        torch.addmm(part.weight, b_OR, a_RH, out=into)
        return moved

    def hidden(self, ids_N: Tensor, positions_N: Tensor, attend: Attend) -> Tensor:
        return hidden(self.plain, self.weights, ids_N, positions_N, attend)
