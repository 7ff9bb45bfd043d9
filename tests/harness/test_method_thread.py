"""Quick methods beside a loop that is not on the main thread: they share a thread, and one that hangs is abandoned."""

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from verigym.core.watchdog import Overdue
from verigym.harness.executor import AdaptiveExecutor, EpisodeExecutor, LoopBlocked


def off_main(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Runs a coroutine on a loop that is not on the main thread."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            asyncio.run(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]


def test_methods_of_all_episodes_share_one_thread_that_is_not_the_loops() -> None:
    async def work() -> None:
        places = [EpisodeExecutor(AdaptiveExecutor(), own_thread=False) for _ in range(5)]
        threads = {await place.call(threading.get_ident) for place in places for _ in range(3)}
        assert len(threads) == 1 and threads != {threading.get_ident()}

    off_main(work)


def test_what_a_method_raises_is_raised() -> None:
    async def work() -> None:
        place = EpisodeExecutor(AdaptiveExecutor(), own_thread=False)
        with pytest.raises(ZeroDivisionError):
            await place.call(divmod, (1, 0))
        with pytest.raises(RuntimeError, match="KeyboardInterrupt"):
            await place.call(_interrupt)

    off_main(work)


def _interrupt() -> None:
    raise KeyboardInterrupt


def test_a_method_that_blocks_is_left_behind_and_other_episodes_are_tried_again() -> None:
    release = threading.Event()

    async def work() -> None:
        pace = AdaptiveExecutor()
        hanging, other, older = (EpisodeExecutor(pace, own_thread=False) for _ in range(3))
        await older.call(time.monotonic)
        late = asyncio.create_task(hanging.call(release.wait, seconds=0.2))
        await asyncio.sleep(0.05)
        behind = asyncio.create_task(other.call(time.monotonic))
        with pytest.raises(Overdue):
            await late
        with pytest.raises(LoopBlocked):
            await behind
        with pytest.raises(LoopBlocked):
            await older.call(time.monotonic)
        assert not pace.quick
        assert await EpisodeExecutor(AdaptiveExecutor(), own_thread=False).call(lambda: "whole") == "whole"

    off_main(work)
    release.set()


def test_the_package_can_be_imported_on_another_thread_first() -> None:
    code = (
        "import threading, verigym\n"
        "thread = threading.Thread(target=lambda: verigym.load_environment('toolcall'))\n"
        "thread.start(); thread.join()\n"
        "verigym.load_environment('toolcall')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
