"""The weights of a plain model for decoding: fused, with the adapter merged in.

The speed of a small model depends on the number of products, so fused weights decode faster, and a merged adapter costs nothing.
The buffers keep their addresses when weights change, so that CUDA graphs stay valid. Without an adapter they are the model's
own tensors.
"""

import torch
from torch import Tensor

from verigym.model import lora
from verigym.model.llama_family import Attend, Plain, hidden, joined_adapters


class Fused:
    def __init__(self, plain: Plain) -> None:
        self.plain = plain
        self.weights: list[list[Tensor]] = [[part.weight for part in layer.joined] for layer in plain.layers]
        """One list per layer: qkv, out, gate_up, down."""
        self._own = False

    @torch.no_grad()
    def wear(self, adapter: lora.LoraAdapter | None = None) -> bool:
        """Merges the given adapter, or the one on the model. Returns whether the buffers changed their addresses."""
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
