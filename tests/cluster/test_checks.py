"""A wrong setup ends with words before anything starts."""

import asyncio
import json
import time
from email.utils import formatdate
from pathlib import Path

import pytest

from tests.cluster.serving import served
from verigym.cluster.checks import check_adapter, check_clock, check_server, check_version
from verigym.cluster.engines import EngineNeeds, connect
from verigym.cluster.settings import Engines
from verigym.core.errors import BadInput, EngineLost, Refused
from verigym.core.records import Version

KEY = "key-4711"


async def _closed(settings: Engines, addresses: list[str], wanted: EngineNeeds, key_env: str) -> list[str]:
    found = await connect(settings, addresses, wanted, key_env)
    alive = [engine.name for engine in found if await engine.alive()]
    for engine in found:
        await engine.close()
    assert alive
    return [engine.name for engine in found]


def connected(addresses: list[str], wanted: EngineNeeds, key_env: str = "NOT_SET_ANYWHERE") -> list[str]:
    """The names of the engines."""
    return asyncio.run(asyncio.wait_for(_closed(Engines(kind="fake"), addresses, wanted, key_env), 120))


def needs(model: str = "fake-model", versions: int = 1) -> EngineNeeds:
    return EngineNeeds(model=model, versions=versions)


def test_an_engine_on_another_machine_needs_a_key():
    with pytest.raises(BadInput, match="is on another machine, and there is no key"):
        asyncio.run(check_server("http://192.0.2.1:8000", "NOT_SET_ANYWHERE", ""))


def test_an_engine_that_answers_without_a_key_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("VERIGYM_ENGINE_KEY", KEY)
    with served("fake", "fake-model") as open_to_all, pytest.raises(BadInput, match="answers without a key"):
        connected([open_to_all.address], needs(), "VERIGYM_ENGINE_KEY")


def test_the_key_of_the_environment_opens_an_engine(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("VERIGYM_ENGINE_KEY", KEY)
    with served("fake", "fake-model", key=KEY) as guarded:
        assert connected([guarded.address], needs(), "VERIGYM_ENGINE_KEY") == [guarded.address]
        monkeypatch.setenv("VERIGYM_ENGINE_KEY", "another")
        with pytest.raises(Exception, match="Set VERIGYM_ENGINE_KEY"):
            connected([guarded.address], needs(), "VERIGYM_ENGINE_KEY")


def test_an_engine_with_another_model_is_refused():
    with served("fake", "fake-model") as other, pytest.raises(BadInput, match='not "llama"'):
        connected([other.address], needs("llama"))


def test_an_engine_with_too_few_slots_is_refused():
    with (
        served("fake", "fake-model", versions=1) as small,
        pytest.raises(BadInput, match="slots for 1 versions, and 3"),
    ):
        connected([small.address], needs(versions=3))


def test_an_engine_that_does_not_answer_is_used_when_it_comes_back(capfd: pytest.CaptureFixture[str]):
    with served("fake", "fake-model") as up:
        assert connected([up.address, "http://127.0.0.1:9"], needs()) == [up.address, "http://127.0.0.1:9"]
        assert "It is used when it answers" in capfd.readouterr().err


def test_no_engine_at_all_is_an_error():
    with pytest.raises(EngineLost, match="No engine answers"):
        connected(["http://127.0.0.1:9"], needs())


def test_a_clock_that_differs_is_refused():
    now = time.time()
    check_clock("node", formatdate(now + 5, usegmt=True), now)
    check_clock("node", "", now)
    check_clock("node", "yesterday", now)
    with pytest.raises(BadInput, match="s ahead of the one of this machine"):
        check_clock("node", formatdate(now + 61, usegmt=True), now)
    with pytest.raises(BadInput, match="behind the one of this machine"):
        check_clock("node", formatdate(now - 3600, usegmt=True), now)


@pytest.mark.parametrize(
    ("described", "words"),
    [
        ({"modules_to_save": ["score"]}, "trained modules"),
        ({"target_parameters": ["experts.up"]}, "an adapter on experts"),
        ({"rank_pattern": {"q_proj": 8}}, "different ranks"),
        ({"target_modules": ["q_proj", "embed_tokens"]}, "an adapter on embed_tokens"),
    ],
)
def test_an_adapter_that_vllm_cannot_read_is_refused(tmp_path: Path, described: dict[str, object], words: str):
    (tmp_path / "adapter_config.json").write_text(json.dumps({"r": 8, "target_modules": ["q_proj"], **described}))
    with pytest.raises(Refused, match=words):
        check_adapter(tmp_path, "vllm")
    check_adapter(tmp_path, "local")


def test_a_version_that_an_engine_would_sample_in_another_way_is_refused():
    plain = Version(base="qwen", name="qwen")
    check_version(plain, "vllm")
    with pytest.raises(Refused, match="constraints"):
        check_version(Version(base="qwen", name="qwen", constraints="tools"), "vllm")
    with pytest.raises(Refused, match="4-bit base"):
        check_version(Version(base="qwen", name="qwen", quantized="nf4"), "vllm")
    check_version(Version(base="qwen", name="qwen", quantized="nf4"), "local")
