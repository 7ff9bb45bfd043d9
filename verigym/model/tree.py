"""Samples as a prefix tree: what several of them begin with is stored, and computed, once.

Shapes: N places of the tree, M scored places, B samples, S the most scored tokens that a sample has.

    samples  5 4            ids        5 4 6 7 8 9
             5 6 7 8        positions  0 1 1 2 3 2
             5 6 9          ends       6 2 6 5 5 6

Places are laid out depth first, so all that follows from place j is the run before `ends[j]`: place i may look at place j
exactly when `j <= i < ends[j]`. A token is predicted at its parent's place. Unshared, the tree is a row of separate lines.
"""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from verigym.core.records import Sample


class Packed(NamedTuple):
    """A micro-batch."""

    samples: list[int]
    """Which of the given samples these are, in the order of the rows."""
    places: list[list[int]]
    """Where the tokens of each row are."""
    ids_N: Tensor
    positions_N: Tensor
    ends_N: Tensor
    """The first place after all that follows from this one."""
    parents_M: Tensor
    """The places whose hidden states predict the scored tokens, each of which is here once."""
    targets_M: Tensor
    """The ids of the scored tokens."""
    scored_BS: Tensor
    """For each row, which of the M are its scored tokens, in order; 0 where there is none."""
    mask_BS: Tensor
    """Where there is one."""
    shared: bool


def pack(
    samples: Sequence[Sample], budget: int, *, share: bool = True, device: torch.device | str = "cpu"
) -> list[Packed]:
    """Micro-batches of at most `budget` places each; a sample that is longer is one by itself. Sorted, samples that begin alike
    (unshared: that are equally long) are neighbours."""
    order = sorted(range(len(samples)), key=lambda i: samples[i].ids if share else len(samples[i].ids))
    batches: list[list[int]] = []
    size, before = 0, []
    for i in order:
        ids = samples[i].ids
        new = len(ids) - (common(before, ids) if share else 0)
        if not batches or size + new > budget:
            batches.append([])
            size, new = 0, len(ids)
        batches[-1].append(i)
        size, before = size + new, ids
    return [_tree(samples, rows, share, device) for rows in batches]


def common(one: Sequence[int], other: Sequence[int]) -> int:
    """How many ids both begin with."""
    differs = (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differs, min(len(one), len(other)))


def _tree(samples: Sequence[Sample], rows: list[int], share: bool, device: torch.device | str) -> Packed:
    ids: list[int] = []
    positions: list[int] = []
    ends: list[int] = []
    scored: dict[int, int] = {}  # place -> which of the M
    parents: list[int] = []
    places: list[list[int]] = []
    ours: list[list[int]] = []
    path: list[int] = []
    last: list[int] = []
    for i in rows:
        sample = samples[i]
        known = common(last, sample.ids) if share else 0
        for place in path[known:]:
            ends[place] = len(ids)
        path = path[:known] + list(range(len(ids), len(ids) + len(sample.ids) - known))
        ids += sample.ids[known:]
        positions += range(known, len(sample.ids))
        ends += [0] * (len(sample.ids) - known)
        places.append(path)
        last = sample.ids
        assert not sample.mask[0], "nothing predicts the first token"
        own: list[int] = []
        for t in itertools.compress(range(len(path)), sample.mask):
            if path[t] not in scored:
                scored[path[t]] = len(parents)
                parents.append(path[t - 1])
            own.append(scored[path[t]])
        ours.append(own)
    for place in path:
        ends[place] = len(ids)
    scored_BS = np.zeros((len(rows), max(map(len, ours))), dtype=np.int64)
    for row, own in zip(scored_BS, ours, strict=True):
        row[: len(own)] = own
    mask_BS = np.arange(scored_BS.shape[1]) < np.array([len(own) for own in ours])[:, None]
    ids_N = np.array(ids)
    numbers = (ids_N, np.array(positions), np.array(ends), np.array(parents, dtype=np.int64), ids_N[list(scored)])
    tensors = [torch.from_numpy(each).to(device) for each in (*numbers, scored_BS, mask_BS)]
    return Packed(rows, places, *tensors, shared=share)
