"""The fake engine: deterministic tokens, slots, latencies, versions and crashes."""

import asyncio
import random
import statistics
from pathlib import Path
from typing import Any

import pytest

import verigym
from verigym.core.errors import BadInput, EngineLost, NotFound
from verigym.core.generation import Completion, EngineLoad, Generation
from verigym.core.protocols import Engine
from verigym.core.records import Sampling
from verigym.policies.engines.fake import FakeEngine, drawer


def asked(seed: int = 0, version: str = "", **more: Any) -> Generation:
    return Generation(ids=[1, 2, 3], seed=seed, version=version, **more)


def generate(engine: FakeEngine, *requests: Generation) -> list[Completion]:
    async def run() -> list[Completion]:
        return list(await asyncio.gather(*map(engine.generate, requests)))

    return asyncio.run(run())


def test_it_is_an_engine_and_public() -> None:
    assert isinstance(FakeEngine(), Engine) and verigym.FakeEngine is FakeEngine


def test_tokens_depend_on_prompt_seed_and_version_only() -> None:
    one, other = FakeEngine(slots=1, latency_s=0.001), FakeEngine(slots=9)
    for engine in (one, other):
        asyncio.run(engine.load("v1", Path("folder")))
    requests = [asked(0), asked(1), asked(0, "v1"), asked(0)]
    first, second, adapted, again = generate(one, *requests)
    assert first == again and len({tuple(reply.ids) for reply in (first, second, adapted)}) == 3
    assert [reply.ids for reply in generate(other, *reversed(requests))] == [
        again.ids,
        adapted.ids,
        second.ids,
        first.ids,
    ]
    assert (adapted.version, first.version) == ("v1", "")


@pytest.mark.parametrize(("most", "finish", "length"), [(40, "stop", 16), (16, "stop", 16), (5, "length", 5)])
def test_a_reply_ends_with_a_stop_id_unless_it_is_cut_off(most: int, finish: str, length: int) -> None:
    (reply,) = generate(FakeEngine(), asked(sampling=Sampling(max_tokens=most), stop_ids={7777}))
    assert (reply.finish, len(reply.ids), len(reply.logprobs)) == (finish, length, length)
    assert (reply.ids[-1] == 7777) == (finish == "stop")


def test_a_prompt_as_long_as_the_window_does_not_fit() -> None:
    (reply,) = generate(FakeEngine(window=3), asked())
    assert reply == Completion([], [], "context_full")


def test_no_more_requests_run_than_there_are_slots() -> None:
    async def run() -> tuple[EngineLoad, EngineLoad]:
        engine = FakeEngine(slots=3, latency_s=3600)
        tasks = [asyncio.create_task(engine.generate(asked(seed))) for seed in range(8)]
        await asyncio.sleep(0)
        full = await engine.usage()
        for task in tasks[:2] + tasks[5:6]:  # two that run and one that waits
            task.cancel()
        await asyncio.wait(tasks[:2] + tasks[5:6])
        await asyncio.sleep(0)
        fewer = await engine.usage()
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        assert await engine.usage() == EngineLoad()
        return full, fewer

    full, fewer = asyncio.run(run())
    assert full == EngineLoad(running=3, waiting=5)
    assert fewer == EngineLoad(running=3, waiting=2)


def test_requests_that_wait_take_the_slots_of_those_that_end() -> None:
    engine = FakeEngine(slots=2, latency_s=0.001)
    assert len(generate(engine, *map(asked, range(20)))) == engine.served == 20
    assert engine.busy_s > 0


def test_a_long_tail_has_the_median_and_the_percentile_that_were_asked_for() -> None:
    draw = random.Random(3)
    sample = sorted(map(drawer((2.0, 16.0)), [draw] * 20000))
    assert statistics.median(sample) == pytest.approx(2.0, rel=0.05)
    assert sample[19800] == pytest.approx(16.0, rel=0.15)
    assert drawer(4.0)(draw) == 4.0 and drawer(lambda _: 5.0)(draw) == 5.0


def test_a_crash_fails_what_runs_and_a_restart_forgets_the_versions() -> None:
    async def run() -> None:
        engine = FakeEngine(slots=1, latency_s=3600)
        await engine.load("v1", Path("folder"))
        tasks = [asyncio.create_task(engine.generate(asked(seed, "v1"))) for seed in range(3)]
        await asyncio.sleep(0)
        engine.crash()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(result) for result in results] == [EngineLost] * 3 and not await engine.alive()
        for call in (engine.generate(asked()), engine.load("v2", Path("f")), engine.forget("v1"), engine.usage()):
            with pytest.raises(EngineLost, match="crashed"):
                await call
        engine.restart()
        assert await engine.alive() and engine.versions == {} and await engine.usage() == EngineLoad()

    asyncio.run(run())


def test_a_version_is_forgotten_after_its_last_request() -> None:
    async def run() -> None:
        engine = FakeEngine(latency_s=0.02)
        await engine.load("v1", Path("folder"))
        running = asyncio.create_task(engine.generate(asked(0, "v1")))
        await asyncio.sleep(0)
        forgetting = asyncio.create_task(engine.forget("v1"))
        await asyncio.sleep(0)
        assert "v1" in engine.versions
        assert (await running).version == "v1"
        await forgetting
        assert engine.versions == {}
        with pytest.raises(NotFound, match='There is no loaded version "v1"'):
            await engine.generate(asked(0, "v1"))

    asyncio.run(run())


def test_too_many_versions_are_refused_in_words() -> None:
    async def run() -> None:
        engine = FakeEngine(versions=2)
        for version in ("a", "b", "b"):
            await engine.load(version, Path(version))
        with pytest.raises(BadInput, match=r"2 slots for versions, and all are taken \(a, b\)"):
            await engine.load("c", Path("c"))

    asyncio.run(run())


@pytest.mark.parametrize("wrong", [{"slots": 0}, {"versions": -1}, {"vocabulary": 0}], ids=str)
def test_wrong_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        FakeEngine(**wrong)
    with pytest.raises(BadInput, match="median"):
        drawer((2.0, 1.0))
