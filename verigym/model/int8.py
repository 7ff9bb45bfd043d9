"""Decoding with weights and activations in 8 bits on a CPU: a product takes a fifth of the time of float32.

    W x  ~  s * (q(W) q(x)) * t  +  W_K x_K      q(W): int8, a scale s per output.  q(x): uint8 around 128, a scale t per token

Trained models have a few inputs of each layer that are many times as large as all others. One scale per token would round the
others to nearly nothing. So the K largest inputs of a layer are computed in float32 (as in LLM.int8). Which ones is decided once
per model, on fixed tokens, so that no request decides it for others. Rounding to 8 bits enlarges differences of the last bit,
which depend on the size of the batch, so a repeated run can differ from the first one.

The products of 8 bits are integers, so they are exact, and rounding to 8 bits is the only error. The weights are those of the
model with the adapter merged, quantised again after each change of the adapter. The norm before a product needs no pass of its
own: its factor per token is part of t. Embeddings, norms, attention, the adapter of the output layer and sampling stay in
float32. Training uses nothing of this, so the trainer corrects for the difference as for any other sampler (`loss.correction`).

Shapes: N tokens, I inputs, K of them in float32, O outputs, H hidden size.
"""

import random
from typing import NamedTuple

import torch
from torch import Tensor, nn

from verigym.model import full, lora
from verigym.model.llama_family import Attend, FusedWeights, LlamaModel, act, joined_adapters, normed, turned
from verigym.model.lora_layers import base_of

_MIDDLE = 128
"""The code of an activation of 0."""
_EXACT = 32
"""Inputs of a layer that are computed in float32. More of them hardly make it more exact."""
_PROBE = 128
"""Tokens on which the largest inputs are found."""


class PackedLinear(NamedTuple):
    """A linear layer in 8 bits, in the layout of the CPU's kernel."""

    weight: Tensor
    scales_O: Tensor
    zeros_O: Tensor
    bias: Tensor | None
    exact_K: Tensor
    """The inputs that are computed in float32."""
    exact_KO: Tensor
    """Their weights."""


class Codes(NamedTuple):
    """Activations in 8 bits."""

    codes_NI: Tensor
    scales_N1: Tensor
    exact_NK: Tensor
    """The inputs that are not in 8 bits. Their codes are those of 0."""


def why_unsupported(llama: LlamaModel | None, device: torch.device) -> str:
    """Why a model cannot decode in 8 bits here. Empty if it can."""
    if device.type != "cpu":
        return "the model is on a GPU. They are for CPUs"
    if not torch.cpu._is_vnni_supported():
        return "this CPU has no instructions for products in 8 bits (AVX-512 VNNI)"
    if llama is None:
        return "its layers are not those of the Llama family (Llama, Mistral, Qwen 2 and 3, Gemma)"
    if any(part.is_quantized for layer in llama.layers for part in layer.joined):
        return "its weights are stored in 4 bits (qlora)"
    if llama.embedding.dtype != torch.float32:
        return f"its weights are {str(llama.embedding.dtype).removeprefix('torch.')}, not float32"
    return ""


@torch.no_grad()
def largest_inputs(llama: LlamaModel) -> list[Tensor]:
    """The indices of the largest inputs of each joined linear layer, and of the output layer last. Found once per model."""
    if not hasattr(llama, "_largest_inputs"):
        found: list[Tensor] = []
        modules = [part.layers[0] for layer in llama.layers for part in layer.joined]
        hooks = [
            module.register_forward_pre_hook(lambda _, inputs: found.append(_largest(inputs[0])))
            for module in [*modules, llama.model.get_output_embeddings()]
        ]
        draw, vocabulary = random.Random(0), len(llama.embedding)
        ids = torch.tensor([[draw.randrange(vocabulary) for _ in range(_PROBE)]])
        try:
            with lora.without(llama.model):
                llama.model(input_ids=ids, use_cache=False)
        finally:
            for hook in hooks:
                hook.remove()
        llama._largest_inputs = found  # type: ignore[attr-defined]
    return llama._largest_inputs  # type: ignore[attr-defined]


def _largest(x: Tensor) -> Tensor:
    most_I = x.detach().flatten(0, -2).abs().amax(0)
    return most_I.topk(min(_EXACT, len(most_I) // 4)).indices.sort().values


def pack(weight_OI: Tensor, bias: Tensor | None, exact_K: Tensor) -> PackedLinear:
    """Rounds a weight to 8 bits. The largest number of each output is 127."""
    rounded_OI = weight_OI.index_fill(1, exact_K, 0.0)
    scales_O = rounded_OI.abs().amax(1).clamp_min_(1e-30).div_(127)
    codes_OI = rounded_OI.div_(scales_O[:, None]).round_().to(torch.int8)
    packed = torch.ops.onednn.qlinear_prepack(codes_OI, None)
    zeros_O = torch.zeros(len(scales_O), dtype=torch.int64)
    return PackedLinear(packed, scales_O, zeros_O, bias, exact_K, weight_OI[:, exact_K].t().contiguous())


def quantized(x_NI: Tensor, exact_K: Tensor) -> Codes:
    """Rounds each row to 8 bits. The largest number of a row is 127 from the middle. Changes x."""
    exact_NK = x_NI.index_select(1, exact_K)
    x_NI.index_fill_(1, exact_K, 0.0)
    most_N1 = x_NI.abs().amax(-1, keepdim=True).clamp_min_(1e-30)
    middle = x_NI.new_full((1, 1), _MIDDLE + 0.5)  # the conversion cuts, so a half more rounds
    return Codes(torch.addcmul(middle, x_NI, 127 / most_N1).to(torch.uint8), most_N1.div_(127), exact_NK)


def quantized_norm(x_NH: Tensor, weight_H: Tensor, eps: float, exact_K: Tensor) -> Codes:
    """`quantized` of the norm of x."""
    codes_NH, scales_N1, exact_NK = quantized(x_NH * weight_H, exact_K)
    length_N1 = torch.linalg.vector_norm(x_NH, dim=-1, keepdim=True)
    factor_N1 = length_N1.square_().div_(x_NH.shape[1]).add_(eps).rsqrt_()
    return Codes(codes_NH, scales_N1 * factor_N1, exact_NK * factor_N1)


def product(x: Codes, linear: PackedLinear) -> Tensor:
    """The result of a linear layer, (N, O), float32."""
    y_NO = _product(x.codes_NI, linear).mul_(x.scales_N1).addmm_(x.exact_NK, linear.exact_KO)
    return y_NO if linear.bias is None else y_NO.add_(linear.bias)


def add_product(sum_NO: Tensor, x: Codes, linear: PackedLinear) -> None:
    """Adds the result of a linear layer in place."""
    sum_NO.addcmul_(_product(x.codes_NI, linear), x.scales_N1).addmm_(x.exact_NK, linear.exact_KO)
    if linear.bias is not None:
        sum_NO.add_(linear.bias)


def _product(codes_NI: Tensor, linear: PackedLinear) -> Tensor:
    return torch.ops.onednn.qlinear_pointwise(
        codes_NI, 1.0, _MIDDLE, linear.weight, linear.scales_O, linear.zeros_O, None, 1.0, 0, torch.float32, "none", [], ""
    )  # fmt: skip


class Int8Weights(FusedWeights):
    """The weights for decoding in 8 bits, with the adapter merged in."""

    def __init__(self, llama: LlamaModel) -> None:
        super().__init__(llama)
        self.weights = []
        self._packed: list[list[PackedLinear]] = []
        self._packed_head: PackedLinear | None = None

    @torch.no_grad()
    def use_adapter(self, adapter: lora.LoraAdapter | None = None) -> bool:
        """Merges the given adapter, or the one on the model, and rounds the weights, layer by layer."""
        *exact, exact_head = largest_inputs(self.llama)
        if full.is_full(self.llama.model):
            self.llama.refresh()
            self._packed_head = None
        self._packed = []
        for number, (layer, pairs) in enumerate(
            zip(self.llama.layers, joined_adapters(self.llama, adapter), strict=True)
        ):
            parts = zip(layer.joined, pairs[::2], pairs[1::2], exact[4 * number : 4 * number + 4], strict=True)
            self._packed.append(
                [
                    pack(
                        part.weight if a_RH is None or b_OR is None else torch.addmm(part.weight, b_OR, a_RH),
                        part.bias,
                        exact_K,
                    )
                    for part, a_RH, b_OR, exact_K in parts
                ]
            )
        if self._packed_head is None:
            head: nn.Linear = base_of(self.llama.model.get_output_embeddings())
            self._packed_head = pack(head.weight.detach(), head.bias, exact_head)
        return self.keep_pairs(adapter)

    def head(self, hidden: Tensor) -> Tensor:
        linear = self._packed_head
        assert linear is not None, "use_adapter packs the output layer"
        logits = product(quantized(hidden.clone(), linear.exact_K), linear)
        return logits if self._head is None else logits + (hidden @ self._head.a.T) @ self._head.b.T

    def hidden(self, ids_N: Tensor, positions_N: Tensor, attend: Attend) -> Tensor:
        llama = self.llama
        x_NH = self.embed(ids_N)
        turns = llama.turns(positions_N)
        for number, (layer, (qkv, out, gate_up, down)) in enumerate(zip(llama.layers, self._packed, strict=True)):
            heads = product(quantized_norm(x_NH, layer.norm_in, llama.eps, qkv.exact_K), qkv)
            heads = heads.view(len(x_NH), -1, llama.head_size)
            qk, v = heads.split([llama.heads + llama.kv_heads, llama.kv_heads], 1)
            if layer.head_norms is not None:
                parts = zip(qk.split([llama.heads, llama.kv_heads], 1), layer.head_norms, strict=True)
                qk = torch.cat([normed(x, weight, llama.eps) for x, weight in parts], 1)
            q, k = turned(qk, *turns).split([llama.heads, llama.kv_heads], 1)
            seen = attend(number, q, k, v).reshape(len(x_NH), -1)
            add_product(x_NH, quantized(seen, out.exact_K), out)
            gate, up = product(quantized_norm(x_NH, layer.norm_mid, llama.eps, gate_up.exact_K), gate_up).chunk(2, -1)
            add_product(x_NH, quantized(act(gate, llama.gelu).mul_(up), down.exact_K), down)
        return normed(x_NH, llama.norm, llama.eps)
