"""Finds what a person named: a decision of the ledger, a version, a run, a stored report, or two of the last three."""

from typing import NamedTuple

from verigym.core.errors import BadInput, NotFound, Refused, VerigymError, not_found
from verigym.core.records import Report, Version
from verigym.registry import ledger
from verigym.registry.ledger import LedgerEntry
from verigym.store.database import Run
from verigym.workspace.shared_reports import is_guard, sampled_alike, shared_reports
from verigym.workspace.workspace import WorkspaceFolder

DECIDED = ("gate", "override")
"""Kinds of decisions about a candidate."""


class VersionSubject(NamedTuple):
    """A version, with the decision to tell. Without a decision the newest one is told, if there is any."""

    version: Version
    entry: LedgerEntry | None


class RunSubject(NamedTuple):
    run: Run
    report: Report | None


class PairSubject(NamedTuple):
    before: Report
    after: Report


Subject = VersionSubject | RunSubject | PairSubject


def find_subject(ws: WorkspaceFolder, names: list[str]) -> Subject:
    """No name means the newest decision. `3` and `gate/3` are entries of the ledger."""
    assert len(names) <= 2
    if not names:
        return _newest_decision(ws)
    if len(names) == 2:
        return _pair(ws, *names)
    found = _decision(ws, names[0]) or _one(ws, names[0])
    if isinstance(found, Version):
        entries = [one for one in ledger.entries(ws.store) if one.decision.candidate == found.id]
        return VersionSubject(found, next((one for one in reversed(entries) if one.decision.kind in DECIDED), None))
    if isinstance(found, Report):
        return RunSubject(ws.store.run(found.run), found)
    if isinstance(found, Run):
        return RunSubject(found, _newest_report(ws, found.id))
    return found


def _newest_decision(ws: WorkspaceFolder) -> VersionSubject:
    for entry in reversed(ledger.entries(ws.store)):
        if entry.decision.kind in DECIDED:
            return VersionSubject(ws.find(entry.decision.candidate), entry)
    raise NotFound("The gate has decided about no version yet. Name a version: verigym report VERSION")


def _decision(ws: WorkspaceFolder, name: str) -> VersionSubject | None:
    """The entry of the ledger, if this is its number."""
    number = name.removeprefix("gate/")
    if not (number.isascii() and number.isdigit()):
        return None
    entries = {entry.seq: entry for entry in ledger.entries(ws.store)}
    entry = entries.get(int(number)) if len(number) < 10 else None
    if entry is None:
        if number == name:
            return None  # a version or a run may have a number as its name
        last = f" The ledger has entries 1 to {max(entries)}." if entries else ""
        raise NotFound(f"There is no ledger entry {number}.{last} List them: verigym models ledger")
    if entry.decision.kind not in DECIDED:
        about = "the first champion, which nothing was compared with"
        if entry.decision.kind == "rollback":
            about = "a rollback, which nothing was measured for"
        raise Refused(
            f"Ledger entry {number} is {about}. Name the version instead: verigym report {entry.decision.candidate}"
        )
    return VersionSubject(ws.find(entry.decision.candidate), entry)


def _one(ws: WorkspaceFolder, name: str) -> Version | Run | Report:
    """A version, a run or a report. Versions come first, then runs, as in every other command."""
    unclear: VerigymError | None = None
    try:
        return ws.find(name)
    except VerigymError as error:
        unclear = error if "matches" in str(error) else None
    report = ws.store.get("report", name, Report)
    if report is not None:
        return report
    try:
        return ws.store.run(name)
    except NotFound as error:
        if "matches" in str(error):
            raise
    if unclear is not None:
        raise unclear
    versions = [one.label for one in ws.store.documents("version", Version)]
    runs = [one.id for one in ws.store.runs()]
    remedy = "List them: verigym models list and verigym runs list."
    raise not_found("version, run, report or decision", name, [*versions, *runs], remedy)


def _newest_report(ws: WorkspaceFolder, run: str) -> Report | None:
    return next((one for one in reversed(ws.store.documents("report", Report)) if one.run == run), None)


def _pair(ws: WorkspaceFolder, first: str, second: str) -> PairSubject:
    """Reports of both, on the same tasks. A run stands for its newest report."""
    before, after = (_measured(ws, name) for name in (first, second))
    if isinstance(before, Version) and isinstance(after, Version):
        if before.id == after.id:
            raise BadInput(f"{first} and {second} are the same version ({before.id}). Name two: verigym models list")
        ours, theirs = shared_reports(ws, after, before)
        return PairSubject(theirs, ours)
    if isinstance(before, Report):
        return PairSubject(before, _beside(ws, before, after))
    assert isinstance(after, Report)
    return PairSubject(_beside(ws, after, before), after)


def _measured(ws: WorkspaceFolder, name: str) -> Version | Report:
    found = _one(ws, name)
    if not isinstance(found, Run):
        return found
    report = _newest_report(ws, found.id)
    if report is None:
        raise Refused(f"Run {found.id} has no report, so it cannot be compared. Only verigym eval makes reports")
    return report


def _beside(ws: WorkspaceFolder, report: Report, other: Version | Report) -> Report:
    """The other report, or the newest of the other version on the same tasks."""
    if isinstance(other, Report):
        return other
    for one in reversed(ws.store.documents("report", Report)):
        same = one.agent == other.id and one.suite.hash == report.suite.hash and not is_guard(one)
        if same and sampled_alike(ws, one, report):
            return one
    raise Refused(
        f"{other.label} has no report on the tasks of report {report.id} ({report.suite.name}). "
        f"Run: verigym eval {report.suite.environment} -m {other.id}"
    )
