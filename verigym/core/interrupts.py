"""Tells Ctrl-C and a cancellation from the same exceptions raised by other people's code.

A tool or a verifier may raise `KeyboardInterrupt` or `CancelledError` itself. That is its failure and must not end the run.
"""

import asyncio
import signal
import threading


def ends_run(error: BaseException) -> bool:
    """Whether the exception is an order to stop: Ctrl-C, or the cancellation of the current task."""
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is None or task.cancelling() > 0
    return isinstance(error, GeneratorExit) or is_ctrl_c(error)


def is_ctrl_c(error: BaseException) -> bool:
    """Whether the signal handler of Ctrl-C raised it. Python's own handler leaves no trace, so without another one every
    `KeyboardInterrupt` of the main thread counts. `asyncio.run` installs another one. If Ctrl-C is ignored, as in the background
    of a shell, nothing but other code can raise it."""
    if not isinstance(error, KeyboardInterrupt) or threading.current_thread() is not threading.main_thread():
        return False
    handler = signal.getsignal(signal.SIGINT)
    if handler in (signal.SIG_IGN, signal.SIG_DFL):
        return False
    code = getattr(getattr(handler, "func", handler), "__code__", None)
    if code is None:
        return True
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code is code:
            return True
        step = step.tb_next
    return False
