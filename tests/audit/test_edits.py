"""Edits: what each changes, and that what it cannot be applied to is left alone."""

from typing import Any

import pytest

from verigym.audit.edits import HARMFUL, HARMLESS, changed, padded, replies_of, turned
from verigym.audit.scripted_episodes import Replies
from verigym.core.records import FunctionCall, Message, ToolSpec, Trajectory, Turn

CALL = FunctionCall("c", "book", '{"who": "Ada", "at": "14:00"}')
SAID: Replies = [[Message("assistant", "The answer is 42.")]]
TOOLS = [
    ToolSpec(name="book", parameters={"properties": {"who": {}, "at": {}}}),
    ToolSpec(name="cancel", parameters={"properties": {"who": {}}}),
    ToolSpec(name="wait"),
]


def texts(kind: str, replies: Replies) -> list[Any]:
    """What each edit of a kind made of the last reply: call and arguments, or text."""
    edited = [edit.replies[-1] for edit in HARMFUL[kind](replies, TOOLS)]
    return [[(i.name, i.arguments) if isinstance(i, FunctionCall) else i.text for i in reply] for reply in edited]  # type: ignore[union-attr]


def test_harmful_edits_change_one_thing_each() -> None:
    assert texts("another tool", [[CALL]]) == [[("cancel", CALL.arguments)]]
    assert texts("an argument changed", [[CALL]]) == [
        [("book", '{"who":"something else","at":"14:00"}')],
        [("book", '{"who":"Ada","at":"14:01"}')],
    ]
    assert texts("a call dropped", [[CALL]]) == [[]]
    assert texts("another answer", SAID) == [["The answer is 43."]]


def test_harmless_edits_keep_what_is_said() -> None:
    spaced, ordered = (HARMLESS[kind]([[CALL]]) for kind in ("white space in the JSON", "another order of JSON keys"))
    assert spaced and spaced[0][0].arguments == '{\n   "who": "Ada",\n   "at": "14:00"\n}'  # type: ignore[union-attr]
    assert ordered and ordered[0][0].arguments == '{"at":"14:00","who":"Ada"}'  # type: ignore[union-attr]
    around = HARMLESS["white space around the answer"](SAID)
    assert around and around[0][0].text == "\n  The answer is 42. \n"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "replies", [[], [""], ["  "], [[]], [[FunctionCall("c", "x", "{")]], [[FunctionCall("c", "x", '"text"')]]], ids=repr
)
def test_what_cannot_be_edited_is_left_alone(replies: Replies) -> None:
    assert all(edit(replies) is None for edit in HARMLESS.values())
    assert list(HARMFUL["an argument changed"](replies, TOOLS)) == []
    assert list(HARMFUL["another answer"](replies, TOOLS)) == []
    assert padded(replies) is None or isinstance(replies[-1], list)


@pytest.mark.parametrize(
    ("value", "schema", "other"),
    [
        (True, {}, False),
        (3, {}, 4),
        ("Tuesday", {}, "Friday"),
        ("v2.9", {}, "v2.0"),
        ("Ada", {}, "something else"),
        ("lead", {"enum": ["lead", "won"]}, "won"),
        ("only", {"enum": ["only"]}, "only"),
        ([1], {}, []),
        ([], {}, []),
        (None, {}, None),
    ],
)
def test_a_changed_value_is_of_the_same_kind(value: Any, schema: dict[str, Any], other: Any) -> None:
    assert changed(value, schema) == other


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Yes.", "no"),
        ("(B)", "A"),
        ("A", "B"),
        ("10 + 10 = 20", "11 + 11 = 21"),
        ("Paris", "It is not Paris"),
        ("```python\nx = 1\n```", "```python\nx = 1\n```"),
        ("a long story\nof two lines", "a long story\nof two lines"),
    ],
)
def test_an_answer_is_turned_only_where_that_is_sure(text: str, other: str) -> None:
    assert turned(text) == other


def test_the_written_form_of_a_call_is_not_a_second_answer() -> None:
    items = [Message("user", "hi"), Message("assistant", '{"tool": "book", "args": {}}'), CALL, Message("user", "and?")]
    more = [Message("assistant", "Done.")]
    one = Trajectory(
        id="a",
        task="t",
        group="g",
        items=[*items, *more],
        turns=[Turn(made=[1, 2]), Turn(actor="user", made=[3]), Turn(made=[4])],
    )
    assert replies_of(one) == [[CALL], more]
