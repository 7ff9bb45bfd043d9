"""The plain dialect's conversation: what each item becomes, and that nothing is said twice or lost."""

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verigym.core.records import (
    FunctionCall,
    FunctionCallOutput,
    InputText,
    Item,
    Message,
    OutputText,
    Reasoning,
    Refusal,
    SummaryText,
    ToolSpec,
)
from verigym.policies import dialects
from verigym.policies.dialects.plain import call_text, to_messages
from verigym.wire.items import message_text

ADD = ToolSpec(name="math.add", parameters={"properties": {"a": {"type": "integer"}}, "required": ["a"]})


def test_tools_stand_below_the_system_prompt_after_a_blank_line() -> None:
    items: list[Item] = [Message("system", "Be brief."), Message("user", "Add.")]
    assert to_messages(items, [ADD]) == [
        {"role": "system", "content": "Be brief.\n\nTools:\nmath.add(a: int)"},
        {"role": "user", "content": "Add."},
    ]


@pytest.mark.parametrize("items", [[], [Message("user", "Add.")]], ids=["nothing", "user only"])
def test_a_system_message_is_made_for_the_tools_when_there_is_none(items: list[Item]) -> None:
    assert to_messages(items, [ADD])[0] == {"role": "system", "content": "Tools:\nmath.add(a: int)"}
    assert len(to_messages(items, [ADD])) == len(items) + 1


def test_without_tools_the_system_message_is_left_as_it_is() -> None:
    assert to_messages([Message("developer", "Be brief.")], []) == [{"role": "system", "content": "Be brief."}]


def test_a_call_becomes_assistant_text_and_its_output_a_user_message() -> None:
    items: list[Item] = [FunctionCall("c", "math.add", '{"a":1}'), FunctionCallOutput("c", "2")]
    assert to_messages(items, []) == [
        {"role": "assistant", "content": '{"tool": "math.add", "args": {"a": 1}}'},
        {"role": "user", "content": "2"},
    ]


def test_a_call_that_was_read_from_a_message_is_not_written_a_second_time() -> None:
    text = '{"tool":"math.add",  "args":{"a":1}}'
    assert to_messages(dialects.parse(text), []) == [{"role": "assistant", "content": text}]


def test_a_call_that_differs_from_the_message_before_it_is_written_below_it() -> None:
    said = Message("assistant", '{"tool": "math.add", "args": {"a": 1}}')
    messages = to_messages([said, FunctionCall("c", "math.add", '{"a":2}')], [])
    assert messages == [{"role": "assistant", "content": said.text + '\n{"tool": "math.add", "args": {"a": 2}}'}]


def test_the_second_of_two_equal_calls_is_written() -> None:
    message, call = dialects.parse('{"tool": "math.add", "args": {}}')
    (written,) = to_messages([message, call, call], [])
    assert written["content"].count("math.add") == 2


def test_a_user_who_quotes_a_call_does_not_hide_the_assistants() -> None:
    quoted = Message("user", '{"tool": "math.add", "args": {}}')
    assert len(to_messages([quoted, FunctionCall("c", "math.add", "{}")], [])) == 2


@pytest.mark.parametrize("arguments", ['{"a": ', "[1]", "", "\ud800"], ids=["cut", "list", "empty", "surrogate"])
def test_malformed_arguments_stay_as_the_model_wrote_them(arguments: str) -> None:
    assert call_text(FunctionCall("c", "math.add", arguments)) == f'{{"tool": "math.add", "args": {arguments}}}'


def test_reasoning_is_left_out() -> None:
    assert to_messages([Reasoning([SummaryText("hm")]), Message("user", "Hi")], []) == [
        {"role": "user", "content": "Hi"}
    ]


def test_the_text_of_a_message_holds_its_refusals() -> None:
    assert message_text(Message("assistant", [InputText("a"), OutputText("b"), Refusal("No.")])) == "abNo."


@given(st.text(), st.dictionaries(st.text(), st.integers() | st.text() | st.none(), max_size=3))
def test_a_written_call_is_read_back_as_itself(name: str, arguments: dict[str, object]) -> None:
    call = FunctionCall("c", name, json.dumps(arguments))
    assert dialects.read_call(call_text(call)) == (name, arguments)


@given(st.lists(st.sampled_from(["user", "assistant", "output", "call"]), max_size=8))
def test_the_assistant_never_has_two_messages_in_a_row(kinds: list[str]) -> None:
    made: dict[str, Item] = {
        "user": Message("user", "u"),
        "assistant": Message("assistant", "a"),
        "output": FunctionCallOutput("c", "o"),
        "call": FunctionCall("c", "t", "{}"),
    }
    roles = [message["role"] for message in to_messages([made[kind] for kind in kinds], [])]
    assert ("assistant", "assistant") not in list(itertools.pairwise(roles))
    assert roles.count("user") == kinds.count("user") + kinds.count("output")


def test_a_description_is_shown_where_it_is_the_agents_own() -> None:
    told = ToolSpec(name="quit", description="Stop\n  at once.", own=True)
    assert dialects.describe([ADD, ToolSpec(name="wait", description="Wait."), told]) == (
        "math.add(a: int)\nwait()\nquit(): Stop at once."
    )
