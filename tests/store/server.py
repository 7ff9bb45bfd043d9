"""A PostgreSQL server of its own in a temporary folder, run by an unprivileged user. It needs the programs of the server."""

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path


def programs() -> Path | None:
    """The folder with initdb and pg_ctl."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: -int(path.parent.name.split(".")[0]))
    on_path = shutil.which("initdb")
    folders += [Path(on_path).resolve().parent] if on_path else []
    return next((folder for folder in folders if (folder / "initdb").exists() and (folder / "postgres").exists()), None)


class PostgresServer:
    """`with PostgresServer() as server: server.url(...)`. It listens on a socket in its folder."""

    def __init__(self, settings: Sequence[str] = ()) -> None:
        found = programs()
        assert found is not None, "PostgreSQL is not installed: apt-get install postgresql"
        self._bin, self._settings = found, settings
        self.folder = Path(tempfile.mkdtemp(prefix="vg-pg-", dir="/tmp"))
        self._user = pwd.getpwnam("postgres").pw_uid if os.getuid() == 0 else None
        if self._user is not None:
            os.chown(self.folder, self._user, -1)

    def __enter__(self) -> "PostgresServer":
        self._run("initdb", "-D", "data", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync")
        self.start()
        return self

    def start(self) -> None:
        settings = " ".join(f"-c {each}" for each in ("listen_addresses=", "max_connections=300", *self._settings))
        self._run("pg_ctl", "-D", "data", "-o", f"-k {self.folder} {settings}", "-l", "log", "-w", "start")

    def stop(self, mode: str = "immediate") -> None:
        self._run("pg_ctl", "-D", "data", "-m", mode, "-w", "stop")

    def __exit__(self, *_: object) -> None:
        self.stop()
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
