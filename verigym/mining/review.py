"""A person's review of proposals: accept, edit, reject, skip, undo.

A session is a value and `press` is a function, as with labels. The caller owns the screen and the store. Every answer is a new
`Review`. A skipped proposal gets none and is asked again next time. An edited outcome is verified like any other.
"""

from collections.abc import Iterator

import msgspec
from msgspec import Struct

from verigym.audit.scripted_episodes import watching
from verigym.core import event_loop
from verigym.core.errors import NotFound
from verigym.core.records import Message, Task
from verigym.harness.environment import EnvironmentSpec
from verigym.mining import expectations as expect
from verigym.mining.attempts import Attempt, attempts_of, replies, solution, tool_names
from verigym.mining.expectations import MissingEvidence
from verigym.mining.proposals import Answer, Proposal, Review, now
from verigym.workspace.workspace import WorkspaceFolder

KEYS: dict[str, Answer | None] = {"a": "accepted", "r": "rejected", "s": None}
"""The answer for each key. `s` skips, `u` takes the last answer back, `q` quits."""


class ReviewSession(Struct, frozen=True, kw_only=True):
    who: str
    proposals: list[Proposal]
    """The proposals to review, in order."""
    answers: list[Answer | None] = []
    """Answers to the first of them. None means skipped."""
    over: bool = False

    @property
    def proposal(self) -> Proposal | None:
        """The current proposal. None after the last."""
        return self.proposals[len(self.answers)] if len(self.answers) < len(self.proposals) else None


def press(session: ReviewSession, key: str, note: str = "") -> tuple[ReviewSession, Review | None]:
    """The session after a key, and the review to store before anything else is shown. An unknown key changes nothing."""
    if key == "q":
        return msgspec.structs.replace(session, over=True), None
    if key == "u" and session.answers:
        before = msgspec.structs.replace(session, answers=session.answers[:-1])
        return before, None if session.answers[-1] is None else _review(before, "open", "taken back")
    if key in KEYS and session.proposal is not None:
        answer = KEYS[key]
        after = msgspec.structs.replace(session, answers=[*session.answers, answer])
        return after, None if answer is None else _review(session, answer, note)
    return session, None


def accept_edited(session: ReviewSession, task: Task, right: str) -> tuple[ReviewSession, Review]:
    after = msgspec.structs.replace(session, answers=[*session.answers, "accepted"])
    return after, msgspec.structs.replace(_review(session, "accepted", "edited"), task=task, right=right)


def edit_task(ws: WorkspaceFolder, environment: EnvironmentSpec, proposal: Proposal, text: str) -> Task:
    """The task with another correct outcome: a call as `{"tool": ..., "args": {...}}`, or text.

    Raises `MissingEvidence` if that outcome does not pass, or if the failures pass."""
    right = [Message("assistant", text.strip())]
    attempts = list(attempts_of_proposal(ws, environment, proposal))
    request = attempts[0].request if attempts else expect.one_line([Message("user", str(proposal.task.prompt))])
    data = expect.data_of(environment, request, solution(environment, right))
    task = msgspec.structs.replace(proposal.task, data=data)

    async def check() -> None:
        await expect.check_solution(environment, task, replies(right))
        for attempt in attempts:
            played = await expect.play_and_score(environment, task, replies(attempt.tried) or [""])
            if played.verdict.passed:
                raise MissingEvidence(
                    f"With this edit, the failed attempt in {attempt.trace.id} would pass. Write another outcome"
                )

    with watching():
        event_loop.run(check())
    return task


def attempts_of_proposal(ws: WorkspaceFolder, environment: EnvironmentSpec, proposal: Proposal) -> Iterator[Attempt]:
    """The stored failures that it was made from, without near-duplicates, which asked something else."""
    names = tool_names(environment)
    for id in proposal.trajectories:
        try:
            trace = ws.store.trajectory(id)[1]
        except NotFound:
            continue
        yield from (first for first in attempts_of(trace, names)[:1] if first.prompt == proposal.task.prompt)


def _review(session: ReviewSession, answer: Answer, note: str = "") -> Review:
    assert session.proposal is not None
    return Review(proposals=[session.proposal.id], answer=answer, who=session.who, when=now(), note=note)
