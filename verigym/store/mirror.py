"""A local file that follows a PostgreSQL store: what pages read, which ask SQLite many small questions.

Rows are found by `rowid`, which every write renews. Numbers are given before they are committed, so a number counts as passed
only if all transactions that could hold a smaller one have ended. Deleted runs and documents are found by comparison.
"""

import contextlib
import threading
import time
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from verigym.store.address import SHARED
from verigym.store.connection import StoreFailure
from verigym.store.copy import columns_of
from verigym.store.database import Store
from verigym.store.postgres_claim import claimed
from verigym.store.schema import BLOBS, DOCUMENTS, LEDGER, METRICS, RUNS, TASKS, TRAJECTORIES, VERDICTS

_FOLLOWED = (BLOBS, TASKS, TRAJECTORIES, VERDICTS, METRICS, DOCUMENTS)
_OF_RUN = (TASKS, TRAJECTORIES, VERDICTS, METRICS)
_CHUNK = 500
_SETTLED_S = 10.0
"""A number that was given this long ago belongs to a transaction that has begun."""
_IDLE_S = 1.0


class Mirror:
    """`follow` brings the file up to date. `start` does it every second, in a thread."""

    def __init__(self, url: str, path: Path, running: Path) -> None:
        """`running` is the folder for the names of claimed runs."""
        self._source, self.path, self._running = Store(url, query_only=True), path, running
        self._lock, self._stop = threading.Lock(), threading.Event()
        self._thread: threading.Thread | None = None
        self._runs: dict[str, tuple[int, str]] = {}
        """Number and version of the row of each run that was copied."""
        self._pending: tuple[float, int, dict[str, int]] | None = None
        """When numbers were looked at, the first later transaction, and the largest number of each table."""
        self._open()

    def _open(self) -> None:
        """Opens the file. One of another store is made anew."""
        with self._source.reading() as connection:
            source = str(connection.exec_driver_sql("SELECT id FROM store_version").scalar_one())
        for attempt in (self.path, self.path):
            self._file = Store(attempt)
            with self._file._writing() as connection:
                connection.exec_driver_sql("CREATE TABLE IF NOT EXISTS mirror (name TEXT PRIMARY KEY, value)")
                known: dict[str, Any] = dict(
                    connection.exec_driver_sql("SELECT name, value FROM mirror").tuples().all()
                )
                if known.get("source", source) == source:
                    connection.exec_driver_sql("INSERT OR REPLACE INTO mirror VALUES ('source', ?)", (source,))
                    break
            self._file.close()
            for suffix in ("", "-wal", "-shm"):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        self._marks = {table.name: int(known.get(table.name, 0)) for table in _FOLLOWED}

    def start(self) -> None:
        self._thread = threading.Thread(target=self._work, name="verigym-mirror", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while not self._stop.wait(_IDLE_S):
            with contextlib.suppress(StoreFailure):  # the pages show what was read before, until the server is back
                self.follow()

    def close(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=60)
        self._source.close()
        self._file.close()

    def follow(self) -> None:
        """Copies what was added, changed or deleted."""
        with self._lock, self._source.reading() as connection:
            connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            oldest, later = connection.exec_driver_sql(
                "SELECT pg_snapshot_xmin(s)::text::bigint, pg_snapshot_xmax(s)::text::bigint FROM pg_current_snapshot() s"
            ).one()
            changed = self._compare_runs(connection)
            highest = {table.name: self._copy_new(connection, table) for table in _FOLLOWED}
            self._copy_runs(connection, changed)
            self._compare_documents(connection)
            self._copy_ledger(connection)
            self._settle(oldest, later, highest)
            self._show_claims(connection)

    def _compare_runs(self, connection: sa.Connection) -> dict[str, tuple[int, str]]:
        """The runs whose row is new or changed. Removes those that were deleted, also if one of the same name was begun."""
        rows = connection.exec_driver_sql("SELECT id, rowid, xmin::text FROM runs").all()
        now = {id: (number, version) for id, number, version in rows}
        with self._file.reading() as reading:
            copied = dict(reading.exec_driver_sql("SELECT id, rowid FROM runs").tuples().all())
        gone = [id for id, number in copied.items() if id not in now or now[id][0] != number]
        if gone:
            with self._file._writing() as writing:
                for id in gone:
                    for table in _OF_RUN:
                        writing.execute(table.delete().where(table.c.run == id))
                    writing.execute(RUNS.delete().where(RUNS.c.id == id))
        changed = {id: row for id, row in now.items() if self._runs.get(id) != row}
        self._runs = now
        return changed

    def _copy_new(self, connection: sa.Connection, table: sa.Table) -> int:
        """Copies the rows after the mark. Returns the largest number."""
        mark, name = self._marks[table.name], table.name
        found = connection.exec_driver_sql(f"SELECT rowid FROM {name} WHERE rowid > %s ORDER BY rowid", (mark,))
        numbers = list(found.scalars())
        if not numbers:
            return mark
        with self._file.reading() as reading:
            known = set(reading.exec_driver_sql(f"SELECT rowid FROM {name} WHERE rowid > ?", (mark,)).scalars())
        missing = [number for number in numbers if number not in known]
        number = sa.literal_column("rowid", sa.BigInteger())
        for start in range(0, len(missing), _CHUNK):
            some = missing[start : start + _CHUNK]
            query = sa.select(*columns_of(table)).select_from(table).where(number.in_(some)).order_by(number)
            self._write(table, connection.execute(query).all())
        return numbers[-1]

    def _copy_runs(self, connection: sa.Connection, changed: dict[str, tuple[int, str]]) -> None:
        ids = list(changed)
        for start in range(0, len(ids), _CHUNK):
            some = RUNS.c.id.in_(ids[start : start + _CHUNK])
            query = sa.select(*columns_of(RUNS)).select_from(RUNS).where(some).order_by(sa.literal_column("rowid"))
            rows = connection.execute(query).all()
            with self._file.reading() as reading:
                query = sa.select(*columns_of(RUNS)).select_from(RUNS).where(some)
                known = {tuple(row) for row in reading.execute(query)}
            self._write(RUNS, [row for row in rows if tuple(row) not in known])

    def _compare_documents(self, connection: sa.Connection) -> None:
        """Removes documents that were deleted."""
        count = "SELECT count(*) FROM documents"
        with self._file.reading() as reading:
            if reading.exec_driver_sql(count).scalar_one() == connection.exec_driver_sql(count).scalar_one():
                return
            copied = set(reading.exec_driver_sql("SELECT rowid FROM documents").scalars())
        gone = copied - set(connection.exec_driver_sql("SELECT rowid FROM documents").scalars())
        with self._file._writing() as writing:
            writing.exec_driver_sql("DELETE FROM documents WHERE rowid = ?", [(number,) for number in gone])

    def _copy_ledger(self, connection: sa.Connection) -> None:
        with self._file.reading() as reading:
            last = reading.execute(sa.select(sa.func.max(LEDGER.c.seq))).scalar() or 0
        self._write(
            LEDGER, connection.execute(sa.select(LEDGER).where(LEDGER.c.seq > last).order_by(LEDGER.c.seq)).all()
        )

    def _write(self, table: sa.Table, rows: Any) -> None:
        if rows:
            names = [
                "seq" if table is LEDGER else "rowid",
                *(column.name for column in table.c if column.name != "seq"),
            ]
            marks = ", ".join("?" for _ in names)
            statement = f"INSERT OR REPLACE INTO {table.name} ({', '.join(names)}) VALUES ({marks})"
            with self._file._writing() as writing:
                writing.exec_driver_sql(statement, [tuple(row) for row in rows])

    def _show_claims(self, connection: sa.Connection) -> None:
        """A run that is claimed on any machine has a file here."""
        now = {f"{name}{SHARED}" for name in claimed(connection)}
        before = {file.name for file in self._running.glob(f"*{SHARED}")}
        with contextlib.suppress(OSError):  # a folder that cannot be written shows running runs as interrupted
            if now:
                self._running.mkdir(exist_ok=True)
            for name in now - before:
                (self._running / name).touch()
            for name in before - now:
                (self._running / name).unlink(missing_ok=True)

    def _settle(self, oldest: int, later: int, highest: dict[str, int]) -> None:
        """Moves the marks over numbers that no transaction can add any more."""
        now = time.monotonic()
        if self._pending is None:
            self._pending = now, later, highest
            return
        looked, first_later, before = self._pending
        if now - looked < _SETTLED_S or oldest < first_later:
            return
        moved = [(name, number) for name, number in before.items() if self._marks[name] != number]
        self._marks |= before
        self._pending = now, later, highest
        if moved:
            with self._file._writing() as writing:
                writing.exec_driver_sql("INSERT OR REPLACE INTO mirror VALUES (?, ?)", moved)
