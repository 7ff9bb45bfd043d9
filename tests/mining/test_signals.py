"""What says that an attempt failed: people, outcomes, exceptions, retries; and what does not."""

from typing import Any

import pytest

from tests.mining.counter import broken, native
from verigym.core.records import Fault, Feedback, Item, Mark, Message, Trajectory
from verigym.mining.attempts import attempts_of
from verigym.mining.signals import FeedbackSummary, feedback_by_trace, judge

ASKED = Message("user", "mail Bob")
RIGHT: list[Item] = [Message("assistant", "so")]


def standing(
    said: FeedbackSummary | None = None, items: list[Item] | None = None, **fields: Any
) -> tuple[str, list[str]]:
    made = Trajectory(id="r/t", task="t", group="t", items=items or [ASKED, Message("assistant", "done")], **fields)
    found = judge(attempts_of(made, {})[0], {"r/t": said} if said else {})
    return found.standing, found.signals


@pytest.mark.parametrize(
    ("said", "fields", "expected", "words"),
    [
        (FeedbackSummary(outcome="failure", who="ana", note="no"), {}, "failed", 'feedback: failure, by ana: "no"'),
        (FeedbackSummary(correction=RIGHT, who="ana"), {}, "failed", "feedback: a correction, by ana"),
        (FeedbackSummary(correction=RIGHT, outcome="success"), {}, "failed", "feedback: a correction"),
        (FeedbackSummary(intervention="took over"), {}, "failed", "intervention: took over"),
        (FeedbackSummary(outcome="success"), {"outcome": "failure"}, "succeeded", "feedback: success"),
        (FeedbackSummary(note="hm"), {"outcome": "failure"}, "failed", "outcome: failure"),
        (None, {"outcome": "success"}, "succeeded", "outcome: success"),
        (None, {"outcome": "success", "interventions": ["took over"]}, "failed", "escalation: took over"),
        (None, {"marks": [Mark("escalation", detail="to tier 2")]}, "failed", "escalation: to tier 2"),
        (None, {"marks": [Mark("retry")]}, "failed", "retry: the agent tried the same again"),
        (None, {"marks": [Mark("retry", 1)]}, "unknown", ""),
        (None, {"outcome": "success", "marks": [Mark("retry")]}, "succeeded", "outcome: success"),
        (None, {"error": broken("Loop", Fault.MODEL)}, "failed", "exception: Loop: it broke"),
        (None, {"error": broken("TimeOut", Fault.INFRASTRUCTURE)}, "infrastructure", "exception: TimeOut: it broke"),
        (
            FeedbackSummary(outcome="failure"),
            {"error": broken("TimeOut", Fault.INFRASTRUCTURE)},
            "infrastructure",
            "exception: TimeOut",
        ),
        (None, {"marks": [Mark("format_error", 1)]}, "failed", "exception: a call that cannot be parsed"),
    ],
    ids=lambda value: value if isinstance(value, str) and ":" in value else "",
)
def test_what_an_attempt_is(said: FeedbackSummary | None, fields: dict[str, Any], expected: str, words: str) -> None:
    found, signals = standing(said, **fields)
    assert found == expected and (signals[0].startswith(words) if words else signals == [])


def test_an_unknown_outcome_is_no_failure() -> None:
    assert standing() == ("unknown", [])


@pytest.mark.parametrize("kind", ["tool_error", "bad_arguments", "unknown_tool"])
def test_a_call_that_broke_is_a_failure_only_where_it_was_the_last_word(kind: str) -> None:
    calls: list[Item] = [ASKED, native("email.send", "{}"), native("email.send", '{"to": "Bob"}', "c2")]
    assert standing(items=calls, marks=[Mark(kind, 2, "why")])[0] == "failed"
    assert standing(items=calls, marks=[Mark(kind, 1, "why")])[0] == "unknown"


def test_an_attempt_that_was_asked_again_failed_whatever_the_end() -> None:
    items: list[Item] = [ASKED, Message("assistant", "no"), ASKED, Message("assistant", "yes")]
    assert standing(FeedbackSummary(outcome="success"), items, outcome="success") == (
        "failed",
        ["retry: the user asked the same again"],
    )


def test_of_several_people_the_last_word_counts_field_by_field() -> None:
    early = Feedback(trajectory="r/t", outcome="failure", note="wrong", who="ana", when="2026-01-01")
    late = Feedback(trajectory="r/t", outcome="success", who="ben", when="2026-01-02")
    for order in ([early, late], [late, early]):
        assert feedback_by_trace(order) == {"r/t": FeedbackSummary(outcome="success", note="wrong", who="ben")}
