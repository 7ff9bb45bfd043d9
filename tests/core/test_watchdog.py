"""The alarm: what hangs on the main thread is interrupted, and nothing else is."""

import contextlib
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from verigym.core.watchdog import Overdue, guarded, watching

pytestmark = pytest.mark.timeout(1000, method="thread")  # the other method has an alarm of its own


@pytest.fixture(autouse=True)
def no_alarm_before_or_after() -> Iterator[None]:
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    yield
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    assert not [thread for thread in threading.enumerate() if thread.name == "verigym-watchdog"]


def loop_forever() -> None:
    while True:
        pass


def sleep_long() -> None:
    time.sleep(900)


def receive_nothing() -> None:
    here, there = socket.socketpair()
    with here, there:
        here.recv(1)


def swallow_everything() -> None:
    """Survives the first interruption, as code with a broad `except` does."""
    with contextlib.suppress(Exception):
        time.sleep(900)
    time.sleep(900)


@pytest.mark.parametrize("hang", [loop_forever, sleep_long, receive_nothing, swallow_everything])
def test_what_neither_returns_nor_raises_in_time_is_interrupted(hang: Callable[[], None]) -> None:
    began = time.monotonic()
    with watching(), pytest.raises(Overdue):
        guarded(hang, 0.1)
    assert 0.1 <= time.monotonic() - began < 300


def test_what_is_in_time_is_left_alone_with_its_arguments_and_its_result() -> None:
    with watching():
        assert guarded(divmod, 600, 7, 2) == (3, 1)
        assert guarded(sorted, 600, [1, 2], reverse=True) == [2, 1]
        with pytest.raises(ZeroDivisionError):
            guarded(divmod, 600, 1, 0)


def test_nothing_is_interrupted_once_the_guarded_function_has_returned() -> None:
    with watching():
        guarded(time.sleep, 0.1, 0.02)
        began, naps = time.monotonic(), 0
        while time.monotonic() - began < 0.4:
            time.sleep(0.01)
            naps += 1
    assert naps > 1, "slept on past the deadline that was"


def test_after_an_interruption_the_next_call_has_its_own_time() -> None:
    with watching():
        for _ in range(3):
            with pytest.raises(Overdue):
                guarded(loop_forever, 0.05)
        assert guarded(lambda: time.sleep(0.2) or "whole", 600) == "whole"


def test_a_guard_inside_a_guard_leaves_the_outer_ones_deadline_as_it_was() -> None:
    inside: list[str] = []

    def outer() -> None:
        with pytest.raises(Overdue):
            guarded(loop_forever, 0.05)
        inside.append("interrupted")
        assert guarded(lambda: "quick", 600) == "quick"
        inside.append("went on")
        loop_forever()

    with watching(), pytest.raises(Overdue):
        guarded(outer, 3)
    assert inside == ["interrupted", "went on"]


def test_watches_may_be_kept_inside_each_other() -> None:
    with watching():
        with watching(), pytest.raises(Overdue):
            guarded(sleep_long, 0.05)
        with pytest.raises(Overdue):
            guarded(sleep_long, 0.05)


def test_watches_may_end_in_another_order_than_they_began() -> None:
    """As those of two runs in one event loop do."""
    first, second = watching(), watching()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    with pytest.raises(Overdue):
        guarded(sleep_long, 0.05)
    second.__exit__(None, None, None)
    with watching(), pytest.raises(Overdue):
        guarded(sleep_long, 0.05)


def test_without_a_watch_a_function_is_simply_called() -> None:
    assert guarded(lambda: time.sleep(0.2) or "whole", 0.01) == "whole"


@pytest.mark.parametrize("on_main_too", [False, True])
def test_an_endless_loop_on_another_thread_ends_and_the_main_thread_is_not_disturbed(on_main_too: bool) -> None:
    outcomes: list[object] = []

    def elsewhere() -> None:
        with watching():
            try:
                guarded(loop_forever, 0.1)
            except Overdue:
                outcomes.append("interrupted")
            outcomes.append(guarded(lambda: "whole", 600))
            time.sleep(0.3)  # nothing comes too late

    thread = threading.Thread(target=elsewhere)
    with watching() if on_main_too else contextlib.nullcontext():
        handler = signal.getsignal(signal.SIGALRM)
        thread.start()
        guarded(thread.join, 600)
        assert signal.getsignal(signal.SIGALRM) is handler
    assert outcomes == ["interrupted", "whole"]


def test_a_function_that_ends_at_its_limit_leaves_no_exception_behind_on_another_thread() -> None:
    ends: list[str] = []

    def elsewhere() -> None:
        with watching():
            for _ in range(20):
                try:
                    guarded(time.sleep, 0.05, 0.05)
                    ends.append("in time")
                except Overdue:
                    ends.append("late")
                sum(range(10_000))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert len(ends) == 20
