"""Which models share prefixes is found out by trying, and a forward that is wrong is noticed before anything is learnt."""

from typing import Any

import pytest
import torch

from tests.model.batches import group, sample
from tests.model.families import SEPARATE, SHARING, VOCABULARY, forget_the_tree, make
from verigym.core.errors import Refused
from verigym.model import forward_check as agree
from verigym.model.forward_check import can_share, check_agreement

SAMPLES = group(2, 3, 12, 4, 10, VOCABULARY)


@pytest.mark.parametrize("name", SHARING)
def test_plain_attention_shares(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert can_share(SHARING[name]())
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", SEPARATE)
def test_a_model_that_cannot_says_so_once(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    model = SEPARATE[name]()
    capsys.readouterr()
    assert not can_share(model) and not can_share(model)
    reason = "attention with s_aux" if name == "gpt-oss" else "branches of the prefix tree affect each other"
    said = capsys.readouterr().err
    assert said.count("shared prefixes are computed again for every sample") == 1
    assert type(model).__name__ in said and reason in said


def test_attention_that_is_wrong_is_found_out_by_trying(monkeypatch: pytest.MonkeyPatch) -> None:
    forget_the_tree(monkeypatch)
    assert not can_share(make("Llama"))


@pytest.mark.parametrize("name", [*SHARING, *SEPARATE])
def test_what_is_right_is_let_through(name: str) -> None:
    check_agreement({**SHARING, **SEPARATE}[name](), SAMPLES)


@pytest.fixture
def half(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A model in bfloat16, by the plain products: some CPUs lack the instructions that the fast ones use."""
    monkeypatch.setattr(torch.backends.mkldnn, "enabled", False)
    return make("Llama").bfloat16()


def test_half_precision_is_let_through_too(half: Any) -> None:
    check_agreement(half, SAMPLES)


def test_a_wrong_forward_in_half_precision_is_refused(half: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    forget_the_tree(monkeypatch, wrong_from=20)
    assert can_share(half)
    with pytest.raises(Refused):
        check_agreement(half, SAMPLES)


def test_a_wrong_forward_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    forget_the_tree(monkeypatch, wrong_from=20)
    model = make("Llama")
    assert can_share(model), "too few tokens to notice"
    words = r"LlamaForCausalLM: logprobs of the first batch differ by up to \d.*Nothing was updated"
    with pytest.raises(Refused, match=words):
        check_agreement(model, SAMPLES)


@pytest.mark.parametrize(
    ("dtype", "differences", "alike"),
    [
        (torch.float32, [0.0, 9e-5], True),
        (torch.float32, [0.0, 2e-4], False),
        (torch.bfloat16, [0.0, 0.49], True),
        (torch.bfloat16, [0.0, 0.6], False),
        (torch.bfloat16, [float("nan"), 0.0], False),
        (torch.float32, [float("nan"), 0.0], False),
    ],
)
def test_alike_is_every_logprob_in_float32_and_their_mean_in_half_precision(
    dtype: torch.dtype, differences: list[float], alike: bool
) -> None:
    assert agree._alike(torch.tensor(differences), torch.zeros(2), dtype) == alike


def test_logits_that_are_scaled_otherwise_are_refused() -> None:
    model = make("Llama")
    model.config.logits_scaling = 1.01  # ours divides by it, transformers' Llama knows nothing of it
    with pytest.raises(Refused):
        check_agreement(model, SAMPLES)


def test_it_looks_at_few_tokens_and_at_two_that_share() -> None:
    strangers = [sample([token, 9, 9], 1) for token in range(20, 40)]
    pair = [sample([50, 51, 52, 53], 1), sample([50, 51, 52, 54], 1)]
    chosen = [one.ids for one in agree._some([*strangers[:10], *pair, *strangers[10:]])]
    assert chosen[:2] == [one.ids for one in pair] and len(chosen) <= 4
    long = [sample([3] * 3000 + [token], 1) for token in range(9)]
    assert [len(one.ids) for one in agree._some(long)] == [1000, 1000]
    assert [one.ids for one in agree._some(pair[:1])] == [pair[0].ids]


def test_the_check_keeps_no_graph() -> None:
    model = make("Llama").requires_grad_(True)
    check_agreement(model, SAMPLES)
    assert torch.is_grad_enabled() and all(parameter.grad is None for parameter in model.parameters())
