"""Connects to the database file, and says in words what is wrong with the file or its disk.

A missing file is read as an empty store, and the first write creates it. So a command that only reads creates nothing. A file
that cannot be written (read-only folder, full disk) can still be read.
"""

import functools
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.pool import QueuePool, StaticPool

from verigym.core.errors import InfrastructureFailure
from verigym.core.words import size
from verigym.store.schema import READABLE, VERSION, create_tables, prepare

_BUSY_S = 30
_SALVAGE = (
    "First copy the folder to another disk. verigym models check-integrity lists what can still be read. "
    "Save these runs with verigym runs export RUN --out FILE.jsonl, or restore a backup"
)


class StoreFailure(InfrastructureFailure):
    """The database file or its disk failed."""

    passing = False
    """Whether it may go away by itself: a full disk, or a file that another process uses."""


class StoreBusy(StoreFailure):
    passing = True


class StoreDamaged(StoreFailure):
    """A part of the file is not what the database wrote."""


def store_failure(error: sqlite3.Error, path: Path) -> StoreFailure:
    """What happened to a database file, and what to do."""
    code = getattr(error, "sqlite_errorcode", None) or sqlite3.SQLITE_ERROR
    match code & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreBusy(
                f"Another process uses {path} and did not release it within {_BUSY_S} s. Wait for it or stop it, and repeat "
                "the command. Earlier results are kept"
            )
        case sqlite3.SQLITE_FULL | sqlite3.SQLITE_IOERR:
            return StoreBusy(
                f"{path} could not be written, because {_why_no_space(path, error)}. Earlier results are kept. "
                "Free some disk space and repeat the command"
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return StoreFailure(
                f"{path} is read-only, so nothing was stored. Make the file and its folder writable, or copy the folder and "
                "name the copy with --home"
            )
        case sqlite3.SQLITE_CANTOPEN:
            return StoreFailure(
                f"{path} cannot be opened ({error}). Check that you may read and write the folder {path.parent} "
                f"({size(_free(path))} free)"
            )
        case sqlite3.SQLITE_CORRUPT:
            return StoreDamaged(f"{path} is damaged ({error}). {_SALVAGE}")
        case sqlite3.SQLITE_NOTADB:
            return StoreFailure(
                f"{path} is not a Verigym store ({error}). Nothing was changed. Choose another --home, or restore the file "
                "from a backup"
            )
        case _:
            return StoreFailure(f"{path} cannot be used as a store ({error}). Choose another --home")


def _why_no_space(path: Path, error: sqlite3.Error) -> str:
    free = _free(path)
    if error.sqlite_errorcode == sqlite3.SQLITE_FULL or free < 2**20:
        return f"the disk is full ({size(free)} free)"
    return (
        f"the disk reported an error ({error}, {size(free)} free): it may be full, or a limit on file sizes may apply"
    )


def _free(path: Path) -> int:
    try:
        return shutil.disk_usage(path.parent).free
    except OSError:
        return 0


def exists(path: Path) -> bool:
    try:
        return path.exists()
    except PermissionError as error:
        raise StoreFailure(
            f"{path} cannot be read ({error.strerror}). Ask the owner of the folder for permission, or choose another --home"
        ) from error


def create(path: Path) -> sa.Engine:
    """Opens the file for reading and writing. Creates it, or migrates it."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # it will hold production traces
    except OSError as error:
        raise InfrastructureFailure(
            f"The folder {path.parent} cannot be created ({error}). Choose another --home"
        ) from error
    engine = sa.create_engine(sa.URL.create("sqlite", database=str(path)))
    event.listen(engine, "connect", _set_up)
    _explain_errors(engine, path)
    try:
        prepare(engine, path)
    except BaseException:
        engine.dispose()
        raise
    return engine


def open_existing(path: Path) -> sa.Engine:
    """Opens the file. If it cannot be written, it can be read."""
    try:
        return create(path)
    except StoreDamaged:
        raise
    except StoreFailure as failure:
        for options in ("mode=ro", "immutable=1"):
            if options == "immutable=1" and _has_unmerged_changes(path):
                break
            engine = _read_only(path, options)
            try:
                if READABLE <= _version(engine) <= VERSION:
                    return engine
            except StoreFailure:
                pass
            engine.dispose()
        raise failure


def forbid_writes(engine: sa.Engine) -> None:
    """Connections of this engine refuse to write from now on. They cache less, because readers have several of them."""

    def limit(connection: Any, _: Any) -> None:
        connection.execute("PRAGMA query_only=ON")
        connection.execute("PRAGMA cache_size=-2048")  # the system keeps the pages as well

    event.listen(engine, "connect", limit)
    engine.dispose()


def _has_unmerged_changes(path: Path) -> bool:
    """Whether the log beside the file has changes, which a reader without the log would miss."""
    log = path.with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 0


def _read_only(path: Path, options: str) -> sa.Engine:
    address = f"{path.resolve().as_uri()}?{options}"
    connect = functools.partial(sqlite3.connect, address, uri=True, check_same_thread=False, timeout=_BUSY_S)
    engine = sa.create_engine("sqlite://", creator=connect, poolclass=QueuePool)
    _explain_errors(engine, path)
    return engine


def _version(engine: sa.Engine) -> int:
    with engine.connect() as connection:
        connection.exec_driver_sql("SELECT count(*) FROM runs").scalar_one()
        return connection.exec_driver_sql("PRAGMA user_version").scalar_one()


@functools.cache
def empty() -> sa.Engine:
    """A store without records, in memory. Nothing may be written to it."""
    options = {"check_same_thread": False}
    engine = sa.create_engine("sqlite://", poolclass=StaticPool, connect_args=options)
    with engine.begin() as connection:
        create_tables(connection)
    return engine


def _explain_errors(engine: sa.Engine, path: Path) -> None:
    """Every error of the file or its disk becomes a `StoreFailure`, wherever a statement meets it."""

    def explain(context: Any) -> StoreFailure | None:
        error = context.original_exception
        is_of_file = type(error) in (sqlite3.OperationalError, sqlite3.DatabaseError)
        return store_failure(error, path) if is_of_file else None

    event.listen(engine, "handle_error", explain, retval=True)


def _set_up(connection: Any, _: Any) -> None:
    """WAL allows readers beside a writer. A killed process loses no commit."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute(f"PRAGMA busy_timeout={1000 * _BUSY_S}")
    connection.execute("PRAGMA cache_size=-32768")  # 32 MiB, enough for the indices of a large run
