"""The layers of the Llama family for training: explicit forward and backward passes over one flat row of tokens.

The base is frozen and only adapters are trained, so a layer keeps little for its backward pass: its input, the joined q k v, the
attention output, the middle of the layer, the narrow A x, and the inputs of norms after attention and MLP (Gemma 2 and 3).
Everything else is recomputed. Gate and up, the largest part, are kept on a CPU, and on a GPU in as many layers as its memory
allows. If even the rest does not fit, some layers keep only their input.

    y = W x + B A x      dx = W' dy + A' (B' dy)      dA = (B' dy) x'      dB = dy (A x)'

Python launches are the bottleneck on a GPU, so joined linear layers have one A and one B, with the scale included in B.

Shapes: N tokens, H hidden size, R ranks of the joined adapters, O outputs, L layers, X = heads of q, k and v. The attention
is passed in. It gets q, k and v and returns its output and the state for its backward pass.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd import Function

from verigym.model.attention import Scores, Tree, attend
from verigym.model.devices import free_bytes, has_kernels
from verigym.model.lines import Lines, is_faster
from verigym.model.llama_family import (
    JoinedWeights,
    Layer,
    LlamaModel,
    act,
    joined_adapters,
    normed,
    plus,
    split,
    turned,
)
from verigym.model.tree import PackedBatch

if TYPE_CHECKING:
    from verigym.model.train_kernels import KernelOps, TreeKernel

Attention: TypeAlias = "Blockwise | Lines | TreeKernel"
"""Attention over a tree. Its backward pass returns the gradients of q, k and v, joined: (N, X, D)."""
_KEPT = 0.6
"""Share of the free memory of a GPU for what is kept for the backward pass, with gate and up."""
_MOST = 0.85
"""The same, without gate and up."""
Ops: TypeAlias = "TorchOps | KernelOps"
"""The operations that are not matrix products. `turn_` applies the rotary embedding in place."""


def over_tree(llama: LlamaModel, packed: PackedBatch) -> Tensor:
    """The last hidden state of every place of a prefix tree."""
    if has_kernels(packed.ids_N.device):
        from verigym.model.train_kernels import KernelOps, TreeKernel

        dtype, lengths = llama.embedding.dtype, [len(places) for places in packed.places]
        full = all(layer.scores.window is None and layer.scores.cap is None for layer in llama.layers)
        lines = full and is_faster(lengths, packed.depth, dtype)
        attention = Lines(packed) if lines else TreeKernel(packed.positions_N, packed.ends_N, dtype)
        return hidden(llama, packed.ids_N, packed.positions_N, attention, KernelOps())
    attention = Blockwise(Tree(packed.positions_N, packed.ends_N))
    return hidden(llama, packed.ids_N, packed.positions_N, attention, TorchOps())


def hidden(llama: LlamaModel, ids_N: Tensor, positions_N: Tensor, attention: Attention, ops: Ops) -> Tensor:
    """The last hidden states with the adapter on the model, with gradients."""
    x_NH = llama.embed(ids_N, llama.embedding_pair())
    turns = {rope: torch.cat(both, -1)[:, 0].contiguous() for rope, both in llama.turns(positions_N).items()}
    whole, bare = layers_with_room(llama, x_NH)
    for number, (layer, adapters) in enumerate(zip(llama.layers, joined_adapters(llama), strict=True)):
        keep = "all" if number < whole else "input" if number < bare else "most"
        x_NH = _Layer.apply(x_NH, llama, layer, turns[layer.rope], attention, ops, keep, *adapters)
    return _Norm.apply(x_NH, llama.norm, llama.eps, ops)


def layers_with_room(llama: LlamaModel, x_NH: Tensor) -> tuple[int, int]:
    """In how many layers gate and up are kept for the backward pass too, and in how many only the input is. One of them is 0."""
    count = len(llama.layers)
    if x_NH.device.type == "cpu":
        return count, 0
    layer = llama.layers[0]
    wide = 2 if layer.norms_after is None else 4  # x, middle, and the inputs of norms after attention and MLP
    kept = wide * sum(layer.out.sizes) + sum(layer.qkv.sizes) + llama.heads * llama.head_size
    number = len(x_NH) * x_NH.element_size()
    gates = sum(layer.gate_up.sizes)
    free, needed = free_bytes(x_NH.device), number * (count * kept + 4 * gates)
    whole = int((free * _KEPT - needed) / (number * gates))
    bare = math.ceil((needed - free * _MOST) / (number * (kept - x_NH.shape[1])))
    return max(0, min(count, whole)), max(0, min(count, bare))


class _Adapted:
    """Joined linear layers with their adapter."""

    def __init__(
        self, joined: JoinedWeights, a_RH: Tensor | None, b_OR: Tensor | None, low_NR: Tensor | None = None
    ) -> None:
        self.joined, self.a_RH, self.b_OR = joined, a_RH, b_OR
        self.low_NR = low_NR
        """A x, after it was computed."""

    def forward(self, x: Tensor) -> Tensor:
        return self._add(F.linear(x, self.joined.weight, self.joined.bias), x)

    def add_to(self, total: Tensor, x: Tensor) -> Tensor:
        """`total` plus the result."""
        return self._add(plus(total, x, self.joined.weight, self.joined.bias), x)

    def _add(self, y: Tensor, x: Tensor) -> Tensor:
        if self.a_RH is not None and self.b_OR is not None:
            if self.low_NR is None:
                self.low_NR = x @ self.a_RH.T
            y.addmm_(self.low_NR, self.b_OR.T)
        return y

    def backward(self, grad: Tensor, x: Tensor) -> tuple[Tensor, Tensor | None, Tensor | None]:
        """The gradients of x, A and B."""
        dx, dlow_NR = self.input_back(grad)
        return dx, *self.adapter_back(grad, dlow_NR, x)

    def input_back(self, grad: Tensor) -> tuple[Tensor, Tensor | None]:
        """The gradients of x and of A x."""
        dx = grad @ self.joined.weight
        if self.a_RH is None or self.b_OR is None:
            return dx, None
        dlow_NR = grad @ self.b_OR
        return dx.addmm_(dlow_NR, self.a_RH), dlow_NR

    def adapter_back(self, grad: Tensor, dlow_NR: Tensor | None, x: Tensor) -> tuple[Tensor | None, Tensor | None]:
        """The gradients of A and B."""
        if dlow_NR is None or self.low_NR is None:
            return None, None
        return dlow_NR.T @ x, grad.T @ self.low_NR


class _Layer(Function):
    @staticmethod
    def forward(
        ctx: Any, x: Tensor, llama: LlamaModel, layer: Layer, turns: Tensor, attention: Attention, ops: Ops, keep: str,
        *adapters: Tensor | None,
    ) -> Tensor:  # fmt: skip
        parts = _parts(layer, adapters, [None] * 4)
        result, kept, tensors = _computed(x, llama, layer, turns, attention, ops, parts)
        tensors += [part.low_NR for part in parts]
        if keep == "input":
            kept, tensors = None, [None] * len(tensors)
        elif keep == "most":
            tensors[_GATES] = None
        ctx.save_for_backward(x, *tensors, *adapters)
        ctx.rest = llama, layer, turns, attention, ops, kept
        return result

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        x, heads, seen, middle, gates, added, last, *rest = ctx.saved_tensors
        llama, layer, turns, attention, ops, kept = ctx.rest
        qkv, out, gate_up, down = parts = _parts(layer, rest[4:], rest[:4])
        if heads is None:
            _, kept, tensors = _computed(x, llama, layer, turns, attention, ops, parts)
            heads, seen, middle, gates, added, last = tensors
        grad = grads[0].contiguous()
        ready = ops.norm(middle, layer.norm_mid, llama.eps)
        if gates is None:
            gates = gate_up.forward(ready)
        d_last = grad
        if layer.norms_after is not None:
            d_last = ops.norm_back(grad, last, layer.norms_after[1], llama.eps, None)
        d_gated, d_low = down.input_back(d_last)
        d_gates, gated = ops.gate_back(d_gated, gates, llama.gelu)
        of_down = down.adapter_back(d_last, d_low, gated)
        d_normed, *of_gate = gate_up.backward(d_gates, ready)
        d_middle = ops.norm_back(d_normed, middle, layer.norm_mid, llama.eps, grad)
        d_added = d_middle
        if layer.norms_after is not None:
            d_added = ops.norm_back(d_middle, added, layer.norms_after[0], llama.eps, None)
        d_seen, *of_out = out.backward(d_added, seen.reshape(len(x), -1))
        d_heads = attention.backward(
            _heads(d_seen, llama), *_qkv(heads, llama, layer, turns, ops), seen, kept, layer.scores
        )
        ops.turn_(d_heads[:, : -llama.kv_heads], turns, True)
        if layer.head_norms is not None:
            _norm_heads_back_(d_heads, _heads(heads, llama), llama, layer.head_norms, ops)
        d_normed, *of_qkv = qkv.backward(d_heads.view(len(x), -1), ops.norm(x, layer.norm_in, llama.eps))
        dx = None
        if ctx.needs_input_grad[0]:
            dx = ops.norm_back(d_normed, x, layer.norm_in, llama.eps, d_middle)
        return (dx, *(None,) * 6, *of_qkv, *of_out, *of_gate, *of_down)


_GATES = 3
"""Place of gate and up among what `_computed` returns."""


def _computed(
    x: Tensor, llama: LlamaModel, layer: Layer, turns: Tensor, attention: Attention, ops: Ops, parts: list[_Adapted]
) -> tuple[Tensor, Any, list[Any]]:
    """The result of a layer, the state of its attention, and what else the backward pass needs."""
    qkv, out, gate_up, down = parts
    first, second = layer.norms_after or (None, None)
    heads = qkv.forward(ops.norm(x, layer.norm_in, llama.eps))
    if layer.head_norms is None:
        ops.turn_(_heads(heads, llama)[:, : -llama.kv_heads], turns, False)
    seen, kept = attention.forward(*_qkv(heads, llama, layer, turns, ops), layer.scores)
    middle, added = _added(x, seen.reshape(len(x), -1), out, first, llama, ops)
    gates = gate_up.forward(ops.norm(middle, layer.norm_mid, llama.eps))
    result, last = _added(middle, ops.gate(gates, llama.gelu), down, second, llama, ops)
    return result, kept, [heads, seen, middle, gates, added, last]


def _parts(layer: Layer, adapters: Sequence[Tensor | None], lows: Sequence[Tensor | None]) -> list[_Adapted]:
    both = zip(layer.joined, adapters[::2], adapters[1::2], lows, strict=True)
    return [_Adapted(joined, a, b, low) for joined, a, b, low in both]


def _added(
    x: Tensor, y: Tensor, part: _Adapted, norm: Tensor | None, llama: LlamaModel, ops: Ops
) -> tuple[Tensor, Tensor | None]:
    """`x` plus the result of a linear layer, normalised if there is a norm, whose input is returned too."""
    if norm is None:
        return part.add_to(x, y), None
    made = part.forward(y)
    return ops.norm(made, norm, llama.eps, x), made


class _Norm(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, eps: float, ops: Ops) -> Tensor:
        ctx.save_for_backward(x)
        ctx.rest = weight, eps, ops
        return ops.norm(x, weight, eps)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        weight, eps, ops = ctx.rest
        return ops.norm_back(grads[0].contiguous(), ctx.saved_tensors[0], weight, eps, None), None, None, None


def _heads(flat: Tensor, llama: LlamaModel) -> Tensor:
    return flat.view(len(flat), -1, llama.head_size)


def _qkv(heads: Tensor, llama: LlamaModel, layer: Layer, turns: Tensor, ops: Ops) -> tuple[Tensor, Tensor, Tensor]:
    """The inputs of attention. Heads with their own norms are normalised and rotated here."""
    q, k, v = split(heads, llama)
    if layer.head_norms is None:
        return q, k, v
    ready = [
        ops.norm(x.reshape(-1, llama.head_size), weight, llama.eps).view(x.shape)
        for x, weight in zip((q, k), layer.head_norms, strict=True)
    ]
    qk = torch.cat(ready, 1)
    ops.turn_(qk, turns, False)
    return qk[:, : llama.heads], qk[:, llama.heads :], v


def _norm_heads_back_(
    grad_NXD: Tensor, heads_NXD: Tensor, llama: LlamaModel, norms: Sequence[Tensor], ops: Ops
) -> None:
    sizes = [llama.heads, llama.kv_heads, llama.kv_heads]
    for grad, x, weight in zip(grad_NXD.split(sizes, 1), heads_NXD.split(sizes, 1), norms, strict=False):
        d_normed, rows = grad.reshape(-1, llama.head_size), x.reshape(-1, llama.head_size)
        grad.copy_(ops.norm_back(d_normed, rows, weight, llama.eps, None).view(grad.shape))


class Blockwise:
    """Attention over a tree in torch, for every device. It is recomputed in the backward pass."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def forward(self, q_NHD: Tensor, k_NKD: Tensor, v_NKD: Tensor, scores: Scores) -> tuple[Tensor, None]:
        return self._attend(q_NHD, k_NKD, v_NKD, scores), None

    def backward(
        self, grad_NHD: Tensor, q_NHD: Tensor, k_NKD: Tensor, v_NKD: Tensor, out_NHD: Tensor, kept: None, scores: Scores
    ) -> Tensor:
        with torch.enable_grad():
            q, k, v = (each.detach().requires_grad_() for each in (q_NHD, k_NKD, v_NKD))
            out = self._attend(q, k, v, scores)
        return torch.cat(torch.autograd.grad(out, (q, k, v), grad_NHD), 1)

    def _attend(self, q_NHD: Tensor, k_NKD: Tensor, v_NKD: Tensor, scores: Scores) -> Tensor:
        q_1HND, k_1KND, v_1KND = (each.transpose(0, 1)[None] for each in (q_NHD, k_NKD, v_NKD))
        return attend(q_1HND, k_1KND, v_1KND, self.tree.blocks(scores.window), scores.scaling, scores.cap)[0]


class TorchOps:
    """The operations in torch, for every device."""

    def norm(self, x: Tensor, weight: Tensor, eps: float, plus: Tensor | None = None) -> Tensor:
        return normed(x, weight, eps) if plus is None else normed(x, weight, eps) + plus

    def norm_back(self, grad: Tensor, x: Tensor, weight: Tensor, eps: float, plus: Tensor | None) -> Tensor:
        wide = x.float()
        scale = (wide.square().mean(-1, keepdim=True) + eps).rsqrt()
        grad = grad.float() * weight.float()
        mean = (grad * wide).mean(-1, keepdim=True)
        dx = (scale * (grad - wide * scale.square() * mean)).to(x.dtype)
        return dx if plus is None else dx.add_(plus)

    def gate(self, gate_up: Tensor, gelu: bool) -> Tensor:
        gate, up = gate_up.chunk(2, -1)
        return act(gate, gelu) * up

    def gate_back(self, grad: Tensor, gate_up: Tensor, gelu: bool) -> tuple[Tensor, Tensor]:
        """The gradient of gate and up, and the result of the gate."""
        gate, up = gate_up.chunk(2, -1)
        active = act(gate, gelu)
        back = torch.empty_like(gate_up)
        d_gate, d_up = back.chunk(2, -1)
        torch.mul(grad, active, out=d_up)
        if gelu:
            d_gate.copy_(torch.ops.aten.gelu_backward(grad * up, gate, approximate="tanh"))
        else:
            d_gate.copy_(torch.ops.aten.silu_backward(grad * up, gate))
        return back, active.mul_(up)

    def turn_(self, x_NHD: Tensor, turns: Tensor, back: bool) -> None:
        cos, sin = turns[:, None].chunk(2, -1)
        x_NHD.copy_(turned(x_NHD, cos, -sin if back else sin))
