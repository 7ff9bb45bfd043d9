"""The kernels of mixtures of experts against the loop over experts, run by Triton's interpreter."""

import os
from typing import Any

import pytest
import torch

os.environ.setdefault("TRITON_INTERPRET", "1")  # Triton reads it when it is imported
pytest.importorskip("triton", reason="Triton is not installed")

from tests.model.test_experts import mixture
from verigym.model import expert_kernels
from verigym.model.llama_family import llama_model

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(torch.cuda.is_available(), reason="kernels are compiled where there is a GPU"),
]


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("normed", [False, True])
@pytest.mark.parametrize(("experts", "chosen"), [(4, 2), (5, 3), (60, 4), (128, 8)])
def test_the_best_experts_are_chosen(experts: int, chosen: int, normed: bool) -> None:
    logits = drawn(9, experts)
    ids, scores = expert_kernels.choose(logits, chosen, normed)
    expected, places = logits.softmax(-1).topk(chosen)
    assert torch.equal(ids.long(), places)
    assert torch.allclose(scores, expected / expected.sum(-1, keepdim=True) if normed else expected)


def test_of_equal_experts_the_first_is_chosen_and_none_that_does_not_exist() -> None:
    logits = torch.zeros(2, 5)
    logits[1] = float("nan")
    ids, _ = expert_kernels.choose(logits, 3, True)
    assert ids[0].tolist() == [0, 1, 2] and bool(((ids >= 0) & (ids < 5)).all())


@pytest.mark.parametrize("size", [16, 64])
@pytest.mark.parametrize(("rows", "experts", "chosen"), [(1, 4, 2), (37, 5, 2), (200, 8, 1), (700, 4, 2)], ids=str)
def test_every_pair_is_in_one_tile_of_its_expert(rows: int, experts: int, chosen: int, size: int) -> None:
    logits = drawn(rows, experts)
    logits[:, 1] += 3  # most tokens choose it
    logits[:, 2] -= 9  # none does
    ids = logits.topk(chosen).indices.int()
    tiles = expert_kernels.sort(ids, experts, size)
    assert len(tiles.experts) == ids.numel() // size + experts
    found = []
    for expert, pairs in zip(tiles.experts.tolist(), tiles.pairs.tolist(), strict=True):
        taken = [pair for pair in pairs if pair >= 0]
        assert bool(taken) == (expert >= 0)
        assert all(ids.flatten()[pair] == expert for pair in taken)
        found += taken
    assert sorted(found) == list(range(ids.numel()))


@pytest.mark.parametrize("prompts", [False, True], ids=["step", "prompts"])
@pytest.mark.parametrize("name", ["Mixtral", "Qwen2Moe", "Qwen3Moe"])
def test_the_kernels_compute_what_the_loop_does(name: str, prompts: bool) -> None:
    llama = llama_model(mixture(name))
    assert llama is not None
    layer = llama.layers[-1]
    assert layer.mixture is not None
    weights = [part.weight for part in layer.parts][2:]
    x, ready = drawn(50, 32), drawn(50, 32, seed=1)
    expected = x + layer.mixture.forward(ready, weights)

    def added(rows: slice, prompts: bool = prompts) -> torch.Tensor:
        made = x[rows].clone()
        expert_kernels.add_mixture(made, ready[rows], layer.mixture, weights, prompts, llama.gelu)  # type: ignore[arg-type]
        return made

    together = added(slice(None))
    assert torch.allclose(together, expected, atol=1e-5) and not torch.allclose(together, x, atol=0.1)


@pytest.mark.parametrize("size", [16, 64])
def test_a_row_of_a_tile_does_not_depend_on_the_others(size: int) -> None:
    x, weight = drawn(40, 48), drawn(3, 20, 48, seed=1)
    ids = drawn(40, 3, seed=2).topk(2).indices.int()

    def multiplied(rows: slice) -> torch.Tensor:
        tiles = expert_kernels.sort(ids[rows].contiguous(), 3, size)
        return expert_kernels.multiply(x[rows], weight, tiles, 2 * len(x[rows]), gated=True)

    together = multiplied(slice(None)).view(40, 2, -1)
    for rows in (slice(3, 4), slice(10, 31)):
        assert torch.equal(multiplied(rows).view(-1, 2, 10), together[rows])


def test_gelu_is_that_of_torch() -> None:
    x, weight, ids = drawn(5, 16), drawn(1, 24, 16, seed=1), torch.zeros(5, 1, dtype=torch.int32)
    made: Any = expert_kernels.multiply(x, weight, expert_kernels.sort(ids, 1, 16), 5, gated=True, gelu=True)
    gate, up = (x @ weight[0].T).chunk(2, -1)
    assert torch.allclose(made, torch.nn.functional.gelu(gate, approximate="tanh") * up, atol=1e-5)
