"""A limit on the time of an episode or a verifier. It does not run while the work waits in a queue of Verigym itself.

The local engine calls `waiting` when a request joins its queue, and the result when the request has its first token. Otherwise
many slow episodes at once would all run out of time, although none of them took long.
"""

import asyncio
from collections.abc import Callable
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Self

_current: ContextVar["TimeLimit | None"] = ContextVar("time_limit", default=None)


def waiting() -> Callable[[], None]:
    """Stops the time limit of the current work, if it has one, until the returned function is called. Calling it again does
    nothing."""
    limit = _current.get()
    return limit.pause() if limit is not None else _nothing


def _nothing() -> None: ...


class TimeLimit:
    """`async with TimeLimit(seconds) as limit: ...` raises `TimeoutError` after this time. `on_wait` gets the seconds of each
    pause."""

    def __init__(self, seconds: float, on_wait: Callable[[float], None] = lambda waited_s: None) -> None:
        self._seconds, self._on_wait = seconds, on_wait
        self._timeout = asyncio.timeout(None)
        self._token: Token[TimeLimit | None] | None = None
        self._waits = 0
        self._since = self._left = 0.0
        """When the pause began, and the seconds that were left then."""

    async def __aenter__(self) -> Self:
        await self._timeout.__aenter__()
        self._timeout.reschedule(_now() + self._seconds)
        self._token = _current.set(self)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        assert self._token is not None
        _current.reset(self._token)
        self._token = None
        return await self._timeout.__aexit__(kind, error, trace)

    def expired(self) -> bool:
        return self._timeout.expired()

    def pause(self) -> Callable[[], None]:
        """Stops the clock until the returned function is called. Several pauses may overlap."""
        paused = self._change(1)

        def resume() -> None:
            nonlocal paused
            if paused:
                paused = False
                self._change(-1)

        return resume

    def _change(self, waits: int) -> bool:
        """Counts pauses. Does nothing if the limit has ended or expired."""
        if self._token is None or self._timeout.expired():
            return False
        before, self._waits = self._waits, self._waits + waits
        now = _now()
        if not before:
            self._since, self._left = now, (self._timeout.when() or now) - now
            self._timeout.reschedule(None)
        elif not self._waits:
            self._timeout.reschedule(now + self._left)
            self._on_wait(now - self._since)
        return True


def _now() -> float:
    return asyncio.get_running_loop().time()
