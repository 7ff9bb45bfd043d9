"""One thread for the quick methods of many episodes, beside an event loop that is not on the main thread.

On the main thread a signal interrupts a method that hangs, so quick methods run on the loop itself. On another thread nothing
interrupts a call that blocks. There the quick methods run here. If one of them hangs, the thread is left behind and the next
call gets a new one. Methods run in the order of their calls, and their results return to the loop in batches.
"""

import asyncio
import contextlib
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from verigym.core.watchdog import Overdue

_LOOK_S = 0.1


class LeftBehind(Exception):
    """The thread of this method hangs in another one."""


class _Method(NamedTuple):
    future: "asyncio.Future[tuple[float, Any, BaseException | None]]"
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Any
    limit: float


class SharedThread:
    stuck = 0
    """Threads that were left behind and still hang."""
    _of: "WeakKeyDictionary[asyncio.AbstractEventLoop, SharedThread]" = WeakKeyDictionary()

    @classmethod
    def of_loop(cls, loop: asyncio.AbstractEventLoop) -> "SharedThread":
        """The shared thread of a loop."""
        thread = cls._of.get(loop)
        if thread is None:
            thread = cls._of[loop] = cls(loop)
        return thread

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.left_behind = False
        self.loop = loop
        self._work: queue.SimpleQueue[_Method | None] = queue.SimpleQueue()
        self._done: deque[tuple[_Method, float, Any, BaseException | None]] = deque()
        self._told = False
        """Whether the loop was notified of results."""
        self._waiting = 0
        self._looking = False
        self._running: tuple[float, _Method] | None = None
        """Deadline of the method that runs now."""
        threading.Thread(target=self._run, daemon=True, name="verigym-methods").start()

    async def call(self, function: Callable[..., Any], args: Any, kwargs: Any, limit: float) -> tuple[float, Any]:
        """Seconds and result of a method. Raises what it raises, and `Overdue` if it takes longer than its limit."""
        if self.left_behind:
            raise LeftBehind
        method = _Method(self.loop.create_future(), function, args, kwargs, limit)
        self._waiting += 1
        if not self._looking:
            self._looking = True
            self.loop.call_later(_LOOK_S, self._look)
        self._work.put(method)
        took, result, error = await method.future
        if error is not None:
            raise error
        return took, result

    def _run(self) -> None:
        while (method := self._work.get()) is not None:
            began = time.monotonic()
            self._running = began + method.limit, method
            result, error = None, None
            try:
                result = method.function(*method.args, **method.kwargs)
            except BaseException as raised:
                error = raised
            self._running = None
            self._done.append((method, time.monotonic() - began, result, error))
            del method, result, error  # an idle thread keeps no episode's state alive
            if not self._told:
                self._told = True
                with contextlib.suppress(RuntimeError):  # the loop has ended
                    self.loop.call_soon_threadsafe(self._settle)
        SharedThread.stuck -= self.left_behind

    def _settle(self) -> None:
        self._told = False
        while self._done:
            method, took, result, error = self._done.popleft()
            self._answer(method, took, result, error)

    def _answer(self, method: _Method, took: float, result: Any, error: BaseException | None) -> None:
        self._waiting -= 1
        if not method.future.done():
            method.future.set_result((took, result, error))

    def _look(self) -> None:
        """Every tenth of a second while methods wait: leaves the thread behind if its method is late."""
        running = self._running
        if running is not None and time.monotonic() > running[0]:
            self._leave(running[1])
        self._looking = self._waiting > 0 and not self.left_behind
        if self._looking:
            self.loop.call_later(_LOOK_S, self._look)

    def _leave(self, hanging: _Method) -> None:
        self.left_behind = True
        SharedThread.stuck += 1
        SharedThread._of.pop(self.loop, None)
        self._settle()
        self._answer(hanging, hanging.limit, None, Overdue())
        with contextlib.suppress(queue.Empty):
            while (method := self._work.get_nowait()) is not None:
                self._answer(method, 0.0, None, LeftBehind())
        self._work.put(None)
