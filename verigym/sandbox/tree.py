"""The processes of this machine from /proc, and the descendants of a process."""

import os
import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_FRESH_S = 0.02


class Process(NamedTuple):
    pid: int
    parent: int
    session: int
    started: int
    """Ticks since boot. Together with the pid it is unique."""
    ended: bool
    """Whether it is a zombie, of which only the exit code is left."""
    threads: int
    cpu_s: float
    """Processor time of the process and of the children it waited for."""
    resident: int
    """Resident bytes. Memory that several processes share is counted in each."""


def process(pid: int) -> Process | None:
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as stat:
            text = stat.read(4096)
    except OSError:
        return None
    fields = text[text.rindex(b")") + 2 :].split()  # the name before it may contain anything
    return Process(
        pid=pid,
        parent=int(fields[1]),
        session=int(fields[3]),
        started=int(fields[19]),
        ended=fields[0] in (b"Z", b"X"),
        threads=int(fields[17]),
        cpu_s=sum(map(int, fields[11:15])) / _TICKS,
        resident=int(fields[21]) * _PAGE,
    )


class _Listing:
    """All processes, read at most every 20 ms, however many commands are watched."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made = 0.0
        self._all: Mapping[int, Process] = {}

    def now(self, fresh_s: float = _FRESH_S) -> Mapping[int, Process]:
        with self._lock:
            if time.monotonic() - self._made >= fresh_s:
                processes = (process(int(name)) for name in os.listdir("/proc") if name.isdigit())
                self._all = {each.pid: each for each in processes if each}
                self._made = time.monotonic()
            return self._all


listing = _Listing()


def descendants(roots: Iterable[int], among: Mapping[int, Process]) -> list[Process]:
    """The roots and all their descendants."""
    children: dict[int, list[int]] = {}
    for one in among.values():
        children.setdefault(one.parent, []).append(one.pid)
    found: dict[int, Process] = {}
    pending = list(roots)
    while pending:
        pid = pending.pop()
        if pid in among and pid not in found:
            found[pid] = among[pid]
            pending += children.get(pid, [])
    return list(found.values())


def belongs(pid: int, uid: int) -> bool:
    """Whether the process belongs to that user. True also for a zombie."""
    try:
        return f"\nUid:\t{uid}\t" in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def processes_of(uid: int) -> int:
    """How many processes and threads a user has, as the limit on processes counts them."""
    return sum(one.threads for one in listing.now().values() if belongs(one.pid, uid))


def memory(process: Process) -> int:
    """Bytes of memory, where a page shared by n processes counts as 1/n. Its resident bytes if that cannot be read."""
    try:
        lines = Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return process.resident
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith(("Pss_Anon:", "Pss_Shmem:")))


def written(process: Process) -> int:
    """Bytes that it and the children it waited for wrote to disks."""
    try:
        lines = Path(f"/proc/{process.pid}/io").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("write_bytes:"))
