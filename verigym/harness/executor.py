"""An adaptive executor: decides where an environment's plain (not async) methods run, so that a slow one blocks no other.

Quick methods run on the event loop's own thread, which costs nothing. An environment that is slow, or not yet known to be
quick, gets one thread per episode. All methods of one episode run on that thread, one after another. So state that belongs to
a thread (a SQLite connection) works, and the order is as written. For the same reason, a class with async methods stays on the
loop with all of them. Nothing has to be declared.

A method that exceeds its limit raises `Overdue`. On the loop it is interrupted. On a thread it is abandoned with the thread
(`method_thread`). If a method of a quick environment hangs, its episode is retried on a thread of its own.
"""

import asyncio
import inspect
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Mapping
from typing import Any

from verigym.core import watchdog as alarm
from verigym.core.errors import EnvironmentFailure, InfrastructureFailure, words_of
from verigym.core.interrupts import is_ctrl_c
from verigym.core.watchdog import Overdue
from verigym.harness.method_thread import MethodThread, Outcome, ThreadAbandoned, shared_thread

_QUICK_S = 0.002
"""Mean seconds of a call. An environment that takes longer waits for something."""
_RECENT = 50
"""Calls in the moving average. A single slow call on a busy machine is soon forgotten."""
_FIRST_THREADS, _MOST_THREADS = 256, 1024
"""Episodes with a thread at the same time: while the environment is unknown, and when it is known to be slow. The first number
grows by itself whenever all threads wait for the model, because then nothing can be measured."""
_NEVER_S = 1e9
_HERE_S = 10.0
"""Maximum seconds of a method on the loop's thread, where all episodes wait for it."""
_CUT_S = 5.0
"""Seconds that a cancelled async method has to end."""
_LEAST_S = 1.0
"""Seconds that a method has after the episode's time is over. `close` and `end_state` come last."""


class OutOfTime(Exception):
    """The episode reached its time limit inside a method on the loop's thread."""


class LoopBlocked(InfrastructureFailure):
    """A method of a quick environment blocked the thread that all episodes share. The retried episode gets its own thread."""


class AdaptiveExecutor:
    """Measures how quick an environment is, and gives slow ones a thread per episode."""

    def __init__(self) -> None:
        self.on_loop = False
        """Whether all methods must stay on the loop, because some are async."""
        self._calls, self._mean_s = 0, 0.0
        self._threads, self._busy = 0, 0
        """Episodes with a thread, and how many of them are running a method now."""
        self._first = _FIRST_THREADS
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def quick(self) -> bool:
        return self.on_loop or (self._calls > 0 and self._mean_s <= _QUICK_S)

    def record(self, seconds: float, informative: bool = True) -> None:
        """Records the duration of a call. One that is not `informative` (setup, cleanup) counts only if it was slow."""
        if informative or seconds > _QUICK_S:
            if self._calls < _RECENT:
                self._calls += 1
            self._mean_s += (min(seconds, 1.0) - self._mean_s) / self._calls
            if self._waiting:
                self._wake()

    async def start_episode(self, seconds: float = _NEVER_S) -> "EpisodeExecutor":
        """The thread for one episode with this time limit. Call `finish` at its end."""
        while not self.quick and self._room <= 0:
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            self.add_running(0)  # all others may wait for the model already
            try:
                await turn
            except asyncio.CancelledError:
                self._wake()  # its turn is another's
                raise
        if not self.quick and MethodThread.stuck >= _MOST_THREADS:
            raise InfrastructureFailure(
                f"{MethodThread.stuck} environment methods never returned. Restart the process. Add timeouts to blocking calls."
            )
        return EpisodeExecutor(self, own_thread=not self.quick, seconds=seconds)

    @property
    def _room(self) -> int:
        """How many more episodes can get a thread."""
        return (_MOST_THREADS if self._calls else self._first) - self._threads

    def add_running(self, methods: int) -> None:
        """Counts methods that started (positive) or ended (negative)."""
        self._busy += methods
        if not self._busy and self._waiting:
            self._first = min(self._first + _FIRST_THREADS, _MOST_THREADS)
            self._wake()

    def add_threads(self, threads: int) -> None:
        self._threads += threads
        if threads < 0:
            self._wake()

    def _wake(self) -> None:
        """Wakes as many waiting episodes as there is room for."""
        most = len(self._waiting) if self.quick else self._room
        while self._waiting and most > 0:
            turn = self._waiting.popleft()
            if not turn.done() and not turn.get_loop().is_closed():
                turn.set_result(None)
                most -= 1


class EpisodeExecutor:
    """Runs one episode's methods: on the loop's thread, on the thread that quick methods share, or on a thread of its own."""

    def __init__(self, executor: AdaptiveExecutor, own_thread: bool, seconds: float = _NEVER_S) -> None:
        self._executor = executor
        self._deadline = time.monotonic() + seconds
        self._own_thread = MethodThread.take() if own_thread else None
        self._shared_thread: MethodThread | None = None
        executor.add_threads(int(own_thread))

    def extend(self, seconds: float) -> None:
        """Moves the deadline of the episode, which waited for this long."""
        self._deadline += seconds

    async def call(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] = {},
        *,
        seconds: float | None = None,
        informative: bool = False,
    ) -> Any:
        """Returns the result of a method, plain or async. Raises `Overdue` if it takes more than `seconds`."""
        try:
            if inspect.iscoroutinefunction(function):
                return await _awaited(function(*args, **kwargs), seconds)
            limit = self._limit(seconds)
            if self._own_thread is not None:
                outcome = await self._in_own_thread(self._own_thread, seconds, function, args, kwargs)
            elif self._executor.on_loop or threading.get_ident() == threading.main_thread().ident:
                outcome = _run_here(function, args, kwargs, limit)
            else:
                if self._shared_thread is None:
                    self._shared_thread = shared_thread()
                outcome = await self._shared_thread.run(function, args, kwargs, limit)
            if outcome.error is not None:
                raise self._reason(outcome.error, outcome.seconds, function, seconds, limit) from outcome.error
            self._executor.record(outcome.seconds, informative)
            result = outcome.result
            return await _awaited(result, seconds) if inspect.isawaitable(result) else result
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and not task.cancelling():  # the episode was not cancelled
                raise RuntimeError(
                    "The method raised CancelledError, although the episode was not cancelled. Catch it in the method"
                ) from error
            raise

    async def _in_own_thread(
        self, thread: MethodThread, seconds: float | None, function: Any, args: Any, kwargs: Any
    ) -> Outcome:
        self._executor.add_running(1)
        try:
            return await thread.run_alone(function, args, kwargs, seconds)
        except BaseException:
            self._own_thread = MethodThread.take()
            self._executor.record(_NEVER_S)
            raise
        finally:
            self._executor.add_running(-1)

    def _limit(self, seconds: float | None) -> float:
        """Seconds that a method may take on a thread that it shares with other episodes."""
        left = max(self._deadline - time.monotonic(), _LEAST_S)
        return min(_NEVER_S if seconds is None else seconds, left, _NEVER_S if self._executor.on_loop else _HERE_S)

    def _reason(
        self, error: BaseException, took_s: float, function: Any, seconds: float | None, limit: float
    ) -> BaseException:
        """What to raise for a method that raised, or was interrupted at its limit."""
        if isinstance(error, ThreadAbandoned):
            return LoopBlocked(
                f"A method of another episode blocked all episodes for {_HERE_S:g} s. Its thread was abandoned. "
                "Repeat the command to retry"
            )
        if not isinstance(error, Overdue) or took_s < limit:  # the method itself may raise `Overdue`
            self._executor.record(took_s)
            return _contained(error)
        self._executor.record(_NEVER_S)
        if seconds == limit:
            return error
        if limit != _HERE_S or self._executor.on_loop:
            return OutOfTime()
        name = getattr(function, "__name__", "a method")
        return LoopBlocked(
            f"{name} blocked all other episodes for {_HERE_S:g} s and was interrupted. Make it faster, or make it async"
        )

    def finish(self) -> None:
        self._executor.record(0.0)  # an episode whose calls were all quick is informative too
        if self._own_thread is not None:
            self._own_thread.give_back()
            self._own_thread = None
            self._executor.add_threads(-1)


def _run_here(function: Any, args: Any, kwargs: Any, limit: float) -> Outcome:
    """Runs a method on the loop's thread. It is interrupted at its limit."""
    result, error = None, None
    began = time.monotonic()
    try:
        result = alarm.guarded(function, limit, *args, **kwargs)
    except BaseException as raised:
        error = raised
    return Outcome(result, error, time.monotonic() - began)


async def in_new_thread(
    function: Callable[..., Any], kwargs: Mapping[str, Any], seconds: float | None = None, args: tuple[Any, ...] = ()
) -> Any:
    """Runs a plain function in its own thread, at the same time as others of its episode."""
    thread = MethodThread.take()
    outcome = await thread.run_alone(function, args, kwargs, seconds)
    thread.give_back()
    return _unwrapped(outcome)


async def _awaited(awaitable: Any, seconds: float | None) -> Any:
    """Returns the result of an async method. It runs as its own task, so that one that ignores cancellation can be abandoned."""
    task = asyncio.create_task(_stepped(awaitable, _HERE_S if seconds is None else min(seconds, _HERE_S)))
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        await _cut(task)
        raise
    if not done:
        await _cut(task)
        raise Overdue
    outcome = task.result()
    if isinstance(outcome.error, Overdue) and (seconds is None or seconds > _HERE_S):
        raise EnvironmentFailure(
            f"An async method blocked every episode: it ran for {_HERE_S:g} s without an await. Add an await."
        )
    return _unwrapped(outcome)


async def _stepped(awaitable: Any, limit: float) -> Outcome:
    try:
        return Outcome(await _Steps(awaitable, limit))
    except asyncio.CancelledError:
        raise
    except BaseException as error:
        return Outcome(error=error)


class _Steps:
    """An awaitable with a time limit for each step from one await to the next."""

    def __init__(self, awaitable: Any, limit: float) -> None:
        self._steps, self._limit = awaitable.__await__(), limit

    def __await__(self) -> Generator[Any, Any, Any]:
        step, value = self._steps.send, None
        while True:
            try:
                given = alarm.guarded(step, self._limit, value)
            except StopIteration as done:
                return done.value
            try:
                step, value = self._steps.send, (yield given)
            except BaseException as error:
                step, value = self._steps.throw, error


async def _cut(task: "asyncio.Task[Any]") -> None:
    """Cancels a task, or abandons it if it does not end."""
    task.cancel()
    await asyncio.wait({task}, timeout=_CUT_S)
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())


def _unwrapped(outcome: Outcome) -> Any:
    if outcome.error is not None:
        raise _contained(outcome.error) from outcome.error
    return outcome.result


def _contained(error: BaseException) -> BaseException:
    """Exceptions that would end the process become a RuntimeError, except for Ctrl-C."""
    if isinstance(error, Exception | SystemExit | Overdue | asyncio.CancelledError) or is_ctrl_c(error):
        return error
    return RuntimeError(f"{type(error).__name__}: {words_of(error)}")
