"""Samples as a prefix tree: a shared prefix is stored and computed once.

Shapes: N places of the tree, M scored places, B samples, S maximum scored tokens of a sample.

    samples  5 4            ids        5 4 6 7 8 9
             5 6 7 8        positions  0 1 1 2 3 2
             5 6 9          ends       6 2 6 5 5 6

Places are laid out depth first, so the descendants of place j are the run before `ends[j]`. Place i attends to place j exactly if
`j <= i < ends[j]`. A token is predicted at its parent's place. Without sharing, the tree is a row of separate lines.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from verigym.core.records import Sample


class PackedBatch(NamedTuple):
    """A micro-batch."""

    samples: list[int]
    """Indices of the given samples, in the order of the rows."""
    places: list[np.ndarray]
    """The places of the tokens of each row."""
    ids_N: Tensor
    positions_N: Tensor
    ends_N: Tensor
    """The first place after the descendants of each place."""
    parents_M: Tensor
    """The places whose hidden states predict the scored tokens, each once."""
    targets_M: Tensor
    """The ids of the scored tokens."""
    scored_BS: Tensor
    """For each row, the indices (into M) of its scored tokens in order. 0 for padding."""
    mask_BS: Tensor
    """True for a scored token, False for padding."""
    depth: int
    """The sum of the positions."""
    shared: bool


def pack(
    samples: Sequence[Sample],
    budget: int,
    *,
    share: bool = True,
    together: int = 1,
    device: torch.device | str = "cpu",
) -> list[PackedBatch]:
    """Packs samples into micro-batches of at most `budget` places. A longer sample gets its own micro-batch. Samples are
    sorted so that those with a shared prefix are neighbours (without sharing: those of equal length). Each run of `together`
    samples, such as a pair, stays in one micro-batch."""

    def key(i: int) -> list[int] | int:
        return samples[i].ids if share else len(samples[i].ids)

    units = [sorted(range(start, start + together), key=key) for start in range(0, len(samples), together)]
    batches: list[list[tuple[int, int]]] = []
    size = 0
    for unit in sorted(units, key=lambda unit: key(unit[0])):
        before = batches[-1][-1][0] if batches else None
        rows = _known(samples, unit, before, share)
        if before is None or size + _places(samples, rows) > budget:
            rows = _known(samples, unit, None, share)
            batches.append([])
            size = 0
        batches[-1] += rows
        size += _places(samples, rows)
    if together > 1:  # units can be interleaved after sorting
        batches = [_known(samples, sorted((i for i, _ in rows), key=key), None, share) for rows in batches]
    return [_tree(samples, rows, share, device) for rows in batches]


def _known(samples: Sequence[Sample], order: list[int], before: int | None, share: bool) -> list[tuple[int, int]]:
    """Each sample with the length of the prefix that it shares with the sample before it."""
    rows: list[tuple[int, int]] = []
    for i in order:
        rows.append((i, common(samples[before].ids, samples[i].ids) if share and before is not None else 0))
        before = i
    return rows


def _places(samples: Sequence[Sample], rows: list[tuple[int, int]]) -> int:
    return sum(len(samples[i].ids) - known for i, known in rows)


def common(first: Sequence[int], second: Sequence[int]) -> int:
    """The length of the common prefix. Comparing whole slices is faster than comparing single ids."""
    least, most = 0, min(len(first), len(second))
    while least < most:
        middle = (least + most + 1) // 2
        if first[least:middle] == second[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least


def _tree(
    samples: Sequence[Sample], rows: list[tuple[int, int]], share: bool, device: torch.device | str
) -> PackedBatch:
    lengths = [len(samples[i].ids) for i, _ in rows]
    size = _places(samples, rows)
    ids_N, positions_N, ends_N = np.empty((3, size), dtype=np.int64)
    parents_N = np.arange(-1, size - 1)
    ends_N[:] = size
    path = np.empty(0, dtype=np.int64)  # the places of the current sample
    start = 0
    places: list[np.ndarray] = []
    scored: list[np.ndarray] = []
    for (i, known), length in zip(rows, lengths, strict=True):
        sample = samples[i]
        assert not sample.mask[0], "nothing predicts the first token"
        end = start + length - known
        ids_N[start:end] = sample.ids[known:]
        positions_N[start:end] = np.arange(known, length)
        ends_N[path[known:]] = start
        if known and known < length:
            parents_N[start] = path[known - 1]
        path = np.concatenate([path[:known], np.arange(start, end)])
        places.append(path)
        scored.append(path[np.frombuffer(bytes(sample.mask), dtype=bool)])
        start = end
    number_N = np.zeros(size, dtype=np.int64)
    number_N[np.concatenate(scored)] = 1
    places_M = np.flatnonzero(number_N)
    number_N[places_M] = np.arange(len(places_M))
    counts_B = np.array([len(own) for own in scored])
    mask_BS = np.arange(counts_B.max()) < counts_B[:, None]
    scored_BS = np.zeros(mask_BS.shape, dtype=np.int64)
    scored_BS[mask_BS] = number_N[np.concatenate(scored)]
    numbers = (ids_N, positions_N, ends_N, parents_N[places_M], ids_N[places_M], scored_BS, mask_BS)
    tensors = [torch.from_numpy(each).to(device) for each in numbers]
    return PackedBatch([i for i, _ in rows], places, *tensors, depth=int(positions_N.sum()), shared=share)
