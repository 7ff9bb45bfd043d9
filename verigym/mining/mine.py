"""Mines an environment's production traces: failures become verified tasks with full provenance.

traces -> attempts by request -> failures -> correct outcome -> a task that proves it -> family and split

Mining the same traces again adds nothing. Every result is a proposal until you accept it (`mining.review`). `accept` takes
every verified proposal unchanged. Nothing here prints.
"""

import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

import msgspec
from msgspec import Struct

from verigym.audit.scripted_episodes import watching
from verigym.core import event_loop
from verigym.core.errors import Refused
from verigym.core.printable import Printable
from verigym.core.records import Feedback, Task, Toolset
from verigym.environments.load import base_and_added, load_environment
from verigym.harness.environment import EnvironmentSpec
from verigym.mining import expectations as expect
from verigym.mining import proposals
from verigym.mining.attempts import Attempt, attempts_of, belongs, solution, tool_names
from verigym.mining.families import FamilyAssignment, MinedRequest, assign_families, find_duplicates, request_of
from verigym.mining.proposals import HELD_OUT, MiningSummary, Proposal, Review, UnverifiableRequest
from verigym.mining.requests import Miner, RequestAnalysis
from verigym.mining.signals import feedback_by_trace
from verigym.policies.dialects.plain import write
from verigym.workspace.workspace import WorkspaceFolder

HELD_OUT_SHARE = 0.25
_LINEAGE = 20
"""Maximum number of traces that a task names. Its proposal names all."""
_SIGNALS = 5
ALL = "all that was proven"
"""Noted if proposals were accepted without individual review."""
OnProgress = Callable[[int, int], None]


class AcceptedTasks(Printable, Struct, frozen=True, kw_only=True):
    """The tasks that were accepted in a call."""

    environment: str
    """The environment as every command takes it: its name, with the file of mined tasks if one exists."""
    added: dict[str, list[str]]
    """Ids of the tasks that were added to the file, by split."""
    open: list[str]
    """All tasks and cases that wait for review."""
    version: int
    """Version of the held-out mined tasks. 0 without any."""


class MiningReport(AcceptedTasks, frozen=True, kw_only=True):
    proposed: list[str]
    """New tasks, accepted or not."""
    cases: list[str]
    """New cases in which the verifier was wrong."""
    summary: MiningSummary


def mine(
    ws: WorkspaceFolder,
    environment: EnvironmentSpec,
    runs: Sequence[str] = (),
    *,
    held_out_share: float = HELD_OUT_SHARE,
    accept: bool = False,
    who: str = "",
    on_progress: OnProgress = lambda done, total: None,
) -> MiningReport:
    """`runs` are runs of traces that all belong to the environment. Without any, all traces are searched for matching ones."""
    base, added = base_and_added(environment.name)
    environment = load_environment(base) if added else environment
    with _claim(ws, base):
        tasks = proposals.write_accepted(ws, base)  # finish what a killed process had accepted
        known = proposals.read_proposals(ws, base)
        miner = Miner(environment, known, feedback_by_trace(ws.store.documents("feedback", Feedback)))
        counts: Counter[str] = Counter()
        analyses = _analyse(miner, _attempts(ws, environment, runs, counts), on_progress)
        new_tasks, summary = _proposals(miner, analyses, counts, held_out_share)
        new_cases = [case for analysis in analyses for case in analysis.cases if case.id not in known.proposals]
        for proposal in [*new_tasks, *new_cases]:
            ws.store.put("proposal", proposal.id, proposal)
        if summary != proposals.last_summary(ws, base):
            ws.store.put("mining", uuid.uuid4().hex, summary)
        if accept:
            _accept_all(ws, base, who)
        accepted = _accepted(ws, base, tasks)
    return MiningReport(
        **msgspec.structs.asdict(accepted),
        proposed=[proposal.id for proposal in new_tasks],
        cases=[proposal.id for proposal in new_cases],
        summary=summary,
    )


def accept_all(ws: WorkspaceFolder, environment: str, who: str = "") -> AcceptedTasks:
    """Accepts every verified task without a review and adds it to the task file. Cases of the verifier stay open."""
    base = base_and_added(environment)[0]
    with _claim(ws, base):
        _accept_all(ws, base, who)
        return _accepted(ws, base, [])


def write_accepted(ws: WorkspaceFolder, environment: str) -> list[Task]:
    """Writes accepted proposals to the files. Returns the new tasks."""
    base = base_and_added(environment)[0]
    with _claim(ws, base):
        return proposals.write_accepted(ws, base)


def _claim(ws: WorkspaceFolder, base: str) -> AbstractContextManager[None]:
    """Keeps other processes from mining the same environment."""
    return ws.store.claim(f"mine-{proposals.name_of(base)}")


def _accept_all(ws: WorkspaceFolder, base: str, who: str) -> None:
    """Cases are left out, because only a person can decide that the verifier is wrong."""
    open_tasks = proposals.read_proposals(ws, base).by_state("open")
    ids = [proposal.id for proposal in open_tasks if proposal.case is None]
    if ids:
        review = Review(proposals=ids, answer="accepted", who=who, when=proposals.now(), note=ALL)
        proposals.add_review(ws, review)


def _accepted(ws: WorkspaceFolder, base: str, tasks: list[Task]) -> AcceptedTasks:
    """Writes accepted proposals. `tasks` were written earlier in the same call."""
    added: dict[str, list[str]] = {}
    for task in [*tasks, *proposals.write_accepted(ws, base)]:
        added.setdefault(task.split, []).append(task.id)
    known = proposals.read_proposals(ws, base)
    return AcceptedTasks(
        environment=proposals.with_file(ws, base),
        added=added,
        open=[proposal.id for proposal in known.by_state("open")],
        version=proposals.newest_version(known.taken.values()),
    )


def _attempts(
    ws: WorkspaceFolder, environment: EnvironmentSpec, runs: Sequence[str], counts: Counter[str]
) -> list[list[Attempt]]:
    """Attempts by request, in an order that does not depend on their time."""
    named = [ws.store.run(name, kinds=("traces",)).id for name in runs]
    every = [run.id for run in ws.store.runs(parent=None) if run.kind == "traces"]
    if not every:
        raise Refused(
            "No production traces exist yet. Import some with verigym ingest LOGS, or capture them with verigym serve"
        )
    names = tool_names(environment)
    offered = {tools.hash: [tool.name for tool in tools.tools] for tools in ws.store.documents("tools", Toolset)}
    by_request: dict[str, list[Attempt]] = {}
    for run in named or every:
        for trace in ws.store.each_trajectory(run):
            counts["traces"] += 1
            if not named and not belongs(environment, trace, offered.get(trace.tools, []), names):
                counts["of another workload"] += 1
                continue
            attempts = attempts_of(trace, names)
            counts["without a request"] += not attempts
            for attempt in attempts:
                by_request.setdefault(attempt.key, []).append(attempt)
    return [sorted(by_request[key], key=lambda attempt: (attempt.trace.id, attempt.last)) for key in sorted(by_request)]


def _analyse(miner: Miner, requests: Sequence[Sequence[Attempt]], on_progress: OnProgress) -> list[RequestAnalysis]:
    async def analyse() -> list[RequestAnalysis]:
        analyses: list[RequestAnalysis] = []
        for index, attempts in enumerate(requests):
            analyses.append(await miner.analyse(attempts))
            if index % 100 == 0:
                on_progress(index, len(requests))
        return analyses

    with watching():
        return event_loop.run(analyse())


def _proposals(
    miner: Miner, analyses: Sequence[RequestAnalysis], counts: Counter[str], held_out_share: float
) -> tuple[list[Proposal], MiningSummary]:
    """New proposals in families without duplicates, and a summary of the rest."""
    provable = {analysis.task.id: analysis for analysis in analyses if analysis.task is not None}
    earlier = [_proposed_request(proposal) for proposal in miner.known.proposals.values() if proposal.case is None]
    existing = [
        request_of(task, expect.meaning(gold) or task.id, gold) for task in miner.tasks for gold in [miner.gold(task)]
    ]
    new = {id: _request(analysis) for id, analysis in provable.items() if id not in miner.known.proposals}
    duplicates = find_duplicates([*existing, *earlier], new.values())
    unique = [request for id, request in new.items() if id not in duplicates]
    families = assign_families(unique, earlier, existing, held_out_share)

    traces: dict[str, list[str]] = {}
    for analysis in analyses:
        id = analysis.existing or (analysis.task.id if analysis.task is not None else "")
        traces.setdefault(duplicates[id].of if id in duplicates else id, []).extend(analysis.traces)
    unverifiable = [
        _unverifiable(analysis, analysis.missing) for analysis in analyses if analysis.missing and analysis.failed
    ]
    proposed: list[Proposal] = []
    for id, family in families.items():
        if isinstance(family, str):
            unverifiable.append(_unverifiable(provable[id], family))
            del traces[id]
        else:
            proposed.append(_proposal(miner, provable[id], new[id], family, traces[id]))

    for standing in ("failed", "succeeded", "unknown", "infrastructure"):
        counts[standing] = sum(analysis.standings.get(standing, 0) for analysis in analyses)
    counts["requests"] = len(analyses)
    counts["failed requests"] = sum(bool(analysis.failed) for analysis in analyses)
    counts["already tasks"] = sum(bool(analysis.existing and analysis.failed) for analysis in analyses)
    counts["already proposed"] = len(provable) - len(new)
    counts["repeats"] = len(duplicates)
    counts["unverifiable"] = len(unverifiable)
    counts["new tasks"] = len(proposed)
    buckets = Counter(failed.bucket for analysis in analyses for failed in analysis.failed)
    return proposed, MiningSummary(
        environment=miner.name,
        counts=dict(counts),
        buckets=dict(sorted(buckets.items(), key=lambda pair: (-pair[1], pair[0]))),
        unverifiable=unverifiable,
        tasks={trace: id for id, some in traces.items() if id for trace in some},
    )


def _request(analysis: RequestAnalysis) -> MinedRequest:
    assert analysis.task is not None and analysis.right is not None
    return request_of(analysis.task, expect.meaning(analysis.right.items), analysis.right.items)


def _proposed_request(proposal: Proposal) -> MinedRequest:
    return MinedRequest(
        id=proposal.id,
        prompt=proposal.task.prompt,
        meaning=proposal.meaning,
        tool=proposal.tool,
        pattern=proposal.pattern,
        family=proposal.task.family,
        held_out=proposal.task.split == HELD_OUT,
    )


def _proposal(
    miner: Miner, analysis: RequestAnalysis, request: MinedRequest, family: FamilyAssignment, traces: Sequence[str]
) -> Proposal:
    assert analysis.task is not None and analysis.right is not None
    buckets = Counter(failed.bucket for failed in analysis.failed)
    bucket = min(buckets, key=lambda name: (-buckets[name], name))
    from_traces = list(dict.fromkeys(traces))
    task = msgspec.structs.replace(
        analysis.task,
        split=HELD_OUT if family.held_out else "train",
        family=family.family,
        tags=[bucket],
        lineage=[f"trace {trace}" for trace in from_traces[:_LINEAGE]],
    )
    return Proposal(
        id=task.id,
        environment=miner.name,
        task=task,
        meaning=request.meaning,
        tool=request.tool,
        pattern=request.pattern,
        right=write(analysis.right.items),
        source=analysis.right.source,
        did=expect.one_line(solution(miner.environment, analysis.failed[0].attempt.tried)),
        bucket=bucket,
        signals=list(dict.fromkeys(signal for failed in analysis.failed for signal in failed.signals))[:_SIGNALS],
        trajectories=from_traces,
    )


def _unverifiable(analysis: RequestAnalysis, missing: str) -> UnverifiableRequest:
    first = analysis.failed[0]
    return UnverifiableRequest(
        request=first.attempt.request,
        missing=missing,
        bucket=first.bucket,
        signals=first.signals,
        trajectories=analysis.traces,
    )
