"""What mine prints: what was found, a list of what was made, and the way of a task there and back."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from verigym.cli import show
from verigym.core.words import counted

if TYPE_CHECKING:
    from verigym.core.records import Trajectory
    from verigym.mining.mine import MiningReport
    from verigym.mining.proposals import MiningSummary, Proposal, ProposalSet, UnverifiableRequest
    from verigym.mining.provenance import TraceProvenance
    from verigym.workspace.workspace import WorkspaceFolder

_SHOWN = 8
"""Reasons, and proposals of a kind, that are listed without --json."""


def found(ws: "WorkspaceFolder", found: "MiningReport", runs: Sequence[str] = (), *, goes_on: bool = False) -> None:
    """What a mining (of these runs) saw and made; and, unless it goes on with a review, what to type next."""
    from verigym.environments.load import base_and_added
    from verigym.mining.proposals import HELD_OUT, kept

    base = base_and_added(found.environment)[0]
    known = kept(ws, base)
    _counts(base, found.summary)
    _missing(found.summary.unverifiable)
    made = [known.task(id) for id in found.proposed]
    held = sum(task.split.startswith(HELD_OUT) for task in made)
    if made:
        families = counted(len({task.family for task in made}), "family")
        show.say(f"{counted(len(made), 'new task')} in {families}: {len(made) - held} to train on, {held} to hold out")
    if found.cases:
        show.say(f"{counted(len(found.cases), 'case')} in which a person and the verifier disagree, to look at")
    for split, ids in found.added.items():
        show.say(f"taken, {split}: {counted(len(ids), 'task')}")
    waiting = Counter("task" if known.proposals[id].case is None else "case" for id in found.open)
    if waiting:
        show.say("waiting for a look: " + " and ".join(counted(count, what) for what, count in waiting.items()))
    if goes_on:
        return
    if waiting and not found.added:
        again = " ".join(["verigym mine", base, *(f"--from {run}" for run in runs)])
        return show.next_command(f"{again} --review" + (f"   ·   {again} --yes" if waiting["task"] else ""))
    next_of(found.environment, found.version, waiting=bool(waiting))


def next_of(environment: str, version: int, waiting: bool = False) -> None:
    from verigym.environments.load import base_and_added

    base, file = base_and_added(environment)
    if file:
        show.say(f"with its mined tasks the environment is {environment}")
    if waiting and not (file and version):
        return show.next_command(f"verigym mine {show.quote(base)} --review")
    if file and version:
        return show.next_command(
            f"verigym eval {show.quote(environment)} -m champion --split {_split(version)}   ·   verigym loop RECIPE"
        )
    if file:
        show.say(
            "nothing is held out yet: no family fell to that side; with more failures some will (--held-out-share)"
        )
    show.next_command(f"verigym mine {show.quote(base)} --list")


def _split(version: int) -> str:
    from verigym.mining.proposals import HELD_OUT

    return f"{HELD_OUT}_v{version}"


def _counts(base: str, summary: "MiningSummary") -> None:
    counts = summary.counts
    others = counts.get("of another workload", 0)
    show.say(
        f"{counted(counts['traces'], 'trace')}"
        + (f", {others} of them of another workload than {base}'s" if others else "")
    )
    words = {
        "succeeded": "did well",
        "failed": "failed",
        "unknown": "unknown",
        "infrastructure": "broken by a server",
    }
    ended = [f"{counts[name]} {said}" for name, said in words.items() if counts.get(name)]
    if ended:
        show.paragraph(f"{counted(counts['requests'], 'request')}, attempts at them: {', '.join(ended)}")
    if summary.buckets:
        show.paragraph("failures: " + ", ".join(f"{name} {count}" for name, count in summary.buckets.items()))
    words = {
        "already tasks": "tasks already",
        "already proposed": "proposed before",
        "repeats": "asking for what another does",
        "unverifiable": "with something missing",
        "new tasks": "new",
    }
    parts = [f"{counts[name]} {said}" for name, said in words.items() if counts.get(name)]
    if counts.get("failed requests"):
        show.paragraph(f"{counted(counts['failed requests'], 'request')} that failed: {', '.join(parts)}")
    else:
        show.say("nothing failed, as far as is known")


def _missing(found: "Sequence[UnverifiableRequest]") -> None:
    if not found:
        return
    reasons = Counter(_kind(one.missing) for one in found)
    show.say("what is missing:")
    show.table(
        [(count, words) for words, count in reasons.most_common(_SHOWN)], ("requests", "why no task can be made"), "  "
    )
    first = found[0]
    show.say(f"  such as {first.trajectories[0]}: {show.clip(first.request, 70)}")


def _kind(missing: str) -> str:
    """A reason without what is of one trace alone."""
    return show.clip(missing.partition(":")[0] if ":" in missing else missing, 100)


# -- the list -----------------------------------------------------------------------------------------------------------------


def listed(ws: "WorkspaceFolder", environment: str, json: bool) -> None:
    from verigym.mining.proposals import kept, last_summary, newest_version, with_file

    known, summary = kept(ws, environment), last_summary(ws, environment)
    listed = summary.unverifiable if summary is not None else []
    if json:
        rows = [
            {"state": known.state(id), "proposal": one, "task": known.task(id)} for id, one in known.proposals.items()
        ]
        return show.as_json({"proposals": rows, "unverifiable": listed})
    if not known.proposals and not listed:
        show.say("nothing was mined yet")
        return show.next_command(f"verigym mine {show.quote(environment)}")
    for state in ("open", "accepted", "taken", "rejected"):
        _table(known, state)
    if listed:
        show.say(f"no task can be made of {len(listed)}:")
        rows = [
            (one.trajectories[0], show.clip(one.request, 40), show.clip(one.missing, 90)) for one in listed[:_SHOWN]
        ]
        show.table(rows, ("trace", "request", "what is missing"), "  ")
        _more(len(listed))
    if known.by_state("open"):
        return show.next_command(f"verigym mine {show.quote(environment)} --review")
    if known.taken:
        last = next(reversed(known.taken))
        show.say(f"the way of one of them: verigym mine --show {last}")
    next_of(with_file(ws, environment), newest_version(known.taken.values()))


def _table(known: "ProposalSet", state: str) -> None:
    found = known.by_state(state)  # type: ignore[arg-type]
    if not found:
        return
    show.say(f"{state}: {len(found)}")
    rows = [
        (
            one.id,
            "case" if one.case is not None else known.task(one.id).split,
            one.bucket,
            show.clip(known.right(one.id), 44),
            show.clip(prompt_of(one), 40),
            f"{len(one.trajectories)}",
        )
        for one in found[-_SHOWN:]
    ]
    show.table(rows, ("task", "split", "failure", "what is right", "request", "traces"), "  ")
    _more(len(found))


def _more(count: int) -> None:
    if count > _SHOWN:
        show.say(f"  and {count - _SHOWN} more (--json lists all)")


def prompt_of(one: "Proposal") -> str:
    from verigym.tasks.near_duplicates import conversation_text

    return one.task.prompt if isinstance(one.task.prompt, str) else conversation_text(one.task.prompt)


# -- there and back -------------------------------------------------------------------------------------------------------------


def way(ws: "WorkspaceFolder", id: str, json: bool) -> None:
    from verigym.mining.provenance import story

    found = story(ws, id)
    if json:
        return show.as_json(found)
    one, task = found.proposal, found.task
    show.say(f"{one.id}: {found.state}" + (f", {task.split}" if one.case is None else ", a case of the verifier"))
    if one.case is None:
        show.say(f"  family {task.family}" + (f", failure {one.bucket}" if one.bucket else ""))
    show.paragraph(f"asks: {prompt_of(one)}", "  ", "  ")
    show.say(f"  the agent: {one.did}", f"  right: {found.right}", f"  by: {one.source}")
    show.say("comes from:")
    for trace in found.traces[:_SHOWN]:
        show.say(f"  {trace.id}, {trace.source or 'no longer kept'}")
        for said in trace.feedback:
            outcome = said.outcome or ("a correction" if said.correction else "feedback")
            show.paragraph(f"{outcome}{_by(said.who, said.when)}{f': {said.note}' if said.note else ''}", "    ", "  ")
    _more(len(found.traces))
    show.say("decided:")
    for review in found.reviews or []:
        note = f": {review.note}" if review.note else ""
        show.say(f"  {review.answer}{_by(review.who, review.when)}{note}")
    show.say(f"  taken {found.taken}" if found.taken else "  not taken" if found.reviews else "  nobody has yet")
    names = ", ".join(f"{ws.find(id).name or id} ({id})" for id in found.versions)
    show.paragraph(f"versions trained on its family: {names or 'none'}")
    if found.reports:
        rows = [
            (one.report, one.suite, one.version, f"{100 * one.passed:.0f}%", ", ".join(one.decisions))
            for one in found.reports
        ]
        show.say("measured:")
        show.table(rows, ("report", "suite", "version", "passed", "decisions"), "  ")
    else:
        show.say("in no report yet")
    if not found.traces or not found.traces[0].source:
        return show.next_command(f"verigym mine {show.quote(one.environment)} --list")
    show.next_command(f"verigym trajectories show {show.quote(found.traces[0].id)}")


def came_of(ws: "WorkspaceFolder", trajectory: str) -> "TraceProvenance":
    from verigym.mining.provenance import came_of

    return came_of(ws, trajectory)


def trace(ws: "WorkspaceFolder", one: "Trajectory") -> None:
    """Below the conversation of a production trace: where it came from, how it ended, and what came of it."""
    from verigym.mining.expectations import short

    came = came_of(ws, one.id)
    redacted = f" · redacted by {one.redacted}" if one.redacted else ""
    show.say(f"from {one.source or 'an unknown place'} · outcome {one.outcome or 'unknown'}{redacted}")
    for words in one.interventions:
        show.say(f"intervention: {words}")
    for words in one.gaps:
        show.say(f"not observed: {words}")
    for said in came.feedback:
        told = [said.outcome, said.intervention, said.note, said.correction and f"right is {short(said.correction)}"]
        show.paragraph(f"feedback{_by(said.who, said.when)}: {'; '.join(each for each in told if each)}", "", "  ")
    for id in came.tasks:
        show.say(f"its task: {id}")
    for words in came.missing:
        show.paragraph(f"no task was made of it: {words}", "", "  ")
    run = one.id.rpartition("/")[0]
    show.next_command(
        f"verigym mine --show {came.proposals[0]}" if came.proposals else f"verigym mine ENV --from {show.quote(run)}"
    )


def _by(who: str, when: str) -> str:
    return (f" by {who}" if who else "") + (f", {when[:16].replace('T', ' ')}" if when else "")
