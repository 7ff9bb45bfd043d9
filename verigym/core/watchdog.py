"""A time limit for other people's code that runs on the thread of the event loop.

`guarded(verify, 30, task, trajectory)` raises `Overdue` if the function neither returns nor raises in time. It needs
`watching()` around the work. Without it the function is simply called. On the main thread a signal interrupts the function,
also in a call that blocks. On any other thread Python raises the exception at the next step of the function, so an endless
loop ends, but a call that blocks does not. `harness.executor` runs the methods of environments on threads that it can leave
behind for that reason. Code that never returns to the interpreter (a C extension that loops) is not interrupted.
"""

import contextlib
import ctypes
import signal
import threading
import time
from collections.abc import Callable, Generator
from typing import Any, TypeVar

T = TypeVar("T")
_LOOK_S = 0.05
_AGAIN_S = 1.0
"""Seconds until a function that caught the exception and continues is interrupted again."""


class Overdue(BaseException):
    """The function took longer than its limit. Not an `Exception`, so that a loop that catches everything ends too."""


class _Watch:
    """The watch over one thread."""

    def __init__(self, thread: int) -> None:
        self.thread = thread
        self.deadline: float | None = None
        """When the guarded function that the thread runs has to be done."""
        self.depth = 0
        """How often `watching()` is entered."""
        self.lock = threading.Lock()
        self.ended = threading.Event()
        self.clock = threading.Thread(target=self._look, daemon=True, name="verigym-watchdog")

    @property
    def late(self) -> bool:
        return self.deadline is not None and time.monotonic() > self.deadline

    @property
    def on_main(self) -> bool:
        return self.thread == threading.main_thread().ident

    def leave(self, outer: float | None) -> None:
        """The end of a guarded function."""
        if self.on_main:
            self.deadline = outer
            return
        with self.lock:
            self.deadline = outer  # an exception that the function has not seen yet is raised after this block

    def _look(self) -> None:
        wait = _LOOK_S
        while not self.ended.wait(wait):
            wait = _LOOK_S
            if not self.late:
                continue
            if self.on_main:
                signal.pthread_kill(self.thread, signal.SIGALRM)
                continue
            with self.lock:
                if self.late:
                    raise_in(self.thread, Overdue)
                    wait = _AGAIN_S


_watches: dict[int, _Watch] = {}
"""By thread."""


def guarded(function: Callable[..., T], seconds: float, /, *args: Any, **kwargs: Any) -> T:
    watch = _watches.get(threading.get_ident())
    if watch is None:
        return function(*args, **kwargs)
    outer = watch.deadline
    try:
        limit = time.monotonic() + seconds
        watch.deadline = limit if outer is None else min(limit, outer)
        return function(*args, **kwargs)
    finally:
        try:
            watch.leave(outer)
        except Overdue:  # it came at the last moment
            watch.leave(outer)
            raise


@contextlib.contextmanager
def watching() -> Generator[None]:
    """Keeps the watch over this thread. On a main thread whose alarm signal belongs to other code it does nothing."""
    me = threading.get_ident()
    on_main = threading.current_thread() is threading.main_thread()
    watch = _watches.get(me)
    if watch is None:
        if on_main and signal.getsignal(signal.SIGALRM) is not signal.SIG_DFL:
            yield
            return
        watch = _watches[me] = _Watch(me)
        if on_main:
            signal.signal(signal.SIGALRM, _interrupt)
        watch.clock.start()
    watch.depth += 1
    try:
        yield
    finally:
        watch.depth -= 1
        if not watch.depth:
            watch.ended.set()
            watch.clock.join()  # before the signal means the end of the process again
            del _watches[me]
            if on_main:
                signal.signal(signal.SIGALRM, signal.SIG_DFL)


def _interrupt(*_: object) -> None:
    """Runs on the main thread. It interrupts only a function that is still guarded and still late."""
    watch = _watches.get(threading.get_ident())
    if watch is not None and watch.late:
        raise Overdue


def raise_in(thread: int, kind: type[BaseException]) -> None:
    """Raises an exception in another thread at its next step. Never take one back with None: Python 3.11 then leaves its
    flag set, every call takes longer, and a debugger hangs."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(kind))
