"""Production traces as pages list them: which there are, when they began, what people said of them, and how each one ended.

Rows are read newest first, a few at a time, so a day of 100,000 traces costs as much as one of 100. A trace has no time of its
own. Those of the gateway have one in `captured.db`, which is read without being changed. Of others only the day is known.
"""

import itertools
import re
import sqlite3
import time
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from verigym.core import codec
from verigym.core.records import Failure, Fault, Feedback, FunctionCall, Item, Mark, Message
from verigym.traces.capture.conversation import ConversationState
from verigym.view.feedback_index import FeedbackIndex, feedback_index
from verigym.view.keyset import row_number
from verigym.view.read import Reader

_DAY = re.compile(r"traces-(?:served|otlp)-([0-9]{4}-[0-9]{2}-[0-9]{2})")
_CHUNK = 250
"""Bodies read at a time."""
_GATEWAY = "traces-served-"
_COUNT_S = 20.0
"""Maximum time to count the failed traces of one set of files, once."""
_LOOK_S = 1.0
"""Maximum time for which one page searches."""
SIGNALS = {
    "error": "server error",
    "retry": "asked again",
    "escalation": "escalated",
    "intervention": "a person stepped in",
    "tool_error": "a tool failed",
    "bad_arguments": "wrong arguments",
    "unknown_tool": "unknown tool",
    "format_error": "malformed call",
}
"""Signs of trouble in a trace, and how a page names them."""


class TraceRun(NamedTuple):
    """A run of traces: one day of the gateway, or one set of files."""

    id: str
    day: str
    """`2026-11-17`, the day on which its conversations began. For files, the day on which they were read."""
    size: int
    """Number of traces."""
    from_files: bool
    newest: int = 0
    """Row of the newest trace."""


class _TurnHead(Struct, frozen=True):
    actor: str = "policy"
    agent: str = ""
    latency_s: float = 0.0


class TraceHead(Struct, frozen=True):
    """A trace without token ids, end state and tools."""

    id: str
    items: list[Item] = []
    turns: list[_TurnHead] = []
    marks: list[Mark] = []
    outcome: str = ""
    interventions: list[str] = []
    error: Failure | None = None
    redacted: str = ""
    source: str = ""

    @property
    def versions(self) -> list[str]:
        """The versions that answered, in order."""
        return list(dict.fromkeys(turn.agent for turn in self.turns if turn.actor == "policy" and turn.agent))

    @property
    def latency_s(self) -> float:
        """Of its slowest reply."""
        return max((turn.latency_s for turn in self.turns if turn.actor == "policy"), default=0.0)

    @property
    def request(self) -> str:
        """The first message of the user."""
        return next((item.text for item in self.items if isinstance(item, Message) and item.role == "user"), "")

    @property
    def reply(self) -> str:
        """What the agent did last: a message, or a call."""
        return next((said for item in reversed(self.items) if (said := _said(item))), "")

    def signals(self, feedback: Sequence[Feedback] = ()) -> list[str]:
        """The names of its signs of trouble, as in `SIGNALS`."""
        marks = {mark.kind for mark in self.marks}
        known = {*marks, *(["error"] if self.error is not None else [])}
        if self.interventions or any(one.intervention for one in feedback):
            known.add("intervention")
        return [name for name in SIGNALS if name in known]

    def standing(self, feedback: Sequence[Feedback] = ()) -> str:
        """`failure`, `success`, `error` if a server failed, or `unknown`. What people said comes first, as in mining."""
        told = {one.outcome for one in feedback}
        if "failure" in told or any(one.correction or one.intervention for one in feedback):
            return "failure"
        if self.error is not None and self.error.fault is not Fault.MODEL:
            return "error"
        if "success" in told:
            return "success"
        if self.interventions or any(mark.kind == "escalation" for mark in self.marks):
            return "failure"
        return self.outcome if self.outcome in ("failure", "success") else "unknown"


class Listed(NamedTuple):
    """A trace of a list, with its place in it."""

    place: str
    run: TraceRun
    trace: TraceHead
    feedback: list[Feedback]


class Search(NamedTuple):
    """What a list of traces is narrowed to. Empty fields do not narrow it."""

    outcome: str = ""
    feedback: str = ""
    version: str = ""
    signal: str = ""
    q: str = ""

    def wants_feedback(self, given: Sequence[Feedback]) -> bool:
        match self.feedback:
            case "":
                return True
            case "any":
                return bool(given)
            case "none":
                return not given
            case "correction":
                return any(one.correction for one in given)
            case "note":
                return any(one.note for one in given)
            case _:
                return any(one.outcome == self.feedback for one in given)

    def wants(self, trace: TraceHead, given: Sequence[Feedback]) -> bool:
        if self.outcome and trace.standing(given) != self.outcome:
            return False
        if self.version and self.version not in trace.versions:
            return False
        if self.signal and self.signal not in trace.signals(given):
            return False
        return not self.q or any(self.q.casefold() in text.casefold() for text in _texts(trace.items))


class Found(NamedTuple):
    rows: list[Listed]
    read: int
    """Traces that were looked at for this page."""
    more: str
    """The place to continue from. Empty at the end."""


def runs_of_traces(reader: Reader) -> list[TraceRun]:
    """The runs of traces, newest day first."""
    rows = reader.rows(
        "SELECT r.id, r.created, count(*), max(t.rowid) FROM runs r JOIN trajectories t ON t.run = r.id "
        "WHERE r.kind = 'traces' GROUP BY r.id"
    )
    found: list[TraceRun] = []
    for id, created, count, newest in rows:
        named = _DAY.match(id)
        day = named[1] if named else datetime.fromtimestamp(created, UTC).strftime("%Y-%m-%d")
        found.append(TraceRun(id, day, count, named is None, newest))
    return sorted(found, key=lambda run: (run.day, run.id), reverse=True)


def find(reader: Reader, runs: Sequence[TraceRun], search: Search, after: str, n: int) -> Found:
    """The next n traces that the search wants. It stops after a second and says how far it came."""
    began, read = time.monotonic(), 0
    given = feedback_index(reader)
    found: list[Listed] = []
    place, _, last_run = after.partition("@")
    rowid = row_number(place)
    for run in _from(runs, last_run):
        rowids = _rowids(reader, run, _with_feedback(given, search))
        if run.id == last_run and rowid is not None:
            rowids = [one for one in rowids if one < rowid]
        for start in range(0, len(rowids), _CHUNK):
            rows = list(_bodies(reader, rowids[start : start + _CHUNK], search))
            told_of = given.read(reader, [id for _, id, _ in rows])
            for place, id, body in rows:
                read += 1
                told = told_of.get(id, [])
                if body is not None and search.wants_feedback(told):
                    trace = codec.decode(body, TraceHead)
                    if search.wants(trace, told):
                        found.append(Listed(f"{place}@{run.id}", run, trace, told))
                        if len(found) == n:
                            return Found(found, read, found[-1].place)
            if time.monotonic() - began > _LOOK_S:
                last = rowids[min(start + _CHUNK, len(rowids)) - 1]
                return Found(found, read, f"{last}@{run.id}")
    return Found(found, read, "")


def _from(runs: Sequence[TraceRun], last_run: str) -> Sequence[TraceRun]:
    ids = [run.id for run in runs]
    return runs[ids.index(last_run) :] if last_run in ids else runs


def _with_feedback(given: FeedbackIndex, search: Search) -> set[str] | None:
    """The traces whose feedback is wanted, if the search is about feedback that exists."""
    return None if search.feedback in ("", "none") else given.with_kind(search.feedback)


def _rowids(reader: Reader, run: TraceRun, only: Iterable[str] | None) -> Sequence[int]:
    """Newest first. A conversation that goes on is stored again, so it moves to the front."""
    if only is not None:
        ids = [id for id in only if id.startswith(f"{run.id}/")]
        found: list[int] = []
        for start in range(0, len(ids), _CHUNK):
            some = ids[start : start + _CHUNK]
            marks = ", ".join("?" for _ in some)
            sql = f"SELECT rowid FROM trajectories WHERE id IN ({marks}) AND run = ?"
            found += [one for (one,) in reader.rows(sql, *some, run.id)]
        return sorted(found, reverse=True)

    def all() -> Sequence[int]:
        rows = reader.rows("SELECT rowid FROM trajectories WHERE run = ?", run.id)
        return array("q", sorted((one for (one,) in rows), reverse=True))

    return reader.kept(f"rowids of {run.id}", (run.size, run.newest), all)


def _bodies(reader: Reader, rowids: Sequence[int], search: Search) -> Iterator[tuple[int, str, bytes | None]]:
    """Row, id and body. The body is None if the searched text is not in it."""
    marks = ", ".join("?" for _ in rowids)
    rows = reader.rows(
        f"SELECT rowid, id, body FROM trajectories WHERE rowid IN ({marks}) ORDER BY rowid DESC", *rowids
    )
    needle = msgspec.json.encode(search.q)[1:-1].lower() if search.q.isascii() else b""
    for rowid, id, body in rows:
        yield rowid, id, body if not needle or needle in body.lower() else None


# -- time -----------------------------------------------------------------------------------------------------------


def began(reader: Reader, ids: Sequence[str]) -> dict[str, float]:
    """When conversations of the gateway began, as far as it is known."""
    marks = ", ".join("?" for _ in ids)
    rows = _captured(reader, f"SELECT body FROM conversations WHERE id IN ({marks})", *ids) if ids else []
    states = [msgspec.msgpack.decode(body, type=ConversationState) for (body,) in rows]
    return {state.id: state.began for state in states}


def by_hour(reader: Reader, run: str, failed: Set[str]) -> dict[int, tuple[int, int]]:
    """Hour of the day to conversations that began in it, and to those of them that failed. Empty if no times are known."""
    first, last = f"{run}/", f"{run}0"  # "0" follows "/"
    total = "SELECT count(*), coalesce(max(updated), 0) FROM conversations WHERE id >= ? AND id < ?"
    state = [*map(tuple, _captured(reader, total, first, last)), frozenset(id for id in failed if id.startswith(first))]

    def count() -> dict[int, tuple[int, int]]:
        all, bad = Counter[int](), Counter[int]()
        for (body,) in _captured(reader, "SELECT body FROM conversations WHERE id >= ? AND id < ?", first, last):
            one = msgspec.msgpack.decode(body, type=ConversationState)
            hour = datetime.fromtimestamp(one.began, UTC).hour
            all[hour] += 1
            bad[hour] += one.id in failed
        return {hour: (all[hour], bad[hour]) for hour in all}

    return reader.kept(f"hours of {run}", state, count)


def _captured(reader: Reader, sql: str, *params: object) -> list[Any]:
    """Rows of the file in which the gateway keeps its conversations. None without it."""
    path = reader.home / "captured.db"
    if not path.is_file():
        return []
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=1.0)
        try:
            return connection.execute(sql, params).fetchall()
        finally:
            connection.close()
    except sqlite3.Error:  # an older gateway, or a file that is being made
        return []


def failed_ids(reader: Reader, runs: Sequence[TraceRun]) -> dict[str, frozenset[str]]:
    """Run to its traces that failed: people said so, the record says so, or a server failed."""
    state = reader.state_of("feedback")

    def told() -> dict[str, list[str]]:
        known, by_run = {run.id for run in runs_of_traces(reader)}, defaultdict[str, list[str]](list)
        for id in feedback_index(reader).failed():
            starts = itertools.accumulate(id.split("/"), "{}/{}".format)
            if run := max(known.intersection(starts), key=len, default=""):
                by_run[run].append(id)
        return by_run

    def read(run: TraceRun) -> frozenset[str]:
        every = reader.kept("failed by feedback", (state, reader.runs_state()), told)
        return _failed_records(reader, run).union(every.get(run.id, []))

    return {
        run.id: reader.kept(f"failed of {run.id}", (run.size, run.newest, state), lambda run=run: read(run))
        for run in runs
    }


def _failed_records(reader: Reader, run: TraceRun) -> frozenset[str]:
    """Traces whose record says that they failed. The gateway records no outcome, so only other traces are read for one."""

    def read() -> frozenset[str]:
        broken = reader.rows("SELECT id FROM trajectories WHERE run = ? AND fault NOT IN ('', 'model')", run.id)
        failed = {id for (id,) in broken}
        if run.id.startswith(_GATEWAY):
            return frozenset(failed)
        recorded = (
            "SELECT id FROM trajectories WHERE run = ? AND instr(body, ?) > 0 "
            "AND json_extract(CAST(body AS TEXT), '$.outcome') = 'failure'"
        )
        rows = reader.rows(recorded, run.id, b'"outcome":"failure"', seconds=_COUNT_S)
        return frozenset({*failed, *(id for (id,) in rows)})

    return reader.kept(f"failed records of {run.id}", (run.size, run.newest), read)


# -- text -----------------------------------------------------------------------------------------------------------


def _said(item: Item) -> str:
    if isinstance(item, FunctionCall):
        return f"{item.name} {item.arguments}"
    return item.text if isinstance(item, Message) and item.role == "assistant" else ""


def said(items: Sequence[Item]) -> str:
    """Calls and messages as text, for a correction."""
    return "\n".join(filter(None, map(_said, items))) or "\n".join(_texts(items))


def _texts(items: Sequence[Item]) -> Iterator[str]:
    for item in items:
        match item:
            case Message():
                yield item.text
            case FunctionCall():
                yield f"{item.name} {item.arguments}"
            case _:
                yield getattr(item, "output", "")


class Champion(Struct, frozen=True):
    """From when a version was the champion."""

    when: float
    version: str


class _Move(Struct, frozen=True):
    champion_before: str | None
    champion_after: str | None
    when: str


def champions(reader: Reader) -> list[Champion]:
    """Who was champion since when, oldest first."""

    def read() -> list[Champion]:
        moves = [codec.decode(body, _Move) for (body,) in reader.rows("SELECT body FROM ledger ORDER BY seq")]
        return [
            Champion(datetime.fromisoformat(move.when).timestamp(), move.champion_after or "")
            for move in moves
            if move.champion_after != move.champion_before
        ]

    return reader.kept("champions", reader.one("SELECT max(seq) FROM ledger"), read)


def champion_at(history: Sequence[Champion], when: float) -> str:
    """The champion at a time. Empty before the first."""
    return next((one.version for one in reversed(history) if one.when <= when), "")
