"""Links between records for HOME/derived.db: what a document, a ledger entry or a task names, in both directions.

    trace <- feedback, proposal -> task <- report <- decision         family <- version

Documents are read once, by their row. One that is written again has a new row, and its links are replaced. A link can outlive a
deleted record, so a page looks whether the record exists. Cases are files beside their environment and have no links.
"""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from verigym.core import codec
from verigym.core.errors import VerigymError
from verigym.core.records import Feedback, Label, Task, Version
from verigym.mining.proposals import AcceptedBatch, MiningSummary, Proposal, Review
from verigym.registry.ledger import LedgerEntry

_BATCH = 500
_TRACE = "trace "
_REPRESENTED = "represented by"
Linked = tuple[str, str, str]
"""What the link says, and the kind and id of what it leads to."""


class _Suite(Struct, frozen=True):
    name: str
    hash: str = ""


class _Result(Struct, frozen=True):
    task: str


class _Report(Struct, frozen=True):
    id: str
    run: str
    agent: str
    suite: _Suite
    results: list[_Result] = []


def _feedback(one: Feedback) -> Iterator[Linked]:
    yield one.outcome or "feedback", "trajectory", one.trajectory


def _label(one: Label) -> Iterator[Linked]:
    yield one.judgement, "trajectory", one.trajectory
    if one.other:
        yield "compared with", "trajectory", one.other


def _proposal(one: Proposal) -> Iterator[Linked]:
    for trajectory in one.trajectories:
        yield "made from", "trajectory", trajectory
    yield "proposes", "task", one.task.id
    if one.task.family:
        yield "in", "family", one.task.family


def _review(one: Review) -> Iterator[Linked]:
    for proposal in one.proposals:
        yield one.answer, "proposal", proposal


def _accepted(one: AcceptedBatch) -> Iterator[Linked]:
    for task in one.tasks:
        yield "accepted", "task", task.id
    for proposal in [*one.cases, *(task.id for task in one.tasks)]:
        yield "accepted", "proposal", proposal


def _report(one: _Report) -> Iterator[Linked]:
    yield "measured", "version", one.agent
    yield "of", "run", one.run
    yield "on", "suite", one.suite.name
    for result in one.results:
        yield "measured", "task", result.task


def _version(one: Version) -> Iterator[Linked]:
    if one.parent:
        yield "made from", "version", one.parent
    if run := one.recipe.get("run"):
        yield "trained in", "run", str(run)
    if one.data_hash:
        yield "trained on", "dataset", one.data_hash
    for family in one.families:
        yield "trained on", "family", family


_DOCUMENTS: dict[str, tuple[type[Any], Callable[[Any], Iterator[Linked]]]] = {
    "feedback": (Feedback, _feedback),
    "label": (Label, _label),
    "proposal": (Proposal, _proposal),
    "review": (Review, _review),
    "taken": (AcceptedBatch, _accepted),
    "report": (_Report, _report),
    "version": (Version, _version),
}
_ADD = "INSERT INTO links (from_kind, from_id, link, to_kind, to_id) VALUES (?, ?, ?, ?, ?)"
_NAMES = {"taken": "batch"}
"""The kind of a document in links, if it has another name than in the store."""


def _seen(index: sqlite3.Connection, what: str) -> int:
    row = index.execute("SELECT row FROM seen WHERE what = ?", (what,)).fetchone()
    return row[0] if row else 0


def _note(index: sqlite3.Connection, what: str, row: int) -> None:
    index.execute("INSERT OR REPLACE INTO seen VALUES (?, ?)", (what, row))


def link_documents(store: sqlite3.Connection, index: sqlite3.Connection) -> int:
    """Links of the next documents. Returns how many were new. The last one is read again, because a document that replaces the
    newest one gets the same row."""
    seen = _seen(index, "documents")
    newest = store.execute("SELECT max(rowid), max(created) FROM documents").fetchone()[0] or 0
    stamp = store.execute("SELECT created FROM documents WHERE rowid = ?", (newest,)).fetchone()
    mark = int((stamp[0] if stamp else 0.0) * 1e6)
    if newest == seen and mark == _seen(index, "newest document"):
        return 0
    sql = "SELECT rowid, kind, id, body FROM documents WHERE rowid >= ? ORDER BY rowid LIMIT ?"
    rows = store.execute(sql, (min(seen, newest), _BATCH)).fetchall()
    for _, kind, id, body in rows:
        with contextlib.suppress(VerigymError):  # a damaged or newer document has no links
            if kind == "mining":
                _link_mining(store, index)
            elif kind in _DOCUMENTS:
                _link_document(index, kind, id, body)
    last = rows[-1][0] if rows else newest
    _note(index, "documents", last)
    _note(index, "newest document", mark if last == newest else -1)
    index.execute("INSERT OR REPLACE INTO progress VALUES ('documents', ?, ?)", (last, newest))
    return len(rows)


def _link_document(index: sqlite3.Connection, kind: str, id: str, body: bytes) -> None:
    record_type, links_of = _DOCUMENTS[kind]
    record = codec.decode(body, record_type)
    name = _NAMES.get(kind, kind)
    index.execute("DELETE FROM links WHERE from_kind = ? AND from_id = ?", (name, id))
    index.executemany(_ADD, [(name, id, *link) for link in dict.fromkeys(links_of(record))])


def _link_mining(store: sqlite3.Connection, index: sqlite3.Connection) -> None:
    """Failed traces to the tasks that represent them, by the newest summary of each environment."""
    newest: dict[str, MiningSummary] = {}
    for (body,) in store.execute("SELECT body FROM documents WHERE kind = 'mining' ORDER BY rowid"):
        summary = codec.decode(body, MiningSummary)
        newest[summary.environment] = summary
    index.execute("DELETE FROM links WHERE from_kind = 'trajectory' AND link = ?", (_REPRESENTED,))
    pairs = [pair for one in newest.values() for pair in [*one.tasks.items(), *one.regressions.items()]]
    index.executemany(_ADD, [("trajectory", trace, _REPRESENTED, "task", task) for trace, task in dict.fromkeys(pairs)])


def link_ledger(store: sqlite3.Connection, index: sqlite3.Connection) -> int:
    seen = _seen(index, "ledger")
    rows = store.execute("SELECT seq, body FROM ledger WHERE seq > ? ORDER BY seq LIMIT ?", (seen, _BATCH)).fetchall()
    for seq, body in rows:
        with contextlib.suppress(VerigymError):
            decision = codec.decode(body, LedgerEntry).decision
            links: list[Linked] = [("candidate", "version", decision.candidate)]
            if decision.champion:
                links.append(("champion", "version", decision.champion))
            measured = [report for one in decision.measured for report in (one.candidate, one.champion)]
            links += [("rests on", "report", report) for report in [*decision.reports, *measured] if report]
            index.executemany(_ADD, [("decision", str(seq), *link) for link in dict.fromkeys(links)])
        _note(index, "ledger", seq)
    return len(rows)


def link_tasks(store: sqlite3.Connection, index: sqlite3.Connection) -> int:
    """Tasks to the traces and tasks of their lineage."""
    seen = _seen(index, "tasks")
    newest = store.execute("SELECT max(rowid) FROM tasks").fetchone()[0] or 0
    if newest <= seen:
        if newest < seen:  # the last run was deleted
            _note(index, "tasks", newest)
        return 0
    upto = min(newest, seen + 20 * _BATCH)
    sql = "SELECT body FROM tasks WHERE rowid > ? AND rowid <= ? AND instr(body, CAST('\"lineage\"' AS BLOB)) > 0"
    for (body,) in store.execute(sql, (seen, upto)).fetchall():
        with contextlib.suppress(VerigymError):
            task = codec.decode(body, Task)
            known = {(*row,) for row in index.execute(_KNOWN, ("task", task.id))}
            index.executemany(_ADD, [("task", task.id, *link) for link in _lineage(task) if link not in known])
    _note(index, "tasks", upto)
    return upto - seen


_KNOWN = "SELECT link, to_kind, to_id FROM links WHERE from_kind = ? AND from_id = ?"


def _lineage(task: Task) -> Iterator[Linked]:
    for at, entry in enumerate(task.lineage):
        if entry.startswith(_TRACE):
            yield "made from", "trajectory", entry.removeprefix(_TRACE)
        elif any(later.startswith("verigym design vary") for later in task.lineage[at + 1 : at + 2]):
            yield "variation of", "task", entry
