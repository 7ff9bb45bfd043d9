"""CUDA kernels of training, in Triton: backward of norm and gate, rotary embedding, and attention over a prefix tree.

The tree is laid out depth first (see tree.py): place i attends to place j exactly if `j <= i < ends[j]`. Both passes go over
blocks of places and skip fully masked pairs of blocks. The remaining pairs are computed once for all layers. Every place attends
to the root, so many programs add up the gradients of its keys. In a layer with a sliding window, pairs of blocks outside of it
are skipped too. WINDOW and CAP are 0 without a window or a soft cap of the scores.
"""

# pyright: reportMissingImports=false, reportIndexIssue=false, reportPossiblyUnboundVariable=false
# Only CUDA builds of torch include Triton. A kernel is launched by indexing it.
from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

from verigym.model import kernels
from verigym.model.attention import Scores

_STEPS = 16
"""Pairs of blocks per program."""


@triton.jit
def _norm_back(
    grad_ptr, x_ptr, weight_ptr, plus_ptr, out_ptr, size, eps, PLUS: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    place = tl.arange(0, BLOCK)
    inside = place < size
    x = tl.load(x_ptr + row * size + place, inside, other=0.0).to(tl.float32)
    grad = tl.load(grad_ptr + row * size + place, inside, other=0.0).to(tl.float32)
    grad *= tl.load(weight_ptr + place, inside, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(x * x) / size + eps)
    mean = tl.sum(grad * x) / size
    dx = scale * (grad - x * scale * scale * mean)
    if PLUS:
        dx += tl.load(plus_ptr + row * size + place, inside, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * size + place, dx, inside)


@triton.jit
def _gate_back(grad_ptr, x_ptr, out_ptr, gated_ptr, size, GELU: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    place = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = place < size
    gate = tl.load(x_ptr + row * 2 * size + place, inside, other=0.0).to(tl.float32)
    up = tl.load(x_ptr + row * 2 * size + size + place, inside, other=0.0).to(tl.float32)
    grad = tl.load(grad_ptr + row * size + place, inside, other=0.0).to(tl.float32)
    if GELU:
        inner = 0.7978845608028654 * (gate + 0.044715 * gate * gate * gate)
        share = tl.sigmoid(2 * inner)
        slope = 0.7978845608028654 * (1 + 3 * 0.044715 * gate * gate)
        back = share + gate * 2 * share * (1 - share) * slope
    else:
        share = tl.sigmoid(gate)
        back = share * (1 + gate * (1 - share))
    tl.store(out_ptr + row * 2 * size + place, grad * up * back, inside)
    tl.store(out_ptr + row * 2 * size + size + place, grad * gate * share, inside)
    tl.store(gated_ptr + row * size + place, gate * share * up, inside)


@triton.jit
def _turn(x_ptr, turns_ptr, stride, heads, sign, HALF: tl.constexpr, BLOCK: tl.constexpr, HB: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    head = tl.arange(0, BLOCK)[:, None]
    place = tl.arange(0, HB)[None, :]
    inside = (head < heads) & (place < HALF)
    at = x_ptr + token * stride + head * 2 * HALF + place
    first = tl.load(at, inside, other=0.0).to(tl.float32)
    second = tl.load(at + HALF, inside, other=0.0).to(tl.float32)
    cos = tl.load(turns_ptr + token * 2 * HALF + place, place < HALF, other=0.0)
    sin = tl.load(turns_ptr + token * 2 * HALF + HALF + place, place < HALF, other=0.0) * sign
    tl.store(at, first * cos - second * sin, inside)
    tl.store(at + HALF, second * cos + first * sin, inside)


class KernelOps:
    """The steps of a layer that are not products (see layers.py)."""

    def norm(self, x: Tensor, weight: Tensor, eps: float, plus: Tensor | None = None) -> Tensor:
        return kernels.norm(x.contiguous(), weight, eps, plus)

    def norm_back(self, grad: Tensor, x: Tensor, weight: Tensor, eps: float, plus: Tensor | None) -> Tensor:
        grad, x = grad.contiguous(), x.contiguous()
        out = torch.empty_like(x)
        size = x.shape[-1]
        block = triton.next_power_of_2(size)
        _norm_back[(len(x),)](
            grad, x, weight, grad if plus is None else plus, out, size, eps, PLUS=plus is not None, BLOCK=block,
            num_warps=min(8, max(1, block // 256)),
        )  # fmt: skip
        return out

    def gate(self, gate_up: Tensor, gelu: bool) -> Tensor:
        return kernels.gate(gate_up, gelu)

    def gate_back(self, grad: Tensor, gate_up: Tensor, gelu: bool) -> tuple[Tensor, Tensor]:
        out, gated = torch.empty_like(gate_up), torch.empty_like(grad)
        rows, size = grad.shape
        _gate_back[(rows, triton.cdiv(size, 1024))](grad, gate_up, out, gated, size, GELU=gelu, BLOCK=1024)
        return out, gated

    def turn_(self, x_NHD: Tensor, turns: Tensor, back: bool) -> None:
        tokens, heads, size = x_NHD.shape
        _turn[(tokens,)](
            x_NHD, turns, x_NHD.stride(0), heads, -1.0 if back else 1.0,
            HALF=size // 2, BLOCK=triton.next_power_of_2(heads), HB=triton.next_power_of_2(size // 2),
        )  # fmt: skip


@triton.jit
def cap_slope(scores, CAP: tl.constexpr):
    """The derivative of the soft cap, from capped scores in units of log 2."""
    share = scores * (0.6931471805599453 / CAP)
    return 1 - share * share


@triton.jit
def _attend(
    q_ptr, k_ptr, v_ptr, ends_ptr, list_ptr, count_ptr, out_ptr, lse_ptr, length, width, scale, q_step, k_step, v_step,
    positions_ptr,
    H: tl.constexpr, G: tl.constexpr, D: tl.constexpr, DB: tl.constexpr, B: tl.constexpr, PRECISION: tl.constexpr,
    WINDOW: tl.constexpr, CAP: tl.constexpr,
):  # fmt: skip
    block = tl.program_id(0)
    head = tl.program_id(1)
    i = block * B + tl.arange(0, B)
    d = tl.arange(0, DB)
    wide = (d < D)[None, :]
    here = (i < length)[:, None] & wide
    q = tl.load(q_ptr + i.to(tl.int64)[:, None] * q_step + head * D + d[None, :], here, other=0.0)
    top = tl.full([B], -float("inf"), tl.float32)
    total = tl.zeros([B], tl.float32)
    gathered = tl.zeros([B, DB], tl.float32)
    if WINDOW:
        outside = tl.load(positions_ptr + i, i < length, other=0) - WINDOW
    for number in range(tl.load(count_ptr + block)):
        j = tl.load(list_ptr + block * width + number) * B + tl.arange(0, B)
        there = (j < length)[:, None] & wide
        ends = tl.load(ends_ptr + j, j < length, other=0)
        k = tl.load(k_ptr + j.to(tl.int64)[:, None] * k_step + head // G * D + d[None, :], there, other=0.0)
        scores = tl.dot(q, tl.trans(k), input_precision=PRECISION) * (scale * 1.4426950408889634)
        if CAP > 0:
            scores = kernels.capped(scores, CAP)
        seen = (j[None, :] <= i[:, None]) & (i[:, None] < ends[None, :])
        if WINDOW:
            seen = seen & (tl.load(positions_ptr + j, j < length, other=0)[None, :] > outside[:, None])
        scores = tl.where(seen, scores, -float("inf"))
        new_top = tl.maximum(top, tl.max(scores, 1))
        safe = tl.where(new_top == -float("inf"), 0.0, new_top)
        weights = tl.exp2(scores - safe[:, None])
        fade = tl.exp2(top - safe)
        total = total * fade + tl.sum(weights, 1)
        v = tl.load(v_ptr + j.to(tl.int64)[:, None] * v_step + head // G * D + d[None, :], there, other=0.0)
        gathered = gathered * fade[:, None] + tl.dot(weights.to(v.dtype), v, input_precision=PRECISION)
        top = new_top
    out = out_ptr + (i.to(tl.int64)[:, None] * H + head) * D + d[None, :]
    tl.store(out, gathered / total[:, None], here)
    tl.store(lse_ptr + head.to(tl.int64) * length + i, top + tl.log2(total), i < length)


@triton.jit
def _attend_back_q(
    q_ptr, k_ptr, v_ptr, ends_ptr, list_ptr, count_ptr, grad_ptr, out_ptr, lse_ptr, delta_ptr, dq_ptr,
    length, width, scale, q_step, k_step, v_step, dq_step, positions_ptr,
    H: tl.constexpr, G: tl.constexpr, D: tl.constexpr, DB: tl.constexpr, B: tl.constexpr, PRECISION: tl.constexpr,
    WINDOW: tl.constexpr, CAP: tl.constexpr,
):  # fmt: skip
    block = tl.program_id(0)
    head = tl.program_id(1)
    i = block * B + tl.arange(0, B)
    d = tl.arange(0, DB)
    wide = (d < D)[None, :]
    here = (i < length)[:, None] & wide
    at = (i.to(tl.int64)[:, None] * H + head) * D + d[None, :]
    q = tl.load(q_ptr + i.to(tl.int64)[:, None] * q_step + head * D + d[None, :], here, other=0.0)
    grad = tl.load(grad_ptr + at, here, other=0.0)
    lse = tl.load(lse_ptr + head.to(tl.int64) * length + i, i < length, other=0.0)
    delta = tl.sum(grad.to(tl.float32) * tl.load(out_ptr + at, here, other=0.0).to(tl.float32), 1)
    tl.store(delta_ptr + head.to(tl.int64) * length + i, delta, i < length)
    dq = tl.zeros([B, DB], tl.float32)
    if WINDOW:
        outside = tl.load(positions_ptr + i, i < length, other=0) - WINDOW
    for number in range(tl.load(count_ptr + block)):
        j = tl.load(list_ptr + block * width + number) * B + tl.arange(0, B)
        there = (j < length)[:, None] & wide
        ends = tl.load(ends_ptr + j, j < length, other=0)
        k = tl.load(k_ptr + j.to(tl.int64)[:, None] * k_step + head // G * D + d[None, :], there, other=0.0)
        v = tl.load(v_ptr + j.to(tl.int64)[:, None] * v_step + head // G * D + d[None, :], there, other=0.0)
        scores = tl.dot(q, tl.trans(k), input_precision=PRECISION) * (scale * 1.4426950408889634)
        if CAP > 0:
            scores = kernels.capped(scores, CAP)
        seen = (j[None, :] <= i[:, None]) & (i[:, None] < ends[None, :])
        if WINDOW:
            seen = seen & (tl.load(positions_ptr + j, j < length, other=0)[None, :] > outside[:, None])
        weights = tl.where(seen, tl.exp2(scores - lse[:, None]), 0.0)
        d_weights = tl.dot(grad, tl.trans(v), input_precision=PRECISION)
        d_scores = weights * (d_weights - delta[:, None]) * scale
        if CAP > 0:
            d_scores *= cap_slope(scores, CAP)
        dq += tl.dot(d_scores.to(k.dtype), k, input_precision=PRECISION)
    tl.store(dq_ptr + i.to(tl.int64)[:, None] * dq_step + head * D + d[None, :], dq, here)


@triton.jit
def _attend_back_kv(
    q_ptr, k_ptr, v_ptr, ends_ptr, list_ptr, count_ptr, grad_ptr, lse_ptr, delta_ptr, sums_ptr,
    length, width, scale, q_step, k_step, v_step, share_ptr, start_ptr, positions_ptr,
    H: tl.constexpr, G: tl.constexpr, D: tl.constexpr, DB: tl.constexpr, B: tl.constexpr, PRECISION: tl.constexpr,
    WINDOW: tl.constexpr, CAP: tl.constexpr, STEPS: tl.constexpr,
):  # fmt: skip
    block = tl.load(share_ptr + tl.program_id(0))
    kv_head = tl.program_id(1)
    j = block * B + tl.arange(0, B)
    d = tl.arange(0, DB)
    wide = (d < D)[None, :]
    there = (j < length)[:, None] & wide
    ends = tl.load(ends_ptr + j, j < length, other=0)
    k = tl.load(k_ptr + j.to(tl.int64)[:, None] * k_step + kv_head * D + d[None, :], there, other=0.0)
    v = tl.load(v_ptr + j.to(tl.int64)[:, None] * v_step + kv_head * D + d[None, :], there, other=0.0)
    if WINDOW:
        positions = tl.load(positions_ptr + j, j < length, other=0)
    dk = tl.zeros([B, DB], tl.float32)
    dv = tl.zeros([B, DB], tl.float32)
    count = tl.load(count_ptr + block)
    start = tl.load(start_ptr + tl.program_id(0))
    for step in range(start, tl.minimum(start + STEPS, count * G)):
        head = kv_head * G + step // count
        i = tl.load(list_ptr + block * width + step % count) * B + tl.arange(0, B)
        here = (i < length)[:, None] & wide
        q = tl.load(q_ptr + i.to(tl.int64)[:, None] * q_step + head * D + d[None, :], here, other=0.0)
        grad = tl.load(grad_ptr + (i.to(tl.int64)[:, None] * H + head) * D + d[None, :], here, other=0.0)
        lse = tl.load(lse_ptr + head.to(tl.int64) * length + i, i < length, other=0.0)
        delta = tl.load(delta_ptr + head.to(tl.int64) * length + i, i < length, other=0.0)
        scores = tl.dot(k, tl.trans(q), input_precision=PRECISION) * (scale * 1.4426950408889634)
        if CAP > 0:
            scores = kernels.capped(scores, CAP)
        seen = (j[:, None] <= i[None, :]) & (i[None, :] < ends[:, None])
        if WINDOW:
            outside = tl.load(positions_ptr + i, i < length, other=0) - WINDOW
            seen = seen & (positions[:, None] > outside[None, :])
        weights = tl.where(seen, tl.exp2(scores - lse[None, :]), 0.0)
        dv += tl.dot(weights.to(grad.dtype), grad, input_precision=PRECISION)
        d_weights = tl.dot(v, tl.trans(grad), input_precision=PRECISION)
        d_scores = weights * (d_weights - delta[None, :]) * scale
        if CAP > 0:
            d_scores *= cap_slope(scores, CAP)
        dk += tl.dot(d_scores.to(q.dtype), q, input_precision=PRECISION)
    KV: tl.constexpr = H // G
    at = sums_ptr + (j.to(tl.int64)[:, None] * 2 * KV + kv_head) * D + d[None, :]
    tl.atomic_add(at, dk, there)
    tl.atomic_add(at + KV * D, dv, there)


class _Pairs(NamedTuple):
    """For each block, the number and the indices of the blocks that it interacts with."""

    counts: Tensor
    lists: Tensor


def _pairs(seen: Tensor) -> _Pairs:
    counts = seen.sum(1, dtype=torch.int32)
    lists = seen.int().argsort(dim=1, descending=True, stable=True)[:, : int(counts.max())]
    return _Pairs(counts, lists.int().contiguous())


class _Work(NamedTuple):
    """The pairs of blocks that are computed: by the block of places, and by the block of keys."""

    down: _Pairs
    up: _Pairs
    shares: dict[int, tuple[Tensor, Tensor]]

    def shares_of(self, groups: int) -> tuple[Tensor, Tensor]:
        """Splits the work on keys into shares of a few steps: the block of each share, and its first step."""
        if groups not in self.shares:
            shares = (self.up.counts * groups + _STEPS - 1) // _STEPS
            block = torch.repeat_interleave(shares)
            start = (torch.arange(len(block), device=block.device) - (shares.cumsum(0) - shares)[block]) * _STEPS
            self.shares[groups] = block.int(), start.int()
        return self.shares[groups]


class TreeKernel:
    """Attention over one tree (see layers.py)."""

    def __init__(self, positions_N: Tensor, ends_N: Tensor, dtype: torch.dtype) -> None:
        self.block = 32 if dtype == torch.float32 else 64
        self.ends_N, self.positions_N = ends_N.int(), positions_N.int()
        self._work: dict[int | None, _Work] = {}

    def work(self, window: int | None) -> _Work:
        if window not in self._work:
            last = self._by_block(self.ends_N, 0).amax(1)
            place = torch.arange(len(last), device=last.device)
            seen = (last[None, :] > place[:, None] * self.block) & (place[None, :] <= place[:, None])
            if window is not None:
                least = self._by_block(self.positions_N, 1 << 30).amin(1)
                most = self._by_block(self.positions_N, 0).amax(1)
                seen &= least[:, None] - most[None, :] < window
            self._work[window] = _Work(_pairs(seen), _pairs(seen.T), {})
        return self._work[window]

    def _by_block(self, numbers_N: Tensor, padding: int) -> Tensor:
        """One row for each block."""
        number = -(-len(numbers_N) // self.block)
        padded = numbers_N.new_full((number * self.block,), padding)
        padded[: len(numbers_N)] = numbers_N
        return padded.view(number, self.block)

    def forward(self, q_NHD: Tensor, k_NKD: Tensor, v_NKD: Tensor, scores: Scores) -> tuple[Tensor, Tensor]:
        length, heads, size = q_NHD.shape
        out = q_NHD.new_empty(length, heads, size)
        lse = torch.empty(heads, length, dtype=torch.float32, device=q_NHD.device)
        down = self.work(scores.window).down
        _attend[(len(down.counts), heads)](
            q_NHD, k_NKD, v_NKD, self.ends_N, down.lists, down.counts, out, lse, length, down.lists.shape[1],
            scores.scaling, q_NHD.stride(0), k_NKD.stride(0), v_NKD.stride(0), self.positions_N,
            **self._shape(q_NHD, k_NKD, scores),
        )  # fmt: skip
        return out, lse

    def backward(
        self,
        grad_NHD: Tensor,
        q_NHD: Tensor,
        k_NKD: Tensor,
        v_NKD: Tensor,
        out_NHD: Tensor,
        kept: Tensor,
        scores: Scores,
    ) -> Tensor:
        (length, heads, size), kv_heads = q_NHD.shape, k_NKD.shape[1]
        grad_NHD = grad_NHD.contiguous()
        delta = torch.empty_like(kept)
        joined_NXD = q_NHD.new_empty(length, heads + 2 * kv_heads, size)
        sums_NXD = torch.zeros(length, 2 * kv_heads, size, dtype=torch.float32, device=q_NHD.device)
        steps = q_NHD.stride(0), k_NKD.stride(0), v_NKD.stride(0)
        shape = self._shape(q_NHD, k_NKD, scores)
        work = self.work(scores.window)
        _attend_back_q[(len(work.down.counts), heads)](
            q_NHD, k_NKD, v_NKD, self.ends_N, work.down.lists, work.down.counts, grad_NHD, out_NHD, kept, delta,
            joined_NXD, length, work.down.lists.shape[1], scores.scaling, *steps, joined_NXD.stride(0),
            self.positions_N, **shape,
        )  # fmt: skip
        block, start = work.shares_of(shape["G"])
        _attend_back_kv[(len(block), kv_heads)](
            q_NHD, k_NKD, v_NKD, self.ends_N, work.up.lists, work.up.counts, grad_NHD, kept, delta, sums_NXD,
            length, work.up.lists.shape[1], scores.scaling, *steps, block, start, self.positions_N, STEPS=_STEPS,
            **shape,
        )  # fmt: skip
        joined_NXD[:, heads:] = sums_NXD
        return joined_NXD

    def _shape(self, q_NHD: Tensor, k_NKD: Tensor, scores: Scores) -> dict[str, Any]:
        heads, size = q_NHD.shape[1:]
        exact = q_NHD.dtype == torch.float32
        return {
            "H": heads,
            "G": heads // k_NKD.shape[1],
            "D": size,
            "DB": max(16, triton.next_power_of_2(size)),
            "B": self.block,
            "PRECISION": "ieee" if exact else "tf32",
            "WINDOW": scores.window or 0,
            "CAP": scores.cap or 0,
            "num_warps": 4,
            "num_stages": 2,
        }


@triton.jit
def _score(
    logits_ptr, target_ptr, logprob_ptr, entropy_ptr, vocabulary, cold, SLOPE: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    logits_ptr += row * vocabulary
    place = tl.arange(0, BLOCK)
    top = tl.full([BLOCK], -float("inf"), tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    weighed = tl.zeros([BLOCK], tl.float32)
    for begin in range(0, vocabulary, BLOCK):
        at = begin + place
        x = tl.load(logits_ptr + at, at < vocabulary, other=-float("inf")).to(tl.float32) * cold
        new_top = tl.maximum(top, x)
        safe = tl.where(new_top == -float("inf"), 0.0, new_top)
        fade = tl.exp(top - safe)
        share = tl.exp(x - safe)
        total = total * fade + share
        weighed = weighed * fade + tl.where(share > 0, share * x, 0.0)
        top = new_top
    peak = tl.max(top, 0)
    fade = tl.exp(top - peak)
    sum_all = tl.sum(total * fade, 0)
    norm = peak + tl.log(sum_all)
    target = tl.load(target_ptr + row)
    found = tl.load(logits_ptr + target).to(tl.float32) * cold
    tl.store(logprob_ptr + row, found - norm)
    tl.store(entropy_ptr + row, norm - tl.sum(weighed * fade, 0) / sum_all)
    if SLOPE:
        tl.debug_barrier()
        for begin in range(0, vocabulary, BLOCK):
            at = begin + place
            x = tl.load(logits_ptr + at, at < vocabulary, other=-float("inf")).to(tl.float32) * cold
            slope = (tl.where(at == target, 1.0, 0.0) - tl.exp(x - norm)) * cold
            tl.store(logits_ptr + at, slope, at < vocabulary)


def score(logits_CV: Tensor, targets_C: Tensor, temperature: float, slope: bool) -> tuple[Tensor, Tensor]:
    """Logprobs and entropies at temperature. With `slope`, the gradient of each logprob overwrites the logits."""
    found, entropy = (torch.empty(len(logits_CV), device=logits_CV.device) for _ in range(2))
    _score[(len(logits_CV),)](
        logits_CV, targets_C, found, entropy, logits_CV.shape[1], 1 / temperature, SLOPE=slope, BLOCK=2048, num_warps=8
    )
    return found, entropy
