"""Work in a thread that ends with it."""

import asyncio
import threading
import time

import pytest

from verigym.model.threads import in_thread


def test_it_gives_the_result_and_leaves_no_thread_behind() -> None:
    before = threading.active_count()
    name, total = asyncio.run(in_thread(lambda a, b: (threading.current_thread().name, a + b), 2, b=3))
    assert name.startswith("verigym-update") and total == 5
    assert threading.active_count() == before


def test_an_exception_is_the_callers() -> None:
    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        asyncio.run(in_thread(fail))


def test_the_loop_stays_free_meanwhile() -> None:
    async def both() -> int:
        work = asyncio.create_task(in_thread(time.sleep, 1))
        ticks = 0
        while not work.done():
            await asyncio.sleep(0.01)
            ticks += 1
        return ticks

    assert asyncio.run(both()) > 3


def test_one_that_is_cancelled_is_waited_for() -> None:
    done: list[bool] = []

    def work() -> None:
        time.sleep(0.2)
        done.append(True)

    async def cancel() -> None:
        task = asyncio.create_task(in_thread(work))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert done == [True]

    asyncio.run(cancel())
