"""What is refused, and how: keys, rates, sizes, times, bodies that are not what they should be. And what is held."""

import asyncio
import json
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.servers.running import Running, running
from verigym.core.errors import BadInput, Refused
from verigym.core.protocols import Reply, Request
from verigym.core.records import Message, Turn, Version
from verigym.policies.scripted import ScriptedPolicy
from verigym.servers import chat, responses
from verigym.servers.admission import Door, Limits, is_loopback, keys_from
from verigym.servers.errors import HttpError

KEY, OTHER = "key-of-ann-0123456789", "key-of-bob-0123456789"
ASKED: Any = [{"role": "user", "content": "Hi"}]
CHAT = json.dumps({"model": "echo", "messages": ASKED}).encode()


class Slow:
    """Answers after a while; knows how many wait at once, and who was cancelled."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.now, self.most, self.cancelled = seconds, 0, 0, 0

    async def respond(self, request: Request) -> Reply:
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await asyncio.sleep(self.seconds)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.now -= 1
        return Reply(items=[Message("assistant", "Hello.")], turn=Turn())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("home"), fixed="echo", limits=Limits(body=4096)) as found:
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
            "only text is read here",
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
def test_a_body_that_is_wrong_is_refused_with_the_place_in_it(server: Running, body: bytes, words: str) -> None:
    status, answer = raw(server, body)
    assert status == 400 and words in answer["error"]["message"]
    assert answer["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("n", 2, "one reply"),
        ("logprobs", True, "captured, and not sent"),
        ("frequency_penalty", 0.5, "penalties"),
        ("temperature", 3, "temperature"),
        ("max_tokens", 0, "max_tokens"),
        ("tool_choice", "sometimes", "tool_choice"),
        ("tool_choice", "required", "there is no tool to call"),
        ("tool_choice", {"type": "function", "function": {"name": "b"}}, 'there is no tool "b"'),
        ("parallel_tool_calls", False, "several"),
        ("reasoning_effort", "high", "unknown field `reasoning_effort`"),
        ("tools", [{"type": "function", "function": {"name": "a"}}] * 2, 'two tools are named "a"'),
    ],
)
def test_what_is_not_done_here_is_refused_by_name(server: Running, field: str, value: Any, words: str) -> None:
    status, answer = raw(server, json.dumps({"model": "echo", "messages": ASKED, field: value}).encode())
    assert status == 400 and words in answer["error"]["message"]


def test_a_schema_and_tools_are_not_taken_together(server: Running) -> None:
    tool = {"type": "function", "function": {"name": "a"}}
    body = {"model": "echo", "messages": ASKED, "tools": [tool], "response_format": {"type": "json_object"}}
    status, answer = raw(server, json.dumps(body).encode())
    assert status == 400 and "tool_choice" in answer["error"]["message"]


def test_an_item_of_responses_that_is_wrong_is_named(server: Running) -> None:
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
def test_whatever_stands_in_a_field_is_read_or_refused(api: Any, value: Any) -> None:
    plain = {"model": "echo", "messages" if api is chat else "input": [{"role": "user", "content": "x"}]}
    for field in ("messages", "input", "tools", "stop", "metadata", "response_format", "text", "tool_choice"):
        try:
            assert api.read(json.dumps({**plain, field: value}).encode()).items
        except HttpError as error:
            assert error.status == 400


def test_a_body_that_is_too_large_is_refused_whether_it_says_so_or_not(server: Running) -> None:
    large = json.dumps({"model": "echo", "messages": [{"role": "user", "content": "x" * 5000}]}).encode()
    for more in ([], ["-H", "Transfer-Encoding: chunked"]):
        status, answer = raw(server, large, "/v1/chat/completions", *more)
        assert status == 413 and "--max-body" in answer["error"]["message"]


def test_half_a_letter_is_mended(server: Running) -> None:
    body = b'{"model": "echo", "messages": [{"role": "user", "content": "half \\ud83d"}]}'
    assert raw(server, body)[0] == 200
    said = server.recorded.exchanges[-1].items[-1]
    assert isinstance(said, Message) and said.text.startswith("half \ufffd")


# -- who and how often ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.com"])
def test_an_address_that_others_can_reach_demands_a_key(host: str) -> None:
    with pytest.raises(Refused, match="--key-env"):
        keys_from("", host)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_loopback_does_not(host: str) -> None:
    assert is_loopback(host) and keys_from("", host) == []


def test_keys_come_from_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEYS", f"{KEY}, {OTHER}")
    assert keys_from("KEYS", "0.0.0.0") == [KEY, OTHER]
    monkeypatch.setenv("KEYS", "short")
    with pytest.raises(BadInput, match="at least 16"):
        keys_from("KEYS", "127.0.0.1")
    with pytest.raises(BadInput, match="not set"):
        keys_from("NO_SUCH_KEYS", "127.0.0.1")


def test_without_the_key_nobody_gets_in(tmp_path: Path) -> None:
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
    [("http://127.0.0.1:3000", 200), ("http://localhost", 200), ("https://evil.example", 403), ("null", 403)],
)
def test_a_page_of_another_site_cannot_ask_through_a_browser(server: Running, origin: str, status: int) -> None:
    assert raw(server, CHAT, "/v1/chat/completions", "-H", f"Origin: {origin}")[0] == status


def test_more_than_the_rate_is_told_when_to_come_again(tmp_path: Path) -> None:
    with running(tmp_path, fixed="echo", keys=[KEY, OTHER], limits=Limits(rate=2)) as server:
        client = server.client(api_key=KEY)
        for _ in range(2):
            client.chat.completions.create(model="echo", messages=ASKED)
        with pytest.raises(openai.RateLimitError, match="2 requests a minute") as raised:
            client.chat.completions.create(model="echo", messages=ASKED)
        assert 25 <= int(raised.value.response.headers["retry-after"]) <= 32
        assert server.client(api_key=OTHER).chat.completions.create(model="echo", messages=ASKED).choices


def test_a_bucket_fills_again(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    door = Door(Limits(rate=60))
    for _ in range(10):
        door.check({}, "a")
    with pytest.raises(HttpError):
        door.check({}, "a")
    clock[0] += 1.0
    door.check({}, "a")
    with pytest.raises(HttpError):
        door.check({}, "a")


# -- how long and how many ------------------------------------------------------------------------------------------


def test_an_answer_that_takes_too_long_is_given_up_and_its_generation_cancelled(tmp_path: Path) -> None:
    slow = Slow(20)
    with running(tmp_path, lambda _: slow, fixed="echo", limits=Limits(seconds=0.3)) as server:
        with pytest.raises(openai.InternalServerError) as raised:
            server.client().chat.completions.create(model="echo", messages=ASKED)
        assert raised.value.status_code == 504 and slow.cancelled == 1


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_a_client_that_leaves_cancels_its_generation(tmp_path: Path, stream: bool) -> None:
    slow = Slow(20)
    with running(tmp_path, lambda _: slow, fixed="echo") as server:
        with pytest.raises(openai.APITimeoutError):
            server.client(timeout=0.3).chat.completions.create(model="echo", messages=ASKED, stream=stream)
        server.until(lambda: slow.cancelled == 1 and server.gateway.door.inside == 0)
        assert server.gateway.recorder.metrics.requests["/v1/chat/completions", 499] == 1


def test_a_client_that_leaves_amid_its_body_is_let_go(server: Running) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as half:
        half.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
        server.until(lambda: server.gateway.door.inside == 1)
    server.until(lambda: server.gateway.door.inside == 0)


def test_two_hundred_requests_are_held_at_once(tmp_path: Path) -> None:
    slow = Slow(2.0)
    with running(tmp_path, lambda _: slow, fixed="echo") as server:

        async def ask_all() -> list[str]:
            async with server.async_client() as client:
                asked = [client.chat.completions.create(model="echo", messages=ASKED) for _ in range(200)]
                return [made.choices[0].message.content or "" for made in await asyncio.gather(*asked)]

        assert asyncio.run(ask_all()) == ["Hello."] * 200
        assert slow.most == 200
        assert len(server.recorded.exchanges) == 200


def test_more_than_may_wait_are_sent_away(tmp_path: Path) -> None:
    slow = Slow(1.0)
    with running(tmp_path, lambda _: slow, fixed="echo", limits=Limits(queue=4)) as server:

        async def ask_all() -> list[Any]:
            async with server.async_client() as client:
                asked = [client.chat.completions.create(model="echo", messages=ASKED) for _ in range(10)]
                return await asyncio.gather(*asked, return_exceptions=True)

        found = asyncio.run(ask_all())
        refused = [one for one in found if isinstance(one, openai.InternalServerError)]
        assert len(refused) == 6 and {one.status_code for one in refused} == {503}
        assert refused[0].response.headers["retry-after"] == "1"


def test_what_breaks_inside_is_said_without_its_details(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = ScriptedPolicy([RuntimeError("secret path /x/y")])
    with running(tmp_path, lambda _: broken, fixed="echo") as server:
        with pytest.raises(openai.InternalServerError) as raised:
            server.client().chat.completions.create(model="echo", messages=ASKED)
        assert raised.value.status_code == 500 and "secret" not in str(raised.value)
        assert server.recorded.exchanges[-1].error is not None
    assert "secret path /x/y" in capsys.readouterr().out


# -- metrics and feedback -------------------------------------------------------------------------------------------


def test_metrics_count_what_happened(tmp_path: Path) -> None:
    with running(tmp_path, fixed="echo") as server:
        client = server.client()
        client.chat.completions.create(model="echo", messages=ASKED)
        client.responses.create(model="echo", input="Hi")
        with pytest.raises(openai.NotFoundError):
            client.chat.completions.create(model="nobody", messages=ASKED)
        text = subprocess.run(["curl", "-s", f"{server.url}/metrics"], capture_output=True, text=True).stdout
    one = server.gateway.lineup.champion.version
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


def test_feedback_is_kept(server: Running) -> None:
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
def test_feedback_that_cannot_be_kept_is_refused(server: Running, body: dict[str, Any], status: int) -> None:
    assert raw(server, json.dumps(body).encode(), "/v1/feedback")[0] == status


def test_a_versions_own_settings_hold_where_the_client_says_nothing() -> None:
    from verigym.core.records import Sampling
    from verigym.servers.answer import DEFAULT, request_of

    version = Version(base="b", sampling=Sampling(temperature=0.3, top_k=5), constraints="tools")
    asked = chat.read(json.dumps({"model": "m", "messages": ASKED, "temperature": 0.9, "stop": "x"}).encode())
    assert request_of(asked, version).sampling == Sampling(temperature=0.9, top_k=5, stop=["x"], constrain="tools")
    assert request_of(asked, Version(base="b")).sampling == Sampling(
        temperature=0.9, stop=["x"], max_tokens=DEFAULT.max_tokens
    )
