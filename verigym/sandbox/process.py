"""A long process in a box, such as an agent. Its output goes to a file, and it can get variables and a network.

Each process has a thread that watches its limits. Agents mostly wait, so any number of them run at once.
"""

import asyncio
import contextlib
import math
import os
import select
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path

from verigym.core.protocols import CommandResult
from verigym.sandbox.folder import Folder
from verigym.sandbox.forward import Forward
from verigym.sandbox.limits import KillReason, SandboxLimits, Watch
from verigym.sandbox.runner import CommandRunner, RunningCommand, start_command
from verigym.sandbox.setup import ProcessSetup

AGENT_LIMITS = SandboxLimits(
    seconds=3600, cpu_seconds=3600, memory_mb=4096, processes=1024, file_mb=1024, disk_mb=4096, files=200_000,
    output_kb=16 << 10, open_files=4096,
)  # fmt: skip
"""Limits for an agent. A tested program needs far less."""
_EVERY_S = 1.0
"""Seconds between two checks of memory, disk and processes. Time limits and the end are noticed at once."""


class BoxProcess:
    """A process that was started in a box. Everything that it started has ended when `wait` or `kill` returns."""

    def __init__(self, runner: CommandRunner, folder: Folder, limits: SandboxLimits, forward: Forward | None) -> None:
        self._runner = runner
        self._folder = folder
        self._limits = limits
        self._forward = forward
        self._halt = os.eventfd(0)
        weakref.finalize(self, os.close, self._halt)
        self._loop = asyncio.get_running_loop()
        self._started: asyncio.Future[RunningCommand] = self._loop.create_future()
        self._ended: asyncio.Future[CommandResult] = self._loop.create_future()
        self.pid = 0
        """The process on the host that stands for it."""

    async def start(self, command: Sequence[str], stdin: str, setup: ProcessSetup) -> None:
        thread = threading.Thread(target=self._live, args=(command, stdin, setup), name="box process", daemon=True)
        thread.start()
        try:
            self.pid = (await asyncio.shield(self._started)).process.pid
        except BaseException:
            os.eventfd_write(self._halt, 1)
            await asyncio.wait([self._ended])
            self._ended.exception()
            if self._forward:
                await self._forward.close()
            raise
        if self._forward:
            await self._forward.serve(await asyncio.to_thread(self._forward.receive))

    async def wait(self) -> CommandResult:
        """Waits for the end. `code` is None if it was killed. Then `stop` and `stderr` say why."""
        result = await asyncio.shield(self._ended)
        if self._forward:
            await self._forward.close()
        return result

    async def kill(self) -> CommandResult:
        if not self._ended.done():
            os.eventfd_write(self._halt, 1)
        return await self.wait()

    def _live(self, command: Sequence[str], stdin: str, setup: ProcessSetup) -> None:
        """The thread from start to end."""
        with contextlib.nullcontext() if self._runner.isolated else self._folder.turn:
            uid = self._folder.uid
            owners = [change_owner(path, None if uid is None else (uid, uid)) for path in setup.writable]
            started = result = None
            try:
                started = start_command(
                    self._runner, self._folder, command, self._limits, self._limits.cpu_seconds, setup
                )
                self._tell(self._started, started)
                threading.Thread(target=_feed, args=(started, stdin), daemon=True).start()
                result = self._watch(started, setup.output, setup.errors)
            except BaseException as error:
                result = error
                if started is not None:
                    started.kill()
            for path, owner in zip(setup.writable, owners, strict=True):
                change_owner(path, owner)
            self._tell(self._started, result)
            self._tell(self._ended, result)

    def _watch(self, started: RunningCommand, *outputs: int) -> CommandResult:
        limits = self._limits
        watch = Watch(started.members, self._folder, limits, limits.seconds, limits.cpu_seconds, _EVERY_S)
        stop: KillReason | None = None
        ended = os.pidfd_open(started.process.pid)
        events = select.poll()
        for fd in (ended, self._halt):
            events.register(fd, select.POLLIN)
        try:
            while stop is None and started.process.poll() is None:
                if (self._halt, select.POLLIN) in events.poll(math.ceil(watch.pause_s * 1000)):
                    stop = KillReason("killed", "the caller ended it")
                elif max(os.fstat(output).st_size for output in outputs) > limits.output_kb << 10:
                    stop = KillReason("output", f"more than {limits.output_kb} kB of output")
                else:
                    stop = watch.look()
        finally:
            os.close(ended)
        code = started.process.returncode
        seconds = watch.passed_s
        stop = started.kill() or stop
        if stop is None:
            return CommandResult(code=code if code >= 0 else 128 - code, seconds=seconds)
        return CommandResult(code=None, stderr=f"[sandbox] killed: {stop.why}\n", stop=stop.kind, seconds=seconds)

    def _tell(self, future: "asyncio.Future", value: object) -> None:
        def put() -> None:
            if not future.done():
                future.set_exception(value) if isinstance(value, BaseException) else future.set_result(value)

        with contextlib.suppress(RuntimeError):  # the loop has ended, and nobody waits
            self._loop.call_soon_threadsafe(put)


def change_owner(folder: Path, owner: tuple[int, int] | None) -> tuple[int, int] | None:
    """Gives a folder and everything in it to a user and group. Returns those of before. Nothing happens if no owner is named.
    Links are not followed."""
    if owner is None:
        return None
    before = folder.stat().st_uid, folder.stat().st_gid
    for path, folders, files in os.walk(folder):
        for name in (".", *folders, *files):
            with contextlib.suppress(FileNotFoundError):
                os.chown(os.path.join(path, name), *owner, follow_symlinks=False)
    return before


def _feed(started: RunningCommand, stdin: str) -> None:
    """Writes standard input and closes it. A process that does not read it ends this too."""
    pipe = started.process.stdin
    assert pipe
    with contextlib.suppress(OSError), pipe:
        data = memoryview(stdin.encode("utf-8", "replace"))
        while data:
            data = data[os.write(pipe.fileno(), data) :]
