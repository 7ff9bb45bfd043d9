"""Packed weights compute what plain ones compute, and a token's result is the same bits whatever is computed beside it."""

from typing import Any

import pytest
import torch
from torch import Tensor

from tests.model.families import VOCABULARY, family, make, with_adapter
from verigym.model import full, lora, nf4, packed
from verigym.model.llama_family import FusedWeights, llama_model
from verigym.model.packed import PackedWeights, fused_weights

needs_onednn = pytest.mark.skipif(
    not (torch.backends.mkldnn.is_available() and torch.cpu._is_avx2_supported()), reason="oneDNN is not used here"
)


def hidden(model: Any, tokens: int, kind: type[FusedWeights]) -> Tensor:
    """The hidden states and logits of some tokens, with attention that mixes the tokens before each."""
    llama = llama_model(model)
    assert llama is not None
    fused = kind(llama)
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


@needs_onednn
@pytest.mark.parametrize("name", ["llama", "qwen3", "gemma", "gemma2", "gemma3 with scaled positions"])
@pytest.mark.parametrize("tokens", [1, 20])
def test_packed_weights_give_the_results_of_plain_ones(name: str, tokens: int) -> None:
    model = with_adapter(family(name))
    try:
        torch.testing.assert_close(
            hidden(model, tokens, PackedWeights), hidden(model, tokens, FusedWeights), rtol=1e-4, atol=1e-5
        )
    finally:
        lora.detach(model)


@needs_onednn
def test_biases_are_added() -> None:
    model = make("Llama", attention_bias=True, mlp_bias=True)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("bias"):
                parameter.normal_(generator=torch.Generator().manual_seed(len(name)))
    torch.testing.assert_close(hidden(model, 20, PackedWeights), hidden(model, 20, FusedWeights), rtol=1e-4, atol=1e-5)


@needs_onednn
@pytest.mark.parametrize(("outputs", "inputs"), [(960, 576), (576, 1536), (3072, 576), (5000, 64)])
def test_a_token_gets_the_same_bits_among_any_number_of_others(outputs: int, inputs: int) -> None:
    draw = torch.Generator().manual_seed(0)
    x, weight = torch.randn(200, inputs, generator=draw), torch.randn(outputs, inputs, generator=draw)
    ready = packed.pack(weight)
    together = packed.linear(x, ready)
    torch.testing.assert_close(together, x @ weight.T, rtol=1e-4, atol=1e-3)
    for count in [*range(1, 34), 63, 64, 65, 128]:
        assert torch.equal(packed.linear(x[:count], ready), together[:count]), f"{count} tokens"
    assert torch.equal(packed.linear(x[150:157], ready), together[150:157])


def test_other_weights_are_used_as_they_are() -> None:
    x, weight, bias = torch.ones(3, 8).bfloat16(), torch.ones(5, 8).bfloat16(), torch.ones(5).bfloat16()
    assert not packed.supported(weight)
    assert packed.pack(weight) is weight
    assert packed.linear(x, weight, bias).tolist() == [[9.0] * 5] * 3


@needs_onednn
def test_weights_are_packed_where_they_can_be() -> None:
    def kind(model: Any) -> type:
        llama = llama_model(model)
        assert llama is not None
        return type(fused_weights(llama))

    assert kind(family("gemma2")) is PackedWeights
    assert kind(family("qwen3 moe")) is FusedWeights
    assert kind(make("Llama").bfloat16()) is FusedWeights
    model = make("Llama", hidden_size=64, intermediate_size=64)
    nf4.quantize(model, "cpu")
    assert kind(model) is FusedWeights


@needs_onednn
@pytest.mark.parametrize("adapter", [False, True], ids=["full", "adapter"])
def test_all_weights_are_packed_again_when_they_change(adapter: bool) -> None:
    model = make("Qwen2")
    if adapter:
        with_adapter(model)
    else:
        full.begin(model)
    llama = llama_model(model)
    assert llama is not None
    fused, x = fused_weights(llama), torch.arange(5)

    def compute(weights: FusedWeights) -> Tensor:
        with torch.inference_mode():
            return weights.head(weights.hidden(x, x, lambda _, q, k, v: q + v.repeat_interleave(2, 1)))

    fused.use_adapter()
    before = compute(fused)
    with torch.no_grad():
        for parameter in lora.parameters(model) if adapter else model.parameters():
            parameter.mul_(1.5).add_(0.01)
    fused.use_adapter()
    fresh = FusedWeights(llama)
    fresh.use_adapter()
    torch.testing.assert_close(compute(fused), compute(fresh), rtol=1e-4, atol=1e-4)
    assert (compute(fused) - before).abs().max() > 0.1


@needs_onednn
def test_the_output_layer_is_packed_again_after_a_release() -> None:
    llama = llama_model(make("Llama"))
    assert llama is not None
    fused, x = PackedWeights(llama), torch.randn(3, llama.embedding.shape[1])
    first = fused.head(x)
    fused.release()
    assert torch.equal(fused.head(x), first)
