"""Logprobs of scored tokens: in chunks of logits or not, at any temperature, with or without a trained output layer."""

from typing import Any

import pytest
import torch
from transformers import GraniteConfig, GraniteForCausalLM

from tests.model.batches import group
from tests.model.families import VOCABULARY, assert_same_gradients, family, gradients, make, packed, plain, with_adapter
from verigym.core.records import Sample
from verigym.model import logprobs, lora
from verigym.model.llama_family import llama_model
from verigym.model.logprobs import logits_of, token_logprobs
from verigym.model.tree import pack

SAMPLES = group(2, 3, 4, 2, 5, VOCABULARY)


@pytest.fixture
def three_rows_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A setting, made small."""
    monkeypatch.setitem(logprobs._CHUNK_BYTES, "cpu", 3 * 4 * VOCABULARY)


def adapted_head() -> Any:
    """Gemma 2, whose logits are capped, with an adapter on its output layer too."""
    model = make("Gemma2", final_logit_softcapping=7.0, tie_word_embeddings=False)
    lora.attach(model, lora.LoraConfig(r=2, targets=("q_proj", "lm_head")))
    generator = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for parameter in lora.parameters(model):
            parameter.normal_(std=0.1, generator=generator)
    return model


@pytest.mark.usefixtures("three_rows_at_a_time")
@pytest.mark.parametrize("temperature", [1.0, 0.6])
@pytest.mark.parametrize(
    "model", [lambda: with_adapter(family("gemma2")), adapted_head], ids=["a frozen output layer", "a trained one"]
)
def test_chunks_of_logits_change_neither_value_nor_gradient(model: Any, temperature: float) -> None:
    made = model()
    ours, theirs = packed(made, SAMPLES, temperature), [plain(made, one, temperature) for one in SAMPLES]
    for (logprob, entropy), (reference, reference_entropy) in zip(ours, theirs, strict=True):
        assert torch.allclose(logprob, reference, atol=1e-5)
        assert torch.allclose(entropy, reference_entropy, atol=1e-5)
        assert logprob.requires_grad and not entropy.requires_grad
    assert_same_gradients(
        gradients(made, [logprob for logprob, _ in ours]), gradients(made, [logprob for logprob, _ in theirs])
    )


@pytest.mark.usefixtures("three_rows_at_a_time")
@pytest.mark.parametrize(
    "model", [lambda: with_adapter(family("llama")), adapted_head], ids=["a frozen output layer", "a trained one"]
)
def test_never_more_logits_at_once_than_a_chunk_and_none_are_kept(model: Any) -> None:
    made = model()
    llama_model(made)  # is found out once, with logits of its own
    rows: list[int] = []
    kept: list[int] = []
    hook = made.get_output_embeddings().register_forward_hook(
        lambda module, given, out: rows.append(out.numel() // VOCABULARY)
    )
    try:
        with torch.autograd.graph.saved_tensors_hooks(lambda x: kept.append(x.numel()) or x, lambda x: x):
            [batch] = pack(SAMPLES, 1000)
            token_logprobs(made, batch)[0].sum()
    finally:
        hook.remove()
    assert sum(rows) == len(batch.parents_M) == 6 * 5 and max(rows) == 3
    assert 3 * VOCABULARY not in kept


def test_a_token_that_samples_share_is_scored_once_and_its_gradients_add_up() -> None:
    model = with_adapter(family("llama"))
    twice = [SAMPLES[0], SAMPLES[0]]
    assert len(pack(twice, 1000)[0].parents_M) == 5
    once = gradients(model, [2 * plain(model, SAMPLES[0])[0].sum()[None]])
    both = gradients(model, [sum(one.sum() for one, _ in packed(model, twice))[None]])  # type: ignore[index]
    assert_same_gradients(both, once)


@pytest.mark.parametrize("temperature", [0.5, 2.0])
def test_entropy_is_that_of_the_distribution_at_the_temperature(temperature: float) -> None:
    model = family("llama")
    one = Sample(ids=[5, 6, 7, 8], mask=[0, 0, 1, 0], logprobs=[])
    with torch.no_grad():
        probabilities = torch.softmax(model(input_ids=torch.tensor([one.ids])).logits[0, 1] / temperature, -1)
    direct = torch.distributions.Categorical(probabilities).entropy()
    [(_, entropy)] = packed(model, [one], temperature)
    assert entropy.tolist() == pytest.approx([direct.item()], abs=1e-5)


@pytest.mark.usefixtures("three_rows_at_a_time")
@pytest.mark.parametrize("share", [True, False], ids=["shared", "separate"])
@pytest.mark.parametrize("temperature", [1.0, 0.6])
@pytest.mark.parametrize(
    "model",
    [lambda: with_adapter(family("llama")), lambda: with_adapter(family("gemma2")), adapted_head],
    ids=["plain", "capped logits", "a trained output layer"],
)
def test_entropy_has_the_gradient_of_the_plain_forward_where_it_is_asked_for(
    model: Any, temperature: float, share: bool
) -> None:
    made = model()
    found: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
    for batch in pack(SAMPLES, 30, share=share):
        logprobs_BS, entropy_BS, mask_BS = token_logprobs(made, batch, temperature, entropy_too=True)
        found |= {
            i: (logprobs_BS[row][mask_BS[row]], entropy_BS[row][mask_BS[row]]) for row, i in enumerate(batch.samples)
        }
    ours, theirs = [found[i] for i in range(len(SAMPLES))], [plain(made, one, temperature) for one in SAMPLES]
    for (logprob, entropy), (reference, reference_entropy) in zip(ours, theirs, strict=True):
        assert torch.allclose(logprob, reference, atol=1e-5)
        assert torch.allclose(entropy, reference_entropy, atol=1e-5)
    both = [gradients(made, [logprob + 3 * entropy for logprob, entropy in rows]) for rows in (ours, theirs)]
    assert_same_gradients(*both)


def pairs_of(samples: list[Sample]) -> list[Sample]:
    """Neighbours of the tree in other pairs, so that units of a batch begin between each other."""
    return samples[::2] + samples[1::2]


@pytest.mark.parametrize("share", [True, False], ids=["shared", "separate"])
@pytest.mark.parametrize("budget", [10, 40, 1000])
def test_pairs_in_one_tree_are_as_rows_of_their_own(budget: int, share: bool) -> None:
    model, samples = with_adapter(family("llama")), pairs_of(SAMPLES)
    found: dict[int, torch.Tensor] = {}
    for batch in pack(samples, budget, share=share, together=2):
        logprobs_BS, _, mask_BS = token_logprobs(model, batch)
        found |= {i: logprobs_BS[row][mask_BS[row]] for row, i in enumerate(batch.samples)}
    ours, theirs = [found[i] for i in range(len(samples))], [plain(model, one)[0] for one in samples]
    for mine, reference in zip(ours, theirs, strict=True):
        assert torch.allclose(mine, reference, atol=1e-5)
    assert_same_gradients(gradients(model, ours), gradients(model, theirs))


def test_a_greedy_temperature_is_scored_at_one() -> None:
    [batch] = pack(SAMPLES, 1000)
    model = family("llama")
    assert torch.equal(token_logprobs(model, batch, 0.0)[0], token_logprobs(model, batch, 1.0)[0])


def test_rows_without_a_scored_token_are_rows_of_nothing() -> None:
    [batch] = pack([Sample(ids=[5, 6], mask=[0, 0], logprobs=[])], 10)
    assert [each.shape for each in token_logprobs(family("llama"), batch)] == [(1, 0)] * 3


def test_logits_are_scaled_as_the_model_itself_scales_them() -> None:
    config = GraniteConfig(
        vocab_size=50,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        logits_scaling=4.0,
    )
    model = GraniteForCausalLM(config).eval()
    ids = torch.tensor([[1, 2, 3]])
    with torch.no_grad():
        hidden = model.base_model(input_ids=ids).last_hidden_state
        assert (logits_of(model, hidden) - model(ids).logits).abs().max() < 1e-6
