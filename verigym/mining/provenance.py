"""Traces a failure in both directions: from a mined task to its traces, and on to versions, reports and decisions.

It reads only stored records: proposals, reviews, feedback, versions with their families, reports, the ledger.
"""

from msgspec import Struct

from verigym.core.errors import NotFound, not_found
from verigym.core.records import Feedback, Report, Task, Version
from verigym.mining.proposals import AcceptedBatch, MiningSummary, Proposal, Review, State, kept
from verigym.registry import ledger
from verigym.workspace.workspace import WorkspaceFolder


class ProposalTrace(Struct, frozen=True, kw_only=True):
    id: str
    source: str
    """Where it came from: a file and line, or the gateway. Empty if the trace is no longer stored."""
    feedback: list[Feedback]


class TaskMeasurement(Struct, frozen=True, kw_only=True):
    report: str
    suite: str
    version: str
    passed: float
    decisions: list[str]
    """Ledger decisions that rest on the report: `3: PROMOTE`."""


class TaskProvenance(Struct, frozen=True, kw_only=True):
    proposal: Proposal
    state: State
    task: Task
    right: str
    """The right outcome, as proposed or edited."""
    traces: list[ProposalTrace]
    reviews: list[Review]
    taken: str
    """When it was accepted. Empty if it was not."""
    versions: list[str]
    """Versions trained on its family."""
    reports: list[TaskMeasurement]


class TraceProvenance(Struct, frozen=True, kw_only=True):
    """The tasks and feedback of one trace."""

    feedback: list[Feedback]
    proposals: list[str]
    tasks: list[str]
    """Tasks that represent it: made from it, made earlier, or the environment's own."""
    missing: list[str]
    """Why no task was made."""


def story(ws: WorkspaceFolder, id: str) -> TaskProvenance:
    """The provenance of a proposal, by its id, a unique part of it, or one of its traces."""
    found = _find(ws, id)
    known = kept(ws, found.environment)
    noted = [one for one in ws.store.documents("taken", AcceptedBatch) if one.environment == found.environment]
    when = [one.when for one in noted if found.id in one.cases or any(task.id == found.id for task in one.tasks)]
    task = known.task(found.id)
    said: dict[str, list[Feedback]] = {}
    for feedback in ws.store.documents("feedback", Feedback):
        said.setdefault(feedback.trajectory, []).append(feedback)
    return TaskProvenance(
        proposal=found,
        state=known.state(found.id),
        task=task,
        right=known.right(found.id),
        traces=[
            ProposalTrace(id=each, source=_source(ws, each), feedback=said.get(each, [])) for each in found.trajectories
        ],
        reviews=known.reviews.get(found.id, []),
        taken=when[0] if when else "",
        versions=[one.id for one in ws.store.documents("version", Version) if task.family in one.families],
        reports=_reports(ws, task.id),
    )


def came_of(ws: WorkspaceFolder, trajectory: str) -> TraceProvenance:
    made = [one.id for one in ws.store.documents("proposal", Proposal) if trajectory in one.trajectories]
    newest = {one.environment: one for one in ws.store.documents("mining", MiningSummary)}
    tasks = [one.tasks[trajectory] for one in newest.values() if trajectory in one.tasks]
    listed = [each for one in newest.values() for each in one.unverifiable]
    return TraceProvenance(
        feedback=[one for one in ws.store.documents("feedback", Feedback) if one.trajectory == trajectory],
        proposals=made,
        tasks=list(dict.fromkeys([*(id for id in made if not id.startswith("case/")), *tasks])),
        missing=[one.missing for one in listed if trajectory in one.trajectories],
    )


def _find(ws: WorkspaceFolder, id: str) -> Proposal:
    known = {one.id: one for one in ws.store.documents("proposal", Proposal)}
    found = [id] if id in known else [each for each in known if id in each]
    found = found or [each for each, one in known.items() if id in one.trajectories]
    if len(found) > 1:
        raise NotFound(
            f'"{id}" matches {len(found)} proposals: {", ".join(found[:5])}{", ..." if len(found) > 5 else ""}'
        )
    if not found:
        came = came_of(ws, id)
        if came.tasks or came.missing:
            words = f"{came.tasks[0]} represents it" if came.tasks else came.missing[0]
            raise NotFound(f"No task was made from trace {id}: {words}")
        raise not_found("mined task", id, list(known)[-20:], "List them: verigym mine list ENV")
    return known[found[0]]


def _source(ws: WorkspaceFolder, trajectory: str) -> str:
    try:
        return ws.store.trajectory(trajectory)[1].source or "unknown"
    except NotFound:
        return ""


def _reports(ws: WorkspaceFolder, task: str) -> list[TaskMeasurement]:
    entries = ledger.entries(ws.store)
    found: list[TaskMeasurement] = []
    for report in ws.store.documents("report", Report):
        result = next((one for one in report.results if one.task == task), None)
        if result is not None:
            relied = [f"{one.seq}: {one.decision.verdict}" for one in entries if report.id in one.decision.reports]
            found.append(
                TaskMeasurement(
                    report=report.id,
                    suite=report.suite.name,
                    version=report.agent,
                    passed=result.passed,
                    decisions=relied,
                )
            )
    return found
