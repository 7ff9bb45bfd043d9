"""The store in a PostgreSQL database that many machines share: `postgresql+psycopg://USER@HOST/DATABASE`.

The tables are those of `schema`. Each has a column `rowid` besides, which orders rows as SQLite's does. Text is compared by its
bytes. A run is claimed by an advisory lock (`postgres_claim`). A trigger and missing privileges keep the ledger append-only.
Passwords come from the environment (PGPASSWORD) or from ~/.pgpass.
"""

import contextlib
import logging
import math
import os
import socket
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import NullPool

from verigym.core.errors import BadInput
from verigym.core.install import install_command
from verigym.store.connection import StoreBusy, StoreFailure
from verigym.store.patience import PATIENCE_S, repeat
from verigym.store.postgres_claim import KEY, Claims
from verigym.store.schema import LEDGER, TABLES, TRAJECTORIES, VERDICTS, VERSION

_CONNECT_S = 10
_POOL = 4
"""Connections that stay open in one process."""
_PASSING = ("08", "53", "57", "40", "55")
"""Classes of errors that may go away: connection, resources, shutdown, deadlock, lock not available."""
_SETTINGS = "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3"
"""The server frees the claims of a machine that vanished after 25 s."""
_KEEPALIVE = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""A process learns after 25 to 30 s that the machine of the server vanished."""
_STARTING = ("starting up", "shutting down", "not yet accepting")
_START_S = 30.0
"""How long a command waits for a server that says that it starts."""
_ORDERED = [table.name for table in TABLES.sorted_tables if table is not LEDGER]
_APPEND_ONLY = [
    """CREATE OR REPLACE FUNCTION ledger_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'the ledger is append-only' USING ERRCODE = 'integrity_constraint_violation'; END $$""",
    "CREATE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger "
    "FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_append_only()",
    "REVOKE UPDATE, DELETE, TRUNCATE ON ledger FROM PUBLIC, CURRENT_USER",
]
_PRIVILEGE = (
    "Run it as the owner of the tables, or give the role its privileges. This prints the SQL: verigym store grants ROLE"
)
STEPS: dict[int, Callable[[sa.Connection], None]] = {}
"""`STEPS[n]` migrates version n to n + 1. The first version of these tables is 3."""


class PostgresDialect:
    """Many processes on many machines read and write it."""

    mark = "%s"
    waits_s = PATIENCE_S
    add_trajectory = (
        "INSERT INTO trajectories (id, run, task, place, fault, body, packed) VALUES (%s, %s, %s, %s, %s, %s, %s) "
        "ON CONFLICT (id, run) DO UPDATE SET task = excluded.task, place = excluded.place, fault = excluded.fault, "
        "body = excluded.body, packed = excluded.packed, rowid = excluded.rowid"
    )
    add_verdict = (
        "INSERT INTO verdicts (trajectory, verifier, run, reward, passed, fault, body) VALUES (%s, %s, %s, %s, %s, %s, %s) "
        "ON CONFLICT (trajectory, verifier, run) DO UPDATE SET reward = excluded.reward, passed = excluded.passed, "
        "fault = excluded.fault, body = excluded.body, rowid = excluded.rowid "
        "WHERE excluded.reward IS NOT NULL OR verdicts.reward IS NULL"  # an error does not overwrite a verdict
    )
    add_document = (
        "INSERT INTO documents (kind, id, created, body) VALUES (%s, %s, %s, %s) "
        "ON CONFLICT (kind, id) DO UPDATE SET created = excluded.created, body = excluded.body, rowid = excluded.rowid"
    )
    delete_document = "DELETE FROM documents WHERE kind = %s AND id = %s"
    move_document = "UPDATE documents SET rowid = DEFAULT WHERE kind = %s AND id = %s"

    def __init__(self, url: str) -> None:
        self._url = read_url(url)
        self._name = self._url.render_as_string()
        self._claims = Claims(lambda: self._engine(poolclass=NullPool, isolation_level="AUTOCOMMIT"), _who)

    def exists(self) -> bool:
        return True

    def create(self) -> sa.Engine:
        engine = self._engine(pool_size=_POOL, pool_pre_ping=True)
        try:
            repeat(lambda: prepare(engine, self._name), _START_S, only=_is_starting)
        except BaseException:
            engine.dispose()
            raise
        return engine

    def open(self, *, query_only: bool) -> sa.Engine:
        engine = self.create()
        if query_only:

            def limit(connection: Any, _: Any) -> None:
                connection.execute("SET default_transaction_read_only = on")
                connection.commit()

            event.listen(engine, "connect", limit)
            engine.dispose()
        return engine

    def _engine(self, **options: Any) -> sa.Engine:
        try:
            import psycopg  # noqa: F401
        except ImportError as error:
            raise BadInput(f"A PostgreSQL store needs psycopg. Run: {install_command('postgres')}") from error
        logging.getLogger("psycopg").addHandler(logging.NullHandler())  # a lost connection is told by our own errors
        settings = {"connect_timeout": _CONNECT_S, "application_name": _who(), **_KEEPALIVE}
        engine = sa.create_engine(self._url, connect_args=settings, **options)
        event.listen(engine, "connect", _set_up)
        _explain_errors(engine, self._name)
        return engine

    def ignore_known(self, table: sa.Table) -> sa.Executable:
        return postgresql.insert(table).on_conflict_do_nothing()

    def replace_metrics(self) -> sa.Executable:
        return sa.text(
            "INSERT INTO metrics (run, step, name, value) VALUES (:run, :step, :name, :value) "
            "ON CONFLICT (run, step, name) DO UPDATE SET value = excluded.value, rowid = excluded.rowid"
        )

    def row(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(
            int(value) if isinstance(value, bool) else self.number(value) if isinstance(value, float) else value
            for value in values
        )

    def number(self, value: float) -> float | None:
        return None if math.isnan(value) else value

    def has_text(self, column: sa.Column[Any], text: str | bytes) -> sa.ColumnElement[bool]:
        if isinstance(text, str):
            return sa.func.strpos(column, text) > 0
        return sa.func.position(sa.literal(text, sa.LargeBinary()).op("IN")(column)) > 0

    def run_of_verdict(self) -> sa.ColumnElement[str]:
        return VERDICTS.c.run

    def continue_numbers(self, connection: sa.Connection, table: sa.Table) -> None:
        if table is not LEDGER:  # its entries number themselves
            numbers = f"SELECT setval(pg_get_serial_sequence('{table.name}', 'rowid'), max(rowid)) FROM {table.name}"
            connection.exec_driver_sql(numbers)

    def lock(self, connection: sa.Connection, what: str) -> None:
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({KEY})", (what,))

    def begin_append(self, connection: sa.Connection) -> None:
        self.lock(connection, "ledger")

    def claim(self, run: str) -> contextlib.AbstractContextManager[None]:
        return self._claims.hold(run)

    def check_claim(self, run: str) -> None:
        self._claims.check(run)

    def damage(self, engine: sa.Engine, seconds: float | None) -> str:
        """The server checks its own files. Bodies are checked when they are read."""
        return ""

    def free_bytes(self, engine: sa.Engine) -> int:
        """The server reuses free pages itself."""
        return 0

    def compact(self, engine: sa.Engine) -> None:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            for name in _ORDERED:
                connection.exec_driver_sql(f"VACUUM {name}")


def _is_starting(error: Exception) -> bool:
    return any(words in str(error) for words in _STARTING)


def _who() -> str:
    """The name of this process on the server. It shows at most 63 bytes."""
    return f"verigym {socket.gethostname()[:16]} pid {os.getpid()}"


def read_url(text: str) -> sa.URL:
    """The URL of a PostgreSQL database, with the driver that is used here."""
    try:
        url = sa.make_url(text.strip())
    except ArgumentError:
        url = None
    if url is None or url.drivername not in ("postgresql", "postgres", "postgresql+psycopg"):
        scheme = text.partition("://")[0] if "://" in text else "no scheme"
        raise BadInput(
            f"The address of the store is not valid ({scheme[:40]}). Write postgresql+psycopg://USER@HOST/DATABASE. "
            "The password comes from PGPASSWORD"
        )
    return url.set(drivername="postgresql+psycopg")


def prepare(engine: sa.Engine, name: str) -> None:
    """Creates the tables, or migrates them, in one transaction. Of processes that start together, one does it."""
    with engine.begin() as connection:
        version = _version(connection)
        if version == VERSION:
            return
        if version is not None and version > VERSION:
            raise BadInput(
                f"{name} was written by a newer verigym (store version {version}, supported {VERSION}). Upgrade verigym"
            )
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({KEY})", ("schema",))
        version = _version(connection)  # another process may have been first
        if version is None:
            _create_tables(connection)
        for step in range(VERSION if version is None else version, VERSION):
            STEPS[step](connection)
        connection.exec_driver_sql("UPDATE store_version SET version = %s", (VERSION,))


def _version(connection: sa.Connection) -> int | None:
    """The version of the tables. None if there are none."""
    if connection.exec_driver_sql("SELECT to_regclass('store_version')").scalar() is None:
        return None
    return connection.exec_driver_sql("SELECT max(version) FROM store_version").scalar()


def _create_tables(connection: sa.Connection) -> None:
    TABLES.create_all(connection)
    run = connection.exec_driver_sql
    run("CREATE TABLE store_version (version INTEGER NOT NULL, id UUID NOT NULL DEFAULT gen_random_uuid())")
    run("INSERT INTO store_version (version) VALUES (%s)", (VERSION,))
    for name in _ORDERED:
        run(f"ALTER TABLE {name} ADD COLUMN rowid BIGINT NOT NULL GENERATED BY DEFAULT AS IDENTITY")
        run(f"CREATE INDEX {name}_rowid ON {name} (rowid)")
    if run("SELECT 'lz4' = ANY(enumvals) FROM pg_settings WHERE name = 'default_toast_compression'").scalar():
        for table in (TRAJECTORIES, VERDICTS):  # a quarter less work for the server than its own compression
            run(f"ALTER TABLE {table.name} ALTER COLUMN body SET COMPRESSION lz4")
    for statement in _APPEND_ONLY:
        run(statement)


def _set_up(connection: Any, _: Any) -> None:
    before, connection.autocommit = connection.autocommit, True
    connection.execute(_SETTINGS)
    connection.autocommit = before


def _explain_errors(engine: sa.Engine, name: str) -> None:
    """Every error of the server becomes a `StoreFailure`, wherever a statement meets it."""

    def explain(context: Any) -> Exception | None:
        return None if context.is_pre_ping else _explained(context.original_exception, name)

    event.listen(engine, "handle_error", explain, retval=True)


def _explained(error: BaseException, name: str) -> Exception | None:
    """What happened, and what to do. None for errors of the program."""
    import psycopg

    if not isinstance(error, psycopg.Error):
        return None
    words = " ".join(str(error).split())[:300].rstrip(".")
    state = error.sqlstate or ""
    match error:
        case psycopg.DataError() if "NUL" in words or state == "22021":
            return BadInput(
                "A name (of a task, a run, a document or a metric) has a NUL character, which PostgreSQL cannot store. "
                "Nothing was stored. Rename it"
            )
        case psycopg.errors.InvalidPassword() | psycopg.errors.InvalidAuthorizationSpecification():
            return StoreFailure(f"{name} refused the login ({words}). Check the user in the URL, and PGPASSWORD")
        case psycopg.errors.InvalidCatalogName():
            return StoreFailure(f"{name}: {words}. Create the database: createdb NAME, or CREATE DATABASE NAME")
        case psycopg.errors.InsufficientPrivilege() | psycopg.errors.ReadOnlySqlTransaction():
            return StoreFailure(f"{name} refused the statement ({words}). {_PRIVILEGE}")
        case psycopg.errors.InvalidSchemaName():
            return StoreFailure(f"{name}: the role may not use the schema of the tables ({words}). {_PRIVILEGE}")
        case psycopg.OperationalError() if not state and "password" in words:
            return StoreFailure(f"{name} refused the login ({words}). Check the user in the URL, and PGPASSWORD")
        case psycopg.OperationalError() if not state and "does not exist" in words:
            return StoreFailure(f"{name}: {words}. Check the user and the database in the URL")
        case _ if state.startswith(_PASSING) or isinstance(error, psycopg.OperationalError):
            return StoreBusy(
                f"{name} cannot be used now ({words}). Earlier results are kept. Check that the server runs, and "
                "repeat the command"
            )
        case _:
            return None
