"""What one command may use, and the part of it that the kernel enforces. The rest is looked at while it runs (`watch`)."""

import math
import resource

from msgspec import Struct

OPEN_FILES = 256


class SandboxLimits(Struct, frozen=True, kw_only=True):
    """Of one command; `disk_mb` and `files` are of the box, over all its commands."""

    seconds: float = 10.0
    """Wall time. `box.run(seconds=...)` overrides it, and scales `cpu_seconds` with it."""
    cpu_seconds: float = 10.0
    """Processor time of all its processes together."""
    memory_mb: int = 512
    """Of all its processes together. A single process that asks for more is refused it (`MemoryError`) and goes on."""
    processes: int = 64
    """Processes and threads together; one more is refused (`EAGAIN`)."""
    file_mb: int = 64
    """Of any one file."""
    disk_mb: int = 256
    """Of everything in the box; also of what one command's processes write, kept or not."""
    files: int = 10_000
    """Files and folders in the box."""
    output_kb: int = 256
    """Of standard output, and of standard error; what came before stays."""


def impose(pid: int, limits: SandboxLimits, cpu_seconds: float, others: int) -> None:
    """Sets them on a process that waits to be let go: all that it starts inherits them. `others`: processes that count against
    the same number and are not its own."""
    cpu_s = math.ceil(cpu_seconds) + 1  # should the watch be late; it sees all processes together, and is exact
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
