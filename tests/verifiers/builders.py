"""What the tests of verifiers have in common: a task, an episode, a verdict, and a sandbox that is only a folder."""

import asyncio
import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from verigym.core.protocols import CommandResult, Context
from verigym.core.records import Failure, Fault, Item, Message, Stop, Task, Trajectory, Verdict
from verigym.verifiers.lift import lift

BROKEN = Trajectory(
    id="broken", task="t", group="g", stop=Stop.ERROR, error=Failure(Fault.INFRASTRUCTURE, "TimeoutError", "away")
)
"""An episode that says nothing about the model."""


def episode(reply: str = "", name: str = "a", **fields: Any) -> Trajectory:
    items: list[Item] = [Message("user", "?"), Message("assistant", reply)]
    return Trajectory(id=name, task="t", group="g", **{"items": items, **fields})


def task(**data: Any) -> Task:
    return Task(id="t", prompt="?", data=data)


def verdict(verify: Any, reply: str | Trajectory, context: Context = Context(), **data: Any) -> Verdict:
    """Through the boundary, as a run gets it."""
    shown = reply if isinstance(reply, Trajectory) else episode(reply)
    [made] = asyncio.run(lift("it", verify).verify(task(**data), [shown], context))
    return made


class FolderSandbox:
    """Commands as plain processes in a folder: enough for tests, no protection at all. It claims otherwise, so that code runs."""

    isolated = True

    async def open(self, files: Mapping[str, str | bytes] = {}) -> "FolderBox":
        box = FolderBox()
        for path, data in files.items():
            await box.write(path, data)
        return box


class FolderBox:
    output = 256 << 10

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()

    async def run(self, command: Sequence[str], *, stdin: str = "", seconds: float | None = None) -> CommandResult:
        return await asyncio.to_thread(self._run, command, stdin, seconds)

    def _run(self, command: Sequence[str], stdin: str, seconds: float | None) -> CommandResult:
        start = time.monotonic()
        pipe = subprocess.PIPE
        folder = self._folder.name
        stop = "exit"
        with subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder, start_new_session=True
        ) as process:
            try:
                out, err = process.communicate(stdin.encode(), seconds)
            except subprocess.TimeoutExpired as error:
                stop, out, err = "time", error.stdout or b"", b""
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        stop = "output" if len(out) > self.output else stop
        return CommandResult(
            code=process.returncode if stop == "exit" else None,
            stdout=out[: self.output].decode("utf-8", "replace"),
            stderr=err.decode("utf-8", "replace"),
            stop=stop,
            seconds=time.monotonic() - start,
        )

    async def read(self, path: str) -> bytes:
        return (Path(self._folder.name) / path).read_bytes()

    async def write(self, path: str, data: str | bytes) -> None:
        (Path(self._folder.name) / path).write_bytes(data.encode() if isinstance(data, str) else data)

    async def close(self) -> None:
        self._folder.cleanup()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()
