"""Verigym's own engine behind HTTP samples what it samples in this process. A fake one is told apart by its versions."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.serving import served
from tests.workspace.desk import save_tiny
from verigym.core.errors import BadInput, InfrastructureFailure, NotFound
from verigym.core.generation import Completion, Generation
from verigym.core.records import Sampling
from verigym.model import full, lora, lora_files
from verigym.policies.engines.http import Answer, EngineServer
from verigym.policies.engines.one_version import OneVersionEngine
from verigym.policies.engines.upload import hash_of, sent
from verigym.policies.engines.vllm import VllmEngine
from verigym.policies.local.policy import LocalPolicy
from verigym.policies.local.rendering import renderer_of

ASKED = [
    Generation(ids=[7, 8, 9 + seed], seed=seed, sampling=Sampling(max_tokens=12, temperature=temperature), stop_ids={2})
    for seed in range(3)
    for temperature in (0.0, 1.0)
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("engine") / "model")


def run(test: Callable[[VllmEngine], Awaitable[Any]], address: str) -> Any:
    async def connected() -> Any:
        engine = await VllmEngine.connect(address)
        try:
            return await test(engine)
        finally:
            await engine.close()

    return asyncio.run(asyncio.wait_for(connected(), 120))


async def replies(engine: Any, version: str = "") -> list[Completion]:
    asked = [
        Generation(ids=one.ids, seed=one.seed, sampling=one.sampling, stop_ids=one.stop_ids, version=version)
        for one in ASKED
    ]
    return await asyncio.gather(*map(engine.generate, asked))


def test_tokens_logprobs_and_versions_are_those_of_the_engine_in_this_process(model: Path, tmp_path: Path):
    here = LocalPolicy.open(str(model))
    lora.attach(here.model, lora.LoraConfig(r=2), seed=3)
    for parameter in lora.parameters(here.model):
        parameter.data.normal_(0, 0.3)
    lora_files.save(here.model, tmp_path / "adapter", "tiny")
    expected = asyncio.run(replies(here.engine))

    async def check(engine: VllmEngine) -> None:
        base = await replies(engine)
        await engine.load("run@1", tmp_path / "adapter")
        found = await replies(engine, "run@1")
        assert [one.ids for one in found] == [one.ids for one in expected] != [one.ids for one in base]
        for one, other in zip(found, expected, strict=True):
            assert one.logprobs == pytest.approx(other.logprobs, abs=1e-3) and one.finish == other.finish
        await engine.forget("run@1")
        with pytest.raises(NotFound):
            await replies(engine, "run@1")

    with served("local", model) as one:
        run(check, one.address)


def test_a_prompt_that_is_too_long_is_a_full_context(model: Path):
    async def check(engine: VllmEngine) -> None:
        engine.window = 1 << 20
        assert (await engine.generate(Generation(ids=[7] * 5000))).finish == "context_full"

    with served("local", model) as one:
        run(check, one.address)


def test_an_adapter_that_cannot_be_read_is_an_error_of_the_server(model: Path, tmp_path: Path):
    (tmp_path / "adapter_config.json").write_text("{}")

    async def check(engine: VllmEngine) -> None:
        with pytest.raises(InfrastructureFailure, match="cannot read the adapter"):
            await engine.load("run@1", tmp_path)
        with pytest.raises(BadInput, match="none is not a folder"):
            await engine.load("run@1", tmp_path / "none")

    with served("local", model) as one:
        run(check, one.address)


class Elsewhere(EngineServer):
    """A client on a machine whose paths the server does not see. Some pieces may be damaged on their way."""

    damaged = False
    pieces = 0

    async def post(self, path: str, body: Any, timeout_s: float = 30.0) -> Answer:
        if path == "/verigym/folder":
            body = {**body, "path": "/nowhere"}
        if isinstance(body, bytes):
            self.pieces += 1
            body = body[:-1] if self.damaged else body
        return await super().post(path, body, timeout_s)


def test_weights_are_sent_to_a_server_that_does_not_see_their_folder(model: Path, tmp_path: Path):
    lines = (tmp_path / "files").resolve()
    lines.mkdir()
    (lines / "adapter_config.json").write_text("{}")
    (lines / "large.bin").write_bytes(bytes(range(256)) * (80 << 10))

    async def check(engine: VllmEngine) -> None:
        engine.server = elsewhere = Elsewhere(engine.server.address)
        there = Path(await sent(elsewhere, lines))
        assert there != lines and hash_of(there) == hash_of(lines) and elsewhere.pieces == 4
        assert Path(await sent(elsewhere, lines)) == there and elsewhere.pieces == 4, "it has them already"
        await engine.load("run@1", lines)
        assert not there.exists(), "the weights are loaded, so the files are not needed any more"
        elsewhere.damaged = True
        with pytest.raises(InfrastructureFailure, match="damaged on their way"):
            await engine.load("run@2", lines)
        await elsewhere.close()

    with served("fake", "fake-model") as one:
        run(check, one.address)


def test_files_cannot_be_sent_to_other_places():
    async def ask(address: str, path: str) -> int:
        server = EngineServer(address)
        try:
            return (await server.post(path, b"x")).status
        finally:
            await server.close()

    with served("fake", "fake-model") as one:
        for path in (
            "/verigym/files/etc/passwd",
            f"/verigym/files/{'a' * 64}/..%2Fx",
            f"/verigym/files/{'a' * 64}/%2E%2E",
        ):
            assert asyncio.run(ask(one.address, path)) in (400, 404), path


def test_all_weights_are_replaced_and_running_requests_keep_theirs(model: Path, tmp_path: Path):
    here = LocalPolicy.open(str(model))
    before = asyncio.run(replies(here.engine))
    full.begin(here.model)
    for parameter in here.model.parameters():
        parameter.data.mul_(1.2)
    here.weights_changed("changed")
    full.save(here.model, here.render.tokenizer, tmp_path / "changed")
    after = asyncio.run(replies(here.engine))

    async def check(engine: VllmEngine) -> None:
        whole = OneVersionEngine(engine)
        running = asyncio.ensure_future(replies(whole))
        await asyncio.sleep(0.05)
        await whole.load("run@1", tmp_path / "changed")
        assert [one.ids for one in await running] == [one.ids for one in before]
        found = await replies(whole, "run@1")
        assert [one.ids for one in found] == [one.ids for one in after] != [one.ids for one in before]
        for one, other in zip(found, after, strict=True):
            assert one.logprobs == pytest.approx(other.logprobs, abs=1e-3)
        with pytest.raises(InfrastructureFailure, match="No model found"):
            await whole.load("run@2", tmp_path)
        await whole.load("run@1", tmp_path / "changed")
        assert [one.ids for one in await replies(whole, "run@1")] == [one.ids for one in after]

    with served("local", model) as one:
        run(check, one.address)


def test_versions_that_a_killed_command_left_are_unloaded(tmp_path: Path):
    (tmp_path / "adapter_config.json").write_text("{}")

    async def fill(engine: VllmEngine) -> None:
        for name in ("run@1.aa", "run@2.bb", "other@1"):
            await engine.load(name, tmp_path)

    async def clear(engine: VllmEngine) -> None:
        await engine.forget_left("run@")

    with served("fake", "fake-model") as one:
        run(fill, one.address)
        assert [*one.service.versions] == ["run@1.aa", "run@2.bb", "other@1"]
        run(clear, one.address)
        assert [*one.service.versions] == ["other@1"]


def test_malformed_requests_are_answered_in_words():
    async def ask(address: str, path: str, body: Any) -> tuple[int, str]:
        server = EngineServer(address)
        try:
            answer = await server.post(path, body)
            return answer.status, answer.text
        finally:
            await server.close()

    with served("fake", "fake-model", versions=1) as one:
        for path, body, status in (
            ("/inference/v1/generate", {"model": "fake-model"}, 400),
            ("/inference/v1/generate", {"model": "none", "token_ids": [1]}, 404),
            ("/v1/load_lora_adapter", {"lora_name": 3}, 400),
            ("/v1/unload_lora_adapter", {"lora_name": "none"}, 404),
            ("/v1/nothing", {}, 404),
        ):
            found, _ = asyncio.run(ask(one.address, path, body))
            assert found == status, path


def test_the_renderer_without_weights_is_that_of_the_loaded_model(model: Path):
    loaded, without = LocalPolicy.open(str(model)).render, renderer_of(str(model))
    assert without.stop_ids == loaded.stop_ids and without.can_write_tags == loaded.can_write_tags
