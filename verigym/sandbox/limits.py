"""The limits of a command, and those of them that the kernel enforces. `watch` enforces the rest while the command runs."""

import math
import resource

from msgspec import Struct

OPEN_FILES = 256


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
        (resource.RLIMIT_NOFILE, OPEN_FILES, OPEN_FILES),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        had = resource.prlimit(pid, kind)[1]
        most = hard if had == resource.RLIM_INFINITY else min(hard, had)  # only root could raise it
        resource.prlimit(pid, kind, (min(soft, most), most))
