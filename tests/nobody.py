"""Runs a function as a user whom file permissions bind. Root may do everything, so a test as root would prove nothing."""

import multiprocessing
import os
import traceback
from collections.abc import Callable
from typing import Any

NOBODY = 65534


def as_nobody(function: Callable[[], Any]) -> Any:
    """What the function returns in a forked process without privileges. What it imports must be imported before."""
    fork = multiprocessing.get_context("fork")
    ours, theirs = fork.Pipe()

    def child() -> None:
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        try:
            theirs.send((True, function()))
        except BaseException:
            theirs.send((False, traceback.format_exc()))

    process = fork.Process(target=child)
    process.start()
    theirs.close()
    worked, result = ours.recv()
    process.join()
    assert worked, result
    return result
