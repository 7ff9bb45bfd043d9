"""The layers of a plain model for training: forward and backward written out, over one flat row of tokens.

The base is frozen and only adapters learn, so a layer keeps little for its backward pass: its input, the joined q k v, what
attention gathered, and the middle of the layer. All else is computed again; gate and up, the largest part, are kept on a CPU,
where time is dearer than memory.

    y = W x + scale B A x      dx = W' dy + A' (scale B' dy)      dA = (scale B' dy) x'      dB = scale dy (A x)'

Shapes: N tokens, H hidden size, R ranks of the joined adapters. What attends is passed in: it is given q, k and v and returns
what was gathered, with what its own backward pass needs.
"""

import importlib.util
from typing import Any, Protocol

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd import Function

from verigym.model import lora
from verigym.model.attention import Tree, attend
from verigym.model.plain import Joined, Layer, Plain, split
from verigym.model.tree import Packed


class Attention(Protocol):
    def forward(self, q_NHD: Tensor, k_NKD: Tensor, v_NKD: Tensor, scaling: float) -> tuple[Tensor, Any]: ...

    def backward(
        self, grad_NHD: Tensor, q_NHD: Tensor, k_NKD: Tensor, v_NKD: Tensor, out_NHD: Tensor, kept: Any, scaling: float
    ) -> tuple[Tensor, Tensor, Tensor]: ...


class Ops(Protocol):
    """The few steps that are not products: in torch, or as kernels."""

    def norm(self, x: Tensor, weight: Tensor, eps: float) -> Tensor: ...
    def norm_back(self, grad: Tensor, x: Tensor, weight: Tensor, eps: float) -> Tensor: ...
    def gate(self, gate_up: Tensor, gelu: bool) -> Tensor: ...
    def gate_back(self, grad: Tensor, gate_up: Tensor, gelu: bool) -> Tensor: ...
    def turn(self, x_NHD: Tensor, turns: Tensor, back: bool) -> Tensor: ...


def over_tree(plain: Plain, packed: Packed) -> Tensor:
    """The last hidden state of every place of a prefix tree."""
    if packed.ids_N.device.type == "cuda" and importlib.util.find_spec("triton"):
        from verigym.model.train_kernels import KernelOps, TreeKernel

        attention, ops = TreeKernel(packed.ends_N, plain.embedding.dtype), KernelOps()
    else:
        attention, ops = Blockwise(Tree(packed.positions_N, packed.ends_N)), TorchOps()
    return hidden(plain, packed.ids_N, packed.positions_N, attention, ops)


def hidden(plain: Plain, ids_N: Tensor, positions_N: Tensor, attention: Attention, ops: Ops) -> Tensor:
    """The last hidden states with the adapter that sits on the model, ready for a backward pass."""
    x_NH = plain.embed(ids_N)
    turns = torch.cat(plain.turns(positions_N), -1)[:, 0].contiguous()
    for layer in plain.layers:
        adapters = [part.pairs() for part in layer.joined]
        flat = [tensor for pairs in adapters for pair in pairs if pair for tensor in (pair.a, pair.b)]
        x_NH = _Layer.apply(x_NH, plain, layer, adapters, turns, attention, ops, *flat)
    return _Norm.apply(x_NH, plain.norm, plain.eps, ops)


class _Adapted:
    """Joined linear layers with their adapters, at the precision of the base."""

    def __init__(self, joined: Joined, pairs: list[lora.Pair | None]) -> None:
        self.joined = joined
        self.rows: list[slice] = []
        self.b: list[Tensor] = []
        self.scales: list[float] = []
        a: list[Tensor] = []
        start = 0
        for size, pair in zip(joined.sizes, pairs, strict=True):
            if pair is not None:
                self.rows.append(slice(start, start + size))
                a.append(pair.a)
                self.b.append(pair.b.to(joined.weight.dtype))
                self.scales.append(pair.scale)
            start += size
        self.ranks = [len(one) for one in a]
        self.a_RH = torch.cat(a).to(joined.weight.dtype) if a else None

    def forward(self, x: Tensor) -> Tensor:
        y = F.linear(x, self.joined.weight, self.joined.bias)
        return self._add(y, x)

    def add_to(self, total: Tensor, x: Tensor) -> Tensor:
        """`total` plus the result."""
        y = torch.addmm(total, x, self.joined.weight.T)
        if self.joined.bias is not None:
            y += self.joined.bias
        return self._add(y, x)

    def _add(self, y: Tensor, x: Tensor) -> Tensor:
        if self.a_RH is not None:
            lows = (x @ self.a_RH.T).split(self.ranks, -1)
            for rows, low, b, scale in zip(self.rows, lows, self.b, self.scales, strict=True):
                y[:, rows].addmm_(low, b.T, alpha=scale)
        return y

    def backward(self, grad: Tensor, x: Tensor) -> tuple[Tensor, list[Tensor]]:
        """The gradient of x, and those of A and B of each part."""
        dx = grad @ self.joined.weight
        if self.a_RH is None:
            return dx, []
        lows = (x @ self.a_RH.T).split(self.ranks, -1)
        parts = [grad[:, rows] for rows in self.rows]
        dlow_NR = torch.cat([part @ b * scale for part, b, scale in zip(parts, self.b, self.scales, strict=True)], -1)
        dx.addmm_(dlow_NR, self.a_RH)
        da = (dlow_NR.T @ x).float().split(self.ranks)
        db = [(part.T @ low).float() * s for part, low, s in zip(parts, lows, self.scales, strict=True)]
        return dx, [each for pair in zip(da, db, strict=True) for each in pair]


class _Layer(Function):
    @staticmethod
    def forward(
        ctx: Any, x: Tensor, plain: Plain, layer: Layer, adapters: list[list[lora.Pair | None]], turns: Tensor,
        attention: Attention, ops: Ops, *flat: Tensor,
    ) -> Tensor:  # fmt: skip
        qkv, out, gate_up, down = (
            _Adapted(joined, pairs) for joined, pairs in zip(layer.joined, adapters, strict=True)
        )
        heads = qkv.forward(ops.norm(x, layer.norm_in, plain.eps))
        q, k, v = _turned(heads, plain, layer, turns, ops)
        seen, kept = attention.forward(q, k, v, layer.scaling)
        middle = out.add_to(x, seen.reshape(len(x), -1))
        gates = gate_up.forward(ops.norm(middle, layer.norm_mid, plain.eps))
        ctx.save_for_backward(x, heads, seen, middle, gates if x.device.type == "cpu" else None)
        ctx.rest = plain, layer, turns, attention, ops, kept, (qkv, out, gate_up, down)
        return down.add_to(middle, ops.gate(gates, plain.gelu))

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        x, heads, seen, middle, gates = ctx.saved_tensors
        plain, layer, turns, attention, ops, kept, (qkv, out, gate_up, down) = ctx.rest
        grad = grads[0].contiguous()
        normed = ops.norm(middle, layer.norm_mid, plain.eps)
        if gates is None:
            gates = gate_up.forward(normed)
        d_gated, down_grads = down.backward(grad, ops.gate(gates, plain.gelu))
        d_gates = ops.gate_back(d_gated, gates, plain.gelu)
        d_normed, gate_grads = gate_up.backward(d_gates, normed)
        d_middle = ops.norm_back(d_normed, middle, layer.norm_mid, plain.eps).add_(grad)
        d_seen, out_grads = out.backward(d_middle, seen.reshape(len(x), -1))
        q, k, v = _turned(heads, plain, layer, turns, ops)
        d_seen = d_seen.view(len(x), plain.heads, plain.head_size)
        d_qkv = attention.backward(d_seen, q, k, v, seen, kept, layer.scaling)
        d_heads = _turned_back(d_qkv, heads, plain, layer, turns, ops)
        d_normed, qkv_grads = qkv.backward(d_heads, ops.norm(x, layer.norm_in, plain.eps))
        dx = None
        if ctx.needs_input_grad[0]:
            dx = ops.norm_back(d_normed, x, layer.norm_in, plain.eps).add_(d_middle)
        return (dx, *(None,) * 6, *qkv_grads, *out_grads, *gate_grads, *down_grads)


class _Norm(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, eps: float, ops: Ops) -> Tensor:
        ctx.save_for_backward(x)
        ctx.rest = weight, eps, ops
        return ops.norm(x, weight, eps)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        weight, eps, ops = ctx.rest
        return ops.norm_back(grads[0].contiguous(), ctx.saved_tensors[0], weight, eps), None, None, None


def _turned(heads: Tensor, plain: Plain, layer: Layer, turns: Tensor, ops: Ops) -> tuple[Tensor, Tensor, Tensor]:
    q, k, v = split(heads, plain)
    if layer.head_norms is not None:
        q, k = (_each(ops.norm, x, weight, plain.eps) for x, weight in zip((q, k), layer.head_norms, strict=True))
    return ops.turn(q, turns, False), ops.turn(k, turns, False), v


def _turned_back(
    grads: tuple[Tensor, Tensor, Tensor], heads: Tensor, plain: Plain, layer: Layer, turns: Tensor, ops: Ops
) -> Tensor:
    dq, dk, dv = grads
    dq, dk = ops.turn(dq, turns, True), ops.turn(dk, turns, True)
    if layer.head_norms is not None:
        q, k, _ = split(heads, plain)
        weights = layer.head_norms
        dq, dk = (
            _each(lambda g, x, w=w: ops.norm_back(g, x, w, plain.eps), grad, x)
            for grad, x, w in zip((dq, dk), (q, k), weights, strict=True)
        )
    return torch.cat([dq, dk, dv], 1).view(len(heads), -1)


def _each(step: Any, *tensors: Any) -> Tensor:
    """A step over rows, applied to every head."""
    shape = tensors[0].shape
    rows = [x.reshape(-1, shape[-1]) if isinstance(x, Tensor) and x.dim() == 3 else x for x in tensors]
    return step(*rows).view(shape)


class Blockwise:
    """Attention over a tree in torch, for every device; made again for the backward pass."""

    def __init__(self, tree: Tree) -> None:
        self.blocks = tree.blocks(None)

    def forward(self, q_NHD: Tensor, k_NKD: Tensor, v_NKD: Tensor, scaling: float) -> tuple[Tensor, None]:
        return self._attend(q_NHD, k_NKD, v_NKD, scaling), None

    def backward(
        self, grad_NHD: Tensor, q_NHD: Tensor, k_NKD: Tensor, v_NKD: Tensor, out_NHD: Tensor, kept: None, scaling: float
    ) -> tuple[Tensor, Tensor, Tensor]:
        with torch.enable_grad():
            q, k, v = (each.detach().requires_grad_() for each in (q_NHD, k_NKD, v_NKD))
            out = self._attend(q, k, v, scaling)
        dq, dk, dv = torch.autograd.grad(out, (q, k, v), grad_NHD)
        return dq, dk, dv

    def _attend(self, q_NHD: Tensor, k_NKD: Tensor, v_NKD: Tensor, scaling: float) -> Tensor:
        q_1HND, k_1KND, v_1KND = (each.transpose(0, 1)[None] for each in (q_NHD, k_NKD, v_NKD))
        return attend(q_1HND, k_1KND, v_1KND, self.blocks, scaling, None)[0]


class TorchOps:
    """In torch, for every device."""

    def norm(self, x: Tensor, weight: Tensor, eps: float) -> Tensor:
        return F.rms_norm(x, weight.shape, weight, eps)

    def norm_back(self, grad: Tensor, x: Tensor, weight: Tensor, eps: float) -> Tensor:
        wide = x.float()
        scale = (wide.square().mean(-1, keepdim=True) + eps).rsqrt()
        grad = grad.float() * weight.float()
        mean = (grad * wide).mean(-1, keepdim=True)
        return (scale * (grad - wide * scale.square() * mean)).to(x.dtype)

    def gate(self, gate_up: Tensor, gelu: bool) -> Tensor:
        gate, up = gate_up.chunk(2, -1)
        return (F.gelu(gate, approximate="tanh") if gelu else F.silu(gate)) * up

    def gate_back(self, grad: Tensor, gate_up: Tensor, gelu: bool) -> Tensor:
        gate, up = gate_up.chunk(2, -1)
        back = torch.empty_like(gate_up)
        d_gate, d_up = back.chunk(2, -1)
        if gelu:
            torch.mul(grad, F.gelu(gate, approximate="tanh"), out=d_up)
            d_gate.copy_(torch.ops.aten.gelu_backward(grad * up, gate, approximate="tanh"))
        else:
            torch.mul(grad, F.silu(gate), out=d_up)
            d_gate.copy_(torch.ops.aten.silu_backward(grad * up, gate))
        return back

    def turn(self, x_NHD: Tensor, turns: Tensor, back: bool) -> Tensor:
        cos, sin = turns[:, None].chunk(2, -1)
        sin = -sin if back else sin
        first, second = x_NHD.float().chunk(2, -1)
        return torch.cat([first * cos - second * sin, second * cos + first * sin], -1).to(x_NHD.dtype)
