"""What differs between databases: opening, upserts, claims, the lock of the ledger, damage. `Store` asks for nothing else.

`SqliteDialect` is here: one file, the default. `postgres.PostgresDialect` is a database that many machines share. Its driver
is imported only if a store is named by a URL.
"""

import contextlib
import fcntl
import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from verigym.core.errors import InfrastructureFailure, Refused
from verigym.store.connection import StoreFailure, create, exists, forbid_writes, open_existing
from verigym.store.schema import METRICS

_PROBLEMS = 5
"""Maximum problems of a damaged file that are listed."""


class Dialect(Protocol):
    mark: str
    """The mark of a parameter in SQL."""
    waits_s: float
    """How long a call waits for a database that is away."""
    add_trajectory: str
    """SQL that adds a row of `inserts.trajectory_row`. It replaces the row with the same key."""
    add_verdict: str
    """SQL that adds a row of `inserts.verdict_row`. An error does not overwrite a verdict."""
    add_document: str
    """SQL that adds (kind, id, created, body). It follows `delete_document`."""
    delete_document: str
    move_document: str
    """SQL that makes the document (kind, id) the newest."""

    def exists(self) -> bool: ...

    def create(self) -> sa.Engine:
        """Opens the database for reading and writing. Creates the tables, or migrates them."""
        ...

    def open(self, *, query_only: bool) -> sa.Engine:
        """Opens a database that exists."""
        ...

    def ignore_known(self, table: sa.Table) -> sa.Executable:
        """An insert that skips rows whose key is stored."""
        ...

    def replace_metrics(self) -> sa.Executable: ...

    def row(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """A row of `add_trajectory` or `add_verdict` as the driver takes it."""
        ...

    def number(self, value: float) -> float | None:
        """A number as it is stored. NaN is NULL."""
        ...

    def has_text(self, column: sa.Column[Any], text: str | bytes) -> sa.ColumnElement[bool]: ...

    def run_of_verdict(self) -> sa.ColumnElement[str]:
        """The column to compare with a run, if the trajectory is compared too."""
        ...

    def continue_numbers(self, connection: sa.Connection, table: sa.Table) -> None:
        """The next row that is added comes after all rows that are there."""
        ...

    def lock(self, connection: sa.Connection, what: str) -> None:
        """Waits until no other transaction holds this lock. A database with one writer at a time has none."""
        ...

    def begin_append(self, connection: sa.Connection) -> None:
        """Begins a transaction in which nobody else appends to the ledger."""
        ...

    def claim(self, run: str) -> contextlib.AbstractContextManager[None]: ...

    def check_claim(self, run: str) -> None:
        """Refuses to go on if this process claimed the run and lost the claim to another one."""
        ...

    def damage(self, engine: sa.Engine, seconds: float | None) -> str: ...

    def free_bytes(self, engine: sa.Engine) -> int: ...

    def compact(self, engine: sa.Engine) -> None: ...


def dialect_of(where: Path | str) -> Dialect:
    """The database of a file, or of a URL."""
    if isinstance(where, Path):
        return SqliteDialect(where)
    from verigym.store.postgres import PostgresDialect

    return PostgresDialect(where)


class SqliteDialect:
    """One file (WAL). A lock on a file claims a run."""

    mark = "?"
    waits_s = 0.0
    add_trajectory = (
        "INSERT OR REPLACE INTO trajectories (id, run, task, place, fault, body, packed) VALUES (?, ?, ?, ?, ?, ?, ?)"
    )
    add_verdict = (
        "INSERT INTO verdicts (trajectory, verifier, run, reward, passed, fault, body) VALUES (?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (trajectory, verifier, run) DO UPDATE SET "
        "reward = excluded.reward, passed = excluded.passed, fault = excluded.fault, body = excluded.body "
        "WHERE excluded.reward IS NOT NULL OR verdicts.reward IS NULL"  # an error does not overwrite a verdict
    )
    add_document = "INSERT INTO documents (kind, id, created, body) VALUES (?, ?, ?, ?)"
    delete_document = "DELETE FROM documents WHERE kind = ? AND id = ?"
    move_document = "UPDATE documents SET rowid = (SELECT max(rowid) + 1 FROM documents) WHERE kind = ? AND id = ?"

    def __init__(self, path: Path) -> None:
        self._path = path

    def exists(self) -> bool:
        return exists(self._path)

    def create(self) -> sa.Engine:
        return create(self._path)

    def open(self, *, query_only: bool) -> sa.Engine:
        engine = open_existing(self._path)
        if query_only:
            forbid_writes(engine)
        return engine

    def ignore_known(self, table: sa.Table) -> sa.Executable:
        return sqlite.insert(table).on_conflict_do_nothing()

    def replace_metrics(self) -> sa.Executable:
        return METRICS.insert().prefix_with("OR REPLACE")

    def row(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        return values

    def number(self, value: float) -> float | None:
        return value

    def has_text(self, column: sa.Column[Any], text: str | bytes) -> sa.ColumnElement[bool]:
        return sa.func.instr(column, text) > 0

    def run_of_verdict(self) -> sa.ColumnElement[str]:
        return sa.literal_column("+run")  # the plus keeps SQLite from reading all verdicts of the run by their index

    def continue_numbers(self, connection: sa.Connection, table: sa.Table) -> None:
        """SQLite numbers a row by the largest number."""

    def lock(self, connection: sa.Connection, what: str) -> None:
        """A write transaction locks the whole file."""

    def begin_append(self, connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    @contextlib.contextmanager
    def claim(self, run: str) -> Iterator[None]:
        folder = self._path.parent / "running"
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.mkdir(exist_ok=True)
            lock = (folder / hashlib.sha256(run.encode()).hexdigest()[:16]).open("a+")
        except OSError as error:
            raise InfrastructureFailure(
                f"{folder} cannot be written ({error.strerror}), so run {run} cannot be locked. Nothing was changed. "
                "Make the folder writable or free some disk space, and repeat the command"
            ) from error
        with lock as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                file.seek(0)
                raise used_by_other(run, file.read().strip()) from error
            file.truncate(0)
            file.write(f"pid {os.getpid()}")
            file.flush()
            yield
            file.truncate(0)

    def check_claim(self, run: str) -> None:
        """A lock on a file is lost only with the process."""

    def damage(self, engine: sa.Engine, seconds: float | None) -> str:
        stopped = False
        deadline = time.monotonic() + (seconds or 0.0)

        def stop() -> bool:
            nonlocal stopped
            stopped = seconds is not None and time.monotonic() > deadline
            return stopped

        with engine.connect() as connection:
            raw: Any = connection.connection.dbapi_connection
            raw.set_progress_handler(stop, 10_000)
            try:
                check = "integrity_check" if seconds is None else "quick_check"
                result = connection.exec_driver_sql(f"PRAGMA {check}({_PROBLEMS})").scalars().all()
            except StoreFailure as error:
                return "" if stopped else str(error)
            finally:
                raw.set_progress_handler(None, 0)
        return "" if result == ["ok"] else ". ".join(" ".join(problem.split()) for problem in result)

    def free_bytes(self, engine: sa.Engine) -> int:
        with engine.connect() as connection:
            pages = connection.exec_driver_sql("PRAGMA freelist_count").scalar_one()
            return int(pages) * int(connection.exec_driver_sql("PRAGMA page_size").scalar_one())

    def compact(self, engine: sa.Engine) -> None:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM")
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


def used_by_other(run: str, who: str) -> Refused:
    return Refused(f"Another process ({who or 'unknown'}) is using run {run}. Wait until it ends, or stop it")
