"""A database of conversation fingerprints beside the store, so that conversations continue after a restart.

It holds fingerprints and their key but no text, in a file of its own, so exported traces contain neither. Without the
file, a conversation that continues begins a new trajectory. Nothing else is lost.
"""

import contextlib
import os
import secrets
import sqlite3
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from verigym.core.errors import InfrastructureFailure
from verigym.traces.capture.conversation import ConversationState

_IDLE_S = 30 * 86_400.0
_TABLES = """
CREATE TABLE IF NOT EXISTS key (key BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS conversations (id TEXT PRIMARY KEY, name BLOB NOT NULL, updated REAL NOT NULL, body BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS conversations_by_name ON conversations (name, updated);
CREATE INDEX IF NOT EXISTS conversations_by_time ON conversations (updated);
"""


class ConversationDatabase:
    def __init__(self, path: Path) -> None:
        try:
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            self._database = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=5.0)
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("PRAGMA synchronous=NORMAL")
            self._database.executescript(_TABLES)
            with self._writing():
                self._database.execute(
                    "INSERT INTO key SELECT ? WHERE NOT EXISTS (SELECT 1 FROM key)", [secrets.token_bytes(32)]
                )
            self.key: bytes = self._database.execute("SELECT key FROM key").fetchone()[0]
        except (OSError, sqlite3.Error) as error:
            raise InfrastructureFailure(
                f"{path} cannot be used ({error}). Move it away. Captured conversations then begin new trajectories"
            ) from error

    def close(self) -> None:
        self._database.close()

    def write(self, states: Iterable[ConversationState]) -> None:
        rows = [(state.id, state.name, time.time(), msgspec.msgpack.encode(state)) for state in states]
        with self._writing():
            self._database.executemany("INSERT OR REPLACE INTO conversations VALUES (?, ?, ?, ?)", rows)

    def latest(self, most: int) -> Iterator[ConversationState]:
        """The newest conversations, oldest first."""
        query = (
            "SELECT body FROM (SELECT body, updated FROM conversations ORDER BY updated DESC LIMIT ?) ORDER BY updated"
        )
        for (body,) in self._database.execute(query, [most]):
            yield msgspec.msgpack.decode(body, type=ConversationState)

    def get(self, id: str) -> ConversationState | None:
        row = self._database.execute("SELECT body FROM conversations WHERE id = ?", [id]).fetchone()
        return None if row is None else msgspec.msgpack.decode(row[0], type=ConversationState)

    def named(self, name: bytes) -> str | None:
        """The newest trajectory of the conversation with this fingerprint."""
        query = "SELECT id FROM conversations WHERE name = ? ORDER BY updated DESC LIMIT 1"
        row = self._database.execute(query, [name]).fetchone()
        return None if row is None else row[0]

    def forget(self, before: str) -> None:
        """Deletes conversations whose id sorts before this one, and those unused for a month."""
        with self._writing():
            self._database.execute("DELETE FROM conversations WHERE id < ?", [before])
            self._database.execute("DELETE FROM conversations WHERE updated < ?", [time.time() - _IDLE_S])

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise
