"""An event loop whose clock jumps to the next timer instead of waiting. Hours of a simulated cluster take seconds.

    with asyncio.Runner(loop_factory=VirtualClock) as runner:
        runner.run(simulation())

It is for code without threads and sockets, such as a `FakeEngine`. If nothing is left to wait for, it raises `Deadlock`.
"""

import asyncio
import selectors
from typing import Any


class Deadlock(Exception):
    """Every task waits for another one, so nothing can happen any more."""


class VirtualClock(asyncio.SelectorEventLoop):
    """An event loop with a clock of its own, which starts at 0."""

    def __init__(self) -> None:
        self._seconds = 0.0
        super().__init__(_JumpingSelector(self))

    def time(self) -> float:
        return self._seconds

    def jump(self, seconds: float) -> None:
        self._seconds += seconds


class _JumpingSelector(selectors.DefaultSelector):
    def __init__(self, clock: VirtualClock) -> None:
        super().__init__()
        self._clock = clock

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise Deadlock("Every task waits for another one. Look for an event that nobody sets")
        self._clock.jump(max(0.0, timeout))
        return super().select(0)
