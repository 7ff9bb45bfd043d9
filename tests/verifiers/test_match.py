"""The reply is the answer, or it is not."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verigym.core.errors import VerifierFailure
from verigym.core.records import Item, Message, Task, Trajectory, Verdict
from verigym.verifiers.match import exact_match


def match(answer: Any, reply: str) -> Verdict:
    items: list[Item] = [Message("user", "?"), Message("assistant", reply)]
    return exact_match(
        Task(id="t", prompt="?", data={"answer": answer}), Trajectory(id="a", task="t", group="g", items=items)
    )


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        ("Paris", " paris\n"),
        ("New York", "new   york"),
        ("42", "42.0"),
        (42, "42"),
        (0.5, ".50"),
        (["a", "b"], "B"),
        (["x", 7], "7.0"),
        ("7", "+7"),
        ("1e3", "1000"),
        ("1e400", "10e399"),
    ],
)
def test_the_same_in_other_words_matches(answer: Any, reply: str) -> None:
    verdict = match(answer, reply)
    assert (verdict.reward, verdict.passed) == (1.0, True)


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        ("Paris", "It is Paris"),
        ("42", "43"),
        ("42", "forty-two"),
        (["a", "b"], "ab"),
        ("Paris", ""),
        ([], "a"),
        ("12345678901234567890", "12345678901234567891"),
        ("0.1", "0.1000000000000000055511151231257827"),
        ("1e400", "inf"),
        ("1e400", "1e401"),
        ("7", "007"),
        ("007", "7"),
        ("1000", "1_000"),
        ("3", "٣"),
    ],
)
def test_anything_else_does_not(answer: Any, reply: str) -> None:
    verdict = match(answer, reply)
    assert (verdict.reward, verdict.passed) == (0.0, False)


def test_the_evidence_says_what_was_expected_and_what_came() -> None:
    assert match(["a", "b"], "c").evidence == 'expected "a" or "b", got "c"'


def test_a_task_without_an_answer_is_refused_in_words() -> None:
    with pytest.raises(VerifierFailure, match='task t: data has no "answer"'):
        exact_match(Task(id="t", prompt="?"), Trajectory(id="a", task="t", group="g"))


@given(st.text())
def test_every_text_matches_itself_whatever_its_case_and_spacing(text: str) -> None:
    assert match(text, f"  {text}\n").passed
    assert match(text, text.casefold()).passed
