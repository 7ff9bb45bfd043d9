"""Attention over a prefix tree whose samples share little: each sample is computed as a line of its own.

torch has fused kernels for lines of full causal attention, which are several times as fast as the kernel over a tree. A line
has the sample's whole path, so places that samples share are computed once per sample. Lines of similar length are one batch.
They are padded at their end, where causal attention needs no mask.

Shapes: N places of the tree, S of them in several lines, P places of all lines with padding, C of them copies of the S places,
H heads, K key-value heads, D head size.
"""

from collections.abc import Sequence

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from verigym.model.attention import Scores
from verigym.model.tree import PackedBatch

_FUSED = [SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
_ROUND = 64
"""Lengths are rounded up to a multiple of this, because kernels are prepared for each shape."""
_FASTER = 2.0
"""How many times as many scores a fused kernel computes in the same time."""
_SHORTEST = 256
"""Mean length of lines from which they are worth the copies."""


def is_faster(lengths: Sequence[int], depth: int, dtype: torch.dtype) -> bool:
    """Whether lines of these lengths take less time than the tree. `depth` is the sum of the positions in the tree."""
    scores = sum(_rounded(length) ** 2 for length in lengths) / 2
    long = sum(lengths) >= _SHORTEST * len(lengths)
    return long and dtype.itemsize == 2 and scores < _FASTER * depth


class Lines:
    """Attention without windows and caps (see layers.py)."""

    def __init__(self, packed: PackedBatch) -> None:
        batches: dict[int, list[np.ndarray]] = {}
        for line in packed.places:
            batches.setdefault(_rounded(len(line)), []).append(line)
        lines = [line for batch in batches.values() for line in batch]
        self.shapes = [(size, length) for length, batch in batches.items() for size in _powers(len(batch))]
        padded = [np.pad(line, (0, _rounded(len(line)) - len(line)), "edge") for line in lines]
        real_P = np.concatenate([np.arange(len(row)) < len(line) for row, line in zip(padded, lines, strict=True)])
        paths_P = np.concatenate(padded)
        first_N = np.empty(len(packed.ids_N), dtype=np.int64)
        first_N[paths_P[::-1]] = np.arange(len(paths_P))[::-1]  # of several assignments, the last one stays
        common_N = np.bincount(paths_P[real_P], minlength=len(first_N)) > 1
        copies_C = np.flatnonzero(real_P & common_N[paths_P])
        number_N = np.cumsum(common_N) - 1
        arrays = paths_P, first_N, np.flatnonzero(common_N), copies_C, number_N[paths_P[copies_C]]
        tensors = (torch.from_numpy(each).to(packed.ids_N.device) for each in arrays)
        self.paths_P, self.first_N, self.common_S, self.copies_C, self.number_C = tensors

    def forward(self, q_NHD: Tensor, k_NKD: Tensor, v_NKD: Tensor, scores: Scores) -> tuple[Tensor, None]:
        q, k, v = (each.index_select(0, self.paths_P) for each in (q_NHD, k_NKD, v_NKD))
        return self._attend(q, k, v, scores.scaling).index_select(0, self.first_N), None

    def backward(
        self, grad_NHD: Tensor, q_NHD: Tensor, k_NKD: Tensor, v_NKD: Tensor, out_NHD: Tensor, kept: None, scores: Scores
    ) -> Tensor:
        heads = torch.cat([q_NHD, k_NKD, v_NKD], 1)
        lines = heads.index_select(0, self.paths_P).requires_grad_()
        grad = heads.new_zeros(len(lines), *grad_NHD.shape[1:]).index_copy_(0, self.first_N, grad_NHD)
        with torch.enable_grad():
            q, k, v = lines.split([q_NHD.shape[1], k_NKD.shape[1], v_NKD.shape[1]], 1)
            out = self._attend(q, k, v, scores.scaling)
        (of_lines,) = torch.autograd.grad(out, lines, grad)
        made = of_lines.index_select(0, self.first_N)
        sums = torch.zeros(len(self.common_S), *heads.shape[1:], dtype=torch.float32, device=heads.device)
        sums.index_add_(0, self.number_C, of_lines.index_select(0, self.copies_C).float())
        return made.index_copy_(0, self.common_S, sums.to(made.dtype))

    def _attend(self, q_PHD: Tensor, k_PKD: Tensor, v_PKD: Tensor, scaling: float) -> Tensor:
        made: list[Tensor] = []
        sizes = [size * length for size, length in self.shapes]
        with sdpa_kernel(_FUSED, set_priority=True):
            for shape, *parts in zip(self.shapes, *(each.split(sizes) for each in (q_PHD, k_PKD, v_PKD)), strict=True):
                q, k, v = (part.unflatten(0, shape).transpose(1, 2) for part in parts)
                out = F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scaling, enable_gqa=True)
                made.append(out.transpose(1, 2).flatten(0, 1))
        return torch.cat(made)


def _rounded(length: int) -> int:
    return -(-length // _ROUND) * _ROUND


def _powers(count: int) -> list[int]:
    """Powers of two that add up to `count`, so that few shapes occur."""
    return [1 << bit for bit in reversed(range(count.bit_length())) if count >> bit & 1]
