"""Anthropic's Messages with the real anthropic package: answered by a local policy, forwarded, and translated."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic
import pytest

from tests.servers.behind import SAID, Behind, behind, says, streams
from tests.servers.running import Running, running
from tests.servers.test_clients import reply
from tests.servers.test_proxy import WORDS, Pair, chunk, has_only, passing, post
from verigym.core.protocols import Request
from verigym.core.records import FunctionCall, FunctionCallOutput, Message, Reasoning, ReasoningText, Sampling
from verigym.policies.scripted import ScriptedPolicy
from verigym.wire import messages
from verigym.wire.tools import ToolNames
from verigym.wire.values import write_json

ASKED: Any = [{"role": "user", "content": "How are you?"}]
TOOL: Any = {
    "name": "add",
    "description": "Adds.",
    "input_schema": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
}


def client(server: Running, **options: Any) -> anthropic.Anthropic:
    return anthropic.Anthropic(
        base_url=server.url, **{"api_key": "none", "max_retries": 0, "timeout": 600.0, **options}
    )


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("home"), lambda _: ScriptedPolicy(reply), fixed="echo") as found:
        yield found


def test_a_message_is_answered(server: Running) -> None:
    made = client(server).messages.create(model="echo", max_tokens=50, system="Be kind.", messages=ASKED)
    (block,) = made.content
    assert block.type == "text" and block.text == "You said: How are you?"
    assert (made.role, made.type, made.stop_reason) == ("assistant", "message", "end_turn")
    assert made.usage.input_tokens > 3 and made.usage.output_tokens == 5
    assert made.model == server.gateway.router.champion.version.id
    assert server.recorded.exchanges[-1].context[-1] == Message("user", "How are you?")


def test_every_kind_of_text_is_read(server: Running) -> None:
    cached = {"type": "ephemeral"}
    system: Any = [{"type": "text", "text": "Be "}, {"type": "text", "text": "kind.", "cache_control": cached}]
    parts = [{"type": "text", "text": "one "}, {"type": "text", "text": "two", "cache_control": cached}]
    thoughts = [{"type": "thinking", "thinking": "hm", "signature": "x"}, {"type": "redacted_thinking", "data": "y"}]
    asked: Any = [
        {"role": "user", "content": "first"},
        {"role": "assistant", "content": [*thoughts, {"type": "text", "text": "answer"}]},
        {"role": "user", "content": parts},
    ]
    made = client(server).messages.create(
        model="echo",
        max_tokens=9,
        system=system,
        messages=asked,
        stop_sequences=["END"],
        metadata={"user_id": "ann"},
        service_tier="auto",
        extra_body={"temperature": 0.5, "top_p": 0.9, "top_k": 4},
    )
    assert made.content[0].type == "text" and made.content[0].text == "You said: one two"
    seen = server.recorded.exchanges[-1]
    assert seen.context[1:] == [
        Message("user", "first"),
        Reasoning(content=[ReasoningText("hm")]),
        Reasoning(encrypted_content="y"),
        Message("assistant", "answer"),
        Message("user", "one two"),
    ]
    sampling = seen.turn.sampling
    assert (sampling.temperature, sampling.top_p, sampling.top_k, sampling.max_tokens) == (0.5, 0.9, 4, 9)
    assert sampling.stop == ["END"] and seen.user == "ann"


def test_tools_from_the_call_to_its_result(server: Running) -> None:
    first = client(server).messages.create(model="echo", max_tokens=50, messages=ASKED, tools=[TOOL])
    (call,) = first.content
    assert first.stop_reason == "tool_use" and call.type == "tool_use"
    assert (call.name, call.input) == ("add", {"a": 1})
    result: Any = {"type": "tool_result", "tool_use_id": call.id, "content": [{"type": "text", "text": "42"}]}
    after: Any = [*ASKED, first.to_param(), {"role": "user", "content": [result]}]
    second = client(server).messages.create(model="echo", max_tokens=50, messages=after, tools=[TOOL])
    assert second.content[0].type == "text" and second.content[0].text == "It is 42."
    seen = server.recorded.exchanges[-1].context[-2:]
    assert seen == [FunctionCall(call.id, "add", '{"a":1}'), FunctionCallOutput(call.id, "42")]


def test_a_message_in_pieces(server: Running) -> None:
    with client(server).messages.stream(model="echo", max_tokens=50, messages=ASKED) as stream:
        assert "".join(stream.text_stream) == "You said: How are you?"
        final = stream.get_final_message()
    assert final.stop_reason == "end_turn" and final.usage.output_tokens == 5 and final.usage.input_tokens > 3


def test_a_call_in_pieces(server: Running) -> None:
    with client(server).messages.stream(model="echo", max_tokens=50, messages=ASKED, tools=[TOOL]) as stream:
        kinds = [event.type for event in stream]
        final = stream.get_final_message()
    assert "input_json" in kinds and kinds[-1] == "message_stop"
    assert final.content[0].type == "tool_use" and final.content[0].input == {"a": 1}
    assert final.stop_reason == "tool_use"


def test_the_raw_events_have_anthropics_order(server: Running) -> None:
    asked: Any = [{"role": "user", "content": "think"}]
    events = list(client(server).messages.create(model="echo", max_tokens=50, messages=asked, stream=True))
    block = ["content_block_start", "content_block_delta"]
    assert [event.type for event in events] == [
        "message_start",
        *block,
        "content_block_delta",
        "content_block_stop",
        *block,
        "content_block_stop",
        "message_delta",
        "message_stop",
    ], "the package leaves out the ping"
    whole = client(server).messages.create(model="echo", max_tokens=50, messages=asked)
    assert [part.type for part in whole.content] == ["thinking", "text"]
    assert whole.content[0].type == "thinking" and whole.content[0].thinking == "hm"


def test_a_choice_of_tool_is_honoured(server: Running) -> None:
    other: Any = {"name": "other", "input_schema": {"type": "object"}}
    choices: list[tuple[Any, list[str], str]] = [
        ({"type": "any"}, ["other", "add"], "call"),
        ({"type": "tool", "name": "add"}, ["add"], "call"),
        ({"type": "none"}, [], ""),
        ({"type": "auto"}, ["other", "add"], ""),
    ]
    for choice, names, constrain in choices:
        client(server).messages.create(
            model="echo", max_tokens=5, messages=ASKED, tools=[other, TOOL], tool_choice=choice
        )
        seen = server.recorded.exchanges[-1]
        assert ([tool.name for tool in seen.tools], seen.turn.sampling.constrain) == (names, constrain)


def test_one_call_at_most_is_sent_if_the_client_asks_for_it(tmp_path: Path) -> None:
    def two(request: Request) -> Any:
        return [Message("assistant", "Both."), FunctionCall("a", "add", "{}"), FunctionCall("b", "add", "{}")]

    with running(tmp_path, lambda _: ScriptedPolicy(two), fixed="echo") as server:
        choice: Any = {"type": "auto", "disable_parallel_tool_use": True}
        made = client(server).messages.create(
            model="echo", max_tokens=5, messages=ASKED, tools=[TOOL], tool_choice=choice
        )
        assert [part.type for part in made.content] == ["text", "tool_use"]
        chat: Any = {"type": "function", "function": {"name": "add"}}
        asked: Any = ASKED
        openai = server.client().chat.completions.create(
            model="echo", messages=asked, tools=[chat], parallel_tool_calls=False
        )
        assert len(openai.choices[0].message.tool_calls or []) == 1
        assert len(server.recorded.exchanges[-1].reply) == 2, "capture holds what the client saw"


def test_tools_that_anthropic_runs_are_left_out_and_named(server: Running) -> None:
    search: Any = {"type": "web_search_20250305", "name": "web_search", "max_uses": 3}
    raw = client(server).messages.with_raw_response.create(
        model="echo", max_tokens=5, messages=ASKED, tools=[TOOL, search]
    )
    assert raw.headers["x-verigym-tools-left-out"] == "web_search_20250305"
    assert [tool.name for tool in server.recorded.exchanges[-1].tools] == ["add"]


def test_calls_that_are_not_objects_stay_visible(tmp_path: Path) -> None:
    arguments = ['{"a": 1', "[1]", "", ' {"a":1}']
    calls = [FunctionCall(f"c{index}", "add", text) for index, text in enumerate(arguments)]
    with running(tmp_path, lambda _: ScriptedPolicy([calls]), fixed="echo") as server:
        made = client(server).messages.create(model="echo", max_tokens=5, messages=ASKED, tools=[TOOL])
        inputs = [block.input for block in made.content if block.type == "tool_use"]
        assert inputs == [{"arguments": '{"a": 1'}, {"arguments": "[1]"}, {}, {"a": 1}]
        with client(server).messages.stream(model="echo", max_tokens=5, messages=ASKED, tools=[TOOL]) as stream:
            final = stream.get_final_message()
        assert [block.input for block in final.content if block.type == "tool_use"] == inputs


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"messages": [{"role": "user", "content": [{"type": "image", "source": {}}]}]}, "Only text content"),
        ({"messages": [*ASKED, {"role": "assistant", "content": "The"}]}, "last message must not be the assistant"),
        ({"messages": []}, "messages"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"top_p": 2}, "top_p"),
        ({"made_up": 1}, "made_up"),
        ({"mcp_servers": [{"url": "x"}]}, "mcp_servers"),
        ({"tools": [{"type": "wat"}]}, "tools"),
        ({"tools": [{"input_schema": {}}]}, "a tool must have a name"),
        ({"tool_choice": {"type": "tool", "name": "nope"}}, 'no tool is named "nope"'),
        ({"tool_choice": {"type": "tool"}}, "it must name the tool"),
        ({"output_config": {"format": {"type": "yaml"}}}, "output_config"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_cannot_be_honoured_is_refused_in_anthropics_form(server: Running, fields: Any, words: str) -> None:
    body = {"model": "echo", "max_tokens": 5, "messages": ASKED, **fields}
    status, answer, _ = post(f"{server.url}/v1/messages", json.dumps(body).encode())
    made = json.loads(answer)
    assert status == 400 and made["type"] == "error" and made["error"]["type"] == "invalid_request_error"
    assert words in made["error"]["message"]


def test_an_unknown_model_and_an_unknown_path_are_errors_that_the_package_knows(server: Running) -> None:
    with pytest.raises(anthropic.NotFoundError, match="echo"):
        client(server).messages.create(model="nope", max_tokens=5, messages=ASKED)
    status, answer, _ = post(f"{server.url}/v1/messages/batches", b"{}")
    assert status == 404 and json.loads(answer)["error"]["type"] == "not_found_error"


def test_tokens_are_counted(server: Running) -> None:
    count = client(server).messages.count_tokens(model="echo", messages=ASKED, system="Be very kind.", tools=[TOOL])
    assert count.input_tokens > 3


def test_both_headers_hold_the_key(tmp_path: Path) -> None:
    key = "gateway-key-0123456789"
    with running(tmp_path, lambda _: ScriptedPolicy(reply), fixed="echo", keys=[key]) as server:
        for right in (client(server, api_key=key), client(server, api_key=None, auth_token=key)):
            assert right.messages.create(model="echo", max_tokens=5, messages=ASKED).content
        with pytest.raises(anthropic.AuthenticationError, match="x-api-key: KEY"):
            client(server, api_key="wrong-key-0123456789").messages.create(model="echo", max_tokens=5, messages=ASKED)


# -- another server ------------------------------------------------------------------------------------------------------

MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "qwen",
    "content": [
        {"type": "text", "text": "Hello."},
        {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 1}},
    ],
    "stop_reason": "tool_use",
    "usage": {"input_tokens": 3, "cache_read_input_tokens": 4, "output_tokens": 2},
}


def sse(*events: dict[str, Any]) -> list[bytes]:
    return [b"event: %b\ndata: %b\n\n" % (one["type"].encode(), json.dumps(one).encode()) for one in events]


EVENTS = sse(
    {"type": "message_start", "message": {**MESSAGE, "content": [], "stop_reason": None, "usage": {"input_tokens": 3}}},
    {"type": "ping"},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hel"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "lo."}},
    {"type": "content_block_stop", "index": 0},
    {
        "type": "content_block_start",
        "index": 1,
        "content_block": {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {}},
    },
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"a"'}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": ": 1}"}},
    {"type": "content_block_stop", "index": 1},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 2}},
    {"type": "message_stop"},
)


@pytest.fixture(scope="module")
def server_behind() -> Iterator[tuple[Behind, str]]:
    with behind() as found:
        yield found


@pytest.fixture
def pair(tmp_path: Path, server_behind: tuple[Behind, str]) -> Iterator[Pair]:
    with passing(tmp_path, server_behind) as found:
        yield found


BODY = {"model": "qwen", "max_tokens": 9, "messages": ASKED, "system": [{"type": "text", "text": "Be kind."}]}


def test_a_body_goes_through_byte_for_byte_and_is_captured(pair: Pair) -> None:
    pair.back.answer = says(MESSAGE)
    body = json.dumps({**BODY, "made_up": 1, "stop_sequences": ["END"], "metadata": {"user_id": "ann"}}).encode()
    headers = {"anthropic-beta": "tools-1", "x-api-key": "sk-clients-own"}
    status, answer, _ = post(f"{pair.server.url}/v1/messages?beta=true", body, headers)
    assert status == 200 and answer == json.dumps(MESSAGE).encode()
    assert pair.back.bodies[-1] == body and pair.back.paths[-1] == "/v1/messages"
    assert pair.back.headers[-1]["anthropic-beta"] == "tools-1"
    assert pair.back.headers[-1]["x-api-key"] == "sk-clients-own" and "Authorization" not in pair.back.headers[-1]
    seen = pair.seen
    assert seen.context == [Message("system", "Be kind."), Message("user", "How are you?")]
    assert seen.reply == [Message("assistant", "Hello."), FunctionCall("toolu_1", "add", '{"a":1}')]
    assert (seen.turn.usage.prompt_tokens, seen.turn.usage.completion_tokens) == (7, 2)
    assert (seen.turn.finish, seen.user, seen.turn.sampling.stop) == ("tool_calls", "ann", ["END"])


def test_a_stream_goes_through_and_is_captured_whole(pair: Pair) -> None:
    pair.back.answer = streams(b"".join(EVENTS)[:500], b"".join(EVENTS)[500:])
    body = json.dumps({**BODY, "stream": True}).encode()
    status, answer, _ = post(f"{pair.server.url}/v1/messages", body)
    assert status == 200 and answer == b"".join(EVENTS)
    assert pair.seen.reply == [Message("assistant", "Hello."), FunctionCall("toolu_1", "add", '{"a": 1}')]
    assert (pair.seen.turn.usage.prompt_tokens, pair.seen.turn.usage.completion_tokens) == (3, 2)


def test_a_stream_that_ends_too_early_is_a_failure_in_capture(pair: Pair) -> None:
    for events, words in [
        (EVENTS[:5], "before the message was complete"),
        ([*EVENTS[:4], *sse({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}})], "busy"),
    ]:
        pair.server.recorded.exchanges.clear()
        pair.back.answer = streams(*events)
        assert post(f"{pair.server.url}/v1/messages", json.dumps({**BODY, "stream": True}).encode())[0] == 200
        assert pair.seen.error is not None and words in pair.seen.error.message


def test_a_version_puts_its_words_into_a_message(tmp_path: Path, server_behind: tuple[Behind, str]) -> None:
    fields: Any = {
        "system_prompt": "Be brief.",
        "tool_descriptions": {"add": "Adds an event."},
        "sampling": Sampling(temperature=0.2, max_tokens=50, stop=["END"]),
    }
    with passing(tmp_path, server_behind, **fields) as pair:
        pair.back.answer = says(MESSAGE)
        post(f"{pair.server.url}/v1/messages", json.dumps({**BODY, "tools": [TOOL]}).encode())
        sent = json.loads(pair.back.bodies[-1])
        assert (sent["system"], sent["temperature"], sent["max_tokens"]) == ("Be brief.", 0.2, 9)
        assert sent["stop_sequences"] == ["END"] and "stop" not in sent
        assert sent["tools"][0]["description"] == "Adds an event."
        pair.back.answer = says({"input_tokens": 12})
        count = client(pair.server).messages.count_tokens(model="qwen", messages=ASKED)
        assert count.input_tokens == 12 and pair.back.paths[-1] == "/v1/messages/count_tokens"
        assert set(json.loads(pair.back.bodies[-1])) == {"model", "messages", "system"}


def test_messages_are_translated_for_a_server_that_has_only_chat(pair: Pair) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
    said = {**SAID, "choices": [{"message": {"content": None, "tool_calls": [call]}, "finish_reason": "tool_calls"}]}
    pair.back.answer = has_only("/v1/chat/completions", says(said))
    first = client(pair.server).messages.create(
        model="qwen", max_tokens=9, messages=ASKED, system="Help.", tools=[TOOL], stop_sequences=["END"]
    )
    (made,) = first.content
    assert made.type == "tool_use" and made.input == {"a": 1} and first.usage.output_tokens == 2
    sent = json.loads(pair.back.bodies[-1])
    assert sent["messages"] == [{"role": "system", "content": "Help."}, {"role": "user", "content": "How are you?"}]
    assert (sent["max_tokens"], sent["stop"]) == (9, ["END"]) and "stop_sequences" not in sent
    assert sent["tools"][0]["function"]["parameters"] == TOOL["input_schema"]
    pair.back.answer = has_only("/v1/chat/completions", streams(*WORDS))
    result: Any = {"type": "tool_result", "tool_use_id": made.id, "content": "42"}
    after: Any = [*ASKED, first.to_param(), {"role": "user", "content": [result]}]
    with client(pair.server).messages.stream(model="qwen", max_tokens=9, messages=after, tools=[TOOL]) as stream:
        assert "".join(stream.text_stream) == "Hello."
    assert [message["role"] for message in json.loads(pair.back.bodies[-1])["messages"]] == [
        "user",
        "assistant",
        "tool",
    ]
    assert pair.back.paths[-2:] == ["/v1/chat/completions"] * 2, "the missing path is asked once"


def test_chat_and_responses_are_translated_for_a_server_that_has_only_messages(pair: Pair) -> None:
    pair.back.answer = has_only("/v1/messages", says(MESSAGE))
    tool: Any = {"type": "function", "function": {"name": "add", "parameters": {}}}
    asked: Any = [{"role": "system", "content": "Help."}, *ASKED]
    made = pair.server.client().chat.completions.create(
        model="qwen", messages=asked, tools=[tool], tool_choice="required"
    )
    assert made.choices[0].message.content == "Hello." and made.choices[0].message.tool_calls
    sent = json.loads(pair.back.bodies[-1])
    assert (sent["system"], sent["max_tokens"], sent["tool_choice"]) == ("Help.", 4096, {"type": "any"})
    assert sent["messages"] == [{"role": "user", "content": [{"type": "text", "text": "How are you?"}]}]
    response = pair.server.client().responses.create(model="qwen", input="Hi", max_output_tokens=7)
    assert response.output_text == "Hello." and json.loads(pair.back.bodies[-1])["max_tokens"] == 7


def test_a_server_with_messages_and_without_responses_gets_each_in_its_own_api(pair: Pair) -> None:
    async def answer(request: Any) -> Any:
        answers = {"/v1/chat/completions": says(SAID), "/v1/messages": says(MESSAGE)}
        return await answers.get(request.path, says({"detail": "Not Found"}, 404))(request)

    pair.back.answer = answer
    assert pair.server.client().responses.create(model="qwen", input="Hi").output_text == "Hello."
    assert client(pair.server).messages.create(model="qwen", max_tokens=5, messages=ASKED).id == "msg_1"
    assert pair.back.paths[-1] == "/v1/messages", "it is not translated"


def test_a_stream_that_breaks_off_ends_with_an_error_event(pair: Pair) -> None:
    pair.back.answer = has_only("/v1/chat/completions", streams(chunk({"content": "Hel"}), pause_s=0.05, dies=True))
    with (
        pytest.raises(anthropic.APIStatusError, match="broke off"),
        client(pair.server).messages.stream(model="qwen", max_tokens=9, messages=ASKED) as stream,
    ):
        list(stream)


def test_items_survive_the_way_to_messages_and_back() -> None:
    items = [
        Message("system", "Be kind."),
        Message("user", "Hi"),
        Message("user", "there"),
        Message("assistant", "Yes"),
        FunctionCall("c1", "add", '{"a":1}'),
        FunctionCall("c2", "add", '{"a":2}'),
        FunctionCallOutput("c1", "one"),
        FunctionCallOutput("c2", ""),
        Message("user", "and?"),
    ]
    body = messages.conversation(items, ToolNames(["add"]))
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    read = messages.read_request(write_json({"model": "x", "max_tokens": 1, **body}))
    assert read.instructions == "Be kind." and read.items == [Message("user", "Hithere"), *items[3:]]
