"""The claim of a run by an advisory lock, which the server frees when the process or its machine dies.

The lock belongs to a connection. If the server restarts, the lock is gone while the process lives. So a thread looks after the
connection and takes the lock again. If another process was faster, the claim is lost, and the next write of the run is refused.
"""

import contextlib
import hashlib
import threading
from collections.abc import Callable, Iterator

import sqlalchemy as sa

from verigym.store.connection import StoreBusy, StoreFailure
from verigym.store.dialect import used_by_other
from verigym.store.patience import PATIENCE_S, repeat

KEY = "hashtextextended(current_schema() || '/' || %s, 0)"
"""The number of a lock. Stores in one database have different ones."""
CLAIMS = " claims "
_LOOK_S = 2.0
_HOLDER = f"""WITH key AS (SELECT {KEY} AS value)
SELECT application_name, pid, backend_start::text FROM pg_locks JOIN pg_stat_activity USING (pid), key
WHERE locktype = 'advisory' AND granted AND objsubid = 1
AND classid::bigint = (value >> 32) & 4294967295 AND objid::bigint = value & 4294967295 LIMIT 1"""
"""The process that holds an advisory lock. The server shows the two halves of its number."""


class Claims:
    """The claims of one process on one store."""

    def __init__(self, engine: Callable[[], sa.Engine], who: Callable[[], str]) -> None:
        self._engine, self._who = engine, who
        self._lost: dict[str, str] = {}
        """Runs whose claim another process has now, with its name."""
        self._sessions: dict[str, tuple[int, str]] = {}
        """The session that claims a run, by its number on the server and its start."""
        self._abandoned: set[tuple[int, str]] = set()
        """Sessions whose connection broke. The server may not know it yet."""

    def check(self, run: str) -> None:
        """Refuses to go on with a run that another process claimed meanwhile."""
        if run in self._lost:
            raise used_by_other(run, self._lost[run])

    @contextlib.contextmanager
    def hold(self, run: str) -> Iterator[None]:
        engine, stop = self._engine(), threading.Event()
        connection, holder = repeat(lambda: self._take(engine, run), PATIENCE_S)
        if connection is None:
            raise used_by_other(run, holder)
        self._lost.pop(run, None)
        watch = threading.Thread(target=self._watch, args=(engine, connection, run, stop), daemon=True)
        watch.start()
        try:
            yield
        finally:
            stop.set()
            watch.join(timeout=60)
            self._lost.pop(run, None)

    def _take(self, engine: sa.Engine, run: str) -> tuple[sa.Connection | None, str]:
        """A connection that holds the lock, or who holds it."""
        connection, key = engine.connect(), f"claim {run}"
        try:
            if connection.exec_driver_sql(f"SELECT pg_try_advisory_lock({KEY})", (key,)).scalar_one():
                named = f"{self._who()}{CLAIMS}{hashlib.sha256(run.encode()).hexdigest()[:16]}"
                connection.exec_driver_sql("SELECT set_config('application_name', %s, false)", (named,))
                session = "SELECT pid, backend_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid()"
                pid, began = connection.exec_driver_sql(session).one()
                self._sessions[run] = pid, began
                return connection, ""
            holder = connection.exec_driver_sql(_HOLDER, (key,)).first()
        except BaseException:
            connection.close()
            raise
        connection.close()
        if holder is not None and (holder.pid, holder.backend_start) in self._abandoned:
            raise StoreBusy(f"The server has not ended the lost session that claims run {run} yet")
        return None, (holder.application_name if holder else "").removeprefix("verigym ").partition(CLAIMS)[0]

    def _watch(self, engine: sa.Engine, held: sa.Connection, run: str, stop: threading.Event) -> None:
        connection: sa.Connection | None = held
        while not stop.wait(_LOOK_S):
            try:
                if connection is None:
                    connection, holder = self._take(engine, run)
                    if connection is None:
                        self._lost[run] = holder or "unknown"
                        break
                connection.exec_driver_sql("SELECT 1")
            except StoreFailure:  # the server is away: try again
                self._abandoned.add(self._sessions[run])
                _close(connection)
                connection = None
        if connection is not None:  # a connection that is closed may hold its lock for another moment
            with contextlib.suppress(StoreFailure):
                connection.exec_driver_sql("SELECT pg_advisory_unlock_all()")
        _close(connection)


def _close(connection: sa.Connection | None) -> None:
    if connection is not None:
        with contextlib.suppress(StoreFailure):
            connection.close()


def claimed(connection: sa.Connection) -> set[str]:
    """The runs that are claimed now, each by the first 16 digits of the SHA-256 of its id."""
    query = (
        "SELECT application_name FROM pg_stat_activity WHERE application_name LIKE %s AND datname = current_database()"
    )
    names = connection.exec_driver_sql(query, (f"verigym %{CLAIMS}%",)).scalars()
    return {name.partition(CLAIMS)[2] for name in names}
