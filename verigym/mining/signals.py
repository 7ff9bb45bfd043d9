"""Signals that an attempt failed or succeeded. Human feedback outranks recorded events.

An unknown outcome is not a failure. A failed model server says nothing about the model, so such attempts are only counted. The
verifier's opinion comes later, once a task exists.
"""

from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct

from verigym.core.records import Failure, Fault, Feedback, Item
from verigym.evaluation.rules import steps_of
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
        return bool(self.signals) and all(signal.startswith(RETRY) for signal in self.signals)


def feedback_by_trace(feedback: Iterable[Feedback]) -> dict[str, FeedbackSummary]:
    """All feedback combined, by trajectory."""
    summaries: dict[str, FeedbackSummary] = {}
    for record in sorted(feedback, key=lambda record: record.when):
        before = summaries.get(record.trajectory, FeedbackSummary())
        newest = {name: getattr(record, name) or getattr(before, name) for name in FeedbackSummary.__struct_fields__}
        summaries[record.trajectory] = FeedbackSummary(**newest)
    return summaries


def judge(attempt: Attempt, feedback: Mapping[str, FeedbackSummary]) -> AttemptJudgement:
    trace, told = attempt.trace, feedback.get(attempt.trace.id, FeedbackSummary())
    if not attempt.last:
        return AttemptJudgement("failed", [f"{RETRY}: the user asked the same again"])
    if trace.error is not None and trace.error.fault is not Fault.MODEL:
        return AttemptJudgement("infrastructure", [_error(trace.error)])
    by = f", by {told.who}" if told.who else ""
    note = f': "{told.note}"' if told.note else ""
    failures = [
        *([f"feedback: failure{by}{note}"] if told.outcome == "failure" else []),
        *([f"feedback: a correction{by}{note if told.outcome != 'failure' else ''}"] if told.correction else []),
        *([f"intervention: {told.intervention}{by}"] if told.intervention else []),
    ]
    if failures:
        return AttemptJudgement("failed", failures, by_person=True)
    if told.outcome == "success":
        return AttemptJudgement("succeeded", [f"feedback: success{by}{note}"], by_person=True)
    escalated = trace.interventions or [mark.detail for mark in trace.marks if mark.kind == "escalation"]
    if escalated:
        return AttemptJudgement("failed", [f"escalation: {escalated[0] or 'to a person'}"])
    if trace.outcome:
        return AttemptJudgement("failed" if trace.outcome == "failure" else "succeeded", [f"outcome: {trace.outcome}"])
    broken = _broken(attempt)
    return AttemptJudgement("failed" if broken else "unknown", broken)


def _broken(attempt: Attempt) -> list[str]:
    """Events recorded during the attempt."""
    trace = attempt.trace
    last = steps_of(trace)[-1:]
    # A retry with a position is an attempt of its own.
    retried = any(mark.kind == "retry" and mark.item is None for mark in trace.marks)
    kinds = [kind for step in last for kind in _BROKEN if kind in step.marks]
    return [
        *([_error(trace.error)] if trace.error is not None else []),
        *(f"exception: {_BROKEN[kind]}: {last[0].name} {last[0].details}".rstrip() for kind in kinds[:1]),
        *(["exception: a call that cannot be parsed"] if trace.marked("format_error") and not last else []),
        *([f"{RETRY}: the agent tried the same again"] if retried else []),
    ]


def _error(error: Failure) -> str:
    return f"exception: {error.kind}: {error.message}"
