"""SGLang as an engine, against a small local server that speaks its JSON. No server of SGLang was run."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from verigym.core.errors import BadInput, EngineLost, InfrastructureFailure, NotFound
from verigym.core.generation import EngineLoad, Generation
from verigym.core.protocols import Engine
from verigym.core.records import Sampling
from verigym.policies.engines.fake import FakeEngine
from verigym.policies.engines.fleet import Fleet
from verigym.policies.engines.sglang import SglangEngine

HELLO = Generation(ids=[5, 6, 7], seed=-3, sampling=Sampling(max_tokens=40, top_p=0.9), stop_ids={9, 8})


class SglangServer:
    def __init__(self) -> None:
        self.engine = FakeEngine(slots=16, versions=3)
        self.bodies: list[dict[str, Any]] = []
        self.aborted: list[str] = []
        self.hang: asyncio.Event | None = None
        self.canned: web.Response | None = None

    async def info(self, request: web.Request) -> web.Response:
        return web.json_response(
            {"model_path": "/models/qwen-0.5b", "served_model_name": "base", "is_generation": True}
        )

    async def generate(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.bodies.append(body)
        if self.hang is not None:
            await self.hang.wait()
        if self.canned is not None:
            return web.Response(status=self.canned.status, body=self.canned.body, content_type="application/json")
        version, asked = body.get("lora_path", ""), body["sampling_params"]
        if version and version not in self.engine.versions:
            return web.json_response(
                {"error": {"message": f"Got LoRA adapter that has never been loaded: {version}"}}, status=400
            )
        done = await self.engine.generate(
            Generation(
                ids=body["input_ids"],
                seed=asked["sampling_seed"],
                version=version,
                sampling=Sampling(max_tokens=asked["max_new_tokens"]),
                stop_ids=frozenset(asked["stop_token_ids"]),
            )
        )
        pairs = [[logprob, id, None] for logprob, id in zip(done.logprobs, done.ids, strict=True)]
        meta = {
            "id": body["rid"],
            "finish_reason": {"type": done.finish, "matched": 8},
            "weight_version": "default",
            "output_token_logprobs": pairs,
        }
        return web.json_response({"text": "", "output_ids": done.ids, "meta_info": meta})

    async def load(self, request: web.Request) -> web.Response:
        body = await request.json()
        if body["lora_name"] in self.engine.versions:
            words = f"LoRA with name {body['lora_name']} already exists."
            return web.json_response({"success": False, "error_message": words}, status=400)
        if not Path(body["lora_path"], "adapter_config.json").exists():
            return web.json_response({"success": False, "error_message": "No such file"}, status=400)
        await self.engine.load(body["lora_name"], Path(body["lora_path"]))
        return web.json_response({"success": True, "loaded_adapters": {}})

    async def unload(self, request: web.Request) -> web.Response:
        known = self.engine.versions.pop((await request.json())["lora_name"], None) is not None
        return web.json_response({"success": known}, status=200 if known else 400)

    async def abort(self, request: web.Request) -> web.Response:
        self.aborted.append((await request.json())["rid"])
        return web.Response()

    async def loads(self, request: web.Request) -> web.Response:
        load = {"dp_rank": 0, "num_running_reqs": 3, "num_waiting_reqs": 2, "token_usage": 0.25}
        return web.json_response({"timestamp": "", "version": "0.5.23", "loads": [load]})

    async def health(self, request: web.Request) -> web.Response:
        return web.Response()


@contextlib.asynccontextmanager
async def serving(server: SglangServer) -> AsyncIterator[str]:
    app = web.Application()
    app.add_routes(
        [
            web.get("/model_info", server.info),
            web.get("/health", server.health),
            web.get("/v1/loads", server.loads),
            web.post("/generate", server.generate),
            web.post("/load_lora_adapter", server.load),
            web.post("/unload_lora_adapter", server.unload),
            web.post("/abort_request", server.abort),
        ]
    )
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def with_engine(test: Callable[[SglangServer, SglangEngine], Awaitable[Any]], **settings: Any) -> None:
    async def run() -> None:
        server = SglangServer()
        async with serving(server) as address:
            engine = await SglangEngine.connect(address, **{"window": 1024, "slots": 3, **settings})
            await test(server, engine)
            await engine.close()

    asyncio.run(asyncio.wait_for(run(), 120))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "adapter_config.json").write_text("{}")
    return tmp_path


def test_it_sends_our_ids_and_takes_ids_and_logprobs() -> None:
    async def check(server: SglangServer, engine: SglangEngine) -> None:
        assert isinstance(engine, Engine)
        reply = await engine.generate(HELLO)
        (body,) = server.bodies
        asked = body["sampling_params"]
        assert body["input_ids"] == [5, 6, 7] and body["return_logprob"] and "lora_path" not in body
        assert asked["stop_token_ids"] == [8, 9] and asked["ignore_eos"] and asked["top_k"] == -1
        assert 0 <= asked["sampling_seed"] < 2**63
        assert reply.finish == "stop" and reply.ids[-1] == 8 and len(reply.ids) == len(reply.logprobs) == 16
        assert await engine.alive() and await engine.usage() == EngineLoad(running=3, waiting=2, cache_used=0.25)

    with_engine(check, model="qwen-0.5b", versions=3)


def test_a_prompt_that_does_not_fit_is_a_full_context() -> None:
    async def check(server: SglangServer, engine: SglangEngine) -> None:
        assert (await engine.generate(Generation(ids=[1] * 1024))).finish == "context_full" and not server.bodies
        words = "The input (2000 tokens) is longer than the model's context length (1024 tokens)."
        server.canned = web.json_response({"error": {"message": words}}, status=400)
        assert (await engine.generate(HELLO)).finish == "context_full"

    with_engine(check)


def test_versions_are_loaded_named_by_requests_and_forgotten(folder: Path) -> None:
    async def check(server: SglangServer, engine: SglangEngine) -> None:
        for version in ("a", "b", "b", "c"):
            await engine.load(version, folder)
        with pytest.raises(BadInput, match=r"slots for 3 versions, and all are taken \(a, b, c\)"):
            await engine.load("d", folder)
        replies = [await engine.generate(Generation(ids=[5], version=version)) for version in ("", "a", "b")]
        assert len({tuple(reply.ids) for reply in replies}) == 3
        for version in ("a", "a", "b"):
            await engine.forget(version)
        assert set(server.engine.versions) == {"c"}
        with pytest.raises(NotFound, match='no loaded version "a"'):
            await engine.generate(Generation(ids=[5], version="a"))
        with pytest.raises(InfrastructureFailure, match=r"cannot load the adapter.*No such file"):
            await engine.load("e", folder / "missing")

    with_engine(check)


def test_a_server_that_was_started_again_gets_its_versions_from_the_fleet(folder: Path) -> None:
    async def check(server: SglangServer, engine: SglangEngine) -> None:
        fleet = Fleet([engine], check_s=0.01)
        await fleet.load("a", folder)
        server.engine = FakeEngine()
        assert (await fleet.generate(Generation(ids=[5], version="a"))).version == "a"
        assert fleet.states[0].lost == 1
        await fleet.close()

    with_engine(check)


def test_a_cancelled_request_is_aborted_on_the_server() -> None:
    async def check(server: SglangServer, engine: SglangEngine) -> None:
        server.hang = asyncio.Event()
        task = asyncio.create_task(engine.generate(HELLO))
        while not server.bodies:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while not server.aborted:
            await asyncio.sleep(0.01)
        assert server.aborted == [server.bodies[0]["rid"]]

    with_engine(check)


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"model": "llama"}, r'serves /models/qwen-0.5b, not "llama"'), ({"versions": 4}, "slots for 3 versions, and 4")],
    ids=["model", "slots"],
)
def test_a_wrong_setup_is_named_before_anything_starts(settings: Any, words: str) -> None:
    async def nothing(server: SglangServer, engine: SglangEngine) -> None:
        raise AssertionError

    with pytest.raises(BadInput, match=words):
        with_engine(nothing, **settings)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (web.Response(status=500, text="boom"), "HTTP status 500: boom"),
        (web.Response(text="not json"), "the answer cannot be read"),
        (web.json_response({"output_ids": [], "meta_info": {"finish_reason": {"type": "abort"}}}), "finish abort"),
        (web.json_response({"output_ids": [1], "meta_info": {"finish_reason": {"type": "stop"}}}), "1 ids, 0 logprobs"),
    ],
    ids=["500", "not json", "aborted", "no logprobs"],
)
def test_a_wrong_answer_is_a_failure_of_the_infrastructure(answer: web.Response, words: str) -> None:
    async def check(server: SglangServer, engine: SglangEngine) -> None:
        server.canned = answer
        with pytest.raises(InfrastructureFailure, match=words):
            await engine.generate(HELLO)

    with_engine(check)


def test_a_server_that_is_not_there_is_a_lost_engine() -> None:
    async def run() -> None:
        server = SglangServer()
        async with serving(server) as address:
            engine = await SglangEngine.connect(address, window=64, slots=1)
        assert not await engine.alive()
        with pytest.raises(EngineLost, match="the connection failed"):
            await engine.generate(HELLO)
        await engine.close()

    asyncio.run(asyncio.wait_for(run(), 120))
