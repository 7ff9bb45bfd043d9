"""Logprobs of given tokens from a model behind a server, by the Completions API.

vLLM gives them as `prompt_logprobs`. Servers without that field are asked to `echo` the prompt with its logprobs, as the older
API of OpenAI did (SGLang, llama.cpp's Python server). Prompts are sent as token ids, so nothing is tokenised twice. An API that
gives logprobs of sampled tokens only, as OpenAI's does today, cannot be used.
"""

import asyncio
import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec
from msgspec import Struct

from verigym.core.errors import InfrastructureFailure, Refused
from verigym.core.records import Json
from verigym.policies.connection import ServerConnection, UnusableReply
from verigym.wire.types import ServerError
from verigym.wire.values import write_json

_ROWS, _TOKENS = 16, 16_384
"""Maximum number of prompts of one call, and of their tokens. A longer prompt is sent alone."""
_ROUNDING = 1e-4

Way = Literal["prompt_logprobs", "echo"]


class PromptScores(NamedTuple):
    logprobs: list[float]
    """The logprob of each token after the first, which nothing predicts."""
    tokens: list[str]
    """The same tokens as the server decodes them. Empty if it does not say."""


class _Logprob(Struct):
    logprob: float
    decoded_token: str | None = None


class _Echo(Struct):
    token_logprobs: list[float | None] = []
    tokens: list[str] = []


class _Choice(Struct):
    index: int = 0
    prompt_logprobs: list[dict[str, _Logprob] | None] | None = None
    logprobs: _Echo | None = None


class _Completion(Struct):
    choices: list[_Choice] = []
    error: msgspec.Raw = msgspec.Raw(b"null")


_decoder = msgspec.json.Decoder(_Completion)


class RemoteScores:
    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        key_env: str = "OPENAI_API_KEY",
        timeout_s: float = 600,
        retries: int = 4,
        concurrency: int = 16,
    ) -> None:
        self.model = model
        self._connection = ServerConnection(
            base_url,
            "completions",
            "Completions",
            key_env=key_env,
            timeout_s=timeout_s,
            retries=retries,
            concurrency=concurrency,
        )
        self._way: Way | None = None

    async def close(self) -> None:
        await self._connection.close()

    async def score(self, prompts: Sequence[Sequence[int]]) -> list[PromptScores]:
        """The logprobs of each prompt's tokens. Raises an `InfrastructureFailure` if any of them cannot be had."""
        async with self._connection.asking:
            if self._way is None:
                self._way = await self._find_way(prompts[0])
        way = self._way
        tasks = [asyncio.ensure_future(self._call(batch, way)) for batch in _batches(prompts)]
        try:
            answers = await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
        return [row for rows in answers for row in rows]

    async def _find_way(self, prompt: Sequence[int]) -> Way:
        """How this server gives the logprobs of a prompt. It is asked once."""
        failure: InfrastructureFailure | None = None
        for way in ("prompt_logprobs", "echo"):
            try:
                if await self._ask([prompt], way) is not None:
                    return way
            except InfrastructureFailure as error:
                failure = failure or error
        raise failure or Refused(
            f"{self._connection.shown_url}: the server gives no logprobs of given tokens. Use vLLM, or another server whose "
            "Completions API has prompt_logprobs or echo"
        )

    async def _call(self, prompts: Sequence[Sequence[int]], way: Way) -> list[PromptScores]:
        scores = await self._ask(prompts, way)
        if scores is None:
            raise self._connection.failure("the reply has no logprobs of the prompt, unlike an earlier one")
        return scores

    async def _ask(self, prompts: Sequence[Sequence[int]], way: Way) -> list[PromptScores] | None:
        """The scores, or None if the answer has none."""
        wanted: Json = {"prompt_logprobs": 1} if way == "prompt_logprobs" else {"echo": True, "logprobs": 1}
        body = {"model": self.model, "prompt": prompts, "max_tokens": 1, "temperature": 1.0, **wanted}
        async with self._connection.slots:
            scores, _ = await self._connection.post(write_json(body), lambda answer: _read(answer, prompts, way))
        return scores


def _batches(prompts: Sequence[Sequence[int]]) -> list[list[Sequence[int]]]:
    batches: list[list[Sequence[int]]] = []
    size = 0
    for prompt in prompts:
        if not batches or len(batches[-1]) == _ROWS or size + len(prompt) > _TOKENS:
            batches.append([])
            size = 0
        batches[-1].append(prompt)
        size += len(prompt)
    return batches


def _read(body: bytes, prompts: Sequence[Sequence[int]], way: Way) -> list[PromptScores] | None:
    answer = _decoder.decode(body)
    if bytes(answer.error) != b"null":
        raise ServerError(bytes(answer.error).decode(errors="replace"))
    choices = sorted(answer.choices, key=lambda choice: choice.index)
    if len(choices) != len(prompts):
        raise UnusableReply(f"the reply has {len(choices)} choices for {len(prompts)} prompts")
    rows = [_row(choice, prompt, way) for choice, prompt in zip(choices, prompts, strict=True)]
    if all(row is None for row in rows):
        return None
    if any(row is None for row in rows):
        raise UnusableReply("the reply has logprobs for some of the prompts only")
    return [row for row in rows if row is not None]


def _row(choice: _Choice, prompt: Sequence[int], way: Way) -> PromptScores | None:
    if way == "prompt_logprobs":
        if choice.prompt_logprobs is None:
            return None
        told = choice.prompt_logprobs
        if len(told) != len(prompt):
            raise UnusableReply(f"the reply has {len(told)} logprobs for {len(prompt)} tokens")
        found = [(each or {}).get(str(id)) for each, id in zip(told[1:], prompt[1:], strict=True)]
        logprobs = [None if each is None else each.logprob for each in found]
        tokens = [each.decoded_token or "" for each in found if each is not None]
    else:
        if choice.logprobs is None or not choice.logprobs.token_logprobs:
            return None
        if len(choice.logprobs.token_logprobs) < len(prompt):
            raise UnusableReply(
                f"the reply has {len(choice.logprobs.token_logprobs)} logprobs for {len(prompt)} tokens"
            )
        logprobs = choice.logprobs.token_logprobs[1 : len(prompt)]
        tokens = choice.logprobs.tokens[1 : len(prompt)]
    known = [value for value in logprobs if value is not None and math.isfinite(value) and value <= _ROUNDING]
    if len(known) != len(prompt) - 1:
        raise UnusableReply("the logprobs of the reply are invalid, or miss some tokens of the prompt")
    return PromptScores(known, tokens if len(tokens) == len(known) else [])
