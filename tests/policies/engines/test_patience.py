"""A time limit that counts the time of engines, and not the delays of the client."""

import asyncio
import gc
import time

import pytest

from verigym.policies.engines.fake import FakeEngine
from verigym.policies.engines.fleet import Fleet
from verigym.policies.engines.patience import patient


def test_what_takes_too_long_is_a_timeout_and_what_does_not_is_not() -> None:
    async def main() -> None:
        async with patient(60.0):
            await asyncio.sleep(0)
        with pytest.raises(TimeoutError):
            async with patient(0.1):
                await asyncio.sleep(60)
        with pytest.raises(ValueError):
            async with patient(60.0):
                raise ValueError

    asyncio.run(main())


def test_the_clients_own_delay_is_not_counted() -> None:
    async def main() -> None:
        answer = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_later(0.05, answer.set_result, 1)
        async with patient(0.4):
            await asyncio.sleep(0)
            time.sleep(1.0)  # the answer arrives meanwhile, and the loop looks at it later than at its timers
            assert await answer == 1

    asyncio.run(main())


def test_a_busy_client_loses_no_engine() -> None:
    async def main() -> None:
        engines = [FakeEngine() for _ in range(3)]
        fleet = Fleet(engines, check_s=0.01, timeout_s=0.2)
        assert await fleet.alive()
        for _ in range(5):
            await asyncio.sleep(0.02)
            time.sleep(0.3)
        await asyncio.sleep(0.05)
        assert [state.lost for state in fleet.states] == [0, 0, 0]
        await fleet.close()

    asyncio.run(main())


def test_limits_leave_nothing_for_the_garbage_collector() -> None:
    """Thousands of connections have one, and collections are rare."""

    async def main() -> int:
        gc.collect()
        gc.disable()
        try:
            for _ in range(100):
                async with patient(30.0):
                    await asyncio.sleep(0)
            return gc.collect()
        finally:
            gc.enable()

    assert asyncio.run(main()) < 100
