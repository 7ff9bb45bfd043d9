"""The kernels on a GPU, against transformers: the engine's tokens and logprobs, the packed forward and its gradients."""

import asyncio
import random
from typing import Any

import pytest
import torch

from tests.model.families import VOCABULARY, assert_same_gradients, gradients, make, packed, plain, with_adapter
from verigym.core.records import Sample, Sampling
from verigym.policies.local.engine import Engine
from verigym.policies.local.requests import EngineReply, Generation

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
FAMILIES = ["Llama", "Qwen2", "Qwen3", "Gemma"]


def on_gpu(name: str, adapter: bool) -> Any:
    model = make(name, head_dim=16) if name != "Qwen2" else make(name)
    return (with_adapter(model) if adapter else model).cuda()


def run(engine: Engine, requests: list[Generation]) -> list[EngineReply]:
    async def together() -> list[EngineReply]:
        return await asyncio.gather(*map(engine.generate, requests))

    return asyncio.run(together())


@pytest.mark.parametrize("adapter", [False, True], ids=["bare", "adapter"])
@pytest.mark.parametrize("name", FAMILIES)
def test_pages_and_graphs_decode_as_transformers_does(name: str, adapter: bool) -> None:
    model = on_gpu(name, adapter)
    draw = random.Random(0)
    head = [draw.randrange(3, VOCABULARY) for _ in range(40)]
    asked = [[*head, *(draw.randrange(3, VOCABULARY) for _ in range(draw.randrange(1, 60)))] for _ in range(10)]
    engine = Engine(model, stop_ids={-1})
    settings = [Sampling(temperature=0.0, max_tokens=30), Sampling(temperature=0.7, max_tokens=30)]
    settings.append(Sampling(temperature=0.7, top_k=5, top_p=0.9, max_tokens=30))
    requests = [
        Generation(ids=ids, sampling=one, seed=i) for one in settings for i, ids in enumerate(asked + asked[:3])
    ]
    made = run(engine, requests)
    for request, one in zip(requests, made, strict=True):
        ids = torch.tensor([request.ids + one.ids]).cuda()
        with torch.inference_mode():
            logits = model(ids).logits[0, len(request.ids) - 1 : -1].float() / (request.sampling.temperature or 1.0)
        if not request.sampling.temperature:
            assert one.ids == logits.argmax(-1).tolist()
        found = logits.log_softmax(-1).gather(-1, ids[0, len(request.ids) :, None])[:, 0].tolist()
        assert one.logprobs == pytest.approx(found, abs=1e-4)
    alone = [run(Engine(model, stop_ids={-1}), [request])[0].ids for request in requests[10:16]]
    assert alone == [one.ids for one in made[10:16]]
    decoder: Any = engine._decoders[0]
    assert decoder.pages.room == decoder.pages.total - 1


@pytest.mark.parametrize("name", FAMILIES)
def test_the_packed_forward_and_its_gradients_are_those_of_plain_rows(name: str) -> None:
    model = on_gpu(name, True)
    draw = random.Random(1)
    head = [draw.randrange(3, VOCABULARY) for _ in range(50)]
    samples: list[Sample] = []
    for _ in range(5):
        prompt = [*head, *(draw.randrange(3, VOCABULARY) for _ in range(20))]
        for _ in range(4):
            said = [draw.randrange(3, VOCABULARY) for _ in range(draw.randrange(1, 40))]
            samples.append(Sample(ids=prompt + said, mask=[0] * len(prompt) + [1] * len(said), logprobs=[]))
    ours = [logprobs for logprobs, _ in packed(model, samples)]
    theirs = [plain(model, sample)[0] for sample in samples]
    for mine, reference in zip(ours, theirs, strict=True):
        assert torch.allclose(mine, reference, atol=1e-4)
    assert_same_gradients(gradients(model, ours), gradients(model, theirs))


def drawn(logits_V: torch.Tensor, count: int) -> torch.Tensor:
    from verigym.model.kernels import draw

    made = {"dtype": torch.int64, "device": "cuda"}
    tokens, which, seeds = torch.zeros(count, **made), torch.zeros(count, **made), torch.arange(count, **made)
    ones = torch.ones(count, device="cuda")
    draw(logits_V[None].cuda(), which.int(), ones, seeds, which.int(), tokens, torch.zeros_like(ones))
    return tokens.cpu()


def test_what_has_no_weight_is_never_drawn() -> None:
    logits_V = torch.full((49152,), -40.0)
    logits_V[777] = 0.0
    assert (drawn(logits_V, 50_000) == 777).all()


def test_tokens_are_drawn_as_often_as_their_weight_says() -> None:
    logits_V = (torch.randn(200, generator=torch.Generator().manual_seed(0)) * 2).log_softmax(-1)
    count = 200_000
    expected = logits_V.exp() * count
    found = torch.bincount(drawn(logits_V, count), minlength=200)
    assert ((found - expected) ** 2 / expected).sum() < 270, "chi-square of 199 degrees: 270 has a chance of 1 in 1,000"
