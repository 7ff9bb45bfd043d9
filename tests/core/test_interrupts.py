"""Ctrl-C, told from a KeyboardInterrupt of other code."""

import signal
from collections.abc import Iterator

import pytest

from verigym.core.interrupts import is_ctrl_c


@pytest.fixture(autouse=True)
def _same_handler_afterwards() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


def raised() -> BaseException:
    try:
        signal.raise_signal(signal.SIGINT)
        raise KeyboardInterrupt
    except BaseException as error:
        return error


def test_with_a_handler_only_what_it_raised_is_ctrl_c() -> None:
    def handler(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, handler)
    assert is_ctrl_c(raised()) and not is_ctrl_c(KeyboardInterrupt())


def test_with_pythons_own_handler_every_one_counts() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    assert is_ctrl_c(raised()) and not is_ctrl_c(RuntimeError())


def test_none_counts_where_ctrl_c_is_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert not is_ctrl_c(raised())
