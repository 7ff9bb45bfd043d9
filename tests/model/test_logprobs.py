"""Logprobs with a shared prefix against the plain padded forward: values, entropies, and every gradient."""

from typing import Any

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import Tensor

from tests.tiny import tiny
from verigym.model import lora
from verigym.model.logprobs import logits_of, shared_prefix, token_logprobs

MODEL = tiny().model.requires_grad_(True)
VOCABULARY = MODEL.config.vocab_size
token = st.integers(0, VOCABULARY - 1)


def plain(
    model: Any, rows: list[list[int]], masks: list[list[int]], temperature: float
) -> tuple[list[Tensor], list[Tensor]]:
    """The slow reference: every row on its own, logits everywhere."""
    logprobs, entropies = [], []
    for row, mask in zip(rows, masks, strict=True):
        logits_TV = model(input_ids=torch.tensor([row])).logits[0].float() / temperature
        all_TV = torch.log_softmax(logits_TV, -1)
        scored = [t for t in range(1, len(row)) if mask[t]]
        logprobs.append(torch.stack([all_TV[t - 1, row[t]] for t in scored]) if scored else torch.zeros(0))
        entropies.append(
            torch.stack([-(all_TV[t - 1].exp() * all_TV[t - 1]).sum() for t in scored]) if scored else torch.zeros(0)
        )
    return logprobs, entropies


def gradients(model: Any, loss: Tensor) -> list[Tensor]:
    model.zero_grad()
    loss.backward()
    return [torch.zeros_like(p) if p.grad is None else p.grad.clone() for p in model.parameters()]


@st.composite
def batches(draw: st.DrawFn) -> tuple[list[list[int]], list[list[int]]]:
    """Rows that may share a beginning, with any mask that scores something and never the first token."""
    prefix = draw(st.lists(token, max_size=8))
    rows = [prefix + draw(st.lists(token, min_size=2, max_size=7)) for _ in range(draw(st.integers(1, 4)))]
    masks = [[0, *draw(st.lists(st.integers(0, 1), min_size=len(row) - 1, max_size=len(row) - 1))] for row in rows]
    masks[0][-1] = 1
    return rows, masks


@settings(max_examples=25, deadline=None)
@given(batches(), st.sampled_from([1.0, 0.7, 1.6]))
@example(([[5, 6, 7, 8]] * 3, [[0, 0, 0, 1]] * 3), 1.0)
@example(([[5, 6, 7, 8], [5, 6, 7, 9, 10]], [[0, 0, 1, 1], [0, 0, 0, 0, 0]]), 1.0)
@example(([[5, 6], [5, 7, 8, 9]], [[0, 1], [0, 1, 0, 1]]), 0.7)
def test_a_shared_prefix_changes_neither_value_nor_gradient(
    batch: tuple[list[list[int]], list[list[int]]], temperature: float
) -> None:
    rows, masks = batch
    logprobs_BT, entropy_BT, mask_BT = token_logprobs(MODEL, rows, masks, temperature)
    slow, slow_entropy = plain(MODEL, rows, masks, temperature)
    for i, mask in enumerate(masks):
        assert mask_BT[i].sum() == sum(mask)
        assert torch.allclose(logprobs_BT[i][mask_BT[i]], slow[i], atol=1e-5)
        assert torch.allclose(entropy_BT[i][mask_BT[i]], slow_entropy[i], atol=1e-5)
    assert (logprobs_BT[~mask_BT] == 0).all() and (entropy_BT[~mask_BT] == 0).all()

    weights = torch.linspace(-1, 1.5, sum(map(len, slow)))
    ours = gradients(MODEL, (torch.cat([logprobs_BT[i][mask_BT[i]] for i in range(len(rows))]) * weights).sum())
    theirs = gradients(MODEL, (torch.cat(slow) * weights).sum())
    largest = max(float(gradient.abs().max()) for gradient in theirs)
    for mine, reference in zip(ours, theirs, strict=True):
        assert (mine - reference).abs().max() <= 1e-5 * max(largest, 1.0)


def test_the_gradient_of_an_adapter_is_the_same_too() -> None:
    model = tiny().model
    lora.attach(model, lora.LoraConfig(r=4))
    with torch.no_grad():
        for parameter in lora.parameters(model):
            parameter.normal_(std=0.1, generator=torch.Generator().manual_seed(2))
    rows = [[5, 6, 7, 8, 20 + i, 30, 40 + i][: 7 - i] for i in range(3)]
    masks = [[0, 0, 0, 0, 0, 1, 1][: len(row)] for row in rows]
    masks[2][-1] = 1
    ours = gradients(model, token_logprobs(model, rows, masks)[0].sum())
    theirs = gradients(model, torch.cat(plain(model, rows, masks, 1.0)[0]).sum())
    assert max(float(gradient.abs().max()) for gradient in theirs) > 1e-3
    for mine, reference in zip(ours, theirs, strict=True):
        assert torch.allclose(mine, reference, atol=1e-5)


@given(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=6), min_size=1, max_size=4))
def test_the_shared_prefix_is_shared_and_leaves_every_row_an_id(rows: list[list[int]]) -> None:
    length = shared_prefix(rows)
    assert all(row[:length] == rows[0][:length] for row in rows)
    assert all(len(row) > length for row in rows)
    longer_is_shared = all(len(row) > length + 1 and row[: length + 1] == rows[0][: length + 1] for row in rows)
    assert len(rows) == 1 or not longer_is_shared, "it is the longest such"


def test_the_part_of_the_rows_that_is_shared_is_computed_once() -> None:
    computed = 0

    def count(_: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
        nonlocal computed
        computed += options["input_ids"].numel()

    hook = MODEL.base_model.register_forward_pre_hook(count, with_kwargs=True)
    try:
        prefix = list(range(10, 50))
        token_logprobs(MODEL, [[*prefix, 60 + i, 70, 80] for i in range(5)], [[0] * 40 + [0, 1, 1]] * 5)
    finally:
        hook.remove()
    assert computed == 40 + 5 * 3


@pytest.mark.parametrize("temperature", [0.5, 2.0])
def test_entropy_is_that_of_the_distribution_at_the_temperature(temperature: float) -> None:
    row, mask = [5, 6, 7, 8], [0, 0, 1, 0]
    _, entropy_BT, mask_BT = token_logprobs(MODEL, [row], [mask], temperature)
    with torch.no_grad():
        probabilities = torch.softmax(MODEL(input_ids=torch.tensor([row])).logits[0, 1] / temperature, -1)
    direct = torch.distributions.Categorical(probabilities).entropy()
    assert torch.allclose(entropy_BT[mask_BT], direct, atol=1e-5)
    assert not entropy_BT.requires_grad


def test_a_greedy_temperature_is_scored_at_one() -> None:
    rows, masks = [[5, 6, 7]], [[0, 1, 1]]
    assert torch.equal(token_logprobs(MODEL, rows, masks, 0.0)[0], token_logprobs(MODEL, rows, masks, 1.0)[0])


def test_logits_are_scaled_as_the_model_itself_scales_them() -> None:
    from transformers import GraniteConfig, GraniteForCausalLM

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
