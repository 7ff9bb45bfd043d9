"""What the episodes on one event loop share: connections, started MCP servers, and the limits of live tools.

Everything is closed a few seconds after the last episode ended, or when the loop ends.
"""

import asyncio
import contextlib
import time
from typing import Any

from verigym.harness.toolkinds import mcp

_IDLE_S = 5.0


class Throttle:
    """Limits calls at once and calls per second of one tool."""

    def __init__(self, concurrency: int | None, rate: float | None) -> None:
        self._slots = asyncio.Semaphore(concurrency) if concurrency else None
        self._gap_s = 1 / rate if rate else 0.0
        self._next = 0.0

    async def __aenter__(self) -> None:
        if self._slots is not None:
            await self._slots.acquire()
        if self._gap_s:
            now = time.monotonic()
            self._next = max(self._next, now) + self._gap_s
            try:
                await asyncio.sleep(self._next - self._gap_s - now)
            except BaseException:
                await self.__aexit__()
                raise

    async def __aexit__(self, *_: object) -> None:
        if self._slots is not None:
            self._slots.release()


class SharedResources:
    """The resources of one tools file on one event loop. `join` and `leave` count the episodes."""

    def __init__(self) -> None:
        self._stack = contextlib.AsyncExitStack()
        self._session: Any = None
        self.pools: dict[str, mcp.McpPool] = {}
        self.throttles: dict[str, Throttle] = {}
        self._episodes = 0
        self._idle = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None
        self.closed = False

    def join(self) -> None:
        self._episodes += 1
        self._idle.clear()
        if self._keeper is None:
            self._keeper = asyncio.create_task(self._keep())

    def leave(self) -> None:
        self._episodes -= 1
        if not self._episodes:
            self._idle.set()

    async def session(self) -> Any:
        """The HTTP session."""
        if self._session is None:
            from verigym.harness.toolkinds.http import open_session

            self._session = await self._stack.enter_async_context(open_session())
        return self._session

    async def _keep(self) -> None:
        """Closes everything when no episode has used it for a while."""
        try:
            while self._episodes or not self._idle.is_set():
                await self._idle.wait()
                await asyncio.sleep(_IDLE_S)
        finally:
            self.closed = True
            for pool in self.pools.values():
                await pool.close()
            await self._stack.aclose()
