import asyncio
import contextlib
import itertools
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from verigym.core import event_loop
from verigym.core.event_loop import Interrupted, LoopCall, LoopThread


@pytest.fixture
def thread() -> Iterator[LoopThread]:
    thread = LoopThread("test")
    thread.call(lambda: None)
    yield thread
    thread.close()


@contextlib.contextmanager
def interrupted_at(step: int) -> Iterator[None]:
    """Raises KeyboardInterrupt at the start or end of one of the calls that this thread makes."""
    steps = itertools.count()

    def interrupt(*_: object) -> None:
        if next(steps) == step:
            raise KeyboardInterrupt

    sys.setprofile(interrupt)
    try:
        yield
    finally:
        sys.setprofile(None)


def sleep_in_a_coroutine() -> None:
    event_loop.run(asyncio.sleep(60))


def sleep_in_plain_code() -> None:
    while True:
        time.sleep(0.001)


@pytest.mark.timeout(1000)
@pytest.mark.parametrize("work", [sleep_in_a_coroutine, sleep_in_plain_code])
def test_an_interrupt_at_any_step_of_the_caller_stops_the_work(
    thread: LoopThread, work: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_loop, "_TICK_S", 0.001)
    for step in range(1, 120):
        with pytest.raises(KeyboardInterrupt), interrupted_at(step):
            thread.call(work, lambda: None)
        assert thread.call(lambda: "works") == "works"


@pytest.mark.timeout(1000)
def test_a_function_that_waits_for_its_turn_is_skipped_when_stopped(thread: LoopThread) -> None:
    turn = threading.Event()
    ran: list[str] = []
    first, second = LoopCall(turn.wait), LoopCall(lambda: ran.append("second"))
    thread.submit(first)
    thread.submit(second)
    thread.stop(second)
    turn.set()
    second.wait()
    assert not ran and first.result()
    with pytest.raises(Interrupted):
        second.result()


def test_an_error_of_the_function_is_raised_in_the_caller(thread: LoopThread) -> None:
    with pytest.raises(TimeoutError, match="of the function"):
        thread.call(lambda: (_ for _ in ()).throw(TimeoutError("of the function")), lambda: None)


def test_a_call_leaves_nothing_behind_that_hangs_a_debugger(thread: LoopThread) -> None:
    before = sys.gettrace()
    sys.settrace(lambda *_: None)
    try:
        assert thread.call(lambda: 1) == 1
    finally:
        sys.settrace(before)
