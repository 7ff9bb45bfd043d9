"""A request whose token ids are captured: they are asked for, recorded, and not shown to the client."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest
from aiohttp import web

from tests.servers.behind import Behind, behind, says, streams
from tests.servers.test_proxy import Pair, passing, post
from tests.wire.test_token_ids import chunks, logprobs_of, reply, written
from verigym.core.records import FunctionCall, Message

ASKED: Any = [{"role": "user", "content": "Hi"}]
IDS = [3, 4]


class Exact:
    """A gateway that captures ids, in front of a server that sends them."""

    def __init__(self, pair: Pair, url: str) -> None:
        self.pair, self.url, self.back = pair, url, pair.back

    @property
    def turn(self) -> Any:
        return self.pair.seen.turn

    @property
    def sent(self) -> Any:
        return json.loads(self.back.bodies[-1])


@pytest.fixture(scope="module")
def server_behind() -> Iterator[tuple[Behind, str]]:
    with behind() as found:
        yield found


@contextlib.contextmanager
def capturing(home: Path, found: tuple[Behind, str], **fields: Any) -> Iterator[Exact]:
    with passing(home, found, options="?token_ids=true", **fields) as pair:
        yield Exact(pair, pair.server.url)


@pytest.fixture
def exact(tmp_path: Path, server_behind: tuple[Behind, str]) -> Iterator[Exact]:
    with capturing(tmp_path, server_behind) as found:
        yield found


def sends(with_call: bool = False) -> Any:
    """Answers with ids only where it is asked for them, as vLLM does."""

    async def answer(request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.read())
        data = reply(body.get("return_token_ids", False), body.get("logprobs", False), "Hello.", IDS)
        if with_call:
            call = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
            data["choices"][0]["message"] = {"role": "assistant", "content": None, "tool_calls": [call]}
        found = {"/v1/chat/completions": web.Response(body=written(data, False), content_type="application/json")}
        return found.get(request.path) or web.json_response({"detail": "Not Found"}, status=404)

    return answer


def test_the_client_sees_the_answer_that_the_server_gives_without_ids(exact: Exact) -> None:
    exact.back.answer = sends()
    body = json.dumps({"model": "qwen", "messages": ASKED}).encode()
    status, answer, headers = post(f"{exact.url}/v1/chat/completions", body)
    assert status == 200 and answer == written(reply(False, False, "Hello.", IDS), False)
    assert headers["content-length"] == str(len(answer))
    assert exact.sent == {"model": "qwen", "messages": ASKED, "return_token_ids": True, "logprobs": True}
    assert (exact.turn.context_ids, exact.turn.completion_ids, exact.turn.logprobs) == ([7, 8], IDS, [-1.5, -2.0])


def test_a_client_that_asks_for_ids_itself_sees_them(exact: Exact) -> None:
    exact.back.answer = sends()
    body = json.dumps({"model": "qwen", "messages": ASKED, "return_token_ids": True, "logprobs": True}).encode()
    assert post(f"{exact.url}/v1/chat/completions", body)[1] == written(reply(True, True, "Hello.", IDS), False)
    assert exact.turn.completion_ids == IDS


def test_a_stream_is_stripped_and_its_ids_are_stitched_together(exact: Exact) -> None:
    texts = ["Hel", None, "lo."]
    sent = chunks(True, texts, False)
    exact.back.answer = streams(sent[:100], sent[100:333], sent[333:])
    body = json.dumps({"model": "qwen", "messages": ASKED, "stream": True}).encode()
    status, answer, _ = post(f"{exact.url}/v1/chat/completions", body)
    assert status == 200 and answer == chunks(False, texts, False)
    assert exact.pair.seen.reply == [Message("assistant", "Hello.")]
    assert (exact.turn.context_ids, exact.turn.completion_ids) == ([7, 8], [0, 1, 2, 99])
    assert exact.turn.logprobs == [-0.0, -0.5, -1.0, -1.0]


def test_an_address_without_the_option_asks_for_nothing(tmp_path: Path, server_behind: tuple[Behind, str]) -> None:
    with passing(tmp_path, server_behind) as pair:
        pair.back.answer = sends()
        body = json.dumps({"model": "qwen", "messages": ASKED}).encode()
        assert post(f"{pair.server.url}/v1/chat/completions", body)[0] == 200 and pair.back.bodies[-1] == body
        assert pair.seen.turn.completion_ids == []


def test_responses_and_messages_go_through_chat_for_their_ids(exact: Exact) -> None:
    exact.back.answer = sends(with_call=True)
    tool: Any = {"type": "function", "name": "add", "parameters": {"type": "object"}, "strict": False}
    client = openai.OpenAI(base_url=f"{exact.url}/v1", api_key="none", max_retries=0)
    (call,) = client.responses.create(model="qwen", input="Hi", tools=[tool]).output
    assert call.type == "function_call" and call.arguments == '{"a": 1}'
    assert exact.back.paths[-1] == "/v1/chat/completions" and exact.sent["return_token_ids"] is True
    assert (exact.turn.context_ids, exact.turn.completion_ids, exact.turn.logprobs) == ([7, 8], IDS, [-1.5, -2.0])
    claude = anthropic.Anthropic(base_url=exact.url, api_key="none", max_retries=0)
    own: Any = {"name": "add", "input_schema": {"type": "object"}}
    made = claude.messages.create(model="qwen", max_tokens=9, messages=ASKED, tools=[own])
    assert made.content[0].type == "tool_use" and exact.back.paths[-1] == "/v1/chat/completions"
    assert (exact.turn.context_ids, exact.turn.completion_ids) == ([7, 8], IDS)
    assert isinstance(exact.pair.seen.reply[0], FunctionCall)
    assert not exact.pair.server.gateway.router.champion.backend.lacks, "nothing is known of the other APIs"  # type: ignore[union-attr]


def test_a_translated_stream_has_its_ids_too(exact: Exact) -> None:
    exact.back.answer = streams(chunks(True, ["Hel", "lo."], False))
    claude = anthropic.Anthropic(base_url=exact.url, api_key="none", max_retries=0)
    with claude.messages.stream(model="qwen", max_tokens=9, messages=ASKED) as stream:
        assert "".join(stream.text_stream) == "Hello."
    exact.pair.server.until(lambda: bool(exact.pair.server.recorded.exchanges))
    assert (exact.turn.context_ids, exact.turn.completion_ids) == ([7, 8], [0, 1, 99])


@pytest.mark.parametrize(
    ("processed", "sampling", "kept"),
    [
        (True, {"temperature": 0.5}, True),
        (False, {"temperature": 0.5}, False),
        (True, {"top_p": 0.9}, False),
        (False, {"top_p": 0.9}, True),
        (True, {"temperature": 0}, False),
        (None, {"temperature": 0.5}, False),
    ],
)
def test_only_logprobs_of_the_sampled_distribution_are_kept(
    exact: Exact, processed: bool | None, sampling: Any, kept: bool
) -> None:
    trials: list[Any] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.read())
        if not body.get("ignore_eos"):
            return await sends()(request)
        trials.append(body)
        data = reply(False, True, "x", [0] if processed else [1])
        return web.json_response(data, status=200 if processed is not None else 400)

    exact.back.answer = answer
    body = json.dumps({"model": "qwen", "messages": ASKED, **sampling}).encode()
    for _ in range(2):
        assert post(f"{exact.url}/v1/chat/completions", body)[0] == 200
        exact.pair.server.until(lambda: bool(exact.pair.server.recorded.exchanges))
        assert exact.turn.completion_ids == IDS and bool(exact.turn.logprobs) == kept
        exact.pair.server.recorded.exchanges.clear()
    if processed is not None:
        assert len(trials) == (0 if sampling.get("temperature") == 0 else 1), "the server is asked once"
        assert all(trial["top_k"] == 1 for trial in trials)


def test_a_server_that_ignores_the_fields_is_captured_without_ids(exact: Exact) -> None:
    data = {"id": "1", "choices": [{"message": {"content": "Hello."}, "finish_reason": "stop"}]}
    exact.back.answer = says(data)
    body = json.dumps({"model": "qwen", "messages": ASKED}).encode()
    assert post(f"{exact.url}/v1/chat/completions", body)[1] == json.dumps(data).encode()
    assert exact.turn.completion_ids == [] and exact.turn.logprobs == []


def test_logprobs_of_another_length_than_the_ids_are_dropped(exact: Exact) -> None:
    data = reply(True, True, "Hello.", IDS)
    data["choices"][0]["logprobs"] = logprobs_of([1])
    exact.back.answer = says(data)
    body = json.dumps({"model": "qwen", "messages": ASKED}).encode()
    assert post(f"{exact.url}/v1/chat/completions", body)[0] == 200
    assert exact.turn.completion_ids == IDS and exact.turn.logprobs == []
