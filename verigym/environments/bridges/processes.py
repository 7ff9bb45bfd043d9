"""Child processes that serve sessions of another project over HTTP: they are started, shared by episodes, replaced and stopped.

A process starts with the first episode. It ends with this process, even if that is killed, because its standard input closes. A
process that died is replaced for the next session. What the child does is not decided here: `child` and `nemogym_host` do that.
"""

import asyncio
import atexit
import contextlib
import json
import os
import secrets
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping
from typing import Any

import aiohttp

from verigym.core.errors import BadInput, InfrastructureFailure

_START_S = 900.0
"""Limit for the start of a child. It is long, because a child that imports many packages on a busy machine is not dead. A child
that cannot start ends by itself, so nobody waits that long for it."""
_LAST_LINES = 3
_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "SSL_CERT_FILE", "JAVA_HOME")
"""Variables that a child sees. It gets no keys."""


class ChildProcess:
    """One running child. It gets a secret as the first line of its input, and prints {"port": N} when it listens."""

    def __init__(
        self, what: str, command: list[str], variables: Mapping[str, str] = {}, start_s: float = _START_S
    ) -> None:
        self.what, self.secret = what, secrets.token_hex(16)
        self.live, self.total = 0, 0
        """Sessions that run now, and all so far."""
        self.retired = False
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (closed by stop)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=tempfile.gettempdir(),
            env={**{key: os.environ[key] for key in _PASSED_ON if key in os.environ}, **variables},
            start_new_session=True,  # Ctrl-C reaches this process, which stops the child
        )
        try:
            self.port = self._port(start_s)
        except BaseException:
            self.stop()
            raise
        self.url = f"http://127.0.0.1:{self.port}"

    def _port(self, start_s: float) -> int:
        """The port that the child prints. A child that hangs is killed, which ends the wait."""
        late = threading.Event()
        timer = threading.Timer(start_s, lambda: (late.set(), self._process.kill()))
        timer.start()
        assert self._process.stdout is not None and self._process.stdin is not None
        try:
            with contextlib.suppress(OSError):  # it died at once, which the end of its output says too
                self._process.stdin.write(f"{self.secret}\n".encode())
                self._process.stdin.flush()
            for line in self._process.stdout:  # a child may print other things first
                with contextlib.suppress(ValueError):
                    said = json.loads(line)
                    if isinstance(said, dict) and "port" in said:
                        return int(said["port"])
        finally:
            timer.cancel()
        self._process.wait()
        why = f"it did not listen within {start_s:g} s. Its last words: " if late.is_set() else ""
        raise BadInput(f"{self.what} cannot start: {why}{self.last_words()}")

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def last_words(self) -> str:
        """The end of what it wrote to standard error."""
        if self._errors.closed:
            return "it was stopped"
        self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, self._errors.tell() - 20_000))
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return " / ".join(lines[-_LAST_LINES:]) or f"exit code {self._process.poll()}, no message"

    def kill(self) -> None:
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        self.kill()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


class ProcessPool:
    """The processes of one kind of child. Each serves up to `at_once` sessions at the same time, and `lifetime` in all. There are
    up to `most` processes. Further sessions wait."""

    def __init__(
        self, start: Callable[[], ChildProcess], at_once: int = 1_000_000, lifetime: int = 1000, most: int = 64
    ) -> None:
        self._start, self._at_once, self._lifetime, self._most = start, at_once, lifetime, most
        self._all: list[ChildProcess] = []
        self._lock, self._starting = threading.Lock(), threading.Lock()
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = []
        atexit.register(self.stop)

    async def session(self) -> ChildProcess:
        """A process for a new session. Call `leave` at its end."""
        while True:
            child = self._with_room()
            if child is None and self._may_start():
                child = await asyncio.to_thread(self._started)
            if child is not None:
                return child
            loop = asyncio.get_running_loop()
            ended = loop.create_future()
            with self._lock:
                self._waiting.append((loop, ended))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(ended, 1.0)  # a process may also die

    def start(self) -> ChildProcess:
        """A running process, without a session."""
        with self._lock:
            running = next((child for child in self._all if child.running and not child.retired), None)
        child = running or self._started()
        assert child is not None, "without any process, one can be started"
        if running is None:
            self.leave(child)
        return child

    def _may_start(self) -> bool:
        with self._lock:
            return sum(child.running for child in self._all) < self._most

    def _started(self) -> ChildProcess | None:
        with self._starting:
            if (child := self._with_room()) is not None:  # another episode started it meanwhile
                return child
            if not self._may_start():
                return None
            child = self._start()
            with self._lock:
                child.live, child.total = 1, 1
                self._all.append(child)
            return child

    def _with_room(self) -> ChildProcess | None:
        with self._lock:
            for child in list(self._all):
                if not child.running:
                    self._end(child)
                elif child.total >= self._lifetime:
                    self._retire(child)
                elif child.live < self._at_once and not child.retired:
                    child.live += 1
                    child.total += 1
                    return child
        return None

    def leave(self, child: ChildProcess) -> None:
        with self._lock:
            child.live -= 1
            if child.retired and child.live <= 0:
                self._end(child)
            waiting, self._waiting = self._waiting, []
        for loop, ended in waiting:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(lambda ended=ended: ended.done() or ended.set_result(None))

    def _retire(self, child: ChildProcess) -> None:
        child.retired = True
        if child.live <= 0:
            self._end(child)

    def _end(self, child: ChildProcess) -> None:
        if child in self._all:
            self._all.remove(child)
            child.stop()

    def stop(self) -> None:
        with self._lock:
            for child in list(self._all):
                self._end(child)


async def post(
    http: aiohttp.ClientSession, url: str, body: Any, remedy: str, child: ChildProcess | None = None
) -> tuple[int, str]:
    """Status and text of an answer. A server that cannot be reached is a failure of the infrastructure. A child that does not
    answer in time is killed, so that it does not keep others waiting."""
    try:
        async with http.post(url, json=body) as answer:
            return answer.status, await answer.text(errors="replace")
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        words = "no answer in time" if isinstance(error, TimeoutError) else str(error) or type(error).__name__
        if child is not None:
            if isinstance(error, TimeoutError):
                child.kill()
            words = f"{words} ({child.last_words()})" if not child.running else words
        raise InfrastructureFailure(f"{url}: {words}. {remedy}") from error
