"""Threads for the plain methods of environments. A method may block or hang, and a thread that hangs is abandoned.

A `MethodThread` runs methods in the order of their calls. Their results return to the event loop in batches. An episode of a slow
environment has a thread for itself. Quick methods run on the event loop if it is on the main thread, where a signal can interrupt
a call that blocks. Beside any other event loop, all quick methods share one thread.
"""

import asyncio
import contextlib
import math
import os
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import msgspec

from verigym.core.errors import InfrastructureFailure
from verigym.core.watchdog import Overdue, raise_in

_LOOK_S = 0.1


class Outcome(msgspec.Struct):
    """What a method returned or raised. An exception is a value here, because a SystemExit that is raised in the loop ends it."""

    result: Any = None
    error: BaseException | None = None
    seconds: float = 0.0


class ThreadAbandoned(Exception):
    """The thread of this method hangs in another one."""


class _Method(NamedTuple):
    future: "asyncio.Future[Outcome]"
    function: Callable[..., Any]
    args: Any
    kwargs: Any
    limit_s: float


class MethodThread:
    """A daemon thread, so that a method that hangs does not keep the process alive."""

    idle: "list[MethodThread]" = []
    """Threads whose episode has ended. They are reused."""
    stuck = 0
    """Abandoned threads whose method has not returned."""

    def __init__(self, name: str = "verigym-episode") -> None:
        self.abandoned = False
        self._methods: queue.SimpleQueue[_Method | None] = queue.SimpleQueue()
        self._done: deque[tuple[_Method, Outcome]] = deque()
        self._told = False
        """Whether the loop was notified of results."""
        self._waiting = 0
        """Methods whose result has not returned to the loop."""
        self._looking = False
        self._running: tuple[float, _Method] | None = None
        """The method that runs now, and its deadline."""
        self._thread = threading.Thread(target=self._run, daemon=True, name=name)
        self._thread.start()

    @classmethod
    def take(cls) -> "MethodThread":
        try:
            return cls.idle.pop() if cls.idle else cls()
        except RuntimeError as error:
            raise InfrastructureFailure(
                f"No more threads can be started: {error}. Lower --concurrency or raise the thread limit of the system."
            ) from error

    def give_back(self) -> None:
        self.idle.append(self)

    async def run(self, function: Callable[..., Any], args: Any, kwargs: Any, limit_s: float = math.inf) -> Outcome:
        """Runs a method. If it takes longer than its limit, its error is `Overdue` and the thread is abandoned. The time in which
        it waits for other methods does not count."""
        if self.abandoned:
            return Outcome(error=ThreadAbandoned())
        loop = asyncio.get_running_loop()
        method = _Method(loop.create_future(), function, args, kwargs, limit_s)
        self._waiting += 1
        if limit_s < math.inf and not self._looking:
            self._looking = True
            loop.call_later(_LOOK_S, self._look, loop)
        self._methods.put(method)
        return await method.future

    async def run_alone(self, function: Callable[..., Any], args: Any, kwargs: Any, seconds: float | None) -> Outcome:
        """Runs a method on a thread that nothing else uses. If it takes longer than `seconds`, or the episode ends first, the
        thread is abandoned."""
        clock = asyncio.timeout(seconds)
        try:
            async with clock:
                return await self.run(function, args, kwargs)
        except BaseException:
            self.abandon()
            if clock.expired():
                raise Overdue from None
            raise

    def abandon(self) -> None:
        """Leaves the thread behind. An endless loop in it is interrupted. A call that blocks ends it when it returns."""
        self.abandoned = True
        MethodThread.stuck += 1
        raise_in(self._thread.ident or 0, Overdue)
        with contextlib.suppress(queue.Empty):
            while (method := self._methods.get_nowait()) is not None:
                self._answer(method, Outcome(error=ThreadAbandoned()))
        self._methods.put(None)

    def _run(self) -> None:
        with contextlib.suppress(Overdue):  # the thread is abandoned, and its method has returned by now
            while (method := self._methods.get()) is not None:
                began = time.monotonic()
                self._running = began + method.limit_s, method
                outcome = Outcome()
                try:
                    outcome.result = method.function(*method.args, **method.kwargs)
                except BaseException as raised:
                    outcome.error = raised
                self._running, outcome.seconds = None, time.monotonic() - began
                self._done.append((method, outcome))
                if not self._told:
                    self._told = True
                    with contextlib.suppress(RuntimeError):  # the loop has ended
                        method.future.get_loop().call_soon_threadsafe(self._settle)
                del method, outcome  # an idle thread keeps no episode's state alive
        MethodThread.stuck -= 1

    def _settle(self) -> None:
        self._told = False
        while self._done:
            self._answer(*self._done.popleft())

    def _answer(self, method: _Method, outcome: Outcome) -> None:
        self._waiting -= 1
        if not method.future.done():
            method.future.set_result(outcome)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        """Every tenth of a second while methods wait: abandons the thread if its method is late."""
        running = self._running
        if running is not None and time.monotonic() > running[0]:
            self._settle()
            self._answer(running[1], Outcome(error=Overdue(), seconds=running[1].limit_s))
            self.abandon()
        self._looking = self._waiting > 0 and not self.abandoned
        if self._looking:
            loop.call_later(_LOOK_S, self._look, loop)


os.register_at_fork(after_in_child=MethodThread.idle.clear)  # a child process has none of its parent's threads

_shared: "WeakKeyDictionary[asyncio.AbstractEventLoop, MethodThread]" = WeakKeyDictionary()


def shared_thread() -> MethodThread:
    """The thread that all quick methods of the running loop share."""
    loop = asyncio.get_running_loop()
    thread = _shared.get(loop)
    if thread is None or thread.abandoned:
        thread = _shared[loop] = MethodThread("verigym-methods")
    return thread
