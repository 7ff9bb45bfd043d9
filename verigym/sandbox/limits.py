"""The limits of a command. The kernel enforces some of them, on single processes. `Watch` enforces the rest while the command
runs: its time, and what all its processes use together.
"""

import math
import resource
import time
from collections.abc import Callable
from typing import Literal, NamedTuple

from msgspec import Struct

from verigym.sandbox.folder import Folder
from verigym.sandbox.tree import Process, memory, written

_EVERY_S = 0.05
_SHARE = 0.1
"""Maximum share of the time that checks may take. On a machine with very many processes, or in a box with many files, checks
are less frequent."""


class SandboxLimits(Struct, frozen=True, kw_only=True):
    """Limits of one command. `disk_mb` and `files` apply to the box, over all its commands."""

    seconds: float = 10.0
    """Wall time. `box.run(seconds=...)` overrides it and scales `cpu_seconds` with it."""
    cpu_seconds: float = 10.0
    """Processor time of all its processes together."""
    memory_mb: int = 512
    """Memory of all its processes together. A single process that asks for more gets a `MemoryError` and continues."""
    processes: int = 64
    """Processes and threads together. Starting one more fails (`EAGAIN`)."""
    file_mb: int = 64
    """Size of a single file."""
    disk_mb: int = 256
    """Size of everything in the box, and of everything that the processes of one command write."""
    files: int = 10_000
    """Files and folders in the box."""
    open_files: int = 256
    """Open files of one process."""
    output_kb: int = 256
    """Size of standard output, and of standard error. The output before the limit is kept."""


def impose(pid: int, limits: SandboxLimits, cpu_seconds: float, others: int) -> None:
    """Sets the limits on a process that has not started its command yet. All processes that it starts inherit them. `others` is
    the number of other processes that count against the process limit."""
    cpu_s = math.ceil(cpu_seconds) + 1  # in case the watch is late. The watch is exact and sees all processes together
    for kind, soft, hard in (
        (resource.RLIMIT_CPU, cpu_s, cpu_s + 1),
        (resource.RLIMIT_DATA, limits.memory_mb << 20, limits.memory_mb << 20),
        (resource.RLIMIT_NPROC, others + limits.processes, others + limits.processes),
        (resource.RLIMIT_FSIZE, limits.file_mb << 20, limits.file_mb << 20),
        (resource.RLIMIT_NOFILE, limits.open_files, limits.open_files),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        had = resource.prlimit(pid, kind)[1]
        most = hard if had == resource.RLIM_INFINITY else min(hard, had)  # only root could raise it
        resource.prlimit(pid, kind, (min(soft, most), most))


class KillReason(NamedTuple):
    """Why a command is killed: the value for the record, and a message."""

    kind: Literal["time", "memory", "output", "killed"]
    why: str


class Watch:
    def __init__(
        self,
        members: Callable[[], list[Process]],
        folder: Folder,
        limits: SandboxLimits,
        wall_s: float,
        cpu_s: float,
        every_s: float = _EVERY_S,
    ) -> None:
        self._members = members
        self._folder = folder
        self._limits = limits
        self._wall_s = wall_s
        self._cpu_s = cpu_s
        self._began = time.monotonic()
        self._every_s = every_s
        self._next = self._began + every_s

    @property
    def passed_s(self) -> float:
        return time.monotonic() - self._began

    @property
    def pause_s(self) -> float:
        """Seconds until the next check."""
        return max(0.0, min(self._next, self._began + self._wall_s) - time.monotonic())

    def look(self) -> KillReason | None:
        """The limit that the command exceeded, or None. Does nothing until the next check is due."""
        if self.passed_s >= self._wall_s:
            return KillReason("time", f"it took more than {self._wall_s:g} s")
        began = time.monotonic()
        if began < self._next:
            return None
        stop = self._processes() or self._disk()
        self._next = time.monotonic() + max(self._every_s, (time.monotonic() - began) / _SHARE)
        return stop

    def _processes(self) -> KillReason | None:
        members, limits = self._members(), self._limits
        if sum(one.cpu_s for one in members) >= self._cpu_s:
            return KillReason("time", f"it used more than {self._cpu_s:g} s of processor time")
        if sum(one.threads for one in members) > limits.processes:
            return KillReason("killed", f"more than {limits.processes} processes and threads")
        most = limits.memory_mb << 20
        if sum(one.resident for one in members) > most and sum(map(memory, members)) > most:
            return KillReason("memory", f"its processes together took more than {limits.memory_mb} MB of memory")
        if sum(map(written, members)) > limits.disk_mb << 20:
            return KillReason("killed", f"it wrote more than {limits.disk_mb} MB")
        return None

    def _disk(self) -> KillReason | None:
        size, count = self._folder.used(self._limits.files)
        if count > self._limits.files:
            return KillReason(
                "killed", f"more than {self._limits.files} files in the sandbox, or folders nested too deeply"
            )
        if size > self._limits.disk_mb << 20:
            return KillReason("killed", f"more than {self._limits.disk_mb} MB in the sandbox")
        return None
