"""Processes for agents that are Python functions: one process imports the agent's module once and forks for each episode.

Importing an agent framework takes seconds of processor time, forking takes milliseconds. The children are processes like any
other: each has its own environment, folder, output and process group. `python -m verigym.agents.forks module:function` is the
process that forks. It is told by lines of JSON on its standard input which child to start, and tells by lines on its standard
output which children ended.
"""

import asyncio
import contextlib
import os
import select
import signal
import sys
import traceback
from collections.abc import Mapping
from typing import Any

import msgspec

from verigym.core.errors import BadInput, InfrastructureFailure, VerigymError

_START_S = 300.0
"""Maximum seconds that the module of an agent takes to import."""
_SHOWN = 500


class _Order(msgspec.Struct):
    """A child to start."""

    id: int
    environment: dict[str, str]
    folder: str
    output: str
    errors: str


class _News(msgspec.Struct):
    """What became of a child, or of the import if `id` is -1."""

    id: int
    pid: int = 0
    code: int | None = None
    error: str = ""


class ForkedPrograms:
    """The side of the run. `start` once, `run` for each episode, `close` at the end."""

    def __init__(self, function: str) -> None:
        self._function = function
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._waiting: dict[int, asyncio.Future[_News]] = {}
        self._pids: dict[int, int] = {}
        self._number = 0

    async def start(self, environment: Mapping[str, str]) -> None:
        """Imports the agent. Raises `BadInput` if that fails."""
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "verigym.agents.forks", self._function,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env=dict(environment), start_new_session=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        try:
            line = await asyncio.wait_for(self._process.stdout.readline(), _START_S)
            news = msgspec.json.decode(line, type=_News)
        except (TimeoutError, msgspec.DecodeError) as error:
            await self.close()
            raise BadInput(f"The agent {self._function} could not be loaded. Its process said nothing") from error
        if news.error:
            await self.close()
            raise BadInput(f"The agent {self._function} cannot be loaded: {news.error}")
        self._reading = asyncio.create_task(self._read())

    async def run(
        self, environment: Mapping[str, str], folder: str, output: str, errors: str, seconds: float
    ) -> int | None:
        """Runs the function in a process of its own. Returns its exit code, or None if it was stopped at the time limit."""
        assert self._process is not None and self._process.stdin is not None, "start() comes first"
        if self._reading is None or self._reading.done():
            raise InfrastructureFailure("The process that starts the agents has ended")
        id = self._number = self._number + 1
        ended = asyncio.get_running_loop().create_future()
        self._waiting[id] = ended
        order = _Order(id, dict(environment), folder, output, errors)
        self._process.stdin.write(msgspec.json.encode(order) + b"\n")
        try:
            async with asyncio.timeout(seconds):
                news = await ended
            if news.error:
                raise InfrastructureFailure(news.error)
            return news.code
        except TimeoutError:
            return None
        finally:
            self._kill(id)
            self._waiting.pop(id, None)
            self._pids.pop(id, None)

    def _kill(self, id: int) -> None:
        """Ends a child with everything that it started."""
        pid = self._pids.get(id)
        if pid:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)

    async def _read(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        while line := await self._process.stdout.readline():
            news = msgspec.json.decode(line, type=_News)
            if news.pid:
                self._pids[news.id] = news.pid
            elif (future := self._waiting.get(news.id)) is not None and not future.done():
                future.set_result(news)
        for future in self._waiting.values():
            if not future.done():
                future.set_result(_News(-1, error="The process that starts the agents ended"))

    async def close(self) -> None:
        for id in [*self._pids]:
            self._kill(id)
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            await self._process.wait()
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)


# -- the process that forks -------------------------------------------------------------------------------------------


def main(name: str) -> None:
    from verigym.agents.call import load

    news = os.dup(1)
    os.dup2(2, 1)  # what the module prints while it is imported is not news

    def tell(what: _News) -> None:
        os.write(news, msgspec.json.encode(what) + b"\n")

    try:
        solve = load(name)
    except BaseException as error:  # the user's own module may raise anything
        ours = isinstance(error, VerigymError)
        words = str(error) if ours else "".join(traceback.format_exception_only(error)).strip()
        return tell(_News(-1, error=words[:_SHOWN]))
    woken, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    tell(_News(-1))
    children: dict[int, int] = {}
    buffer = b""
    while True:
        ready, _, _ = select.select([0, woken], [], [])
        if woken in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(woken, 4096)
            _reap(children, tell)
        if 0 in ready:
            data = os.read(0, 1 << 20)
            if not data:
                return
            *lines, buffer = (buffer + data).split(b"\n")
            for line in lines:
                order = msgspec.json.decode(line, type=_Order)
                pid = os.fork()
                if pid == 0:
                    _child(order, solve, [news, woken, wake])
                children[pid] = order.id
                tell(_News(order.id, pid=pid))
            _reap(children, tell)


def _reap(children: dict[int, int], tell: Any) -> None:
    while children:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        if pid in children:
            tell(_News(children.pop(pid), code=os.waitstatus_to_exitcode(status)))


def _child(order: _Order, solve: Any, inherited: list[int]) -> None:
    """The process of one episode. It never returns."""
    code = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        for descriptor in inherited:
            os.close(descriptor)
        streams = ((0, os.devnull, os.O_RDONLY), (1, order.output, os.O_WRONLY), (2, order.errors, os.O_WRONLY))
        for descriptor, file, mode in streams:
            opened = os.open(file, mode | os.O_CREAT)
            os.dup2(opened, descriptor)
            os.close(opened)
        os.environ.clear()
        os.environ.update(order.environment)
        os.chdir(order.folder)
        from verigym.agents.call import solve_episode

        solve_episode(solve)
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main(sys.argv[1])
