"""Feedback in trace files: what has a known meaning is read, what has none is named with the rule to set."""

import json
from typing import Any

import pytest

from tests.traces.conftest import Place
from verigym.core.errors import BadInput
from verigym.core.records import Feedback, Message
from verigym.traces.formats.opinions import FeedbackRule, FeedbackRules, named_opinion


def row(text: str = "hi", **fields: Any) -> str:
    messages = [{"role": "user", "content": text}, {"role": "assistant", "content": "ho"}]
    return json.dumps({"messages": messages, **fields})


def stored(place: Place) -> list[Feedback]:
    return place.store.documents("feedback", Feedback)


@pytest.mark.parametrize(
    ("name", "value", "label", "outcome"),
    [
        ("correctness", 1, None, "success"),
        ("correctness", 0.0, None, "failure"),
        ("correctness", 0.5, None, ""),
        ("incorrect", True, None, ""),
        ("user-thumb", False, None, "failure"),
        ("user_score", -1, None, "failure"),
        ("toxicity", 1, None, ""),
        ("hallucination", True, None, ""),
        ("hallucination", 0, "factual", ""),
        ("hallucination", None, "pass", "success"),
        ("anything", None, "thumbs-down", "failure"),
        ("anything", 1, "Incorrect", "failure"),
        ("toxic", None, "no", ""),
        ("quality", 5, None, ""),
        ("correction", 1, None, ""),
    ],
)
def test_a_named_score_counts_only_if_its_name_or_label_is_clear(
    name: str, value: Any, label: Any, outcome: str
) -> None:
    assert named_opinion("scores", name, value=value, label=label).outcome == outcome


def test_feedback_of_a_person_is_stored_beside_the_trajectory_with_its_comment(place: Place) -> None:
    said: dict[str, Any] = {"feedback": {"rating": "thumbs_down", "comment": "Wrong, call +41 44 668 18 00"}}
    summary = place.take(place.write("a.jsonl", row(**said)))
    trace = place.stored()[0]
    assert trace.outcome == "failure" and summary.feedback == 1
    assert stored(place) == [Feedback(trajectory=trace.id, outcome="failure", note="Wrong, call [PHONE 1]")]


def test_a_correction_in_langsmith_is_the_right_reply(place: Place) -> None:
    run = {"id": "a", "trace_id": "a", "run_type": "llm", "inputs": {"input": "hi"}, "outputs": {"output": "ho"}}
    told = {"id": "f", "run_id": "a", "trace_id": "a", "key": "user_score", "score": 0, "correction": "hey"}
    told["feedback_source"] = {"type": "app", "user_name": "ana"}
    place.take(place.write("a.jsonl", json.dumps(run), json.dumps(told)))
    [feedback] = stored(place)
    assert (feedback.outcome, feedback.who, feedback.correction) == ("failure", "ana", [Message("assistant", "hey")])


def test_the_score_of_a_judge_gives_an_outcome_and_is_not_a_persons_feedback(place: Place) -> None:
    run = {"id": "a", "trace_id": "a", "run_type": "llm", "inputs": {"input": "hi"}, "outputs": {"output": "ho"}}
    told = {"id": "f", "run_id": "a", "key": "correctness", "score": 0, "feedback_source": {"type": "model"}}
    place.take(place.write("a.jsonl", json.dumps(run), json.dumps(told)))
    assert place.stored()[0].outcome == "failure" and stored(place) == []


def test_a_value_without_a_scale_is_named_with_its_values_and_not_guessed(place: Place) -> None:
    lines = [row(str(n), metadata={"rating": n}) for n in range(1, 6)]
    summary = place.take(place.write("a.jsonl", *lines))
    assert summary.outcomes == {"unknown": 5} and stored(place) == []
    assert summary.unread == {"metadata.rating": 5} and summary.unread_values == {"metadata.rating": [1, 2, 3, 4, 5]}


def test_a_score_at_the_top_of_a_record_is_named_too(place: Place) -> None:
    summary = place.take(place.write("a.jsonl", row(score=3), row("more", scores={"helper": 3}), row("b", score="a")))
    assert summary.unread == {"score": 1}


def test_a_rule_gives_a_field_its_meaning_and_replaces_what_an_earlier_rule_said(place: Place) -> None:
    file = place.write("a.jsonl", *(row(str(n), rating=n) for n in range(1, 6)))
    first = place.take(file, feedback=["rating>=4"])
    assert first.outcomes == {"failure": 3, "success": 2} and first.unread == {}
    assert sorted(one.outcome for one in stored(place)) == ["failure"] * 3 + ["success"] * 2
    second = place.take(file, feedback=["rating > 1"])
    assert second.outcomes == {"success": 4, "failure": 1}
    assert sorted(one.outcome for one in stored(place)) == ["failure"] + ["success"] * 4


def test_a_rule_of_words_leaves_other_words_open(place: Place) -> None:
    lines = [row(word, feedback={"label": word}) for word in ("Solved", "fine", "escalated", "none")]
    summary = place.take(place.write("a.jsonl", *lines), feedback=["feedback.label=solved,fine/escalated"])
    assert summary.outcomes == {"success": 2, "failure": 1, "unknown": 1} and summary.unread == {}


def test_a_field_with_a_rule_outranks_others_and_a_rule_that_no_record_needs_is_reported(place: Place) -> None:
    file = place.write("a.jsonl", row(thumbs_up=True, rating=2, outcome="success"))
    summary = place.take(file, feedback=["rating>=4", "stars>=3"])
    assert summary.outcomes == {"failure": 1} and summary.unused_rules == ["stars"]


def test_people_who_disagree_leave_the_outcome_open_and_their_words_are_kept(place: Place) -> None:
    said = [{"thumb": "up", "comment": "fine"}, {"thumb": "down", "comment": "bad"}]
    place.take(place.write("a.jsonl", row(feedback=said)))
    assert place.stored()[0].outcome == ""
    assert sorted((one.outcome, one.note) for one in stored(place)) == [("", "bad"), ("", "fine")]


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("rating", "is not a rule"),
        ("rating>=high", "is not a number"),
        ("rating=4", "which values are good"),
        ("rating=/", "which values are good"),
        ("label=a/A", "cannot be good and bad"),
        (">=4", "is not a rule"),
        ("", "is not a rule"),
    ],
)
def test_a_rule_that_says_nothing_is_refused_with_the_forms_that_do(rule: str, words: str, place: Place) -> None:
    with pytest.raises(BadInput, match=words):
        place.take(place.write("a.jsonl", row()), feedback=[rule])


def test_two_rules_for_one_field_are_refused() -> None:
    with pytest.raises(BadInput, match="twice"):
        FeedbackRules(["a>=1", "a>=2"])


@pytest.mark.parametrize(
    ("rule", "value", "outcome"),
    [
        ("a.b c>=4", 4, "success"),
        ("x<=0.2", 0.3, "failure"),
        ("x<3", "2", "success"),
        ("x>3", True, ""),
        ("x>3", "many", ""),
        ("x=true/false", False, "failure"),
        ("x=1/0", 1.0, "success"),
        ("x=/no", "yes", ""),
    ],
)
def test_a_rule_is_a_threshold_or_two_lists_of_values(rule: str, value: Any, outcome: str) -> None:
    assert FeedbackRule.read(rule).outcome(value) == outcome
