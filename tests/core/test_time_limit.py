"""A time limit runs while work is done, and stands still while it waits in a queue."""

import asyncio

import pytest

from verigym.core.time_limit import TimeLimit, waiting


def test_time_in_a_queue_does_not_count() -> None:
    waited: list[float] = []

    async def work() -> str:
        async with TimeLimit(0.05, waited.append):
            begun = waiting()
            await asyncio.sleep(0.2)
            begun()
            begun()
            return "done"

    assert asyncio.run(work()) == "done"
    assert len(waited) == 1 and waited[0] >= 0.19


def test_time_after_the_queue_counts() -> None:
    async def work() -> bool:
        limit = TimeLimit(0.05)
        with pytest.raises(TimeoutError):
            async with limit:
                waiting()()
                await asyncio.sleep(60)
        return limit.expired()

    assert asyncio.run(work())


def test_overlapping_waits_end_with_the_last() -> None:
    async def work() -> None:
        limit = TimeLimit(0.05)
        with pytest.raises(TimeoutError):
            async with limit:
                first, second = waiting(), waiting()
                await asyncio.sleep(0.1)
                first()
                await asyncio.sleep(0.1)
                second()
                await asyncio.sleep(60)

    asyncio.run(work())


def test_without_a_limit_waiting_does_nothing() -> None:
    waiting()()

    async def late() -> None:
        async with TimeLimit(60):
            begun = waiting()
        begun()  # the work ended before the queue answered
        waiting()()

    asyncio.run(late())
