"""Measures the size of runs in the store, finds unused blobs, and returns free pages to the disk."""

import re
from collections.abc import Collection, Iterator

import sqlalchemy as sa

from verigym.store.database import Store
from verigym.store.schema import BLOBS, DOCUMENTS, TASKS, TRAJECTORIES, VERDICTS

_SHA256 = re.compile(rb"[0-9a-f]{64}")
_PAGE = 1000


def run_bytes(store: Store) -> dict[str, int]:
    """Bytes of each run's tasks, trajectories and verdicts. Blobs, which runs may share, are not counted."""
    sizes: dict[str, int] = {}
    lengths = {
        TASKS: sa.func.length(TASKS.c.body),
        TRAJECTORIES: sa.func.length(TRAJECTORIES.c.body) + sa.func.coalesce(sa.func.length(TRAJECTORIES.c.packed), 0),
        VERDICTS: sa.func.length(VERDICTS.c.body),
    }
    with store._engine.connect() as connection:
        for table, length in lengths.items():
            for run, total in connection.execute(sa.select(table.c.run, sa.func.sum(length)).group_by(table.c.run)):
                sizes[run] = sizes.get(run, 0) + int(total or 0)
    return sizes


def unused_blobs(store: Store, without: Collection[str] = ()) -> dict[str, int]:
    """Blobs to which no record refers, with their sizes. Runs `without` count as already deleted."""
    with store._engine.connect() as connection:
        query = sa.select(BLOBS.c.sha256, sa.func.length(BLOBS.c.body))
        unused: dict[str, int] = {sha256: length for sha256, length in connection.execute(query)}
        for body in _bodies(connection, set(without)) if unused else ():
            for match in _SHA256.findall(body):
                unused.pop(match.decode(), None)
    return unused


def _bodies(connection: sa.Connection, without: set[str]) -> Iterator[bytes]:
    streamed = connection.execution_options(yield_per=_PAGE)
    for table in (TRAJECTORIES, VERDICTS, TASKS):
        for run, body in streamed.execute(sa.select(table.c.run, table.c.body)):
            if run not in without:
                yield body
    yield from streamed.execute(sa.select(DOCUMENTS.c.body)).scalars()


def delete_blobs(store: Store, blobs: Collection[str]) -> None:
    if blobs:
        with store._writing() as connection:
            statement = BLOBS.delete().where(BLOBS.c.sha256 == sa.bindparam("id"))
            connection.execute(statement, [{"id": sha256} for sha256 in blobs])


def free_bytes(store: Store) -> int:
    """Bytes of the file's free pages."""
    return store._dialect.free_bytes(store._engine)


def compact(store: Store) -> None:
    """Returns free pages to the disk. No other process may use the store meanwhile."""
    store._dialect.compact(store._writable)
