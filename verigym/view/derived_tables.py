"""The tables of HOME/derived.db, and how it and the store that it is made from are opened. A file of another version or of
another store is made anew."""

import contextlib
import hashlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

VERSION = 3
CLASSES = ("missing", "passed", "failed", "partial", "unsafe", "error")
"""Outcomes of an episode. Their positions are the upper three bits of a cell."""
_BUSY_S = 5.0
_TABLES = """
CREATE TABLE progress (what TEXT PRIMARY KEY, done INTEGER NOT NULL, total INTEGER NOT NULL);
CREATE TABLE seen (what TEXT PRIMARY KEY, row INTEGER NOT NULL);
CREATE TABLE wanted (what TEXT NOT NULL, run TEXT NOT NULL, asked REAL NOT NULL, PRIMARY KEY (what, run));
CREATE TABLE cells (
    run TEXT NOT NULL, verifier TEXT NOT NULL, head BLOB NOT NULL, tasks BLOB NOT NULL, cells BLOB NOT NULL,
    more BLOB NOT NULL, row INTEGER NOT NULL, count INTEGER NOT NULL, scored INTEGER NOT NULL, passed INTEGER NOT NULL,
    verdict INTEGER NOT NULL, PRIMARY KEY (run, verifier)
);
CREATE TABLE explained (
    run TEXT NOT NULL, verifier TEXT NOT NULL, read INTEGER NOT NULL, total INTEGER NOT NULL, row INTEGER NOT NULL,
    count INTEGER NOT NULL, scored INTEGER NOT NULL, passed INTEGER NOT NULL, verdict INTEGER NOT NULL,
    PRIMARY KEY (run, verifier)
);
CREATE TABLE reasons (
    run TEXT NOT NULL, verifier TEXT NOT NULL, trajectory TEXT NOT NULL, at INTEGER NOT NULL, bucket TEXT NOT NULL,
    symptom TEXT NOT NULL, decided TEXT NOT NULL, PRIMARY KEY (run, verifier, trajectory)
) WITHOUT ROWID;
CREATE INDEX reasons_of_symptom ON reasons (run, verifier, bucket, symptom, at);
CREATE INDEX reasons_of_bucket ON reasons (run, verifier, bucket, at);
CREATE TABLE symptoms (
    run TEXT NOT NULL, verifier TEXT NOT NULL, bucket TEXT NOT NULL, symptom TEXT NOT NULL, decided TEXT NOT NULL,
    count INTEGER NOT NULL, PRIMARY KEY (run, verifier, bucket, symptom, decided)
) WITHOUT ROWID;
CREATE TRIGGER reason_added AFTER INSERT ON reasons BEGIN
    INSERT INTO symptoms VALUES (NEW.run, NEW.verifier, NEW.bucket, NEW.symptom, NEW.decided, 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER reason_removed AFTER DELETE ON reasons BEGIN
    UPDATE symptoms SET count = count - 1 WHERE run = OLD.run AND verifier = OLD.verifier AND bucket = OLD.bucket
    AND symptom = OLD.symptom AND decided = OLD.decided;
END;
CREATE TABLE links (
    at INTEGER PRIMARY KEY, from_kind TEXT NOT NULL, from_id TEXT NOT NULL, link TEXT NOT NULL, to_kind TEXT NOT NULL,
    to_id TEXT NOT NULL
);
CREATE INDEX links_from ON links (from_kind, from_id, at);
CREATE INDEX links_to ON links (to_kind, to_id, at);
CREATE TABLE compared (a TEXT NOT NULL, b TEXT NOT NULL, state TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (a, b, state));
CREATE TABLE texts (run TEXT PRIMARY KEY, read INTEGER NOT NULL, total INTEGER NOT NULL, row INTEGER NOT NULL);
"""


def connect(path: Path, *, create: bool) -> sqlite3.Connection:
    """Opens the file. With `create`, makes a missing one, and makes one of another version anew."""
    mode = "rwc" if create else "rw"
    address = f"{path.resolve().as_uri()}?mode={mode}"
    connection = sqlite3.connect(address, uri=True, timeout=_BUSY_S, check_same_thread=False)
    try:
        connection.execute("PRAGMA synchronous=OFF")  # what a power cut destroys is made again
        connection.execute(
            f"PRAGMA cache_size={-8192 if create else -1024}"
        )  # readers have a connection for each thread
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version != VERSION:
            if not create:
                raise sqlite3.DatabaseError("another version")
            if version or connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                connection.close()
                remove(path)
                return connect(path, create=True)
            connection.execute("PRAGMA journal_mode=WAL")
            connection.executescript(f"BEGIN; {_TABLES} PRAGMA user_version={VERSION}; COMMIT;")
    except BaseException:
        connection.close()
        raise
    return connection


def remove(path: Path) -> None:
    for end in ("", "-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)


def identity(path: Path) -> tuple[int, int]:
    """Names a file, also if another one is put in its place."""
    found = os.stat(path)
    return found.st_dev, found.st_ino


def open_store(path: Path) -> sqlite3.Connection:
    """The store, to read only. Its errors are `StoreUnreadable`."""
    with _blaming_the_store():
        address = f"{path.resolve().as_uri()}?mode=ro"
        store = sqlite3.connect(address, uri=True, timeout=30.0, factory=_StoreConnection)
        store.execute("PRAGMA query_only=ON")
        return store


def open_index(path: Path, inode: int) -> sqlite3.Connection:
    """The index of the store with this inode. One of another store is made anew."""
    name = inode & 0x7FFF_FFFF_FFFF_FFFF
    index = connect(path, create=True)
    try:
        known = index.execute("SELECT row FROM seen WHERE what = 'store'").fetchone()
        if known is not None and known[0] != name:
            index.close()
            remove(path)
            index = connect(path, create=True)
        with index:
            index.execute("INSERT OR REPLACE INTO seen VALUES ('store', ?)", (name,))
    except BaseException:
        index.close()
        raise
    return index


class StoreUnreadable(Exception):
    """The store cannot be read now. The index is not to blame."""


@contextlib.contextmanager
def _blaming_the_store() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StoreUnreadable(str(error)) from error


class _StoreCursor(sqlite3.Cursor):
    def execute(self, *given: Any) -> sqlite3.Cursor:
        with _blaming_the_store():
            return super().execute(*given)

    def fetchone(self) -> Any:
        with _blaming_the_store():
            return super().fetchone()

    def fetchall(self) -> list[Any]:
        with _blaming_the_store():
            return super().fetchall()

    def __next__(self) -> Any:
        try:  # cheaper than a context for each of many rows
            return super().__next__()
        except sqlite3.Error as error:
            raise StoreUnreadable(str(error)) from error


class _StoreConnection(sqlite3.Connection):
    """Its errors are `StoreUnreadable`, so that they are told apart from those of the index."""

    def execute(self, *given: Any) -> sqlite3.Cursor:
        return self.cursor(_StoreCursor).execute(*given)


def text_table(run: str) -> str:
    """The table with the texts of a run."""
    return f"text_{hashlib.sha256(run.encode(errors='surrogatepass')).hexdigest()[:16]}"
