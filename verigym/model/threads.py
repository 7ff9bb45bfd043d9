"""Runs work in a thread that ends with it.

On a CPU, torch keeps helper threads for each thread that computed in parallel. If there are more helpers than cores, they stop
busy-waiting and every step takes 50% longer. The engine and the update therefore compute in threads that end afterwards. The
event loop stays free.
"""

import asyncio
import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of `work(*args, **kwargs)`. A cancelled call still waits for the work, so weights are never half changed."""
    with ThreadPoolExecutor(1, "verigym-update") as thread:
        return await asyncio.get_running_loop().run_in_executor(thread, functools.partial(work, *args, **kwargs))
