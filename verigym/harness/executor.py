"""Where an environment's plain (not async) methods run, so that one that waits holds up nobody else.

Quick ones run on the event loop's own thread, which costs nothing. An environment that was seen to wait, or has not
shown yet that it does not, gets a thread for each episode: all methods of one episode run on one thread, one after
another, so that state that belongs to a thread (a SQLite connection) works, and order is as written. A class with async
methods stays on the loop with all of them, for the same reason. Nothing has to be declared.

A method that outlasts its limit raises `Overdue`: on the loop it is interrupted, in a thread it is left behind. One that is
quick a thousand times and then hangs on the loop is interrupted soon, and its episode tried again in a thread.
"""

import asyncio
import contextlib
import inspect
import os
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Mapping
from typing import Any

from verigym.core import watchdog as alarm
from verigym.core.errors import EnvironmentFailure, InfrastructureFailure, words_of
from verigym.core.watchdog import Overdue
from verigym.harness.shared_thread import LeftBehind, SharedThread

_QUICK_S = 0.002
"""Of a call, on average: an environment that takes longer waits for something."""
_RECENT = 50
"""Calls that the average remembers: one that was held up by a busy machine is soon forgotten."""
_FIRST_THREADS, _MOST_THREADS = 256, 1024
"""Episodes with a thread at once: while nothing is known of the environment (so many more, whenever all of them wait for the
model and nothing can be learnt), and when it is known to wait."""
_NEVER_S = 1e9
_HERE_S = 10.0
"""The longest that a method may run on the loop's thread, where everybody waits for it."""
_CUT_S = 5.0
"""What a cancelled async method may take to end."""
_LEAST_S = 1.0
"""What a method has when the episode's time is over already: `close` and `end_state` come last."""


class OutOfTime(Exception):
    """The time of the whole episode is over, in the middle of a method on the loop's thread."""


class HeldUp(InfrastructureFailure):
    """A method of an environment that had been quick ran for long on the thread that all episodes share. It was interrupted;
    tried again, the episode has a thread of its own."""


class Pace:
    """How quick one environment has been so far."""

    def __init__(self) -> None:
        self.on_loop = False
        """Whether it must stay there: some of its methods are async."""
        self._calls, self._mean_s = 0, 0.0
        self._threads, self._busy = 0, 0
        """Episodes with a thread, and those of them whose method runs just now."""
        self._first = _FIRST_THREADS
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def quick(self) -> bool:
        return self.on_loop or (self._calls > 0 and self._mean_s <= _QUICK_S)

    def saw(self, seconds: float, telling: bool = True) -> None:
        """A call took so long. One that is not `telling` (setting up, clearing away) counts when it was slow."""
        if telling or seconds > _QUICK_S:
            if self._calls < _RECENT:
                self._calls += 1
            self._mean_s += (min(seconds, 1.0) - self._mean_s) / self._calls
            if self._waiting:
                self._wake()

    async def place(self, seconds: float = _NEVER_S) -> "Place":
        """For one episode of at most so long; `leave` it afterwards."""
        while not self.quick and self._room <= 0:
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            self.runs(0)  # all others may wait for the model already
            try:
                await turn
            except asyncio.CancelledError:
                self._wake()  # its turn is another's
                raise
        if not self.quick and _Thread.stuck >= _MOST_THREADS:
            raise InfrastructureFailure(
                f"{_Thread.stuck} methods of {_MOST_THREADS} episodes hang in their threads; start again"
            )
        return Place(self, own_thread=not self.quick, seconds=seconds)

    @property
    def _room(self) -> int:
        """For so many more episodes with a thread."""
        return (_MOST_THREADS if self._calls else self._first) - self._threads

    def runs(self, methods: int) -> None:
        """So many more run now, or fewer."""
        self._busy += methods
        if not self._busy and self._waiting:
            self._first = min(self._first + _FIRST_THREADS, _MOST_THREADS)
            self._wake()

    def took(self, threads: int) -> None:
        self._threads += threads
        if threads < 0:
            self._wake()

    def _wake(self) -> None:
        """As many of those who wait as there is room for."""
        most = len(self._waiting) if self.quick else self._room
        while self._waiting and most > 0:
            turn = self._waiting.popleft()
            if not turn.done() and not turn.get_loop().is_closed():
                turn.set_result(None)
                most -= 1


class Place:
    """Where one episode's methods run: the loop's thread, or one of its own."""

    def __init__(self, pace: Pace, own_thread: bool, seconds: float = _NEVER_S) -> None:
        self._pace = pace
        self._deadline = time.monotonic() + seconds
        self._thread = _Thread.take() if own_thread else None
        self._shared: SharedThread | None = None
        pace.took(int(own_thread))

    async def call(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] = {},
        *,
        seconds: float | None = None,
        telling: bool = False,
    ) -> Any:
        """The result of a method, plain or async; `Overdue` when it takes more than so many seconds."""
        try:
            if inspect.iscoroutinefunction(function):
                return await _awaited(function(*args, **kwargs), seconds)
            result: Any
            shared = self._shared_thread()
            if shared is not None:
                result = await self._in_shared(shared, seconds, telling, function, args, kwargs)
            elif self._thread is None:
                result = self._here(seconds, telling, function, args, kwargs)
            else:
                result = await self._in_thread(self._thread, seconds, telling, function, args, kwargs)
            return await _awaited(result, seconds) if inspect.isawaitable(result) else result
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and not task.cancelling():  # nobody cancelled the episode
                raise RuntimeError("it was cancelled by its own code") from error
            raise

    def _shared_thread(self) -> SharedThread | None:
        """The thread that quick methods share if the loop is not on the main thread."""
        if self._thread is not None or self._pace.on_loop or threading.get_ident() == threading.main_thread().ident:
            return None
        loop = asyncio.get_running_loop()
        if self._shared is None or self._shared.loop is not loop:
            self._shared = SharedThread.beside(loop)
        return self._shared

    def _here(self, seconds: float | None, telling: bool, function: Any, args: Any, kwargs: Any) -> Any:
        began = time.monotonic()
        limit = self._limit(seconds)
        try:
            result = alarm.guarded(function, limit, *args, **kwargs)
        except Overdue:
            if time.monotonic() - began < limit:  # raised by the method itself
                raise
            raise self._late(function, seconds, limit) from None
        except BaseException as error:
            raise _tamed(error) from error
        self._pace.saw(time.monotonic() - began, telling)
        return result

    async def _in_shared(
        self, thread: SharedThread, seconds: float | None, telling: bool, function: Any, args: Any, kwargs: Any
    ) -> Any:
        limit = self._limit(seconds)
        try:
            took, result = await thread.call(function, args, kwargs, limit)
        except LeftBehind:
            raise HeldUp(f"another method held up all episodes for {_HERE_S:g} s and was left behind") from None
        except Overdue:
            raise self._late(function, seconds, limit) from None
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            raise _tamed(error) from error
        self._pace.saw(took, telling)
        return result

    def _limit(self, seconds: float | None) -> float:
        """Seconds that a method may take on a thread that it shares with other episodes."""
        left = max(self._deadline - time.monotonic(), _LEAST_S)
        return min(_NEVER_S if seconds is None else seconds, left, _NEVER_S if self._pace.on_loop else _HERE_S)

    def _late(self, function: Any, seconds: float | None, limit: float) -> BaseException:
        """Why a method was interrupted."""
        self._pace.saw(_NEVER_S)
        if seconds == limit:
            return Overdue()
        if limit != _HERE_S or self._pace.on_loop:
            return OutOfTime()
        name = getattr(function, "__name__", "a method")
        return HeldUp(f"{name} held up all other episodes for {_HERE_S:g} s and was interrupted")

    async def _in_thread(
        self, thread: "_Thread", seconds: float | None, telling: bool, function: Any, args: Any, kwargs: Any
    ) -> Any:
        clock = asyncio.timeout(seconds)
        self._pace.runs(1)
        try:
            async with clock:
                took, result = await thread.call(function, args, kwargs)
        except BaseException as error:  # a time-out, or the episode's own end: the thread may be stuck in it
            thread.abandon()
            self._thread = _Thread.take()
            self._pace.saw(_NEVER_S)
            if isinstance(error, TimeoutError) and clock.expired():  # not one that the method raised
                raise Overdue from None
            raise
        finally:
            self._pace.runs(-1)
        self._pace.saw(took, telling)
        return _unwrapped(result)

    def leave(self) -> None:
        self._pace.saw(0.0)  # an episode whose calls were all quick tells something too
        if self._thread is not None:
            self._thread.give_back()
            self._thread = None
            self._pace.took(-1)


async def beside(function: Callable[..., Any], kwargs: Mapping[str, Any], seconds: float | None = None) -> Any:
    """A plain function in a thread of its own, at the same time as others of its episode."""
    thread = _Thread.take()
    clock = asyncio.timeout(seconds)
    try:
        async with clock:
            _, result = await thread.call(function, (), kwargs)
    except BaseException as error:
        thread.abandon()
        if isinstance(error, TimeoutError) and clock.expired():
            raise Overdue from None
        raise
    thread.give_back()
    return _unwrapped(result)


async def _awaited(awaitable: Any, seconds: float | None) -> Any:
    """What an async method returns. It runs as a task of its own, so that one that will not be cancelled can be left behind."""
    task = asyncio.create_task(_stepped(awaitable, _HERE_S if seconds is None else min(seconds, _HERE_S)))
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        await _cut(task)
        raise
    if not done:
        await _cut(task)
        raise Overdue
    result = task.result()
    if isinstance(result, _Raised) and isinstance(result.error, Overdue) and (seconds is None or seconds > _HERE_S):
        raise EnvironmentFailure(
            f"an async method ran for {_HERE_S:g} s without awaiting anything; every episode waited for it"
        )
    return _unwrapped(result)


async def _stepped(awaitable: Any, limit: float) -> Any:
    try:
        return await _Steps(awaitable, limit)
    except asyncio.CancelledError:
        raise
    except BaseException as error:
        return _Raised(error)


class _Steps:
    """An awaitable whose every step, from one await to the next, may take so long and no longer."""

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
    """Ends a task, or leaves it behind when it will not end."""
    task.cancel()
    await asyncio.wait({task}, timeout=_CUT_S)
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())


def _unwrapped(result: Any) -> Any:
    if isinstance(result, _Raised):
        raise _tamed(result.error) from result.error
    return result


def _tamed(error: BaseException) -> BaseException:
    """Other people's code may raise what ends a process; but for Ctrl-C on the loop, it ends its own call."""
    usual = (Exception, SystemExit, Overdue, asyncio.CancelledError)
    on_loop = isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread()
    return error if isinstance(error, usual) or on_loop else RuntimeError(f"{type(error).__name__}: {words_of(error)}")


class _Raised:
    """What a function in a thread raised: carried as a value, because SystemExit would end the loop as an exception."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


class _Thread:
    """A daemon, so that one that hangs does not keep the process from ending; used again when its episode is over."""

    _idle: "list[_Thread]" = []
    stuck: int = 0
    """Threads that were left behind and have not come back."""

    def __init__(self) -> None:
        self._work: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=self._run, daemon=True, name="verigym-episode").start()

    @classmethod
    def take(cls) -> "_Thread":
        try:
            return cls._idle.pop() if cls._idle else cls()
        except RuntimeError as error:
            raise InfrastructureFailure(f"no more threads can be started ({error})") from error

    def give_back(self) -> None:
        self._idle.append(self)

    def abandon(self) -> None:
        """It is stuck: when it comes back, if ever, it ends."""
        _Thread.stuck += 1
        self._work.put(None)

    def call(self, function: Callable[..., Any], args: Any, kwargs: Any) -> "asyncio.Future[tuple[float, Any]]":
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        self._work.put((loop, future, function, args, kwargs))
        return future

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            _do(*work)
            del work  # an idle thread keeps no episode's state alive
        _Thread.stuck -= 1


os.register_at_fork(after_in_child=_Thread._idle.clear)  # a child process has none of its parent's threads


def _do(loop: asyncio.AbstractEventLoop, future: "asyncio.Future[Any]", function: Any, args: Any, kwargs: Any) -> None:
    began = time.perf_counter()
    try:
        result = function(*args, **kwargs)
    except BaseException as error:
        result = _Raised(error)
    with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
        loop.call_soon_threadsafe(_settle, future, (time.perf_counter() - began, result))


def _settle(future: "asyncio.Future[Any]", value: Any) -> None:
    if not future.done():
        future.set_result(value)
