"""Engines that Ray starts: one actor per engine keeps one server process on its machine, and the driver speaks HTTP with it.

Ray places the actors, and starts one again whose process or machine was lost. The actor starts a server again that ended.
Tokens never go through Ray. Adapters do, because a machine need not see the driver's files.
"""

import asyncio
import contextlib
import hashlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

from msgspec import Struct

import verigym
from verigym.cluster.checks import check_difference
from verigym.core.errors import EngineLost, InfrastructureFailure, VerigymError
from verigym.core.generation import Completion, EngineLoad, Generation
from verigym.policies.engines.http import EngineServer
from verigym.policies.engines.vllm import VllmEngine
from verigym.policies.engines.vllm_process import VllmProcess

KEY_ENV = "VERIGYM_ENGINE_KEY"
START_S = 900.0
"""Maximum seconds until a new engine answers. vLLM loads and compiles the model."""
_ASK_S = 10.0
"""Maximum seconds of a call to an actor."""
_LOAD_S, _FULL_S = 30.0, 600.0
"""Maximum seconds to send an adapter, and to send a whole model."""
_PAUSE_S = (1.0, 30.0)
"""Shortest and longest pause before a server that ended is started again."""


class EngineSpec(Struct, frozen=True, kw_only=True):
    """What an actor needs to start its server."""

    kind: str
    model: str
    name: str
    """The name of the model in requests."""
    python: str = ""
    flags: list[str] = []
    max_batch: int = 256
    versions: int = 4
    rank: int = 16
    quantized: str = ""
    gpus: float = 0.0
    key: str = ""
    full: bool = False
    """Whether all weights are replaced instead of adapters."""


class HostState(Struct, frozen=True):
    """What an actor says about its engine."""

    address: str
    """Empty while the server starts."""
    starts: int
    """How often it was started, also by actors before this one."""
    pid: int = 0
    error: str = ""
    """Why the last start failed."""
    host: str = ""
    clock: float = 0.0


class EngineHost:
    """The actor: keeps one engine process running. Its methods answer at once."""

    def __init__(self, spec: EngineSpec, host: str) -> None:
        """`host` is the address of the driver. On the same machine, the server listens on the loopback interface only."""
        self._spec = spec
        own = _own_address(host)
        self._host = "127.0.0.1" if own == host else own
        self._address, self._error, self._pid = "", "", 0
        self._born, self._starts = time.time_ns(), 0
        self._ended = threading.Event()
        self._cache = Path(tempfile.mkdtemp(prefix="verigym-adapters-"))
        os.environ[KEY_ENV] = spec.key
        threading.Thread(target=self._keep, daemon=True).start()

    def state(self) -> HostState:
        starts = self._born + self._starts
        return HostState(self._address, starts, self._pid, self._error, socket.gethostname(), time.time())

    def put(self, sha256: str, files: dict[str, bytes]) -> str:
        """Stores an adapter, or a whole model, on this machine and returns its folder. `sha256` is the hash of its weights."""
        folder = self._cache / sha256
        if not folder.exists():
            with tempfile.TemporaryDirectory(dir=self._cache) as work:
                draft = Path(work) / "adapter"
                draft.mkdir()
                for name, data in files.items():
                    (draft / Path(name).name).write_bytes(data)
                found = hashlib.sha256(files[_weights_name(files)]).hexdigest()
                if found != sha256:
                    raise InfrastructureFailure(f"The weights {sha256[:12]} were damaged on their way to {self._host}")
                with contextlib.suppress(OSError):  # another call was faster
                    draft.rename(folder)
            self._prune()
        return str(folder)

    def _prune(self) -> None:
        """Deletes all but the newest folders. An engine has read the others."""
        keep = 2 if self._spec.full else self._spec.versions + 4
        folders = sorted(
            (one for one in self._cache.iterdir() if len(one.name) == 64), key=lambda one: one.stat().st_mtime
        )
        for old in folders[:-keep]:
            shutil.rmtree(old, ignore_errors=True)

    def has(self, sha256: str) -> str:
        """The folder of an adapter, or nothing."""
        folder = self._cache / sha256
        return str(folder) if folder.exists() else ""

    def end(self) -> None:
        self._ended.set()

    def _keep(self) -> None:
        pause_s = _PAUSE_S[0]
        while not self._ended.is_set():
            began = time.monotonic()
            self._starts += 1
            try:
                asyncio.run(self._run())
            except Exception as error:  # the driver shows it
                self._error = str(error) if isinstance(error, VerigymError) else f"{type(error).__name__}: {error}"
            self._address, self._pid = "", 0
            pause_s = _PAUSE_S[0] if time.monotonic() - began > 60 else min(2 * pause_s, _PAUSE_S[1])
            self._ended.wait(pause_s)

    async def _run(self) -> None:
        """Starts a server, waits until it ends."""
        process = await (self._start_vllm() if self._spec.kind == "vllm" else self._start_own())
        try:
            self._address, self._error = process.address, ""
            while process.running and not self._ended.is_set():
                await asyncio.sleep(0.2)
            self._error = "The server ended"
        finally:
            self._address = ""
            await process.close()

    async def _start_vllm(self) -> Any:
        spec = self._spec
        process = await VllmProcess.start(
            spec.python,
            spec.model,
            versions=spec.versions,
            rank=spec.rank,
            max_batch=spec.max_batch,
            flags=[*spec.flags, "--served-model-name", spec.name],
            host=self._host,
            start_s=START_S,
            full=spec.full,
        )
        self._pid = process._server.process.pid
        return process

    async def _start_own(self) -> "OwnProcess":
        process = OwnProcess(self._spec, self._host)
        self._pid = process.process.pid
        try:
            await process.answers(START_S)
        except BaseException:
            await process.close()
            raise
        return process


class OwnProcess:
    """`engine_server` as a process that ends with this one."""

    def __init__(self, spec: EngineSpec, host: str) -> None:
        with socket.socket() as probe:
            probe.bind((host, 0))
            port = probe.getsockname()[1]
        self.address = f"http://{host}:{port}"
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 (open as long as the process)
        options = ["--kind", spec.kind, "--model", spec.model, "--name", spec.name, "--host", host, "--port", str(port)]
        options += ["--max-batch", str(spec.max_batch), "--versions", str(spec.versions), "--quantized", spec.quantized]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "verigym.cluster.engine_server", *options, "--with-parent", *spec.flags],
            stdin=subprocess.PIPE,
            stdout=self._log,
            stderr=self._log,
            env={**variables_of(), KEY_ENV: spec.key},
        )

    @property
    def running(self) -> bool:
        return self.process.poll() is None

    async def answers(self, seconds: float) -> None:
        server = EngineServer(self.address)
        deadline = time.monotonic() + seconds
        try:
            while not await server.healthy():
                if not self.running:
                    self._log.seek(0)
                    said = self._log.read()[-600:].decode(errors="replace").strip()
                    raise InfrastructureFailure(f"The engine ended with code {self.process.returncode}: {said}")
                if time.monotonic() > deadline:
                    raise InfrastructureFailure(f"The engine did not answer within {seconds:g} s")
                await asyncio.sleep(0.1)
        finally:
            await server.close()

    async def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        await asyncio.to_thread(self.process.wait)
        self._log.close()


class HostedEngine:
    """The engine of an actor, as the driver or a worker sees it. `actor` is its handle."""

    def __init__(self, actor: Any, name: str, spec: EngineSpec) -> None:
        self.actor, self.name, self.spec = actor, name, spec
        self.max_batch = spec.max_batch
        self._engine: VllmEngine | None = None
        self._starts = 0
        self.error = ""

    async def state(self) -> HostState | None:
        """What the actor says. None if it does not answer, for example because its machine was lost."""
        with contextlib.suppress(Exception):  # Ray has many exceptions for an actor that cannot answer now
            async with asyncio.timeout(_ASK_S):
                return await asyncio.wrap_future(self.actor.state.remote().future())
        return None

    async def connect(self, state: HostState) -> None:
        """Connects to a server that is new, and checks it."""
        check_difference(state.host, state.clock - time.time())
        engine = await VllmEngine.connect(
            state.address, model=self.spec.name, slots=self.spec.versions, max_batch=self.spec.max_batch
        )
        engine.takes_files = False  # the actor stores them on its machine
        if self.spec.full and self.spec.kind == "vllm":
            engine.replaces_with = "verigym_replace"
        if self._engine is not None:
            await self._engine.close()
        self._engine, self._starts = engine, state.starts

    async def alive(self) -> bool:
        state = await self.state()
        if state is not None:
            self.error = state.error
            if not state.address:
                return False
            if state.starts != self._starts or self._engine is None:
                try:
                    await self.connect(state)
                except VerigymError as error:
                    self.error = str(error)
                    return False
        return self._engine is not None and await self._engine.alive()

    async def generate(self, request: Generation) -> Completion:
        return await self._now().generate(request)

    async def load(self, version: str, folder: Path) -> None:
        engine = self._now()
        await engine.load(version, Path(await self._there(folder)))

    async def forget(self, version: str) -> None:
        if self._engine is not None:
            await self._engine.forget(version)

    async def pause(self) -> None:
        await self._now().pause()

    async def replace(self, folder: Path) -> None:
        """Replaces all weights by those of a model in a folder."""
        await self._now().replace(Path(await self._there(folder)))

    async def resume(self) -> None:
        await self._now().resume()

    async def usage(self) -> EngineLoad:
        return await self._now().usage()

    async def close(self) -> None:
        if self._engine is not None:
            await self._engine.close()

    def _now(self) -> VllmEngine:
        if self._engine is None:
            raise EngineLost(f"{self.name} does not run yet")
        return self._engine

    async def _there(self, folder: Path) -> str:
        """The folder of an adapter on the machine of the engine. An adapter that it lacks is sent. Its folder is named by its
        hash, so a worker that does not see the folder can still name it."""
        try:
            if there := await self._ask(self.actor.has.remote(folder.name)):
                return there
            files = {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}
            sha256 = await asyncio.to_thread(_sha256, folder / _weights_name(files))
            return await self._ask(self.actor.put.remote(sha256, files))
        except VerigymError:
            raise
        except Exception as error:
            raise EngineLost(f"{self.name}: the adapter could not be sent ({type(error).__name__})") from None

    async def _ask(self, reference: Any) -> Any:
        async with asyncio.timeout(_FULL_S if self.spec.full else _LOAD_S):
            return await asyncio.wrap_future(reference.future())


def variables_of() -> dict[str, str]:
    """The environment of a process that runs the same Verigym as this one."""
    root = str(Path(verigym.__file__).parents[1])
    paths = [root, *(one for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))}


def _weights_name(files: Collection[str]) -> str:
    """The file with the weights of an adapter, or of a whole model."""
    return next(name for name in ("adapter_model.safetensors", "model.safetensors") if name in files)


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _own_address(other: str) -> str:
    """The address of this machine that another one reaches."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((other, 9))
        return probe.getsockname()[0]
    return "127.0.0.1"
