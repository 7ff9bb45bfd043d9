"""Mines an environment's production traces: failures become verified tasks with full provenance.

traces -> attempts by request -> failures -> correct outcome -> a task that proves it -> family and split

Mining the same traces again adds nothing. Every result is a proposal until you accept it (`mining.review`). `accept` takes
every verified proposal unchanged. Nothing here prints.
"""

import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import msgspec
from msgspec import Struct

from verigym.audit.scripted_episodes import watching
from verigym.core import event_loop
from verigym.core.errors import Refused
from verigym.core.printable import Printable
from verigym.core.protocols import closing
from verigym.core.records import Feedback, Task, Toolset, Version
from verigym.environments.load import base_and_added, load_environment
from verigym.harness.environment import EnvironmentSpec
from verigym.mining import expectations as expect
from verigym.mining import proposals
from verigym.mining.attempts import Attempt, attempts_of, belongs, solution, tool_names
from verigym.mining.families import FamilyAssignment, MinedRequest, assign_families, find_duplicates, request_of
from verigym.mining.proposals import HELD_OUT, MiningSummary, Proposal, Review, UnverifiableRequest
from verigym.mining.requests import Miner, RequestAnalysis
from verigym.mining.signals import feedback_by_trace
from verigym.mining.teacher import Teacher
from verigym.policies.dialects.plain import write
from verigym.verifiers.ending import MINED, is_rubric
from verigym.workspace.workspace import WorkspaceFolder

HELD_OUT_SHARE = 0.25
TEACHER_K = 3
"""Episodes of a teacher per request."""
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
    rubric: str
    """The environment with the tasks that a judge scores. Empty without any."""
    guardrail: str
    """The environment with the regressions. Empty without any."""


class MiningReport(AcceptedTasks, frozen=True, kw_only=True):
    proposed: list[str]
    """New tasks, accepted or not."""
    cases: list[str]
    """New cases in which the verifier was wrong."""
    regressions: list[str]
    """New regressions, accepted or not. They are not tasks and count in no success rate."""
    summary: MiningSummary


def mine(
    ws: WorkspaceFolder,
    environment: EnvironmentSpec,
    runs: Sequence[str] = (),
    *,
    held_out_share: float = HELD_OUT_SHARE,
    accept: bool = False,
    who: str = "",
    teacher: Version | None = None,
    k: int = TEACHER_K,
    judge: Version | None = None,
    on_progress: OnProgress = lambda done, total: None,
) -> MiningReport:
    """`runs` are runs of traces that all belong to the environment. Without any, all traces are searched for matching ones. A
    `teacher` solves what nobody corrected, `k` times. A `judge` must fail each failure before its rubric is proven."""
    base = base_and_added(environment.name)[0]
    environment = environment if base == environment.name else load_environment(base)
    with _claim(ws, base):
        tasks = proposals.write_accepted(ws, base)  # finish what a killed process had accepted
        known = proposals.read_proposals(ws, base)
        feedback = feedback_by_trace(ws.store.documents("feedback", Feedback))
        counts: Counter[str] = Counter()
        requests = _attempts(ws, environment, runs, counts)

        async def analysed() -> tuple[Miner, list[RequestAnalysis]]:
            policy: Any = ws.open_policy(teacher) if teacher is not None else None
            judging: Any = ws.open_judge(judge) if judge is not None else None
            async with closing(policy), closing(judging):
                taught = Teacher(ws.store, environment, teacher, policy, k) if teacher is not None else None
                miner = Miner(environment, known, feedback, teacher=taught, judge=judging)
                return miner, await _analyse(miner, requests, on_progress)

        with watching():
            miner, analyses = event_loop.run(analysed())
        new_tasks, summary = _proposals(miner, analyses, counts, held_out_share)
        new_cases = [case for analysis in analyses for case in analysis.cases if case.id not in known.proposals]
        regressions = _regressions(miner, analyses)
        for proposal in [*new_tasks, *new_cases, *regressions]:
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
        regressions=[proposal.id for proposal in regressions],
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
    """Cases and unproven tasks are left out, because only a person can decide them."""
    open_tasks = proposals.read_proposals(ws, base).by_state("open")
    ids = [proposal.id for proposal in open_tasks if proposal.case is None and not proposal.needs_person]
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
        version=proposals.newest_version(task for task in known.taken.values() if not is_rubric(task)),
        rubric=proposals.with_rubric(ws, base),
        guardrail=proposals.with_regressions(ws, base),
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
            attempts = attempts_of(trace, names, environment.scripted_user or environment.needs_user)
            counts["without a request"] += not attempts
            for attempt in attempts:
                by_request.setdefault(attempt.key, []).append(attempt)
    return [sorted(by_request[key], key=lambda attempt: (attempt.trace.id, attempt.last)) for key in sorted(by_request)]


async def _analyse(
    miner: Miner, requests: Sequence[Sequence[Attempt]], on_progress: OnProgress
) -> list[RequestAnalysis]:
    analyses: list[RequestAnalysis] = []
    for index, attempts in enumerate(requests):
        analyses.append(await miner.analyse(attempts))
        if index % 100 == 0:
            on_progress(index, len(requests))
    return analyses


def _proposals(
    miner: Miner, analyses: Sequence[RequestAnalysis], counts: Counter[str], held_out_share: float
) -> tuple[list[Proposal], MiningSummary]:
    """New proposals in families without duplicates, and a summary of the rest."""
    provable = {analysis.task.id: analysis for analysis in analyses if analysis.task is not None}
    earlier = [_proposed_request(proposal) for proposal in miner.known.proposals.values() if proposal.is_task]
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
    regressions = {
        trace: analysis.regression.task.id
        for analysis in analyses
        if analysis.regression is not None
        for trace in analysis.traces
    }
    counts["regressions"] = len({*regressions.values()})
    represented = {*traces, *families} - {id for id, family in families.items() if isinstance(family, str)}
    sources = Counter(_source(analysis) for id, analysis in provable.items() if id in represented)
    buckets = Counter(failed.bucket for analysis in analyses for failed in analysis.failed)
    return proposed, MiningSummary(
        environment=miner.name,
        counts=dict(counts),
        buckets=dict(sorted(buckets.items(), key=lambda pair: (-pair[1], pair[0]))),
        unverifiable=unverifiable,
        tasks={trace: id for id, some in traces.items() if id for trace in some},
        sources=dict(sources.most_common()),
        regressions=regressions,
    )


def _source(analysis: RequestAnalysis) -> str:
    if analysis.episode is not None:
        return analysis.episode.source
    return "correction" if analysis.right is not None and analysis.right.by_correction else "twin"


def _regressions(miner: Miner, analyses: Sequence[RequestAnalysis]) -> list[Proposal]:
    """The new guardrails. They have no family on either side, because nobody trains on them."""
    made: dict[str, Proposal] = {}
    for analysis in analyses:
        episode = analysis.regression
        if episode is None or episode.task.id in miner.known.proposals:
            continue
        id, first = episode.task.id, analysis.failed[0]
        family = f"{proposals.REGRESSION}/{id.rpartition('/')[2]}"
        lineage = [f"trace {trace}" for trace in analysis.traces[:_LINEAGE]]
        made[id] = Proposal(
            id=id,
            environment=miner.name,
            task=msgspec.structs.replace(episode.task, family=family, tags=[first.bucket], lineage=lineage),
            right="anything but this ending",
            source=episode.told_by,
            did=expect.one_line(solution(miner.environment, first.attempt.tried)),
            bucket=first.bucket,
            signals=first.signals[:_SIGNALS],
            trajectories=analysis.traces,
            by=proposals.REGRESSION,
        )
    return list(made.values())


def _request(analysis: RequestAnalysis) -> MinedRequest:
    if analysis.task is not None and (episode := analysis.episode) is not None:
        items = [item for reply in episode.right for item in expect.as_items(reply)]
        return request_of(analysis.task, episode.meaning, items, episode.held_out)
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
        start=proposal.start,
    )


def _proposal(
    miner: Miner, analysis: RequestAnalysis, request: MinedRequest, family: FamilyAssignment, traces: Sequence[str]
) -> Proposal:
    assert analysis.task is not None
    episode = analysis.episode
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
        right=right_text(analysis),
        source=episode.told_by if episode is not None else analysis.right.source if analysis.right is not None else "",
        did=expect.one_line(solution(miner.environment, analysis.failed[0].attempt.tried)),
        bucket=bucket,
        signals=list(dict.fromkeys(signal for failed in analysis.failed for signal in failed.signals))[:_SIGNALS],
        trajectories=from_traces,
        by=_source(analysis),
        needs_person=episode is not None and episode.needs_person,
        start=episode.held_out if episode is not None else None,
    )


def right_text(analysis: RequestAnalysis) -> str:
    """The correct outcome as a person reads it: replies, one per line, or an end state, or criteria."""
    if analysis.episode is None:
        return write(analysis.right.items) if analysis.right is not None else ""
    if analysis.episode.right:
        return "\n".join(write(expect.as_items(reply)) for reply in analysis.episode.right)
    mined = analysis.episode.task.data[MINED]
    if "criteria" in mined:
        return "\n".join(f"- {line}" for line in mined["criteria"])
    return msgspec.json.encode({"end_state": mined["expected"]}).decode()


def _unverifiable(analysis: RequestAnalysis, missing: str) -> UnverifiableRequest:
    first = analysis.failed[0]
    return UnverifiableRequest(
        request=first.attempt.request,
        missing=missing,
        bucket=first.bucket,
        signals=first.signals,
        trajectories=analysis.traces,
    )
