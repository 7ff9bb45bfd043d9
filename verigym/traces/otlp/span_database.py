"""Spans that were received, in a file beside the store (`spans.db`). Every span in it is redacted.

A span is on disk before its sender gets an answer, so a killed process loses nothing that it acknowledged. Spans stay for a day
after the last one of their trace arrived, so that late spans join their trace.
"""

import os
import secrets
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from verigym.core.errors import InfrastructureFailure
from verigym.core.records import Json

_TABLES = """
CREATE TABLE IF NOT EXISTS key (key BLOB);
CREATE TABLE IF NOT EXISTS traces (
    owner TEXT, trace TEXT, conversation TEXT, first REAL, last REAL, joined REAL, root INTEGER, spans INTEGER, bytes INTEGER,
    PRIMARY KEY (owner, trace)
);
CREATE INDEX IF NOT EXISTS traces_by_conversation ON traces (owner, conversation);
CREATE TABLE IF NOT EXISTS spans (owner TEXT, trace TEXT, span TEXT, body BLOB, PRIMARY KEY (owner, trace, span));
"""
_UNJOINED = "joined < last"


class SpanRow(NamedTuple):
    trace: str
    span: str
    is_root: bool
    body: bytes
    """The span in the form that `otel.trace_of_spans` reads, redacted, as JSON."""


class StoredTrace(NamedTuple):
    owner: str
    trace: str
    conversation: str
    """Conversation that the trace was joined into. Empty if it was not joined yet, or is a trajectory of its own."""
    first: float
    last: float
    joined: float
    """The time of the last span when it was joined. 0 if it was not joined yet."""


_COLUMNS = ", ".join(StoredTrace._fields)


class SpanDatabase:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            self._database = sqlite3.connect(path, check_same_thread=False, isolation_level="IMMEDIATE", timeout=10.0)
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("PRAGMA synchronous=FULL")
            self._database.executescript(_TABLES)
            with self._database:
                new = "INSERT INTO key SELECT ? WHERE NOT EXISTS (SELECT 1 FROM key)"
                self._database.execute(new, [secrets.token_bytes(32)])
            self.key: bytes = self._database.execute("SELECT key FROM key").fetchone()[0]
        except (sqlite3.Error, OSError) as error:
            raise InfrastructureFailure(
                f"{path} cannot be written ({error}). Make the folder writable or free some disk space"
            ) from error

    def close(self) -> None:
        with self._lock:
            self._database.close()

    @property
    def size(self) -> int:
        """Bytes of all spans."""
        return self._one("SELECT coalesce(sum(bytes), 0) FROM traces", [])[0]

    def sizes(self, owner: str, traces: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Number of spans and bytes of traces that exist."""
        query = "SELECT spans, bytes FROM traces WHERE owner = ? AND trace = ?"
        found = {trace: self._one(query, [owner, trace]) for trace in traces}
        return {trace: row for trace, row in found.items() if row is not None}

    def add(self, owner: str, rows: Sequence[SpanRow], now: float) -> int:
        """Stores spans in one transaction. Returns the number of spans that are new or changed."""
        changed = 0
        with self._lock, self._database:
            for row in rows:
                before = self._database.execute(
                    "SELECT body FROM spans WHERE owner = ? AND trace = ? AND span = ?", [owner, row.trace, row.span]
                ).fetchone()
                if before is not None and before[0] == row.body:
                    continue
                changed += 1
                self._database.execute(
                    "INSERT OR REPLACE INTO spans VALUES (?, ?, ?, ?)", [owner, row.trace, row.span, row.body]
                )
                more = len(row.body) - (len(before[0]) if before is not None else 0)
                self._database.execute(
                    """INSERT INTO traces VALUES (?, ?, '', ?, ?, 0, ?, 1, ?)
                    ON CONFLICT DO UPDATE SET last = max(last + 0.000001, excluded.last), root = max(root, excluded.root),
                    spans = spans + ?, bytes = bytes + ?""",
                    [owner, row.trace, now, now, row.is_root, more, before is None, more],
                )
        return changed

    def due(self, with_root_before: float, any_before: float) -> list[StoredTrace]:
        """Traces with new spans: those that have their root and are quiet, and those that are idle for long."""
        query = f"SELECT {_COLUMNS} FROM traces WHERE {_UNJOINED} AND ((root = 1 AND last <= ?) OR last <= ?) ORDER BY first"
        return self._traces(query, [with_root_before, any_before])

    def unjoined(self) -> list[StoredTrace]:
        return self._traces(f"SELECT {_COLUMNS} FROM traces WHERE {_UNJOINED} ORDER BY first", [])

    def of_conversation(self, owner: str, conversation: str) -> list[StoredTrace]:
        query = f"SELECT {_COLUMNS} FROM traces WHERE owner = ? AND conversation = ? ORDER BY first, trace"
        return self._traces(query, [owner, conversation])

    def spans(self, trace: StoredTrace) -> list[Json]:
        with self._lock:
            rows = self._database.execute(
                "SELECT body FROM spans WHERE owner = ? AND trace = ? ORDER BY span", [trace.owner, trace.trace]
            ).fetchall()
        return [msgspec.json.decode(body) for (body,) in rows]

    def set_conversation(self, trace: StoredTrace, conversation: str) -> None:
        """Assigns a trace to a conversation, once and for all."""
        self._write(
            "UPDATE traces SET conversation = ? WHERE owner = ? AND trace = ?", [conversation, trace.owner, trace.trace]
        )

    def set_joined(self, traces: Sequence[StoredTrace]) -> None:
        """Records which spans a trajectory has. Spans that came since then are still new."""
        with self._lock, self._database:
            self._database.executemany(
                "UPDATE traces SET joined = ? WHERE owner = ? AND trace = ?",
                [(each.last, each.owner, each.trace) for each in traces],
            )

    def forget(self, before: float) -> int:
        """Deletes joined traces whose last span came before a time. Returns their number."""
        old = "(owner, trace) IN (SELECT owner, trace FROM traces WHERE joined >= last AND last < ?)"
        with self._lock, self._database:
            self._database.execute(f"DELETE FROM spans WHERE {old}", [before])
            return self._database.execute("DELETE FROM traces WHERE joined >= last AND last < ?", [before]).rowcount

    def _traces(self, query: str, values: list[Any]) -> list[StoredTrace]:
        with self._lock:
            return [StoredTrace(*row) for row in self._database.execute(query, values)]

    def _one(self, query: str, values: list[Any]) -> Any:
        with self._lock:
            return self._database.execute(query, values).fetchone()

    def _write(self, query: str, values: list[Any]) -> None:
        with self._lock, self._database:
            self._database.execute(query, values)
