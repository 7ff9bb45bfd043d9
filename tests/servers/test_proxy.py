"""A gateway in front of another server: bodies go through as they are, streams as they come, what fails is said and captured."""

import asyncio
import contextlib
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import openai
import pytest
from aiohttp import web

from tests.servers.behind import SAID, Answer, Behind, behind, hangs, says, streams, streams_after_the_first
from tests.servers.running import Running, leaving, running
from verigym.core.records import FunctionCall, Image, InputText, Message, Sampling, Version
from verigym.servers import proxy
from verigym.servers.admission import AdmissionLimits
from verigym.servers.routing import ModelPool
from verigym.workspace.workspace import WorkspaceFolder

KEY = "sk-upstream-secret-4711"
ASKED: Any = [{"role": "user", "content": "Hi"}]


def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
    choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
    return b"data: " + json.dumps({"id": "chatcmpl-2", "choices": choices, **more}).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"
WORDS = [
    chunk({"role": "assistant", "content": "Hel"}),
    chunk({"content": "lo."}),
    chunk({}, "stop", usage={"prompt_tokens": 3, "completion_tokens": 2}),
    DONE,
]


@pytest.fixture(scope="module")
def server_behind() -> Iterator[tuple[Behind, str]]:
    with behind() as found:
        yield found


class Pair:
    def __init__(self, server: Running, back: Behind) -> None:
        self.server, self.back = server, back

    @property
    def seen(self) -> Any:
        self.server.until(lambda: bool(self.server.recorded.exchanges))
        return self.server.recorded.exchanges[-1]


@contextlib.contextmanager
def passing(
    home: Path,
    found: tuple[Behind, str],
    *,
    keys: list[str] | None = None,
    limits: AdmissionLimits = AdmissionLimits(),
    options: str = "",
    **fields: Any,
) -> Iterator[Pair]:
    back, address = found
    back.answer = says(SAID)
    ws = WorkspaceFolder(home)
    one = ws.register(Version(base=f"{address}#qwen{options}", name="behind", **fields))
    with (
        pytest.MonkeyPatch.context() as patch,
        running(home, fixed=one, pool=ModelPool(ws), keys=keys, limits=limits) as server,
    ):
        patch.setenv("OPENAI_API_KEY", KEY)
        yield Pair(server, back)


@pytest.fixture
def pair(tmp_path: Path, server_behind: tuple[Behind, str]) -> Iterator[Pair]:
    with passing(tmp_path, server_behind) as found:
        yield found


def post(url: str, body: bytes, headers: dict[str, str] | None = None) -> tuple[int, bytes, Any]:
    async def run() -> tuple[int, bytes, Any]:
        async with aiohttp.ClientSession() as session, session.post(url, data=body, headers=headers) as response:
            return response.status, await response.read(), response.headers

    return asyncio.run(run())


# -- as it is -------------------------------------------------------------------------------------------------------


def test_a_body_goes_through_byte_for_byte_and_so_does_the_answer(pair: Pair) -> None:
    body = b'{ "model":"qwen",  "messages":[{"role":"user","content":"Hi"}], "made_up": [1.0, 1e3, "\\u00e9"] }'
    status, answer, headers = post(f"{pair.server.url}/v1/chat/completions", body, {"X-Team": "blue"})
    assert pair.back.bodies[-1] == body and pair.back.paths[-1] == "/v1/chat/completions"
    assert status == 200 and answer == json.dumps(SAID).encode()
    assert pair.back.headers[-1]["X-Team"] == "blue"
    assert headers["x-request-id"] == "req-1" and "set-cookie" not in headers
    assert headers["x-verigym-trajectory"].startswith("traces-served-")


def test_the_server_behind_cannot_name_a_trajectory(pair: Pair) -> None:
    async def forges(request: web.Request) -> web.StreamResponse:
        return web.json_response(SAID, headers={"X-Verigym-Trajectory": "forged", "x-verigym-version": "forged"})

    pair.back.answer = forges
    _, _, headers = post(
        f"{pair.server.url}/v1/chat/completions", b'{"model":"qwen","messages":[{"role":"user","content":"Hi"}]}'
    )
    assert headers.getall("x-verigym-trajectory") == ["traces-served-2026-01-01/0123456789abcdef"]
    assert "forged" not in headers.getall("x-verigym-version")


def test_a_stream_that_is_too_large_goes_on_uncaptured(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy, "_LARGEST_STREAM", 100_000)
    held: list[int] = []
    grow = proxy._Copy.add
    monkeypatch.setattr(proxy._Copy, "add", lambda copy, part: (grow(copy, part), held.append(len(copy.body)))[0])
    pair.back.answer = streams(*[chunk({"content": "x" * 1000})] * 3000, *WORDS)
    body = b'{"model":"qwen","stream":true,"messages":[{"role":"user","content":"Hi"}]}'
    status, answer, _ = post(f"{pair.server.url}/v1/chat/completions", body)
    assert status == 200 and answer.endswith(DONE) and len(answer) > 3_000_000, "the client gets all of it"
    assert max(held) <= 200_000 and pair.server.gateway.recorder.copied == 0
    assert pair.seen.error is not None and pair.seen.error.kind == "TooLarge"
    assert pair.seen.context == [Message("user", "Hi")]


def test_only_the_models_name_is_changed_where_the_client_named_the_version(pair: Pair) -> None:
    body = b'{"model": "behind", "messages": [ {"role":"user","content":"Hi"} ], "seed": 12345678901234567890}'
    assert post(f"{pair.server.url}/v1/chat/completions", body)[0] == 200
    sent = pair.back.bodies[-1]
    assert json.loads(sent) == {**json.loads(body), "model": "qwen"}
    assert b'[ {"role":"user","content":"Hi"} ]' in sent and b"12345678901234567890" in sent


def test_what_went_through_is_captured(pair: Pair) -> None:
    pair.server.client().chat.completions.create(
        model="qwen", messages=[{"role": "system", "content": "Be kind."}, *ASKED], temperature=0.5, max_tokens=9
    )
    seen = pair.seen
    assert seen.context == [Message("system", "Be kind."), Message("user", "Hi")]
    assert seen.reply == [Message("assistant", "Hello.")]
    assert seen.turn.sampling == Sampling(temperature=0.5, max_tokens=9)
    assert (seen.turn.usage.prompt_tokens, seen.turn.usage.completion_tokens, seen.turn.finish) == (3, 2, "stop")
    assert seen.turn.agent == pair.server.gateway.router.champion.version.id and seen.turn.latency_s > 0


def test_images_are_captured_by_their_hash(pair: Pair) -> None:
    content = [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {"url": "data:,x"}}]
    asked: Any = [{"role": "user", "content": content}]
    pair.server.client().chat.completions.create(model="qwen", messages=asked)
    parts = pair.seen.context[0].content
    assert parts[0] == InputText("Look") and isinstance(parts[1], Image) and len(parts[1].sha256) == 64


def test_a_body_that_cannot_be_read_here_is_handed_on_all_the_same(pair: Pair) -> None:
    body = b'{"model": "qwen", "messages": "what is this"}'
    assert post(f"{pair.server.url}/v1/chat/completions", body)[0] == 200
    assert pair.back.bodies[-1] == body and pair.server.recorded.exchanges == []
    assert pair.server.gateway.recorder.captured()["lost: unreadable"] == 1


# -- streams --------------------------------------------------------------------------------------------------------


def test_a_stream_comes_through_as_it_comes(pair: Pair) -> None:
    read, said = threading.Event(), ""
    pair.back.answer = streams_after_the_first(*WORDS, read=read)
    for one in pair.server.client().chat.completions.create(model="qwen", messages=ASKED, stream=True):
        read.set()
        said += one.choices[0].delta.content or ""
    assert said == "Hello."
    assert pair.seen.reply == [Message("assistant", "Hello.")] and pair.seen.turn.usage.completion_tokens == 2


def test_calls_in_pieces_are_captured_whole(pair: Pair) -> None:
    pieces = [
        chunk({"tool_calls": [{"index": 0, "id": "call_9", "function": {"name": "add", "arguments": '{"a"'}}]}),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": ": 1}"}}]}),
        chunk({}, "tool_calls"),
        DONE,
    ]
    pair.back.answer = streams(b"".join(pieces)[:70], b"".join(pieces)[70:])
    list(pair.server.client().chat.completions.create(model="qwen", messages=ASKED, stream=True))
    assert pair.seen.reply == [FunctionCall("call_9", "add", '{"a": 1}')] and pair.seen.turn.finish == "tool_calls"


def test_responses_go_through_and_are_captured(pair: Pair) -> None:
    part = {"type": "output_text", "text": "Hello.", "annotations": []}
    output = [{"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [part]}]
    usage = {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}
    response = {"id": "resp_7", "object": "response", "status": "completed", "output": output, "usage": usage}
    event = b"event: response.completed\ndata: " + msgspec.json.encode(
        {"type": "response.completed", "response": response}
    )
    pair.back.answer = streams(event + b"\n\n")
    body = {
        "model": "qwen",
        "input": "Hi",
        "instructions": "Be kind.",
        "previous_response_id": "resp_6",
        "stream": True,
    }
    status, answer, _ = post(f"{pair.server.url}/v1/responses", msgspec.json.encode(body))
    assert status == 200 and answer == event + b"\n\n" and pair.back.paths[-1] == "/v1/responses"
    seen = pair.seen
    assert [item.text for item in seen.context] == ["Be kind.", "Hi"] and seen.reply[0].text == "Hello."
    assert (seen.previous, seen.response) == ("resp_6", "resp_7")


# -- failures -------------------------------------------------------------------------------------------------------


def test_a_refusal_of_the_server_behind_comes_through(pair: Pair) -> None:
    pair.back.answer = says({"error": {"message": "slow down", "type": "rate_limit_error", "code": None}}, 429)
    with pytest.raises(openai.RateLimitError, match="slow down"):
        pair.server.client().chat.completions.create(model="qwen", messages=ASKED)
    assert pair.seen.error.kind == "HTTP status 429" and pair.seen.reply == []


def test_a_server_that_hangs_is_given_up_in_time(tmp_path: Path, server_behind: tuple[Behind, str]) -> None:
    with passing(tmp_path, server_behind, limits=AdmissionLimits(seconds=0.3)) as pair:
        pair.back.answer = hangs
        with pytest.raises(openai.InternalServerError) as raised:
            pair.server.client().chat.completions.create(model="qwen", messages=ASKED)
        assert raised.value.status_code == 504 and "0.3 s" in str(raised.value)
        assert pair.back.left.wait(600)
        assert pair.seen.error.kind == "GivenUp" and pair.seen.turn.latency_s >= 0.2


def test_a_stream_that_hangs_ends_with_an_error(tmp_path: Path, server_behind: tuple[Behind, str]) -> None:
    with passing(tmp_path, server_behind, limits=AdmissionLimits(seconds=3)) as pair:
        pair.back.answer = streams(WORDS[0], WORDS[1], pause_s=900)
        said: list[str] = []
        with pytest.raises(openai.APIError, match="took longer than"):
            for one in pair.server.client().chat.completions.create(model="qwen", messages=ASKED, stream=True):
                said.append(one.choices[0].delta.content or "")
        assert said == ["Hel"]


def test_a_server_that_dies_amid_a_stream_is_said_in_the_stream_and_captured(pair: Pair) -> None:
    pair.back.answer = streams(WORDS[0], pause_s=0.05, dies=True)
    said: list[str] = []
    with pytest.raises(openai.APIError, match="broke off"):
        for one in pair.server.client().chat.completions.create(model="qwen", messages=ASKED, stream=True):
            said.append(one.choices[0].delta.content or "")
    assert said == ["Hel"] and pair.seen.error.kind == "upstream_broke_off"


def test_a_server_that_is_not_there_is_said_to_be_so(tmp_path: Path) -> None:
    ws = WorkspaceFolder(tmp_path)
    one = ws.register(Version(base="http://127.0.0.1:9/v1#qwen", name="gone"))
    with (
        running(tmp_path, fixed=one, pool=ModelPool(ws)) as server,
        pytest.raises(openai.InternalServerError) as raised,
    ):
        server.client().chat.completions.create(model="qwen", messages=ASKED)
    assert raised.value.status_code == 502 and "http://127.0.0.1:9/v1 cannot be reached" in str(raised.value)


def test_a_client_that_leaves_cancels_what_was_asked_behind(pair: Pair) -> None:
    pair.back.answer = hangs
    pair.back.left.clear()
    before = len(pair.back.paths)
    with leaving(pair.server.port, msgspec.json.encode({"model": "qwen", "messages": ASKED})):
        pair.server.until(lambda: len(pair.back.paths) > before)
    assert pair.back.left.wait(600)
    pair.server.until(lambda: pair.server.gateway.recorder.metrics.requests["/v1/chat/completions", 499] == 1)


# -- keys and versions ----------------------------------------------------------------------------------------------


def test_the_clients_own_key_goes_through_where_the_gateway_has_none(pair: Pair) -> None:
    pair.server.client(api_key="sk-clients-own").chat.completions.create(model="qwen", messages=ASKED)
    assert pair.back.headers[-1]["Authorization"] == "Bearer sk-clients-own"


def test_the_gateways_key_stays_here_and_the_servers_is_sent(tmp_path: Path, server_behind: tuple[Behind, str]) -> None:
    with passing(tmp_path, server_behind, keys=["gateway-key-0123456789"]) as pair:
        pair.server.client(api_key="gateway-key-0123456789").chat.completions.create(model="qwen", messages=ASKED)
        assert pair.back.headers[-1]["Authorization"] == f"Bearer {KEY}"
        assert "gateway-key" not in str(pair.seen) and KEY not in str(pair.seen)


ACCOUNT = {"OpenAI-Organization": "org-1", "OpenAI-Project": "proj-1", "api-key": "a" * 20, "x-api-key": "b" * 20}


def test_a_clients_account_is_not_sent_beside_the_gateways_key(
    tmp_path: Path, server_behind: tuple[Behind, str]
) -> None:
    body = b'{"model":"qwen","messages":[{"role":"user","content":"Hi"}]}'
    given = {"Authorization": "Bearer gateway-key-0123456789", "X-Goog-Api-Key": "c" * 20, "X-Team": "blue", **ACCOUNT}
    with passing(tmp_path, server_behind, keys=["gateway-key-0123456789"]) as pair:
        assert post(f"{pair.server.url}/v1/chat/completions", body, given)[0] == 200
        assert pair.back.headers[-1]["Authorization"] == f"Bearer {KEY}" and pair.back.headers[-1]["X-Team"] == "blue"
        assert not {name.lower() for name in pair.back.headers[-1]} & {"x-goog-api-key", *map(str.lower, ACCOUNT)}


def test_a_client_pays_with_its_own_account_or_not_at_all(pair: Pair) -> None:
    url, body = (
        f"{pair.server.url}/v1/chat/completions",
        b'{"model":"qwen","messages":[{"role":"user","content":"Hi"}]}',
    )
    assert post(url, body, ACCOUNT)[0] == 200
    assert {name: pair.back.headers[-1][name] for name in ACCOUNT} == ACCOUNT
    assert "Authorization" not in pair.back.headers[-1]
    assert post(url, body, {"OpenAI-Organization": "org-1"})[0] == 200, "an organization alone is no key"
    assert pair.back.headers[-1]["Authorization"] == f"Bearer {KEY}"
    assert "OpenAI-Organization" not in pair.back.headers[-1]


@pytest.mark.parametrize(
    "more",
    [b'"Model":"dear"', b'"MODEL":"dear"', b'"model":"qwen"', b'"\\u006dodel":"qwen"', b'"\\u004dodel":"dear"'],
)
def test_a_body_names_one_model(pair: Pair, more: bytes) -> None:
    for body in (b'{"model":"qwen",%b,"messages":[]}' % more, b'{%b,"messages":[],"model":"qwen"}' % more):
        assert post(f"{pair.server.url}/v1/chat/completions", body)[0] == 200
        assert json.loads(pair.back.bodies[-1], object_pairs_hook=sorted) == [("messages", []), ("model", "qwen")]


def test_other_spellings_of_a_field_do_not_reach_the_server(pair: Pair) -> None:
    body = b'{"model":"qwen","Messages":[{"role":"user","content":"Ho"}],"messages":[{"role":"user","content":"Hi"}],"Extra":1}'
    assert post(f"{pair.server.url}/v1/chat/completions", body)[0] == 200
    assert set(json.loads(pair.back.bodies[-1])) == {"model", "messages", "Extra"}
    assert b"Hi" in pair.back.bodies[-1] and b"Ho" not in pair.back.bodies[-1]


def test_a_versions_words_and_settings_are_put_into_the_request(
    tmp_path: Path, server_behind: tuple[Behind, str]
) -> None:
    fields = {
        "system_prompt": "Be brief.",
        "tool_descriptions": {"calendar.add": "Adds an event."},
        "sampling": Sampling(temperature=0.2, max_tokens=50),
    }
    tool = {
        "type": "function",
        "function": {"name": "calendar-add", "description": "?", "parameters": {"type": "object"}},
    }
    with passing(tmp_path, server_behind, **fields) as pair:
        client = pair.server.client()
        asked: Any = [{"role": "system", "content": "Be long."}, *ASKED]
        client.chat.completions.create(model="qwen", messages=asked, tools=[tool], max_completion_tokens=7)  # type: ignore[list-item]
        sent = json.loads(pair.back.bodies[-1])
        assert sent["messages"] == [{"role": "system", "content": "Be brief."}, *ASKED]
        assert sent["tools"][0]["function"]["description"] == "Adds an event."
        assert (sent["temperature"], sent["max_completion_tokens"]) == (0.2, 7) and "max_tokens" not in sent
        assert pair.seen.agent_system and pair.seen.context[0] == Message("system", "Be brief.")
        with contextlib.suppress(openai.APIError):
            client.responses.create(model="qwen", input="Hi", instructions="Be long.", temperature=0.9)
        sent = json.loads(pair.back.bodies[-1])
        assert (sent["instructions"], sent["temperature"], sent["max_output_tokens"]) == ("Be brief.", 0.9, 50)


def test_examples_and_skills_of_a_version_are_put_into_the_request_and_not_into_the_trace(
    tmp_path: Path, server_behind: tuple[Behind, str]
) -> None:
    shown = [[Message("user", "One?"), Message("assistant", "1")]]
    with passing(tmp_path, server_behind, examples=shown, skills={"counting": "Count aloud."}) as pair:
        client = pair.server.client()
        asked: Any = [{"role": "system", "content": "Be long."}, *ASKED]
        client.chat.completions.create(model="qwen", messages=asked)
        system, *rest = json.loads(pair.back.bodies[-1])["messages"]
        assert system["content"] == "Be long.\n\nSkill counting:\nCount aloud."
        assert [message["content"] for message in rest[:2]] == ["One?", "1"] and rest[2:] == ASKED
        assert pair.seen.context[1:] == [Message("user", ASKED[0]["content"])]
        with contextlib.suppress(openai.APIError):
            client.responses.create(model="qwen", input="Hi", instructions="Be long.")
        sent = json.loads(pair.back.bodies[-1])
        assert "Count aloud." in sent["instructions"] and sent["input"][-1] == {"role": "user", "content": "Hi"}
        assert len(sent["input"]) == 3


# -- a server with only one of the APIs ----------------------------------------------------------------------------------


def has_only(path: str, answer: Answer) -> Answer:
    async def only(request: web.Request) -> web.StreamResponse:
        return await (answer if request.path == path else says({"detail": "Not Found"}, 404))(request)

    return only


def test_responses_are_translated_for_a_server_that_has_only_chat(pair: Pair) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"what":"tea"}'}}
    said = {**SAID, "choices": [{"message": {"content": None, "tool_calls": [call]}, "finish_reason": "tool_calls"}]}
    pair.back.answer = has_only("/v1/chat/completions", says(said))
    client = pair.server.client()
    tool: Any = {"type": "function", "name": "find", "parameters": {"type": "object"}, "strict": False}
    first = client.responses.create(model="qwen", input="Is there tea?", instructions="Help.", tools=[tool], top_p=0.5)
    (made,) = first.output
    assert made.type == "function_call" and made.name == "find" and made.arguments == '{"what":"tea"}'
    assert first.usage is not None and first.usage.output_tokens == 2
    sent = json.loads(pair.back.bodies[-1])
    assert sent["messages"] == [{"role": "system", "content": "Help."}, {"role": "user", "content": "Is there tea?"}]
    assert sent["model"] == "qwen" and sent["top_p"] == 0.5 and "max_tokens" not in sent
    assert sent["tools"][0]["function"]["name"] == "find"
    pair.back.answer = has_only("/v1/chat/completions", says(SAID))
    output: Any = [{"type": "function_call_output", "call_id": made.call_id, "output": "green"}]
    second = client.responses.create(model="qwen", input=output, previous_response_id=first.id)
    assert second.output_text == "Hello." and pair.back.paths[-2:] == ["/v1/chat/completions"] * 2
    roles = [message["role"] for message in json.loads(pair.back.bodies[-1])["messages"]]
    assert roles == ["user", "assistant", "tool"]
    assert pair.seen.reply == [Message("assistant", "Hello.")]


def test_a_translated_stream_arrives_as_the_server_writes_it(pair: Pair) -> None:
    pair.back.answer = has_only("/v1/chat/completions", streams(*WORDS))
    events = list(pair.server.client().responses.create(model="qwen", input="Hi", stream=True))
    deltas = [event.delta for event in events if event.type == "response.output_text.delta"]
    assert "".join(deltas) == "Hello."
    assert events[-1].type == "response.completed" and events[-1].response.output_text == "Hello."


def test_chat_is_translated_for_a_server_that_has_only_responses(pair: Pair) -> None:
    part = {"type": "output_text", "text": "Hello.", "annotations": []}
    item = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [part]}
    said = {"id": "resp_1", "status": "completed", "output": [item], "usage": {"input_tokens": 3, "output_tokens": 2}}
    pair.back.answer = has_only("/v1/responses", says(said))
    made = pair.server.client().chat.completions.create(model="qwen", messages=ASKED, max_tokens=9)
    assert made.choices[0].message.content == "Hello."
    assert json.loads(pair.back.bodies[-1])["max_output_tokens"] == 9


def test_a_server_that_lacks_both_answers_for_itself(pair: Pair) -> None:
    pair.back.answer = says({"error": {"message": "The model `qwen` does not exist.", "code": 404}}, 404)
    with pytest.raises(openai.NotFoundError, match="does not exist"):
        pair.server.client().responses.create(model="qwen", input="Hi")
    with pytest.raises(openai.NotFoundError, match="does not exist"):
        pair.server.client().responses.create(model="qwen", input="Hi", previous_response_id="resp_unknown")
    pair.back.answer = says(SAID)
    assert pair.server.client().chat.completions.create(model="qwen", messages=ASKED).choices
