"""The decoder for GPUs on a CPU: its kernels are run by Triton's interpreter, so that pages, segments and waiting rows are tested
on every machine. tests/model/test_cuda.py tests the compiled kernels and the graphs."""

import asyncio
import os
import random
from typing import Any

import pytest
import torch

os.environ.setdefault("TRITON_INTERPRET", "1")  # Triton reads it when it is imported
pytest.importorskip("triton", reason="Triton is not installed")

from tests.model.families import VOCABULARY, make, uneven, with_adapter
from tests.model.test_experts import MIXTURES
from verigym.core.generation import Completion, Generation
from verigym.core.records import Sampling
from verigym.model import kernels
from verigym.model.llama_family import FusedWeights, llama_model
from verigym.policies.local import paged
from verigym.policies.local.engine import LocalEngine

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(torch.cuda.is_available(), reason="kernels are compiled where there is a GPU"),
]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes with which short prompts have several segments and parts."""
    monkeypatch.setattr(kernels, "SEGMENT", 32)
    monkeypatch.setattr(paged, "AHEAD", 16)
    monkeypatch.setattr(paged, "PROMPT_TOKENS", 48)


def engine_of(model: Any, pages: int | None = None) -> tuple[LocalEngine, Any]:
    """An engine with the decoder for GPUs, and at most so many pages."""
    engine = LocalEngine(model, stop_ids={-1}, max_batch=16)
    llama = llama_model(model)
    assert llama is not None
    decoder = paged.PagedDecoder(FusedWeights(llama), 16, engine.window)
    decoder.blocks.per, decoder.blocks.most = 8, pages
    engine._decoders = [decoder]
    return engine, decoder


def model_of(name: str, **more: Any) -> Any:
    fields = {"max_position_embeddings": 512, "num_hidden_layers": 2, **MIXTURES.get(name, {}), **more}
    settings = "TextConfig" if name == "Gemma3" else "Config"
    return with_adapter(
        uneven(make(name, settings, **fields if name.startswith("Qwen2") else {"head_dim": 16, **fields}))
    )


def prompts() -> list[list[int]]:
    """Prompts that share more than two segments, one twice, and a short one."""
    draw = random.Random(0)
    head = [draw.randrange(3, VOCABULARY) for _ in range(70)]
    made = [[*head, *(draw.randrange(3, VOCABULARY) for _ in range(number))] for number in (1, 9, 30)]
    return [*made, made[1], [5, 6, 7]]


def run(engine: LocalEngine, new: int, only: int | None = None) -> list[Completion]:
    requests = [
        Generation(ids=ids, sampling=Sampling(temperature=0.7, max_tokens=new), seed=number)
        for number, ids in enumerate(prompts())
        if only in (None, number)
    ]

    async def together() -> list[Completion]:
        return await asyncio.gather(*map(engine.generate, requests))

    return asyncio.run(together())


def assert_decoded_as_forward(model: Any) -> None:
    engine, decoder = engine_of(model)
    made = run(engine, 10)
    assert decoder.most > 1, "rows have several segments"
    for ids, one in zip(prompts(), made, strict=True):
        whole = torch.tensor([ids + one.ids])
        with torch.inference_mode():
            logits = model(whole).logits[0, len(ids) - 1 : -1].float() / 0.7
        found = logits.log_softmax(-1).gather(-1, whole[0, len(ids) :, None])[:, 0].tolist()
        assert one.logprobs == pytest.approx(found, abs=1e-4)
    assert decoder.pages.room == decoder.pages.total - 1, "all pages are free again"


@pytest.mark.parametrize("name", ["Llama", "Qwen2", "Qwen3", "Gemma", *MIXTURES])
def test_segments_and_pages_decode_as_the_forward_pass_does(name: str) -> None:
    assert_decoded_as_forward(model_of(name))


@pytest.mark.parametrize("window", [3, 40])
@pytest.mark.parametrize("name", ["Mistral", "Qwen2", "Qwen3", "Gemma2", "Gemma3"])
def test_windows_and_caps_decode_as_the_forward_pass_does(name: str, window: int) -> None:
    """A window within one or two segments, and one that covers a whole segment."""
    fields: dict[str, Any] = {} if name == "Mistral" else {"layer_types": ["sliding_attention", "full_attention"]}
    if name.startswith("Qwen"):
        fields["use_sliding_window"] = True
    if name == "Gemma2":
        fields |= {"attn_logit_softcapping": 5.0, "final_logit_softcapping": 7.0}
    assert_decoded_as_forward(model_of(name, sliding_window=window, **fields))


def test_with_a_window_the_tokens_of_a_row_do_not_depend_on_the_other_rows() -> None:
    model = model_of("Gemma3", sliding_window=20, layer_types=["sliding_attention"] * 2)
    engine, _ = engine_of(model)
    for number, one in enumerate(run(engine, 6)):
        engine, _ = engine_of(model)
        [alone] = run(engine, 6, only=number)
        assert one.ids == alone.ids and one.logprobs == pytest.approx(alone.logprobs, abs=1e-4)


def test_rows_that_wait_for_pages_have_the_tokens_of_rows_that_do_not() -> None:
    model = model_of("Llama")
    engine, _ = engine_of(model)
    expected = run(engine, 34)
    engine, decoder = engine_of(model, pages=16)
    decoder._growth = lambda row, pages: 0
    suspended, suspend = [], decoder._suspend
    decoder._suspend = lambda row: (suspended.append(row), suspend(row))
    made = run(engine, 34)
    assert suspended, "a row had to wait"
    assert [one.ids for one in made] == [one.ids for one in expected]
    for mine, other in zip(made, expected, strict=True):
        assert mine.logprobs == pytest.approx(other.logprobs, abs=1e-4)
    assert decoder.pages.total == 16 and decoder.pages.room == 15


def test_a_request_that_can_never_fit_fails_and_the_others_end() -> None:
    engine, _ = engine_of(model_of("Llama"), pages=8)

    async def together() -> list[Any]:
        requests = [Generation(ids=ids, sampling=Sampling(max_tokens=4)) for ids in ([7] * 300, [5, 6, 7])]
        return await asyncio.gather(*map(engine.generate, requests), return_exceptions=True)

    large, small_one = asyncio.run(together())
    assert isinstance(large, torch.OutOfMemoryError) and "300" in str(large).replace("304", "300")
    assert len(small_one.ids) == 4
