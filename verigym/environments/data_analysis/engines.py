"""Opens a dataset as a read-only database: SQLite, DuckDB (optional), or CSV files as tables of text.

All episodes of a dataset share one database. A query is limited in steps (SQLite) or seconds (DuckDB), in rows and in sizes.
DuckDB cannot access files, the network or settings.
"""

import sqlite3
import threading
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any, NamedTuple
from zipfile import ZipFile

import msgspec

from verigym.core.errors import not_found
from verigym.environments import shipped

TABLES = shipped.data_folder("data_analysis") / "tables.zip"
ROWS = 500
"""Maximum rows that a query returns."""
_STEPS = 3_000_000
"""Maximum SQLite instructions per query: about a tenth of a second, and the same limit on every machine."""
_SECONDS = 2.0
_ERROR = 500
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 10_000,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 200,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 100,
}
_MAKING = threading.Lock()
_READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_CLOSED = {"load_extension", "printf", "format"}
"""Disabled functions. Formatting one number could take arbitrarily long."""


class Table(NamedTuple):
    name: str
    columns: dict[str, str]
    """Name to type."""
    rows: list[list[Any]]


class QueryResult(NamedTuple):
    columns: list[str]
    rows: list[tuple[Any, ...]]
    more: bool
    """Whether the result has more than `ROWS` rows."""


class Database(NamedTuple):
    engine: str
    tables: dict[str, Table]
    query: Callable[[str], QueryResult]
    """Raises ValueError for a query that fails or is not allowed."""


def has_duckdb() -> bool:
    return find_spec("duckdb") is not None


def database(name: str) -> Database:
    with _MAKING:  # otherwise several threads could create the same database
        return _made(name)


@cache
def _made(name: str) -> Database:
    tables, engine = _tables(name), name.split("-")[1]
    if engine == "csv":
        for table in tables.values():
            table.rows[:] = [["" if value is None else str(value) for value in row] for row in table.rows]
    return Database(engine, tables, (_duckdb if engine == "duckdb" else _sqlite)(tables))


def _tables(name: str) -> dict[str, Table]:
    """Reads the tables of a shipped dataset. `authoring/data_analysis` generates them."""
    with ZipFile(TABLES) as archive:
        if f"{name}.json" not in archive.namelist():
            raise not_found("data set", name, data_sets())
        return msgspec.json.decode(archive.read(f"{name}.json"), type=dict[str, Table])


@cache
def data_sets() -> list[str]:
    """Dataset names such as `bakery-csv-1`: subject, engine and number."""
    with ZipFile(TABLES) as archive:
        return [name.removesuffix(".json") for name in archive.namelist()]


def _create(table: Table) -> str:
    return f"CREATE TABLE {table.name} ({', '.join(f'{name} {kind}' for name, kind in table.columns.items())})"


def _sqlite(tables: dict[str, Table]) -> Callable[[str], QueryResult]:
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    for table in tables.values():
        connection.execute(_create(table))
        connection.executemany(f"INSERT INTO {table.name} VALUES ({', '.join('?' * len(table.columns))})", table.rows)
    connection.commit()
    for limit, value in _LIMITS.items():
        connection.setlimit(limit, value)
    connection.set_authorizer(_may)
    lock = threading.Lock()  # the steps are counted for one query at a time

    def query(sql: str) -> QueryResult:
        steps = 0

        def count() -> bool:
            nonlocal steps
            steps += 1000
            return steps > _STEPS

        with lock:
            connection.set_progress_handler(count, 1000)
            try:
                cursor = connection.execute(sql)
                columns = [each[0] for each in cursor.description or []]
                rows = cursor.fetchmany(ROWS + 1)
                cursor.close()
            except (sqlite3.Error, sqlite3.Warning, ValueError, UnicodeError) as error:
                raise ValueError(_words(str(error))) from error
        if not columns:
            raise ValueError("the query is empty: write one SELECT")
        return QueryResult(columns, rows[:ROWS], len(rows) > ROWS)

    return query


def _may(action: int, table: str | None, function: str | None, *_: object) -> int:
    fine = action in _READING and not (action == sqlite3.SQLITE_FUNCTION and function in _CLOSED)
    return sqlite3.SQLITE_OK if fine else sqlite3.SQLITE_DENY


def _words(error: str) -> str:
    if "not authorized to use function" in error:
        return f"there is no {error.rpartition(' ')[2]} here"
    if "not authorized" in error or "authorization denied" in error or "prohibited" in error:
        return "this database can only be read: one SELECT, no PRAGMA"
    return "the query takes too long" if error == "interrupted" else error


def _duckdb(tables: dict[str, Table]) -> Callable[[str], QueryResult]:
    import duckdb  # optional: verigym[duckdb]

    connection = duckdb.connect(
        ":memory:",
        config={"enable_external_access": "false", "threads": "1", "memory_limit": "100MB", "temp_directory": ""},
    )
    for table in tables.values():
        connection.execute(_create(table))
        rows = ", ".join(f"({', '.join(_literal(value) for value in row)})" for row in table.rows)
        connection.execute(f"INSERT INTO {table.name} VALUES {rows}")
    connection.execute("SET python_enable_replacements = false; SET lock_configuration = true")
    lock = threading.Lock()

    def query(sql: str) -> QueryResult:
        with lock:
            timer = threading.Timer(_SECONDS, connection.interrupt)
            try:
                sql.encode()
                if len(sql) > _LIMITS[sqlite3.SQLITE_LIMIT_SQL_LENGTH]:
                    raise ValueError("query string is too large")
                statements = connection.extract_statements(sql)
                if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                    raise ValueError("this database can only be read: one SELECT")
                timer.start()
                connection.execute(statements[0])
                columns = [each[0] for each in connection.description or []]
                rows = connection.fetchmany(ROWS + 1)
            except (duckdb.Error, RuntimeError, UnicodeError) as error:
                too_long = isinstance(error, duckdb.InterruptException)
                raise ValueError("the query takes too long" if too_long else str(error)[:_ERROR]) from error
            finally:
                timer.cancel()
        return QueryResult(columns, rows[:ROWS], len(rows) > ROWS)

    return query


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    return f"'{value.replace(chr(39), 2 * chr(39))}'" if isinstance(value, str) else str(value)
