"""The screen on which a person looks at what was mined, key by key; every answer is stored at once. See `mine`."""

import sys
from collections import Counter
from typing import TYPE_CHECKING

from verigym.cli import show
from verigym.cli.label import pressed
from verigym.cli.mine_output import next_of, prompt_of
from verigym.core.words import counted

if TYPE_CHECKING:
    from verigym.harness.environment import EnvironmentSpec
    from verigym.mining.review import ReviewSession
    from verigym.workspace.workspace import WorkspaceFolder

HELP = "a accept · e edit what is right · r reject · s skip · u undo · q quit"
CASE_HELP = "a accept · r reject · s skip · u undo · q quit"
LAST = "that was the last one · u undo · q quit"


def review(ws: "WorkspaceFolder", environment: "EnvironmentSpec", who: str) -> None:
    """Every answer is stored at once; what was accepted is written at the end, or, where this is killed, by the next command."""
    from verigym.environments.load import base_and_added
    from verigym.mining import proposals
    from verigym.mining.mine import take
    from verigym.mining.review import ReviewSession, press

    base = base_and_added(environment.name)[0]
    waiting = proposals.kept(ws, base).by_state("open")
    if not waiting:
        return show.say("nothing waits for a look")
    session = ReviewSession(who=who, proposals=waiting)
    while not session.over:
        _ask(session)
        key, rest = pressed()
        if key == "e":
            session = _edit(ws, environment, session, rest)
            continue
        session, made = press(session, key or "q", rest)
        if made is not None:
            proposals.say(ws, made)
    tasks = take(ws, base)
    answers = Counter(session.answers)
    left = len(waiting) - answers["accepted"] - answers["rejected"]
    show.say(f"looked at by {who}: {answers['accepted']} accepted, {answers['rejected']} rejected; still open: {left}")
    for split, count in Counter(task.split for task in tasks).items():
        show.say(f"taken, {split}: {counted(count, 'task')}")
    if any(one.case is not None and said == "accepted" for one, said in zip(waiting, session.answers, strict=False)):
        show.say(f"cases of the verifier are played again by: verigym check {base}")
    next_of(
        proposals.with_file(ws, base), proposals.newest_version(proposals.kept(ws, base).taken.values()), bool(left)
    )


def _edit(
    ws: "WorkspaceFolder", environment: "EnvironmentSpec", session: "ReviewSession", text: str
) -> "ReviewSession":
    """Another right outcome, from the rest of the line or an editor; it must be proven as well."""
    from verigym.mining import proposals
    from verigym.mining.expectations import MissingEvidence
    from verigym.mining.review import accept_edited, edited

    one = session.proposal
    if one is None or one.case is not None:
        return session
    if not text and sys.stdin.isatty():
        import click

        text = click.edit(one.right, extension=".json" if environment.tools else ".txt") or ""
    if not text.strip():
        show.say("not changed")
        return session
    try:
        task = edited(ws, environment, one, text)
    except MissingEvidence as missing:
        show.paragraph(f"not taken: {missing}")
        return session
    session, made = accept_edited(session, task, text.strip())
    proposals.say(ws, made)
    return session


def _ask(session: "ReviewSession") -> None:
    from rich.console import Console

    one = session.proposal
    if one is None:
        return show.say(LAST)
    console = Console(highlight=False)
    if console.is_terminal:
        console.clear()
    what = "case" if one.case is not None else one.task.split.replace("mined", "held out")
    show.say(
        "",
        f"{len(session.answers) + 1} of {len(session.proposals)}, {one.id} ({what}{f', {one.bucket}' if one.bucket else ''})",
    )
    for words in one.signals:
        show.paragraph(words, "  ", "  ")
    show.say("request:", *(f"  {line}" for line in prompt_of(one).splitlines()))
    show.say("the agent:", f"  {one.did or '(nothing)'}")
    show.say("what is right:", *(f"  {line}" for line in one.right.splitlines()), f"  from: {one.source}")
    traces = one.trajectories
    show.say(f"trace: {traces[0]}" + (f" and {len(traces) - 1} more" if len(traces) > 1 else ""))
    show.say(HELP if one.case is None else CASE_HELP)
