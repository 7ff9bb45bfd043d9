"""The weights of the Llama family for decoding on a CPU in float32, in the layout that oneDNN computes with.

MKL, which torch uses otherwise, rearranges a weight in every product. oneDNN takes a rearranged one: 8 tokens take a third of the
time, 64 tokens 4/5. The result of a token is the same bits whatever the other tokens are, and however many there are. Only a
single token is computed in another order, so it is computed twice.

4-bit weights and mixtures of experts are not packed.

Shapes: N tokens, I inputs, O outputs.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from verigym.model.llama_family import FusedWeights, LlamaModel, merged
from verigym.model.lora_layers import base_of


def supported(weight: Tensor) -> bool:
    """Whether such a weight can be packed on this machine."""
    fits = weight.device.type == "cpu" and weight.dtype == torch.float32
    return fits and torch.backends.mkldnn.is_available() and torch.cpu._is_avx2_supported()


def pack(weight_OI: Tensor) -> Tensor:
    """The weight for `linear`. It is the same tensor if it cannot be packed."""
    if not supported(weight_OI):
        return weight_OI
    return torch.ops.mkldnn._reorder_linear_weight(weight_OI.contiguous(), None)


def linear(x_NI: Tensor, packed: Tensor, bias: Tensor | None = None) -> Tensor:
    """`F.linear` with a packed weight, (N, O)."""
    if not packed.is_mkldnn:
        return F.linear(x_NI, packed, bias)
    if len(x_NI) == 1:
        return linear(x_NI.expand(2, -1).contiguous(), packed, bias)[:1]
    return torch.ops.mkldnn._linear_pointwise(x_NI, packed, bias, "none", [], "")


def fused_weights(llama: LlamaModel) -> FusedWeights:
    """The weights for decoding, packed if they can be."""
    plain = llama.is_quantized or llama.has_experts or not supported(llama.embedding)
    return FusedWeights(llama) if plain else PackedWeights(llama)


class PackedWeights(FusedWeights):
    """The weights with the adapter merged in. They are packed again when the adapter or the model changes."""

    linear = staticmethod(linear)

    def __init__(self, llama: LlamaModel) -> None:
        super().__init__(llama)
        self._packed: list[list[Tensor]] = [[] for _ in llama.layers]
        self.weights = self._packed
        self._packed_head: Tensor | None = None

    def merge_all(self, adapters: list[list[Tensor | None]]) -> bool:
        self.release()
        buffers = [torch.empty_like(part.weight) for part in self.llama.layers[0].joined]
        for number, (layer, own) in enumerate(zip(self.llama.layers, adapters, strict=True)):
            parts = zip(layer.joined, own[::2], own[1::2], buffers, strict=True)
            self._packed[number] = [pack(merged(part.weight, a, b, into)) for part, a, b, into in parts]
        return True

    def release(self) -> None:
        """Gives the packed output layer back until it is needed again. The other weights are packed anew after an update."""
        self._packed_head = None

    def bare_head(self, hidden: Tensor) -> Tensor:
        head = base_of(self.llama.model.get_output_embeddings())
        if type(head) is not nn.Linear:
            return head(hidden)
        if self._packed_head is None:
            self._packed_head = pack(head.weight.detach())
        return linear(hidden, self._packed_head, head.bias)
