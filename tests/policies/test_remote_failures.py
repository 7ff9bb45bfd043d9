"""A remote model when things go wrong: retries, time-outs, refusals, and garbage."""

import asyncio
import contextlib
import email.utils
import json
import time
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from tests.policies.remote_server import HELLO, HI, Server, ask, ask_raw, failing, responses, serving
from verigym.core.errors import BadInput, ContextFull, InfrastructureFailure, NoServer
from verigym.core.protocols import Request
from verigym.core.records import (
    FunctionCall,
    FunctionCallOutput,
    Item,
    Message,
    ToolSpec,
)
from verigym.policies.connection import wait_s
from verigym.policies.remote import RemotePolicy

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
    took = time.monotonic() - began
    assert took >= 0.3
    assert reply.turn.latency_s <= took - 0.3  # its own try only


def test_a_retry_after_beyond_the_time_out_fails_at_once() -> None:
    began = time.monotonic()
    with pytest.raises(InfrastructureFailure, match="429"):
        ask(failing(429, retry_after="3600"), timeout_s=600)
    assert time.monotonic() - began < 300


def test_a_hanging_server_is_given_up_after_the_time_out() -> None:
    async def hang(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(900)
        return web.Response()

    began = time.monotonic()
    with pytest.raises(InfrastructureFailure, match=r"no reply within 0\.2 s"):
        ask(hang, timeout_s=0.2)
    assert time.monotonic() - began < 300


def test_the_time_out_is_for_all_tries_together() -> None:
    async def slow(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(0.15)
        return failing(500)

    began = time.monotonic()
    with pytest.raises(InfrastructureFailure):
        ask(slow, timeout_s=0.4, retries=10_000)
    assert 0.3 < time.monotonic() - began < 300


def test_a_server_that_is_not_there_is_an_infrastructure_failure() -> None:
    async def run() -> None:
        async with RemotePolicy("http://127.0.0.1:1/v1", "small", retries=0) as policy:
            await policy.respond(HELLO)

    with pytest.raises(
        NoServer, match=r"^No server answers at http://127\.0\.0\.1:1/v1\. Start it, or correct its address$"
    ):
        asyncio.run(run())


def test_a_server_that_answered_before_is_waited_for() -> None:
    async def run() -> None:
        async with contextlib.AsyncExitStack() as stack:
            async with serving(Server((HI,))) as address:
                policy = await stack.enter_async_context(RemotePolicy(address, "small", retries=0))
                await policy.respond(HELLO)
            await policy.respond(HELLO)

    with pytest.raises(InfrastructureFailure, match="the connection failed") as raised:
        asyncio.run(run())
    assert not isinstance(raised.value, NoServer), "a retry may help"


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
        b'{"choices": [{"message": {"content": "\xff}}]}',
        b'{"output": [{"type": "message", "role": "wizard", "content": ""}]}',
        b"[" * 100_000,
    ],
)
@pytest.mark.parametrize("api", ["chat", "responses"])
def test_garbage_is_an_infrastructure_failure_in_words(api: str, body: bytes) -> None:
    with pytest.raises(InfrastructureFailure, match=r"the reply does not follow the (Chat Completions|Responses) API"):
        ask(web.Response(body=body), api=api)


@pytest.mark.parametrize("address", ["", "localhost:8000", "ftp://host/v1", "http://", "http://[::1", "http://h:x/v1"])
def test_an_address_that_is_none_is_refused_when_the_policy_is_made(address: str) -> None:
    with pytest.raises(BadInput, match="is not a server address"):
        RemotePolicy(address, "small")


def test_a_redirect_is_refused_with_the_address_that_it_leads_to() -> None:
    there = web.Response(status=307, headers={"Location": "https://elsewhere.example/v1?token=abc"})
    with pytest.raises(
        InfrastructureFailure, match=r"status 307\. Redirects are not followed.*\(https://elsewhere\.example/v1\)"
    ):
        ask(there)


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert ask(HI, retries=0)[0].items == [Message("assistant", "Hi")]


@pytest.mark.parametrize(
    "options",
    [{"timeout_s": 0}, {"timeout_s": float("nan")}, {"retries": -1}, {"concurrency": 0}, {"api": "x"}, {"tools": "x"}],
    ids=str,
)
def test_options_that_make_no_sense_are_refused_when_the_policy_is_made(options: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=r"timeout_s must be more than 0|api must be chat or responses"):
        RemotePolicy("http://localhost/v1", "small", **options)


# -- replies that are not quite right ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [b"a\xffb", b"a\\ud800b", b"a\\udc00b", b"a\xed\xa0\x80b"],
    ids=["not UTF-8", "half a pair", "the other half", "a surrogate as bytes"],
)
@pytest.mark.parametrize("api", ["chat", "responses"])
def test_text_that_is_no_text_is_mended_in_a_reply_that_is_otherwise_right(api: str, text: bytes) -> None:
    bodies = {
        "chat": b'{"choices": [{"message": {"content": "%s"}}]}',
        "responses": b'{"output": [{"type": "message", "role": "assistant", "content": "%s"}]}',
    }
    (item,) = ask(web.Response(body=bodies[api] % text), api=api)[0].items
    assert isinstance(item, Message)
    assert (item.text[0], item.text[-1], set(item.text[1:-1])) == ("a", "b", {"\ufffd"})


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("tools", ["native", "text"])
def test_text_that_is_no_text_is_mended_in_a_request(api: str, tools: str) -> None:
    answers = {"chat": HI, "responses": responses()}
    items: list[Item] = [
        Message("user", "a\ud800"),
        FunctionCall("c", "x\udc00", "{}"),
        FunctionCallOutput("c", "\udfff"),
    ]
    odd = ToolSpec(name="add", description="\ud800", parameters={"type": "object"})
    _, server = ask(answers[api], api=api, tools=tools, request=Request(items=items, tools=[odd]))
    sent = json.dumps(server.bodies[0], ensure_ascii=False)
    assert "\ufffd" in sent
    assert sent.encode()  # nothing is left that UTF-8 cannot hold


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_compressed_reply_in_chunks_is_read(encoding: str) -> None:
    async def squeeze(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        response.enable_compression(web.ContentCoding(encoding))
        await response.prepare(request)
        for piece in (json.dumps(HI)[:20], json.dumps(HI)[20:]):
            await response.write(piece.encode())
            await asyncio.sleep(0.01)
        return response

    assert ask(squeeze)[0].items == [Message("assistant", "Hi")]


def test_a_reply_that_says_it_is_compressed_and_is_not_is_an_infrastructure_failure() -> None:
    body = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"
    with pytest.raises(InfrastructureFailure, match="the connection failed"):
        ask_raw(body)


@pytest.mark.parametrize("how", ["plain", "gzip"])
def test_a_reply_without_an_end_is_given_up_at_the_largest_size(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verigym.policies.connection._LARGEST", 3 * 2**20)
    written = 0

    async def pour(request: web.Request) -> web.StreamResponse:
        nonlocal written
        response = web.StreamResponse()
        if how == "gzip":
            response.enable_compression(web.ContentCoding.gzip)
        await response.prepare(request)
        while written < 2**28:
            await response.write(b" " * 2**18)
            written += 2**18
        return response

    with pytest.raises(InfrastructureFailure, match="the reply is larger than 3 MiB"):
        ask(pour)
    assert written < 2**28


def test_a_body_that_drips_is_given_up_after_the_time_out() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
    began = time.monotonic()
    with pytest.raises(InfrastructureFailure, match=r"no reply within 0\.3 s\. Raise the option timeout_s"):
        ask_raw(head, *[b" "] * 1000, pause_s=0.05, timeout_s=0.3)
    assert time.monotonic() - began < 300


def test_a_server_that_accepts_and_says_nothing_is_given_up_after_the_time_out() -> None:
    began = time.monotonic()
    with pytest.raises(InfrastructureFailure, match=r"no reply within 0\.2 s"):
        ask_raw(then="hang", timeout_s=0.2)
    assert time.monotonic() - began < 300


def test_a_time_out_says_what_went_wrong_before_it() -> None:
    async def hang(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(900)
        return web.Response()

    with pytest.raises(InfrastructureFailure, match=r"no reply within 3 s.*before that: .*status 503.*busy"):
        ask(failing(503, "busy"), hang, timeout_s=3)


def test_a_connection_that_is_reset_inside_the_body_is_tried_again() -> None:
    async def reset(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "1000"})
        await response.prepare(request)
        await response.write(b"{")
        assert request.transport is not None
        request.transport.abort()
        return response

    reply, server = ask(reset, HI)
    assert (reply.items, len(server.bodies)) == ([Message("assistant", "Hi")], 2)


@pytest.mark.parametrize("header", ["3600", "inf", "1e400", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_a_wait_past_the_time_out_is_not_begun_and_the_words_say_so(header: str) -> None:
    began = time.monotonic()
    with pytest.raises(
        InfrastructureFailure, match=r"status 429.*The next retry, in .* s, would exceed timeout_s \(600\)"
    ):
        ask(failing(429, retry_after=header), timeout_s=600)
    assert time.monotonic() - began < 300


@pytest.mark.parametrize("header", ["-5", "Thu, 01 Jan 1970 00:00:00 GMT", "soon", ""])
def test_a_retry_after_that_is_past_or_nonsense_does_not_stop_the_retries(header: str) -> None:
    assert len(ask(failing(429, retry_after=header), HI)[1].bodies) == 2


# -- errors inside a good response ------------------------------------------------------------------------------------


def in_a_choice(error: Any) -> dict[str, Any]:
    return {"choices": [{"error": error, "finish_reason": "error"}]}


@pytest.mark.parametrize(
    "error",
    [
        {"message": "slow down", "code": 429},
        {"message": "bad gateway", "code": "502"},
        {"message": "no", "code": "rate_limit_exceeded"},
        {"message": "no", "type": "server_error"},
        {"message": "no", "type": "overloaded_error"},
    ],
    ids=lambda error: str(error.get("code") or error.get("type")),
)
@pytest.mark.parametrize("form", [lambda error: {"error": error}, in_a_choice], ids=["alone", "in a choice"])
def test_a_passing_error_with_status_200_is_tried_again(form: Any, error: dict[str, Any]) -> None:
    assert len(ask(form(error), HI)[1].bodies) == 2


@pytest.mark.parametrize(
    "error",
    [{"message": "no such model", "code": 404}, {"message": "no such model"}, "no such model", ["no such model"]],
    ids=["code", "no code", "text", "list"],
)
@pytest.mark.parametrize("api", ["chat", "responses"])
def test_another_error_with_status_200_ends_the_call_in_its_words(api: str, error: Any) -> None:
    answers: list[Any] = []

    async def once(request: web.Request) -> web.StreamResponse:
        answers.append(error)
        return web.json_response({"error": error})

    with pytest.raises(InfrastructureFailure, match=r"the server reported a failure: .*no such model"):
        ask(once, api=api)
    assert len(answers) == 1


def test_a_full_context_with_status_200_is_still_a_full_context() -> None:
    with pytest.raises(ContextFull):
        ask({"error": {"message": "maximum context length is 10 tokens", "code": 400}})


def test_a_response_that_was_cancelled_is_an_infrastructure_failure() -> None:
    with pytest.raises(InfrastructureFailure, match="cancelled"):
        ask(responses(status="cancelled"), api="responses")
