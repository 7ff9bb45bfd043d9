"""Layers with one column per token compute what layers with one row per token compute."""

from typing import Any

import pytest
import torch
from torch import Tensor

from tests.model.families import VOCABULARY, make, with_adapter
from verigym.model import columns
from verigym.model.llama_family import FusedWeights, llama_model


def hidden(model: Any, tokens: int) -> Tensor:
    """The hidden states of some tokens after all layers, with attention that mixes the tokens before each."""
    llama = llama_model(model)
    assert llama is not None
    fused = FusedWeights(llama)
    fused.use_adapter()

    def attend(layer: int, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        query, key, value = (each.transpose(0, 1) for each in (q, k, v))
        scale = llama.layers[layer].scores.scaling
        seen = torch.nn.functional.scaled_dot_product_attention(
            query, key, value, is_causal=True, scale=scale, enable_gqa=True
        )
        return seen.transpose(0, 1)

    ids = torch.arange(tokens) * 5 % VOCABULARY
    with torch.inference_mode():
        found = fused.hidden(ids, torch.arange(tokens) + 3, attend)
        return torch.cat([found, fused.head(found)], 1)


@pytest.mark.parametrize("name", ["Llama", "Qwen3", "Gemma"])
def test_columns_give_the_results_of_rows(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = with_adapter(make(name))
    by_columns = hidden(model, 20)
    monkeypatch.setattr(columns, "applies", lambda x: False)
    torch.testing.assert_close(by_columns, hidden(model, 20), rtol=1e-4, atol=1e-5)


def test_biases_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    model = make("Llama", attention_bias=True, mlp_bias=True)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("bias"):
                parameter.normal_(generator=torch.Generator().manual_seed(len(name)))
    by_columns = hidden(model, 20)
    monkeypatch.setattr(columns, "applies", lambda x: False)
    torch.testing.assert_close(by_columns, hidden(model, 20), rtol=1e-4, atol=1e-5)


def test_they_are_used_from_16_tokens_in_float32() -> None:
    assert columns.applies(torch.zeros(16, 8))
    assert not columns.applies(torch.zeros(15, 8))
    assert not columns.applies(torch.zeros(16, 8, dtype=torch.bfloat16))


def test_a_product_in_pieces_is_the_product() -> None:
    draw = torch.Generator().manual_seed(0)
    x, weight = torch.randn(16, 24, generator=draw), torch.randn(5000, 24, generator=draw)
    torch.testing.assert_close(columns.product(x, weight), x @ weight.T, rtol=1e-5, atol=1e-5)
