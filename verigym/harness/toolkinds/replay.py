"""A record of calls that answers in place of a live server: `replay: calls.jsonl`.

The first answer to a call is appended to the file, one JSON object per line. Later calls with the same tool and arguments get
that answer. Several processes can use one file: a call that is being made is not made twice. A failure of the server is not
recorded.
"""

import asyncio
import contextlib
import fcntl
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import IO, Any, Literal

import msgspec
from msgspec import Struct

from verigym.core.errors import BadInput, EnvironmentFailure
from verigym.core.records import Json, content_hash
from verigym.harness.state_tools import ToolResult

_LOCKS = 1 << 20
"""Locks of a file. Calls with the same lock wait for each other."""
_POLL_S = 0.02


class Replay(Struct, forbid_unknown_fields=True, kw_only=True):
    """The settings of a record."""

    file: str
    miss: Literal["record", "fail"] = "record"
    """What a call does that is not in the file: it goes to the server and is recorded, or it fails."""
    by: Literal["call", "history"] = "call"
    """Whether an answer depends on the call alone, or also on the calls before it in the episode."""
    tools: list[str] = []
    """The tools to record. Empty: all that are live (HTTP endpoints and MCP servers with a url)."""


class RecordedCall(Struct, frozen=True, omit_defaults=True):
    """One line of the file."""

    tool: str
    arguments: Json
    output: Any
    failed: bool = False
    unsafe: bool = False
    after: str = ""
    """Hash of the calls before it, with `by: history`."""


def key_of(tool: str, arguments: Json, after: str = "") -> str:
    return content_hash([tool, arguments, after])


class Recording:
    """The calls of one file, as this process knows them."""

    def __init__(self, path: Path, settings: Replay) -> None:
        self.path, self.settings = path, settings
        self._calls: dict[str, ToolResult] = {}
        self._read = 0
        """Bytes of the file that were read."""
        if settings.miss == "fail" and not path.is_file():
            raise BadInput(
                f"The record {path} does not exist, and replay.miss is fail. Record it first with miss: record"
            )
        self._refresh()

    def known(self, tool: str, arguments: Json, after: str) -> ToolResult | None:
        return self._calls.get(key_of(tool, arguments, after))

    async def answer(
        self, tool: str, arguments: Json, after: str, call: Callable[[], Awaitable[ToolResult]]
    ) -> ToolResult:
        """The recorded answer, or the one of `call`, which is then recorded."""
        key = key_of(tool, arguments, after)
        if key in self._calls:
            return self._calls[key]
        if self.settings.miss == "fail":
            self._refresh()
            if key in self._calls:
                return self._calls[key]
            shown = msgspec.json.encode(arguments).decode()[:200]
            raise EnvironmentFailure(
                f"{tool} {shown} is not in the record {self.path}, and replay.miss is fail. Record it with miss: record"
            )
        async with self._alone(key):
            self._refresh()
            if key not in self._calls:
                result = await call()
                self._append(RecordedCall(tool, arguments, result.output, result.failed, result.unsafe, after), key)
            return self._calls[key]

    @contextlib.asynccontextmanager
    async def _alone(self, key: str) -> AsyncIterator[None]:
        """Holds the lock of a call, in this process and against others."""
        file, at, held = self._opened(), int(key[:8], 16) % _LOCKS, self._held
        while True:
            if at not in held:
                with contextlib.suppress(BlockingIOError, PermissionError):
                    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, at)
                    held.add(at)
                    break
            await asyncio.sleep(_POLL_S)
        try:
            yield
        finally:
            fcntl.lockf(file, fcntl.LOCK_UN, 1, at)
            held.discard(at)

    @property
    def _held(self) -> set[int]:
        return _HELD.setdefault(str(self.path.resolve()), set())

    def _opened(self) -> IO[bytes]:
        """The file of locks. It stays open, because closing it would release all locks of this process."""
        name = str(self.path.resolve())
        if name not in _LOCK_FILES:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                _LOCK_FILES[name] = open(f"{name}.lock", "ab+")  # noqa: SIM115
            except OSError as error:
                raise EnvironmentFailure(f"The record {self.path} cannot be written: {error}") from error
        return _LOCK_FILES[name]

    def _append(self, recorded: RecordedCall, key: str) -> None:
        line = msgspec.json.encode(recorded) + b"\n"
        try:
            with open(self.path, "ab+") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                end = file.seek(0, os.SEEK_END)
                if end:
                    file.seek(end - 1)
                    if file.read(1) != b"\n":  # a process was killed while it wrote
                        file.write(b"\n")
                file.write(line)
                file.flush()
        except OSError as error:
            raise EnvironmentFailure(f"The record {self.path} cannot be written: {error}") from error
        self._calls.setdefault(key, ToolResult(output=recorded.output, failed=recorded.failed, unsafe=recorded.unsafe))

    def _refresh(self) -> None:
        """Reads the lines that were added since the last time. A line that was cut off by a kill is skipped."""
        try:
            with open(self.path, "rb") as file:
                if file.seek(0, os.SEEK_END) <= self._read:
                    return
                file.seek(self._read)
                data = file.read()
        except FileNotFoundError:
            return
        whole = data.rfind(b"\n") + 1
        for number, line in enumerate(data[:whole].splitlines()):
            try:
                one = msgspec.json.decode(line, type=RecordedCall)
            except msgspec.DecodeError as error:
                if line.strip() and self._read == 0 and number == 0:
                    raise BadInput(f"{self.path} is not a record of calls: {error}. Name another file") from error
                continue
            result = ToolResult(output=one.output, failed=one.failed, unsafe=one.unsafe)
            self._calls.setdefault(key_of(one.tool, one.arguments, one.after), result)
        self._read += whole


_LOCK_FILES: dict[str, IO[bytes]] = {}
_HELD: dict[str, set[int]] = {}
"""Bytes that this process holds. The system does not tell locks of one process apart."""
