"""The tables of HOME/derived.db, and how the file is opened. A file of another version is made anew."""

import hashlib
import sqlite3
from pathlib import Path

VERSION = 1
CLASSES = ("missing", "passed", "failed", "partial", "unsafe", "error")
"""Outcomes of an episode. Their positions are the upper three bits of a cell."""
_BUSY_S = 5.0
_TABLES = """
CREATE TABLE progress (what TEXT PRIMARY KEY, done INTEGER NOT NULL, total INTEGER NOT NULL);
CREATE TABLE seen (what TEXT PRIMARY KEY, row INTEGER NOT NULL);
CREATE TABLE wanted (what TEXT NOT NULL, run TEXT NOT NULL, asked REAL NOT NULL, PRIMARY KEY (what, run));
CREATE TABLE cells (
    run TEXT NOT NULL, verifier TEXT NOT NULL, head BLOB NOT NULL, tasks BLOB NOT NULL, cells BLOB NOT NULL,
    row INTEGER NOT NULL, count INTEGER NOT NULL, scored INTEGER NOT NULL, PRIMARY KEY (run, verifier)
);
CREATE TABLE explained (
    run TEXT NOT NULL, verifier TEXT NOT NULL, read INTEGER NOT NULL, total INTEGER NOT NULL, row INTEGER NOT NULL,
    count INTEGER NOT NULL, scored INTEGER NOT NULL, PRIMARY KEY (run, verifier)
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
CREATE TABLE reports (
    id TEXT PRIMARY KEY, run TEXT NOT NULL, agent TEXT NOT NULL, suite TEXT NOT NULL, hash TEXT NOT NULL,
    created REAL NOT NULL, at INTEGER NOT NULL, head BLOB NOT NULL
);
CREATE INDEX reports_of_agent ON reports (agent, at);
CREATE INDEX reports_of_run ON reports (run, at);
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


def text_table(run: str) -> str:
    """The table with the texts of a run."""
    return f"text_{hashlib.sha256(run.encode(errors='surrogatepass')).hexdigest()[:16]}"
