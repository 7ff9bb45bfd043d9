"""A conversation as templates with tools take it: one message a reply, calls and results that belong together."""

from typing import Any

from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Message, Reasoning, ReasoningText
from verigym.policies.dialects.markup import HERMES
from verigym.policies.template import folded, joined, to_messages
from verigym.wire.tools import ToolNames

NAMES = ToolNames(["math.add"])
SYSTEM, USER, SAID = Message("developer", "Be brief."), Message("user", "Add."), Message("assistant", "Well.")
CALL, RESULT = FunctionCall("c", "math.add", '{"a": 1}'), FunctionCallOutput("c", "2")


def tool_call(id: str, arguments: Any) -> dict[str, Any]:
    return {"type": "function", "id": id, "function": {"name": "math-add", "arguments": arguments}}


def test_thinking_words_and_calls_of_one_reply_are_one_message() -> None:
    items: list[Item] = [SYSTEM, USER, Reasoning(content=[ReasoningText("hm")]), SAID, CALL, RESULT]
    assert to_messages(items, NAMES) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Add."},
        {
            "role": "assistant",
            "content": "<think>\nhm\n</think>\n\nWell.",
            "tool_calls": [tool_call("call00000", {"a": 1})],
        },
        {"role": "tool", "tool_call_id": "call00000", "name": "math-add", "content": "2"},
    ]


def test_an_id_of_nine_letters_is_kept_and_every_call_has_one_of_its_own() -> None:
    items: list[Item] = [
        FunctionCall("aB3456789", "math.add", "{}"),
        CALL,
        RESULT,
        FunctionCallOutput("aB3456789", "0"),
    ]
    reply, second, first = to_messages(items, NAMES)
    assert [call["id"] for call in reply["tool_calls"]] == ["aB3456789", "call00001"]
    assert (second["tool_call_id"], first["tool_call_id"]) == ("call00001", "aB3456789")


def test_arguments_that_are_no_object_stay_as_they_were_written() -> None:
    (reply,) = to_messages([FunctionCall("c", "math.add", "{oh")], NAMES)
    assert reply["tool_calls"] == [tool_call("call00000", "{oh")]


def test_a_result_without_its_call_is_still_a_result() -> None:
    assert to_messages([RESULT], NAMES) == [{"role": "tool", "tool_call_id": "c", "name": "", "content": "2"}]


def test_calls_can_be_written_as_text() -> None:
    assert to_messages([SAID, CALL], NAMES, HERMES.write) == [
        {
            "role": "assistant",
            "content": 'Well.\n<tool_call>\n{"name": "math-add", "arguments": {"a": 1}}\n</tool_call>',
        }
    ]
    assert to_messages([SAID], NAMES, HERMES.write) == [{"role": "assistant", "content": "Well."}]


def test_only_the_users_own_messages_in_a_row_are_joined() -> None:
    spoken = to_messages([USER, Message("user", "Please."), SAID, USER, RESULT, RESULT], NAMES)
    assert [(message["role"], message["content"]) for message in joined(spoken)] == [
        ("user", "Add.\nPlease."),
        ("assistant", "Well."),
        ("user", "Add."),
        ("tool", "2"),
        ("tool", "2"),
    ]


def test_a_system_message_is_folded_into_the_first_user_message() -> None:
    made = folded(to_messages([SYSTEM, SAID, USER, USER], NAMES))
    assert [message["content"] for message in made] == ["Well.", "Be brief.\n\nAdd.", "Add."]
    assert folded(to_messages([SYSTEM], NAMES)) == [{"role": "user", "content": "Be brief."}]
    assert folded(to_messages([USER], NAMES)) == to_messages([USER], NAMES)
