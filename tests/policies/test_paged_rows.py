"""Which pages the rows of the decoder for GPUs have, and when they wait. Nothing is computed: the cache holds ids instead of keys
and values, so each row can check that its pages hold its own context."""

import asyncio
import random
from typing import Any

import pytest
import torch

pytest.importorskip("triton", reason="Triton is not installed")

from tests.model.families import make
from verigym.core.generation import Completion, Generation
from verigym.core.records import Sampling
from verigym.model import kernels
from verigym.model.llama_family import FusedWeights, llama_model
from verigym.policies.local import paged
from verigym.policies.local.engine import LocalEngine
from verigym.policies.local.requests import Row
from verigym.policies.local.sampling import SampledTokens

MODEL = make("Llama", max_position_embeddings=512, num_hidden_layers=1, head_dim=16)


def token(seed: int, place: int) -> int:
    return 3 + (seed * 31 + place * 7) % 50


class Ids(paged.PagedDecoder):
    """Samples ids that follow from a row's seed, and writes ids into the cache."""

    def _place(self, row: Row, position: int) -> Any:
        page = self.held[row].pages[position // kernels.PAGE]
        return self.blocks._blocks[page // self.blocks.per][:, page % self.blocks.per, :, position % kernels.PAGE]

    def _check(self, row: Row, positions: int) -> None:
        found = [int(self._place(row, position)[0, 0, 0]) for position in range(positions)]
        assert found == row.context[:positions]

    def _compute(self, runs: list[tuple[Row, int, int]]) -> Any:
        for row, start, count in runs:
            self._check(row, start)
            for position in range(start, start + count):
                self._place(row, position).fill_(row.context[position])
        return torch.zeros(sum(count for _, _, count in runs), self.llama.embedding.shape[1])

    def _draw(self, logits: Any, rows: list[Row], which: list[int]) -> SampledTokens:
        return SampledTokens([[token(row.seed, len(row.ids))] for row in rows], [[0.0]] * len(rows), None)

    def advance(self, steps: int) -> SampledTokens:
        steps, made = min(steps, paged.STEPS), []
        for row in self.rows:
            self._check(row, len(row.context) - 1)
            ids = [token(row.seed, len(row.ids) + step) for step in range(steps)]
            for position, id in enumerate([row.ids[-1], *ids[:-1]][: row.left], len(row.context) - 1):
                self._place(row, position).fill_(id)
            made.append(ids)
        return SampledTokens(made, [[0.0] * steps] * len(made), None)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paged, "AHEAD", 16)
    monkeypatch.setattr(paged, "PROMPT_TOKENS", 16)


def decoder_of(engine: LocalEngine, pages: int) -> Any:
    llama = llama_model(MODEL)
    assert llama is not None
    decoder: Any = Ids(FusedWeights(llama), 16, engine.window)
    decoder.version = ""
    decoder.blocks.per, decoder.blocks.most = 4, pages

    def copy(source: list[int], target: list[int], table: Any) -> None:
        for one, other in zip(source, target, strict=True):
            into, out_of = (decoder.blocks._blocks[page // 4][:, page % 4] for page in (other, one))
            into.copy_(out_of)

    decoder.blocks.copy = copy
    return decoder


def engine_of(pages: int, hopeful: bool = False) -> tuple[LocalEngine, Any]:
    """A hopeful decoder expects each reply to end at once, so rows have to wait."""
    engine = LocalEngine(MODEL, stop_ids={-1}, max_batch=16)
    decoder = decoder_of(engine, pages)
    if hopeful:
        decoder._growth = lambda row, pages: 0
    engine._decoders = [decoder]
    return engine, decoder


def counted(decoder: Any) -> tuple[list[Row], list[int]]:
    """The rows that had to wait, and the sizes of the batches, from now on. Steps are not computed."""
    suspended, suspend, sizes = list[Row](), decoder._suspend, list[int]()
    decoder._suspend = lambda row: (suspended.append(row), suspend(row))[1]
    decoder.launch = lambda steps: sizes.append(len(decoder.rows))
    return suspended, sizes


def request(ids: list[int], new: int, seed: int = 0, version: str = "") -> Generation:
    return Generation(ids=ids, sampling=Sampling(max_tokens=new), seed=seed, version=version)


def run(engine: LocalEngine, *requests: Generation) -> list[Any]:
    async def together() -> list[Any]:
        all_of_them = asyncio.gather(*map(engine.generate, requests), return_exceptions=True)
        return await asyncio.wait_for(all_of_them, 600)

    return asyncio.run(together())


def check(made: list[Any], *requests: Generation) -> None:
    for one, asked in zip(made, requests, strict=True):
        assert isinstance(one, Completion), one
        assert one.ids == [token(asked.seed, place) for place in range(asked.sampling.max_tokens)]


def fails_once(error: Exception, really: Any) -> Any:
    left = [error]

    def call(*given: Any, **named: Any) -> Any:
        if left:
            raise left.pop()
        return really(*given, **named)

    return call


@pytest.mark.parametrize("seed", range(8))
def test_rows_that_come_wait_and_are_cancelled_leave_no_page_behind(seed: int) -> None:
    draw, hopeful = random.Random(seed), seed % 2 == 0
    engine, decoder = engine_of(draw.choice([16, 24, 40]), hopeful)
    suspended, sizes = counted(decoder)
    heads = [[draw.randrange(3, 50) for _ in range(60)] for _ in range(2)]
    asked = []
    for number in range(30):
        kept, own = draw.choice([0, 20, 60]), draw.randrange(1, 60)
        ids = draw.choice(heads)[:kept] + [draw.randrange(3, 50) for _ in range(own)]
        asked.append(
            request(draw.choice(asked).ids if asked and number % 4 == 0 else ids, draw.randrange(1, 60), number)
        )

    async def one(asked: Generation) -> Completion | BaseException | None:
        await asyncio.sleep(draw.random() * 0.05)
        task = asyncio.ensure_future(engine.generate(asked))
        if draw.random() < 0.3:
            await asyncio.sleep(draw.random() * 0.05)
            task.cancel()
        [made] = await asyncio.gather(task, return_exceptions=True)
        return None if isinstance(made, asyncio.CancelledError) else made

    async def together() -> list[Any]:
        return await asyncio.wait_for(asyncio.gather(*map(one, asked)), 600)

    made = asyncio.run(together())
    pairs = [(one, each) for one, each in zip(made, asked, strict=True) if one is not None]
    check([one for one, _ in pairs], *(each for _, each in pairs))
    engine.wait()
    assert max(sizes) > 1 and (hopeful or not suspended)
    assert engine.max_batch == 16 and not decoder.held and decoder.pages.room == decoder.pages.total - 1


def test_a_row_that_comes_back_reads_no_page_of_a_prompt_that_is_not_computed() -> None:
    _, decoder = engine_of(40)
    nobody: Any = type("Future", (), {"cancelled": lambda self: False})()
    row = Row(request([5] * 20, 60), nobody)
    with torch.inference_mode():
        assert decoder.fits(row, [])
        decoder.begin([row])
        while not row.ids:
            new, drawn = decoder.prompts()
            for one, ids in zip(new, drawn.ids, strict=True):
                one.ids += ids
        for _ in range(4):
            decoder.make_room(8)
            row.ids += decoder.advance(8).ids[0]
        later = Row(request(row.context + [9] * 40, 4), nobody)
        assert decoder.fits(later, [])
        decoder.begin([later])
        decoder._suspend(row)
        while row not in decoder.rows:
            decoder.prompts()
            later.ids = later.ids or [7]
            decoder.make_room(8)
        decoder.advance(8)


def test_a_row_waits_for_the_prompts_of_others() -> None:
    engine, _ = engine_of(16)
    asked = request([5, 6, 7], 120, 1), request(list(range(3, 50)) * 4, 4, 2)
    check(run(engine, *asked), *asked)
    assert engine.max_batch == 16


@pytest.mark.parametrize("hopeful", [False, True])
def test_rows_begin_if_there_is_memory_for_all_of_them_to_their_end(hopeful: bool) -> None:
    engine, decoder = engine_of(32, hopeful)
    suspended, sizes = counted(decoder)
    asked = [request([5, 6, number], 93, number) for number in range(10, 22)]  # 6 pages each, of 31
    check(run(engine, *asked), *asked)
    assert bool(suspended) == hopeful and (hopeful or max(sizes) == 5)


def test_rows_that_end_early_let_more_of_the_others_begin() -> None:
    engine, decoder = engine_of(32)
    suspended, sizes = counted(decoder)
    asked = [
        Generation(ids=[5, 6, number], sampling=Sampling(max_tokens=450), seed=number, stop_ids={token(number, 20)})
        for number in range(120)
    ]
    assert all(isinstance(one, Completion) and len(one.ids) <= 21 for one in run(engine, *asked))
    assert sizes[0] == 1 and max(sizes) > 6 and not suspended


def test_a_row_that_is_too_long_for_the_memory_fails_alone() -> None:
    engine, decoder = engine_of(8)
    asked = request([5, 6, 7], 200, 1), request([8, 9], 100, 2), request([4, 9], 20, 3)
    large, *others = run(engine, *asked)
    assert isinstance(large, torch.OutOfMemoryError)
    check(others, *asked[1:])
    assert engine.max_batch == 16 and decoder.pages.room == 7


@pytest.mark.parametrize("name", ["to_host", "from_host"])
def test_pages_are_free_after_memory_ran_out_while_they_moved(name: str) -> None:
    engine, decoder = engine_of(8, hopeful=True)
    suspended, _ = counted(decoder)
    setattr(decoder.blocks, name, fails_once(torch.OutOfMemoryError(), getattr(decoder.blocks, name)))
    run(engine, request([5, 6, 7], 90, 1), request([8, 9], 90, 2))
    engine.wait()
    assert suspended and not decoder.held and decoder.pages.room == decoder.pages.total - 1


def test_memory_that_cannot_be_allocated_counts_as_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    _, decoder = engine_of(40)
    decoder._grow(3)
    with monkeypatch.context() as patch:
        patch.setattr(torch, "zeros", fails_once(torch.OutOfMemoryError(), torch.zeros))
        assert not decoder.blocks.grow(1)
    assert decoder.blocks.pages == 4 and decoder.blocks.grow(1)


def test_the_cache_is_given_back_when_memory_runs_out() -> None:
    engine, decoder = engine_of(40)
    asked = request([5, 6, 7], 4, 1), request([8, 9], 4, 2)
    sizes: list[int] = []
    begin = decoder.begin
    decoder.begin = lambda new: (sizes.append(decoder.blocks.pages), begin(new))[1]
    decoder._compute = fails_once(torch.OutOfMemoryError(), decoder._compute)
    decoder._grow(30)
    check(run(engine, *asked), *asked)
    assert sizes[0] == 32 and sizes[-1] < 32


@pytest.mark.parametrize("together", [False, True])
def test_a_version_gets_the_memory_of_another(together: bool) -> None:
    engine, first = engine_of(8)
    second = decoder_of(engine, 8)
    second.version, engine.adapters["b"] = "b", None  # type: ignore[assignment]
    engine._decoders.append(second)
    for one in (first, second):
        one.blocks._has_memory = lambda: first.blocks.pages + second.blocks.pages + 4 <= 8
    asked = request([8] * 70, 20, 1), request([9] * 70, 20, 2, "b")
    if together:
        check(run(engine, *asked), *asked)
    else:
        for one in asked:
            check(run(engine, one), one)


def test_a_cancelled_row_does_not_come_back() -> None:
    _, decoder = engine_of(8)
    gone: Any = type("Future", (), {"cancelled": lambda self: True})()
    decoder.waiting = [(Row(request([5] * 20, 60), gone), None)]
    assert decoder.make_room(8) is None and not decoder.everyone


def test_there_are_segments_and_pages_for_steps_after_the_end_of_the_window() -> None:
    _, decoder = engine_of(8)
    assert decoder.table.shape[1] * kernels.PAGE >= decoder.window + paged.STEPS - 1
    last = (1 << 17) - 1 + paged.STEPS
    assert paged.segments(last) * kernels.SEGMENT > last
    assert [paged.segments(position) for position in (0, 511, 512, 1023, 1024, 2048)] == [1, 1, 2, 2, 4, 8]
