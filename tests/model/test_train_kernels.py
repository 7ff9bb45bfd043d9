"""Attention over a tree in Triton's interpreter, against the same attention in torch. tests/model/test_cuda.py tests the compiled
kernels in whole models."""

import os

import pytest
import torch

os.environ.setdefault("TRITON_INTERPRET", "1")  # Triton reads it when it is imported
pytest.importorskip("triton", reason="Triton is not installed")

from tests.model.batches import episode, group
from tests.model.families import VOCABULARY
from verigym.model.attention import Scores, Tree
from verigym.model.layers import Blockwise, TorchOps
from verigym.model.train_kernels import KernelOps, TreeKernel
from verigym.model.tree import pack

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(torch.cuda.is_available(), reason="kernels are compiled where there is a GPU"),
]


@pytest.mark.parametrize("cap", [None, 2.0])
@pytest.mark.parametrize("window", [None, 1, 7, 40])
def test_windows_and_caps_are_those_of_torch(window: int | None, cap: float | None) -> None:
    samples = group(prompts=2, each=2, common=130, own=5, new=9, vocabulary=VOCABULARY)
    [tree] = pack(samples + episode(3, 9, 4, VOCABULARY), 10_000)
    generator = torch.Generator().manual_seed(0)
    q, k, v, toward = (torch.randn(len(tree.ids_N), heads, 16, generator=generator) for heads in (4, 2, 2, 4))
    scores = Scores(0.7, window, cap)
    kernel = TreeKernel(tree.positions_N, tree.ends_N, torch.float32)
    blockwise = Blockwise(Tree(tree.positions_N, tree.ends_N))
    found, kept = kernel.forward(q, k, v, scores)
    expected, _ = blockwise.forward(q, k, v, scores)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    ours = kernel.backward(toward, q, k, v, found, kept, scores)
    theirs = blockwise.backward(toward, q, k, v, expected, None, scores)
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4)
    if window is not None:
        pairs = [int(kernel.work(each).down.counts.sum()) for each in (window, None)]
        assert pairs[0] < pairs[1], "blocks outside of the window are skipped"


def test_a_norm_is_added_to_what_is_given() -> None:
    x, weight, plus = torch.randn(3, 5, 24, generator=torch.Generator().manual_seed(0)).unbind()
    made = KernelOps().norm(x, weight[0], 1e-6, plus)
    torch.testing.assert_close(made, TorchOps().norm(x, weight[0], 1e-6, plus))


@pytest.mark.parametrize("gelu", [False, True])
def test_the_gate_and_its_gradient_are_those_of_torch(gelu: bool) -> None:
    generator = torch.Generator().manual_seed(0)
    grad, gates = torch.randn(5, 24, generator=generator), torch.randn(5, 48, generator=generator)
    for mine, other in zip(*(ops.gate_back(grad, gates, gelu) for ops in (KernelOps(), TorchOps())), strict=True):
        torch.testing.assert_close(mine, other)
    torch.testing.assert_close(TorchOps().gate_back(grad, gates, gelu)[1], TorchOps().gate(gates, gelu))
