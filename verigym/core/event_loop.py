"""One event loop in a thread, for plain code that calls async code.

`run(coroutine)` is `asyncio.run` for the whole package. On a `LoopThread` it uses the loop of that thread. `LoopThread.call`
runs a plain function on its thread and waits for the result, so it also works while the caller's own event loop runs (a
notebook). Ctrl-C in the caller stops the function and then raises KeyboardInterrupt.

A KeyboardInterrupt may arrive between any two steps of the caller. Inside `threading.Condition` it can leave a lock held for
ever or turn into a RuntimeError, so the caller waits for a plain lock and not for a future.
"""

import asyncio
import contextlib
import os
import queue
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from verigym.core.watchdog import raise_in

T = TypeVar("T")
_TICK_S = 0.1
"""Seconds between two calls of `on_tick`."""
_END_S = 5.0
"""Seconds that a cancelled task may take to end."""


class Interrupted(BaseException):
    """Raised inside a function on a `LoopThread` that its caller stopped."""


class LoopCall:
    """A function that waits for the thread, or runs on it."""

    def __init__(self, function: Callable[[], Any], on_end: Callable[[], object] | None = None) -> None:
        self.function = function
        self.on_end = on_end
        self.lock = threading.Lock()
        """Held while one of the next four attributes changes."""
        self.started = False
        self.stopped = False
        self.returned = False
        """Whether the function has returned or raised."""
        self.task: asyncio.Task[Any] | None = None
        """The coroutine that the function waits for right now."""
        self.ended = False
        """Whether `result` can be called."""
        self._end = threading.Lock()
        """Held until the call has ended."""
        self._end.acquire()
        self._value: Any = None
        self._error: BaseException | None = None

    def finish(self, value: Any, error: BaseException | None) -> None:
        self._value, self._error = value, error
        self.ended = True
        self._end.release()
        if self.on_end is not None:
            with contextlib.suppress(RuntimeError):  # the event loop of the caller has ended
                self.on_end()

    def wait(self, on_tick: Callable[[], None] | None = None) -> None:
        while not self.ended:
            if not self._end.acquire(timeout=-1 if on_tick is None else _TICK_S) and on_tick is not None:
                on_tick()

    def result(self) -> Any:
        if self._error is not None:
            raise self._error
        return self._value


class _Here(threading.local):
    thread: "LoopThread | None" = None


_here = _Here()


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine to its end and returns its result."""
    thread = _here.thread
    return asyncio.run(coroutine) if thread is None else thread.run(coroutine)


class LoopThread:
    """A daemon thread with one event loop. It runs one function at a time, in the order of the calls."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: queue.SimpleQueue[LoopCall | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._pid = 0
        self._starting = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._current: LoopCall | None = None

    @property
    def is_current(self) -> bool:
        """Whether the caller runs on this thread."""
        return _here.thread is self

    def submit(self, job: LoopCall) -> None:
        """Queues a function. `stop` ends it early."""
        if self._thread is None or self._pid != os.getpid():  # a forked child has no threads
            self._start()
        self._jobs.put(job)

    def call(self, function: Callable[[], T], on_tick: Callable[[], None] | None = None) -> T:
        """The result of a function. `on_tick` is called on the caller's thread from time to time while it waits."""
        if self.is_current:
            return function()  # from a callback of another call
        job = LoopCall(function)
        try:
            self.submit(job)
            job.wait(on_tick)
            return job.result()
        except KeyboardInterrupt:
            self.stop(job)
            if job.started:
                job.wait()  # a second Ctrl-C ends this wait
            raise

    def stop(self, job: LoopCall) -> None:
        """Ends a function early: its coroutine is cancelled, and plain code gets an exception."""
        with job.lock:
            if job.stopped or job.returned:
                return
            job.stopped = True
            if not job.started:
                return  # the thread skips it
            if job.task is not None and self._loop is not None:
                self._loop.call_soon_threadsafe(job.task.cancel)
            elif self._thread is not None and self._thread.ident is not None:
                raise_in(self._thread.ident, Interrupted)

    def close(self) -> None:
        """Ends the thread when it has done what was queued."""
        if self._thread is not None and self._pid == os.getpid():
            self._jobs.put(None)
            if self._thread is not threading.current_thread():
                self._thread.join()
        self._thread = None

    def _start(self) -> None:
        with self._starting:
            if self._thread is None or self._pid != os.getpid():
                jobs: queue.SimpleQueue[LoopCall | None] = queue.SimpleQueue()
                thread = threading.Thread(target=self._work, args=(jobs,), daemon=True, name=self._name)
                thread.start()
                self._jobs, self._pid, self._thread = jobs, os.getpid(), thread

    def _work(self, jobs: "queue.SimpleQueue[LoopCall | None]") -> None:
        _here.thread = self
        while (job := jobs.get()) is not None:
            self._do(job)
            del job
        self._close_loop()

    def _do(self, job: LoopCall) -> None:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        with job.lock:
            job.started = not job.stopped
        if job.stopped:
            return job.finish(None, Interrupted())
        self._current = job
        value: Any = None
        error: BaseException | None = None
        try:
            try:
                value = job.function()
            except BaseException as raised:
                error = raised
            with job.lock:
                job.returned = True
            time.sleep(0)  # an interrupt that came too late is raised here
        except Interrupted:  # it comes only once
            job.returned = True
        self._current = None
        if job.stopped and error is not None:
            error = Interrupted()
            self._close_loop()  # it may have been interrupted at any point
        job.finish(value, error)

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Runs a coroutine on the loop of this thread. Called on this thread only."""
        loop, job = self._loop, self._current
        if loop is None or loop.is_running() or job is None:
            coroutine.close()
            raise RuntimeError("A callback of a workspace method cannot call a workspace method that runs episodes")
        task = loop.create_task(coroutine)
        outer = job.task
        with job.lock:
            job.task = task
            if job.stopped:
                task.cancel()
        try:
            return loop.run_until_complete(task)
        finally:
            with job.lock:
                job.task = outer
            _end_tasks(loop)

    def _close_loop(self) -> None:
        loop, self._loop = self._loop, None
        if loop is None:
            return
        with contextlib.suppress(RuntimeError):
            _end_tasks(loop)
            loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def _end_tasks(loop: asyncio.AbstractEventLoop) -> None:
    """Cancels what a coroutine left running."""
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.wait(tasks, timeout=_END_S))
