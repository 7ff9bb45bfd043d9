"""Integer weights: close to float32, the same in every batch, refreshed with the adapter, and refused where they do not work."""

import asyncio
import copy
from collections.abc import Sequence
from typing import Any

import pytest
import torch

from tests.model.families import family, make, with_adapter
from verigym.core.errors import BadInput
from verigym.core.generation import Completion, Generation
from verigym.core.records import Sampling
from verigym.model import cpu_kernels, lora
from verigym.policies.local.engine import LocalEngine

needs_compiler = pytest.mark.skipif(cpu_kernels.library() is None, reason="no C++ compiler")
NEAR = {"int16": 3e-3, "int8": 5e-2}
"""The largest allowed mean difference of logprobs."""
GROUP = [Generation(ids=[5, 9, 2, 7 + i, 3, *range(4, 4 + i)], shared=3, seed=i) for i in range(5)]


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


@needs_compiler
@pytest.mark.parametrize("weights", NEAR)
@pytest.mark.parametrize("name", ["Llama", "Qwen2", "Qwen3", "Gemma", "Gemma2"])
def test_logprobs_are_close_to_those_of_the_model(name: str, weights: str) -> None:
    model = with_adapter(make(name))
    made = ask(LocalEngine(model, stop_ids={-1}), GROUP, weights=weights)
    for request, one in zip(GROUP, made, strict=True):
        wanted = logprobs(model, request.ids, one.ids)
        assert 1e-6 < apart(one.logprobs, wanted) < NEAR[weights], "integers differ from floats, and by little"


@needs_compiler
def test_a_changed_adapter_changes_what_is_sampled() -> None:
    model = with_adapter(make("Llama"))
    engine = LocalEngine(model, stop_ids={-1})
    ask(engine, GROUP, weights="int16")
    earlier = copy.deepcopy(model)
    with torch.no_grad():
        for parameter in lora.parameters(model):
            parameter.mul_(-1.5)
    engine.refresh()
    for request, one in zip(GROUP, ask(engine, GROUP, weights="int16"), strict=True):
        now, then = (logprobs(each, request.ids, one.ids) for each in (model, earlier))
        assert apart(one.logprobs, now) < 0.3 * apart(one.logprobs, then)


@needs_compiler
def test_both_precisions_are_served_at_once_and_float32_is_unchanged() -> None:
    model = with_adapter(make("Llama"))
    plain = ask(LocalEngine(model, stop_ids={-1}), GROUP)
    engine = LocalEngine(model, stop_ids={-1})

    async def mixed() -> list[Completion]:
        asked = [
            Generation(ids=one.ids, shared=one.shared, seed=one.seed, sampling=Sampling(max_tokens=12, weights=weights))
            for weights in ("", "int16")
            for one in GROUP
        ]
        return await asyncio.gather(*map(engine.generate, asked))

    made = asyncio.run(mixed())
    assert [one.logprobs for one in made[:5]] == [one.logprobs for one in plain]
    assert made[5].logprobs != plain[0].logprobs


@needs_compiler
def test_many_versions_and_precisions_take_turns() -> None:
    """More kinds of weights than decoders: an idle decoder makes room."""
    engine = LocalEngine(make("Llama"), stop_ids={-1})
    bare = lora.LoraAdapter(lora.LoraConfig(), {})
    engine.adapters = {f"v{number}": bare for number in range(4)}
    plain = ask(engine, GROUP[:1])
    for number in range(4):
        version = Generation(ids=GROUP[0].ids, shared=3, seed=0, version=f"v{number}")
        assert ask(engine, [version])[0].ids == plain[0].ids
    assert len(ask(engine, GROUP[:1], weights="int16")[0].ids) == 12
    assert ask(engine, GROUP[:1])[0].logprobs == plain[0].logprobs


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (lambda: family("nemotron-h"), "Llama family"),
        (lambda: family("qwen3 moe"), "without experts"),
        (lambda: make("Llama").to(torch.bfloat16), "float32 weights"),
    ],
    ids=["recurrent", "experts", "bfloat16"],
)
def test_they_are_refused_with_the_reason(model: Any, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        LocalEngine(model(), stop_ids={-1}).check_weights("int16")


def test_they_are_refused_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_kernels, "library", lambda: None)
    with pytest.raises(BadInput, match=r"they need a C\+\+ compiler"):
        LocalEngine(make("Llama"), stop_ids={-1}).check_weights("int8")
