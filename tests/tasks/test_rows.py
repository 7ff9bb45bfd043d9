"""Rows in the shapes that people have, and the tasks that they become."""

from typing import Any

import msgspec
import pytest

from verigym.core.errors import BadInput
from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Message, Reasoning, ReasoningText, Task
from verigym.tasks.rows import read_task, shape_of


def read(row: Any) -> Task:
    return read_task(row, "q-1", "q.jsonl:1", None)


def items(value: Any) -> list[Item]:
    return msgspec.convert(value, list[Item])


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


HI, HELLO, BYE = Message("user", "Hi"), Message("assistant", "Hello"), Message("assistant", "Bye")

# -- demonstrations -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "prompt"),
    [
        ({"prompt": "Hi", "completion": "Hello"}, "Hi"),
        ({"prompt": [user("Hi")], "completion": [assistant("Hello")]}, [HI]),
        ({"prompt": "Hi", "completion": [assistant("Hello")]}, "Hi"),
        ({"messages": [user("Hi"), assistant("Hello")]}, [HI]),
        ({"prompt": "Hi", "messages": [user("Hi"), assistant("Hello")]}, [HI]),
        (
            {"prompt": "Hi", "messages": [{"role": "system", "content": "Be kind."}, user("Hi"), assistant("Hello")]},
            [Message("system", "Be kind."), HI],
        ),
        (
            {"messages": [user("Who?"), assistant("Me."), user("Hi"), assistant("Hello")]},
            [Message("user", "Who?"), Message("assistant", "Me."), HI],
        ),
    ],
    ids=["text", "messages", "mixed", "one conversation", "with its prompt", "with a system prompt", "several turns"],
)
def test_a_demonstration_is_a_prompt_and_the_items_of_its_completion(row: dict[str, Any], prompt: Any) -> None:
    task = read(row)
    assert task.prompt == prompt
    assert items(task.data.pop("completion")) == [HELLO]
    assert task.data == {}
    assert (task.id, task.family, task.lineage) == ("q-1", "q-1", ["q.jsonl:1"])


def test_other_keys_of_a_demonstration_are_data() -> None:
    assert read({"prompt": "Hi", "completion": "Hello", "label": True, "tags": ["t"]}).data["label"] is True


def test_a_conversation_that_ends_with_the_user_is_a_prompt_for_its_answer() -> None:
    assert read({"messages": [user("Hi")], "answer": "Hello"}) == Task(
        id="q-1", prompt=[HI], data={"answer": "Hello"}, family="q-1", lineage=["q.jsonl:1"]
    )


def test_messages_that_are_not_about_the_prompt_are_one_more_key() -> None:
    other = [user("Something else"), assistant("Yes")]
    assert read({"prompt": "Hi", "answer": "Hello", "messages": other}).data == {"answer": "Hello", "messages": other}


def test_a_null_where_a_shape_is_known_by_a_key_is_no_key() -> None:
    row = {"prompt": "Hi", "answer": "Hello", "completion": None, "chosen": None, "messages": None}
    assert read(row).data == {"answer": "Hello"}


# -- calls in chat form -------------------------------------------------------------------------------------------------

CALL = {"type": "function", "function": {"name": "add", "arguments": {"a": 1}}}


def test_calls_and_their_results_become_items() -> None:
    row = {
        "messages": [
            user("Hi"),
            {"role": "assistant", "content": None, "tool_calls": [{**CALL, "id": "x9"}]},
            {"role": "tool", "tool_call_id": "x9", "content": "2"},
            assistant("Two."),
        ]
    }
    assert items(read(row).data["completion"]) == [
        FunctionCall("x9", "add", '{"a":1}'),
        FunctionCallOutput("x9", "2"),
        Message("assistant", "Two."),
    ]


def test_calls_without_ids_get_them_and_results_find_their_call() -> None:
    subtract = {"function": {"name": "subtract", "arguments": '{"a": 1}'}}
    row = {
        "messages": [
            user("Hi"),
            {"role": "assistant", "content": "Let me see.", "tool_calls": [CALL, subtract]},
            {"role": "tool", "name": "subtract", "content": "0"},
            {"role": "tool", "content": [{"type": "text", "text": "2"}]},
            {"role": "assistant", "content": "", "tool_calls": [{"name": "add"}]},
            {"role": "tool", "name": "add", "content": {"sum": 3}},
        ]
    }
    assert items(read(row).data["completion"]) == [
        Message("assistant", "Let me see."),
        FunctionCall("call_0", "add", '{"a":1}'),
        FunctionCall("call_1", "subtract", '{"a": 1}'),
        FunctionCallOutput("call_1", "0"),
        FunctionCallOutput("call_0", "2"),
        FunctionCall("call_2", "add", "{}"),
        FunctionCallOutput("call_2", '{"sum":3}'),
    ]


def test_a_made_id_is_not_one_that_is_taken() -> None:
    calls = [{"role": "assistant", "tool_calls": [{**CALL, "id": "call_1"}, CALL]}]
    made = items(read({"prompt": "Hi", "completion": calls}).data["completion"])
    assert [item.call_id for item in made if isinstance(item, FunctionCall)] == ["call_1", "call_2"]


def test_a_completion_may_answer_a_call_of_the_prompt() -> None:
    prompt = [user("Hi"), {"role": "assistant", "tool_calls": [CALL]}]
    made = items(read({"prompt": prompt, "completion": [{"role": "tool", "content": "2"}]}).data["completion"])
    assert made == [FunctionCallOutput("call_0", "2")]


@pytest.mark.parametrize("key", ["reasoning_content", "thinking"])
def test_thoughts_become_a_reasoning_item_before_the_reply(key: str) -> None:
    made = items(read({"prompt": "Hi", "completion": [{**assistant("Hello"), key: "A greeting."}]}).data["completion"])
    assert made == [Reasoning(content=[ReasoningText("A greeting.")]), HELLO]


def test_parts_of_text_are_kept_as_the_items_have_them() -> None:
    parts = [{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}]
    task = read({"prompt": [{**user(""), "content": parts}], "completion": [{**assistant(""), "content": parts}]})
    assert isinstance(task.prompt, list) and isinstance(task.prompt[0], Message) and task.prompt[0].text == "Hello"
    assert [part["type"] for part in task.data["completion"][0]["content"]] == ["output_text", "output_text"]


def test_responses_items_are_kept() -> None:
    prompt = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
        {"type": "reasoning", "id": "r1", "summary": [], "encrypted_content": "zz"},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "2"}]},
    ]
    task = read({"prompt": prompt, "answer": 1})
    assert task.prompt[1:] == [
        Reasoning(encrypted_content="zz"),
        FunctionCall("c", "f", "{}"),
        FunctionCallOutput("c", "2"),
    ]


# -- preferences --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "prompt"),
    [
        ({"prompt": "Hi", "chosen": "Hello", "rejected": "Bye"}, "Hi"),
        ({"prompt": [user("Hi")], "chosen": [assistant("Hello")], "rejected": [assistant("Bye")]}, [HI]),
        ({"chosen": [user("Hi"), assistant("Hello")], "rejected": [user("Hi"), assistant("Bye")]}, [HI]),
        (
            {"prompt": "Hi", "chosen": [user("Hi"), assistant("Hello")], "rejected": [user("Hi"), assistant("Bye")]},
            [HI],
        ),
        (
            {
                "prompt": [{"role": "system", "content": "Be kind."}],
                "chosen": [user("Hi"), assistant("Hello")],
                "rejected": [user("Hi"), assistant("Bye")],
            },
            [Message("system", "Be kind."), HI],
        ),
        (
            {
                "prompt": "Who?",
                "chosen": [user("Who?"), assistant("Me."), user("Hi"), assistant("Hello")],
                "rejected": [user("Who?"), assistant("Me."), user("Hi"), assistant("Bye")],
            },
            [Message("user", "Who?"), Message("assistant", "Me."), HI],
        ),
    ],
    ids=["text", "messages", "no prompt", "prompt said again", "prompt said in part", "several turns"],
)
def test_a_preference_is_a_prompt_and_the_items_of_both_replies(row: dict[str, Any], prompt: Any) -> None:
    task = read(row)
    assert task.prompt == prompt
    assert items(task.data.pop("chosen")) == [HELLO] and items(task.data.pop("rejected")) == [BYE]
    assert task.data == {}


@pytest.mark.parametrize(
    ("chosen", "rejected", "prompt", "replies"),
    [
        ("The sky is blue.", "The sky is black.", "The sky is", ["blue.", "black."]),
        ("H: Hi\n\nA: Hello", "H: Hi\n\nA: Bye", "H: Hi\n\nA:", ["Hello", "Bye"]),
        ("It is so", "It is so then", "It is", ["so", "so then"]),
    ],
    ids=["a word is not cut", "lines", "one is how the other begins"],
)
def test_two_texts_without_a_prompt_share_their_beginning(
    chosen: str, rejected: str, prompt: str, replies: list[str]
) -> None:
    task = read({"chosen": chosen, "rejected": rejected})
    assert task.prompt == prompt
    assert [task.data[key][0]["content"] for key in ("chosen", "rejected")] == replies


# -- NeMo Gym -----------------------------------------------------------------------------------------------------------


def test_a_gym_row_keeps_its_input_tools_parameters_and_fields() -> None:
    tools = [{"type": "function", "name": "f", "parameters": {}}]
    params = {"input": [{"role": "developer", "content": "Be kind."}, user("Hi")], "tools": tools, "temperature": 0.5}
    task = read({"responses_create_params": params, "ground_truth": [1], "agent_ref": {"name": "a"}, "id": 4})
    assert task == Task(
        id="4",
        prompt=[Message("developer", "Be kind."), HI],
        data={
            "tools": tools,
            "responses_create_params": {"temperature": 0.5},
            "ground_truth": [1],
            "agent_ref": {"name": "a"},
        },
        family="4",
        lineage=["q.jsonl:1"],
    )


def test_a_gym_row_may_ask_in_text_with_instructions() -> None:
    task = read({"responses_create_params": {"input": "Hi", "instructions": "Be kind."}})
    assert task.prompt == [Message("system", "Be kind."), HI]
    assert task.data == {"responses_create_params": {}}
    assert read({"responses_create_params": {"input": "Hi", "instructions": None}}).prompt == "Hi"


# -- what is said about a bad row ---------------------------------------------------------------------------------------

TWO = {"chosen": "a", "rejected": "b"}


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"completion": "x"}, '"prompt" is missing. A row has one of these forms'),
        ({"prompt": "x", "completion": ""}, '"completion" is empty. Write'),
        ({"prompt": "x", "completion": []}, '"completion" is empty. Write'),
        ({"prompt": "x", "completion": 3}, '"completion" is a number. It must be text or a list of messages'),
        ({"prompt": "x", "completion": ["a"]}, '"completion", message 1: it is text. A message is {"role", "content"}'),
        ({"prompt": [user("x"), {"role": "bot"}], "answer": 1}, "\"prompt\", message 2: the role is 'bot'. It must be"),
        ({"messages": [user("x"), {"role": "assistant"}]}, '"messages", message 2: "content" is missing'),
        ({"messages": [user("x"), {**assistant("y"), "content": 3}]}, '"messages", message 2: "content" is a number'),
        (
            {"messages": [assistant("x")]},
            '"messages" starts with an assistant message. It must start with a system or user message',
        ),
        ({"messages": [user("x")]}, "the row has no answer, call, completion or preference"),
        (
            {"messages": [{"role": "tool", "content": "2"}]},
            '"messages", message 1: a "tool" message must follow a tool call',
        ),
        (
            {"messages": [{"role": "tool", "tool_call_id": "c"}]},
            '"messages", message 1: "content" is missing. Write what the tool returned',
        ),
        (
            {"messages": [{**assistant(""), "tool_calls": {}}, {**assistant(""), "tool_calls": 3}]},
            '"messages", message 2: "tool_calls" is a number',
        ),
        (
            {"messages": [{**assistant(""), "tool_calls": [3]}]},
            '"messages", message 1: a tool call must be {"function": {"name", "arguments"}}',
        ),
        (
            {"messages": [{**assistant(""), "tool_calls": [{"name": "f", "arguments": 3}]}]},
            '"messages", message 1: "arguments" is a number',
        ),
        (
            {"messages": [{**user(""), "content": [{"type": "image_url", "image_url": {}}]}]},
            "\"messages\", message 1: only text content is supported: Invalid value 'image_url'",
        ),
        ({"prompt": "x", "chosen": "a"}, '"rejected" is missing. A preference has "chosen" and "rejected"'),
        ({"prompt": "x", "rejected": "a"}, '"chosen" is missing. A preference has "chosen" and "rejected"'),
        ({"prompt": "x", "chosen": "a", "rejected": "a"}, '"chosen" and "rejected" are identical. A preference needs'),
        (
            TWO,
            '"prompt" is missing. "chosen" and "rejected" have no common beginning to use as the prompt. Add "prompt"',
        ),
        (
            {"chosen": [user("a"), assistant("x")], "rejected": [user("b"), assistant("y")]},
            '"prompt" is missing. "chosen" and "rejected" have no common beginning',
        ),
        ({**TWO, "prompt": ""}, '"prompt" is empty'),
        ({"chosen": [user("a"), assistant("x")], "rejected": [user("a")]}, '"rejected" has no reply after the prompt'),
        ({"responses_create_params": "x"}, '"responses_create_params" is text. It must be an object with "input"'),
        ({"responses_create_params": {}}, '"responses_create_params" has no "input". Set "input" to the prompt'),
        ({"responses_create_params": {"input": []}}, '"input" of "responses_create_params" is empty. Write'),
        ({"responses_create_params": {"input": "x"}, "prompt": "y"}, '"prompt" is both inside and outside'),
        ({"responses_create_params": {"input": "x", "tools": []}, "tools": []}, '"tools" is both inside and outside'),
    ],
)
def test_a_bad_row_is_answered_with_what_is_wrong_and_what_to_do(row: Any, words: str) -> None:
    with pytest.raises(BadInput) as caught:
        read(row)
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize(
    ("row", "shape"),
    [
        ({"prompt": "x", "answer": 1}, "answer"),
        ({"prompt": "x", "expected_tool": "t", "expected_args": {}}, "call"),
        ({"prompt": "x", "completion": "y", "answer": 1}, "demonstration"),
        ({"prompt": "x", **TWO}, "preference"),
        ({"responses_create_params": {"input": "x"}}, "gym"),
        ({"prompt": "x", "data": {}}, "other"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_shape_of_a_task_is_known_by_its_data(row: Any, shape: str) -> None:
    assert shape_of(read(row)) == shape
