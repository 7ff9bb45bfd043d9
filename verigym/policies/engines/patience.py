"""A time limit for answers of engines that the client's own delays do not use up.

An event loop that starts thousands of episodes may look at an answer long after it arrived. With a plain time limit, every
engine would then seem lost at once.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator

_TICKS = 16


@contextlib.asynccontextmanager
async def patient(seconds: float) -> AsyncIterator[None]:
    """Raises TimeoutError if the block takes longer than `seconds`. The time is counted in ticks of the event loop, so a loop
    that is late counts less time than passes."""
    loop, left = asyncio.get_running_loop(), _TICKS
    async with asyncio.timeout(None) as limit:

        def tick() -> None:
            nonlocal left, timer
            left -= 1
            if left:
                timer = loop.call_later(seconds / _TICKS, tick)
            else:
                limit.reschedule(loop.time())

        timer = loop.call_later(seconds / _TICKS, tick)
        try:
            yield
        finally:
            timer.cancel()
