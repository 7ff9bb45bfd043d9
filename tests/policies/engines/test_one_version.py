"""Engines whose weights are replaced as a whole: nothing is sampled by two versions, and a failure is found."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.policies.engines.vllm_server import VllmServer, serving
from verigym.core.errors import BadInput, EngineLost, InfrastructureFailure, NotFound
from verigym.core.generation import Generation
from verigym.policies.engines.fake import FakeEngine
from verigym.policies.engines.fleet import Fleet
from verigym.policies.engines.one_version import OneVersionEngine
from verigym.policies.engines.virtual_clock import VirtualClock
from verigym.policies.engines.vllm import VllmEngine


def run(work: Any) -> Any:
    with asyncio.Runner(loop_factory=VirtualClock) as runner:
        return runner.run(work)


def asked(version: str = "", seed: int = 0) -> Generation:
    return Generation(ids=[1, 2], seed=seed, version=version)


def test_running_requests_end_with_their_version_and_new_ones_wait_for_the_next() -> None:
    async def work() -> None:
        fake = FakeEngine(latency_s=10.0, load_s=5.0)
        engine = OneVersionEngine(fake)
        now = asyncio.get_running_loop().time
        before = asyncio.create_task(engine.generate(asked()))
        await asyncio.sleep(1)
        loading = asyncio.create_task(engine.load("run@1", Path("run-1")))
        await asyncio.sleep(1)
        assert not before.done() and not loading.done()
        await loading
        assert (before.done(), now()) == (True, 15.0), "10 s until the request ended, and 5 s to load"
        first, old = await engine.generate(asked("run@1")), await before
        assert (old.version, first.version) == ("", "run@1") and old.ids != first.ids
        with pytest.raises(NotFound, match="one version at a time"):
            await engine.generate(asked())
        await engine.load("run@1", Path("run-1"))
        assert fake.weights == Path("run-1") and (await engine.generate(asked("run@1"))).ids == first.ids
        await engine.forget("run@1")
        assert (await engine.usage()).running == 0 and await engine.alive()

    run(work())


def test_after_a_failure_the_engine_has_no_version_until_one_is_loaded() -> None:
    class Full(FakeEngine):
        async def replace(self, folder: Path) -> None:
            raise InfrastructureFailure("no room")

    async def work() -> None:
        engine = OneVersionEngine(Full())
        with pytest.raises(InfrastructureFailure, match="no room"):
            await engine.load("run@1", Path("run-1"))
        with pytest.raises(NotFound):
            await engine.generate(asked())

    run(work())


def test_weights_of_an_engine_that_is_not_paused_are_not_replaced() -> None:
    with pytest.raises(BadInput, match="Call pause"):
        run(FakeEngine().replace(Path("x")))


def test_a_fleet_replaces_the_weights_of_all_engines_and_of_one_that_comes_back() -> None:
    async def work() -> None:
        fakes = [FakeEngine(), FakeEngine()]
        fleet = Fleet([OneVersionEngine(fake) for fake in fakes], check_s=0.1)
        await fleet.load("run@1", Path("run-1"))
        fakes[1].crash()
        with pytest.raises(EngineLost):
            await fakes[1].pause()
        await asyncio.sleep(1)
        await fleet.load("run@2", Path("run-2"))
        await fleet.forget("run@1")
        fakes[1].restart()
        await asyncio.sleep(5)
        assert [state.up for state in fleet.states] == [True, True]
        assert [fake.weights for fake in fakes] == [Path("run-2")] * 2
        assert (await fleet.generate(asked("run@2"))).version == "run@2"
        await fleet.close()

    run(work())


def test_vllm_is_paused_reloaded_emptied_and_resumed(tmp_path: Path) -> None:
    async def work() -> None:
        server = VllmServer()
        async with serving(server) as address:
            engine = OneVersionEngine(await VllmEngine.connect(address))
            before = await engine.generate(asked())
            await engine.load("run@1", tmp_path)
            after = await engine.generate(asked("run@1"))
            assert server.engine.weights == tmp_path and server.resets == 1
            assert before.ids != after.ids and server.bodies[-1]["model"] == "base"
            with pytest.raises(InfrastructureFailure, match="Cannot find any model weights"):
                await engine.load("run@2", tmp_path / "none")
            await engine.close()

    asyncio.run(asyncio.wait_for(work(), 60))


def test_a_vllm_server_without_these_paths_is_an_error_with_the_variable(tmp_path: Path) -> None:
    async def work() -> None:
        server = VllmServer()
        server.dev_mode = False
        async with serving(server) as address:
            engine = OneVersionEngine(await VllmEngine.connect(address))
            with pytest.raises(InfrastructureFailure, match="VLLM_SERVER_DEV_MODE=1"):
                await engine.load("run@1", tmp_path)
            await engine.close()

    asyncio.run(asyncio.wait_for(work(), 60))
