"""Runs a command in its own namespaces with bubblewrap: no network, a minimal read-only root, writable folders of its own.

For root, bubblewrap alone is not enough. The kernel still treats the command as the host's root: it may write /proc/sys (and so
name a program that the host's kernel runs), and no limit on processes applies to it. So its user namespace is mapped here, and
the command changes to a user that owns nothing on the host (`setpriv`). The command of an ordinary user stays that user.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from verigym.core.errors import InfrastructureFailure
from verigym.sandbox.folder import Folder
from verigym.sandbox.limits import SandboxLimits, impose
from verigym.sandbox.seccomp import seccomp_filter
from verigym.sandbox.setup import ProcessSetup
from verigym.sandbox.tree import Process, descendants, listing, process, processes_of

NOBODY = 65534
PATH = "/usr/local/bin:/usr/bin:/bin"
# Tests of code need no parallel matrix products, and the order of sets must be the same each time.
ENVIRONMENT = {"LANG": "C.UTF-8", "USER": "nobody", "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
_OPTIONS = """
    --unshare-user --unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup-try --hostname sandbox
    --die-with-parent --new-session --cap-drop ALL --ro-bind /usr /usr --dir /etc"""
# Needed to change the user and to enter that user's folder. Valid in its own namespace only, and dropped by setpriv.
_AS_ROOT = "--cap-add CAP_SETUID --cap-add CAP_SETGID --cap-add CAP_DAC_READ_SEARCH"
_NETWORK_FILES = ("resolv.conf", "hosts", "nsswitch.conf", "ssl", "pki", "ca-certificates")
_AS_USER = f"--uid {NOBODY} --gid {NOBODY}"
_COUNTED_BY_NAMESPACE = tuple(map(int, re.findall(r"\d+", os.uname().release)[:2])) >= (5, 14)


class BubblewrapCommand:
    """One command in bubblewrap: the monitor outside, the first process of the new pid namespace, and its descendants."""

    def __init__(self, monitor: "subprocess.Popen[bytes]", first: Process) -> None:
        self.process = monitor
        self._first = first

    def members(self) -> list[Process]:
        """The command and the processes that it started. The first process is part of bubblewrap, so its threads do not count,
        but it holds the usage of orphans."""
        processes = descendants([self._first.pid], listing.now())
        return [each._replace(threads=0) if each.pid == self._first.pid else each for each in processes]

    def kill(self) -> None:
        """Kills all processes: the kernel ends a pid namespace with its first process. Returns when they have ended."""
        if _alive(self._first):
            os.kill(self._first.pid, signal.SIGKILL)
        self.process.wait()
        while _alive(self._first):
            time.sleep(0.0005)


class BubblewrapRunner:
    isolated = can_forward = programs_of_host = True

    def __init__(self) -> None:
        self._program = shutil.which("bwrap") or "bwrap"
        self._filter = seccomp_filter()
        self._as_root = os.geteuid() == 0
        self._root = _root()

    def start(
        self,
        folder: Folder,
        command: Sequence[str],
        limits: SandboxLimits,
        cpu_seconds: float,
        setup: ProcessSetup = ProcessSetup(),
    ) -> BubblewrapCommand:
        assert self._filter is not None
        (info, info_in), (wait, go), (rules, rules_in) = os.pipe(), os.pipe(), os.pipe()
        os.write(rules_in, self._filter)
        os.close(rules_in)
        # It waits until its limits are set. As root it waits for its user map, on standard input, before the command exists.
        waits = ["--userns-block-fd", "0"] if self._as_root else ["--block-fd", str(wait)]
        passed = (info_in, rules) if self._as_root else (info_in, rules, wait)
        mounts = setup.mounts(folder)
        binds = ["--dir", "/box", *(word for path, place in mounts.items() for word in ("--bind", str(path), place))]
        words = [*self._root, *binds, *_opened(setup), "--remount-ro", "/dev", "--remount-ro", "/"]
        words += ["--chdir", setup.cwd or "/box"]
        if setup.network:
            words.remove("--unshare-net")
        words += ["--info-fd", str(info_in), *waits, "--seccomp", str(rules), "--"]
        with open(info) as told, open(go, "wb", buffering=0) as go_on:
            try:
                monitor = subprocess.Popen(
                    [self._program, *words, *(become(NOBODY) if self._as_root else []), *command],
                    stdin=subprocess.PIPE,
                    stdout=setup.output,
                    stderr=setup.errors,
                    bufsize=0,
                    env=environment("/box", "/tmp", setup.env),
                    pass_fds=(*passed, *setup.handed),
                    start_new_session=True,
                )
            finally:
                for fd in (info_in, rules, wait):
                    os.close(fd)
            assert monitor.stdin
            try:
                number = re.search(r'"child-pid": (\d+)', told.read())
                first = process(int(number[1])) if number else None
                if first is None:
                    raise _broken(monitor)
                if self._as_root:
                    for users in ("uid_map", "gid_map"):
                        Path(f"/proc/{first.pid}/{users}").write_text(f"0 0 1\n{NOBODY} {folder.uid} 1\n")
                impose(first.pid, limits, cpu_seconds, self._others())
                (monitor.stdin if self._as_root else go_on).write(b"\n")
            except OSError:  # it ended before its command started
                raise _broken(monitor) from None
        return BubblewrapCommand(monitor, first)

    def _others(self) -> int:
        """Number of other processes that count against the limit. For root there are none, because the command has its own user.
        Otherwise the first process counts, and on old kernels all processes of the user."""
        if self._as_root:
            return 0
        return 1 if _COUNTED_BY_NAMESPACE else 1 + processes_of(os.getuid())


def become(uid: int) -> list[str]:
    """The command prefix that runs a program as another user, without root's groups."""
    return ["setpriv", "--reuid", str(uid), "--regid", str(uid), "--clear-groups", "--inh-caps=-all", "--"]


def environment(home: str, tmp: str, more: Mapping[str, str] = {}) -> dict[str, str]:
    """All environment variables of a command. A `PATH` in `more` comes before the usual one."""
    path = PATH if _in_usr(sys.base_prefix) else f"{sys.base_prefix}/bin:{PATH}"
    path = f"{more['PATH']}:{path}" if more.get("PATH") else path
    return {**ENVIRONMENT, "HOME": home, "TMPDIR": tmp, **more, "PATH": path}


def _opened(setup: ProcessSetup) -> list[str]:
    """The options for folders of the host that a process may read, and for the names and certificates that a network needs."""
    words: list[str] = []
    for path in (*setup.readable, *setup.writable):
        for folder in reversed(path.parents[:-1]):
            words += ["--dir", str(folder)]
        words += ["--bind" if path in setup.writable else "--ro-bind", str(path), str(path)]
    if setup.network:
        for name in _NETWORK_FILES:
            words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    return words


def _root() -> list[str]:
    """The options for every command."""
    words = [*_OPTIONS.split(), *(_AS_ROOT if os.geteuid() == 0 else _AS_USER).split()]
    for name in ("alternatives", "ld.so.cache"):
        words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        path = Path("/") / name
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    if not _in_usr(sys.base_prefix):
        for folder in reversed(Path(sys.base_prefix).parents):
            words += ["--dir", str(folder)]  # everyone may enter it. Created implicitly, only root could
        words += ["--ro-bind", sys.base_prefix, sys.base_prefix]
    return [*words, "--proc", "/proc", "--dev", "/dev"]


def _in_usr(path: str) -> bool:
    return Path(path).is_relative_to("/usr")


def _alive(seen: Process) -> bool:
    now = process(seen.pid)
    return now is not None and now.started == seen.started and not now.ended


def _broken(monitor: "subprocess.Popen[bytes]") -> InfrastructureFailure:
    monitor.kill()
    said = (monitor.communicate()[1] or b"").decode(errors="replace").strip()
    return InfrastructureFailure(f"bubblewrap did not start: {said or 'it ended without a message'}")
