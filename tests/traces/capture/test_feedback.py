"""What became of a conversation, said later."""

from pathlib import Path
from typing import Any

import pytest

from tests.traces.capture.chats import AsItIs, Chat, exchange, stored, user
from tests.traces.capture.test_trouble import Broken
from verigym.core.errors import BadInput, InfrastructureFailure, NotFound
from verigym.core.records import Feedback, Message
from verigym.traces.capture import Capture
from verigym.traces.redaction import Redaction


def test_feedback_right_after_the_reply_waits_for_the_conversation_to_be_written(capture: Capture) -> None:
    id = capture.add(exchange([user("one")], "a1"))
    made = capture.feedback(id, outcome="failure", correction=[Message("assistant", "a better one")], who="ada")
    assert capture.store.documents("feedback", Feedback) == [made]
    assert (made.trajectory, made.outcome, made.who) == (id, "failure", "ada")
    assert made.correction == [Message("assistant", "a better one")]
    assert made.when.startswith("20")
    assert stored(capture, id).outcome == "", "the trajectory stays as it was"


def test_a_trajectory_is_named_by_its_id_or_the_conversations_or_a_responses(tmp_path: Path) -> None:
    capture = Capture(tmp_path, AsItIs())
    id = capture.add(exchange([user("one")], "a1", conversation="order 7", response="resp_7"))
    named = [capture.feedback(name, note="seen").trajectory for name in (id, "order 7", "resp_7")]
    capture.close()
    later = Capture(tmp_path, AsItIs())
    later._index._names.clear()  # as it is when much else went through since
    assert [*named, later.feedback("order 7", note="seen").trajectory] == [id] * 4
    later.close()


def test_two_people_may_say_the_same_and_both_are_kept(capture: Capture) -> None:
    id = capture.add(exchange([user("one")], "a1"))
    for who in ("ada", "bob", "bob"):
        capture.feedback(id, outcome="success", who=who)
    assert sorted({one.who for one in capture.store.documents("feedback", Feedback)}) == ["ada", "bob"]


@pytest.mark.parametrize("name", ["nobody", "traces-served-2026-01-01/0123456789abcdef", "", "a/b", "\ud800"])
def test_feedback_on_what_is_not_there_says_so(capture: Capture, name: str) -> None:
    with pytest.raises(NotFound, match="No captured conversation"):
        capture.feedback(name, outcome="success")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "feedback is empty"),
        ({"note": "  "}, "feedback is empty"),
        ({"note": "x" * 200_000}, "maximum is 100,000"),
        ({"correction": [Message("assistant", "x" * 200_000)]}, "maximum is 100,000"),
    ],
)
def test_nonsense_is_answered_in_words(capture: Capture, given: dict[str, Any], words: str) -> None:
    id = capture.add(exchange([user("one")], "a1"))
    with pytest.raises(BadInput, match=words):
        capture.feedback(id, **given)
    assert capture.store.documents("feedback", Feedback) == []


def test_feedback_is_redacted_too(tmp_path: Path) -> None:
    capture = Capture(tmp_path, Redaction.load(None))
    id = capture.add(exchange([user("one")], "a1"))
    made = capture.feedback(
        id, outcome="failure", note="ask ada@example.com", correction=[Message("assistant", "Mail ada@example.com.")]
    )
    capture.close()
    assert "ada@" not in str(made)
    assert b"ada@" not in b"".join(path.read_bytes() for path in tmp_path.glob("*.db*"))


def test_feedback_on_what_could_not_be_written_yet_is_to_be_sent_again(tmp_path: Path) -> None:
    capture = Capture(tmp_path, AsItIs(), say=lambda words: None)
    broken = Broken(capture, InfrastructureFailure("database or disk is full"))
    id = capture.add(Chat().ask("one", "a1"))
    with pytest.raises(InfrastructureFailure, match=r"is not written yet \(disk full\)\. Send the feedback again"):
        capture.feedback(id, outcome="success")
    broken.error = None  # type: ignore[assignment]
    assert capture.feedback(id, outcome="success").trajectory == id
    capture.close()
