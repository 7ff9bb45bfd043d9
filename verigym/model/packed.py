"""The weights of the Llama family for decoding on a CPU, in the layout that oneDNN computes with.

MKL, which torch uses otherwise, rearranges a weight in every product. oneDNN takes a rearranged one: 8 tokens take a third of the
time, 64 tokens 4/5. The result of a token is the same bits whatever the other tokens are, and however many there are. Only a
single token is computed in another order, so it is computed twice.

Products can be in bfloat16: weights, inputs and results are rounded to it, sums are in float32. It takes half the time.
Everything between the products, and the output layer, stays in float32, because logits in bfloat16 would be too coarse.

Shapes: N tokens, I inputs, O outputs.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from verigym.model import full, lora
from verigym.model.llama_family import FusedWeights, LlamaModel, joined_adapters
from verigym.model.lora_layers import base_of


def supported(weight: Tensor) -> bool:
    """Whether such a weight can be packed on this machine."""
    fits = weight.device.type == "cpu" and weight.dtype == torch.float32
    return fits and torch.backends.mkldnn.is_available() and torch.cpu._is_avx2_supported()


def why_not_bfloat16(llama: LlamaModel | None) -> str:
    """Why a model cannot sample with products in bfloat16 here. Empty if it can."""
    if llama is None:
        return "the layers of the model are not those of the Llama family (Llama, Mistral, Qwen 2 and 3, Gemma)"
    if llama.is_quantized or not supported(llama.embedding):
        return "they are for models with float32 weights on an x86 CPU"
    if not torch.cpu._is_avx512_bf16_supported():
        return "this CPU has no instructions for them (AVX-512 BF16)"
    if torch.cpu._is_amx_tile_supported():
        return "on a CPU with AMX they can end the process"
    return ""


def pack(weight_OI: Tensor, dtype: torch.dtype = torch.float32) -> Tensor:
    """The weight for `linear`, in this precision. It is the same tensor if it cannot be packed."""
    if not supported(weight_OI):
        return weight_OI
    return torch.ops.mkldnn._reorder_linear_weight(weight_OI.contiguous().to(dtype), None)


def linear(x_NI: Tensor, packed: Tensor, bias: Tensor | None = None) -> Tensor:
    """`F.linear` with a packed weight, (N, O). Inputs and result have the precision of the weight."""
    if not packed.is_mkldnn:
        return F.linear(x_NI, packed, bias)
    if len(x_NI) == 1:
        return linear(x_NI.expand(2, -1).contiguous(), packed, bias)[:1]
    bias = None if bias is None else bias.to(packed.dtype)
    return torch.ops.mkldnn._linear_pointwise(x_NI.to(packed.dtype), packed, bias, "none", [], "")


class PackedWeights(FusedWeights):
    """The weights with the adapter merged in. They are packed again when the adapter changes."""

    linear = staticmethod(linear)

    def __init__(self, llama: LlamaModel, dtype: torch.dtype = torch.float32) -> None:
        """`dtype` is the precision of the products, besides that of the output layer."""
        super().__init__(llama)
        self.dtype = dtype
        self._packed: list[list[Tensor]] = [[] for _ in llama.layers]
        self.weights = self._packed
        self._packed_head: Tensor | None = None
        self._head_version = (0, 0)
        """Address and version of the weight that was packed."""

    @torch.no_grad()
    def use_adapter(self, adapter: lora.LoraAdapter | None = None) -> bool:
        if full.is_full(self.llama.model):
            self.llama.refresh()
        adapters = joined_adapters(self.llama, adapter)
        merged = [torch.empty_like(part.weight) for part in self.llama.layers[0].joined]
        for number, (layer, pairs) in enumerate(zip(self.llama.layers, adapters, strict=True)):
            parts = zip(layer.joined, pairs[::2], pairs[1::2], merged, strict=True)
            self._packed[number] = [pack(part.merged(a_RH, b_OR, into), self.dtype) for part, a_RH, b_OR, into in parts]
        return self.keep_pairs(adapter)

    def release(self) -> None:
        """Gives the packed output layer back until it is needed again. The other weights are packed anew after an update."""
        self._packed_head, self._head_version = None, (0, 0)

    def bare_head(self, hidden: Tensor) -> Tensor:
        head = base_of(self.llama.model.get_output_embeddings())
        if type(head) is not nn.Linear:
            return head(hidden)
        version = head.weight.data_ptr(), head.weight._version
        if self._packed_head is None or self._head_version != version:
            self._packed_head, self._head_version = pack(head.weight.detach()), version
        return linear(hidden, self._packed_head, head.bias)
