"""The draw without kernels: the same token as the plain inversion of the distribution, and never one that was left out."""

import random
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from verigym.core.generation import Generation
from verigym.core.records import Sampling
from verigym.policies.local.requests import Row
from verigym.policies.local.sampling import draw


def rows(count: int, **settings: Any) -> list[Row]:
    nobody: Any = None
    return [Row(Generation(ids=[1], sampling=Sampling(**settings), seed=seed), nobody) for seed in range(count)]


@pytest.mark.parametrize("temperature", [0.5, 1.0, 1.6])
@given(vocabulary=st.integers(1, 900), seed=st.integers(0, 1000))
def test_it_inverts_the_distribution_at_the_rows_own_number(temperature: float, vocabulary: int, seed: int) -> None:
    logits = torch.randn(5, vocabulary, generator=torch.Generator().manual_seed(seed)) * 4
    made = draw(logits, rows(5, temperature=temperature))
    chances = torch.softmax(logits.double() / temperature, -1)
    for i, ((token,), (logprob,)) in enumerate(zip(made.ids, made.logprobs, strict=True)):
        number, up_to = random.Random(i).random(), float(chances[i, : token + 1].sum())
        assert up_to - float(chances[i, token]) - 1e-6 <= number <= up_to + 1e-6
        assert logprob == pytest.approx(float(chances[i, token].log()), abs=1e-5)


@given(st.integers(1, 900), st.integers(0, 1000), st.integers(1, 4))
def test_what_was_left_out_is_never_drawn(vocabulary: int, seed: int, top_k: int) -> None:
    logits = torch.randn(8, vocabulary, generator=torch.Generator().manual_seed(seed)) * 20
    made = draw(logits, rows(8, temperature=1.3, top_k=top_k))
    best = logits.topk(min(top_k, vocabulary)).indices.tolist()
    assert all(ids[0] in kept for ids, kept in zip(made.ids, best, strict=True))
    assert made.restricted is not None and max(made.restricted) <= 1e-6


def test_greedy_rows_among_others_get_the_likeliest_token() -> None:
    logits = torch.randn(4, 700, generator=torch.Generator().manual_seed(3))
    mixed = [*rows(2, temperature=0.0), *rows(2, temperature=1.0)]
    made = draw(logits, mixed)
    assert [ids[0] for ids in made.ids[:2]] == logits[:2].argmax(-1).tolist()
    assert [ids[0] for ids in made.ids[2:]] == [ids[0] for ids in draw(logits[2:], rows(2, temperature=1.0)).ids]


def test_a_number_at_the_very_end_stays_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounding may not carry the draw past the last token that has any chance."""
    logits = torch.full((1, 600), -torch.inf)
    logits[0, [3, 5]] = 0.0
    (row,) = rows(1, temperature=1.0)
    monkeypatch.setattr(row.random, "random", lambda: 1 - 2**-53)
    assert draw(logits, [row]).ids == [[5]]
