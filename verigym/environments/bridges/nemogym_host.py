"""Runs resources servers of the nemo-gym wheel in processes of their own, in the virtual environment of the bridge.

A server starts with the first episode and is stopped when this process ends, or with it if it is killed. The servers of the wheel
never release a session, so a new process takes over after `_SESSIONS` sessions, and the old one stops after its last.
"""

import ast
import asyncio
import atexit
import contextlib
import json
import os
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any

import aiohttp

from verigym.core.errors import BadInput, InfrastructureFailure, not_found
from verigym.environments.bridges.install import folder_of, require

_SESSIONS = 1000
_START_S = 180.0
_LAST_LINES = 3
_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ")
"""Variables that a server sees. It gets no keys."""


def wheel_folder() -> Path:
    """The folder of the resources servers in the wheel."""
    require("nemogym")
    return next((folder_of("nemogym") / "lib").glob("python*")) / "site-packages" / "resources_servers"


def names() -> list[str]:
    """The servers of the wheel that have example rows."""
    return sorted(path.parents[1].name for path in wheel_folder().glob("*/data/example.jsonl"))


def example_rows(name: str) -> Path:
    path = wheel_folder() / name / "data" / "example.jsonl"
    if not path.is_file():
        raise not_found("resources server of nemo-gym with example rows", name, names())
    return path


def verdict_needs_only_record(name: str) -> bool:
    """Whether `verify` of a server takes only the body. One that takes the request reads its session."""
    tree = ast.parse((wheel_folder() / name / "app.py").read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef) and node.name == "verify"]
    return bool(functions) and all("request" not in {arg.arg for arg in each.args.args} for each in functions)


class ServerProcess:
    """One running server."""

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        python = folder_of("nemogym") / "bin" / "python"
        script = Path(__file__).with_name("nemogym_server.py")
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (closed by stop)
        self._process = subprocess.Popen(
            [str(python), "-P", str(script), name, json.dumps(options)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=tempfile.gettempdir(),
            env={key: os.environ[key] for key in _PASSED_ON if key in os.environ},
            start_new_session=True,  # Ctrl-C reaches this process, which stops the server
        )
        self.name, self.live, self.total = name, 0, 0
        self.retired = False
        try:
            self.url = f"http://127.0.0.1:{self._port()}"
        except BaseException:
            self.stop()
            raise

    def _port(self) -> int:
        """The port that the server prints when it listens. A server that hangs is killed, which ends the wait."""
        timer = threading.Timer(_START_S, self._process.kill)
        timer.start()
        assert self._process.stdout is not None
        try:
            for line in self._process.stdout:  # a server may print other things first
                with contextlib.suppress(ValueError):
                    said = json.loads(line)
                    if isinstance(said, dict) and "nemogym_port" in said:
                        return int(said["nemogym_port"])
        finally:
            timer.cancel()
        self._process.wait()
        raise BadInput(
            f'nemo-gym cannot start the server "{self.name}": {self.last_words()}. It may need keys or packages'
        )

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def last_words(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return " / ".join(lines[-_LAST_LINES:]) or f"exit code {self._process.poll()}, no message"

    def stop(self) -> None:
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            if stream is not None:
                stream.close()


class Host:
    """The current process of one server, and older ones whose sessions are not over yet."""

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        self._name, self._options = name, options
        self._current: ServerProcess | None = None
        self._all: list[ServerProcess] = []
        self._lock = threading.Lock()
        atexit.register(self.stop)

    def start(self) -> ServerProcess:
        """The running server. Raises if it died."""
        with self._lock:
            if self._current is not None and not self._current.running:
                words, self._current = self._current.last_words(), None
                raise InfrastructureFailure(f'The nemo-gym server "{self._name}" ended by itself: {words}')
            if self._current is not None and self._current.total >= _SESSIONS:
                self._retire(self._current)
                self._current = None
            if self._current is None:
                self._current = ServerProcess(self._name, self._options)
                self._all.append(self._current)
            return self._current

    async def session(self) -> ServerProcess:
        """The server for a new session. Call `leave` at its end."""
        ready = self._current
        if ready is None or not ready.running or ready.total >= _SESSIONS:
            ready = await asyncio.to_thread(self.start)
        with self._lock:
            ready.live += 1
            ready.total += 1
        return ready

    def leave(self, server: ServerProcess) -> None:
        with self._lock:
            server.live -= 1
            if server.retired and server.live <= 0:
                self._end(server)

    def _retire(self, server: ServerProcess) -> None:
        server.retired = True
        if server.live <= 0:
            self._end(server)

    def _end(self, server: ServerProcess) -> None:
        if server in self._all:
            self._all.remove(server)
            server.stop()

    def stop(self) -> None:
        with self._lock:
            for server in list(self._all):
                self._end(server)
            self._current = None


async def post(http: aiohttp.ClientSession, url: str, body: Any) -> tuple[int, str]:
    """Status and text of an answer. A server that cannot be reached, or fails, is a failure of the infrastructure."""
    try:
        async with http.post(url, json=body) as answer:
            text = await answer.text(errors="replace")
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        words = "no answer in time" if isinstance(error, TimeoutError) else str(error) or type(error).__name__
        raise InfrastructureFailure(f"{url}: {words}. Check that the resources server is running") from error
    if answer.status >= 500:
        raise InfrastructureFailure(f"{url}: status {answer.status}: {text[:300]}")
    return answer.status, text
