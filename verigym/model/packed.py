"""The weights of the Llama family for decoding on a CPU in float32, in a layout for fast matrix products.

Where there is a C++ compiler, the kernels of `cpu_kernels` compute whole steps with them. Otherwise oneDNN computes one product
at a time, on x86. (MKL, which torch uses otherwise, rearranges a weight in every product.) With both, the result of a token is
the same bits, whatever the other tokens are and however many there are. Only a single token is computed in another order by
oneDNN, so it is computed twice.

With the kernels, weights can be integers: of 8 bits, or of 16 bits with 13 significant ones. Inputs are then rounded as well.
Everything between the products stays in float32.

4-bit weights and mixtures of experts are not packed.

Shapes: N tokens, I inputs, O outputs.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from verigym.model import cpu_kernels
from verigym.model.cpu_kernels import Bits, Packed
from verigym.model.llama_family import FusedWeights, LlamaModel, in_family, merged
from verigym.model.lora_layers import base_of

Weight: TypeAlias = Tensor | Packed
_OTHER_LAYERS = (
    "the layers of the model are not those of the Llama family (Llama, Mistral, Qwen 2 and 3, Gemma), without experts"
)
_OTHER_WEIGHTS = "they are for models with float32 weights on a CPU"


def supported(weight: Tensor) -> bool:
    """Whether such a weight can be packed on this machine."""
    fits = weight.device.type == "cpu" and weight.dtype == torch.float32
    return fits and (cpu_kernels.library() is not None or _has_onednn())


def _has_onednn() -> bool:
    return torch.backends.mkldnn.is_available() and torch.cpu._is_avx2_supported()


def pack(weight_OI: Tensor, bits: Bits = 32, into: Weight | None = None) -> Weight:
    """The weight for `linear`, in the memory of an earlier one if it fits. It is the same tensor if it cannot be packed."""
    if not supported(weight_OI):
        return weight_OI
    if cpu_kernels.library() is not None:
        return cpu_kernels.pack(weight_OI, bits, into if isinstance(into, Packed) else None)
    return torch.ops.mkldnn._reorder_linear_weight(weight_OI.contiguous(), None)


def linear(x_NI: Tensor, weight: Weight, bias: Tensor | None = None) -> Tensor:
    """`F.linear` with a packed weight, (N, O)."""
    if isinstance(weight, Packed):
        return cpu_kernels.linear(x_NI, weight, bias)
    if not weight.is_mkldnn:
        return F.linear(x_NI, weight, bias)
    if len(x_NI) == 1:
        return linear(x_NI.expand(2, -1).contiguous(), weight, bias)[:1]
    return torch.ops.mkldnn._linear_pointwise(x_NI, weight, bias, "none", [], "")


def fused_weights(llama: LlamaModel, bits: Bits = 32) -> FusedWeights:
    """The weights for decoding, packed if they can be."""
    plain = llama.is_quantized or llama.has_experts or not supported(llama.embedding)
    return FusedWeights(llama) if plain else PackedWeights(llama, bits)


def why_not_integers(llama: LlamaModel | None) -> str:
    """Why a model cannot sample with integer weights here. Empty if it can."""
    if llama is None:
        return _OTHER_LAYERS
    if llama.is_quantized or llama.embedding.dtype != torch.float32:
        return _OTHER_WEIGHTS
    return why_no_integers_for(llama.model.config, llama.embedding.device.type)


def why_no_integers_for(config: Any, device: str) -> str:
    """Why a model with this configuration cannot sample with integer weights on such a device. Empty if nothing is known to
    prevent it."""
    if not in_family(config, with_experts=False):
        return _OTHER_LAYERS
    if device != "cpu":
        return _OTHER_WEIGHTS
    if cpu_kernels.library() is None:
        return "they need a C++ compiler (g++ or clang++), and none is installed or it failed"
    return ""


class PackedWeights(FusedWeights):
    """The weights with the adapter merged in. They are packed again when the adapter or the model changes."""

    linear = staticmethod(linear)

    def __init__(self, llama: LlamaModel, bits: Bits = 32) -> None:
        super().__init__(llama)
        assert bits == 32 or cpu_kernels.library() is not None, "integers need the kernels"
        self.bits: Bits = bits
        self._packed: list[list[Any]] = [[] for _ in llama.layers]
        self.weights = self._packed
        self._packed_head: Weight | None = None
        self.steps: cpu_kernels.Steps | None = None

    def merge_all(self, adapters: list[list[Tensor | None]]) -> bool:
        self.release()
        buffers = [torch.empty_like(part.weight) for part in self.llama.layers[0].joined]
        for number, (layer, own) in enumerate(zip(self.llama.layers, adapters, strict=True)):
            old: Sequence[Weight | None] = self._packed[number] or [None] * len(layer.joined)
            parts = zip(layer.joined, own[::2], own[1::2], buffers, old, strict=True)
            self._packed[number] = [
                pack(merged(part.weight, a, b, buffer), self.bits, into) for part, a, b, buffer, into in parts
            ]
        if cpu_kernels.library() is not None:
            self.steps = cpu_kernels.Steps(self.llama, self._packed)
        return True

    def release(self) -> None:
        """Gives the packed output layer back until it is needed again. The other weights are packed anew after an update."""
        self._packed_head = None

    def bare_head(self, hidden: Tensor) -> Tensor:
        head = base_of(self.llama.model.get_output_embeddings())
        if type(head) is not nn.Linear:
            return head(hidden)
        if self._packed_head is None:
            self._packed_head = pack(head.weight.detach(), self.bits)
        return linear(hidden, self._packed_head, head.bias)
