"""HOME/derived.db: answers that are slow to work out of the store. Deleting the file loses nothing, and no command needs it.

    derived = Derived(home)
    derived.start()                          # a process that fills it, at the lowest priority
    derived.cells("eval-1", "verify@1")      # None until it is made
    derived.stop()

A page asks and gets what there is: every method answers None or nothing if the file is missing, damaged or behind, or if its
disk cannot be written. `python -m verigym.view.derived HOME` fills it (`build`), and `derived_tables` has its tables. Code of an
environment is never imported, so only the general rules explain failures here, with what a judge already said.
"""

import contextlib
import os
import re
import sqlite3
import subprocess
import sys
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec
from msgspec import Struct, structs

from verigym.view.derived_tables import connect, text_table

T = TypeVar("T")
_WORD = re.compile(r"[^\W_]+")
_STOP_S = 5.0


class CellFamily(Struct, frozen=True, array_like=True):
    """Tasks of one family, which follow each other in the picture."""

    family: str
    tasks: int
    episodes: int
    passed: int
    scored: int
    mixed: int
    """Tasks that passed in some attempts and failed in others."""


class Cells(Struct, frozen=True, kw_only=True):
    """Every episode of a run as one byte, task after task, by family and id."""

    attempts: int
    """Bytes of a task, at most 64. Later attempts are only in the figures of the families."""
    tasks: int
    cells: bytes = b""
    """An outcome of `CLASSES` in the upper three bits, the reward from 0 to 31 in the lower five. 0: not played."""
    families: list[CellFamily]
    rows: int
    """Episodes that are in."""
    total: int
    """Episodes that the run had when the builder looked."""


class Symptom(Struct, frozen=True):
    """Failures of one bucket with the same symptom."""

    bucket: str
    symptom: str
    by: str
    """Who decided: `rules`, or a judge by name."""
    count: int
    trajectories: list[str]
    """The first few."""


class Reasons(NamedTuple):
    """Why episodes of a run failed, as far as it was read."""

    read: int
    """Episodes that were read."""
    total: int
    symptoms: list[Symptom]
    """The most frequent first."""
    buckets: dict[str, int]
    """The most frequent first."""


class Reason(NamedTuple):
    trajectory: str
    bucket: str
    symptom: str
    by: str
    row: int
    """The cursor for the next page."""


class LinkedRecord(NamedTuple):
    """One end of a link, and what the link says."""

    kind: str
    """`trajectory`, `feedback`, `label`, `proposal`, `review`, `task`, `family`, `version`, `run`, `suite`, `report`, `decision`,
    `dataset`"""
    id: str
    link: str
    """What connects them, such as `made from` or `measured`."""


class Progress(NamedTuple):
    what: str
    """`episodes`, `reasons`, `documents`, `text of RUN`"""
    done: int
    total: int

    @property
    def share(self) -> float:
        return min(1.0, self.done / self.total) if self.total else 1.0


class TextHits(NamedTuple):
    rows: list[int]
    """Rows of `trajectories`, ascending."""
    after: int
    """The cursor for the next page. 0 at the end."""
    read: int
    total: int


class Derived:
    """The derived index of one workspace. Threads share it, and each has its own connection."""

    def __init__(self, home: Path) -> None:
        self.path = home / "derived.db"
        self._local = threading.local()
        self._open: dict[threading.Thread, sqlite3.Connection] = {}
        self._lock = threading.Lock()
        self._builder: subprocess.Popen[bytes] | None = None

    # -- the process that fills it ----------------------------------------------------------------------------------

    def start(self) -> None:
        """Starts the builder. It ends with this process. A second builder waits until the first has ended."""
        with self._lock:
            if self._builder is None or self._builder.poll() is not None:
                module = "-P", "-m", "verigym.view.derived"  # -P: nothing is imported from the current folder
                command = [sys.executable, *module, str(self.path.parent), str(os.getpid())]
                with contextlib.suppress(OSError):  # no process can be started: pages work without it
                    self._builder = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    @property
    def building(self) -> bool:
        return self._builder is not None and self._builder.poll() is None

    def stop(self) -> None:
        """Ends the builder and closes the connections."""
        with self._lock:
            builder, self._builder = self._builder, None
            opened, self._open = self._open, {}
            self._local = threading.local()
        if builder is not None:
            builder.terminate()
            try:
                builder.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                builder.kill()
                builder.wait()
        for connection in opened.values():
            connection.close()

    def want(self, what: str, run: str) -> None:
        """Asks the builder to do `cells`, `reasons` or `text` of a run before everything else."""
        with contextlib.suppress(_NotThere), self._reading() as connection, connection:
            row = what, run, time.time()
            connection.execute("INSERT OR REPLACE INTO wanted (what, run, asked) VALUES (?, ?, ?)", row)

    # -- connections ------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """A connection of this thread. A file that failed is opened again for the next question."""
        try:
            yield self._connection()
        except (sqlite3.Error, OSError, msgspec.DecodeError):
            self._close()
            raise _NotThere from None

    def _close(self) -> None:
        """Closes the connection of this thread."""
        known, self._local.connection = getattr(self._local, "connection", None), None
        if known is not None:
            with self._lock:
                if self._open.get(threading.current_thread()) is known:
                    del self._open[threading.current_thread()]
            known.close()

    def _connection(self) -> sqlite3.Connection:
        known = getattr(self._local, "connection", None)
        file = os.stat(self.path)
        if known is not None and self._local.inode == file.st_ino:
            return known
        self._close()
        if not file.st_size:
            raise FileNotFoundError
        with self._lock:
            for thread in [thread for thread in self._open if not thread.is_alive()]:
                self._open.pop(thread).close()
        made = connect(self.path, create=False)
        with self._lock:
            self._open[threading.current_thread()] = made
        self._local.connection, self._local.inode = made, file.st_ino
        return made

    def _rows(self, sql: str, *params: object) -> list[tuple[object, ...]]:
        with contextlib.suppress(_NotThere), self._reading() as connection:
            return connection.execute(sql, params).fetchall()
        return []

    def progress(self) -> list[Progress]:
        """How far the builder is: `[Progress("reasons", 34_000, 100_000)]`. Empty if there is no index yet."""
        return [Progress(*row) for row in self._rows("SELECT what, done, total FROM progress ORDER BY what")]  # type: ignore[arg-type]

    # -- runs -------------------------------------------------------------------------------------------------------

    def cells(self, run: str, verifier: str) -> Cells | None:
        """Every episode of a run as a byte. `cells("eval-1", "verify@1").cells[0] >> 5` is 1 if the first episode passed."""
        rows = self._rows("SELECT head, cells FROM cells WHERE run = ? AND verifier = ?", run, verifier)
        if not rows:
            return None
        head, body = rows[0]
        return structs.replace(msgspec.json.decode(bytes(head), type=Cells), cells=bytes(body))  # type: ignore[arg-type]

    def cell_tasks(self, run: str, verifier: str, first: int = 0, n: int = 200) -> list[str]:
        """The ids of n tasks in the order of `cells`: `cell_tasks("eval-1", "verify@1", 400)` is its third page."""
        rows = self._rows("SELECT tasks FROM cells WHERE run = ? AND verifier = ?", run, verifier)
        ids = msgspec.json.decode(rows[0][0], type=list[str]) if rows else []  # type: ignore[arg-type]
        return ids[first : first + n]

    def reasons(self, run: str, verifier: str, *, most: int = 200, examples: int = 5) -> Reasons | None:
        """Failures by bucket and symptom: `reasons("eval-1", "verify@1").buckets` is `{"wrong tool": 31, ...}`."""
        state = self._rows("SELECT read, total FROM explained WHERE run = ? AND verifier = ?", run, verifier)
        if not state:
            return None
        sql = "SELECT bucket, symptom, decided, count FROM symptoms WHERE run = ? AND verifier = ? AND count > 0 "
        rows: list[tuple[str, str, str, int]] = self._rows(sql + "ORDER BY count DESC, symptom", run, verifier)  # type: ignore[assignment]
        buckets: dict[str, int] = {}
        for bucket, _, _, count in rows:
            buckets[bucket] = buckets.get(bucket, 0) + count
        sql = "SELECT trajectory FROM reasons WHERE run = ? AND verifier = ? AND bucket = ? AND symptom = ? ORDER BY at LIMIT ?"
        symptoms = [
            Symptom(*row, [str(id) for (id,) in self._rows(sql, run, verifier, row[0], row[1], examples)])
            for row in rows[:most]
        ]
        read, total = state[0]
        return Reasons(
            int(str(read)), int(str(total)), symptoms, dict(sorted(buckets.items(), key=lambda each: -each[1]))
        )

    def reasons_page(
        self, run: str, verifier: str, bucket: str, symptom: str = "", after: int = 0, n: int = 20
    ) -> list[Reason]:
        """Failed episodes of a bucket, n after the cursor: `reasons_page(run, verifier, "wrong tool", after=page[-1].row)`."""
        of = "AND symptom = ? " if symptom else ""
        sql = "SELECT trajectory, bucket, symptom, decided, at FROM reasons WHERE run = ? AND verifier = ? AND bucket = ? "
        params = (run, verifier, bucket, *([symptom] if symptom else []), after, n)
        return [Reason(*row) for row in self._rows(f"{sql}{of}AND at > ? ORDER BY at LIMIT ?", *params)]  # type: ignore[arg-type]

    def reason(self, run: str, verifier: str, trajectory: str) -> Reason | None:
        """Why one episode failed. None if it passed or was not read yet."""
        sql = "SELECT trajectory, bucket, symptom, decided, at FROM reasons WHERE run = ? AND verifier = ? AND trajectory = ?"
        return next((Reason(*row) for row in self._rows(sql, run, verifier, trajectory)), None)  # type: ignore[arg-type]

    # -- links ------------------------------------------------------------------------------------------------------

    def links_to(self, kind: str, id: str, by: str = "", n: int = 200) -> list[LinkedRecord]:
        """What names a record: `links_to("trajectory", "traces/17")` has its feedback, its proposals and the task that stands
        for it."""
        of = "AND from_kind = ? " if by else ""
        sql = f"SELECT from_kind, from_id, link FROM links WHERE to_kind = ? AND to_id = ? {of}ORDER BY at LIMIT ?"
        return [LinkedRecord(*row) for row in self._rows(sql, kind, id, *([by] if by else []), n)]  # type: ignore[arg-type]

    def links_reach(self, document: int, entry: int) -> bool:
        """Whether the links of this document (by its row) and of this ledger entry are in."""
        sql = "SELECT coalesce(max(row), 0) >= ? FROM seen WHERE what = ?"
        known = [self._rows(sql, least, what) for what, least in (("documents", document), ("ledger", entry))]
        return all(bool(rows and rows[0][0]) for rows in known)

    # -- comparisons ------------------------------------------------------------------------------------------------

    def compared(self, a: str, b: str, make: Callable[[], T], kind: type[T], *, state: str = "") -> T:
        """The comparison of two reports, made once: `compared(a.id, b.id, lambda: compare(a, b), Comparison)`. `state` names what
        else it depends on, such as a level or the time of a report that was written again."""
        key = a, b, f"{kind.__name__} {state}"
        for (body,) in self._rows("SELECT body FROM compared WHERE a = ? AND b = ? AND state = ?", *key):
            with contextlib.suppress(msgspec.DecodeError):  # an older verigym wrote it
                return msgspec.msgpack.decode(bytes(body), type=kind)  # type: ignore[arg-type]
        made = make()
        with contextlib.suppress(_NotThere), self._reading() as connection, connection:
            row = *key, msgspec.msgpack.encode(made)  # unlike JSON, it knows infinity
            connection.execute("INSERT OR REPLACE INTO compared (a, b, state, body) VALUES (?, ?, ?, ?)", row)
        return made

    # -- text -------------------------------------------------------------------------------------------------------

    def search_text(self, run: str, words: str, after: int = 0, n: int = 50) -> TextHits | None:
        """Episodes with all of these words, upper and lower case alike: `search_text("eval-1", "refund order").rows`. None if
        the texts of the run are not indexed, or there is no word."""
        # the words are tokens in quotes, so nothing in them is syntax
        wanted = " ".join(f'"{word}"' for word in _WORD.findall(unicodedata.normalize("NFC", words)))
        state = self._rows("SELECT read, total FROM texts WHERE run = ?", run)
        if not wanted or not state:
            return None
        sql = (
            f"SELECT rowid FROM {text_table(run)} WHERE {text_table(run)} MATCH ? AND rowid > ? ORDER BY rowid LIMIT ?"
        )
        try:
            with self._reading() as connection:
                rows = [int(row) for (row,) in connection.execute(sql, (wanted, after, n + 1))]
        except _NotThere:
            return None
        read, total = state[0]
        return TextHits(rows[:n], rows[n - 1] if len(rows) > n else 0, int(str(read)), int(str(total)))


class _NotThere(Exception):
    """The index cannot be used now."""


if __name__ == "__main__":
    from verigym.view.build import main

    sys.exit(main(sys.argv[1:]))
