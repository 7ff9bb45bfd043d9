"""Reports and ledger entries without their long parts, kept in memory, and links to versions: what lists and decisions need.

A report has one result for each task, and an entry one check for each question. A list needs neither, so they are skipped while
decoding. Reports and entries never change. Only those that were added since the last page are read.
"""

import shlex
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct, field

from verigym.core import codec
from verigym.core.errors import BadInput
from verigym.core.records import Estimate, Json, Report, Version
from verigym.view.page import url
from verigym.view.read import Reader
from verigym.workspace.shared_reports import GUARDS

_CHUNK = 500
_FULL, _RESULTS = 12, 4_000
"""Whole reports that are kept, and results of tasks in all of them."""


class VersionLink(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A version as a link. A deleted version has no page."""

    id: str
    label: str
    href: str = ""

    @property
    def known(self) -> bool:
        return bool(self.href)


class SuiteHead(Struct, frozen=True):
    name: str
    environment: str
    verifier: str
    hash: str
    tasks: int
    families: frozenset[str]


class ReportHead(Struct, frozen=True, kw_only=True):
    id: str
    run: str
    agent: str
    suite: SuiteHead
    metrics: dict[str, Estimate]
    buckets: dict[str, int]
    errors: int
    repeats: int
    created: float

    @property
    def success(self) -> Estimate | None:
        return self.metrics.get("success")

    @property
    def is_guard(self) -> bool:
        """Whether it is on a guardrail suite. Regressions have no success."""
        return self.suite.environment in GUARDS or (bool(self.metrics) and "success" not in self.metrics)


class MeasuredHead(Struct, frozen=True, gc=False):
    suite: str
    candidate: str
    champion: str


class _Policy(Struct, frozen=True, gc=False):
    name: str = ""


class DecisionHead(Struct, frozen=True):
    candidate: str
    champion: str
    verdict: str
    kind: str = "gate"
    reports: list[str] = []
    policy: _Policy = _Policy()
    policy_hash: str = ""
    measured: list[MeasuredHead] = []


class EntryHead(Struct, frozen=True, kw_only=True, gc=False):
    seq: int
    decision: DecisionHead
    champion_before: str | None
    champion_after: str | None
    when: str
    who: str
    why: str

    @property
    def moved(self) -> bool:
        return self.champion_before != self.champion_after


class _StoredSuite(Struct):
    name: str
    environment: str
    verifier: str
    hash: str
    tasks: list[Any] = []
    families: list[str] = []


class _StoredReport(Struct, kw_only=True):
    id: str
    run: str
    agent: str
    suite: _StoredSuite
    metrics: dict[str, Estimate] = field(default_factory=dict)
    buckets: dict[str, int] = field(default_factory=dict)
    errors: int = 0
    repeats: int = 1


class _Kept:
    """What was read so far."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.reports: dict[str, ReportHead] = {}
        self.rows: dict[str, tuple[int, float]] = {}
        self.state: object = None
        self.suites: dict[str, SuiteHead] = {}
        self.entries: list[EntryHead] = []
        self.last = 0
        self.full: OrderedDict[str, Report] = OrderedDict()


def _kept(reader: Reader) -> _Kept:
    return reader.kept("heads", None, _Kept)


def reports(reader: Reader) -> dict[str, ReportHead]:
    """Every report by id, oldest first. A report that cannot be read is left out."""
    known, state = _kept(reader), reader.state_of("report")
    with known.lock:
        if state == known.state:
            return known.reports
    sql = "SELECT id, rowid, created FROM documents WHERE kind = 'report' ORDER BY rowid"
    rows: dict[str, tuple[int, float]] = {id: (row, created) for id, row, created in reader.rows(sql)}
    with known.lock:
        made = {id: head for id, head in known.reports.items() if known.rows.get(id) == rows.get(id)}
        missing = [id for id in rows if id not in made]
        for start in range(0, len(missing), _CHUNK):
            chunk = missing[start : start + _CHUNK]
            marks = ", ".join("?" * len(chunk))
            sql = f"SELECT id, created, body FROM documents WHERE kind = 'report' AND id IN ({marks})"
            for id, created, body in reader.rows(sql, *chunk):
                if (head := _report_head(known, body, created)) is not None:
                    made[id] = head
        known.reports = {id: made[id] for id in rows if id in made}
        known.rows, known.state = rows, state
        return known.reports


def _report_head(known: _Kept, body: bytes, created: float) -> ReportHead | None:
    try:
        one = codec.decode(body, _StoredReport)
    except BadInput:
        return None
    suite = known.suites.get(one.suite.hash)
    if suite is None or (suite.name, suite.environment) != (one.suite.name, one.suite.environment):
        suite = SuiteHead(
            one.suite.name,
            one.suite.environment,
            one.suite.verifier,
            one.suite.hash,
            len(one.suite.tasks),
            frozenset(one.suite.families),
        )
        known.suites[one.suite.hash] = suite
    return ReportHead(
        id=one.id,
        run=one.run,
        agent=one.agent,
        suite=suite,
        metrics=one.metrics,
        buckets=one.buckets,
        errors=one.errors,
        repeats=one.repeats,
        created=created,
    )


def report(reader: Reader, id: str) -> Report | None:
    """A whole report. None if it was deleted."""
    known = _kept(reader)
    with known.lock:
        if id in known.full:
            known.full.move_to_end(id)
            return known.full[id]
    found = reader.store.get("report", id, Report)
    if found is not None:
        with known.lock:
            known.full[id] = found
            while len(known.full) > _FULL or sum(len(one.results) for one in known.full.values()) > _RESULTS:
                known.full.popitem(last=False)
    return found


def entries(reader: Reader) -> list[EntryHead]:
    """Every entry of the ledger, oldest first. An entry that cannot be read is left out."""
    known = _kept(reader)
    with known.lock:
        while True:
            sql = "SELECT seq, body FROM ledger WHERE seq > ? ORDER BY seq LIMIT ?"
            rows = reader.rows(sql, known.last, _CHUNK)
            for seq, body in rows:
                known.last = seq
                try:
                    known.entries.append(_shared_texts(codec.decode(body, EntryHead)))
                except BadInput:
                    continue
            if len(rows) < _CHUNK:
                return known.entries


def _shared_texts(entry: EntryHead) -> EntryHead:
    """The entry with ids and reasons that all entries share. Otherwise 10,000 entries hold the same few texts 10,000 times."""
    decision, share = entry.decision, sys.intern
    return EntryHead(
        seq=entry.seq,
        decision=DecisionHead(
            candidate=share(decision.candidate),
            champion=share(decision.champion),
            verdict=share(decision.verdict),
            kind=share(decision.kind),
            reports=[share(id) for id in decision.reports],
            policy=_Policy(share(decision.policy.name)),
            policy_hash=share(decision.policy_hash),
            measured=[
                MeasuredHead(share(one.suite), share(one.candidate), share(one.champion)) for one in decision.measured
            ],
        ),
        champion_before=share(entry.champion_before) if entry.champion_before is not None else None,
        champion_after=share(entry.champion_after) if entry.champion_after is not None else None,
        when=entry.when,
        who=share(entry.who),
        why=share(entry.why),
    )


def champion(reader: Reader) -> str:
    """The id of the champion. Empty if there is none."""
    known = entries(reader)
    return (known[-1].champion_after or "") if known else ""


def seen_by(reader: Reader) -> dict[str, int]:
    """Hash of each suite to the number of versions that were measured on any of its families."""
    known = reports(reader)
    return reader.kept("seen by", id(known), lambda: _seen_by(known))


def _seen_by(known: dict[str, ReportHead]) -> dict[str, int]:
    suites = {one.suite.hash: one.suite for one in known.values()}
    agents: dict[str, set[str]] = {}
    for one in known.values():
        agents.setdefault(one.suite.hash, set()).add(one.agent)
    return {
        hash: len(
            set().union(
                *(agents[other.hash] for other in suites.values() if not suite.families.isdisjoint(other.families))
            )
            | agents[hash]
        )
        for hash, suite in suites.items()
    }


def decisions_about(reader: Reader, version: str) -> list[EntryHead]:
    """Entries whose candidate or champion is this version, newest first."""
    found = (entry for entry in entries(reader) if version in (entry.decision.candidate, entry.decision.champion))
    return list(found)[::-1]


def last_verdicts(reader: Reader) -> dict[str, EntryHead]:
    """Version to the newest decision in which it is the candidate."""
    return {entry.decision.candidate: entry for entry in entries(reader)}


def of_version(reader: Reader, version: str, *, guards: bool = False) -> list[ReportHead]:
    """The reports of a version with a success, newest first. Guardrail suites only with `guards`."""
    found = (one for one in reports(reader).values() if one.agent == version and one.success is not None)
    return [one for one in found if guards or not one.is_guard][::-1]


def newest_by_suite(found: Iterable[ReportHead]) -> list[ReportHead]:
    """The first report on each suite."""
    chosen: dict[str, ReportHead] = {}
    for one in found:
        chosen.setdefault(one.suite.hash, one)
    return list(chosen.values())


def version_link(reader: Reader, id: str, known: Mapping[str, Version] | None = None) -> VersionLink:
    """A link to a version. A list of many passes `known`, so that the store is not asked for each."""
    version = (reader.versions() if known is None else known).get(id)
    if version is None:
        return VersionLink(id=id, label=id)
    return VersionLink(id=id, label=version.label, href=url("/versions/", id))


def typed(reader: Reader, id: str) -> str:
    """A version as it is typed in a command: by its name if that names one version, else by its id."""
    known = reader.versions()
    version = known.get(id)
    if version is None or not version.name:
        return shlex.quote(id)
    same = [one for one in known.values() if version.name in (one.name, one.id, one.base)]
    return shlex.quote(version.name if len(same) == 1 else id)


def quote(text: str) -> str:
    """A name as a shell reads it."""
    return shlex.quote(text)


def run_exists(reader: Reader, run: str) -> bool:
    return reader.one("SELECT 1 FROM runs WHERE id = ?", run) is not None


def policy_name(policy: Json) -> str:
    return str(policy.get("name", "") or "")
