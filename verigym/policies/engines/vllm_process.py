"""Starts a vLLM server from a Python environment of its own, and ends it.

vLLM pins other versions of PyTorch and transformers than Verigym, so it is never imported here. The server runs in a process
group of its own and ends with this process, also if this process is killed.
"""

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from verigym.core.errors import BadInput, EngineLost, InfrastructureFailure
from verigym.policies.engines.http import EngineServer
from verigym.policies.engines.vllm import VllmEngine

_RANKS = (1, 8, 16, 32, 64, 128, 256, 320, 512)
"""The ranks that vLLM accepts as its maximum."""
_OURS = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
"""Variables of this Python, which would lead the other one astray."""
_REPLACEABLE = {
    "VLLM_SERVER_DEV_MODE": "1",
    "PYTHONPATH": str(Path(__file__).parent / "vllm_worker"),
}
"""Opens the paths that replace weights, and lets vLLM find what we add to its workers."""
_TAIL = 12
"""Lines of the log that an error shows."""
_GRACE_S = 10.0
_GUARD = """
exec 3<&0
(if read -r ended <&3; then exit; fi; kill -s TERM -- "-$1"; sleep 10; kill -s KILL -- "-$1") >/dev/null 2>&1 &
"""
"""Ends the process group when its standard input closes, which happens whenever this process ends. A line on it means that there
is nothing to end. It runs in the background of a shell that exits, because Ray kills the children of a process that it kills."""


class VllmProcess:
    """A vLLM server that was started here: `process = await VllmProcess.start(python, "models/qwen", versions=4)`.

    `process.engine` is connected to it. `await process.close()` ends it.
    """

    def __init__(self, engine: VllmEngine, server: "_Server") -> None:
        self.engine = engine
        self._server = server

    @property
    def address(self) -> str:
        return self.engine.name

    @property
    def log(self) -> Path:
        """What the server printed."""
        return self._server.log

    @classmethod
    async def start(
        cls,
        python: str | Path,
        model: str,
        *,
        versions: int = 4,
        rank: int = 16,
        max_batch: int = 256,
        flags: Sequence[str] = (),
        environment: Mapping[str, str] = {},
        log: Path | None = None,
        start_s: float = 900.0,
        key_env: str = "VERIGYM_ENGINE_KEY",
        host: str = "127.0.0.1",
        full: bool = False,
    ) -> "VllmProcess":
        """Starts the server on a free port of this machine and waits until it answers. `python` is the interpreter that has vLLM.
        `versions` is the maximum number of loaded adapters, and `rank` their highest rank. `flags` are added to the command.
        `host` is the address of this machine at which the server listens. Other machines cannot reach 127.0.0.1. With `full`, the
        server takes no adapters, and all of its weights can be replaced (`OneVersionEngine`)."""
        if not Path(python).is_file():
            raise BadInput(
                f"{python} is not a Python interpreter. Install vLLM in a virtual environment of its own and name its python"
            )
        if not versions >= 1 or rank > _RANKS[-1] or rank < 1:
            raise BadInput(f"versions must be at least 1, and rank from 1 to {_RANKS[-1]}")
        if full:
            versions, environment = 0, {**environment, **_REPLACEABLE}
        command = _command(model, versions, rank, max_batch, flags)
        server = _Server(python, command, environment, log, key_env, host)
        try:
            await server.answers(start_s)
            engine = await VllmEngine.connect(
                server.address, slots=versions, versions=versions, max_batch=max_batch, key_env=key_env
            )
        except BaseException:
            await server.end()
            raise
        if full:
            engine.replaces_with = "verigym_replace"
        return cls(engine, server)

    @property
    def running(self) -> bool:
        return self._server.process.poll() is None

    async def close(self) -> None:
        await self.engine.close()
        await self._server.end()


def _command(model: str, versions: int, rank: int, max_batch: int, flags: Sequence[str]) -> list[str]:
    """The command of a server with room for this many adapters, or without adapters and with weights that can be replaced."""
    most = next(one for one in _RANKS if one >= rank)
    adapters = [
        "--enable-lora", "--max-loras", str(versions), "--max-cpu-loras", str(versions), "--max-lora-rank", str(most),
    ]  # fmt: skip
    return [
        "-m", "vllm.entrypoints.openai.api_server", "--model", model,
        "--generation-config", "vllm", "--logprobs-mode", "processed_logprobs", "--enable-scale-out",
        "--max-num-seqs", str(max_batch),
        *(adapters if versions else ["--worker-extension-cls", "verigym_vllm_worker.ReplaceableWorker"]), *flags,
    ]  # fmt: skip


class _Server:
    """The process and its guard."""

    def __init__(
        self,
        python: str | Path,
        command: Sequence[str],
        environment: Mapping[str, str],
        log: Path | None,
        key_env: str,
        host: str,
    ) -> None:
        port = _free_port(host)
        self.address = f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{port}"
        self.key_env = key_env
        folder = Path(tempfile.mkdtemp(prefix="verigym-vllm-")) if log is None else log.parent
        self.log = log or folder / "vllm.log"
        own = {"VLLM_ALLOW_RUNTIME_LORA_UPDATING": "1", "VLLM_NO_USAGE_STATS": "1", "PYTHONSAFEPATH": "1"}
        if key := os.environ.get(key_env, "").strip():
            own["VLLM_API_KEY"] = key
        inherited = {name: value for name, value in os.environ.items() if name not in _OURS}
        output: IO[bytes]
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [str(python), *command, "--host", host, "--port", str(port)],
                env={**inherited, **own, **environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self._guard = subprocess.Popen(
            ["sh", "-c", _GUARD, "sh", str(self.process.pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._guard.wait()  # the guard itself goes on

    async def answers(self, start_s: float) -> None:
        """Waits until the server is healthy."""
        server = EngineServer(self.address, self.key_env)
        deadline = time.monotonic() + start_s
        try:
            while True:
                with contextlib.suppress(EngineLost):
                    if (await server.get("/health", 10.0)).ok:
                        return
                if self.process.poll() is not None:
                    raise InfrastructureFailure(
                        f"vLLM ended with code {self.process.returncode} before it answered. {self._tail()}"
                    )
                if time.monotonic() > deadline:
                    raise InfrastructureFailure(f"vLLM did not answer within {start_s:g} s. {self._tail()}")
                await asyncio.sleep(0.2)
        finally:
            await server.close()

    def _tail(self) -> str:
        lines = self.log.read_text(errors="replace").strip().splitlines()[-_TAIL:]
        return f"The end of {self.log}:\n" + "\n".join(lines)

    async def end(self) -> None:
        """Ends the process group, first politely."""
        for number, seconds in ((signal.SIGTERM, _GRACE_S), (signal.SIGKILL, 60.0)):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)
            deadline = time.monotonic() + seconds
            while self.process.poll() is None and time.monotonic() < deadline:
                await asyncio.sleep(0.05)
        assert self._guard.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._guard.stdin.write(b"ended\n")
            self._guard.stdin.close()


def _free_port(host: str) -> int:
    with socket.socket() as probe:
        try:
            probe.bind((host, 0))
        except OSError as error:
            raise BadInput(f"vLLM cannot listen at {host}: {error}. Name an address of this machine") from None
        return probe.getsockname()[1]
