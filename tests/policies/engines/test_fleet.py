"""Many engines as one: sticky groups, least busy, lost engines, versions and leases. The engines are fakes."""

import asyncio
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from verigym.core.errors import BadInput, EngineLost, InfrastructureFailure, NotFound
from verigym.core.generation import Completion, EngineLoad, Generation
from verigym.core.protocols import Engine
from verigym.policies.engines.fake import FakeEngine
from verigym.policies.engines.fleet import Fleet

FOLDER = Path("folder")


def asked(group: int = 0, seed: int = 0, version: str = "") -> Generation:
    return Generation(ids=[group, 2, 3, seed], root=3, seed=seed, version=version)


def fleet_of(*engines: Any, **settings: Any) -> Fleet:
    return Fleet(engines, **{"check_s": 0.005, "timeout_s": 60.0, "patience_s": 60.0, **settings})


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.002)


def run(what: Any) -> Any:
    return asyncio.run(asyncio.wait_for(what, 120))


class Hanging(FakeEngine):
    """Does not say whether it is alive."""

    hangs = False

    async def alive(self) -> bool:
        if self.hangs:
            await asyncio.sleep(3600)
        return await super().alive()


def test_a_fleet_is_an_engine_with_the_slots_of_all() -> None:
    fleet = Fleet([FakeEngine(slots=3), FakeEngine(slots=5)])
    assert isinstance(fleet, Engine) and fleet.max_batch == 8


def test_a_group_stays_on_one_engine_and_groups_spread() -> None:
    async def go() -> None:
        engines = [FakeEngine(slots=64, latency_s=0.001) for _ in range(4)]
        fleet = fleet_of(*engines)
        for group in range(8):
            before = [engine.served for engine in engines]
            first = asyncio.gather(*(fleet.generate(asked(group, seed)) for seed in range(4)))
            await first
            await fleet.generate(asked(group, 9))
            grown = [engine.served - count for engine, count in zip(engines, before, strict=True)]
            assert sorted(grown) == [0, 0, 0, 5]
        replies = await asyncio.gather(*(fleet.generate(asked(100 + group)) for group in range(8)))
        assert len(replies) == 8 and all(engine.served for engine in engines)
        await fleet.close()

    run(go())


def test_a_group_leaves_a_full_engine_if_another_has_room() -> None:
    async def go() -> None:
        engines = [FakeEngine(slots=2, latency_s=3600) for _ in range(2)]
        fleet = fleet_of(*engines)
        tasks = [asyncio.create_task(fleet.generate(asked(1, seed))) for seed in range(4)]
        await until(lambda: sum(state.running for state in fleet.states) == 4)
        assert [state.running for state in fleet.states] == [2, 2]
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        assert [await engine.usage() for engine in engines] == [EngineLoad()] * 2
        await fleet.close()

    run(go())


def test_requests_of_other_fleets_count_as_busy() -> None:
    async def go() -> None:
        shared, idle = FakeEngine(slots=10, latency_s=3600), FakeEngine(slots=10, latency_s=3600)
        others = [asyncio.create_task(shared.generate(asked(0, seed))) for seed in range(9)]
        fleet = fleet_of(shared, idle)
        assert await fleet.alive()
        await until(lambda: fleet._members[0].others == 9)
        own = [asyncio.create_task(fleet.generate(asked(group))) for group in range(5)]
        await until(lambda: sum(state.running for state in fleet.states) == 5)
        assert [state.running for state in fleet.states] == [0, 5]
        for task in others + own:
            task.cancel()
        await asyncio.wait(others + own)
        await fleet.close()

    run(go())


def test_requests_of_a_lost_engine_move_and_get_the_same_tokens(capsys: pytest.CaptureFixture[str]) -> None:
    async def go() -> None:
        requests = [asked(group, seed, "v") for group in range(6) for seed in range(4)]
        alone = FakeEngine()
        await alone.load("v", FOLDER)
        wanted = [await alone.generate(request) for request in requests]
        engines = [FakeEngine(slots=8, latency_s=0.05) for _ in range(3)]
        fleet = fleet_of(*engines, names=["a", "b", "c"])
        await fleet.load("v", FOLDER)
        tasks = [asyncio.create_task(fleet.generate(request)) for request in requests]
        await until(lambda: all(state.running for state in fleet.states))
        engines[1].crash()
        assert [await task for task in tasks] == wanted
        state = fleet.states[1]
        assert (state.up, state.lost, state.running) == (False, 1, 0) and (
            "crashed" in state.why or "not alive" in state.why
        )
        assert sum(engine.served for engine in engines) == len(requests)
        await fleet.close()

    run(go())
    assert "b was lost (" in capsys.readouterr().err


def test_an_engine_that_comes_back_has_every_version_before_it_gets_requests() -> None:
    class Strict(FakeEngine):
        early: list[str] = []

        async def generate(self, request: Generation) -> Completion:
            if request.version not in self.versions:
                self.early.append(request.version)
            return await super().generate(request)

    async def go() -> None:
        lost, kept = Strict(latency_s=0.001), FakeEngine(latency_s=0.001)
        fleet = fleet_of(lost, kept)
        await fleet.load("v1", FOLDER)
        lost.crash()
        await until(lambda: not fleet.states[0].up)
        await fleet.load("v2", FOLDER)
        assert set(kept.versions) == {"v1", "v2"}
        lost.restart()
        await until(lambda: fleet.states[0].up)
        assert set(lost.versions) == {"v1", "v2"} == set(fleet.states[0].versions)
        requests = [asked(group, 0, version) for group in range(10) for version in ("v1", "v2")]
        await asyncio.gather(*map(fleet.generate, requests))
        assert lost.served and not lost.early
        await fleet.close()

    run(go())


def test_an_engine_that_was_started_again_unseen_loads_its_versions_again() -> None:
    async def go() -> None:
        engine = FakeEngine()
        fleet = fleet_of(engine)
        await fleet.load("v1", FOLDER)
        engine.crash()
        engine.restart()
        assert (await fleet.generate(asked(0, 0, "v1"))).version == "v1"
        assert fleet.states[0].lost == 1
        await fleet.close()

    run(go())


def test_a_version_that_was_forgotten_meanwhile_leaves_an_engine_that_comes_back() -> None:
    async def go() -> None:
        engine = Hanging(versions=2)
        fleet = fleet_of(engine, FakeEngine(versions=2), timeout_s=0.05)
        await fleet.load("v1", FOLDER)
        engine.hangs = True
        await until(lambda: not fleet.states[0].up)
        await fleet.forget("v1")
        await fleet.load("v2", FOLDER)
        engine.hangs = False
        await until(lambda: fleet.states[0].up)
        assert set(engine.versions) == {"v2"}
        await fleet.close()

    run(go())


def test_an_engine_that_hangs_is_lost_and_its_requests_move() -> None:
    async def go() -> None:
        hanging, other = Hanging(latency_s=3600), FakeEngine(latency_s=0.001, slots=1)
        fleet = fleet_of(hanging, other, timeout_s=0.05)
        task = asyncio.create_task(fleet.generate(asked()))
        await until(lambda: fleet.states[0].running == 1)
        hanging.hangs = True
        assert (await task).finish == "stop"
        assert "did not answer within 0.05 s" in fleet.states[0].why
        await fleet.close()

    run(go())


def test_without_any_engine_requests_wait_and_then_fail_in_words() -> None:
    async def go() -> None:
        engine = FakeEngine()
        fleet = fleet_of(engine, names=["a"])
        engine.crash()
        waiting = asyncio.create_task(fleet.generate(asked()))
        await until(lambda: not fleet.states[0].up)
        assert not waiting.done() and not await fleet.alive()
        engine.restart()
        assert (await waiting).finish == "stop"
        await fleet.close()
        impatient = fleet_of(engine, names=["a"], patience_s=0.02)
        engine.crash()
        with pytest.raises(InfrastructureFailure, match=r"No engine answered for 0.02 s. a: "):
            await impatient.generate(asked())
        await impatient.close()

    run(go())


def test_a_version_is_forgotten_after_the_last_lease_and_request() -> None:
    async def go() -> None:
        engines = [FakeEngine(latency_s=0.001) for _ in range(3)]
        fleet = fleet_of(*engines)
        await fleet.load("v1", FOLDER)
        async with fleet.lease("v1"):
            forgetting = asyncio.create_task(fleet.forget("v1"))
            await fleet.generate(asked(0, 0, "v1"))
            assert not forgetting.done() and all("v1" in engine.versions for engine in engines)
            await fleet.generate(asked(0, 1, "v1"))  # the second turn of the same episode
        await forgetting
        assert [engine.versions for engine in engines] == [{}, {}, {}]
        with pytest.raises(NotFound, match='no loaded version "v1"'):
            await fleet.generate(asked(0, 2, "v1"))
        with pytest.raises(NotFound):
            async with fleet.lease("v1"):
                pass
        await fleet.close()

    run(go())


def test_a_version_that_one_engine_refuses_is_loaded_nowhere() -> None:
    async def go() -> None:
        small, large = FakeEngine(versions=1), FakeEngine(versions=5)
        fleet = fleet_of(small, large)
        await fleet.load("v1", FOLDER)
        with pytest.raises(BadInput, match="1 slots for versions"):
            await fleet.load("v2", FOLDER)
        assert set(small.versions) == set(large.versions) == {"v1"}
        with pytest.raises(BadInput, match="a name stands for one folder"):
            await fleet.load("v1", Path("other"))
        await fleet.close()

    run(go())


def test_a_cancelled_request_ends_on_its_engine() -> None:
    async def go() -> None:
        engine = FakeEngine(latency_s=3600)
        fleet = fleet_of(engine)
        task = asyncio.create_task(fleet.generate(asked()))
        await until(lambda: fleet.states[0].running == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert fleet.states[0].running == 0 and await engine.usage() == EngineLoad() == await fleet.usage()
        await fleet.close()

    run(go())


@pytest.mark.parametrize("seed", range(5))
def test_random_crashes_lose_and_duplicate_nothing(seed: int) -> None:
    """Engines crash and come back at random moments. Every request gets its own tokens exactly once."""

    async def go() -> None:
        draw = random.Random(seed)
        engines = [FakeEngine(slots=8, latency_s=(0.002, 0.02)) for _ in range(4)]
        fleet = fleet_of(*engines)
        requests = [asked(group, turn, "v") for group in range(40) for turn in range(5)]
        alone = FakeEngine()
        await alone.load("v", FOLDER)
        await fleet.load("v", FOLDER)

        async def crashing() -> None:
            while True:
                await asyncio.sleep(draw.uniform(0.001, 0.01))
                engine = draw.choice(engines)
                engine.crash()
                await asyncio.sleep(draw.uniform(0.0, 0.01))
                engine.restart()

        chaos = asyncio.create_task(crashing())
        replies = await asyncio.gather(*map(fleet.generate, requests))
        chaos.cancel()
        assert replies == [await alone.generate(request) for request in requests]
        await fleet.close()

    run(go())


def test_a_fleet_can_be_used_in_a_second_event_loop() -> None:
    engine = FakeEngine()
    fleet = fleet_of(engine)
    assert run(fleet.generate(asked())) == run(fleet.generate(asked()))


def test_wrong_fleets_are_refused() -> None:
    with pytest.raises(BadInput, match="at least one engine"):
        Fleet([])
    with pytest.raises(BadInput, match="2 engines and 1 names"):
        Fleet([FakeEngine(), FakeEngine()], names=["a"])
    with pytest.raises(NotFound, match='no loaded version "v9"'):
        run(fleet_of(FakeEngine()).generate(asked(0, 0, "v9")))
    assert issubclass(EngineLost, InfrastructureFailure)


def test_a_request_that_moved_can_still_run_into_a_time_limit_of_its_caller() -> None:
    """The fleet cancels the task of a moved request and takes that back. A later cancellation is the caller's own."""

    async def go() -> None:
        lost, slow = FakeEngine(latency_s=3600), FakeEngine(latency_s=3600)
        fleet = fleet_of(lost, slow)

        async def ask() -> None:
            task = asyncio.current_task()
            assert task is not None
            try:
                async with asyncio.timeout(None) as limit:
                    asking.append(limit)
                    await fleet.generate(asked())
            except TimeoutError:
                counts.append(task.cancelling())

        asking: list[asyncio.Timeout] = []
        counts: list[int] = []
        task = asyncio.create_task(ask())
        await until(lambda: any(state.running for state in fleet.states))
        (lost if fleet.states[0].running else slow).crash()
        await until(lambda: sum(state.lost for state in fleet.states) == 1)
        await until(lambda: sum(state.running for state in fleet.states) == 1)
        asking[0].reschedule(0.0)
        await task
        assert counts == [0]
        await fleet.close()

    run(go())


def test_a_fleet_closes_although_an_engine_hides_a_cancellation() -> None:
    class Hiding(FakeEngine):
        cancellations = 0

        async def alive(self) -> bool:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                self.cancellations += 1
                if self.cancellations > 1:
                    raise
            return True

    async def go() -> None:
        engine = Hiding()
        fleet = fleet_of(engine)
        await fleet.generate(asked())
        await asyncio.sleep(0.1)
        await fleet.close()
        assert engine.cancellations == 2

    run(go())
