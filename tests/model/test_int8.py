"""Weights in 8 bits: close to float32, refreshed with the adapter, and refused where they do not apply."""

import asyncio
import copy
from collections.abc import Sequence
from typing import Any

import pytest
import torch

from tests.model.families import VOCABULARY, family, make, with_adapter
from tests.model.test_columns import hidden as float_hidden
from verigym.core.errors import BadInput
from verigym.core.generation import Completion, Generation
from verigym.core.records import Sampling
from verigym.model import int8, lora
from verigym.model.llama_family import llama_model
from verigym.model.nf4 import Nf4Linear
from verigym.policies.local.engine import LocalEngine

needs_vnni = pytest.mark.skipif(not torch.cpu._is_vnni_supported(), reason="this CPU has no products in 8 bits")
GROUP = [Generation(ids=[5, 9, 2, 7 + i, 3], shared=3, seed=i) for i in range(5)]


def ask(engine: LocalEngine, requests: Sequence[Generation], **settings: Any) -> list[Completion]:
    async def all_at_once() -> list[Completion]:
        sampling = Sampling(max_tokens=12, **settings)
        asked = [
            Generation(ids=one.ids, shared=one.shared, seed=one.seed, version=one.version, sampling=sampling)
            for one in requests
        ]
        return await asyncio.gather(*map(engine.generate, asked))

    return asyncio.run(all_at_once())


def logprobs(model: Any, ids: list[int], new: list[int]) -> list[float]:
    with torch.inference_mode():
        found = model(torch.tensor([ids + new])).logits[0, len(ids) - 1 : -1].float().log_softmax(-1)
    return found[torch.arange(len(new)), torch.tensor(new)].tolist()


def apart(one: list[float], other: list[float]) -> float:
    """The mean difference of two lists of logprobs."""
    return float(torch.tensor(one).sub(torch.tensor(other)).abs().mean())


@needs_vnni
@pytest.mark.parametrize("name", ["Llama", "Qwen3", "Gemma"])
def test_logprobs_are_close_to_those_of_the_model(name: str) -> None:
    model = with_adapter(make(name))
    made = ask(LocalEngine(model, stop_ids={-1}), GROUP, weights="int8")
    for request, one in zip(GROUP, made, strict=True):
        wanted = logprobs(model, request.ids, one.ids)
        assert 1e-4 < apart(one.logprobs, wanted) < 0.15, "8 bits differ from float32, and by little"


@needs_vnni
def test_a_product_is_exact_up_to_the_rounding_of_its_parts() -> None:
    draw = torch.Generator().manual_seed(0)
    x, weight = torch.randn(9, 64, generator=draw), torch.randn(40, 64, generator=draw)
    x[:, 7] *= 500  # an input that would round all others to nothing
    linear = int8.pack(weight, torch.ones(40), torch.tensor([7, 30]))
    wanted = x @ weight.T + 1
    steps = x.index_fill(1, torch.tensor([7, 30]), 0.0).abs().amax(1, keepdim=True) / 127 * weight.abs().sum(1) / 2
    steps = steps + weight.abs().amax(1) / 127 / 2 * x.index_fill(1, torch.tensor([7, 30]), 0.0).abs().sum(1)[:, None]
    made = int8.product(int8.quantized(x.clone(), linear.exact_K), linear)
    assert ((made - wanted).abs() <= steps * 1.01 + 1e-3).all()
    total = torch.full_like(wanted, 3.0)
    int8.add_product(total, int8.quantized(x.clone(), linear.exact_K), linear)
    torch.testing.assert_close(total, made + 3, rtol=1e-4, atol=1e-3)


@needs_vnni
def test_a_request_alone_gets_what_it_gets_among_others() -> None:
    """Up to rounding, which 8 bits enlarge. So only the first token is compared."""
    model = with_adapter(make("Llama"))
    together = ask(LocalEngine(model, stop_ids={-1}), GROUP, weights="int8")
    for request, one in zip(GROUP, together, strict=True):
        [alone] = ask(LocalEngine(model, stop_ids={-1}), [request], weights="int8")
        assert one.ids[0] == alone.ids[0]
        assert one.logprobs[0] == pytest.approx(alone.logprobs[0], abs=0.05)


@needs_vnni
def test_a_changed_adapter_changes_what_is_sampled() -> None:
    model = with_adapter(make("Llama"))
    engine = LocalEngine(model, stop_ids={-1})
    ask(engine, GROUP, weights="int8")
    earlier = copy.deepcopy(model)
    with torch.no_grad():
        for parameter in lora.parameters(model):
            parameter.mul_(-1.5)
    engine.refresh()
    for request, one in zip(GROUP, ask(engine, GROUP, weights="int8"), strict=True):
        now, then = (logprobs(each, request.ids, one.ids) for each in (model, earlier))
        assert apart(one.logprobs, now) < 0.3 * apart(one.logprobs, then)


@needs_vnni
def test_both_precisions_are_served_at_once_and_float32_is_unchanged() -> None:
    model = with_adapter(make("Llama"))
    plain = ask(LocalEngine(model, stop_ids={-1}), GROUP)
    engine = LocalEngine(model, stop_ids={-1})

    async def mixed() -> list[Completion]:
        asked = [
            Generation(ids=one.ids, shared=one.shared, seed=one.seed, sampling=Sampling(max_tokens=12, weights=weights))
            for weights in ("", "int8")
            for one in GROUP
        ]
        return await asyncio.gather(*map(engine.generate, asked))

    made = asyncio.run(mixed())
    assert [one.ids for one in made[:5]] == [one.ids for one in plain]
    assert made[0].logprobs == pytest.approx(plain[0].logprobs, abs=1e-5)
    assert made[5].logprobs != pytest.approx(plain[0].logprobs, abs=1e-5)


@needs_vnni
def test_many_versions_and_precisions_take_turns() -> None:
    """More kinds of weights than decoders: an idle decoder makes room."""
    engine = LocalEngine(make("Llama"), stop_ids={-1})
    bare = lora.LoraAdapter(lora.LoraConfig(), {})
    engine.adapters = {f"v{number}": bare for number in range(4)}
    plain = ask(engine, GROUP[:1])
    for number in range(4):
        assert (
            ask(engine, [Generation(ids=GROUP[0].ids, shared=3, seed=0, version=f"v{number}")])[0].ids == plain[0].ids
        )
    assert len(ask(engine, GROUP[:1], weights="int8")[0].ids) == 12
    assert ask(engine, GROUP[:1])[0].logprobs == plain[0].logprobs


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (lambda: family("nemotron-h"), "Llama family"),
        (lambda: make("Llama").to(torch.bfloat16), "bfloat16"),
    ],
)
def test_it_is_refused_with_the_reason(model: Any, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cpu, "_is_vnni_supported", lambda: True)
    with pytest.raises(BadInput, match=reason):
        LocalEngine(model(), stop_ids={-1}).check_weights("int8")


def test_a_base_in_4_bits_a_gpu_and_an_old_cpu_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    model = make("Llama")
    llama = llama_model(model)
    assert llama is not None
    monkeypatch.setattr(torch.cpu, "_is_vnni_supported", lambda: False)
    assert "VNNI" in int8.why_unsupported(llama, torch.device("cpu"))
    assert "GPU" in int8.why_unsupported(llama, torch.device("cuda"))
    monkeypatch.setattr(torch.cpu, "_is_vnni_supported", lambda: True)
    llama.layers[0].qkv._quantized = [Nf4Linear.__new__(Nf4Linear)]
    assert "4 bits" in int8.why_unsupported(llama, torch.device("cpu"))


@needs_vnni
def test_the_largest_inputs_are_those_of_the_model_without_its_adapter() -> None:
    model = make("Llama")
    llama = llama_model(model)
    assert llama is not None
    plain = [each.tolist() for each in int8.largest_inputs(llama)]
    assert len(plain) == 4 * len(llama.layers) + 1
    adapted = llama_model(with_adapter(make("Llama")))
    assert adapted is not None
    assert [each.tolist() for each in int8.largest_inputs(adapted)] == plain


@needs_vnni
def test_hidden_states_are_near_those_of_float32(monkeypatch: pytest.MonkeyPatch) -> None:
    model = with_adapter(make("Gemma"))
    wanted = float_hidden(model, 20)
    monkeypatch.setattr("tests.model.test_columns.FusedWeights", int8.Int8Weights)
    made = float_hidden(model, 20)
    assert 0 < (made - wanted).abs().max() <= 0.1 * wanted.abs().max()
    assert wanted.shape[1] - model.config.hidden_size == VOCABULARY
