"""One event loop in a thread, for plain code that calls async code.

`run(coroutine)` is `asyncio.run` for the whole package. On a `LoopThread` it uses the loop of that thread. `LoopThread.call`
runs a plain function on its thread and waits for the result, so it also works while the caller's own event loop runs (a
notebook). Ctrl-C in the caller stops the function and then raises KeyboardInterrupt.
"""

import asyncio
import concurrent.futures
import contextlib
import os
import queue
import threading
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

    def __init__(self, function: Callable[[], Any]) -> None:
        self.function = function
        self.future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        self.stopped = False
        self.done = False
        self.task: asyncio.Task[Any] | None = None
        """The coroutine that the function waits for right now."""
        self.lock = threading.Lock()


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

    def submit(self, function: Callable[[], Any]) -> LoopCall:
        """Queues a function. Its `future` has the result, and `stop` ends it early."""
        self._start()
        job = LoopCall(function)
        self._jobs.put(job)
        return job

    def call(self, function: Callable[[], T], on_tick: Callable[[], None] | None = None) -> T:
        """The result of a function. `on_tick` is called on the caller's thread from time to time while it waits."""
        if _here.thread is self:
            return function()  # from a callback of another call
        job = self.submit(function)
        future = job.future
        try:
            while True:
                try:
                    return future.result(timeout=None if on_tick is None else _TICK_S)
                except concurrent.futures.TimeoutError:
                    if future.done():
                        raise  # raised by the function itself
                    assert on_tick is not None
                    on_tick()
        except KeyboardInterrupt:
            self.stop(job)
            concurrent.futures.wait([future])  # a second Ctrl-C ends this wait
            raise

    def stop(self, job: LoopCall) -> None:
        """Ends a function early: its coroutine is cancelled, and plain code gets an exception."""
        if job.future.cancel():
            return
        with job.lock:
            job.stopped = True
            if job.done:
                return
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
            if self._thread is None or self._pid != os.getpid():  # a forked child has no threads
                self._jobs = queue.SimpleQueue()
                self._pid = os.getpid()
                self._thread = threading.Thread(target=self._work, args=(self._jobs,), daemon=True, name=self._name)
                self._thread.start()

    def _work(self, jobs: "queue.SimpleQueue[LoopCall | None]") -> None:
        _here.thread = self
        while (job := jobs.get()) is not None:
            self._do(job)
            del job
        self._close_loop()

    def _do(self, job: LoopCall) -> None:
        if not job.future.set_running_or_notify_cancel():
            return
        self._current = job
        result: Any = None
        error: BaseException | None = None
        try:
            result = job.function()
        except BaseException as raised:
            error = raised
        with contextlib.suppress(Interrupted), job.lock:
            job.done = True
        raise_in(threading.get_ident(), None)  # an interrupt that came too late
        self._current = None
        if job.stopped and error is not None:
            error = Interrupted()
            self._close_loop()  # it may have been interrupted at any point
        if error is None:
            job.future.set_result(result)
        else:
            job.future.set_exception(error)

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Runs a coroutine on the loop of this thread. Called on this thread only."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        job = self._current
        if self._loop.is_running() or job is None:
            coroutine.close()
            raise RuntimeError("A callback of a workspace method cannot call a workspace method that runs episodes")
        task = self._loop.create_task(coroutine)
        outer = job.task
        with job.lock:
            job.task = task
            if job.stopped:
                task.cancel()
        try:
            return self._loop.run_until_complete(task)
        finally:
            with job.lock:
                job.task = outer
            _end_tasks(self._loop)

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
