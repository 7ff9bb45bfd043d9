"""An alarm for other people's code that runs on the event loop's own thread: past its limit it is interrupted.

`guarded(verify, 30, task, trajectory)` raises `Overdue` where the function neither returns nor raises in time, be it
in an endless loop or in a call that blocks. It needs the main thread, where signals are delivered, and `watching()`
around the work, which keeps the watch; elsewhere the function is simply called. Left out: code that never comes back
to the interpreter (a C extension that loops, a regular expression that explodes).
"""

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Generator
from typing import Any, TypeVar

T = TypeVar("T")
_LOOK_S = 0.05


class Overdue(BaseException):
    """Interrupted: it took longer than it may. Not an `Exception`, so that a loop that tries again whatever happens ends too."""


class _State:
    deadline: float | None = None
    """Of the guarded function that the main thread is in."""
    watchers: int = 0
    watcher: threading.Thread | None = None
    """The one thread that looks at the clock, for all of them."""
    ended: threading.Event = threading.Event()


def guarded(function: Callable[..., T], seconds: float, /, *args: Any, **kwargs: Any) -> T:
    if not _State.watchers or threading.get_ident() != threading.main_thread().ident:
        return function(*args, **kwargs)
    outer = _State.deadline
    try:
        own = time.monotonic() + seconds
        _State.deadline = own if outer is None else min(own, outer)
        return function(*args, **kwargs)
    finally:
        _State.deadline = outer


@contextlib.contextmanager
def watching() -> Generator[None]:
    """Keeps the watch while it is entered. Where it cannot (another thread, somebody else's alarm) it changes nothing."""
    free = threading.current_thread() is threading.main_thread() and (
        _State.watchers or signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    )
    if not free:
        yield
        return
    if not _State.watchers:
        signal.signal(signal.SIGALRM, _interrupt)
        _State.ended = threading.Event()
        _State.watcher = threading.Thread(target=_watch, args=(_State.ended,), daemon=True, name="verigym-alarm")
        _State.watcher.start()
    _State.watchers += 1
    try:
        yield
    finally:
        _State.watchers -= 1
        if not _State.watchers:
            assert _State.watcher is not None
            _State.ended.set()
            _State.watcher.join()  # before the signal means the end of the process again
            signal.signal(signal.SIGALRM, signal.SIG_DFL)


def _watch(ended: threading.Event) -> None:
    main = threading.main_thread().ident
    assert main is not None
    while not ended.wait(_LOOK_S):
        if _State.deadline is not None and time.monotonic() > _State.deadline:
            signal.pthread_kill(main, signal.SIGALRM)


def _interrupt(*_: object) -> None:
    """Runs on the main thread: only what is still guarded, and still late, is interrupted."""
    if _State.deadline is not None and time.monotonic() > _State.deadline:
        raise Overdue
