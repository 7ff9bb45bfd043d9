"""Limits of the gateway: keys, rates, sizes, timeouts, invalid bodies and concurrent requests."""

import asyncio
import contextlib
import itertools
import json
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.servers.running import Running, leaving, running
from verigym.core.errors import BadInput, Refused
from verigym.core.protocols import Reply, Request
from verigym.core.records import Message, Turn, Version
from verigym.policies.scripted import ScriptedPolicy
from verigym.servers.admission import Admission, AdmissionLimits, is_loopback, keys_from
from verigym.servers.connections import limited
from verigym.servers.local import ResponseMemory
from verigym.servers.types import HttpError
from verigym.wire import chat, responses
from verigym.wire.types import InvalidRequest

KEY, OTHER = "key-of-ann-0123456789", "key-of-bob-0123456789"
ASKED: Any = [{"role": "user", "content": "Hi"}]
CHAT = json.dumps({"model": "echo", "messages": ASKED}).encode()


class Waiting:
    """Answers when it is released, or when `needed` requests wait at the same time. Counts cancelled requests."""

    def __init__(self, needed: int = 0) -> None:
        self.needed, self.now, self.cancelled = needed, 0, 0
        self.released = threading.Event()

    async def respond(self, request: Request) -> Reply:
        self.now += 1
        if self.now == self.needed:
            self.released.set()
        try:
            async with asyncio.timeout(900):
                while not self.released.is_set():
                    await asyncio.sleep(0.01)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.now -= 1
        return Reply(items=[Message("assistant", "Hello.")], turn=Turn())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("home"), fixed="echo", limits=AdmissionLimits(body=4096)) as found:
        yield found


def raw(server: Running, body: bytes, path: str = "/v1/chat/completions", *more: str) -> tuple[int, Any]:
    command = ["curl", "-sS", "-w", "\n%{http_code}", f"{server.url}{path}", "--data-binary", "@-", *more]
    done = subprocess.run(command, input=body, capture_output=True, check=True)
    answer, _, status = done.stdout.rpartition(b"\n")
    return int(status), json.loads(answer) if answer else None


# -- bodies ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[1]", "Expected `object`"),
        (b'{"model": "echo", "messages": []}', "messages"),
        (b'{"model": "echo"}', "missing required field `messages`"),
        (b'{"messages": [{"role": "user", "content": "x"}]}', "missing required field `model`"),
        (b'{"model": 3, "messages": []}', "model"),
        (b'{"model": "echo", "messages": [{"role": "robot", "content": "x"}]}', "messages[0].role"),
        (b'{"model": "echo", "messages": [{"role": "user", "content": 5}]}', "messages[0].content"),
        (b'{"model": "echo", "messages": [{"role": "tool", "content": "x"}]}', "tool_call_id"),
        (
            b'{"model": "echo", "messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]}',
            "Only text content is supported",
        ),
        (b'{"model": "echo", "messages": [{"role": "user", "content": "\xff"}]', "not JSON"),
        (b'{"model": "echo", "messages": [{"role": "user", "content": "x"}], "stop": ""}', "stop"),
        (b'{"model": "echo", "messages": ' + b"[" * 1500 + b"]" * 1500 + b"}", ""),
    ],
    ids=[
        "empty",
        "cut off",
        "a list",
        "no messages",
        "messages missing",
        "model missing",
        "a number for a name",
        "an unknown role",
        "a number for words",
        "a result of no call",
        "an image",
        "no text",
        "an empty stop text",
        "nested deeply",
    ],
)
def test_an_invalid_body_is_refused_with_the_field(server: Running, body: bytes, words: str) -> None:
    status, answer = raw(server, body)
    assert status == 400 and words in answer["error"]["message"]
    assert answer["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("n", 2, "one reply"),
        ("logprobs", True, "does not send logprobs"),
        ("frequency_penalty", 0.5, "penalties"),
        ("temperature", 3, "temperature"),
        ("max_tokens", 0, "max_tokens"),
        ("tool_choice", "sometimes", "tool_choice"),
        ("tool_choice", "required", "no tool is offered"),
        ("tool_choice", {"type": "function", "function": {"name": "b"}}, 'no tool is named "b"'),
        ("logit_bias", {"5": 1}, "unknown field `logit_bias`"),
        ("tools", [{"type": "function", "function": {"name": "a"}}] * 2, 'two tools are named "a"'),
    ],
)
def test_an_unsupported_field_is_refused_by_name(server: Running, field: str, value: Any, words: str) -> None:
    status, answer = raw(server, json.dumps({"model": "echo", "messages": ASKED, field: value}).encode())
    assert status == 400 and words in answer["error"]["message"]


def test_a_schema_and_tools_cannot_be_combined(server: Running) -> None:
    tool = {"type": "function", "function": {"name": "a"}}
    body = {"model": "echo", "messages": ASKED, "tools": [tool], "response_format": {"type": "json_object"}}
    status, answer = raw(server, json.dumps(body).encode())
    assert status == 400 and "tool_choice" in answer["error"]["message"]


def test_an_invalid_responses_item_is_named(server: Running) -> None:
    body = {"model": "echo", "input": [{"role": "user", "content": "x"}, {"type": "function_call", "name": "a"}]}
    status, answer = raw(server, json.dumps(body).encode(), "/v1/responses")
    assert status == 400 and answer["error"]["param"] == "input[1]" and "call_id" in answer["error"]["message"]


@settings(max_examples=100)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda x: st.lists(x) | st.dictionaries(st.text(), x),
    )
)
@pytest.mark.parametrize("api", [chat, responses], ids=["chat", "responses"])
def test_any_json_in_a_field_is_read_or_refused(api: Any, value: Any) -> None:
    plain = {"model": "echo", "messages" if api is chat else "input": [{"role": "user", "content": "x"}]}
    for field in ("messages", "input", "tools", "stop", "metadata", "response_format", "text", "tool_choice"):
        with contextlib.suppress(InvalidRequest):
            assert api.read_request(json.dumps({**plain, field: value}).encode()).items


def test_a_large_body_is_refused_with_or_without_a_length(server: Running) -> None:
    large = json.dumps({"model": "echo", "messages": [{"role": "user", "content": "x" * 5000}]}).encode()
    for more in ([], ["-H", "Transfer-Encoding: chunked"]):
        status, answer = raw(server, large, "/v1/chat/completions", *more)
        assert status == 413 and "--max-body" in answer["error"]["message"]


def test_half_a_surrogate_pair_is_replaced(server: Running) -> None:
    body = b'{"model": "echo", "messages": [{"role": "user", "content": "half \\ud83d"}]}'
    assert raw(server, body)[0] == 200
    said = server.recorded.exchanges[-1].context[-1]
    assert isinstance(said, Message) and said.text.startswith("half \ufffd")


# -- who and how often ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.com"])
def test_a_public_address_requires_a_key(host: str) -> None:
    with pytest.raises(Refused, match="--key-env"):
        keys_from("", host)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_loopback_requires_no_key(host: str) -> None:
    assert is_loopback(host) and keys_from("", host) == []


def test_keys_come_from_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEYS", f"{KEY}, {OTHER}")
    assert keys_from("KEYS", "0.0.0.0") == [KEY, OTHER]
    monkeypatch.setenv("KEYS", "short")
    with pytest.raises(BadInput, match="at least 16"):
        keys_from("KEYS", "127.0.0.1")
    with pytest.raises(BadInput, match="not set"):
        keys_from("NO_SUCH_KEYS", "127.0.0.1")


def test_requests_without_the_key_are_refused(tmp_path: Path) -> None:
    with running(tmp_path, fixed="echo", keys=[KEY, OTHER]) as server:
        for wrong in ("none", KEY[:-1], KEY + "x", "\u00e9"):
            with pytest.raises((openai.AuthenticationError, UnicodeEncodeError)):
                server.client(api_key=wrong).chat.completions.create(model="echo", messages=ASKED)
        for path in ("/v1/models", "/metrics"):
            command = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", f"{server.url}{path}"]
            assert subprocess.run(command, capture_output=True, text=True).stdout == "401"
        for key in (KEY, OTHER):
            assert server.client(api_key=key).chat.completions.create(model="echo", messages=ASKED).choices
        kept = str(server.recorded.exchanges)
        assert KEY not in kept and OTHER not in kept
        assert len({seen.user for seen in server.recorded.exchanges}) == 2
        health = subprocess.run(["curl", "-sf", f"{server.url}/health"], capture_output=True, text=True)
        assert json.loads(health.stdout)["status"] == "ok"


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://127.0.0.1:3000", 200),
        ("http://localhost", 200),
        ("https://evil.example", 403),
        ("null", 403),
        ("http://[::1", 403),
        ("http://[::1]:3000", 200),
        ("://", 403),
    ],
)
def test_a_page_of_another_site_is_refused(server: Running, origin: str, status: int) -> None:
    assert raw(server, CHAT, "/v1/chat/completions", "-H", f"Origin: {origin}")[0] == status


@pytest.mark.parametrize(
    ("host", "status"),
    [("localhost:8400", 200), ("[::1]:8400", 200), ("127.0.0.1", 200), ("rebound.example:8400", 403), ("[::1", 403)],
)
@pytest.mark.parametrize("path", ["/v1/models", "/health", "/openapi.json", "/metrics"])
def test_a_name_that_was_pointed_at_this_machine_is_refused(server: Running, path: str, host: str, status: int) -> None:
    assert got(server, path, f"Host: {host}") == status


def got(server: Running, path: str, *headers: str) -> int:
    given = [part for header in headers for part in ("-H", header)]
    command = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", *given, f"{server.url}{path}"]
    return int(subprocess.run(command, capture_output=True, text=True).stdout)


def test_pages_that_name_the_models_need_the_key(tmp_path: Path) -> None:
    with running(tmp_path, fixed="echo", keys=[KEY]) as server:
        for path in ("/openapi.json", "/docs", "/redoc"):
            assert got(server, path) == 401
            assert got(server, path, f"Authorization: Bearer {KEY}") == 200
        assert got(server, "/health", "Host: gateway.example") == 200, "a server with keys may have any name"


def test_the_rate_limit_says_when_to_try_again(tmp_path: Path) -> None:
    with running(tmp_path, fixed="echo", keys=[KEY, OTHER], limits=AdmissionLimits(rate=2)) as server:
        client = server.client(api_key=KEY)
        for _ in range(2):
            client.chat.completions.create(model="echo", messages=ASKED)
        with pytest.raises(openai.RateLimitError, match="2 requests per minute") as raised:
            client.chat.completions.create(model="echo", messages=ASKED)
        assert 25 <= int(raised.value.response.headers["retry-after"]) <= 32
        assert server.client(api_key=OTHER).chat.completions.create(model="echo", messages=ASKED).choices


def test_the_rate_limit_refills(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    admission = Admission(AdmissionLimits(rate=60))
    for _ in range(10):
        admission.check({}, "a")
    with pytest.raises(HttpError):
        admission.check({}, "a")
    clock[0] += 1.0
    admission.check({}, "a")
    with pytest.raises(HttpError):
        admission.check({}, "a")


# -- how long and how many ------------------------------------------------------------------------------------------


def test_a_timeout_cancels_the_generation(tmp_path: Path) -> None:
    waiting = Waiting()
    with running(tmp_path, lambda _: waiting, fixed="echo", limits=AdmissionLimits(seconds=3)) as server:
        with pytest.raises(openai.InternalServerError) as raised:
            server.client().chat.completions.create(model="echo", messages=ASKED)
        assert raised.value.status_code == 504 and waiting.cancelled == 1


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_a_client_that_disconnects_cancels_its_generation(tmp_path: Path, stream: bool) -> None:
    waiting = Waiting()
    with running(tmp_path, lambda _: waiting, fixed="echo") as server:
        with leaving(server.port, msgspec.json.encode({"model": "echo", "messages": ASKED, "stream": stream})):
            server.until(lambda: waiting.now == 1)
        server.until(lambda: waiting.cancelled == 1 and server.gateway.admission.inside == 0)
        assert server.gateway.recorder.metrics.requests["/v1/chat/completions", 499] == 1


def test_a_client_may_disconnect_while_sending_its_body(server: Running) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as half:
        half.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
    server.until(lambda: server.gateway.recorder.metrics.requests["/v1/chat/completions", 499] == 1)


def test_two_hundred_requests_run_at_once(tmp_path: Path) -> None:
    waiting = Waiting(needed=200)
    with running(tmp_path, lambda _: waiting, fixed="echo") as server:

        async def ask_all() -> list[str]:
            async with server.async_client() as client:
                asked = [client.chat.completions.create(model="echo", messages=ASKED) for _ in range(200)]
                return [made.choices[0].message.content or "" for made in await asyncio.gather(*asked)]

        assert asyncio.run(ask_all()) == ["Hello."] * 200
        assert len(server.recorded.exchanges) == 200


def test_requests_beyond_the_queue_limit_are_refused(tmp_path: Path) -> None:
    waiting = Waiting()
    with running(tmp_path, lambda _: waiting, fixed="echo", limits=AdmissionLimits(queue=4)) as server:

        async def ask_all() -> list[Any]:
            async with server.async_client() as client:
                calls = [client.chat.completions.create(model="echo", messages=ASKED) for _ in range(10)]
                tasks = [asyncio.create_task(call) for call in calls]
                refused = [_error_of(task) for task in itertools.islice(asyncio.as_completed(tasks), 6)]
                errors = await asyncio.gather(*refused)
                waiting.released.set()
                answered = [task for task in tasks if (await asyncio.wait([task])) and task.exception() is None]
                assert len(answered) == 4
                return errors

        errors = asyncio.run(ask_all())
        assert {error.status_code for error in errors} == {503}
        assert errors[0].response.headers["retry-after"] == "1"


async def _error_of(call: Any) -> Any:
    with pytest.raises(openai.InternalServerError) as raised:
        await call
    return raised.value


def test_an_internal_error_hides_its_details(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = ScriptedPolicy([RuntimeError("secret path /x/y")])
    with running(tmp_path, lambda _: broken, fixed="echo") as server:
        with pytest.raises(openai.InternalServerError) as raised:
            server.client().chat.completions.create(model="echo", messages=ASKED)
        assert raised.value.status_code == 500 and "secret" not in str(raised.value)
        assert server.recorded.exchanges[-1].error is not None
    assert "secret path /x/y" in capsys.readouterr().out


# -- connections ----------------------------------------------------------------------------------------------------


def connections(port: int, count: int, data: bytes = b"") -> list[socket.socket]:
    opened = [socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(count)]
    for each in opened:
        each.sendall(data)
    return opened


HALF = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"


def test_a_connection_that_sends_no_request_is_closed(tmp_path: Path) -> None:
    with running(tmp_path, fixed="echo", http=limited(100, header_s=2)) as server:
        (silent,) = connections(server.port, 1)
        assert silent.recv(1000) == b""
        (slow,) = connections(server.port, 1, HALF)
        assert slow.recv(1000).startswith(b"HTTP/1.1 408 ")
        (later,) = connections(server.port, 1, HALF + b"\r\n")
        assert later.recv(1000).startswith(b"HTTP/1.1 200 ")
        later.sendall(HALF)
        assert b"header_time_out" in b"".join(iter(lambda: later.recv(1000), b""))


def test_silent_connections_keep_nobody_out(tmp_path: Path) -> None:
    with running(tmp_path, fixed="echo", http=limited(10, header_s=600)) as server:
        silent = connections(server.port, 20)
        assert server.client().chat.completions.create(model="echo", messages=ASKED).choices
        assert silent[0].recv(1) == b"", "the oldest one made room"


def test_more_connections_than_the_maximum_are_told_so(tmp_path: Path) -> None:
    waiting = Waiting()
    with running(tmp_path, lambda _: waiting, fixed="echo", http=limited(3, header_s=600)) as server:
        request = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%b"
        busy = connections(server.port, 3, request % (len(CHAT), CHAT))
        server.until(lambda: waiting.now == 3)
        (refused,) = connections(server.port, 1)
        told = refused.recv(1000)
        assert told.startswith(b"HTTP/1.1 503 ") and b"too_many_connections" in told
        waiting.released.set()
        assert all(each.recv(1000).startswith(b"HTTP/1.1 200 ") for each in busy)


def test_bodies_that_arrive_slowly_take_no_place_in_the_queue(tmp_path: Path) -> None:
    with running(tmp_path, fixed="echo", limits=AdmissionLimits(queue=2)) as server:
        slow = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"
        held = connections(server.port, 5, slow)
        assert server.client().chat.completions.create(model="echo", messages=ASKED).choices
        assert len(held) == 5


@pytest.mark.parametrize("path", ["/health", "/ready", "/v1/models", "/metrics"])
def test_a_page_is_answered_without_reading_a_body(tmp_path: Path, path: str) -> None:
    head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {KEY}\r\nContent-Length: 10000000\r\n\r\n"
    with running(tmp_path, fixed="echo", keys=[KEY]) as server:
        (waiting,) = connections(server.port, 1, head.encode() + b"x" * 1000)
        assert waiting.recv(1000).startswith(b"HTTP/1.1 200 ")
        waiting.close()


def text_of(item: Any) -> str:
    return item.text


def test_the_memory_of_responses_has_a_limit_in_bytes() -> None:
    memory = ResponseMemory(max_bytes=300_000, max_bytes_per_key=100_000)

    def held(owner: str) -> int:
        items = {id(item): text_of(item) for n in range(100) for item in memory.find(owner, f"r{n}")}
        return sum(map(len, items.values()))

    for n in range(100):
        for owner in ("ann", "bob", "cid", "dan"):
            memory.add(owner, f"r{n}", [Message("user", f"{n}" + "x" * 20_000)])
    assert all(memory.find(owner, "r99") for owner in ("bob", "cid", "dan")), "the latest stay"
    assert 60_000 < held("dan") <= 100_000
    assert sum(map(held, ("ann", "bob", "cid", "dan"))) <= 300_000
    memory.add("ann", "r1", [Message("user", "\U0001f600" + "x" * 30_000)])
    assert memory.find("ann", "r1") == [], "one such character makes the whole text four times as large"
    assert memory.find("dan", "r99"), "a key's own responses made room"


def test_a_long_conversation_counts_each_item_once() -> None:
    memory = ResponseMemory(max_bytes_per_key=100_000)
    for n in range(80):
        memory.add("ann", f"r{n}", [*memory.find("ann", f"r{n - 1}"), Message("user", "x" * 500)])
    assert len(memory.find("ann", "r0")) == 1 and len(memory.find("ann", "r79")) == 80
    for n in range(80, 300):
        memory.add("ann", f"r{n}", [*memory.find("ann", f"r{n - 1}"), Message("user", "x" * 500)])
        assert sum(len(text_of(item)) for item in memory.find("ann", f"r{n}")) <= 100_000, "longer ones are not kept"


# -- metrics and feedback -------------------------------------------------------------------------------------------


def test_metrics_count_requests(tmp_path: Path) -> None:
    with running(tmp_path, fixed="echo") as server:
        client = server.client()
        client.chat.completions.create(model="echo", messages=ASKED)
        client.responses.create(model="echo", input="Hi")
        with pytest.raises(openai.NotFoundError):
            client.chat.completions.create(model="nobody", messages=ASKED)
        text = subprocess.run(["curl", "-s", f"{server.url}/metrics"], capture_output=True, text=True).stdout
    one = server.gateway.router.champion.version
    for line in [
        'verigym_requests_total{route="/v1/chat/completions",status="200"} 1',
        'verigym_requests_total{route="/v1/chat/completions",status="404"} 1',
        'verigym_requests_total{route="/v1/responses",status="200"} 1',
        'verigym_request_seconds_bucket{route="/v1/responses",le="+Inf"} 1',
        'verigym_request_seconds_count{route="/v1/chat/completions"} 2',
        "verigym_requests_in_flight 0",
        f'verigym_answers_total{{version="{one.id}"}} 2',
        f'verigym_version_info{{role="fixed",version="{one.id}",name="echo"}} 1',
        'verigym_captured_total{outcome="captured"} 2',
        'verigym_captured_total{outcome="lost: disk"} 2',
    ]:
        assert line in text.splitlines()
    samples = [line for line in text.splitlines() if not line.startswith("#")]
    assert all(len(line.rsplit(" ", 1)) == 2 and float(line.rsplit(" ", 1)[1]) >= 0 for line in samples)


def test_feedback_is_stored(server: Running) -> None:
    body = {"trajectory": "traces-served-x/1", "outcome": "failure", "correction": "Goodbye.", "note": "rude"}
    status, answer = raw(server, json.dumps(body).encode(), "/v1/feedback")
    assert status == 200 and answer["trajectory"] == "traces-served-x/1"
    of, said = server.recorded.said[-1]
    assert of == "traces-served-x/1" and said["correction"] == [Message("assistant", "Goodbye.")]
    call = {"type": "function_call", "call_id": "c", "name": "add", "arguments": "{}"}
    body = {"conversation": "talk-1", "outcome": "success", "correction": [call]}
    assert raw(server, json.dumps(body).encode(), "/v1/feedback")[0] == 200
    assert server.recorded.said[-1][0] == "talk-1"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"outcome": "failure"}, 400),
        ({"trajectory": "a", "conversation": "b", "outcome": "failure"}, 400),
        ({"trajectory": "a", "outcome": "bad"}, 400),
        ({"trajectory": "a", "correction": [{"type": "function_call"}]}, 400),
        ({"trajectory": "unknown", "outcome": "failure"}, 404),
    ],
    ids=["about nothing", "about two", "no outcome", "no item", "unknown"],
)
def test_invalid_feedback_is_refused(server: Running, body: dict[str, Any], status: int) -> None:
    assert raw(server, json.dumps(body).encode(), "/v1/feedback")[0] == status


def test_a_versions_settings_apply_if_the_client_sets_none() -> None:
    from verigym.core.records import Sampling
    from verigym.policies.answering import DEFAULT_SAMPLING, policy_request

    version = Version(base="b", sampling=Sampling(temperature=0.3, top_k=5), constraints="tools")
    asked = chat.read_request(json.dumps({"model": "m", "messages": ASKED, "temperature": 0.9, "stop": "x"}).encode())
    assert policy_request(asked, version).sampling == Sampling(temperature=0.9, top_k=5, stop=["x"], constrain="tools")
    assert policy_request(asked, Version(base="b")).sampling == Sampling(
        temperature=0.9, stop=["x"], max_tokens=DEFAULT_SAMPLING.max_tokens
    )
