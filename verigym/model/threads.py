"""Work in a thread of its own, which ends with it.

On a CPU torch keeps helper threads for each thread that ever computed in parallel. As soon as there are more of them than
cores they stop waiting actively for each other, and everybody's steps take half as long again. So whoever computes does it in a
thread that ends, the engine as well as an update; the event loop stays free meanwhile.
"""

import asyncio
import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of `work(*args, **kwargs)`. Cancelled, it is waited for all the same: nobody sees weights half changed."""
    with ThreadPoolExecutor(1, "verigym-update") as thread:
        return await asyncio.get_running_loop().run_in_executor(thread, functools.partial(work, *args, **kwargs))
