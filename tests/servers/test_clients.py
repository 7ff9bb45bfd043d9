"""Real clients get what they ask for: the openai package (sync, async, streaming, tools, Responses) and curl."""

import asyncio
import json
import subprocess
from collections.abc import Iterator
from typing import Any

import openai
import pytest

from tests.servers.running import Running, running
from verigym.core.protocols import Request
from verigym.core.records import FunctionCall, FunctionCallOutput, Message, Reasoning, ReasoningText
from verigym.policies.scripted import ScriptedPolicy

TOOL: Any = {
    "type": "function",
    "function": {
        "name": "add",
        "description": "Adds.",
        "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
    },
}
FLAT: Any = {"type": "function", **TOOL["function"]}
ASKED: Any = [{"role": "user", "content": "How are you?"}]


def reply(request: Request) -> Any:
    """Calls a tool that it is offered once; thinks when it is asked to; else repeats what the user said."""
    results = [item.output for item in request.items if isinstance(item, FunctionCallOutput)]
    if results:
        return f"It is {results[-1]}."
    if request.tools:
        return [Message("assistant", '{"tool": "add", "args": {"a": 1}}'), FunctionCall("call_0", "add", '{"a":1}')]
    said = [item.text for item in request.items if isinstance(item, Message) and item.role == "user"][-1]
    if said == "think":
        return [Reasoning(content=[ReasoningText("hm")]), Message("assistant", "Thought.")]
    return f"You said: {said}"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("home"), lambda _: ScriptedPolicy(reply), fixed="echo") as found:
        yield found


def test_chat(server: Running) -> None:
    made = server.client().chat.completions.create(model="echo", messages=ASKED)
    assert made.choices[0].message.content == "You said: How are you?"
    assert made.choices[0].finish_reason == "stop"
    assert (
        made.usage is not None
        and made.usage.total_tokens == made.usage.prompt_tokens + made.usage.completion_tokens > 3
    )


def test_the_answer_names_the_version_and_the_trajectory_that_it_becomes(server: Running) -> None:
    raw = server.client().chat.completions.with_raw_response.create(model="echo", messages=ASKED)
    assert raw.headers["x-verigym-version"] == server.gateway.router.champion.version.id == raw.parse().model
    assert raw.headers["x-verigym-trajectory"].startswith("traces-served-")


def test_chat_in_pieces(server: Running) -> None:
    chunks = list(
        server.client().chat.completions.create(
            model="echo", messages=ASKED, stream=True, stream_options={"include_usage": True}
        )
    )
    assert chunks[0].choices[0].delta.role == "assistant"
    said = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert said == "You said: How are you?"
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].choices == [] and chunks[-1].usage is not None and chunks[-1].usage.completion_tokens > 0
    assert len({chunk.id for chunk in chunks}) == 1


def test_without_being_asked_a_stream_says_nothing_of_usage(server: Running) -> None:
    chunks = list(server.client().chat.completions.create(model="echo", messages=ASKED, stream=True))
    assert all(chunk.choices and chunk.usage is None for chunk in chunks)


def test_tools_from_the_call_to_its_result(server: Running) -> None:
    client = server.client()
    first = client.chat.completions.create(model="echo", messages=ASKED, tools=[TOOL])
    message = first.choices[0].message
    assert first.choices[0].finish_reason == "tool_calls" and message.content is None and message.tool_calls
    call: Any = message.tool_calls[0]
    assert (call.function.name, json.loads(call.function.arguments)) == ("add", {"a": 1})
    result: Any = {"role": "tool", "tool_call_id": call.id, "content": "42"}
    after: Any = [*ASKED, message.model_dump(exclude_none=True), result]
    second = client.chat.completions.create(model="echo", messages=after, tools=[TOOL])
    assert second.choices[0].message.content == "It is 42."


def test_no_two_calls_share_an_id(server: Running) -> None:
    made = [server.client().chat.completions.create(model="echo", messages=ASKED, tools=[TOOL]) for _ in range(3)]
    ids = {call.id for one in made for call in one.choices[0].message.tool_calls or []}
    assert len(ids) == 3


def test_a_call_in_pieces(server: Running) -> None:
    with server.client().chat.completions.stream(model="echo", messages=ASKED, tools=[TOOL]) as stream:
        message = stream.get_final_completion().choices[0].message
    assert message.tool_calls and message.tool_calls[0].function.arguments == '{"a":1}'
    assert not message.content


def test_tools_that_may_not_be_called_are_not_offered(server: Running) -> None:
    made = server.client().chat.completions.create(model="echo", messages=ASKED, tools=[TOOL], tool_choice="none")
    assert made.choices[0].message.content == "You said: How are you?"


def test_a_tool_that_must_be_called_is_the_one_that_is_offered(server: Running) -> None:
    other: Any = {"type": "function", "function": {"name": "other"}}
    chosen: Any = {"type": "function", "function": {"name": "add"}}
    choices: list[tuple[Any, list[str]]] = [(chosen, ["add"]), ("required", ["other", "add"])]
    for choice, names in choices:
        server.client().chat.completions.create(model="echo", messages=ASKED, tools=[other, TOOL], tool_choice=choice)
        seen = server.recorded.exchanges[-1]
        assert [tool.name for tool in seen.tools] == names and seen.turn.sampling.constrain == "call"
    flat: Any = {"type": "function", "name": "add"}
    made = server.client().responses.create(model="echo", input="x", tools=[FLAT], tool_choice=flat)
    assert made.output[0].type == "function_call" and server.recorded.exchanges[-1].turn.sampling.constrain == "call"


def test_thoughts_stand_beside_the_words(server: Running) -> None:
    made = server.client().chat.completions.create(model="echo", messages=[{"role": "user", "content": "think"}])
    message: Any = made.choices[0].message
    assert (message.content, message.reasoning_content) == ("Thought.", "hm")


def test_responses(server: Running) -> None:
    made = server.client().responses.create(model="echo", input="How are you?", instructions="Be kind.")
    assert made.output_text == "You said: How are you?" and made.status == "completed"
    assert made.usage is not None and made.usage.output_tokens > 0
    assert server.recorded.exchanges[-1].context[0] == Message("system", "You are echo.")


def test_a_response_goes_on_from_the_one_before(server: Running) -> None:
    client = server.client()
    first = client.responses.create(model="echo", input="one")
    client.responses.create(model="echo", input="two", previous_response_id=first.id)
    said = [item.text for item in server.recorded.exchanges[-1].context if isinstance(item, Message)]
    assert said == ["You are echo.", "one", "You said: one", "two"]


def test_a_response_that_is_not_remembered_is_said_not_to_be(server: Running) -> None:
    client = server.client()
    first = client.responses.create(model="echo", input="one", store=False)
    for id in ("resp_none", first.id):
        with pytest.raises(openai.NotFoundError, match="Send the whole conversation"):
            client.responses.create(model="echo", input="two", previous_response_id=id)


def test_a_response_in_pieces_has_its_events_in_order(server: Running) -> None:
    events = list(server.client().responses.create(model="echo", input="think", stream=True))
    assert [event.type for event in events] == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.output_item.done",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ]
    assert [event.sequence_number for event in events] == list(range(len(events)))
    last: Any = events[-1]
    assert last.response.output_text == "Thought." and last.response.usage.output_tokens > 0
    assert [item.type for item in last.response.output] == ["reasoning", "message"]


def test_the_openai_package_gathers_a_response_with_a_call(server: Running) -> None:
    client = server.client()
    with client.responses.stream(model="echo", input="add", tools=[FLAT]) as stream:
        kinds = [event.type for event in stream]
        final = stream.get_final_response()
    assert "response.function_call_arguments.done" in kinds
    call: Any = final.output[0]
    assert (call.type, call.name, call.arguments) == ("function_call", "add", '{"a":1}')
    result: Any = {"type": "function_call_output", "call_id": call.call_id, "output": "42"}
    second = client.responses.create(model="echo", input=[result], previous_response_id=final.id, tools=[FLAT])
    assert second.output_text == "It is 42."


def test_the_async_client(server: Running) -> None:
    async def talk() -> list[str]:
        async with server.async_client() as client:
            whole = await client.chat.completions.create(model="echo", messages=ASKED)
            pieces = await client.chat.completions.create(model="echo", messages=ASKED, stream=True)
            streamed = "".join([chunk.choices[0].delta.content or "" async for chunk in pieces])
            response = await client.responses.create(model="echo", input="How are you?")
            return [whole.choices[0].message.content or "", streamed, response.output_text]

    assert asyncio.run(talk()) == ["You said: How are you?"] * 3


def test_curl(server: Running) -> None:
    body = json.dumps({"model": "echo", "messages": ASKED})
    command = ["curl", "-sS", "-i", f"{server.url}/v1/chat/completions", "-d", body]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    head, _, answer = done.stdout.partition("\n\n")
    assert head.startswith("HTTP/1.1 200") and "x-verigym-trajectory: traces-served-" in head
    assert json.loads(answer)["choices"][0]["message"]["content"] == "You said: How are you?"


def test_curl_sees_a_stream_that_ends(server: Running) -> None:
    body = json.dumps({"model": "echo", "messages": ASKED, "stream": True})
    command = ["curl", "-sSN", f"{server.url}/v1/chat/completions", "-H", "Content-Type: application/json", "-d", body]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [line for line in done.stdout.split("\n\n") if line]
    assert all(line.startswith("data: ") for line in lines) and lines[-1] == "data: [DONE]"


def test_what_was_said_is_captured_as_the_client_saw_it(server: Running) -> None:
    server.client().chat.completions.create(
        model="echo",
        messages=ASKED,
        tools=[TOOL],
        user="ann",
        metadata={"shop": "7"},
        extra_headers={"x-verigym-conversation": "talk-1"},
    )
    seen = server.recorded.exchanges[-1]
    assert (seen.conversation, seen.user, seen.metadata) == ("talk-1", "ann", {"shop": "7"})
    assert [type(item) for item in seen.reply] == [FunctionCall] and seen.turn.finish == "tool_calls"
    assert seen.turn.agent == server.gateway.router.champion.version.id and seen.agent_system
    assert [tool.name for tool in seen.tools] == ["add"]
    assert seen.turn.usage.prompt_tokens > 0 and seen.began > 1e9


def test_models_are_listed(server: Running) -> None:
    listed = [model.id for model in server.client().models.list()]
    assert listed == ["echo", server.gateway.router.champion.version.id]


def test_every_language_arrives(server: Running) -> None:
    said = "żółć 你好 🙂 \u0000 \u2028"
    made = server.client().chat.completions.create(model="echo", messages=[{"role": "user", "content": said}])
    assert made.choices[0].message.content == f"You said: {said}"
    pieces = server.client().responses.create(model="echo", input=said, stream=True)
    assert "".join(event.delta for event in pieces if event.type == "response.output_text.delta") == f"You said: {said}"


def test_a_path_that_there_is_not_is_said_in_the_same_shape(server: Running) -> None:
    with pytest.raises(openai.NotFoundError) as raised:
        server.client().get("/nothing", cast_to=object)
    body: Any = raised.value.body
    assert body["type"] == "not_found_error" and "/openapi.json" in body["message"]
