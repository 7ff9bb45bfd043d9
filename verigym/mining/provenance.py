"""Traces a failure in both directions: from a mined task to its traces, and on to versions, reports and decisions.

It reads only stored records: proposals, reviews, feedback, versions with their families, reports, the ledger.
"""

from msgspec import Struct

from verigym.core.errors import NotFound, not_found
from verigym.core.records import Feedback, Report, Task, Version
from verigym.mining.proposals import AcceptedBatch, MiningSummary, Proposal, Review, State, read_proposals
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
    """The correct outcome, as proposed or edited."""
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


def task_provenance(ws: WorkspaceFolder, id: str) -> TaskProvenance:
    """The provenance of a proposal, by its id, a unique part of it, or one of its traces."""
    proposal = _find(ws, id)
    known = read_proposals(ws, proposal.environment)
    task = known.task(proposal.id)
    accepted = [
        batch.when
        for batch in ws.store.documents("taken", AcceptedBatch)
        if batch.environment == proposal.environment
        and (proposal.id in batch.cases or any(task.id == proposal.id for task in batch.tasks))
    ]
    feedback = ws.store.documents("feedback", Feedback)
    return TaskProvenance(
        proposal=proposal,
        state=known.state(proposal.id),
        task=task,
        right=known.right(proposal.id),
        traces=[
            ProposalTrace(id=trace, source=_source(ws, trace), feedback=_on(trace, feedback))
            for trace in proposal.trajectories
        ],
        reviews=known.reviews.get(proposal.id, []),
        taken=next(iter(accepted), ""),
        versions=[version.id for version in ws.store.documents("version", Version) if task.family in version.families],
        reports=_reports(ws, task.id),
    )


def trace_provenance(ws: WorkspaceFolder, trajectory: str) -> TraceProvenance:
    proposals = [
        proposal.id for proposal in ws.store.documents("proposal", Proposal) if trajectory in proposal.trajectories
    ]
    newest = {summary.environment: summary for summary in ws.store.documents("mining", MiningSummary)}.values()
    tasks = [summary.tasks[trajectory] for summary in newest if trajectory in summary.tasks]
    unverifiable = [request for summary in newest for request in summary.unverifiable]
    return TraceProvenance(
        feedback=_on(trajectory, ws.store.documents("feedback", Feedback)),
        proposals=proposals,
        tasks=list(dict.fromkeys([*(id for id in proposals if not id.startswith("case/")), *tasks])),
        missing=[request.missing for request in unverifiable if trajectory in request.trajectories],
    )


def _on(trajectory: str, feedback: list[Feedback]) -> list[Feedback]:
    return [record for record in feedback if record.trajectory == trajectory]


def _find(ws: WorkspaceFolder, id: str) -> Proposal:
    known = {proposal.id: proposal for proposal in ws.store.documents("proposal", Proposal)}
    matches = [id] if id in known else [name for name in known if id in name]
    matches = matches or [name for name, proposal in known.items() if id in proposal.trajectories]
    if len(matches) > 1:
        shown = ", ".join([*matches[:5], *(["..."] if len(matches) > 5 else [])])
        raise NotFound(f'"{id}" matches {len(matches)} proposals: {shown}. Write more of the id')
    if not matches:
        trace = trace_provenance(ws, id)
        if trace.tasks or trace.missing:
            reason = f"Task {trace.tasks[0]} was made from the same request" if trace.tasks else trace.missing[0]
            raise NotFound(f"No task was made from trace {id}: {reason}")
        raise not_found("mined task", id, list(known)[-20:], "List them: verigym mine list ENV")
    return known[matches[0]]


def _source(ws: WorkspaceFolder, trajectory: str) -> str:
    try:
        return ws.store.trajectory(trajectory)[1].source or "unknown"
    except NotFound:
        return ""


def _reports(ws: WorkspaceFolder, task: str) -> list[TaskMeasurement]:
    entries = ledger.entries(ws.store)
    return [
        TaskMeasurement(
            report=report.id,
            suite=report.suite.name,
            version=report.agent,
            passed=result.passed,
            decisions=[
                f"{entry.seq}: {entry.decision.verdict}" for entry in entries if report.id in entry.decision.reports
            ],
        )
        for report in ws.store.documents("report", Report)
        for result in [next((result for result in report.results if result.task == task), None)]
        if result is not None
    ]
