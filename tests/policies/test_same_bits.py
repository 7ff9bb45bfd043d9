"""On a CPU, the tokens and logprobs of a request are the same bits, whatever is sampled beside it."""

import asyncio
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

from tests.model.families import make
from verigym.core.generation import Completion, Generation
from verigym.core.records import Sampling, Weights
from verigym.model import cpu_kernels
from verigym.policies.local.engine import LocalEngine

pytestmark = pytest.mark.skipif(
    not (torch.backends.mkldnn.is_available() and torch.cpu._is_avx2_supported()), reason="oneDNN is not used here"
)
needs_compiler = pytest.mark.skipif(cpu_kernels.library() is None, reason="no C++ compiler")
SIZES: dict[str, Any] = {
    "hidden_size": 576,
    "intermediate_size": 1536,
    "num_hidden_layers": 2,
    "num_attention_heads": 9,
    "num_key_value_heads": 3,
    "head_dim": 64,
    "vocab_size": 3000,
    "max_position_embeddings": 2048,
}
"""Two layers of the shape of SmolLM2-135M."""
WINDOWS: dict[str, Any] = {"sliding_window": 40, "layer_types": ["sliding_attention", "full_attention"]}
MODELS: dict[str, Callable[[], Any]] = {
    "llama": lambda: make("Llama", **SIZES),
    "qwen2, with biases": lambda: make("Qwen2", **SIZES),
    "gemma2, with a cap, a window and more norms": lambda: make("Gemma2", **SIZES, **WINDOWS),
    "gemma3, with two ropes and norms of heads": lambda: make("Gemma3", "TextConfig", **SIZES, **WINDOWS),
}


def requests(weights: Weights) -> list[Generation]:
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


@pytest.mark.parametrize("weights", ["", *(pytest.param(each, marks=needs_compiler) for each in ("int16", "int8"))])
@pytest.mark.parametrize("name", MODELS)
def test_a_request_gets_the_same_bits_alone_and_among_others(name: str, weights: Weights) -> None:
    model, asked = MODELS[name](), requests(weights)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:  # biases and norms
                parameter.add_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(0)), alpha=0.1)

    def ask(some: Sequence[Generation]) -> list[Completion]:
        engine = LocalEngine(model, stop_ids={-1})

        async def all_at_once() -> list[Completion]:
            return await asyncio.gather(*map(engine.generate, some))

        return asyncio.run(all_at_once())

    together = ask(asked)
    assert ask(asked[:5]) == together[:5]
    assert [ask([one])[0] for one in asked] == together
    assert ask([one for one in asked for _ in range(4)])[::4] == together
