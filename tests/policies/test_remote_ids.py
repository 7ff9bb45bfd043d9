"""Token ids and logprobs over both APIs, as vLLM gives them."""

import json
from typing import Any

import pytest
from aiohttp import web

from tests.policies.remote_server import HELLO, HI, ask, chat, responses
from verigym.core.errors import InfrastructureFailure
from verigym.core.protocols import Request
from verigym.core.records import (
    Message,
    Sampling,
    Turn,
)

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


def with_response_ids(prompt: list[int], completion: list[int], logprobs: list[float] | None) -> dict[str, Any]:
    """As vLLM 0.32 answers `enable_response_messages`: the logprobs hang on the text, which a call or silence has not."""
    content = [{"token": "x", "logprob": logprob, "bytes": [120], "top_logprobs": []} for logprob in logprobs or []]
    part = {"type": "output_text", "text": "x", "annotations": [], "logprobs": content}
    said = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [part]}
    raw = [{"message": "text", "tokens": ids, "type": "raw_message_tokens"} for ids in (prompt, completion)]
    return responses(*([said] if logprobs else []), input_messages=raw[:1], output_messages=raw[1:])


def test_the_responses_api_gives_ids_logprobs_and_takes_a_seed() -> None:
    request = Request(items=HELLO.items, turns=[FIRST], seed=2**31 + 8)
    answer = with_response_ids([1, 2, 3, 4, 5, 6], [10, 11], [-0.5, -1])
    reply, server = ask(answer, api="responses", token_ids=True, request=request)
    sent = server.bodies[0]
    assert (sent["enable_response_messages"], sent["include"]) == (True, ["message.output_text.logprobs"])
    assert sent["seed"] == 9
    assert (reply.turn.parent, reply.turn.context_ids) == (0, [6])
    assert (reply.turn.completion_ids, reply.turn.logprobs) == ([10, 11], [-0.5, -1.0])


def test_a_response_without_text_has_ids_but_no_logprobs() -> None:
    reply, _ = ask(with_response_ids([1], [2], None), api="responses", token_ids=True)
    assert (reply.turn.completion_ids, reply.turn.logprobs) == ([2], [])
    assert reply.items == [Message("assistant", "")]


def test_every_turn_has_a_seed_of_its_own_that_follows_from_the_episodes() -> None:
    seeds = [
        ask(HI, request=Request(items=HELLO.items, turns=turns, seed=40))[1].bodies[0]["seed"]
        for turns in ([], [FIRST], [FIRST, SECOND], [FIRST])
    ]
    assert seeds == [40, 41, 42, 41]


# -- logprobs at the sampling temperature -----------------------------------------------------------------------------

RAW, CERTAIN = [-0.5, -0.1], [0.0, 0.0]


@pytest.mark.parametrize(
    ("sampling", "asked", "kept"),
    [
        (Sampling(), None, True),
        (Sampling(temperature=0.0), None, False),
        (Sampling(temperature=0.7), RAW, False),
        (Sampling(temperature=0.7), CERTAIN, True),
        (Sampling(top_p=0.9), RAW, True),
        (Sampling(top_p=0.9), CERTAIN, False),
        (Sampling(temperature=0.7, top_p=0.9), CERTAIN, False),
        (Sampling(temperature=0.7, top_p=0.9), RAW, False),
    ],
    ids=[
        "temperature 1",
        "greedy",
        "other temperature, raw",
        "other temperature, processed",
        "truncated, raw",
        "truncated, processed",
        "both, processed",
        "both, raw",
    ],
)
@pytest.mark.parametrize("api", ["chat", "responses"])
def test_logprobs_are_kept_only_where_they_are_the_turns_own(
    api: str, sampling: Sampling, asked: list[float] | None, kept: bool
) -> None:
    made = with_ids if api == "chat" else with_response_ids
    answers = [made([1], [2, 3], [-0.3, -0.4])] + ([made([1], [4, 5], asked)] if asked else [])
    request = Request(items=HELLO.items, sampling=sampling)
    reply, server = ask(*answers, api=api, request=request, token_ids=True)
    assert reply.turn.completion_ids == [2, 3]
    assert reply.turn.logprobs == ([-0.3, -0.4] if kept else [])
    assert [body.get("top_k") for body in server.bodies] == ([None, 1] if asked else [None])


def test_the_server_is_asked_only_once_what_its_logprobs_are() -> None:
    questions = 0

    async def answer(request: web.Request) -> web.StreamResponse:
        nonlocal questions
        question = "top_k" in await request.json()
        questions += question
        return web.json_response(with_ids([1], [2], [0.0 if question else -0.5]))

    request = Request(items=HELLO.items, sampling=Sampling(temperature=0.7))
    reply, server = ask(answer, request=request, times=9, token_ids=True, concurrency=4)
    assert (questions, len(server.bodies)) == (1, 10)
    assert reply.turn.logprobs == [-0.5]


@pytest.mark.parametrize("wrong", [12.5, float("nan"), float("-inf")], ids=str)
def test_logits_in_the_place_of_logprobs_are_refused(wrong: float) -> None:
    body = json.dumps(with_ids([1], [2], [wrong])).encode()
    with pytest.raises(InfrastructureFailure, match="Start vLLM with --logprobs-mode processed_logprobs"):
        ask(web.Response(body=body), token_ids=True)


def test_a_server_without_token_ids_is_told_apart() -> None:
    with pytest.raises(InfrastructureFailure, match="no token ids"):
        ask(HI, token_ids=True)


def test_ids_and_logprobs_of_different_lengths_are_refused() -> None:
    with pytest.raises(InfrastructureFailure, match="1 logprobs for 2 token ids"):
        ask(with_ids([1], [2, 3], [-0.5]), token_ids=True)


def test_without_token_ids_a_turn_extends_the_one_before() -> None:
    reply, server = ask(HI, request=Request(items=HELLO.items, turns=[Turn(), Turn(parent=0)]))
    assert reply.turn.parent == 1
    assert "return_token_ids" not in server.bodies[0]
