"""A letter is found in the shapes in which replies give it; a reply that names two options does not pass."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verifiers.builders import verdict
from verigym.core.records import Fault
from verigym.verifiers.choice import Choice

CITIES = ["Berlin", "Paris", "London", "New York"]


@pytest.mark.parametrize(
    "reply",
    [
        "B",
        "b",
        "(B)",
        "(b)",
        "B.",
        "B)",
        "**B**",
        "B. Paris",
        "(B) Paris",
        "B: Paris, the capital",
        "The answer is B",
        "The answer is B.",
        "the answer is (b).",
        "The answer is **B**, because A is in Germany.",
        "Answer: B",
        "Answer: option B",
        "A is in Germany, C is in Britain. The answer is B.",
        r"\boxed{B}",
        r"\boxed{\text{B}}",
        "<answer>B</answer>",
        "#### B",
        "I think it is B",
        "A better choice is B",
        "Option B is correct.",
        "Paris",
        "paris.",
        "It is Paris.",
        "The answer is Paris.",
        '"Paris"',
        "Answer: B, a city in France",
        "B) because A is in Germany",
        "It's not A, so B",
        "A is wrong. It is B",
        "Answer: B. A is wrong",
        "Answer: B (A is wrong)",
        "Answer: not A but B",
        "Not sure, B",
        "Answer: B I think",
        "It is Paris, not London.",
    ],
)
def test_the_right_option_passes_in_any_shape(reply: str) -> None:
    found = verdict(Choice(), reply, answer="B", choices=CITIES)
    assert (found.reward, found.passed, found.evidence) == (1.0, True, "B, as expected")


@pytest.mark.parametrize(
    "reply",
    [
        "A",
        "",
        "no idea",
        "A or B",
        "A, B",
        "B/C",
        "B and C",
        "The answer is A or B",
        "The answer is B or C",
        "The answer is B, C",
        "Answer: either A or B",
        "Answer: B. Answer: C",
        "B, then C",
        "(B) London",
        "Paris or London",
        "The answer is Paris and not B but London",
        "E",
        "Boston",
        "B2",
        "A B C D",
        "It's plan B's fault",
        "Answer: a dog",
        "Answer: not B",
        "Answer: B C D",
        "Answer: B; C; D",
        "Answer: B | C",
        "Answer: B is wrong",
        "Answer: anything except B",
        "I don't think it's B",
        "Option B is incorrect",
        "Neither A nor B",
        "It is not Paris.",
    ],
)
def test_any_other_reply_does_not(reply: str) -> None:
    found = verdict(Choice(), reply, answer="B", choices=CITIES)
    assert (found.reward, found.passed, found.error) == (0.0, False, None)


@pytest.mark.parametrize("answer", ["B", "b", "(B)", "Paris", "paris", 1], ids=repr)
def test_the_task_may_name_the_option_by_letter_text_or_place(answer: Any) -> None:
    assert verdict(Choice(), "B", answer=answer, choices=CITIES).passed
    assert not verdict(Choice(), "C", answer=answer, choices=CITIES).passed


def test_letters_are_enough_where_the_task_lists_no_options() -> None:
    assert verdict(Choice(), "I think F", answer="F").passed
    assert not verdict(Choice(), "I think F or G", answer="F").passed


def test_options_may_be_given_by_letter() -> None:
    assert verdict(Choice(), "no", answer="Y", choices={"X": "yes", "Y": "no"}).passed


@pytest.mark.parametrize(
    ("choices", "reply", "passed"),
    [
        (["5", "-5", "0.5"], "-5", False),
        (["5", "-5", "0.5"], "5", True),
        (["5", "-5", "0.5"], "It is 0.5", False),
        (["vitamin C", "vitamin D"], "vitamin C", True),
        (["vitamin D", "vitamin C"], "It is vitamin C, of course", False),
        (["Paris", "Paris, Texas"], "Paris, Texas", False),
    ],
)
def test_texts_that_hold_each_other_are_told_apart(choices: list[str], reply: str, passed: bool) -> None:
    assert verdict(Choice(), reply, answer="A", choices=choices).passed == passed


def test_the_evidence_says_what_was_chosen() -> None:
    found = verdict(Choice(), "A or C", answer="B", choices=CITIES)
    assert found.evidence == 'expected B, got A and C: "A or C"'
    assert verdict(Choice(where="boxed"), "B", answer="B").evidence == 'expected B, got no option: "B"'


@pytest.mark.parametrize("data", [{}, {"answer": "Z", "choices": CITIES}, {"answer": 9, "choices": CITIES}], ids=str)
def test_a_task_without_a_right_option_is_the_verifiers_failure(data: dict[str, Any]) -> None:
    found = verdict(Choice(), "B", **data)
    assert found.reward is None and found.error is not None and found.error.fault is Fault.VERIFIER


@settings(deadline=None)  # the first one reads the verifier's source for its version
@given(st.text(), st.sampled_from("ABCD"))
def test_no_text_is_too_odd_and_at_most_one_option_passes(reply: str, answer: str) -> None:
    passing = [letter for letter in "ABCD" if verdict(Choice(), reply, answer=letter, choices=CITIES).passed]
    assert len(passing) <= 1
    assert verdict(Choice(), f"{reply}\nAnswer: ({answer})", answer=answer, choices=CITIES).passed


@pytest.mark.parametrize("said", ["Answer: anything but B", "Answer: B? No.", "I rule out B entirely."])
def test_an_option_that_is_ruled_out_is_not_chosen(said: str) -> None:
    assert not verdict(Choice(), said, answer="B", choices=["x", "y", "z"]).passed
    assert verdict(Choice(), "After ruling out A, I say B.", answer="B", choices=["x", "y", "z"]).passed
