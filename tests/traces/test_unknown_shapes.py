"""A record of an unknown shape is never guessed. Nothing of it is stored, and the quarantine says what was seen."""

import json
from typing import Any

import pytest

from tests.traces.conftest import Place
from tests.traces.test_ingest import quarantine
from verigym.core.records import FunctionCall, FunctionCallOutput, Message

USER = {"role": "user", "content": "Hi"}
REPLY = {"role": "assistant", "content": "Hello"}


@pytest.mark.parametrize(
    "row",
    [
        {"type": "GENERATION", "input": [USER], "output": REPLY},
        {"input": "Hi", "output": "Hello"},
        {"input": [USER], "output": [REPLY]},
        {"input": {"messages": [USER]}, "output": REPLY},
        {"request": {"messages": [USER]}, "response": {"text": "Hello"}},
        {"request": {"input": "Hi"}, "response": {"answer": "Hello"}},
        {"input": "Hi", "result": {"answer": "Hello"}},
        {"prompt": "Hi", "completion": "Hello"},
        {"run_type": "llm", "name": "x"},
        {"traceId": "t", "value": 3},
        {"agent": "a", "steps": [1]},
        {"span_id": "s", "name": "quality", "score": 1},
        {"key": "score", "run": "r"},
    ],
    ids=json.dumps,
)
def test_a_record_that_only_resembles_a_format_is_not_read(row: dict[str, Any], place: Place) -> None:
    summary = place.take(place.write("a.jsonl", json.dumps(row)))
    assert (summary.accepted, summary.quarantined, summary.formats) == (0, 1, {"unknown": 1})
    reason = quarantine(place)[0].reason
    assert all(key in reason for key in row) and '{"messages": [{"role", "content"}, ...]}' in reason


@pytest.mark.parametrize("key", ["output", "response", "completion", "choices"])
def test_messages_without_the_reply_beside_them_are_not_stored(key: str, place: Place) -> None:
    summary = place.take(place.write("a.jsonl", json.dumps({"messages": [USER], key: "Hello"})))
    assert summary.accepted == 0 and "Append the reply to the messages" in next(iter(summary.reasons))
    assert place.take(place.write("b.jsonl", json.dumps({"messages": [USER, REPLY], key: "Hello"}))).accepted == 1


def test_a_chat_response_without_choices_is_not_stored_without_its_reply(place: Place) -> None:
    row = {"request": {"messages": [USER]}, "response": {"id": "x", "choices": []}}
    summary = place.take(place.write("a.jsonl", json.dumps(row)))
    assert summary.accepted == 0 and "neither a choice nor an error" in next(iter(summary.reasons))


def generation(**fields: Any) -> dict[str, Any]:
    shared = {"id": "o1", "traceId": "t1", "type": "GENERATION", "startTime": "2026-01-01T00:00:00Z", "name": "g"}
    return {**shared, **fields}


@pytest.mark.parametrize("as_text", [False, True], ids=["objects", "JSON in texts"])
@pytest.mark.parametrize(
    ("asked", "answered", "items"),
    [
        ([USER], REPLY, [Message("user", "Hi"), Message("assistant", "Hello")]),
        ({"messages": [USER]}, "Hello", [Message("user", "Hi"), Message("assistant", "Hello")]),
        ("Hi", {"content": "Hello"}, [Message("user", "Hi"), Message("assistant", "Hello")]),
        (USER, {"choices": [{"message": REPLY}]}, [Message("user", "Hi"), Message("assistant", "Hello")]),
        (
            [USER],
            [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}],
            [Message("user", "Hi"), FunctionCall("c", "f", "{}")],
        ),
        ([USER], {"messages": [USER, REPLY]}, [Message("user", "Hi"), Message("assistant", "Hello")]),
    ],
    ids=["messages", "text reply", "content only", "chat completion", "responses items", "a graph's state"],
)
def test_inputs_and_outputs_of_every_usual_shape_are_read(
    asked: Any, answered: Any, items: list[Any], as_text: bool, place: Place
) -> None:
    row = generation(input=asked, output=answered)
    if as_text:
        row = {key: json.dumps(value) if isinstance(value, dict | list) else value for key, value in row.items()}
    assert place.take(place.write("a.jsonl", json.dumps(row))).accepted == 1
    assert place.stored()[0].items == items and place.stored()[0].gaps == []


def test_an_output_of_another_shape_is_kept_as_json_and_named_as_a_gap(place: Place) -> None:
    place.take(place.write("a.jsonl", json.dumps(generation(input="Hi", output={"city": "Bern", "sun": False}))))
    one = place.stored()[0]
    assert one.items[1] == Message("assistant", '{"city":"Bern","sun":false}')
    assert one.gaps == ["an output that is neither text nor messages (city, sun): kept as JSON"]


def test_a_tool_run_without_a_call_id_belongs_to_the_call_of_its_name_and_arguments(place: Place) -> None:
    calls = [{"id": f"c{n}", "function": {"name": "f", "arguments": json.dumps({"n": n})}} for n in (1, 2)]
    rows = [
        generation(input="Hi", output={"role": "assistant", "content": None, "tool_calls": calls}),
        {**generation(input={"n": 2}, output="two"), "id": "o2", "type": "TOOL", "name": "f"},
        {**generation(input={"n": 1}, output="one"), "id": "o3", "type": "TOOL", "name": "f"},
        {**generation(input={}, output="other"), "id": "o4", "type": "TOOL", "name": "g"},
    ]
    place.take(place.write("a.jsonl", *map(json.dumps, rows)))
    results = {item.call_id: item.output for item in place.stored()[0].items if isinstance(item, FunctionCallOutput)}
    assert results == {"c2": "two", "c1": "one", "span_o4": "other"}


def test_a_trace_without_messages_in_generations_is_its_roots_input_and_output(place: Place) -> None:
    rows = [
        {**generation(input="Hi", output="Hello"), "id": "o1", "type": "SPAN"},
        {**generation(input={"x": 1}, output=None), "id": "o2", "type": "SPAN", "parentObservationId": "o1"},
    ]
    place.take(place.write("a.jsonl", *map(json.dumps, rows)))
    assert place.stored()[0].items == [Message("user", "Hi"), Message("assistant", "Hello")]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (
            {"id": "s", "traceId": "t", "name": "n", "dataType": "NUMERIC", "source": "API", "value": 1},
            "Export traces and scores together",
        ),
        ({"id": "f", "run_id": "r", "trace_id": "t", "key": "k", "score": 1}, "Export runs and feedback together"),
        (
            {"span_id": "s", "name": "n", "annotator_kind": "HUMAN", "result": {"score": 1}},
            "Export spans and annotations together",
        ),
    ],
    ids=["langfuse", "langsmith", "phoenix"],
)
def test_feedback_without_its_trace_says_what_to_export(row: dict[str, Any], words: str, place: Place) -> None:
    summary = place.take(place.write("a.jsonl", json.dumps(row)))
    assert summary.accepted == 0 and words in next(iter(summary.reasons))


def test_a_langsmith_project_is_not_taken_for_a_conversation(place: Place) -> None:
    runs = [
        {"id": id, "trace_id": id, "run_type": "llm", "session_id": "project", "inputs": {"input": id}, "outputs": {}}
        for id in ("a", "b")
    ]
    assert place.take(place.write("a.jsonl", *map(json.dumps, runs))).accepted == 2
    threads = [{**run, "extra": {"metadata": {"thread_id": "t"}}} for run in runs]
    assert place.take(place.write("b.jsonl", *map(json.dumps, threads)), name="threads").accepted == 1


def test_runs_inside_a_run_are_read_as_those_beside_it(place: Place) -> None:
    inner = {"id": "b", "run_type": "llm", "inputs": {"messages": [USER]}, "outputs": REPLY}
    outer = {"id": "a", "trace_id": "a", "run_type": "chain", "inputs": {"x": 1}, "outputs": {}, "child_runs": [inner]}
    place.take(place.write("a.jsonl", json.dumps(outer)))
    assert place.stored()[0].items == [Message("user", "Hi"), Message("assistant", "Hello")]


def test_nested_attributes_of_phoenix_are_read_as_flat_ones(place: Place) -> None:
    asked = [{"message": {"role": "user", "content": "Hi"}}]
    call = {"tool_call": {"id": "c", "function": {"name": "f", "arguments": "{}"}}}
    answered = [{"message": {"role": "assistant", "tool_calls": [call]}}]
    span = {"name": "m", "span_kind": "LLM", "status_code": "OK", "context": {"trace_id": "t", "span_id": "s"}}
    span["attributes"] = {"llm": {"input_messages": asked, "output_messages": answered, "model_name": "m"}}
    place.take(place.write("a.jsonl", json.dumps(span)))
    assert place.stored()[0].items == [Message("user", "Hi"), FunctionCall("c", "f", "{}")]
