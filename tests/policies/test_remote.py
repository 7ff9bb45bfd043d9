"""A remote model, against a server of our own in the same process: what is sent, what is read, and what goes wrong."""

import asyncio
import email.utils
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from verigym.core.errors import BadInput, ContextFull, InfrastructureFailure
from verigym.core.protocols import Policy, Reply, Request
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
from verigym.policies.remote import RemotePolicy, ToolNames, wait_s

Answer = web.Response | dict[str, Any] | Callable[[web.Request], Awaitable[web.StreamResponse]]

KEY = "sk-very-secret-4711"
EVENT = ToolSpec(name="calendar.create_event", description="Book.", parameters={"type": "object", "properties": {}})
HELLO = Request(items=[Message("user", "Hello")])


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


class Server:
    """Gives its answers in order, the last one again and again, and remembers what it was asked."""

    def __init__(self, answers: tuple[Answer, ...]) -> None:
        self.answers = answers
        self.bodies: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.headers: list[Any] = []

    async def handle(self, request: web.Request) -> web.StreamResponse:
        answer = self.answers[min(len(self.bodies), len(self.answers) - 1)]
        self.bodies.append(await request.json())
        self.paths.append(request.path_qs)
        self.headers.append(request.headers)
        if isinstance(answer, dict):
            return web.json_response(answer)
        if isinstance(answer, web.Response):
            return web.Response(status=answer.status, body=answer.body, headers=answer.headers)
        return await answer(request)


def ask(
    *answers: Answer, request: Request = HELLO, times: int = 1, query: str = "", **options: Any
) -> tuple[Reply, Server]:
    """The reply of a policy whose server gives these answers."""

    async def run() -> tuple[Reply, Server]:
        server = Server(answers)
        app = web.Application()
        app.router.add_route("*", "/{tail:.*}", server.handle)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        try:
            async with RemotePolicy(f"http://127.0.0.1:{port}/v1{query}", "small", **options) as policy:
                replies = await asyncio.gather(*(policy.respond(request) for _ in range(times)))
        finally:
            await runner.cleanup()
        return replies[0], server

    return asyncio.run(run())


def chat(message: dict[str, Any], finish: str = "stop", **more: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}], **more}


def responses(*output: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": "resp_1", "object": "response", "status": "completed", "output": list(output), **more}


def failing(status: int, text: str = "no", retry_after: str | None = "0") -> web.Response:
    headers = {"Retry-After": retry_after} if retry_after is not None else {}
    return web.Response(status=status, text=text, headers=headers)


HI = chat({"content": "Hi"})


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


# -- retries and time-outs --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 409, 429, 500, 503])
def test_a_passing_failure_is_tried_again(status: int) -> None:
    reply, server = ask(failing(status), failing(status), HI)
    assert reply.items == [Message("assistant", "Hi")]
    assert len(server.bodies) == 3


def test_a_broken_connection_is_tried_again() -> None:
    async def drop(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.close()
        return web.Response()

    reply, server = ask(drop, HI)
    assert reply.items == [Message("assistant", "Hi")]
    assert len(server.bodies) == 2


def test_a_body_that_ends_too_soon_is_tried_again() -> None:
    async def cut(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "1000"})
        await response.prepare(request)
        await response.write(b'{"choices": [')
        assert request.transport is not None
        request.transport.close()
        return response

    assert len(ask(cut, HI)[1].bodies) == 2


def test_after_the_last_try_the_failure_names_status_address_and_body() -> None:
    with pytest.raises(InfrastructureFailure) as caught:
        ask(failing(503, "overloaded " + "x" * 500), retries=1, query="?secret=1")
    words = str(caught.value)
    assert "/v1/chat/completions: HTTP status 503: overloaded xxx" in words
    assert "secret" not in words
    assert words.count("x") < 300


def test_tries_are_as_many_as_were_asked_for() -> None:
    seen: list[float] = []

    async def count(request: web.Request) -> web.StreamResponse:
        seen.append(time.monotonic())
        return failing(500)

    with pytest.raises(InfrastructureFailure):
        ask(count, retries=2)
    assert len(seen) == 3


def test_retry_after_is_waited_for() -> None:
    began = time.monotonic()
    reply, _ = ask(failing(429, retry_after="0.3"), HI)
    assert time.monotonic() - began >= 0.3
    assert reply.turn.latency_s < 0.3  # its own try only


def test_a_retry_after_beyond_the_time_out_fails_at_once() -> None:
    began = time.monotonic()
    with pytest.raises(InfrastructureFailure, match="429"):
        ask(failing(429, retry_after="3600"), timeout_s=60)
    assert time.monotonic() - began < 5


def test_a_hanging_server_is_given_up_after_the_time_out() -> None:
    async def hang(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(60)
        return web.Response()

    began = time.monotonic()
    with pytest.raises(InfrastructureFailure, match=r"no reply within 0\.2 s"):
        ask(hang, timeout_s=0.2)
    assert time.monotonic() - began < 5


def test_the_time_out_is_for_all_tries_together() -> None:
    async def slow(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(0.15)
        return failing(500)

    began = time.monotonic()
    with pytest.raises(InfrastructureFailure):
        ask(slow, timeout_s=0.4, retries=100)
    assert 0.3 < time.monotonic() - began < 2


def test_a_server_that_is_not_there_is_an_infrastructure_failure() -> None:
    async def run() -> None:
        async with RemotePolicy("http://127.0.0.1:1/v1", "small", retries=0) as policy:
            await policy.respond(HELLO)

    with pytest.raises(
        InfrastructureFailure, match=r"http://127\.0\.0\.1:1/v1/chat/completions: the connection failed"
    ):
        asyncio.run(run())


def test_no_more_than_the_allowed_calls_are_in_flight() -> None:
    now = most = 0

    async def busy(request: web.Request) -> web.StreamResponse:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.02)
        now -= 1
        return web.json_response(HI)

    ask(busy, times=12, concurrency=3)
    assert most == 3


def test_the_wait_doubles_with_jitter_up_to_a_limit() -> None:
    for tried, longest in [(0, 0.5), (1, 1.0), (3, 4.0), (50, 30.0)]:
        waits = {wait_s(tried, None) for _ in range(50)}
        assert len(waits) > 1
        assert all(longest / 2 <= wait <= longest for wait in waits)


@pytest.mark.parametrize(("header", "low", "high"), [("7", 7, 7), ("-1", 0, 0), ("soon", 0.25, 0.5), ("nan", 0, 0)])
def test_retry_after_in_seconds_or_nonsense(header: str, low: float, high: float) -> None:
    assert low <= wait_s(0, header) <= high


def test_retry_after_may_be_a_date() -> None:
    assert 5 < wait_s(0, email.utils.formatdate(time.time() + 10, usegmt=True)) <= 10
    assert wait_s(0, email.utils.formatdate(0, usegmt=True)) == 0


@given(st.text())
def test_any_retry_after_gives_a_wait(header: str) -> None:
    assert wait_s(0, header) >= 0


def test_a_policy_may_be_used_in_one_event_loop_after_another() -> None:
    policy = RemotePolicy("http://127.0.0.1:1/v1", "small", retries=0)

    async def run() -> None:
        with pytest.raises(InfrastructureFailure):
            await policy.respond(HELLO)
        await policy.close()

    asyncio.run(run())
    asyncio.run(run())


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [400, 401, 404, 422, 302])
def test_other_refusals_are_not_tried_again(status: int) -> None:
    seen: list[int] = []

    async def refuse(request: web.Request) -> web.StreamResponse:
        seen.append(status)
        return web.Response(status=status, text="bad request", headers={"Location": "/elsewhere"})

    with pytest.raises(InfrastructureFailure, match=f"HTTP status {status}.*: bad request"):
        ask(refuse)
    assert len(seen) == 1


def test_a_401_says_which_variable_holds_the_key() -> None:
    with pytest.raises(InfrastructureFailure, match=r"401; is the key in OPENAI_API_KEY right\?"):
        ask(failing(401))
    with pytest.raises(InfrastructureFailure, match="401; set OTHER_KEY to the key"):
        ask(failing(401), key_env="OTHER_KEY")


def test_the_key_is_sent_in_the_header_and_nowhere_shown() -> None:
    _, server = ask(HI)
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in json.dumps(server.bodies)
    policy = RemotePolicy("http://localhost/v1?token=abc", "small")
    assert repr(policy) == "RemotePolicy('http://localhost/v1/chat/completions', 'small')"
    assert KEY not in str(vars(policy))
    with pytest.raises(InfrastructureFailure) as caught:
        ask(failing(401, f"Incorrect API key provided: {KEY}."))
    assert KEY not in str(caught.value)
    assert "***" in str(caught.value)


def test_without_a_key_no_authorization_is_sent() -> None:
    assert "Authorization" not in ask(HI, key_env="NOT_SET")[1].headers[0]


def test_the_addresss_query_is_sent_but_not_shown_when_the_server_speaks_no_http() -> None:
    async def run() -> None:
        async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"\x00\x01 not HTTP\r\n\r\n")
            writer.close()

        server = await asyncio.start_server(babble, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server, RemotePolicy(f"http://127.0.0.1:{port}/v1?token=abc", "small", retries=0) as policy:
            await policy.respond(HELLO)

    with pytest.raises(InfrastructureFailure) as caught:
        asyncio.run(run())
    assert "connection failed" in str(caught.value)
    assert "abc" not in str(caught.value)
    assert ask(HI, query="?token=abc")[1].paths == ["/v1/chat/completions?token=abc"]


@pytest.mark.parametrize(
    "words",
    [
        "This model's maximum context length is 2048 tokens.",
        '{"error": {"code": "context_length_exceeded"}}',
        "Your input exceeds the context window of this model.",
        "The decoder prompt is longer than the maximum model length of 4096.",
    ],
)
def test_a_400_about_the_context_length_means_that_the_context_is_full(words: str) -> None:
    with pytest.raises(ContextFull, match=r"/v1/chat/completions: "):
        ask(failing(400, words))


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b"",
        b"\xff\xfe",
        b"null",
        b"[]",
        b"{}",
        b'{"choices": []}',
        b'{"choices": [{"message": null}]}',
        b'{"choices": [{"message": {"content": 3}}]}',
        b'{"choices": [{"message": {"tool_calls": [{"id": "c"}]}}]}',
        b'{"choices": [{"message": {"content": "\xff"}}]}',
        b'{"error": {"message": "overloaded"}}',
        b'{"output": [{"type": "message", "role": "wizard", "content": ""}]}',
        b"[" * 100_000,
    ],
)
@pytest.mark.parametrize("api", ["chat", "responses"])
def test_garbage_is_an_infrastructure_failure_in_words(api: str, body: bytes) -> None:
    with pytest.raises(InfrastructureFailure, match=r"the reply is not of the (Chat Completions|Responses) API"):
        ask(web.Response(body=body), api=api)


@pytest.mark.parametrize("address", ["", "localhost:8000", "ftp://host/v1", "http://", "http://[::1", "http://h:x/v1"])
def test_an_address_that_is_none_is_refused_when_the_policy_is_made(address: str) -> None:
    with pytest.raises(BadInput, match="is not the address of a server"):
        RemotePolicy(address, "small")


def test_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(BadInput, match="OPENAI_API_KEY") as caught:
        RemotePolicy(f"http://me:{KEY}@host/v1", "small")
    assert KEY not in str(caught.value)


# -- token ids --------------------------------------------------------------------------------------------------------


def with_ids(prompt: list[int], completion: list[int], logprobs: list[float]) -> dict[str, Any]:
    answer = chat({"content": "x"}, prompt_token_ids=prompt)
    content = [{"token": "x", "logprob": logprob, "top_logprobs": []} for logprob in logprobs]
    answer["choices"][0] |= {"token_ids": completion, "logprobs": {"content": content}}
    return answer


FIRST = Turn(context_ids=[1, 2, 3], completion_ids=[4, 5], logprobs=[-0.1, -0.2])
SECOND = Turn(parent=0, context_ids=[6], completion_ids=[7], logprobs=[-0.3])
REWRITTEN = Turn(context_ids=[9], completion_ids=[8], logprobs=[-0.3])


@pytest.mark.parametrize(
    ("turns", "prompt", "parent", "gain"),
    [
        ([], [1, 2, 3], None, [1, 2, 3]),
        ([FIRST], [1, 2, 3, 4, 5, 6], 0, [6]),
        ([FIRST, SECOND], [1, 2, 3, 4, 5, 6, 7, 8], 1, [8]),
        ([FIRST], [1, 2, 3, 4, 99, 6], None, [1, 2, 3, 4, 99, 6]),
        ([FIRST], [1, 2, 3], None, [1, 2, 3]),
        ([FIRST, REWRITTEN], [9, 8, 7], 1, [7]),
        ([FIRST, REWRITTEN], [1, 2, 3, 4, 5, 6], None, [1, 2, 3, 4, 5, 6]),
        ([Turn()], [1, 2], None, [1, 2]),
    ],
    ids=["root", "extends", "extends two", "differs", "shorter", "extends a new root", "old root", "no ids before"],
)
def test_context_ids_are_the_gain_over_the_turns_before(
    turns: list[Turn], prompt: list[int], parent: int | None, gain: list[int]
) -> None:
    request = Request(items=HELLO.items, turns=turns)
    reply, server = ask(with_ids(prompt, [10, 11], [-0.5, -1]), request=request, token_ids=True)
    assert server.bodies[0]["return_token_ids"] is True
    assert server.bodies[0]["logprobs"] is True
    assert (reply.turn.parent, reply.turn.context_ids) == (parent, gain)
    assert (reply.turn.completion_ids, reply.turn.logprobs) == ([10, 11], [-0.5, -1.0])


def test_logprobs_are_kept_only_at_the_temperature_they_are_true_for() -> None:
    request = Request(items=HELLO.items, sampling=Sampling(temperature=0.7))
    turn = ask(with_ids([1], [2], [-0.5]), request=request, token_ids=True)[0].turn
    assert (turn.completion_ids, turn.logprobs) == ([2], [])


def test_a_server_without_token_ids_is_told_apart() -> None:
    with pytest.raises(InfrastructureFailure, match="no token ids"):
        ask(HI, token_ids=True)


def test_ids_and_logprobs_of_different_lengths_are_refused() -> None:
    with pytest.raises(InfrastructureFailure, match="1 logprobs for 2 token ids"):
        ask(with_ids([1], [2, 3], [-0.5]), token_ids=True)


def test_token_ids_are_refused_with_the_responses_api() -> None:
    with pytest.raises(BadInput, match='api="chat"'):
        RemotePolicy("http://localhost/v1", "small", api="responses", token_ids=True)


def test_without_token_ids_a_turn_extends_the_one_before() -> None:
    reply, server = ask(HI, request=Request(items=HELLO.items, turns=[Turn(), Turn(parent=0)]))
    assert reply.turn.parent == 1
    assert "return_token_ids" not in server.bodies[0]


def test_a_call_written_as_text_by_a_model_with_a_tool_channel_is_a_call() -> None:
    text = '{"tool": "calendar.create_event", "args": {"attendee": "Alex"}}'
    message = {"role": "assistant", "content": text}
    body = {"choices": [{"message": message, "finish_reason": "stop"}]}
    request = Request(items=[Message("user", "x")], tools=[ToolSpec(name="calendar.create_event")])
    reply, _ = ask(web.json_response(body), request=request)
    assert [item for item in reply.items if isinstance(item, FunctionCall)] == [
        FunctionCall("call_0", "calendar.create_event", '{"attendee":"Alex"}')
    ]
