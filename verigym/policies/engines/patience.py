"""A time limit for answers of engines that the client's own delays do not use up.

An event loop that starts thousands of episodes may look at an answer long after it arrived. With a plain time limit, every
engine would then seem lost at once.
"""

import asyncio
from types import TracebackType

_TICKS = 16


class patient:
    """`async with patient(seconds): ...` raises TimeoutError if the block takes longer. The time is counted in ticks of the event
    loop, so a loop that is late counts less time than passes.

    It is a class, because a function that schedules itself again is a reference cycle: 700 bytes for each connection, until the
    next collection.
    """

    __slots__ = ("_left", "_limit", "_seconds", "_timer")

    def __init__(self, seconds: float) -> None:
        self._seconds, self._left = seconds, _TICKS
        self._limit = asyncio.timeout(None)
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> None:
        await self._limit.__aenter__()
        self._wait()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        if self._timer is not None:
            self._timer.cancel()
        return await self._limit.__aexit__(kind, error, trace)

    def _wait(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._seconds / _TICKS, self._tick)

    def _tick(self) -> None:
        self._left -= 1
        if self._left:
            self._wait()
        else:
            self._timer = None
            self._limit.reschedule(asyncio.get_running_loop().time())
