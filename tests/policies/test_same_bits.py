"""On a CPU, the tokens and logprobs of a request are the same bits, whatever is sampled beside it."""

import asyncio
import random
from collections.abc import Sequence
from typing import Any, Literal

import pytest
import torch
from transformers import AutoModelForCausalLM, LlamaConfig

from verigym.core.generation import Completion, Generation
from verigym.core.records import Sampling
from verigym.policies.local.engine import LocalEngine

pytestmark = pytest.mark.skipif(
    not (torch.backends.mkldnn.is_available() and torch.cpu._is_avx2_supported()), reason="oneDNN is not used here"
)
needs_bf16 = pytest.mark.skipif(
    not torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported(), reason="no products in bfloat16"
)


def layers_of_smollm2() -> Any:
    """Two layers of its shape, with random weights."""
    torch.manual_seed(0)
    config = LlamaConfig(
        hidden_size=576,
        intermediate_size=1536,
        num_hidden_layers=2,
        num_attention_heads=9,
        num_key_value_heads=3,
        vocab_size=3000,
        max_position_embeddings=2048,
    )
    return AutoModelForCausalLM.from_config(config).eval().requires_grad_(False)


def requests(weights: Literal["", "bfloat16"]) -> list[Generation]:
    """Prompts and replies of many lengths, behind one of two prefixes or none."""
    draw = random.Random(1)
    heads = [[draw.randrange(3000) for _ in range(length)] for length in (130, 57, 0)]
    return [
        Generation(
            ids=heads[i % 3] + [draw.randrange(3000) for _ in range(1 + i)],
            shared=len(heads[i % 3]),
            sampling=Sampling(temperature=1.0, max_tokens=4 + 2 * i, weights=weights),
            seed=i,
        )
        for i in range(12)
    ]


@pytest.mark.parametrize("weights", ["", pytest.param("bfloat16", marks=needs_bf16)])
def test_a_request_gets_the_same_bits_alone_and_among_others(weights: Literal["", "bfloat16"]) -> None:
    model = layers_of_smollm2()
    asked = requests(weights)

    def ask(some: Sequence[Generation]) -> list[Completion]:
        engine = LocalEngine(model, stop_ids={-1})

        async def all_at_once() -> list[Completion]:
            return await asyncio.gather(*map(engine.generate, some))

        return asyncio.run(all_at_once())

    together = ask(asked)
    assert ask(asked[:5]) == together[:5]
    assert [ask([one])[0] for one in asked] == together
    assert ask([one for one in asked for _ in range(4)])[::4] == together
