"""Copies a whole store into another database, row by row, with the same bytes: SQLite to PostgreSQL, or back.

A copy that was killed is resumed: rows go in their order, and the target tells how far it came. A target with other content is
refused. Runs and the ledger are copied last, so nothing shows a half copy as a workspace. In the end, a hash over all rows of
both stores is compared.
"""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa

from verigym.core.errors import Refused
from verigym.core.words import counted
from verigym.store.connection import StoreFailure
from verigym.store.database import Store
from verigym.store.schema import BLOBS, DOCUMENTS, LEDGER, METRICS, RUNS, TASKS, TRAJECTORIES, VERDICTS

_TABLES = (BLOBS, TASKS, TRAJECTORIES, VERDICTS, METRICS, DOCUMENTS, RUNS, LEDGER)
_CHUNK = 500
"""Rows of one transaction."""


class CopyResult(NamedTuple):
    rows: dict[str, int]
    """Rows of each table in the target."""
    copied: int
    """Rows that this call copied. The others were there."""


def copy_store(
    source: Store, target: Store, progress: Callable[[str, int, int], None] = lambda table, done, total: None
) -> CopyResult:
    """Copies what the target lacks, and compares all rows. `progress` gets the table, its copied rows and all its rows."""
    copied = 0
    counts: dict[str, int] = {}
    with target.claim("store copy"), source.reading() as connection:
        if isinstance(source.path, Path):
            connection.exec_driver_sql("BEGIN")  # all tables as they are now, whatever is written meanwhile
        else:
            connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        reading = connection.execution_options(yield_per=_CHUNK)
        last = {table: _check_beginning(reading, target, table, source) for table in _TABLES}
        for table in _TABLES:
            total = _count(reading, table)
            done = _count(reading, table, last[table])
            for rows in _chunks(reading, table, last[table]):
                target.insert_raw(table, _order_of(table), rows)
                copied += len(rows)
                done += len(rows)
                progress(table.name, done, total)
            target.continue_numbers(table)
            counts[table.name] = total
        for table in _TABLES:
            with target.reading() as written:
                same = _digest(written, table) == _digest(reading, table)
            if not same:
                raise StoreFailure(
                    f"The table {table.name} of {target.path} differs from that of {source.path} after the copy. "
                    "Another process may have written to it. Empty the target and copy again"
                )
    return CopyResult(counts, copied)


def _order_of(table: sa.Table) -> str:
    """The column that orders the rows as they were added."""
    return "seq" if table is LEDGER else "rowid"


def columns_of(table: sa.Table) -> list[sa.ColumnElement[Any]]:
    """All columns, the order first."""
    order = sa.literal_column(_order_of(table))
    return [order, *(column for column in table.c if column.name != "seq")]


def _check_beginning(reading: sa.Connection, target: Store, table: sa.Table, source: Store) -> int:
    """The last row of the target. Refuses a target whose rows are not the first rows of the source."""
    with target.reading() as connection:
        last = connection.execute(
            sa.select(sa.func.max(sa.literal_column(_order_of(table)))).select_from(table)
        ).scalar()
        if last is None:
            return 0
        if _digest(connection, table) != _digest(reading, table, last):
            rows = counted(_count(connection, table), "row")
            raise Refused(
                f"{target.path} is not empty ({rows} in {table.name}), and they are not a copy of {source.path}. Nothing "
                "was changed. Choose an empty database. If the source changed after a copy began, empty the target"
            )
    return int(last)


def _count(connection: sa.Connection, table: sa.Table, last: int | None = None) -> int:
    query = sa.select(sa.func.count()).select_from(table)
    if last is not None:
        query = query.where(sa.literal_column(_order_of(table)) <= last)
    return connection.execute(query).scalar_one()


def _chunks(connection: sa.Connection, table: sa.Table, after: int) -> Iterator[list[tuple[Any, ...]]]:
    order = sa.literal_column(_order_of(table))
    query = sa.select(*columns_of(table)).select_from(table).where(order > after).order_by(order)
    for rows in connection.execute(query).partitions():
        yield [tuple(row) for row in rows]


def _digest(connection: sa.Connection, table: sa.Table, last: int | None = None) -> bytes:
    """A hash over the rows in their order."""
    order = sa.literal_column(_order_of(table))
    query = sa.select(*columns_of(table)).select_from(table).order_by(order)
    if last is not None:
        query = query.where(order <= last)
    digest = hashlib.sha256()
    for row in connection.execution_options(yield_per=_CHUNK).execute(query):
        for value in row:
            data = value if isinstance(value, bytes) else repr(value).encode(errors="surrogatepass")
            digest.update(b"%d:" % len(data))
            digest.update(data)
    return digest.digest()
