"""vLLM as an engine, against a small local server that speaks its JSON: versions, aborts, load, and wrong setups."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.policies.engines.vllm_server import KEY, VllmServer, serving
from verigym.core.errors import BadInput, EngineLost, InfrastructureFailure, NotFound
from verigym.core.generation import EngineLoad, Generation
from verigym.core.protocols import Engine
from verigym.core.records import Sampling
from verigym.policies.engines.fake import FakeEngine
from verigym.policies.engines.fleet import Fleet
from verigym.policies.engines.vllm import VllmEngine

HELLO = Generation(ids=[5, 6, 7], seed=-3, sampling=Sampling(max_tokens=40, temperature=0.7), stop_ids={9, 8})


def with_engine(test: Callable[[VllmServer, VllmEngine], Awaitable[Any]], **settings: Any) -> None:
    async def run() -> None:
        server = VllmServer()
        async with serving(server) as address:
            engine = await VllmEngine.connect(address, **settings)
            server.bodies.clear()
            await test(server, engine)
            await engine.close()

    asyncio.run(asyncio.wait_for(run(), 120))


def connecting(server: VllmServer, **settings: Any) -> None:
    async def run() -> None:
        async with serving(server) as address:
            engine = await VllmEngine.connect(address, **settings)
            await engine.close()

    asyncio.run(asyncio.wait_for(run(), 120))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "adapter_config.json").write_text("{}")
    (tmp_path / "adapter_model.safetensors").write_bytes(b"")
    return tmp_path


def test_it_sends_our_ids_and_takes_ids_and_logprobs() -> None:
    async def check(server: VllmServer, engine: VllmEngine) -> None:
        assert isinstance(engine, Engine) and (engine.model, engine.window, engine.slots) == ("base", 1024, 3)
        reply = await engine.generate(HELLO)
        (body,) = server.bodies
        assert body["token_ids"] == [5, 6, 7] and body["model"] == "base"
        asked = body["sampling_params"]
        assert asked["stop_token_ids"] == [8, 9] and asked["ignore_eos"] and asked["temperature"] == 0.7
        assert 0 <= asked["seed"] < 2**63 and asked["logprobs"] == 0
        assert reply.finish == "stop" and reply.ids[-1] == 8
        assert len(reply.ids) == len(reply.logprobs) == 16 and reply.restricted == []

    with_engine(check, model="qwen-0.5b")


def test_ids_that_an_older_server_writes_as_text_are_read() -> None:
    async def run() -> None:
        server, raw = VllmServer(), VllmServer(processed=False)
        server.named_ids = raw.named_ids = True
        async with serving(server) as address, serving(raw) as other:
            engine = await VllmEngine.connect(address)
            assert len((await engine.generate(HELLO)).logprobs) == 16
            await engine.close()
            with pytest.raises(BadInput, match="processed_logprobs"):
                await VllmEngine.connect(other)

    asyncio.run(asyncio.wait_for(run(), 120))


def test_a_truncated_distribution_has_only_logprobs_after_truncation() -> None:
    async def check(server: VllmServer, engine: VllmEngine) -> None:
        reply = await engine.generate(Generation(ids=[1], sampling=Sampling(top_p=0.9)))
        assert reply.logprobs == [] and len(reply.restricted) == len(reply.ids)
        greedy = await engine.generate(Generation(ids=[1], sampling=Sampling(top_p=0.9, temperature=0.0)))
        assert len(greedy.logprobs) == len(greedy.ids) and "top_p" not in server.bodies[1]["sampling_params"]

    with_engine(check)


def test_a_prompt_that_does_not_fit_is_a_full_context() -> None:
    async def check(server: VllmServer, engine: VllmEngine) -> None:
        assert (await engine.generate(Generation(ids=[1] * 1024))).finish == "context_full" and not server.bodies
        await engine.generate(Generation(ids=[1] * 1000))
        assert server.bodies[0]["sampling_params"]["max_tokens"] == 24
        server.canned = web.json_response(
            {"error": {"message": "This model's maximum context length is 9"}}, status=400
        )
        assert (await engine.generate(HELLO)).finish == "context_full"

    with_engine(check)


def test_versions_are_loaded_named_by_requests_and_forgotten_after_their_last(folder: Path) -> None:
    async def check(server: VllmServer, engine: VllmEngine) -> None:
        await engine.load("run@1", folder)
        await engine.load("run@1", folder)
        await engine.load("run@2", folder)
        requests = [Generation(ids=[5], version=version) for version in ("", "run@1", "run@2")]
        replies = await asyncio.gather(*map(engine.generate, requests))
        assert len({tuple(reply.ids) for reply in replies}) == 3
        assert [reply.version for reply in replies] == ["", "run@1", "run@2"]
        server.hangs.add("/inference/v1/generate")
        running = asyncio.create_task(engine.generate(requests[1]))
        while engine._uses["run@1"] == 0:
            await asyncio.sleep(0)
        forgetting = asyncio.create_task(engine.forget("run@1"))
        await engine.forget("run@2")
        assert set(server.engine.versions) == {"run@1"} and not forgetting.done()
        server.hang.set()
        assert (await running).version == "run@1"
        await forgetting
        assert server.engine.versions == {}
        with pytest.raises(NotFound, match='no loaded version "run@1"'):
            await engine.generate(requests[1])
        await engine.forget("run@1")

    with_engine(check)


def test_a_server_that_was_started_again_gets_its_versions_from_the_fleet(folder: Path) -> None:
    async def check(server: VllmServer, engine: VllmEngine) -> None:
        fleet = Fleet([engine], check_s=0.01)
        await fleet.load("run@1", folder)
        server.engine = FakeEngine()
        assert (await fleet.generate(Generation(ids=[5], version="run@1"))).version == "run@1"
        assert fleet.states[0].lost == 1 and set(server.engine.versions) == {"run@1"}
        await fleet.close()

    with_engine(check)


def test_a_cancelled_request_is_aborted_on_the_server() -> None:
    async def check(server: VllmServer, engine: VllmEngine) -> None:
        server.hangs.add("/inference/v1/generate")
        task = asyncio.create_task(engine.generate(HELLO))
        while "/inference" not in str(server.keys) and engine._uses[""] == 0:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while not server.aborted:
            await asyncio.sleep(0.01)
        assert server.aborted[0].startswith("generate-tokens-")

    with_engine(check)


def test_health_and_load_come_from_the_server() -> None:
    async def check(server: VllmServer, engine: VllmEngine) -> None:
        assert await engine.alive()
        assert await engine.usage() == EngineLoad(running=3, waiting=2, cache_used=0.25)

    with_engine(check)


def test_a_key_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIGYM_ENGINE_KEY", KEY)

    async def check(server: VllmServer, engine: VllmEngine) -> None:
        assert set(server.keys) == {f"Bearer {KEY}"}
        server.canned = web.json_response({"error": f"wrong key {KEY}"}, status=401)
        with pytest.raises(InfrastructureFailure, match="VERIGYM_ENGINE_KEY") as failed:
            await engine.generate(HELLO)
        assert KEY not in str(failed.value) and "***" in str(failed.value)

    with_engine(check)


@pytest.mark.parametrize(
    ("server", "settings", "words"),
    [
        (VllmServer(), {"model": "llama"}, r'serves base \(/models/qwen-0.5b\), not "llama"'),
        (VllmServer(scale_out=False), {}, "does not take tokens. Start vLLM with --enable-scale-out"),
        (VllmServer(processed=False), {}, "Start vLLM with --logprobs-mode processed_logprobs"),
        (VllmServer(max_loras=1), {"versions": 3}, "has slots for 1 versions, and 3 are needed.*--max-loras 3"),
        (VllmServer(lora=False), {"versions": 1}, "has slots for 0 versions.*--enable-lora"),
    ],
    ids=["model", "scale-out", "logprobs", "slots", "no lora"],
)
def test_a_wrong_setup_is_named_before_anything_starts(server: VllmServer, settings: Any, words: str) -> None:
    with pytest.raises((BadInput, InfrastructureFailure), match=words):
        connecting(server, **settings)


def test_too_many_versions_and_unreadable_adapters_are_refused_in_words(folder: Path, tmp_path: Path) -> None:
    async def check(server: VllmServer, engine: VllmEngine) -> None:
        empty = tmp_path / "elsewhere"
        empty.mkdir()
        (empty / "adapter_model.safetensors").write_bytes(b"")
        (empty / "adapter_model.safetensors").chmod(0o600)
        with pytest.raises(InfrastructureFailure, match=r"cannot read the adapter.*same path.*chmod -R a\+rX"):
            await engine.load("a", empty)
        for name in ("a", "b", "c"):
            await engine.load(name, folder)
        with pytest.raises(BadInput, match=r"slots for 3 versions, and all are taken \(a, b, c\)"):
            await engine.load("d", folder)
        server.lora, engine.slots = False, 9
        with pytest.raises(InfrastructureFailure, match=r"does not load versions. Start vLLM with VLLM_ALLOW"):
            await engine.load("d", folder)

    with_engine(check)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (web.Response(status=500, text="boom"), "HTTP status 500: boom"),
        (web.Response(text="not json"), "the answer cannot be read"),
        (web.json_response({"choices": []}), "the reply is incomplete"),
        (web.json_response({"choices": [{"token_ids": [1, 2], "finish_reason": "stop"}]}), "2 ids, 0 logprobs"),
        (web.json_response({"choices": [{"token_ids": [1], "finish_reason": "abort"}]}), "finish abort"),
    ],
    ids=["500", "not json", "empty", "no logprobs", "aborted"],
)
def test_a_wrong_answer_is_a_failure_of_the_infrastructure(answer: web.Response, words: str) -> None:
    async def check(server: VllmServer, engine: VllmEngine) -> None:
        server.canned = answer
        with pytest.raises(InfrastructureFailure, match=words):
            await engine.generate(HELLO)

    with_engine(check)


def test_a_server_that_hangs_or_dies_is_a_lost_engine() -> None:
    async def run() -> None:
        server = VllmServer()
        async with serving(server) as address:
            engine = await VllmEngine.connect(address, timeout_s=0.05)
            server.hangs.add("/inference/v1/generate")
            with pytest.raises(EngineLost, match=r"no answer within 0.05 s"):
                await engine.generate(HELLO)
            server.hang.set()
        assert not await engine.alive()
        with pytest.raises(EngineLost, match="the connection failed"):
            await engine.generate(HELLO)
        with pytest.raises(EngineLost):
            await engine.usage()
        await engine.close()

    asyncio.run(asyncio.wait_for(run(), 120))


def test_a_server_that_dies_in_the_middle_loses_nothing_in_a_fleet() -> None:
    async def run() -> None:
        first, second = VllmServer(), VllmServer()
        first.hangs.add("/inference/v1/generate")
        async with serving(second) as far:
            async with serving(first) as near:
                first.hangs.clear()
                engines = [await VllmEngine.connect(address) for address in (near, far)]
                first.hangs.add("/inference/v1/generate")
                fleet = Fleet(engines, check_s=0.05)
                requests = [Generation(ids=[group, 1], seed=group) for group in range(8)]
                tasks = [asyncio.create_task(fleet.generate(request)) for request in requests]
                while fleet.states[0].running < 4:
                    await asyncio.sleep(0.01)
            replies = await asyncio.gather(*tasks)
            assert replies == [await engines[1].generate(request) for request in requests]
            await fleet.close()

    asyncio.run(asyncio.wait_for(run(), 120))


@pytest.mark.parametrize("address", ["", "localhost:8000", "ftp://a", "http://user:pass@a", "http://a?key=1"])
def test_a_wrong_address_is_refused(address: str) -> None:
    with pytest.raises(BadInput, match="is not the address of an engine"):
        asyncio.run(VllmEngine.connect(address))
