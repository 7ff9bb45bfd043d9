"""Checks a running command as a whole: its time, and what all its processes use together. The kernel's limits apply to single
processes only.
"""

import time
from collections.abc import Callable
from typing import Literal, NamedTuple

from verigym.sandbox.folder import Folder
from verigym.sandbox.limits import SandboxLimits
from verigym.sandbox.tree import Process, memory, written

_EVERY_S = 0.05
_SHARE = 0.1
"""Maximum share of the time that checks may take. On a machine with very many processes, or in a box with many files, checks
are less frequent."""


class KillReason(NamedTuple):
    """Why a command is killed: the value for the record, and a message."""

    kind: Literal["time", "memory", "output", "killed"]
    why: str


class Watch:
    def __init__(
        self, members: Callable[[], list[Process]], folder: Folder, limits: SandboxLimits, wall_s: float, cpu_s: float
    ) -> None:
        self._members = members
        self._folder = folder
        self._limits = limits
        self._wall_s = wall_s
        self._cpu_s = cpu_s
        self._began = time.monotonic()
        self._next = self._began + _EVERY_S

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
        self._next = time.monotonic() + max(_EVERY_S, (time.monotonic() - began) / _SHARE)
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
                "killed", f"more than {self._limits.files} files in the box, or folders too deep to count"
            )
        if size > self._limits.disk_mb << 20:
            return KillReason("killed", f"more than {self._limits.disk_mb} MB in the box")
        return None
