"""A remote model, against a server of our own: what is sent and what is read; what goes wrong is `test_remote_failures`."""

import asyncio
import json
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from tests.policies.remote_server import EVENT, HELLO, HI, Server, ask, chat, responses, serving
from verigym.core.errors import BadInput, InfrastructureFailure
from verigym.core.protocols import Policy, Request
from verigym.core.records import (
    FunctionCall,
    FunctionCallOutput,
    Item,
    Message,
    OutputText,
    Reasoning,
    ReasoningText,
    Refusal,
    Sampling,
    SummaryText,
    ToolSpec,
    Turn,
    Usage,
)
from verigym.policies.remote import RemotePolicy, ToolNames
from verigym.wire.items import reasoning_text

# -- Chat Completions -------------------------------------------------------------------------------------------------


def test_it_is_a_policy() -> None:
    assert isinstance(RemotePolicy("http://localhost/v1", "small"), Policy)


def test_a_chat_reply_is_a_message_with_usage_latency_and_agent() -> None:
    reply, server = ask(chat({"content": "Hi"}, usage={"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}))
    assert reply.items == [Message("assistant", "Hi")]
    assert (reply.turn.usage, reply.turn.finish, reply.turn.agent) == (Usage(5, 2), "stop", "small")
    assert 0 < reply.turn.latency_s < 5
    assert server.paths == ["/v1/chat/completions"]


def test_sampling_goes_into_a_chat_request_with_the_seed_cut_to_31_bits() -> None:
    sampling = Sampling(temperature=0.5, top_p=0.9, max_tokens=9, stop=["END"])
    reply, server = ask(HI, request=Request(items=HELLO.items, sampling=sampling, seed=2**62 + 2**31 + 5))
    assert server.bodies == [
        {
            "model": "small",
            "messages": [{"role": "user", "content": "Hello"}],
            "temperature": 0.5,
            "top_p": 0.9,
            "max_tokens": 9,
            "stop": ["END"],
            "seed": 5,
        }
    ]
    assert reply.turn.sampling == sampling


def test_chat_history_joins_calls_to_one_assistant_message_and_drops_reasoning() -> None:
    items: list[Item] = [
        Message("developer", "Be brief."),
        Message("user", "Book."),
        Reasoning([SummaryText("hm")]),
        Message("assistant", "Booking."),
        FunctionCall("c1", "calendar.create_event", "{}"),
        FunctionCall("c2", "calendar.create_event", "{"),
        FunctionCallOutput("c1", "ok"),
        FunctionCall("c3", "other", "{}"),
    ]
    _, server = ask(HI, request=Request(items=items, tools=[EVENT]))
    call = {"id": "c1", "type": "function", "function": {"name": "calendar-create_event", "arguments": "{}"}}
    other = {"id": "c3", "type": "function", "function": {"name": "other", "arguments": "{}"}}
    cut = {**call, "id": "c2", "function": {"name": "calendar-create_event", "arguments": "{"}}
    assert server.bodies[0]["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Book."},
        {"role": "assistant", "content": "Booking.", "tool_calls": [call, cut]},
        {"role": "tool", "tool_call_id": "c1", "content": "ok"},
        {"role": "assistant", "content": None, "tool_calls": [other]},
    ]


def test_chat_tool_calls_come_back_under_their_own_names() -> None:
    called = {"id": "c9", "type": "function", "function": {"name": "calendar-create_event", "arguments": '{"a": 1'}}
    answer = chat({"content": None, "tool_calls": [called]}, finish="tool_calls")
    reply, server = ask(answer, request=Request(items=HELLO.items, tools=[EVENT]))
    assert reply.items == [FunctionCall("c9", "calendar.create_event", '{"a": 1')]
    assert reply.turn.finish == "tool_calls"
    function = {"name": "calendar-create_event", "description": "Book.", "parameters": EVENT.parameters}
    assert server.bodies[0]["tools"] == [{"type": "function", "function": function}]


@pytest.mark.parametrize(
    ("message", "items"),
    [
        ({"content": None}, [Message("assistant", "")]),
        ({"content": "x", "tool_calls": None, "refusal": None}, [Message("assistant", "x")]),
        ({"content": None, "refusal": "No."}, [Message("assistant", [Refusal("No.")])]),
        (
            {"content": "x", "reasoning_content": "hm"},
            [Reasoning(content=[ReasoningText("hm")]), Message("assistant", "x")],
        ),
    ],
    ids=["nothing", "text", "refusal", "reasoning"],
)
def test_every_kind_of_chat_message_becomes_items(message: dict[str, Any], items: list[Item]) -> None:
    assert ask(chat(message))[0].items == items


@pytest.mark.parametrize(
    ("said", "finish"), [("stop", "stop"), ("length", "length"), ("content_filter", "error"), ("eos", "stop")]
)
def test_the_finish_reason_is_mapped(said: str, finish: str) -> None:
    assert ask(chat({"content": "x"}, finish=said))[0].turn.finish == finish


def test_extra_is_added_to_the_body_and_a_none_takes_a_field_away() -> None:
    _, server = ask(HI, extra={"top_k": 5, "max_tokens": None})
    assert server.bodies[0]["top_k"] == 5
    assert "max_tokens" not in server.bodies[0]


# -- Responses --------------------------------------------------------------------------------------------------------


def test_responses_items_are_sent_as_they_are_and_tools_flat() -> None:
    items: list[Item] = [
        Message("user", "Book."),
        Reasoning(encrypted_content="x=="),
        FunctionCall("c1", "calendar.create_event", "{}"),
        FunctionCallOutput("c1", "ok"),
    ]
    request = Request(items=items, tools=[EVENT], sampling=Sampling(max_tokens=9), seed=3)
    _, server = ask(responses(), api="responses", request=request)
    assert server.paths == ["/v1/responses"]
    assert server.bodies[0] == {
        "model": "small",
        "input": [
            {"type": "message", "role": "user", "content": "Book."},
            {"type": "reasoning", "encrypted_content": "x==", "summary": []},
            {"type": "function_call", "call_id": "c1", "name": "calendar-create_event", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "ok"},
        ],
        "tools": [
            {
                "type": "function",
                "name": "calendar-create_event",
                "description": "Book.",
                "parameters": EVENT.parameters,
            }
        ],
        "temperature": 1.0,
        "top_p": 1.0,
        "max_output_tokens": 9,
    }


def test_words_to_stop_at_go_into_a_responses_request() -> None:
    request = Request(items=HELLO.items, sampling=Sampling(stop=["END"]))
    assert ask(responses(), api="responses", request=request)[1].bodies[0]["stop"] == ["END"]


def test_responses_output_becomes_items_and_other_kinds_are_left_out() -> None:
    answer = responses(
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]},
        {"type": "web_search_call", "id": "ws_1"},
        {
            "type": "message",
            "id": "m",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Hi", "annotations": []}],
        },
        {"type": "function_call", "id": "fc", "call_id": "c1", "name": "calendar-create_event", "arguments": "{}"},
        usage={"input_tokens": 5, "output_tokens": 2},
    )
    reply, _ = ask(answer, api="responses", request=Request(items=HELLO.items, tools=[EVENT]))
    assert reply.items == [
        Reasoning([SummaryText("hm")]),
        Message("assistant", [OutputText("Hi")]),
        FunctionCall("c1", "calendar.create_event", "{}"),
    ]
    assert (reply.turn.usage, reply.turn.finish) == (Usage(5, 2), "tool_calls")


@pytest.mark.parametrize(("reason", "finish"), [("max_output_tokens", "length"), ("content_filter", "error")])
def test_an_incomplete_response_says_why_it_stopped(reason: str, finish: str) -> None:
    answer = responses(status="incomplete", incomplete_details={"reason": reason})
    assert ask(answer, api="responses")[0].turn.finish == finish


def test_a_failed_response_is_an_infrastructure_failure() -> None:
    with pytest.raises(InfrastructureFailure, match="overloaded"):
        ask(responses(status="failed", error={"message": "overloaded"}), api="responses")


# -- tools as text ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_tools_as_text_go_through_the_plain_dialect(api: str) -> None:
    text = '{"tool": "calendar.create_event", "args": {"a": 1}}'
    part = {"type": "output_text", "text": text}
    answers = {
        "chat": chat({"content": text}),
        "responses": responses({"type": "message", "role": "assistant", "content": [part]}),
    }
    items: list[Item] = [
        Message("system", "Be brief."),
        FunctionCall("c", "calendar.create_event", "{}"),
        FunctionCallOutput("c", "ok"),
    ]
    request = Request(items=items, tools=[EVENT], turns=[Turn()])
    reply, server = ask(answers[api], api=api, tools="text", request=request)
    assert server.bodies[0]["messages" if api == "chat" else "input"] == [
        {"role": "system", "content": "Be brief.\n\nTools:\ncalendar.create_event()"},
        {"role": "assistant", "content": '{"tool": "calendar.create_event", "args": {}}'},
        {"role": "user", "content": "ok"},
    ]
    assert "tools" not in server.bodies[0]
    assert reply.items == [Message("assistant", text), FunctionCall("call_1", "calendar.create_event", '{"a":1}')]
    assert reply.turn.finish == "tool_calls"


# -- tool names -------------------------------------------------------------------------------------------------------

NAMES = st.lists(st.text(st.sampled_from("ab.-_é "), max_size=4) | st.text(max_size=80), max_size=8)


@given(NAMES, NAMES)
def test_tool_names_are_allowed_apart_and_come_back(offered: list[str], called: list[str]) -> None:
    names = ToolNames(offered, [FunctionCall("c", name, "{}") for name in called])
    wires = {name: names.wire(name) for name in [*offered, *called]}
    assert all(0 < len(wire) <= 64 and wire.isascii() for wire in wires.values())
    assert all(letter.isalnum() or letter in "_-" for wire in wires.values() for letter in wire)
    assert all(names.name(wire) == name for name, wire in wires.items())


@given(NAMES, NAMES)
def test_what_was_called_does_not_change_how_the_offered_are_sent(offered: list[str], called: list[str]) -> None:
    later = ToolNames(offered, [FunctionCall("c", name, "{}") for name in called])
    assert [later.wire(name) for name in offered] == [ToolNames(offered, []).wire(name) for name in offered]


def test_a_name_that_is_allowed_is_sent_as_it_is_even_beside_one_that_would_take_it() -> None:
    names = ToolNames(["a.b", "a-b"], [])
    assert (names.wire("a-b"), names.wire("a.b")) == ("a-b", "a-b_2")


def test_a_name_that_was_never_offered_stays_as_the_model_wrote_it() -> None:
    assert ToolNames(["a.b"], []).name("made-up") == "made-up"


def test_a_call_written_as_text_by_a_model_with_a_tool_channel_is_a_call() -> None:
    text = '{"tool": "calendar.create_event", "args": {"attendee": "Alex"}}'
    message = {"role": "assistant", "content": text}
    body = {"choices": [{"message": message, "finish_reason": "stop"}]}
    request = Request(items=[Message("user", "x")], tools=[ToolSpec(name="calendar.create_event")])
    reply, _ = ask(web.json_response(body), request=request)
    assert [item for item in reply.items if isinstance(item, FunctionCall)] == [
        FunctionCall("call_0", "calendar.create_event", '{"attendee":"Alex"}')
    ]


def test_bare_json_of_an_offered_tool_that_the_server_did_not_recognise_is_a_call() -> None:
    text = '```json\n{"name": "calendar-create_event", "arguments": {"attendee": "Alex"}}\n```'
    request = Request(items=[Message("user", "x")], tools=[ToolSpec(name="calendar.create_event")])
    reply, _ = ask(chat({"content": text, "reasoning_content": "hm"}), request=request)
    thought, call = reply.items
    assert isinstance(thought, Reasoning)
    assert call == FunctionCall("call_0", "calendar.create_event", '{"attendee": "Alex"}')
    assert reply.turn.finish == "tool_calls"


@pytest.mark.parametrize("tools", ["native", "text"])
def test_a_server_with_a_tool_channel_is_not_asked_for_the_plain_form(tools: str) -> None:
    system = 'Be brief.\nReply with one JSON object and nothing else: {"tool": name, "args": {...}}'
    items: list[Item] = [Message("system", system), Message("user", "x")]
    request = Request(items=items, tools=[ToolSpec(name="calendar.create_event")])
    _, server = ask(chat({"content": "ok"}), tools=tools, request=request)
    sent = server.bodies[0]["messages"][0]["content"]
    if tools == "native":
        assert sent == "Be brief.\nReply with one tool call and nothing else"
    else:
        assert sent.startswith(system)


@pytest.mark.parametrize("text", ["<think>\nhm\n</think>\n\nTea.", "hm\n</think>\n\nTea."])
def test_thinking_that_the_server_left_in_the_text_is_an_item_of_its_own(text: str) -> None:
    reply, _ = ask(chat({"content": text}), request=Request(items=[Message("user", "x")]))
    thought, said = reply.items
    assert isinstance(thought, Reasoning) and reasoning_text(thought) == "hm"
    assert said == Message("assistant", "Tea.")


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("thinking_token_budget", {"thinking_token_budget": 64}),
        ("nvext.max_thinking_tokens", {"nvext": {"max_thinking_tokens": 64}}),
    ],
)
def test_the_limit_for_reasoning_goes_into_the_field_of_the_server(field: str, expected: dict[str, Any]) -> None:
    request = Request(items=[Message("user", "x")], sampling=Sampling(reasoning_tokens=64))
    _, server = ask(chat({"content": "ok"}), request=request, reasoning_field=field)
    assert expected.items() <= server.bodies[0].items()


def test_a_limit_for_reasoning_without_a_field_names_the_fields_of_known_servers() -> None:
    request = Request(items=[Message("user", "x")], sampling=Sampling(reasoning_tokens=64))
    with pytest.raises(BadInput, match="reasoning_field: thinking_token_budget"):
        ask(chat({"content": "ok"}), request=request)


# -- tools, sent again and again --------------------------------------------------------------------------------------


def test_other_tools_in_a_later_call_are_sent_as_they_are_then() -> None:
    """Tools are written once and kept; what is kept must never answer for tools that differ."""
    tools = [ToolSpec(name="a.b"), ToolSpec(name="c")]
    offers = [list(tools), tools[:1], tools[::-1], [ToolSpec(name="a.b", description="new"), tools[1]], list(tools)]
    offers += [[ToolSpec(name=f"t{number}")] for number in range(20)] + [list(tools)]
    server = Server((HI,))

    async def run() -> None:
        async with serving(server) as address, RemotePolicy(address, "small") as policy:
            for offer in offers:
                await policy.respond(Request(items=HELLO.items, tools=offer))

    asyncio.run(run())
    sent = [
        [(tool["function"]["name"], tool["function"]["description"]) for tool in body["tools"]]
        for body in server.bodies
    ]
    assert sent == [[(tool.name.replace(".", "-"), tool.description) for tool in offer] for offer in offers]


def test_a_list_of_tools_that_grows_in_place_is_noticed() -> None:
    tools = [ToolSpec(name="a")]
    server = Server((HI,))

    async def run() -> None:
        async with serving(server) as address, RemotePolicy(address, "small") as policy:
            await policy.respond(Request(items=HELLO.items, tools=tools))
            tools.append(ToolSpec(name="b"))
            await policy.respond(Request(items=HELLO.items, tools=tools))

    asyncio.run(run())
    assert [len(body["tools"]) for body in server.bodies] == [1, 2]


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_a_call_of_a_tool_that_was_never_offered_goes_out_under_an_allowed_name(api: str) -> None:
    items: list[Item] = [FunctionCall("c1", "made.up", "{}"), FunctionCallOutput("c1", "no such tool")]
    answers = {"chat": HI, "responses": responses()}
    _, server = ask(answers[api], api=api, request=Request(items=items, tools=[EVENT]))
    assert '"made-up"' in json.dumps(server.bodies[0])


def test_a_connection_is_used_again() -> None:
    ports: set[Any] = set()

    async def answer(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        ports.add(request.transport.get_extra_info("peername"))
        return web.json_response(HI)

    server = Server((answer,))

    async def run() -> None:
        async with serving(server) as address, RemotePolicy(address, "small") as policy:
            for _ in range(5):
                await policy.respond(HELLO)

    asyncio.run(run())
    assert (len(server.bodies), len(ports)) == (5, 1)
