"""Finds the conversation of a request: by its id, by the response that it continues, or by how it begins.

The index holds only fingerprints, and only the latest, so that a lookup takes microseconds. `conversation` connects the request
with the earlier turns. The database keeps the fingerprints, so that conversations continue after a restart.

    [u1] -> a1    a conversation begins         [u1 a1 u2] -> a2    continues it: the request begins with what ended at a1
    [u1] again    a retry                       [u1 a1 u3]          a branch
"""

import os
import secrets
import sqlite3
import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from verigym.core.errors import InfrastructureFailure
from verigym.core.records import Item
from verigym.store.connection import store_failure
from verigym.traces.capture.conversation import ConversationState
from verigym.wire.items import is_reply

_MOST = 100_000
"""Maximum fingerprints, two for each exchange."""
_IDLE_S = 30 * 86_400.0
_TABLES = """
CREATE TABLE IF NOT EXISTS key (key BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS conversations (id TEXT PRIMARY KEY, name BLOB NOT NULL, updated REAL NOT NULL, body BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS conversations_by_name ON conversations (name, updated);
CREATE INDEX IF NOT EXISTS conversations_by_time ON conversations (updated);
"""
_RETRY_S, _UNANSWERED_S = 60.0, 600.0
"""Time in which the same first request is a retry, after a reply and without one. Later it is another client's request."""


class _LastRequest(NamedTuple):
    trajectory: str
    when: float
    end: bytes | None
    """Fingerprint with the reply. None without a reply."""


class ConversationIndex:
    """Fingerprints to trajectories. Trajectory ids sort by day, and those before `oldest` are ignored."""

    def __init__(self, most: int = _MOST) -> None:
        self.oldest = ""
        self._most = most
        self._names: OrderedDict[bytes, str] = OrderedDict()
        """Fingerprints of conversation ids and response ids."""
        self._begun: OrderedDict[bytes, _LastRequest] = OrderedDict()
        """Fingerprint of a whole request to the last such request."""
        self._ends: OrderedDict[bytes, list[str]] = OrderedDict()
        """Fingerprint of a request with its reply to the last trajectory there, then those that have not continued from there."""

    def __len__(self) -> int:
        return len(self._names) + len(self._begun) + len(self._ends)

    def named(self, name: bytes) -> str | None:
        """The trajectory of a conversation or response with this fingerprint."""
        trajectory = self._names.get(name)
        if trajectory is None or trajectory < self.oldest:
            return None
        self._names.move_to_end(name)
        return trajectory

    def find(self, items: Sequence[Item], chain: Sequence[bytes], now: float) -> str | None:
        """The trajectory that a request continues, by how it begins. None for a new one."""
        begun = self._begun.get(chain[-1]) if chain else None
        if begun is not None and begun.trajectory < self.oldest:
            begun = None
        for ends in self._ends_in(chain if begun is None else [print for print in chain if print != chain[-1]]):
            if len(ends) > 1:
                return ends.pop()
            return ends[0] if begun is None else begun.trajectory
        if begun is not None:
            return begun.trajectory if self._is_retry(begun, now) else None
        for index in range(len(chain) - 1, 0, -1):  # the client changed the reply to an earlier request
            if is_reply(items[index]) and not is_reply(items[index - 1]):
                earlier = self._begun.get(chain[index - 1])
                if earlier is not None and earlier.trajectory >= self.oldest:
                    return earlier.trajectory
        return None

    def begin(self, request: bytes, trajectory: str, now: float) -> None:
        self._put(self._begun, request, _LastRequest(trajectory, now, None))

    def end(self, request: bytes, whole: bytes, trajectory: str, now: float, *, open: bool = True) -> None:
        """Records a reply, or none if `whole` is `request`. `open`: no request has continued from there yet."""
        self._put(self._begun, request, _LastRequest(trajectory, now, whole if whole != request else None))
        ends = self._ends.get(whole, [trajectory])
        ends[0] = trajectory
        if open and trajectory not in ends[1:]:
            ends.append(trajectory)
        self._put(self._ends, whole, ends)

    def name(self, name: bytes, trajectory: str) -> None:
        self._put(self._names, name, trajectory)

    def _ends_in(self, chain: Sequence[bytes]) -> Iterator[list[str]]:
        """The trajectories that ended where the request begins, the longest match first."""
        for print in reversed(chain):
            ends = self._ends.get(print)
            if ends is not None:
                ends[1:] = [id for id in ends[1:] if id >= self.oldest]
                if ends[0] >= self.oldest:
                    self._ends.move_to_end(print)
                    yield ends

    def _is_retry(self, begun: _LastRequest, now: float) -> bool:
        continued = begun.end is not None and begun.trajectory not in self._ends.get(begun.end, [])[1:]
        return not continued and now - begun.when <= (_UNANSWERED_S if begun.end is None else _RETRY_S)

    def _put(self, entries: OrderedDict, key: bytes, value: object) -> None:
        entries[key] = value
        entries.move_to_end(key)
        while len(self) > self._most:
            largest = max((self._names, self._begun, self._ends), key=len)
            largest.popitem(last=False)


class ConversationDatabase:
    """Fingerprints of conversations and their key, in a file beside the store. It holds no text.

    Without the file, a conversation that continues begins a new trajectory. Nothing else is lost."""

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            self._database = sqlite3.connect(path, check_same_thread=False, isolation_level="IMMEDIATE", timeout=5.0)
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("PRAGMA synchronous=NORMAL")
            self._database.executescript(_TABLES)
            with self._database:
                self._database.execute(
                    "INSERT INTO key SELECT ? WHERE NOT EXISTS (SELECT 1 FROM key)", [secrets.token_bytes(32)]
                )
            self.key: bytes = self._database.execute("SELECT key FROM key").fetchone()[0]
        except sqlite3.Error as error:
            raise store_failure(error, path) from error
        except OSError as error:
            raise InfrastructureFailure(
                f"{path} cannot be written ({error.strerror}). Make the folder writable or free some disk space"
            ) from error

    def close(self) -> None:
        self._database.close()

    def write(self, states: Iterable[ConversationState]) -> None:
        rows = [(state.id, state.name, time.time(), msgspec.msgpack.encode(state)) for state in states]
        with self._database:
            self._database.executemany("INSERT OR REPLACE INTO conversations VALUES (?, ?, ?, ?)", rows)

    def latest(self, most: int) -> Iterator[ConversationState]:
        """The newest conversations, oldest first."""
        query = "SELECT body FROM (SELECT body, rowid AS n FROM conversations ORDER BY n DESC LIMIT ?) ORDER BY n"
        for (body,) in self._database.execute(query, [most]):
            yield msgspec.msgpack.decode(body, type=ConversationState)

    def get(self, id: str) -> ConversationState | None:
        row = self._database.execute("SELECT body FROM conversations WHERE id = ?", [id]).fetchone()
        return None if row is None else msgspec.msgpack.decode(row[0], type=ConversationState)

    def named(self, name: bytes) -> str | None:
        """The newest trajectory of the conversation with this fingerprint."""
        query = "SELECT id FROM conversations WHERE name = ? ORDER BY rowid DESC LIMIT 1"
        row = self._database.execute(query, [name]).fetchone()
        return None if row is None else row[0]

    def forget(self, before: str) -> None:
        """Deletes conversations whose id sorts before this one, and those unused for a month."""
        with self._database:
            self._database.execute("DELETE FROM conversations WHERE id < ?", [before])
            self._database.execute("DELETE FROM conversations WHERE updated < ?", [time.time() - _IDLE_S])
