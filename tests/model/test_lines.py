"""Samples as lines of their own, against attention over their tree."""

import random

import torch

from verigym.core.records import Sample
from verigym.model.attention import Scores, Tree
from verigym.model.layers import Blockwise
from verigym.model.lines import Lines, is_faster
from verigym.model.tree import PackedBatch, pack

HALF = torch.bfloat16


def batch(lengths: list[int], shared: int) -> PackedBatch:
    """Samples of these lengths with a common beginning."""
    draw = random.Random(0)
    head = [draw.randrange(50) for _ in range(shared)]
    rows = [[*head, *(draw.randrange(50) for _ in range(length - shared))] for length in lengths]
    samples = [Sample(ids=ids, mask=[0] + [1] * (len(ids) - 1), logprobs=[]) for ids in rows]
    [packed] = pack(samples, 1 << 20)
    return packed


def test_lines_attend_as_the_tree_does() -> None:
    packed = batch([300, 290, 140, 130, 129, 5], 4)
    torch.manual_seed(0)
    q, k, v = (torch.randn(len(packed.ids_N), heads, 8) for heads in (4, 2, 2))
    grad = torch.randn_like(q)
    lines, tree = Lines(packed), Blockwise(Tree(packed.positions_N, packed.ends_N))
    assert sorted(lines.shapes) == [(1, 64), (1, 192), (2, 192), (2, 320)]
    (mine, kept), (other, _) = (each.forward(q, k, v, Scores(0.3)) for each in (lines, tree))
    torch.testing.assert_close(mine, other)
    both = (each.backward(grad, q, k, v, other, None, Scores(0.3)) for each in (lines, tree))
    torch.testing.assert_close(*both, rtol=1e-4, atol=1e-5)
    assert kept is None


def test_lines_are_chosen_where_samples_share_little() -> None:
    own, common = batch([1000] * 8, 20), batch([1000] * 8, 900)
    assert is_faster([1000] * 8, own.depth, HALF)
    assert not is_faster([1000] * 8, common.depth, HALF)
    assert not is_faster([100] * 8, batch([100] * 8, 2).depth, HALF)
    assert not is_faster([1000] * 8, own.depth, torch.float32)
