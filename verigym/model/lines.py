"""Attention over a prefix tree whose samples share little: each sample is computed as a line of its own.

torch has fused kernels for lines of full causal attention, which are several times as fast as the kernel over a tree. A line
has the sample's whole path, so places that samples share are computed once per sample. Lines of similar length are one batch.
They are padded at their end, where causal attention needs no mask.

Shapes: N places of the tree, P places of all lines with padding, B lines of a batch, L its length, H heads, K key-value heads,
D head size.
"""

from collections.abc import Sequence

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from verigym.model.tree import PackedBatch

_FUSED = [SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
_ROUND = 128
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
    def __init__(self, packed: PackedBatch) -> None:
        batches: dict[int, list[np.ndarray]] = {}
        for line in packed.places:
            batches.setdefault(_rounded(len(line)), []).append(line)
        self.shapes = [(size, length) for length, lines in batches.items() for size in _powers(len(lines))]
        padded = [np.pad(line, (0, length - len(line)), "edge") for length, lines in batches.items() for line in lines]
        paths_P = np.concatenate(padded)
        first_N = np.empty(len(packed.ids_N), dtype=np.int64)
        first_N[paths_P[::-1]] = np.arange(len(paths_P))[::-1]  # of several assignments, the last one stays
        self.paths_P, self.first_N = (torch.from_numpy(each).to(packed.ids_N.device) for each in (paths_P, first_N))

    def forward(self, q_NHD: Tensor, k_NKD: Tensor, v_NKD: Tensor, scaling: float) -> tuple[Tensor, None]:
        q, k, v = (each.index_select(0, self.paths_P) for each in (q_NHD, k_NKD, v_NKD))
        return self._attend(q, k, v, scaling).index_select(0, self.first_N), None

    def backward(
        self, grad_NHD: Tensor, q_NHD: Tensor, k_NKD: Tensor, v_NKD: Tensor, out_NHD: Tensor, kept: None, scaling: float
    ) -> Tensor:
        heads = torch.cat([q_NHD, k_NKD, v_NKD], 1)
        lines = heads.index_select(0, self.paths_P).requires_grad_()
        grad = heads.new_zeros(len(lines), *grad_NHD.shape[1:]).index_copy_(0, self.first_N, grad_NHD)
        with torch.enable_grad():
            out = self._attend(*lines.split([q_NHD.shape[1], k_NKD.shape[1], v_NKD.shape[1]], 1), scaling)
        (of_lines,) = torch.autograd.grad(out, lines, grad)
        sums = torch.zeros(heads.shape, dtype=torch.float32, device=heads.device)
        return sums.index_add_(0, self.paths_P, of_lines.float()).to(heads.dtype)

    def _attend(self, q_PHD: Tensor, k_PKD: Tensor, v_PKD: Tensor, scaling: float) -> Tensor:
        made: list[Tensor] = []
        start = 0
        with sdpa_kernel(_FUSED, set_priority=True):
            for size, length in self.shapes:
                q, k, v = (
                    each[start : start + size * length].unflatten(0, (size, length)).transpose(1, 2)
                    for each in (q_PHD, k_PKD, v_PKD)
                )
                out = F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scaling, enable_gqa=True)
                made.append(out.transpose(1, 2).flatten(0, 1))
                start += size * length
        return torch.cat(made)


def _rounded(length: int) -> int:
    return -(-length // _ROUND) * _ROUND


def _powers(count: int) -> list[int]:
    """Powers of two that add up to `count`, so that few shapes occur."""
    return [1 << bit for bit in reversed(range(count.bit_length())) if count >> bit & 1]
