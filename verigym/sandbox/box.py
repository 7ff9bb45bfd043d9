"""A sandbox, its boxes, and the execution of one command.

Each command has its own thread. So its limits apply while the event loop is busy, and the loop never waits for a process to
start.
"""

import asyncio
import contextlib
import os
import secrets
import selectors
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import IO, Self

from verigym.core.errors import BadInput, InfrastructureFailure, Refused, VerigymError
from verigym.core.protocols import CommandResult
from verigym.sandbox.bubblewrap import environment
from verigym.sandbox.folder import Folder, FolderEntry
from verigym.sandbox.forward import Forward, address
from verigym.sandbox.limits import KillReason, SandboxLimits, Watch
from verigym.sandbox.process import BoxProcess
from verigym.sandbox.runner import CommandRunner, start_command
from verigym.sandbox.setup import ProcessSetup, find_program

_CHUNK = 1 << 16
_FIRST_UID, _NUM_UIDS = 1_900_000_000, 100_000_000


class ProcessSandbox:
    """`core.protocols.Sandbox`. At most two commands per processor run at once. Waiting does not count as time."""

    def __init__(self, runner: CommandRunner, limits: SandboxLimits) -> None:
        self.isolated = runner.isolated
        self.runner = runner
        self.limits = limits
        self.pool = ThreadPoolExecutor(2 * len(os.sched_getaffinity(0)), thread_name_prefix="sandbox")

    async def open(self, files: Mapping[str, str | bytes] = {}) -> "ProcessBox":
        folder = asyncio.get_running_loop().run_in_executor(None, _filled, files)
        try:
            return ProcessBox(self, await asyncio.shield(folder))
        except asyncio.CancelledError:
            folder.add_done_callback(lambda late: late.exception() or late.result().delete())
            raise
        except OSError as error:
            raise InfrastructureFailure(f"The sandbox could not create a working folder: {error}") from error


def _filled(files: Mapping[str, str | bytes]) -> Folder:
    folder = Folder(own_uid())
    try:
        for path, data in files.items():
            folder.write(path, data)
    except BaseException:
        folder.delete()
        raise
    return folder


class ProcessBox:
    """`core.protocols.Box`. Commands find its files in their working folder."""

    def __init__(self, sandbox: ProcessSandbox, folder: Folder) -> None:
        self._sandbox = sandbox
        self._folder = folder
        self._running: dict[Future[CommandResult], threading.Event] = {}
        self._processes: set[BoxProcess] = set()

    async def run(
        self,
        command: Sequence[str],
        *,
        stdin: str = "",
        seconds: float | None = None,
        setup: ProcessSetup = ProcessSetup(),
    ) -> CommandResult:
        """Runs a command to its end. `setup` gives it variables, another working folder, or more places."""
        halt = threading.Event()
        sandbox = self._sandbox
        if setup.places and not sandbox.isolated:
            raise Refused(
                f"Without a sandbox, a command cannot have {', '.join(setup.places.values())}. Install bubblewrap"
            )
        run = sandbox.pool.submit(
            execute, sandbox.runner, self._folder, command, stdin, sandbox.limits, seconds, halt, setup
        )
        self._running[run] = halt
        try:
            return await asyncio.shield(asyncio.wrap_future(run))
        except asyncio.CancelledError:
            await self._end(run)
            raise
        finally:
            del self._running[run]

    async def _end(self, run: "Future[CommandResult]") -> None:
        """Cancels a waiting command, or kills a running one and waits until it has ended."""
        if not run.cancel():
            self._running[run].set()
            await asyncio.wait([asyncio.wrap_future(run)])

    async def start(
        self,
        command: Sequence[str],
        output: int,
        errors: int | None = None,
        *,
        env: Mapping[str, str] = {},
        stdin: str = "",
        network: bool = False,
        reach: Sequence[str] = (),
        readable: Sequence[Path] = (),
        writable: Sequence[Path] = (),
        cwd: Path | None = None,
    ) -> BoxProcess:
        """Starts a long process, such as an agent. Returns when it runs.

        `output` is an open file that gets its standard output, and its standard error if `errors` is None. It can reach the
        addresses in `reach` (`HOST:PORT`) at `127.0.0.1:PORT`. With `network`, it can reach everything that the host can reach.
        It can read its own program and the paths in `readable`, and change the folders in `writable`. `cwd` is one of these
        folders; the default is the folder of the box. The limits of the sandbox apply (`process.AGENT_LIMITS` fit an agent).
        """
        if not command:
            raise BadInput("The command is empty. Pass a program and its arguments")
        sandbox = self._sandbox
        env, found = dict(env), ()
        if sandbox.runner.programs_of_host:
            command, env, found = find_program(command, env, environment("/box", "/tmp")["PATH"])
        forward = None
        if reach and not network and sandbox.runner.isolated:
            if not sandbox.runner.can_forward:
                raise Refused(
                    "A container cannot reach one address and nothing else. Give it the network of the host (--agent-network,"
                    " or network=True in Python), or use bubblewrap (VERIGYM_SANDBOX=bubblewrap)"
                )
            forward = Forward([address(each) for each in reach])
            command = forward.wrap(command)
        process = BoxProcess(sandbox.runner, self._folder, sandbox.limits, forward)
        self._processes.add(process)
        setup = ProcessSetup(
            env=env,
            output=output,
            errors=output if errors is None else errors,
            cwd=str(cwd) if cwd else "",
            network=network,
            readable=(*found, *(Path(os.path.abspath(path)) for path in readable)),
            writable=tuple(Path(os.path.abspath(path)) for path in writable),
            handed=(forward.handed,) if forward else (),
        )
        await process.start(command, stdin, setup)
        return process

    async def read(self, path: str) -> bytes:
        return await asyncio.to_thread(self._folder.read, path)

    async def write(self, path: str, data: str | bytes) -> None:
        await asyncio.to_thread(self._folder.write, path, data)

    async def list(self, most_files: int = 2000, most_bytes: int = 8 << 20) -> dict[str, FolderEntry]:
        """Everything in the working folder, by path. The folder itself is `.`."""
        return await asyncio.to_thread(self._folder.list, most_files, most_bytes)

    async def close(self) -> None:
        for run in list(self._running):
            await self._end(run)
        for process in self._processes:
            with contextlib.suppress(VerigymError):  # it did not start, and its caller knows
                await process.kill()
        await asyncio.to_thread(self._folder.delete)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()


def own_uid() -> int | None:
    """For root, the id of a user that owns nothing and has no other process. None for others, who cannot change their user."""
    return _FIRST_UID + secrets.randbelow(_NUM_UIDS) if os.geteuid() == 0 else None


def execute(
    runner: CommandRunner,
    folder: Folder,
    command: Sequence[str],
    stdin: str,
    limits: SandboxLimits,
    seconds: float | None,
    halt: threading.Event,
    setup: ProcessSetup = ProcessSetup(),
) -> CommandResult:
    """Runs one command to its end, or kills it. All processes that it started have ended when this returns. Plain commands of one
    box take turns, because each kills all remaining processes of its user."""
    if not command:
        raise BadInput("The command is empty. Pass a program and its arguments")
    wall_s = limits.seconds if seconds is None else seconds
    cpu_s = limits.cpu_seconds * wall_s / limits.seconds
    stop: KillReason | None = None
    with contextlib.nullcontext() if runner.isolated else folder.turn:
        started = start_command(runner, folder, command, limits, cpu_s, setup)
        watch = Watch(started.members, folder, limits, wall_s, cpu_s)
        try:
            streams = _Streams(started.process, stdin.encode("utf-8", "replace"), limits.output_kb << 10)
            while started.process.poll() is None and stop is None:
                streams.move(watch.pause_s)
                stop = (
                    KillReason("killed", "the caller cancelled it") if halt.is_set() else streams.full() or watch.look()
                )
            seconds = watch.passed_s
        finally:
            stop = started.kill() or stop
        streams.finish()
    out, err = streams.texts()
    stop = stop or streams.full()
    if stop is None:
        code = started.process.returncode
        return CommandResult(code=code if code >= 0 else 128 - code, stdout=out, stderr=err, seconds=seconds)
    err += "\n" * (err[-1:] not in ("", "\n")) + f"[sandbox] killed: {stop.why}\n"
    return CommandResult(code=None, stdout=out, stderr=err, stop=stop.kind, seconds=seconds)


class _Streams:
    """Writes standard input and collects the output, up to the limit."""

    def __init__(self, process: "subprocess.Popen[bytes]", stdin: bytes, most: int) -> None:
        assert process.stdin and process.stdout and process.stderr
        self._process = process
        self._most = most
        self._left = memoryview(stdin)
        self._kept = {process.stdout: bytearray(), process.stderr: bytearray()}
        self._selector = selectors.DefaultSelector()
        self._selector.register(process.stdin, selectors.EVENT_WRITE)
        for stream in (process.stdin, *self._kept):
            os.set_blocking(stream.fileno(), False)
        for stream in self._kept:
            self._selector.register(stream, selectors.EVENT_READ)

    def move(self, timeout_s: float) -> bool:
        """Moves the data that is ready, and waits for it. If the process has closed its streams, waits for its end."""
        if not self._selector.get_map():
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout_s)
            return False
        ready = self._selector.select(timeout_s)
        for key, _ in ready:
            stream: IO[bytes] = key.fileobj  # type: ignore[assignment]
            if stream in self._kept:
                self._take(stream)
            else:
                self._feed(stream)
        return bool(ready)

    def _take(self, stream: IO[bytes]) -> None:
        data = os.read(stream.fileno(), _CHUNK)
        kept = self._kept[stream]
        kept += data[: self._most + 1 - len(kept)]
        if not data:
            self._drop(stream)

    def _feed(self, stream: IO[bytes]) -> None:
        try:
            self._left = self._left[os.write(stream.fileno(), self._left[:_CHUNK]) :]
        except BrokenPipeError:
            self._left = self._left[:0]
        if not self._left:
            self._drop(stream)

    def _drop(self, stream: IO[bytes]) -> None:
        self._selector.unregister(stream)
        stream.close()

    def full(self) -> KillReason | None:
        if max(map(len, self._kept.values())) > self._most:
            return KillReason("output", f"more than {self._most >> 10} kB of output")
        return None

    def finish(self) -> None:
        """Reads what ended processes left in the pipes."""
        end = time.monotonic() + 1  # a plain process that escaped may hold them open
        while any(not stream.closed for stream in self._kept) and time.monotonic() < end and self.move(0.05):
            pass
        for key in list(self._selector.get_map().values()):
            self._drop(key.fileobj)  # type: ignore[arg-type]
        self._selector.close()

    def texts(self) -> list[str]:
        return [bytes(kept[: self._most]).decode("utf-8", "replace") for kept in self._kept.values()]
