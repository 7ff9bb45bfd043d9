"""Mixtures of experts on CUDA, in Triton.

Every pair of a token and one of its experts is a row of a product with the weights of that expert. Pairs are sorted by expert
and cut into tiles of one expert each. The number of tiles follows from the number of tokens only, so a CUDA graph can hold all of
it, and nothing is read back. Each row of a tile is computed by the same instructions in the same order, wherever it is in the
tile and whatever else is there. The experts of a token are added in the order of their scores.

Shapes: N tokens, H hidden size, E experts, K chosen experts of a token, P = N K pairs, T tiles, M pairs of a tile, I size of an
expert.
"""

# pyright: reportMissingImports=false, reportIndexIssue=false
# Only CUDA builds of torch include Triton. A kernel is launched by indexing it.
from collections.abc import Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from torch import Tensor

from verigym.model import kernels
from verigym.model.experts import Mixture

STEP_TILE, PROMPT_TILE = 16, 64
"""Pairs of a tile. Steps have few pairs for each expert. Hopper has other instructions for 64."""


@triton.jit
def _choose(
    logits_ptr, id_ptr, score_ptr, experts,
    K: tl.constexpr, NORM: tl.constexpr, BLOCK: tl.constexpr, K_BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    place = tl.arange(0, BLOCK)
    logits = tl.load(logits_ptr + row * experts + place, place < experts, other=-float("inf")).to(tl.float32)
    left = tl.exp(logits - tl.max(logits, 0))
    total = tl.sum(left, 0)
    left = tl.where(place < experts, left, -1.0)
    number = tl.arange(0, K_BLOCK)
    ids = tl.zeros([K_BLOCK], tl.int32)
    scores = tl.zeros([K_BLOCK], tl.float32)
    for chosen in range(K):
        best = tl.max(left, 0)
        at = tl.minimum(tl.min(tl.where(left == best, place, BLOCK), 0), experts - 1)
        left = tl.where(place == at, -1.0, left)
        ids = tl.where(number == chosen, at, ids)
        scores = tl.where(number == chosen, best, scores)
    if NORM:
        total = tl.sum(scores, 0)
    tl.store(id_ptr + row * K + number, ids, number < K)
    tl.store(score_ptr + row * K + number, scores / total, number < K)


def choose(logits_NE: Tensor, chosen: int, normed: bool) -> tuple[Tensor, Tensor]:
    """The experts of each token, (N, K) int32, best first, and their scores, (N, K) float32. Of equal experts the first."""
    rows, experts = logits_NE.shape
    ids = torch.empty(rows, chosen, dtype=torch.int32, device=logits_NE.device)
    scores = torch.empty(rows, chosen, dtype=torch.float32, device=logits_NE.device)
    _choose[(rows,)](
        logits_NE, ids, scores, experts, K=chosen, NORM=normed, BLOCK=triton.next_power_of_2(experts),
        K_BLOCK=triton.next_power_of_2(chosen), num_warps=1,
    )  # fmt: skip
    return ids, scores


@triton.jit
def _sort(id_ptr, pair_ptr, expert_ptr, pairs, M: tl.constexpr, BLOCK: tl.constexpr):
    """The tiles of one expert. They begin where those of all experts before it must have ended, whatever their numbers of pairs:
    c pairs of e experts fill at most c // M + e tiles."""
    expert = tl.program_id(0)
    place = tl.arange(0, BLOCK)
    before = 0
    own = 0
    for begin in range(0, pairs, BLOCK):
        ids = tl.load(id_ptr + begin + place, begin + place < pairs, other=2147483647)
        before += tl.sum((ids < expert).to(tl.int32), 0)
        own += tl.sum((ids == expert).to(tl.int32), 0)
    first = before // M + expert
    end = (before + own) // M + expert + 1
    for begin in range(first, end, BLOCK):
        tile = begin + place
        tl.store(expert_ptr + tile, tl.where((tile - first) * M < own, expert, -1), tile < end)
    seen = 0
    for begin in range(0, pairs, BLOCK):
        ids = tl.load(id_ptr + begin + place, begin + place < pairs, other=2147483647)
        mine = (ids == expert).to(tl.int32)
        at = first * M + seen + tl.cumsum(mine, 0) - 1
        tl.store(pair_ptr + at, begin + place, mine == 1)
        seen += tl.sum(mine, 0)
    empty = first * M + own + tl.arange(0, 2 * M)
    tl.store(pair_ptr + empty, tl.full([2 * M], -1, tl.int32), empty < end * M)


class ExpertTiles(NamedTuple):
    pairs: Tensor
    """(T, M), int32: token * K + number of the expert among its chosen ones. -1 is nothing."""
    experts: Tensor
    """(T,), int32: the expert of each tile. -1 is none."""


def sort(ids_NK: Tensor, experts: int, size: int) -> ExpertTiles:
    """Tiles of `size` pairs."""
    number = ids_NK.numel()
    tiles = number // size + experts
    made = {"dtype": torch.int32, "device": ids_NK.device}
    found = ExpertTiles(torch.empty(tiles, size, **made), torch.empty(tiles, **made))
    _sort[(experts,)](ids_NK, *found, number, M=size, BLOCK=1024)
    return found


@triton.jit
def _multiply(
    x_ptr, weight_ptr, out_ptr, pair_ptr, expert_ptr, inputs, outputs,
    SHARE: tl.constexpr, GATED: tl.constexpr, GELU: tl.constexpr, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr,
    PRECISION: tl.constexpr,
):  # fmt: skip
    """A tile of pairs times the weights of its expert. SHARE pairs have one row of x. With GATED, the weights are those of gate
    and up, and the result is act(gate) * up."""
    tile = tl.program_id(0)
    expert = tl.load(expert_ptr + tile)
    if expert >= 0:
        n = tl.program_id(1) * N + tl.arange(0, N)
        d = tl.arange(0, D)
        pair = tl.load(pair_ptr + tile * M + tl.arange(0, M)).to(tl.int64)
        taken = pair >= 0
        x_at = x_ptr + (tl.maximum(pair, 0) // SHARE)[:, None] * inputs
        parts: tl.constexpr = 2 if GATED else 1
        weight_at = weight_ptr + expert.to(tl.int64) * parts * outputs * inputs + n[:, None] * inputs
        total = tl.zeros([M, N], tl.float32)
        up = tl.zeros([M, N], tl.float32)
        for begin in range(0, inputs, D):
            at = begin + d
            x = tl.load(x_at + at[None, :], taken[:, None] & (at < inputs)[None, :], other=0.0)
            inside = (n < outputs)[:, None] & (at < inputs)[None, :]
            weight = tl.load(weight_at + at[None, :], inside, other=0.0)
            total += tl.dot(x, tl.trans(weight), input_precision=PRECISION)
            if GATED:
                weight = tl.load(weight_at + outputs * inputs + at[None, :], inside, other=0.0)
                up += tl.dot(x, tl.trans(weight), input_precision=PRECISION)
        if GATED:
            if GELU:
                inner = 0.7978845608028654 * (total + 0.044715 * total * total * total)
                total = total * tl.sigmoid(2 * inner) * up
            else:
                total = total * tl.sigmoid(total) * up
        tl.store(out_ptr + pair[:, None] * outputs + n[None, :], total, taken[:, None] & (n < outputs)[None, :])


def multiply(x: Tensor, weight: Tensor, tiles: ExpertTiles, pairs: int, *, gated: bool, gelu: bool = False) -> Tensor:
    """The result of every pair, (P, O). `x` has a row for each token or for each pair. `weight` is (E, O, I), with gate and up in
    one if `gated`."""
    inputs, outputs = weight.shape[2], weight.shape[1] // (2 if gated else 1)
    out = x.new_empty(pairs, outputs)
    count, size = tiles.pairs.shape
    exact = x.dtype == torch.float32
    columns = 32 if exact else 64
    _multiply[(count, triton.cdiv(outputs, columns))](
        x, weight, out, tiles.pairs, tiles.experts, inputs, outputs,
        SHARE=pairs // len(x), GATED=gated, GELU=gelu, M=size, N=columns, D=32 if exact else 64,
        PRECISION="ieee" if exact else "tf32", num_warps=4, num_stages=3,
    )  # fmt: skip
    return out


@triton.jit
def _combine(
    x_ptr, part_ptr, score_ptr, shared_ptr, gate_ptr, size,
    K: tl.constexpr, SHARED: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    place = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for chosen in tl.static_range(K):
        pair = row * K + chosen
        part = tl.load(part_ptr + pair * size + place, place < size, other=0.0).to(tl.float32)
        total += tl.load(score_ptr + pair) * part
    if SHARED:
        part = tl.load(shared_ptr + row * size + place, place < size, other=0.0).to(tl.float32)
        total += tl.sigmoid(tl.load(gate_ptr + row).to(tl.float32)) * part
    total += tl.load(x_ptr + row * size + place, place < size, other=0.0).to(tl.float32)
    tl.store(x_ptr + row * size + place, total, place < size)


def add_mixture(
    x_NH: Tensor, ready_NH: Tensor, mixture: Mixture, weights: Sequence[Tensor], prompts: bool, gelu: bool
) -> None:
    """Adds the result for the normed hidden states in place. `weights` are as in `Mixture.forward`. Prompts have larger tiles."""
    *shared, gate_up, down = weights
    ids, scores = choose(F.linear(ready_NH, mixture.router), mixture.chosen, mixture.normed)
    tiles = sort(ids, len(gate_up), PROMPT_TILE if prompts else STEP_TILE)
    gated = multiply(ready_NH, gate_up, tiles, ids.numel(), gated=True, gelu=gelu)
    parts = multiply(gated, down, tiles, ids.numel(), gated=False)
    common, gate = x_NH, x_NH
    if shared:
        common = F.linear(kernels.gate(F.linear(ready_NH, shared[0]), gelu), shared[1])
        gate = F.linear(ready_NH, shared[2])
    rows, size = x_NH.shape
    _combine[(rows, triton.cdiv(size, 1024))](
        x_NH, parts, scores, common, gate, size, K=mixture.chosen, SHARED=bool(shared), BLOCK=1024
    )
