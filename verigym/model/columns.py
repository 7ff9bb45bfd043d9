"""The layers of the Llama family for decoding on a CPU in float32, with one column per token instead of one row.

    F.linear(x_NI, W)   is   W @ x_IN, transposed

MKL computes the second form of a product with 16 tokens or more in 3/4 of the time, and the results are the same bits. So the
hidden states stay (H, N) from layer to layer, and a sum is added in place. Only norms and attention read rows: the order in which
a norm adds its squares decides its last bit. Logits are computed in pieces that stay in the cache of a core until they are rows
again.

Shapes: N tokens, H hidden size, X heads of q, k and v, D head size, O outputs, V vocabulary.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor

if TYPE_CHECKING:
    from verigym.model.llama_family import Attend, LlamaModel, Turns

_LEAST = 16
"""Products with fewer tokens are not faster in this form, and some differ in the last bit."""
_PIECE = 2048
"""Outputs of a piece of the output layer."""


def applies(x_NH: Tensor) -> bool:
    return x_NH.device.type == "cpu" and x_NH.dtype == torch.float32 and x_NH.dim() == 2 and len(x_NH) >= _LEAST


def hidden(
    llama: "LlamaModel",
    weights: Sequence[list[Tensor]],
    x_NH: Tensor,
    turns: "Turns",
    attend: "Attend",
) -> Tensor:
    """The hidden states after all layers, before the last norm, (N, H)."""
    turned: dict[str | None, tuple[Tensor, Tensor]] = {}
    for rope, pair in turns.items():
        cos, sin = (each[:, 0].t().contiguous() for each in pair)
        turned[rope] = cos, torch.stack([-sin, sin])
    x_HN = x_NH.t().contiguous()
    for number, (layer, (qkv, out, gate_up, down)) in enumerate(zip(llama.layers, weights, strict=True)):
        heads = torch.mm(qkv, _normed(x_HN, layer.norm_in, llama.eps))
        if layer.qkv.bias is not None:
            heads += layer.qkv.bias[:, None]
        rows = _heads(llama, layer.head_norms, heads, *turned[layer.rope])
        q, k, v = rows.split([llama.heads, llama.kv_heads, llama.kv_heads], 1)
        after = layer.norms_after or (None, None)
        seen_IN = attend(number, q, k, v).reshape(rows.shape[0], -1).t()
        _add(x_HN, seen_IN, out, layer.out.bias, after[0], llama.eps)
        gates = torch.mm(gate_up, _normed(x_HN, layer.norm_mid, llama.eps))
        if layer.gate_up.bias is not None:
            gates += layer.gate_up.bias[:, None]
        gate, up = gates.chunk(2)
        gate = F.gelu(gate, approximate="tanh") if llama.gelu else F.silu(gate, inplace=True)
        _add(x_HN, gate.mul_(up), down, layer.down.bias, after[1], llama.eps)
    return x_HN.t().contiguous()


def product(x_NI: Tensor, weight_OI: Tensor) -> Tensor:
    """`F.linear` for a weight with many outputs, (N, O)."""
    made = x_NI.new_empty(len(x_NI), len(weight_OI))
    piece = x_NI.new_empty(_PIECE, len(x_NI))
    x_IN = x_NI.t()
    for weight, into in zip(weight_OI.split(_PIECE), made.split(_PIECE, 1), strict=True):
        into.copy_(torch.mm(weight, x_IN, out=piece[: len(weight)]).t())
    return made


def _normed(x_HN: Tensor, weight_H: Tensor, eps: float) -> Tensor:
    """The same bits as `F.rms_norm` of rows."""
    squares_NH = x_HN.t().contiguous().square_()
    return (x_HN * squares_NH.mean(-1).add_(eps).rsqrt_()).mul_(weight_H[:, None])


def _heads(
    llama: "LlamaModel", norms: tuple[Tensor, Tensor] | None, heads_ON: Tensor, cos: Tensor, both: Tensor
) -> Tensor:
    """Queries, keys and values of all heads as rows, (N, X, D). Queries and keys are turned by their positions."""
    size, turned = llama.head_size, llama.heads + llama.kv_heads
    if norms is not None:
        rows = heads_ON.t().contiguous().view(heads_ON.shape[1], -1, size)
        parts = zip(rows[:, :turned].split([llama.heads, llama.kv_heads], 1), norms, strict=True)
        normed = torch.cat([F.rms_norm(part, weight.shape, weight, llama.eps) for part, weight in parts], 1)
        heads_ON[: turned * size] = normed.flatten(1).t()
    qk = heads_ON[: turned * size].view(turned, 2, size // 2, -1)
    across = torch.empty_like(qk)
    torch.mul(qk[:, 1], both[0], out=across[:, 0])
    torch.mul(qk[:, 0], both[1], out=across[:, 1])
    qk.mul_(cos).add_(across)
    return heads_ON.t().contiguous().view(heads_ON.shape[1], -1, size)


def _add(x_HN: Tensor, y_IN: Tensor, weight_HI: Tensor, bias: Tensor | None, norm_H: Tensor | None, eps: float) -> None:
    """Adds the result of a linear layer in place, normalised if there is a norm."""
    added = x_HN.addmm_(weight_HI, y_IN) if norm_H is None else torch.mm(weight_HI, y_IN)
    if bias is not None:
        added += bias[:, None]
    if norm_H is not None:
        x_HN += _normed(added, norm_H, eps)
