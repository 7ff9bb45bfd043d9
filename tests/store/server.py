"""A PostgreSQL server of its own in a temporary folder, run by an unprivileged user. It needs the programs of the server."""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path


def programs() -> Path | None:
    """The folder with initdb and pg_ctl."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: -int(path.parent.name.split(".")[0]))
    on_path = shutil.which("initdb")
    folders += [Path(on_path).resolve().parent] if on_path else []
    return next((folder for folder in folders if (folder / "initdb").exists() and (folder / "postgres").exists()), None)


def _processes() -> list[str]:
    return [path.name for path in Path("/proc").glob("[0-9]*")]


def _parent(pid: int) -> int:
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def _is_postgres(pid: int) -> bool:
    """Whether it runs. A number may belong to another program by now, and a dead process may not be buried yet."""
    with contextlib.suppress(OSError):
        name, _, rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
        return name.partition("(")[2] == "postgres" and rest.split()[0] != "Z"
    return False


class PostgresServer:
    """`with PostgresServer() as server: server.url(...)`. It listens on a socket in its folder. A folder that is given is kept
    and used again."""

    def __init__(self, settings: Sequence[str] = (), folder: Path | None = None) -> None:
        found = programs()
        assert found is not None, "PostgreSQL is not installed: apt-get install postgresql"
        self._bin, self._settings = found, settings
        self._kept = folder is not None
        self.folder = folder or Path(tempfile.mkdtemp(prefix="vg-pg-", dir="/tmp"))
        self._user = pwd.getpwnam("postgres").pw_uid if os.getuid() == 0 else None
        if self._user is not None:
            os.chown(self.folder, self._user, -1)

    def __enter__(self) -> "PostgresServer":
        if (self.folder / "data").exists():
            self.kill()  # it may run, if who used it was killed
        else:
            self._run("initdb", "-D", "data", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync")
        self.start()
        return self

    def start(self) -> None:
        settings = " ".join(f"-c {each}" for each in ("listen_addresses=", "max_connections=300", *self._settings))
        self._run("pg_ctl", "-D", "data", "-o", f"-k {self.folder} {settings}", "-l", "log", "-w", "start")

    def kill(self) -> None:
        """SIGKILL of the main process. Its children end by themselves. Returns when all of them have ended."""
        with contextlib.suppress(FileNotFoundError, ProcessLookupError, IndexError):
            main = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
            children = [pid for pid in map(int, _processes()) if _parent(pid) == main]
            if _is_postgres(main):
                os.kill(main, signal.SIGKILL)
            deadline = time.monotonic() + 60
            while any(_is_postgres(pid) for pid in (main, *children)):
                assert time.monotonic() < deadline, "the server does not end"
                time.sleep(0.02)
            for file in (self.folder / "data" / "postmaster.pid", *self.folder.glob(".s.PGSQL.*.lock")):
                file.unlink(missing_ok=True)  # a process that is not buried yet would still count

    def stop(self, mode: str = "immediate") -> None:
        self._run("pg_ctl", "-D", "data", "-m", mode, "-w", "stop")

    def __exit__(self, *_: object) -> None:
        self.stop()
        if not self._kept:
            shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, schema: str = "", user: str = "postgres") -> str:
        """The address of the database. A schema of its own is a store of its own."""
        options = f"&options=-csearch_path%3D{schema}" if schema else ""
        return f"postgresql+psycopg://{user}@/postgres?host={self.folder}{options}"

    def cpu_s(self) -> float:
        """CPU seconds of the server and all its processes, also those that ended."""
        main = (self.folder / "data" / "postmaster.pid").read_text().split()[0]
        total = 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                fields = stat.read_text().rpartition(")")[2].split()
                if stat.parent.name == main:
                    total += sum(map(int, fields[11:15]))
                elif fields[1] == main:
                    total += sum(map(int, fields[11:13]))
        return total / os.sysconf("SC_CLK_TCK")

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [self._bin / program, *arguments],
            cwd=self.folder,
            user=self._user,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE if program == "initdb" else subprocess.DEVNULL,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr or (self.folder / "log").read_text()[-2000:]
