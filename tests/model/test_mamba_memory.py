"""The memory of Mamba layers without kernels is counted in micro-batches and in prompts."""

import asyncio
import math
from typing import Any

import pytest
import torch

from tests.model.lora_families import FAMILIES
from verigym.core.generation import Generation
from verigym.core.records import Sampling
from verigym.model import mamba_memory
from verigym.model.mamba_memory import prompt_tokens, scan_bytes, shorten_chunks
from verigym.policies.local.engine import LocalEngine, PlainDecoder
from verigym.training.update import bytes_per_token

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("llama", 0),
        ("mamba", 48 * 4),  # inner size, state
        ("mamba2", 8 * 8 * 8),  # heads, then the largest two of chunk, head and state
        ("nemotron-h", 8 * 128 * 8),  # the same, in chunks of 128
    ],
)
def test_a_scan_takes_products_of_its_largest_sizes(name: str, values: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model = FAMILIES[name]()
    assert scan_bytes(model) == 4 * 3 * values
    before = bytes_per_token(model)
    monkeypatch.setattr(mamba_memory, "KERNELS", ("torch",))  # as if the kernels were installed
    assert scan_bytes(model) == 0 and before - bytes_per_token(model) == 4 * 3 * values


def test_short_chunks_take_less_memory_and_compute_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    model = FAMILIES["nemotron-h"]()
    ids = torch.arange(100)[None] % 40

    def results() -> list[torch.Tensor]:
        model.zero_grad()
        logits = model(ids).logits
        logits.logsumexp(-1).sum().backward()
        return [logits, *(parameter.grad for parameter in model.parameters())]

    model.requires_grad_(True)
    whole, before = results(), scan_bytes(model)
    monkeypatch.setattr(mamba_memory, "KERNELS", ("torch",))  # as if the kernels were installed
    shorten_chunks(model)
    monkeypatch.undo()
    assert scan_bytes(model) == before
    shorten_chunks(model)
    assert scan_bytes(model) == before // 8
    for one, other in zip(whole, results(), strict=True):
        assert torch.allclose(one, other, rtol=1e-4, atol=1e-5)


def test_only_a_gpu_limits_prompts() -> None:
    assert prompt_tokens(CPU, 10**9) == math.inf
    assert prompt_tokens(torch.device("cuda"), 0) == math.inf


def test_prompts_that_do_not_fit_together_are_read_in_turn_with_the_same_replies() -> None:
    model = FAMILIES["nemotron-h"]()
    asked = [
        Generation(ids=[5, 6, 7, 8 + i], sampling=Sampling(temperature=1.0, max_tokens=5), seed=i) for i in range(6)
    ]

    def replies(most: float) -> tuple[list[Any], list[int]]:
        engine, sizes = LocalEngine(model, stop_ids=set()), list[int]()
        decoder = PlainDecoder(model)
        begin = decoder.begin
        decoder.prompt_tokens = lambda: most
        decoder.begin = lambda new: (sizes.append(len(new)), begin(new))[1]
        engine._decoders.append(decoder)

        async def together() -> list[Any]:
            return await asyncio.gather(*map(engine.generate, asked))

        return [reply.ids for reply in asyncio.run(together())], sizes

    (free, whole), (limited, parts), (least, single) = replies(math.inf), replies(8), replies(1)
    assert free == limited == least
    assert max(whole) > 2 and max(parts) == 2 and set(single) == {1}, "one prompt is always read"
