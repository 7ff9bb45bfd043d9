"""A policy with scripted replies, for tests, examples and dry runs.

It loads no model and draws no random numbers. Its turns have no token ids and logprobs, so they cannot be trained on.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Sequence

from verigym.core.protocols import Reply, Request
from verigym.core.records import FunctionCall, Item, Message, Turn, Usage
from verigym.policies import dialects
from verigym.policies.dialects.plain import to_messages

Answer = str | Item | Sequence[Item]
Answerer = Callable[[Request], Answer | Awaitable[Answer]]


class ScriptedPolicy:
    """`ScriptedPolicy(['{"tool": "add", "args": {"a": 1}}', "Done."])` calls `add` on the first turn of an episode and
    replies `Done.` on every later turn. An exception in the list is raised. `ScriptedPolicy(answer)` calls
    `answer(request)`, which may be async. Text is read in the plain dialect if the request has tools."""

    def __init__(self, replies: Sequence[Answer | Exception] | Answerer, *, latency_s: float = 0.0) -> None:
        assert callable(replies) or (replies and not isinstance(replies, str)), "pass a list of replies or a function"
        self._replies = replies if callable(replies) else list(replies)
        self._latency_s = latency_s

    def count_tokens(self, request: Request) -> int:
        """Number of words of the conversation."""
        return _count_words(request.items)

    async def respond(self, request: Request) -> Reply:
        if self._latency_s:
            await asyncio.sleep(self._latency_s)
        items = _items(await self._answer(request), request)
        turn = Turn(
            parent=len(request.turns) - 1 if request.turns else None,
            sampling=request.sampling,
            agent="scripted",
            usage=Usage(_count_words(request.items), _count_words(items)),
            latency_s=self._latency_s,
            finish="tool_calls" if any(isinstance(item, FunctionCall) for item in items) else "stop",
        )
        return Reply(items=items, turn=turn)

    async def _answer(self, request: Request) -> Answer:
        if callable(self._replies):
            answer = self._replies(request)
            return await answer if inspect.isawaitable(answer) else answer
        answer = self._replies[min(len(request.turns), len(self._replies) - 1)]
        if isinstance(answer, Exception):
            raise answer
        return answer


def _items(answer: Answer, request: Request) -> list[Item]:
    if isinstance(answer, str):
        return dialects.parse(answer, f"call_{len(request.turns)}") if request.tools else [Message("assistant", answer)]
    return [answer] if isinstance(answer, Item) else list(answer)


def _count_words(items: list[Item]) -> int:
    """Number of words of the conversation in the plain dialect, reported as tokens."""
    return sum(len(message["content"].split()) for message in to_messages(items, []))
