"""The answer is found where the reply says that it is, and no text is too odd to look through."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verigym.verifiers.answers import ExtractedAnswer, Where, find_answer, find_block, find_json


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (r"so \boxed{42}.", "42"),
        (r"\boxed{1} or rather \boxed{\frac{3}{4}}", r"\frac{3}{4}"),
        (r"\boxed{\boxed{5}}", "5"),
        (r"\boxed{\{1, 2\}}", r"\{1, 2\}"),
        (r"\boxed {7}", "7"),
        ("<answer> 42 </answer>", "42"),
        ("<ANSWER>1</ANSWER> no, <answer>2</answer>", "2"),
        ("Answer: 42", "42"),
        ("**Answer:** 42", "42"),
        ("Answer: **42**", "42"),
        ("The answer is 42", "42"),
        ("The final answer is: 42\nThank you.", "42"),
        ("Answer:\n\n42", "42"),
        ("Answer: 1\nAnswer: 2", "2"),
        ("12 + 30\n#### 42", "42"),
        (r"The answer is \boxed{42}", "42"),
        (r"<answer>\boxed{42}</answer>", "42"),
        ("<answer>The answer is 42</answer>", "42"),
        (r"\boxed{1}, then Answer: 2", "2"),
    ],
)
def test_a_marked_answer_is_found(reply: str, text: str) -> None:
    assert find_answer(reply) == ExtractedAnswer(text, True)


@pytest.mark.parametrize(
    "reply",
    ["42", "", r"\boxed{42", "<answer>42", "#### Step 1\nThen 42.", "answers vary", r"} \boxed 42"],
    ids=repr,
)
def test_without_a_mark_it_is_the_whole_reply(reply: str) -> None:
    assert find_answer(f" {reply}\n") == ExtractedAnswer(reply, False)


@pytest.mark.parametrize(
    ("where", "text"),
    [("whole", r"<answer>1</answer> \boxed{2} Answer: 3"), ("tag", "1"), ("boxed", "2"), ("marker", "3")],
)
def test_the_dial_names_one_place(where: Where, text: str) -> None:
    found = find_answer(r"<answer>1</answer> \boxed{2} Answer: 3", where)
    assert found is not None and found.text == text


@pytest.mark.parametrize("where", ["tag", "boxed", "marker"])
def test_a_mark_that_was_asked_for_and_is_not_there_is_no_answer(where: Where) -> None:
    assert find_answer("42", where) is None


pieces = st.lists(
    st.sampled_from(
        ["\\boxed{", "}", "{", "<answer>", "</answer>", "Answer:", "answer is ", "####", "\n", "```", "*", "4"]
    )
    | st.text(max_size=5)
).map("".join)


@given(pieces, st.sampled_from(["auto", "whole", "boxed", "tag", "marker"]))
def test_looking_never_fails_and_finds_only_what_is_there(reply: str, where: Where) -> None:
    found = find_answer(reply, where)
    assert found is None or found.text in reply
    find_block(reply, "python")


@given(st.integers(), pieces)
def test_a_box_at_the_end_is_the_answer_whatever_came_before(answer: int, before: str) -> None:
    found = find_answer(f"{before}\n\\boxed{{{answer}}}", "boxed")
    assert found == ExtractedAnswer(str(answer), True)


@pytest.mark.parametrize("piece", ["\\boxed{", "<answer>", "Answer:", "#", "####\n", "answer" + "*" * 50, "{", "```\n"])
def test_a_long_reply_takes_no_longer_than_its_length(piece: str) -> None:
    reply = piece * (200_000 // len(piece))
    start = time.process_time()
    find_answer(reply)
    find_block(reply, "python")
    assert time.process_time() - start < 3


@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("```python\nx = 1\n```", "x = 1"),
        ("```python\nx = 1\n```\nor\n```python\nx = 2\n```", "x = 2"),
        ("```python\nx = 1\n```\nprints\n```\n1\n```", "x = 1"),
        ("```\nx = 1\n```", "x = 1"),
        ("```json\n{}\n```", None),
        ("x = 1", None),
        ("  ```py\n  x = 1\n  ```", "x = 1"),
        ("```python\nx = 1", "x = 1"),
    ],
)
def test_the_last_block_of_the_language_is_taken(text: str, block: str | None) -> None:
    assert find_block(text, "python", "py") == block


def test_a_block_in_a_list_is_taken_back_by_as_much_as_its_fence() -> None:
    reply = "1. First:\n   ```python\n   def double(x):\n\n       return 2 * x\n  # less than the fence\n   ```\nDone."
    assert find_block(reply, "python") == "def double(x):\n\n    return 2 * x\n# less than the fence"
    assert find_block("```python\n  indented = 1\n```", "python") == "  indented = 1"


def test_json_is_the_reply_or_its_last_block() -> None:
    assert find_json(' {"a": 1} ') == {"a": 1}
    assert find_json('Here:\n```json\n{"a": 2}\n```\n') == {"a": 2}


@pytest.mark.parametrize(
    "text", ["", "{", "[" * 100_000, "NaN", '"\ud800"', "```json\n{\n```"], ids=lambda t: repr(t)[:12]
)
def test_what_is_no_json_is_said(text: str) -> None:
    with pytest.raises(ValueError):
        find_json(text)
