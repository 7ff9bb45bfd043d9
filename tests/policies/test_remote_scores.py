"""Logprobs of given tokens from a server: both forms of the answer, many prompts, retries, and answers that cannot be used."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from aiohttp import web

from tests.policies.remote_server import Server, serving
from verigym.core.errors import ContextFull, InfrastructureFailure, Refused
from verigym.policies import connection
from verigym.policies.remote_scores import PromptScores, RemoteScores

PROMPTS = [[5, 6, 7], [8, 9], [5, 6, 7, 10]]


def logprob(prompt: Sequence[int], at: int) -> float:
    """What the server says: it depends on the token and on its place."""
    return -(prompt[at] + at / 10)


def vllm(body: dict[str, Any]) -> dict[str, Any]:
    """As vLLM answers: the likeliest token beside the given one, choices in any order."""
    choices = []
    for index, prompt in enumerate(body["prompt"]):
        told: list[Any] = [None]
        for at in range(1, len(prompt)):
            given = {"logprob": logprob(prompt, at), "rank": 3, "decoded_token": f"<{prompt[at]}>"}
            told.append({"1": {"logprob": -0.1, "rank": 1, "decoded_token": "x"}, str(prompt[at]): given})
        choices.append({"index": index, "text": "a", "prompt_logprobs": told})
    return {"choices": choices[::-1]}


def echo(body: dict[str, Any]) -> dict[str, Any]:
    """As a server answers that only knows `echo`: the sampled token follows those of the prompt."""
    if not body.get("echo"):
        return {"choices": [{"index": index, "text": "a"} for index in range(len(body["prompt"]))]}
    rows = [
        {"token_logprobs": [None, *(logprob(prompt, at) for at in range(1, len(prompt))), -1.0], "tokens": []}
        for prompt in body["prompt"]
    ]
    return {"choices": [{"index": index, "logprobs": row} for index, row in enumerate(rows)]}


def ask(
    answer: Callable[[dict[str, Any]], Any], prompts: Sequence[Sequence[int]] = PROMPTS, **options: Any
) -> tuple[list[PromptScores], Server]:
    async def handle(request: web.Request) -> web.StreamResponse:
        answered = answer(await request.json())
        return answered if isinstance(answered, web.StreamResponse) else web.json_response(answered)

    server = Server((handle,))

    async def run() -> list[PromptScores]:
        async with serving(server) as address:
            scores = RemoteScores(address, "big", **options)
            try:
                return await scores.score(prompts)
            finally:
                await scores.close()

    return asyncio.run(run()), server


@pytest.mark.parametrize("answer", [vllm, echo])
def test_every_token_after_the_first_has_its_logprob(answer: Any) -> None:
    rows, server = ask(answer)
    wanted = [[logprob(prompt, at) for at in range(1, len(prompt))] for prompt in PROMPTS]
    assert [row.logprobs for row in rows] == wanted
    assert {body["model"] for body in server.bodies} == {"big"}
    assert set(server.paths) == {"/v1/completions"}
    if answer is vllm:
        assert rows[2].tokens == ["<6>", "<7>", "<10>"]


def test_many_prompts_are_sent_in_batches_and_come_back_in_order() -> None:
    prompts = [[1, 2 + number, 3] for number in range(50)] + [[7] * 20_000, [4, 5]]
    rows, server = ask(vllm, prompts)
    assert [row.logprobs[0] for row in rows] == [logprob(prompt, 1) for prompt in prompts]
    sizes = [len(body["prompt"]) for body in server.bodies[1:]]  # the first call finds out how to ask
    assert sorted(sizes) == [1, 1, 2, 16, 16, 16] and sum(sizes) == len(prompts)


def test_the_calls_in_flight_are_limited() -> None:
    running, most = 0, 0

    async def handle(request: web.Request) -> web.StreamResponse:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1
        return web.json_response(vllm(await request.json()))

    async def run() -> None:
        async with serving(Server((handle,))) as address:
            scores = RemoteScores(address, "big", concurrency=2)
            await scores.score([[1, 2, 3]] * 100)
            await scores.close()

    asyncio.run(run())
    assert most == 2


def test_a_passing_failure_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_FIRST_WAIT_S", 0.01)
    left = [503, 429]

    def answer(body: dict[str, Any]) -> Any:
        return web.Response(status=left.pop()) if left else vllm(body)

    rows, server = ask(answer)
    assert len(rows) == 3 and len(server.bodies) >= 3


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda told: told[:-1], "logprobs for 3 tokens"),
        (lambda told: [None, None, *told[2:]], "miss some tokens"),
        (lambda told: [None, {"1": {"logprob": -0.1}}, *told[2:]], "miss some tokens"),
        (lambda told: [None, {str(6): {"logprob": 3.0}}, *told[2:]], "invalid"),
        (lambda told: [None, {str(6): {"logprob": "much"}}, *told[2:]], "does not follow the Completions API"),
    ],
    ids=["too few", "a gap", "another token", "above 0", "no number"],
)
def test_an_answer_that_lacks_a_token_is_a_failure_and_never_a_zero(change: Any, words: str) -> None:
    def answer(body: dict[str, Any]) -> Any:
        whole = vllm(body)
        for choice in whole["choices"]:
            if choice["index"] == 0:
                choice["prompt_logprobs"] = change(choice["prompt_logprobs"])
        return whole

    with pytest.raises(InfrastructureFailure, match=words):
        ask(answer, retries=0)


@pytest.mark.parametrize("status", [500, 401, 404])
def test_a_server_that_fails_is_a_failure_with_its_words(status: int) -> None:
    with pytest.raises(InfrastructureFailure, match=f"HTTP status {status}"):
        ask(lambda body: web.Response(status=status, text="no such thing"), retries=0)


def test_a_server_that_hangs_is_given_up() -> None:
    async def handle(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(3600)
        raise AssertionError

    async def run() -> None:
        async with serving(Server((handle,))) as address:
            scores = RemoteScores(address, "big", timeout_s=0.2)
            try:
                await scores.score(PROMPTS)
            finally:
                await scores.close()

    with pytest.raises(InfrastructureFailure, match=r"no reply within 0\.2 s"):
        asyncio.run(run())


def test_a_server_without_logprobs_of_prompts_is_refused() -> None:
    plain = lambda body: {"choices": [{"index": 0, "text": "a"}]}  # noqa: E731
    with pytest.raises(Refused, match="gives no logprobs of given tokens"):
        ask(plain)


def test_a_full_context_is_said_as_such() -> None:
    full = web.json_response({"error": {"message": "This model's maximum context length is 16 tokens"}}, status=400)
    with pytest.raises(ContextFull):
        ask(lambda body: web.Response(status=400, body=full.body))
