"""Mines an environment's production traces: failures become verified tasks with full provenance.

traces -> attempts by request -> failures -> right outcome -> a task that proves it -> family and split

Mining the same traces again adds nothing. Every result is a proposal until you accept it (`mining.review`). `accept` takes
every verified proposal unchanged. Nothing here prints.
"""

import uuid
from collections import Counter
from collections.abc import Callable, Sequence

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
from verigym.mining import families as family
from verigym.mining import proposals
from verigym.mining.attempts import Attempt, attempts_of, belongs, solution, tool_names
from verigym.mining.proposals import HELD_OUT, MiningSummary, Proposal, Review, UnverifiableRequest
from verigym.mining.requests import Miner, RequestAnalysis
from verigym.mining.signals import heard
from verigym.policies.dialects.plain import write
from verigym.workspace.workspace import WorkspaceFolder

HELD_OUT_SHARE = 0.25
_LINEAGE = 20
"""Maximum number of traces that a task names. Its proposal names all."""
_SIGNALS = 5
ALL = "all that was proven"
"""Noted if proposals were accepted without individual review."""
OnProgress = Callable[[int, int], None]


class MiningReport(Printable, Struct, frozen=True, kw_only=True):
    environment: str
    """The environment as every command takes it: its name, with the file of mined tasks if one exists."""
    added: dict[str, list[str]]
    """Tasks accepted in this call, by split."""
    proposed: list[str]
    """New tasks, accepted or not."""
    cases: list[str]
    """New cases in which the verifier was wrong."""
    open: list[str]
    """All tasks and cases that wait for review."""
    version: int
    """Version of the held-out mined tasks. 0 without any."""
    summary: MiningSummary


class AcceptedTasks(Struct, frozen=True, kw_only=True):
    """What accepting every verified task changed."""

    environment: str
    """With the file of mined tasks if it exists: what every command takes."""
    added: dict[str, list[str]]
    """Ids of the tasks that were added, by split."""
    open: list[str]
    """Proposals that still wait for a review: cases of the verifier."""
    version: int
    """Version of the held-out tasks. 0 if none are held out."""


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
    with ws.store.claim(f"mine-{proposals.name_of(base)}"):
        taken = proposals.take(ws, base)  # finish what a killed process had accepted
        known = proposals.kept(ws, base)
        miner = Miner(environment, known, heard(ws.store.documents("feedback", Feedback)))
        counts: Counter[str] = Counter()
        found = _looked_at(miner, _attempts(ws, environment, runs, counts), on_progress)
        made, summary = _made(miner, found, counts, held_out_share)
        new_cases = [one for request in found for one in request.cases if one.id not in known.proposals]
        proposals.propose(ws, [*made, *new_cases])
        if summary != proposals.last_summary(ws, base):
            ws.store.put("mining", uuid.uuid4().hex, summary)
        if accept:
            _accept_all(ws, base, who)
        taken += proposals.take(ws, base)
        known = proposals.kept(ws, base)
    return MiningReport(
        environment=proposals.with_file(ws, base),
        added=_by_split(taken),
        proposed=[one.id for one in made],
        cases=[one.id for one in new_cases],
        open=[one.id for one in known.by_state("open")],
        version=proposals.newest_version(known.taken.values()),
        summary=summary,
    )


def accept_all(ws: WorkspaceFolder, environment: str, who: str = "") -> AcceptedTasks:
    """Accepts every verified task without a review and adds it to the task file. Cases of the verifier stay open."""
    base = base_and_added(environment)[0]
    with ws.store.claim(f"mine-{proposals.name_of(base)}"):
        _accept_all(ws, base, who)
        taken = proposals.take(ws, base)
        known = proposals.kept(ws, base)
    return AcceptedTasks(
        environment=proposals.with_file(ws, base),
        added=_by_split(taken),
        open=[one.id for one in known.by_state("open")],
        version=proposals.newest_version(known.taken.values()),
    )


def take(ws: WorkspaceFolder, environment: str) -> list[Task]:
    """Writes accepted proposals to the files. Returns the new tasks."""
    base = base_and_added(environment)[0]
    with ws.store.claim(f"mine-{proposals.name_of(base)}"):
        return proposals.take(ws, base)


def _attempts(
    ws: WorkspaceFolder, environment: EnvironmentSpec, runs: Sequence[str], counts: Counter[str]
) -> list[list[Attempt]]:
    """Attempts by request, in an order that does not depend on their time."""
    asked_for = [ws.store.run(name, kinds=("traces",)).id for name in runs]
    every = [run.id for run in ws.store.runs(parent=None) if run.kind == "traces"]
    if not every:
        raise Refused(
            "No production traces exist yet. Import some with verigym ingest LOGS, or capture them with verigym serve"
        )
    names = tool_names(environment)
    offered = {one.hash: [tool.name for tool in one.tools] for one in ws.store.documents("tools", Toolset)}
    found: dict[str, list[Attempt]] = {}
    for run in asked_for or every:
        for trace in ws.store.each_trajectory(run):
            counts["traces"] += 1
            if not asked_for and not belongs(environment, trace, offered.get(trace.tools, []), names):
                counts["of another workload"] += 1
                continue
            attempts = attempts_of(trace, names)
            counts["without a request"] += not attempts
            for one in attempts:
                found.setdefault(one.key, []).append(one)
    return [sorted(found[key], key=lambda one: (one.trace.id, one.last)) for key in sorted(found)]


def _looked_at(miner: Miner, asked: Sequence[Sequence[Attempt]], on_progress: OnProgress) -> list[RequestAnalysis]:
    async def each() -> list[RequestAnalysis]:
        found: list[RequestAnalysis] = []
        for place, attempts in enumerate(asked):
            found.append(await miner.look(attempts))
            if place % 100 == 0:
                on_progress(place, len(asked))
        return found

    with watching():
        return event_loop.run(each())


# -- families, proposals, and what is said of the rest ---------------------------------------------------------------------------


def _made(
    miner: Miner, found: Sequence[RequestAnalysis], counts: Counter[str], held_out_share: float
) -> tuple[list[Proposal], MiningSummary]:
    """New proposals in families without duplicates, and a summary of the rest."""
    provable = {one.task.id: one for one in found if one.task is not None}
    known = [_asked_before(one) for one in miner.known.proposals.values() if one.case is None]
    own = [
        family.asked(task, expect.meaning(gold) or task.id, gold) for task in miner.own for gold in [miner.gold(task)]
    ]
    new = {id: _asked(one) for id, one in provable.items() if id not in miner.known.proposals}
    repeats = family.repeats([*own, *known], new.values())
    places = family.places([one for id, one in new.items() if id not in repeats], known, own, held_out_share)

    traces: dict[str, list[str]] = {}
    for one in found:
        id = one.own or (one.task.id if one.task is not None else "")
        traces.setdefault(repeats[id].of if id in repeats else id, []).extend(one.traces)
    unverifiable = [_unverifiable(one, one.missing) for one in found if one.missing and one.failed]
    made: list[Proposal] = []
    for id, place in places.items():
        if isinstance(place, str):
            unverifiable.append(_unverifiable(provable[id], place))
            del traces[id]
        else:
            made.append(_proposal(miner, provable[id], new[id], place, traces[id]))

    for standing in ("failed", "succeeded", "unknown", "infrastructure"):
        counts[standing] = sum(one.standings.get(standing, 0) for one in found)
    counts["requests"] = len(found)
    counts["failed requests"] = sum(bool(one.failed) for one in found)
    counts["already tasks"] = sum(bool(one.own and one.failed) for one in found)
    counts["already proposed"] = len(provable) - len(new)
    counts["repeats"] = len(repeats)
    counts["unverifiable"] = len(unverifiable)
    counts["new tasks"] = len(made)
    buckets = Counter(failed.bucket for one in found for failed in one.failed)
    return made, MiningSummary(
        environment=miner.name,
        counts=dict(counts),
        buckets=dict(sorted(buckets.items(), key=lambda pair: (-pair[1], pair[0]))),
        unverifiable=unverifiable,
        tasks={trace: id for id, some in traces.items() if id for trace in some},
    )


def _asked(one: RequestAnalysis) -> family.MinedRequest:
    assert one.task is not None and one.right is not None
    return family.asked(one.task, expect.meaning(one.right.items), one.right.items)


def _asked_before(one: Proposal) -> family.MinedRequest:
    return family.MinedRequest(
        id=one.id,
        prompt=one.task.prompt,
        meaning=one.meaning,
        tool=one.tool,
        pattern=one.pattern,
        family=one.task.family,
        held_out=one.task.split == HELD_OUT,
    )


def _proposal(
    miner: Miner,
    one: RequestAnalysis,
    asked: family.MinedRequest,
    place: family.FamilyAssignment,
    traces: Sequence[str],
) -> Proposal:
    assert one.task is not None and one.right is not None
    buckets = Counter(failed.bucket for failed in one.failed)
    bucket = min(buckets, key=lambda name: (-buckets[name], name))
    from_traces = list(dict.fromkeys(traces))
    task = msgspec.structs.replace(
        one.task,
        split=HELD_OUT if place.held_out else "train",
        family=place.family,
        tags=[bucket],
        lineage=[f"trace {trace}" for trace in from_traces[:_LINEAGE]],
    )
    return Proposal(
        id=task.id,
        environment=miner.name,
        task=task,
        meaning=asked.meaning,
        tool=asked.tool,
        pattern=asked.pattern,
        right=write(one.right.items),
        source=one.right.source,
        did=expect.short(solution(miner.environment, one.failed[0].attempt.tried)),
        bucket=bucket,
        signals=list(dict.fromkeys(words for failed in one.failed for words in failed.signals))[:_SIGNALS],
        trajectories=from_traces,
    )


def _unverifiable(one: RequestAnalysis, missing: str) -> UnverifiableRequest:
    first = one.failed[0]
    return UnverifiableRequest(
        request=first.attempt.request,
        missing=missing,
        bucket=first.bucket,
        signals=first.signals,
        trajectories=one.traces,
    )


def _accept_all(ws: WorkspaceFolder, environment: str, who: str) -> None:
    """Cases are left out, because only a person can decide that the verifier is wrong."""
    ids = [one.id for one in proposals.kept(ws, environment).by_state("open") if one.case is None]
    if ids:
        proposals.say(ws, Review(proposals=ids, answer="accepted", who=who, when=proposals.now(), note=ALL))


def _by_split(tasks: Sequence[Task]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for task in tasks:
        found.setdefault(task.split, []).append(task.id)
    return found
