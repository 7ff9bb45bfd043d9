"""Fills HOME/derived.db: one process at the lowest priority, one run after another, a batch at a time.

What it knows of a run is named by the counts of the run: if they grew, it reads the new episodes and those with new verdicts, and
if they changed otherwise, it starts the run again. If the store is another file, it starts the index again. While a run is being
made, it reads only what a page asked for, so that it takes nothing from the run. It imports no code of an environment.
"""

import contextlib
import fcntl
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from verigym.core import codec
from verigym.core.errors import VerigymError
from verigym.core.records import Mark, Task, Trajectory, Verdict
from verigym.evaluation.failures import WRONG_ANSWER, normalised, reason_of, unscored
from verigym.store.address import page_file
from verigym.view.build_links import link_documents, link_ledger, link_tasks
from verigym.view.derived_tables import (
    CLASSES,
    StoreUnreadable,
    identity,
    open_index,
    open_store,
    remove,
    text_table,
)

KINDS = ("rollout", "eval", "collect")
_BATCH = 500
_FLUSH_S = 20.0
_IDLE_S = 1.0
_LOOK_S = 5.0
"""Seconds between two looks for runs that changed."""
_MOST_ATTEMPTS = 64
"""Attempts of a task in the picture. Later ones are only counted."""
_UNFINISHED = -1
"""The count of a run that is not read to its end."""
_NEWEST = "SELECT coalesce(max(rowid), 0) FROM verdicts"
_UNSAFE, _MARKED = b'"unsafe":true', b'"kind":"unsafe"'
_EPISODES = """
SELECT t.rowid, t.id, t.task, t.place, t.fault, v.reward, v.passed, v.body, instr(t.body, ?), {body}
FROM trajectories t LEFT JOIN verdicts v ON v.trajectory = t.id AND v.run = t.run AND v.verifier = ?
WHERE t.rowid IN ({marks}) ORDER BY t.rowid
"""


class RunState(Struct, frozen=True):
    """A run, and what decides if it must be read."""

    id: str
    verifier: str
    count: int
    scored: int
    passed: int
    verdict: int
    """The newest row of all verdicts when the counts were read."""

    @property
    def counts(self) -> tuple[int, int, int]:
        return self.count, self.scored, self.passed


class Stopped(Exception):
    """The parent process has ended, or a file was removed or replaced."""


class _Marks(Struct, frozen=True):
    marks: list[Mark] = []


class _TaskHead(Struct, frozen=True):
    family: str = ""


class _Counts(NamedTuple):
    trajectories: int
    passed: int
    scored: int


class _Cells(NamedTuple):
    """The bytes of the attempts at each task."""

    shown: dict[str, bytearray]
    more: dict[str, dict[int, int]]
    """Attempts that the picture has no room for, by their place."""


class _JudgeExplanation(Struct, frozen=True):
    trajectory: str
    judge: str
    bucket: str
    reason: str


class Builder:
    """Reads the store and fills the index. `catch_up` does all that can be done now."""

    def __init__(self, home: Path, *, alive: Callable[[], bool] = lambda: True) -> None:
        self.home, self.path = home, home / "derived.db"
        self._alive = alive
        self._file = identity(page_file(home))
        self.store = open_store(page_file(home))
        try:
            self.index = open_index(self.path, self._file[1])
        except BaseException:
            self.store.close()
            raise
        self._inode = os.stat(self.path).st_ino
        self._looked, self._version = -_LOOK_S, -1
        self._more = True

    def close(self) -> None:
        self.index.close()
        self.store.close()

    # -- what to do next --------------------------------------------------------------------------------------------

    def catch_up(self) -> None:
        """Reads everything that is new."""
        while self.step(patient=False):
            pass

    def step(self, *, patient: bool = True) -> bool:
        """Does one thing. False if there is nothing to do. If `patient`, a run that is being made is not disturbed."""
        self._check()
        with self.index:
            if any([link_documents(self.store, self.index), link_ledger(self.store, self.index)]):
                return True
        for what, run in self.index.execute("SELECT what, run FROM wanted ORDER BY asked").fetchall():
            self._wanted(what, run)
            return True
        if patient and self._is_busy():
            return False
        if patient and self._is_changed():
            self._more = True  # until all runs were looked at, which can take several steps
        if patient and not self._more:
            return False
        with self.index:
            if link_tasks(self.store, self.index):
                return True
        cells, reasons = self._pending()
        self._more = bool(cells or reasons)
        for run in cells:
            self.build_cells(run)
        for run in reasons:
            self.build_reasons(run)
            if patient and (self._is_asked() or self._is_busy()):
                break
        return self._more

    def _check(self) -> None:
        try:
            same = os.stat(self.path).st_ino == self._inode and identity(page_file(self.home)) == self._file
        except OSError:
            same = False
        if not same or not self._alive():
            raise Stopped

    def _is_busy(self) -> bool:
        """Whether a process is making a run now."""
        with contextlib.suppress(OSError):
            for file in (self.home / "running").iterdir():
                with contextlib.suppress(OSError, ValueError):
                    os.kill(int(file.read_text().removeprefix("pid ")), 0)
                    return True
        return False

    def _is_asked(self) -> bool:
        return self.index.execute("SELECT count(*) FROM wanted").fetchone()[0] > 0

    def _is_changed(self) -> bool:
        """Whether the store changed since the last look. Looks are some seconds apart."""
        now = time.monotonic()
        version = self.store.execute("PRAGMA data_version").fetchone()[0]
        if now - self._looked < _LOOK_S or version == self._version:
            return False
        self._looked, self._version = now, version
        return True

    def _pending(self) -> tuple[list[RunState], list[RunState]]:
        """Runs whose cells or reasons are behind, newest first."""
        known = [
            {(run, verifier): tuple(counts) for run, verifier, *counts in self.index.execute(sql)}
            for sql in (
                "SELECT run, verifier, count, scored, passed FROM cells",
                "SELECT run, verifier, count, scored, passed FROM explained",
            )
        ]
        stored: set[str] = set()
        behind: tuple[list[RunState], list[RunState]] = ([], [])
        marks = ", ".join("?" for _ in KINDS)
        sql = f"SELECT id, verifier, counts, ({_NEWEST}) FROM runs WHERE kind IN ({marks}) ORDER BY parent != '', created DESC"
        for id, verifier, counts, newest in self.store.execute(sql, KINDS).fetchall():
            stored.add(id)
            state = self._state(id, verifier, counts, newest)
            for have, missing in zip(known, behind, strict=True):
                if have.get((id, verifier), (0, 0, 0)) != state.counts:
                    missing.append(state)
        gone = {run for have in known for run, _ in have} - stored
        with self.index:
            for run in gone:
                self._forget(run)
        return behind

    def _state(self, run: str, verifier: str, counts: bytes | None, newest: int) -> RunState:
        with contextlib.suppress(msgspec.DecodeError):
            if counts:
                known = msgspec.json.decode(counts, type=_Counts)
                return RunState(run, verifier, known.trajectories, known.scored, known.passed, newest)
        # one statement, so that all numbers are of the same moment
        sql = f"""SELECT (SELECT count(*) FROM trajectories WHERE run = ?1), count(reward), coalesce(sum(passed), 0), ({_NEWEST})
        FROM verdicts WHERE run = ?1 AND verifier = ?2"""
        return RunState(run, verifier, *self.store.execute(sql, (run, verifier)).fetchone())

    def _wanted(self, what: str, run: str) -> None:
        row = self.store.execute(f"SELECT verifier, counts, ({_NEWEST}) FROM runs WHERE id = ?", (run,)).fetchone()
        if row is not None:
            state = self._state(run, *row)
            if what == "cells" and not self._is_current("cells", state):
                self.build_cells(state)
            elif what == "reasons" and not self._is_current("explained", state):
                self.build_reasons(state)
            elif what == "text":
                self.build_text(state)
        with self.index:
            self.index.execute("DELETE FROM wanted WHERE what = ? AND run = ?", (what, run))

    def _forget(self, run: str) -> None:
        """Removes what is known of a run that was deleted."""
        for table in ("cells", "explained", "reasons", "symptoms", "texts"):
            self.index.execute(f"DELETE FROM {table} WHERE run = ?", (run,))
        self.index.execute(f"DROP TABLE IF EXISTS {text_table(run)}")

    # -- episodes ---------------------------------------------------------------------------------------------------

    def _since(self, table: str, run: RunState) -> tuple[int, list[int]]:
        """The last row that was read, and the earlier rows whose verdicts came later. 0 to start again, because the counts
        changed in another way than by new rows: a verdict was replaced, or episodes were deleted."""
        sql = f"SELECT row, count, scored, passed, verdict FROM {table} WHERE run = ? AND verifier = ?"
        known = self.index.execute(sql, (run.id, run.verifier)).fetchone()
        if known is None:
            return 0, []
        row, count, scored, passed, verdict = known
        # the plus makes SQLite read only the new verdicts, by their rows
        new = "FROM verdicts v {join} WHERE v.rowid > ? AND v.rowid <= ? AND +v.run = ? AND +v.verifier = ?"
        span = verdict, run.verdict, run.id, run.verifier
        sql = f"SELECT count(v.reward), coalesce(sum(v.passed), 0) {new.format(join='')}"
        added = self.store.execute(sql, span).fetchone()
        if run.count < count or added != (run.scored - scored, run.passed - passed):
            return 0, []
        join = "JOIN trajectories t ON t.id = v.trajectory AND t.run = v.run AND t.rowid <= ?"
        late = self.store.execute(f"SELECT t.rowid {new.format(join=join)}", (row, *span)).fetchall()
        return row, [rowid for (rowid,) in late]

    def _is_current(self, table: str, run: RunState) -> bool:
        sql = f"SELECT 1 FROM {table} WHERE run = ? AND verifier = ? AND count = ? AND scored = ? AND passed = ?"
        return self.index.execute(sql, (run.id, run.verifier, *run.counts)).fetchone() is not None

    def _rows(self, run: str, after: int, late: Iterable[int] = ()) -> list[int]:
        sql = "SELECT rowid FROM trajectories WHERE run = ? AND rowid > ?"
        return sorted({*late, *(row for (row,) in self.store.execute(sql, (run, after)))})

    def _episodes(self, run: RunState, rows: Sequence[int], body: str) -> Iterator[list[tuple[Any, ...]]]:
        """The episodes in batches. No transaction stays open between two of them."""
        for start in range(0, len(rows), _BATCH):
            self._check()
            some = rows[start : start + _BATCH]
            sql = _EPISODES.format(body=body, marks=", ".join("?" * len(some)))
            if batch := self.store.execute(sql, (_MARKED, run.verifier, *some)).fetchall():  # else the run was deleted
                yield batch

    def _progress(self, what: str, done: int, total: int) -> None:
        self.index.execute("INSERT OR REPLACE INTO progress VALUES (?, ?, ?)", (what, done, total))

    def build_cells(self, run: RunState) -> None:
        since, late = self._since("cells", run)
        rows = self._rows(run.id, since, late)
        cells = self._stored_cells(run) if since else _Cells({}, {})
        last, flushed = since, time.monotonic()
        for batch in self._episodes(run, rows, "NULL"):
            for rowid, _id, task, index, fault, reward, passed, verdict, marked, _ in batch:
                unsafe = bool(verdict and _UNSAFE in verdict) or bool(marked and self._is_marked(rowid))
                outcome = _outcome(fault, reward, bool(passed), unsafe)
                shade = 0 if reward is None else round(31 * min(1.0, max(0.0, reward)))
                place, cell = max(index, 0), CLASSES.index(outcome) << 5 | shade
                attempts = cells.shown.setdefault(task, bytearray())
                if place >= _MOST_ATTEMPTS:
                    cells.more.setdefault(task, {})[place] = cell
                else:
                    attempts.extend(bytes(max(0, place + 1 - len(attempts))))
                    attempts[place] = cell
                last = rowid
            if time.monotonic() - flushed > _FLUSH_S:
                self._keep_cells(run, cells, last, _UNFINISHED)
                flushed = time.monotonic()
        self._keep_cells(run, cells, max(since, last), run.count)

    def _is_marked(self, rowid: int) -> bool:
        """The text can also stand in an end state, so the marks decide."""
        [(body,)] = self.store.execute("SELECT body FROM trajectories WHERE rowid = ?", (rowid,)).fetchall() or [
            (b"{}",)
        ]
        try:
            return any(mark.kind == "unsafe" for mark in codec.decode(body, _Marks).marks)
        except VerigymError:
            return False

    def _stored_cells(self, run: RunState) -> _Cells:
        sql = "SELECT head, tasks, cells, more FROM cells WHERE run = ? AND verifier = ?"
        head, tasks, body, more = self.index.execute(sql, (run.id, run.verifier)).fetchone()
        wide = msgspec.json.decode(head)["attempts"]
        ids = msgspec.json.decode(tasks, type=list[str])
        shown = {id: bytearray(body[at * wide : (at + 1) * wide].rstrip(b"\0")) for at, id in enumerate(ids)}
        return _Cells(shown, msgspec.json.decode(more, type=dict[str, dict[int, int]]))

    def _keep_cells(self, run: RunState, cells: _Cells, row: int, count: int) -> None:
        heads = self.store.execute("SELECT id, body FROM tasks WHERE run = ?", (run.id,))
        families = {id: _family_of(body) or id for id, body in heads}
        order = sorted({**dict.fromkeys(families), **cells.shown}, key=lambda id: (families.get(id, id), id))
        wide = max(map(len, cells.shown.values()), default=0)
        empty = bytearray()
        body = b"".join(cells.shown.get(id, empty).ljust(wide, b"\0") for id in order)
        figures: dict[str, list[int]] = {}
        for id in order:
            counts = [cell >> 5 for cell in [*cells.shown.get(id, empty), *cells.more.get(id, {}).values()] if cell]
            passed, scored = counts.count(1), sum(each != 5 for each in counts)
            of = figures.setdefault(families.get(id, id), [0, 0, 0, 0, 0])
            for at, value in enumerate((1, len(counts), passed, scored, int(0 < passed < scored))):
                of[at] += value
        head = {
            "attempts": wide,
            "tasks": len(order),
            "families": [[family, *of] for family, of in figures.items()],
            "rows": len(body) - body.count(0) + sum(map(len, cells.more.values())),
            "total": run.count,
        }
        stored = (*map(msgspec.json.encode, (head, order)), body, msgspec.json.encode(cells.more))
        with self.index:
            self.index.execute(
                "INSERT OR REPLACE INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (run.id, run.verifier, *stored, row, count, run.scored, run.passed, run.verdict),
            )
            self._progress("episodes", head["rows"], run.count)

    def build_reasons(self, run: RunState) -> None:
        since, late = self._since("explained", run)
        rows = self._rows(run.id, since, late)
        sql = "SELECT read FROM explained WHERE run = ? AND verifier = ?"
        read = self.index.execute(sql, (run.id, run.verifier)).fetchone()[0] if since else 0
        said = self._said(run.id)
        key = run.id, run.verifier
        with self.index:
            if not since:
                self.index.execute("DELETE FROM reasons WHERE run = ? AND verifier = ?", key)
                self.index.execute("DELETE FROM symptoms WHERE run = ? AND verifier = ?", key)
        tasks = lru_cache(4096)(lambda task: self._task(run.id, task))
        passed = "v.passed = 1 AND t.fault = '' AND v.reward IS NOT NULL"
        safe = 'instr(v.body, CAST(\'"unsafe":true\' AS BLOB)) + instr(t.body, CAST(\'"kind":"unsafe"\' AS BLOB)) = 0'
        for batch in self._episodes(run, rows, f"CASE WHEN {passed} AND {safe} THEN NULL ELSE t.body END"):
            found = [(*key, *reason) for row in batch if (reason := _reason(row, tasks, said)) is not None]
            read = min(run.count, read + sum(row[0] > since for row in batch))
            with self.index:
                self.index.executemany(
                    "DELETE FROM reasons WHERE run = ? AND verifier = ? AND trajectory = ?",
                    [(*key, row[1]) for row in batch] if since else [],
                )
                self.index.executemany("INSERT OR IGNORE INTO reasons VALUES (?, ?, ?, ?, ?, ?, ?)", found)
                self._explained(run, read, batch[-1][0], _UNFINISHED)
                self._progress("reasons", read, run.count)
        with self.index:
            self._explained(run, run.count, max([since, *rows[-1:]]), run.count)

    def _explained(self, run: RunState, read: int, row: int, count: int) -> None:
        state = read, run.count, row, count, run.scored, run.passed, run.verdict
        self.index.execute(
            "INSERT OR REPLACE INTO explained VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (run.id, run.verifier, *state)
        )

    def _task(self, run: str, task: str) -> Task | None:
        row = self.store.execute("SELECT body FROM tasks WHERE run = ? AND id = ?", (run, task)).fetchone()
        try:
            return codec.decode(row[0], Task) if row else None
        except VerigymError:
            return None

    def _said(self, run: str) -> dict[str, _JudgeExplanation]:
        """What judges said of the run's episodes, the newest last."""
        said: dict[str, _JudgeExplanation] = {}
        for (body,) in self.store.execute("SELECT body FROM documents WHERE kind = 'said' ORDER BY created"):
            with contextlib.suppress(VerigymError):
                one = codec.decode(body, _JudgeExplanation)
                if one.trajectory.startswith(f"{run}/"):
                    said[one.trajectory] = one
        return said

    # -- text -------------------------------------------------------------------------------------------------------

    def build_text(self, run: RunState) -> None:
        """The words of every item of a run. Only words and rows are stored, not the texts."""
        table = text_table(run.id)
        known = self.index.execute("SELECT read, row FROM texts WHERE run = ?", (run.id,)).fetchone()
        read, since = known or (0, 0)
        if known is None or run.count < read:
            read = since = 0
            with self.index:
                self.index.execute(f"DROP TABLE IF EXISTS {table}")
                self.index.execute(f"CREATE VIRTUAL TABLE {table} USING fts5(body, content='', detail=none)")
        for batch in self._episodes(run, self._rows(run.id, since), "t.body"):
            read += len(batch)
            with self.index:
                words = [(row[0], _words(row[9], row[7])) for row in batch]
                self.index.executemany(f"INSERT INTO {table} (rowid, body) VALUES (?, ?)", words)
                self.index.execute(
                    "INSERT OR REPLACE INTO texts VALUES (?, ?, ?, ?)", (run.id, read, run.count, batch[-1][0])
                )
                self._progress(f"text of {run.id}", read, run.count)


def _outcome(fault: str, reward: float | None, passed: bool, unsafe: bool) -> str:
    if fault not in ("", "model") or reward is None:
        return "error"
    if unsafe:
        return "unsafe"
    return "passed" if passed else "partial" if reward > 0 else "failed"


def _family_of(body: bytes) -> str:
    try:
        return codec.decode(body, _TaskHead).family
    except VerigymError:
        return ""


def _reason(
    row: tuple[Any, ...], task_of: Callable[[str], Task | None], said: dict[str, _JudgeExplanation]
) -> tuple[str, int, str, str, str] | None:
    """Trajectory, row, bucket, symptom and who decided. None if the episode passed safely."""
    rowid, id, task_id, _, _, _, _, verdict_body, _, body = row
    if body is None:
        return None
    try:
        trajectory = codec.decode(body, Trajectory)
        verdict = codec.decode(verdict_body, Verdict) if verdict_body else unscored(trajectory)
        task = task_of(task_id) or Task(id=task_id, prompt="")
        reason = reason_of(task, trajectory, verdict)
    except VerigymError as error:  # a damaged or newer record
        return id, rowid, "infrastructure", normalised(str(error)), "rules"
    if not reason.bucket:
        return None
    judged = said.get(id)
    if reason.bucket == WRONG_ANSWER and judged is not None:
        return id, rowid, judged.bucket, normalised(judged.reason), f"judge {judged.judge[:12]}"
    return id, rowid, reason.bucket, reason.symptom or normalised(reason.evidence), reason.by


def _words(body: bytes, verdict: bytes | None) -> str:
    """Every text of an episode and of its verdict."""
    texts: list[str] = []

    def collect(value: Any) -> None:
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, dict):
            for each in value.values():
                collect(each)
        elif isinstance(value, list):
            for each in value:
                collect(each)

    for raw in (body, verdict):
        with contextlib.suppress(msgspec.DecodeError, RecursionError):
            plain = msgspec.json.decode(raw) if raw else {}
            collect([plain.get(name) for name in ("items", "end_state", "evidence", "error")])
    return "\n".join(texts)


def run_builder(home: Path, parent: int = 0) -> None:
    """Fills the index until the parent process ends. One builder at a time: another waits."""
    with contextlib.suppress(OSError):
        os.nice(19)

    def alive() -> bool:
        return not parent or os.getppid() == parent

    with _locked(home, alive) as mine:
        while mine and alive():
            try:
                builder = Builder(home, alive=alive) if page_file(home).exists() else None
            except (sqlite3.DatabaseError, OSError, StoreUnreadable) as error:
                _recover(home, error)
                builder = None
            if builder is None:
                time.sleep(_IDLE_S)
                continue
            try:
                while alive():
                    if not builder.step():
                        time.sleep(_IDLE_S)
            except Stopped:
                continue
            except (sqlite3.Error, OSError, StoreUnreadable) as error:
                _recover(home, error)
                time.sleep(_IDLE_S)
            finally:
                builder.close()


def _recover(home: Path, error: Exception) -> None:
    """Removes a damaged index. A full or read-only disk, a locked file and a damaged store are tried again."""
    text = str(error)
    if isinstance(error, sqlite3.Error) and any(
        word in text for word in ("malformed", "not a database", "no such table", "no such column")
    ):
        with contextlib.suppress(OSError):
            remove(home / "derived.db")
    else:
        time.sleep(10 * _IDLE_S)


@contextlib.contextmanager
def _locked(home: Path, alive: Callable[[], bool]) -> Iterator[bool]:
    try:
        file = (home / "derived.lock").open("a+")
    except OSError:  # a folder that cannot be written has no index
        yield False
        return
    with file:
        while alive():
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                time.sleep(_IDLE_S)
                continue
            yield True
            return
        yield False


def main(words: Iterable[str]) -> int:
    """`python -m verigym.view.derived HOME [PID]`"""
    home, *rest = words
    run_builder(Path(home), int(rest[0]) if rest else 0)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
