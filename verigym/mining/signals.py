"""Signals that an attempt failed or succeeded. Human feedback outranks recorded events.

An unknown outcome is not a failure. A failed model server says nothing about the model, so such attempts are only counted. The
verifier's opinion comes later, once a task exists.
"""

from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct

from verigym.core.records import Failure, Fault, Feedback, Item, Mark
from verigym.evaluation.expected import steps_of
from verigym.mining.attempts import Attempt

Standing = Literal["failed", "succeeded", "unknown", "infrastructure"]
RETRY = "retry"
_BROKEN = {"tool_error": "a tool failed", "bad_arguments": "arguments that do not fit", "unknown_tool": "no such tool"}


class FeedbackSummary(Struct, frozen=True, kw_only=True):
    """All feedback on one trace combined. For each field, the newest value counts."""

    outcome: str = ""
    correction: list[Item] = []
    intervention: str = ""
    note: str = ""
    who: str = ""


class AttemptJudgement(Struct, frozen=True):
    standing: Standing
    signals: list[str]
    """In plain text, the strongest first: `feedback: failure, by ana: "the wrong day"`."""
    by_person: bool = False
    """Whether a person reported it."""

    @property
    def is_guess(self) -> bool:
        """Whether a retry is the only sign of failure. The user may simply have lost the answer."""
        return bool(self.signals) and all(words.startswith(RETRY) for words in self.signals)


def heard(feedback: Iterable[Feedback]) -> dict[str, FeedbackSummary]:
    """Feedback by trajectory."""
    found: dict[str, FeedbackSummary] = {}
    for one in sorted(feedback, key=lambda one: one.when):
        before = found.get(one.trajectory, FeedbackSummary())
        found[one.trajectory] = FeedbackSummary(
            outcome=one.outcome or before.outcome,
            correction=one.correction or before.correction,
            intervention=one.intervention or before.intervention,
            note=one.note or before.note,
            who=one.who or before.who,
        )
    return found


def judged(attempt: Attempt, heard: Mapping[str, FeedbackSummary]) -> AttemptJudgement:
    trace, said = attempt.trace, heard.get(attempt.trace.id, FeedbackSummary())
    if not attempt.last:
        return AttemptJudgement("failed", [f"{RETRY}: the user asked the same again"])
    if trace.error is not None and trace.error.fault is not Fault.MODEL:
        return AttemptJudgement("infrastructure", [_error(trace.error)])
    by = f", by {said.who}" if said.who else ""
    note = f': "{said.note}"' if said.note else ""
    told = [
        *([f"feedback: failure{by}{note}"] if said.outcome == "failure" else []),
        *([f"feedback: a correction{by}{note if said.outcome != 'failure' else ''}"] if said.correction else []),
        *([f"intervention: {said.intervention}{by}"] if said.intervention else []),
    ]
    if told:
        return AttemptJudgement("failed", told, by_person=True)
    if said.outcome == "success":
        return AttemptJudgement("succeeded", [f"feedback: success{by}{note}"], by_person=True)
    escalated = [mark.detail for mark in trace.marks if mark.kind == "escalation"]
    if trace.interventions or escalated:
        return AttemptJudgement("failed", [f"escalation: {(trace.interventions or escalated)[0] or 'to a person'}"])
    if trace.outcome:
        return AttemptJudgement("failed" if trace.outcome == "failure" else "succeeded", [f"outcome: {trace.outcome}"])
    broken = _broken(attempt)
    return AttemptJudgement("failed", broken) if broken else AttemptJudgement("unknown", [])


def _broken(attempt: Attempt) -> list[str]:
    """Events recorded during the attempt."""
    trace = attempt.trace
    last = steps_of(trace)[-1:]
    kinds = [kind for step in last for kind in _BROKEN if kind in step.marks]
    return [
        *([_error(trace.error)] if trace.error is not None else []),
        *(f"exception: {_BROKEN[kind]}: {last[0].name} {last[0].details}".rstrip() for kind in kinds[:1]),
        *(["exception: a call that cannot be parsed"] if trace.marked("format_error") and not last else []),
        *([f"{RETRY}: the agent tried the same again"] if any(_unplaced(mark) for mark in trace.marks) else []),
    ]


def _unplaced(mark: Mark) -> bool:
    """A retry without a known position. With a position, the earlier try is an attempt of its own."""
    return mark.kind == "retry" and mark.item is None


def _error(error: Failure) -> str:
    return f"exception: {error.kind}: {error.message}"
