"""Repeats a call while the database is away for a while: it restarts, or the network is down.

A store behind a network is waited for (`Store.waits_s`). Every write of the store can be repeated: it replaces or skips rows
by their keys. A stream of rows is repeated only before its first row.
"""

import functools
import itertools
import time
from collections.abc import Callable, Iterator
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from verigym.core.printable import warn
from verigym.store.connection import StoreBusy

PATIENCE_S = 120.0
"""How long a database is waited for."""
_FIRST_S, _MOST_S = 0.25, 4.0
"""The first pause between two attempts, and the longest."""
_QUIET_S = 5.0
"""A wait that is shorter is not worth a message."""


class _Waiting(Protocol):
    waits_s: float


P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S", bound=_Waiting)


def repeat(call: Callable[[], R], waits_s: float, only: Callable[[StoreBusy], bool] = lambda error: True) -> R:
    """Calls until it succeeds. Raises the error of the last attempt, or one that `only` excludes."""
    started, pause_s, told = time.monotonic(), _FIRST_S, False
    while True:
        try:
            return call()
        except StoreBusy as error:
            waited_s = time.monotonic() - started
            if waited_s + pause_s > waits_s or not only(error):
                raise
            if waited_s > _QUIET_S and not told:
                warn(f"{error}. Retrying for {waits_s:g} s")
                told = True
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, _MOST_S)


def patient(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """A method of a store that waits for the database."""

    @functools.wraps(method)
    def waiting(store: S, *args: P.args, **kwargs: P.kwargs) -> R:
        if not store.waits_s:
            return method(store, *args, **kwargs)
        return repeat(lambda: method(store, *args, **kwargs), store.waits_s)

    return waiting


def patient_stream(method: Callable[Concatenate[S, P], Iterator[R]]) -> Callable[Concatenate[S, P], Iterator[R]]:
    """A method of a store that streams rows, and waits for the database before the first one."""

    @functools.wraps(method)
    def waiting(store: S, *args: P.args, **kwargs: P.kwargs) -> Iterator[R]:
        if not store.waits_s:
            yield from method(store, *args, **kwargs)
            return

        def first() -> tuple[list[R], Iterator[R]]:
            rows = method(store, *args, **kwargs)
            return list(itertools.islice(rows, 1)), rows

        head, rest = repeat(first, store.waits_s)
        yield from head
        yield from rest

    return waiting
