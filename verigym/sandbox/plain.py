"""Runs a command as a plain process, for machines without bubblewrap: with limits and cleanup, but not isolated.

It can use the network and every file that its user may read. Started by root, it runs as a user that owns nothing. Started by
an ordinary user, it runs as that user. docs/how-to/sandbox.md lists the other differences.
"""

import contextlib
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from verigym.sandbox.bubblewrap import become, environment
from verigym.sandbox.folder import Folder
from verigym.sandbox.limits import SandboxLimits, impose
from verigym.sandbox.setup import ProcessSetup
from verigym.sandbox.tree import Process, belongs, descendants, listing, processes_of

_KILL_S = 5.0


class PlainCommand:
    """One command and its descendants. They are found by parent, by session, and by their user. If the box has no user of its
    own, they are found by a variable in their environment instead."""

    def __init__(self, leader: "subprocess.Popen[bytes]", uid: int | None, mark: str) -> None:
        self.process = leader
        self._uid = uid
        self._mark = mark.encode()

    def members(self, fresh_s: float = 0.02) -> list[Process]:
        among = listing.now(fresh_s)
        pid = self.process.pid
        roots = [one.pid for one in among.values() if one.session == pid or self._marked(one.pid)]
        return [one for one in descendants([pid, *roots], among) if not one.ended]

    def _marked(self, pid: int) -> bool:
        if self._uid is not None:
            return belongs(pid, self._uid)
        try:
            return self._mark in Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            return False

    def kill(self) -> None:
        """Stops all processes before it kills any. A stopped process cannot start another and still counts against the limit."""
        end = time.monotonic() + _KILL_S
        stopped: set[int] = set()
        while (new := {one.pid for one in self.members(fresh_s=0)} - stopped) and time.monotonic() < end:
            _signal(new, signal.SIGSTOP)
            stopped |= new
        _signal(stopped, signal.SIGKILL)
        self.process.wait()
        while self.members(fresh_s=0) and time.monotonic() < end:
            time.sleep(0.001)


class PlainRunner:
    isolated = can_forward = False
    programs_of_host = True

    def start(
        self,
        folder: Folder,
        command: Sequence[str],
        limits: SandboxLimits,
        cpu_seconds: float,
        setup: ProcessSetup = ProcessSetup(),
    ) -> PlainCommand:
        mark = secrets.token_hex(16)
        as_user = become(folder.uid) if folder.uid is not None else []
        leader = subprocess.Popen(
            ["sh", "-c", 'read -r _ && exec "$@"', "sh", *as_user, *command],
            stdin=subprocess.PIPE,
            stdout=setup.output,
            stderr=setup.errors,
            bufsize=0,
            cwd=setup.cwd or folder.work,
            env={**environment(str(folder.work), str(folder.top / "tmp"), setup.env), "VERIGYM_BOX": mark},
            pass_fds=setup.handed,
            start_new_session=True,
        )
        assert leader.stdin
        others = processes_of(os.getuid() if folder.uid is None else folder.uid)
        # If it has ended already, standard error has the reason.
        with contextlib.suppress(ProcessLookupError, BrokenPipeError):
            impose(leader.pid, limits, cpu_seconds, others)
            leader.stdin.write(b"\n")  # the shell waits for it
        return PlainCommand(leader, folder.uid, mark)


def _signal(pids: set[int], which: int) -> None:
    """Sends a signal, except to processes that have ended and to programs of another user (sudo)."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, which)
