"""mine: turn failures in production traces into tasks. Run it, review or accept what it proposes, list and show it."""

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from verigym.cli import complete, show
from verigym.cli.label import pressed
from verigym.cli.options import Environment, Home, Json, group, workspace
from verigym.core.words import counted, percent

if TYPE_CHECKING:
    from verigym.core.records import Trajectory
    from verigym.harness.environment import EnvironmentSpec
    from verigym.mining.mine import MiningReport
    from verigym.mining.proposals import MiningSummary, Proposal, ProposalSet, UnverifiableRequest
    from verigym.mining.review import ReviewSession
    from verigym.workspace.workspace import WorkspaceFolder

Who = Annotated[str, typer.Option("--who", help="Name recorded with the decision (default: your user name)")]
REVIEW_KEYS = "a accept · e edit the correct outcome · r reject · s skip · u undo · q quit"
CASE_KEYS = "a accept · r reject · s skip · u undo · q quit"
LAST_KEYS = "that was the last one · u undo · q quit"
STATES = {"open": "open", "accepted": "accepted", "taken": "added", "rejected": "rejected"}
"""Stored states, and how they are printed."""
SOURCES = {
    "correction": "correction",
    "twin": "a trace that succeeded",
    "": "correction or a trace that succeeded",
    "end state": "known end state",
    "teacher": "teacher",
    "rubric": "rubric",
}
"""How the correct outcome of a task is known, as it is printed."""
_SHOWN = 8
"""Reasons, and proposals of a state, that are printed without --json."""


def list_all(json: bool, home: Path | None) -> None:
    """Environments that were mined, with their proposals."""
    from verigym.mining.proposals import Proposal, read_proposals

    ws = workspace(home).folder
    names = sorted({proposal.environment for proposal in ws.store.documents("proposal", Proposal)})
    known = {name: read_proposals(ws, name) for name in names}
    counts = {
        name: {state: len(all.by_state(state)) for state in ("open", "accepted", "taken", "rejected")}
        for name, all in known.items()
    }
    if json:
        return show.as_json(counts)
    if not counts:
        show.say("no tasks were mined yet")
        return show.next_command("verigym mine run ENV")
    show.table([(name, *by_state.values()) for name, by_state in counts.items()], ("environment", *STATES.values()))
    show.next_command(f"verigym mine list {show.quote(names[0])}")


mine = group("mine", "Turn failures in production traces into tasks: run, review, accept, list, show.", list_all)


@mine.command("run")
def run_mining(
    environment: Environment,
    runs: Annotated[
        list[str] | None,
        typer.Option(
            "--run",
            metavar="RUN",
            help="Run of traces to mine. All its traces are taken as traces of this environment. Repeatable (default: the "
            "traces of all runs that belong to this environment)",
            autocompletion=complete.runs,
        ),
    ] = None,
    held_out_share: Annotated[
        float,
        typer.Option("--held-out-share", min=0.0, max=1.0, help="Share of new families to hold out from training"),
    ] = 0.25,
    teacher: Annotated[
        str,
        typer.Option(
            "--teacher",
            metavar="MODEL",
            help="Stronger model that solves requests with an unknown correct outcome (same values as -m of eval). If most of "
            "its attempts end alike, that end is correct",
            autocompletion=complete.models,
        ),
    ] = "",
    k: Annotated[int, typer.Option("-k", min=1, max=100, help="Attempts of the teacher per request")] = 3,
    judge: Annotated[
        str,
        typer.Option(
            "--judge",
            metavar="MODEL",
            help="Model that checks rubric tasks: it must fail the failed attempt. Without it, a person accepts each rubric task",
            autocompletion=complete.models,
        ),
    ] = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """Propose tasks from failures in production traces. Each task is verified, deduplicated and put into a family that is
    either trained on or held out. Proposals wait for `mine review` or `mine accept`."""
    ws = workspace(home)
    mined = ws.mine(environment, runs or (), held_out_share=held_out_share, teacher=teacher, k=k, judge=judge)
    if json:
        return show.as_json(mined)
    _say_mined(ws.folder, mined)


@mine.command("review")
def review_proposals(environment: Environment, who: Who = "", home: Home = None) -> None:
    """Accept, edit or reject proposals one by one. Every answer is stored at once, so you can stop and resume."""
    from verigym.environments.load import load_environment
    from verigym.registry.ledger import current_user

    _review(workspace(home).folder, load_environment(environment), who or current_user())


@mine.command("accept")
def accept_proposals(environment: Environment, who: Who = "", json: Json = False, home: Home = None) -> None:
    """Accept every verified task and every regression without review. Cases in which a person and the verifier disagree stay
    open, and so do tasks that only a person can accept."""
    accepted = workspace(home).mine_accept(environment, who=who)
    if json:
        return show.as_json(accepted)
    _say_added({split: len(ids) for split, ids in accepted.added.items()})
    if not accepted.added:
        show.say("no proposal was open" if not accepted.open else "no proposal could be accepted without a person")
    _say_files(accepted.rubric, accepted.guardrail)
    _say_next(accepted.environment, accepted.version, waiting=bool(accepted.open))


@mine.command("list")
def list_proposals(
    environment: Annotated[
        str,
        typer.Argument(
            metavar="ENV",
            help="Environment to list the proposals of (default: a table of all environments)",
            autocompletion=complete.environments,
        ),
    ] = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """List the proposals of an environment, and the failures that no task could be made from."""
    from verigym.mining.proposals import (
        last_summary,
        newest_version,
        read_proposals,
        with_file,
        with_regressions,
        with_rubric,
    )
    from verigym.verifiers.ending import is_rubric

    if not environment:
        return list_all(json, home)
    ws = workspace(home).folder
    known, summary = read_proposals(ws, environment), last_summary(ws, environment)
    unverifiable = summary.unverifiable if summary is not None else []
    if json:
        rows = [
            {"state": known.state(id), "proposal": proposal, "task": known.task(id)}
            for id, proposal in known.proposals.items()
        ]
        return show.as_json({"proposals": rows, "unverifiable": unverifiable})
    if not known.proposals and not unverifiable:
        show.say("nothing was mined yet")
        return show.next_command(f"verigym mine run {show.quote(environment)}")
    for state in STATES:
        _say_state(known, state)
    if unverifiable:
        show.say(f"no task can be made from {counted(len(unverifiable), 'request')}:")
        rows = [
            (request.trajectories[0], show.clip(request.request, 40), show.clip(request.missing, 90))
            for request in unverifiable[:_SHOWN]
        ]
        show.table(rows, ("trace", "request", "what is missing"), "  ")
        _say_more(len(unverifiable))
    if known.by_state("open"):
        return show.next_command(f"verigym mine review {show.quote(environment)}")
    _say_files(with_rubric(ws, environment), with_regressions(ws, environment))
    if known.taken:
        show.say(show.command(f"history of one task: verigym mine show {next(reversed(known.taken))}"))
    version = newest_version(task for task in known.taken.values() if not is_rubric(task))
    _say_next(with_file(ws, environment), version, listed=True)


@mine.command("show")
def show_proposal(
    id: Annotated[
        str, typer.Argument(metavar="ID", help="Mined task or proposal (id or part of an id), or the id of a trace")
    ],
    json: Json = False,
    home: Home = None,
) -> None:
    """Show a mined task: its traces, its review, the versions trained on its family, and where it was measured."""
    ws = workspace(home)
    history = ws.mine_show(id)
    if json:
        return show.as_json(history)
    proposal, task = history.proposal, history.task
    kind = f", {task.split}" if proposal.case is None else ", a case of the verifier"
    show.say(f"{proposal.id}: {STATES[history.state]}{kind}")
    if proposal.case is None:
        show.say(f"  family {task.family}" + (f", failure {proposal.bucket}" if proposal.bucket else ""))
    show.paragraph(f"request: {_prompt_of(proposal)}", "  ", "  ")
    show.say(f"  agent did: {proposal.did}", f"  correct outcome: {history.right}", f"  source: {proposal.source}")
    show.say("traces:")
    for trace in history.traces[:_SHOWN]:
        show.say(f"  {trace.id}, {trace.source or 'no longer stored'}")
        for feedback in trace.feedback:
            outcome = feedback.outcome or ("correction" if feedback.correction else "feedback")
            note = f": {feedback.note}" if feedback.note else ""
            show.paragraph(f"{outcome}{_by(feedback.who, feedback.when)}{note}", "    ", "  ")
    _say_more(len(history.traces))
    show.say("review:")
    for review in history.reviews or []:
        note = f": {review.note}" if review.note else ""
        show.say(f"  {review.answer}{_by(review.who, review.when)}{note}")
    show.say(
        f"  added {history.taken}" if history.taken else "  not added" if history.reviews else "  not reviewed yet"
    )
    names = ", ".join(f"{ws.agent(id).label} ({id})" for id in history.versions)
    show.paragraph(f"versions trained on its family: {names or 'none'}")
    if history.reports:
        rows = [
            (report.report, report.suite, report.version, percent(report.passed, 0), ", ".join(report.decisions))
            for report in history.reports
        ]
        show.say("evaluations:")
        show.table(rows, ("report", "suite", "version", "passed", "decisions"), "  ")
    else:
        show.say("evaluations: none")
    if not history.traces or not history.traces[0].source:
        return show.next_command(f"verigym mine list {show.quote(proposal.environment)}")
    show.next_command(f"verigym trajectories show {show.quote(history.traces[0].id)}")


def _say_mined(ws: "WorkspaceFolder", mined: "MiningReport") -> None:
    from verigym.environments.load import base_and_added
    from verigym.mining.proposals import HELD_OUT, read_proposals

    base = base_and_added(mined.environment)[0]
    known = read_proposals(ws, base)
    _say_counts(base, mined.summary)
    _say_missing(mined.summary.unverifiable)
    tasks = [known.task(id) for id in mined.proposed]
    held_out = sum(task.split.startswith(HELD_OUT) for task in tasks)
    if tasks:
        families = counted(len({task.family for task in tasks}), "family")
        show.say(
            f"{counted(len(tasks), 'new task')} in {families}: {len(tasks) - held_out} to train on, {held_out} held out"
        )
        sources = Counter(SOURCES[known.proposals[id].by] for id in mined.proposed)
        show.paragraph(
            "how the correct outcome is known: " + ", ".join(f"{name} {n}" for name, n in sources.most_common())
        )
    if mined.regressions:
        show.say(
            f"{counted(len(mined.regressions), 'new regression')} (only the bad ending is known: a guardrail, not a task)"
        )
    if mined.cases:
        show.say(f"{counted(len(mined.cases), 'case')} in which a person and the verifier disagree")
    _say_added({split: len(ids) for split, ids in mined.added.items()})
    waiting = Counter(_kind(known.proposals[id]) for id in mined.open)
    if waiting:
        show.say("waiting for review: " + " and ".join(counted(count, kind) for kind, count in waiting.items()))
    persons = sum(known.proposals[id].needs_person for id in mined.open)
    if persons:
        show.say(f"only a person can accept {persons} of them: verigym mine review {show.quote(base)}")
    if waiting and not mined.added:
        proven = waiting["task"] + waiting["regression"] > persons
        accept = f"   ·   verigym mine accept {show.quote(base)}" if proven else ""
        return show.next_command(f"verigym mine review {show.quote(base)}{accept}")
    _say_files(mined.rubric, mined.guardrail)
    _say_next(mined.environment, mined.version, waiting=bool(waiting))


def _kind(proposal: "Proposal") -> str:
    return "case" if proposal.case is not None else "task" if proposal.is_task else "regression"


def _say_files(rubric: str, guardrail: str) -> None:
    """Where the tasks for a judge and the regressions are."""
    if rubric:
        show.say(f"tasks that a judge scores (eval --judge MODEL): {rubric}")
    if guardrail:
        show.say(f"regressions, a guardrail for eval and the gate: {guardrail}")


def _say_added(counts: dict[str, int]) -> None:
    for split, count in counts.items():
        show.say(f"added to {split}: {counted(count, 'regression' if split == 'regressions' else 'task')}")


def _say_next(environment: str, version: int, waiting: bool = False, listed: bool = False) -> None:
    from verigym.environments.load import base_and_added
    from verigym.mining.proposals import HELD_OUT

    base, file = base_and_added(environment)
    if file:
        show.say(f"the environment with its mined tasks: {environment}")
    if waiting and not (file and version):
        return show.next_command(f"verigym mine review {show.quote(base)}")
    if file and version:
        return show.next_command(
            f"verigym eval {show.quote(environment)} -m champion --split {HELD_OUT}_v{version}   ·   verigym loop run RECIPE"
        )
    if file:
        show.say(
            "no mined task is held out yet. More failures, or a larger --held-out-share, will hold out some families"
        )
    more = "verigym ingest FILE   ·   verigym mine run" if listed else "verigym mine list"
    show.next_command(f"{more} {show.quote(base)}")


def _say_counts(base: str, summary: "MiningSummary") -> None:
    counts = summary.counts
    others = counts.get("of another workload", 0)
    show.say(f"{counted(counts['traces'], 'trace')}" + (f", {others} of them not from {base}" if others else ""))
    titles = {
        "succeeded": "succeeded",
        "failed": "failed",
        "unknown": "unknown",
        "infrastructure": "broken by a server",
    }
    attempts = [f"{counts[name]} {title}" for name, title in titles.items() if counts.get(name)]
    if attempts:
        show.paragraph(f"{counted(counts['requests'], 'request')}, attempts: {', '.join(attempts)}")
    if summary.buckets:
        show.paragraph("failures: " + ", ".join(f"{name} {count}" for name, count in summary.buckets.items()))
    titles = {
        "already tasks": "already tasks",
        "already proposed": "proposed before",
        "repeats": "duplicates",
        "unverifiable": "not verifiable",
        "new tasks": "new",
    }
    parts = [f"{counts[name]} {title}" for name, title in titles.items() if counts.get(name)]
    if counts.get("failed requests"):
        show.paragraph(f"{counted(counts['failed requests'], 'failed request')}: {', '.join(parts)}")
    else:
        show.say("no known failure")


def _say_missing(unverifiable: "Sequence[UnverifiableRequest]") -> None:
    if not unverifiable:
        return
    reasons = Counter(_reason(request.missing) for request in unverifiable)
    show.say("what is missing:")
    rows = [(count, reason) for reason, count in reasons.most_common(_SHOWN)]
    show.table(rows, ("requests", "why no task can be made"), "  ")
    first = unverifiable[0]
    show.say(f"  for example {first.trajectories[0]}: {show.clip(first.request, 70)}")


def _reason(missing: str) -> str:
    """The reason without the details of one trace."""
    return show.clip(missing.partition(":")[0] if ":" in missing else missing, 120)


def _say_state(known: "ProposalSet", state: str) -> None:
    proposals = known.by_state(state)  # type: ignore[arg-type]
    if not proposals:
        return
    show.say(f"{STATES[state]}: {len(proposals)}")
    rows = [
        (
            proposal.id,
            "case" if proposal.case is not None else known.task(proposal.id).split,
            "" if proposal.case is not None or proposal.by == "regression" else SOURCES[proposal.by],
            proposal.bucket,
            show.clip(known.right(proposal.id), 44),
            show.clip(_prompt_of(proposal), 40),
            f"{len(proposal.trajectories)}",
        )
        for proposal in proposals[-_SHOWN:]
    ]
    show.table(rows, ("task", "split", "source", "failure", "correct outcome", "request", "traces"), "  ")
    _say_more(len(proposals))


def _say_more(count: int) -> None:
    if count > _SHOWN:
        show.say(f"  and {count - _SHOWN} more (--json lists all)")


def _prompt_of(proposal: "Proposal") -> str:
    from verigym.tasks.near_duplicates import conversation_text

    return proposal.task.prompt if isinstance(proposal.task.prompt, str) else conversation_text(proposal.task.prompt)


def outcome_of_trace(ws: "WorkspaceFolder", trajectory: str) -> Any:
    """What mining made of a trace."""
    from verigym.mining.provenance import trace_provenance

    return trace_provenance(ws, trajectory)


def say_trace(ws: "WorkspaceFolder", trace: "Trajectory") -> None:
    """Below the conversation of a production trace: its source, its outcome, and what mining made of it."""
    from verigym.mining.expectations import one_line

    outcome = outcome_of_trace(ws, trace.id)
    redacted = f" · redacted by {trace.redacted}" if trace.redacted else ""
    show.say(f"from {trace.source or 'an unknown source'} · outcome {trace.outcome or 'unknown'}{redacted}")
    for text in trace.interventions:
        show.say(f"intervention: {text}")
    for text in trace.gaps:
        show.say(f"not observed: {text}")
    for feedback in outcome.feedback:
        correction = f"correction: {one_line(feedback.correction)}" if feedback.correction else ""
        parts = [feedback.outcome, feedback.intervention, feedback.note, correction]
        show.paragraph(
            f"feedback{_by(feedback.who, feedback.when)}: {', '.join(part for part in parts if part)}", "", "  "
        )
    for id in outcome.tasks:
        show.say(f"task: {id}")
    for text in outcome.missing:
        show.paragraph(f"no task was made from it: {text}", "", "  ")
    run = trace.id.rpartition("/")[0]
    show.next_command(
        f"verigym mine show {outcome.proposals[0]}"
        if outcome.proposals
        else f"verigym mine run ENV --run {show.quote(run)}"
    )


def _by(who: str, when: str) -> str:
    return (f" by {who}" if who else "") + (f", {when[:16].replace('T', ' ')}" if when else "")


def _review(ws: "WorkspaceFolder", environment: "EnvironmentSpec", who: str) -> None:
    """Asks about every open proposal. Accepted tasks are written at the end, or by the next command if this one is killed."""
    from verigym.environments.load import base_and_added
    from verigym.mining import proposals
    from verigym.mining.mine import write_accepted
    from verigym.mining.review import ReviewSession, press
    from verigym.verifiers.ending import is_rubric

    base = base_and_added(environment.name)[0]
    waiting = proposals.read_proposals(ws, base).by_state("open")
    if not waiting:
        tasks = write_accepted(ws, base)  # accepted in verigym view, or by a command that was killed
        show.say("no proposal waits for review")
        _say_added(Counter(task.split for task in tasks))
        return show.next_command(f"verigym mine run {show.quote(base)}   ·   verigym mine list {show.quote(base)}")
    session = ReviewSession(who=who, proposals=waiting)
    while not session.over:
        _ask(session)
        key, rest = pressed()
        if key == "e":
            session = _edit(ws, environment, session, rest)
            continue
        session, review = press(session, key or "q", rest)
        if review is not None:
            proposals.add_review(ws, review)
    tasks = write_accepted(ws, base)
    answers = Counter(session.answers)
    left = len(waiting) - answers["accepted"] - answers["rejected"]
    show.say(f"reviewed by {who}: {answers['accepted']} accepted, {answers['rejected']} rejected, {left} still open")
    _say_added(Counter(task.split for task in tasks))
    answered = zip(waiting, session.answers, strict=False)
    if any(proposal.case is not None and answer == "accepted" for proposal, answer in answered):
        show.say(show.command(f"to replay accepted cases of the verifier: verigym check {show.quote(base)}"))
    known = proposals.read_proposals(ws, base)
    version = proposals.newest_version(task for task in known.taken.values() if not is_rubric(task))
    _say_files(proposals.with_rubric(ws, base), proposals.with_regressions(ws, base))
    _say_next(proposals.with_file(ws, base), version, bool(left))


def _edit(
    ws: "WorkspaceFolder", environment: "EnvironmentSpec", session: "ReviewSession", text: str
) -> "ReviewSession":
    """Replaces the correct outcome by the rest of the line, or by what an editor returns. It must be verified as well."""
    from verigym.mining import proposals
    from verigym.mining.expectations import MissingEvidence
    from verigym.mining.review import accept_edited, edit_task

    proposal = session.proposal
    if proposal is None or proposal.case is not None:
        return session
    if not text and sys.stdin.isatty():
        import click

        text = click.edit(proposal.right, extension=".json" if environment.has_tools else ".txt") or ""
    if not text.strip():
        show.say("not changed")
        return session
    try:
        task = edit_task(ws, environment, proposal, text)
    except MissingEvidence as missing:
        show.paragraph(f"not accepted: {missing}")
        return session
    session, review = accept_edited(session, task, text.strip())
    proposals.add_review(ws, review)
    return session


def _ask(session: "ReviewSession") -> None:
    from rich.console import Console

    proposal = session.proposal
    if proposal is None:
        return show.say(LAST_KEYS)
    console = Console(highlight=False)
    if console.is_terminal:
        console.clear()
    kind = "case" if proposal.case is not None else proposal.task.split.replace("mined", "held out")
    kind = "regression, never trained on" if proposal.by == "regression" else kind
    bucket = f", {proposal.bucket}" if proposal.bucket else ""
    show.say("", f"{len(session.answers) + 1} of {len(session.proposals)}, {proposal.id} ({kind}{bucket})")
    for signal in proposal.signals:
        show.paragraph(signal, "  ", "  ")
    show.say("request:", *(f"  {line}" for line in _prompt_of(proposal).splitlines()))
    show.say("agent did:", f"  {proposal.did or '(nothing)'}")
    show.say("correct outcome:", *(f"  {line}" for line in proposal.right.splitlines()), f"  source: {proposal.source}")
    traces = proposal.trajectories
    show.say(f"trace: {traces[0]}" + (f" and {len(traces) - 1} more" if len(traces) > 1 else ""))
    show.say(REVIEW_KEYS if proposal.case is None else CASE_KEYS)
