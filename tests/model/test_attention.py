"""Attention over a tree: against the whole mask written out, and in whole models against every sample by itself."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from transformers import AttentionInterface

from tests.model.batches import batches, episode, group
from tests.model.families import (
    SEPARATE,
    SHARING,
    VOCABULARY,
    assert_same_gradients,
    family,
    gradients,
    packed,
    plain,
    with_adapter,
)
from verigym.core.records import Sample
from verigym.model import attention, embedded, lora
from verigym.model.attention import Tree, UnknownAttention, tree_attention
from verigym.model.load import load
from verigym.model.logprobs import hidden_states
from verigym.model.tree import pack

attend: Any = AttentionInterface()["verigym_tree"]


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A setting, made small, so that small trees have several blocks."""
    monkeypatch.setattr(attention, "_BLOCK", 4)


class Layer(nn.Module):
    """What an attention function sees of its layer."""

    def __init__(self, kind: str = "full_attention", causal: bool = True) -> None:
        super().__init__()
        self.config = type("Config", (), {"layer_types": [kind]})
        self.layer_idx = 0
        self.is_causal = causal


# -- one layer --------------------------------------------------------------------------------------------------------


def written_out(
    query: Tensor, key: Tensor, value: Tensor, allowed: Tensor, scaling: float, cap: float | None
) -> Tensor:
    groups = query.shape[1] // key.shape[1]
    scores = query @ key.repeat_interleave(groups, 1).transpose(2, 3) * scaling
    scores = scores if cap is None else cap * torch.tanh(scores / cap)
    weights = torch.softmax(scores.masked_fill(~allowed, -torch.inf), -1)
    return (weights @ value.repeat_interleave(groups, 1)).transpose(1, 2)


@pytest.mark.usefixtures("small_blocks")
@settings(max_examples=50)
@given(batches(), st.sampled_from([None, 1, 2, 4]), st.sampled_from([None, 3.0]), st.sampled_from([1, 2]))
def test_blocks_give_what_the_whole_mask_gives(
    samples: list[Sample], window: int | None, cap: float | None, groups: int
) -> None:
    [tree] = pack(samples, 10_000)
    positions, ends = tree.positions_N, tree.ends_N
    place = torch.arange(len(ends))
    allowed = (place <= place[:, None]) & (place[:, None] < ends)
    if window is not None:
        allowed &= positions[:, None] - positions < window
    generator = torch.Generator().manual_seed(len(ends))
    query, key, value, toward = (
        torch.randn(1, heads, len(ends), 4, generator=generator) for heads in (2 * groups, 2, 2, 2 * groups)
    )
    leaves = [each.requires_grad_() for each in (query, key, value)]
    kind = "full_attention" if window is None else "sliding_attention"
    ours, _ = attend(
        Layer(kind), *leaves, None, tree=Tree(positions, ends), scaling=0.7, sliding_window=window, softcap=cap
    )
    theirs = written_out(query, key, value, allowed, 0.7, cap)
    assert torch.allclose(ours, theirs, atol=1e-5)
    for mine, reference in zip(
        *(torch.autograd.grad((each * toward.transpose(1, 2)).sum(), leaves) for each in (ours, theirs)), strict=True
    ):
        assert torch.allclose(mine, reference, atol=1e-5)


@given(batches(longest=30), st.integers(2, 9))
def test_blocks_are_neighbours_none_too_large_and_each_knows_the_path_to_it(samples: list[Sample], size: int) -> None:
    [tree] = pack(samples, 10_000)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(attention, "_BLOCK", size)
        made = Tree(tree.positions_N, tree.ends_N)
        blocks = made.blocks(None)
    start = 0
    for block, keys, mask in zip(blocks.sizes, blocks.keys_L.split(blocks.num_keys), blocks.masks, strict=True):
        assert 0 < block <= size
        path = [j for j in range(start) if tree.ends_N[j] > start]
        assert keys.tolist() == [*path, *range(start, start + block)]
        assert mask.shape == (block, len(keys))
        start += block
    assert start == len(tree.ids_N)
    assert made.blocks(None) is blocks, "made once for all layers"


@pytest.mark.parametrize(
    ("layer", "given", "words"),
    [
        (Layer(), {"s_aux": torch.zeros(2)}, "s_aux"),
        (Layer(), {"position_bias": torch.zeros(1)}, "position_bias"),
        (Layer(), {"dropout": 0.1}, "dropout"),
        (Layer(), {"is_causal": False}, "is_causal"),
        (Layer(causal=False), {}, "is_causal"),
        (Layer("chunked_attention"), {}, "kind chunked_attention"),
        (Layer("sliding_attention"), {}, "kind sliding_attention"),
    ],
    ids=["sinks", "bias", "dropout", "both ways", "a layer both ways", "chunks", "a window that is not told"],
)
def test_what_it_does_not_know_it_refuses(layer: Layer, given: dict[str, Any], words: str) -> None:
    tree = Tree(torch.arange(3), torch.tensor([3, 3, 3]))
    states = torch.zeros(1, 2, 3, 4)
    with pytest.raises(UnknownAttention, match=words):
        attend(layer, states, states, states, None, tree=tree, **given)


# -- whole models -----------------------------------------------------------------------------------------------------


@pytest.fixture(params=[False, True], ids=["bare", "with an adapter"])
def adapted(request: pytest.FixtureRequest) -> bool:
    return request.param


@pytest.fixture(params=[*SHARING, *SEPARATE])
def model(request: pytest.FixtureRequest, adapted: bool) -> Iterator[Any]:
    made = family(request.param)
    if adapted:
        yield with_adapter(made)
        lora.detach(made)
    else:
        yield made.requires_grad_(True)
        made.requires_grad_(False)


@pytest.mark.usefixtures("small_blocks")
def test_packed_is_plain_in_value_and_gradient(model: Any, request: pytest.FixtureRequest) -> None:
    share = request.node.callspec.params["model"] in SHARING
    samples = group(2, 3, 5, 3, 4, VOCABULARY) + episode(3, 3, 2, VOCABULARY)
    samples += [samples[0], Sample(ids=samples[0].ids[:9], mask=samples[0].mask[:9], logprobs=[])]
    ours = packed(model, samples, 0.7, share=share)
    theirs = [plain(model, one, 0.7) for one in samples]
    for (logprobs, entropy), (reference, reference_entropy) in zip(ours, theirs, strict=True):
        assert torch.allclose(logprobs, reference, atol=1e-5)
        assert torch.allclose(entropy, reference_entropy, atol=1e-5)
    assert_same_gradients(
        gradients(model, [logprobs for logprobs, _ in ours]), gradients(model, [logprobs for logprobs, _ in theirs])
    )


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("name", ["llama", "gemma3", "nemotron-h"])
@settings(max_examples=10, deadline=None)
@given(samples=batches(tokens=30), budget=st.sampled_from([1, 12, 10_000]), temperature=st.sampled_from([1.0, 1.6]))
def test_any_tree_is_its_samples_by_themselves(
    name: str, samples: list[Sample], budget: int, temperature: float
) -> None:
    samples = [*samples, Sample(ids=[9, 8, 7], mask=[0, 1, 1], logprobs=[])]
    model = with_adapter(family(name))
    ours = packed(model, samples, temperature, budget, share=name in SHARING)
    theirs = [plain(model, one, temperature) for one in samples]
    for (logprobs, _), (reference, _) in zip(ours, theirs, strict=True):
        assert torch.allclose(logprobs, reference, atol=1e-5)
    assert_same_gradients(
        gradients(model, [logprobs for logprobs, _ in ours]), gradients(model, [logprobs for logprobs, _ in theirs])
    )


@pytest.mark.skipif(not embedded.is_pulled(), reason="the embedded model is not here: verigym models pull smollm2-135m")
def test_packed_is_plain_in_the_embedded_model() -> None:
    model = with_adapter(load("smollm2-135m", device="cpu").model)
    samples = group(2, 3, 60, 10, 20, 49152)
    ours, theirs = [one for one, _ in packed(model, samples)], [plain(model, one)[0] for one in samples]
    for logprobs, reference in zip(ours, theirs, strict=True):
        assert torch.allclose(logprobs, reference, rtol=1e-5, atol=1e-5)
    assert_same_gradients(gradients(model, ours), gradients(model, theirs))


def test_a_long_episode_passes_every_token_through_the_layers_once() -> None:
    model = family("granite")
    samples = episode(turns=10, gained=9, said=4, vocabulary=VOCABULARY)
    passed: list[int] = []
    hook = model.model.layers[1].mlp.up_proj.register_forward_hook(
        lambda module, given, made: passed.append(made.numel() // made.shape[-1])
    )
    try:
        packed(model, samples)
    finally:
        hook.remove()
    assert passed == [10 * 13]


def test_the_models_own_attention_comes_back_even_after_an_error() -> None:
    model = family("gemma2")
    before = model.config._attn_implementation
    with pytest.raises(ZeroDivisionError), tree_attention(model):
        assert model.config._attn_implementation == "verigym_tree"
        raise ZeroDivisionError
    assert model.config._attn_implementation == before


def test_hidden_states_are_those_of_every_place() -> None:
    model = family("qwen3")
    samples = group(2, 2, 4, 2, 3, VOCABULARY)
    for share in (True, False):
        [batch] = pack(samples, 1000, share=share)
        hidden_NH = hidden_states(model, batch)
        for i, path in zip(batch.samples, batch.places, strict=True):
            alone = model.base_model(input_ids=torch.tensor([samples[i].ids])).last_hidden_state[0]
            assert torch.allclose(hidden_NH[path], alone, atol=1e-5)
