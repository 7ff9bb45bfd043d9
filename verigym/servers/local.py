"""Answers a request of the gateway with a policy, whole or as a stream, records it, and remembers responses."""

import asyncio
import builtins
import sys
import time
from collections import Counter, OrderedDict
from typing import Any

import msgspec
from msgspec.structs import replace

from verigym.core.errors import BadInput, ContextFull, failure
from verigym.core.protocols import Policy
from verigym.core.records import Fault, Item, Turn
from verigym.policies.answering import begin_stream, policy_request, reply_to_send, stream_reply
from verigym.policies.version_texts import without_examples
from verigym.servers.record import Recorder
from verigym.servers.types import AdmittedRequest, HttpError
from verigym.traces.capture import Exchange
from verigym.wire.types import ApiRequest, ReplyToSend

_MAX_RESPONSES = 10_000
_MAX_ITEMS = 200_000
_MAX_BYTES, _MAX_BYTES_PER_KEY = 256 * 2**20, 64 * 2**20


class ResponseMemory:
    """The latest responses with the conversations before them, without instructions, so that a request can continue one.

    They are kept in memory only, within a limit for all keys and one for each.
    """

    def __init__(self, max_bytes: int = _MAX_BYTES, max_bytes_per_key: int = _MAX_BYTES_PER_KEY) -> None:
        self._max_bytes, self._max_bytes_per_key = max_bytes, max_bytes_per_key
        self._conversations: OrderedDict[tuple[str, str], list[Item]] = OrderedDict()
        """By the hash of the client's key and the id of the response. A client cannot continue another key's response."""
        self._items = 0
        self._held: dict[int, tuple[int, int]] = {}
        """Identity of an item to its size and the number of conversations that hold it: those that go on from another share
        its items."""
        self._bytes: Counter[str] = Counter()
        """Bytes by the hash of the client's key."""

    def add(self, owner: str, id: str, items: list[Item]) -> None:
        self._forget((owner, id))
        self._conversations[owner, id] = items
        self._items += len(items)
        for item in items:
            size, holders = self._held.get(builtins.id(item)) or (_size(msgspec.to_builtins(item)), 0)
            self._held[builtins.id(item)] = size, holders + 1
            self._bytes[owner] += size if holders == 0 else 0
        while self._bytes[owner] > self._max_bytes_per_key:
            self._forget(next(key for key in self._conversations if key[0] == owner))
        while (
            len(self._conversations) > _MAX_RESPONSES
            or (self._items > _MAX_ITEMS and len(self._conversations) > 1)
            or self._bytes.total() > self._max_bytes
        ):
            self._forget(next(iter(self._conversations)))

    def _forget(self, key: tuple[str, str]) -> None:
        items = self._conversations.pop(key, [])
        self._items -= len(items)
        for item in items:
            size, holders = self._held.pop(builtins.id(item))
            if holders > 1:
                self._held[builtins.id(item)] = size, holders - 1
            else:
                self._bytes[key[0]] -= size
        if not self._bytes[key[0]]:
            del self._bytes[key[0]]

    def find(self, owner: str, id: str) -> list[Item]:
        """The conversation up to a response. Empty if it is unknown."""
        return self._conversations.get((owner, id), [])


def _size(value: Any) -> int:
    """The bytes that plain data takes in memory. Text takes up to 4 a character."""
    inner: list[Any] = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return sys.getsizeof(value) + sum(map(_size, inner))


async def answer(
    call: AdmittedRequest, asked: ApiRequest, policy: Policy, memory: ResponseMemory, recorder: Recorder
) -> None:
    version, out = call.agent.version, call.out
    before = memory.find(call.owner, asked.previous)
    if asked.previous and not before:
        message = (
            f'No response has the id "{asked.previous}". The server keeps only the latest responses, until it stops. '
            "Send the whole conversation"
        )
        raise HttpError(404, message, code="previous_response_not_found", param="previous_response_id")
    request = policy_request(asked, version, before)
    head = ReplyToSend(id=call.api.new_id(), created=int(time.time()), model=version.id)
    exchange = Exchange(
        context=without_examples(request.items, version.examples),
        tools=request.tools,
        turn=Turn(sampling=request.sampling, agent=version.id),
        conversation=call.conversation,
        response=head.id,
        owner=call.owner,
        user=asked.user or call.client,
        agent_system=bool(version.system_prompt),
        metadata=asked.metadata,
        began=time.time(),
    )
    recording = recorder.begin(exchange, out)
    stream = call.api.stream(asked, head) if asked.stream else None
    try:
        if stream is None:
            reply = await policy.respond(request)
        else:
            reply = await stream_reply(policy, request, stream, out)
        sent = reply_to_send(reply, head, asked.one_call)
    except BadInput:  # the client's mistake
        raise
    except Exception as error:
        finish = "context_full" if isinstance(error, ContextFull) else "error"
        recording.failed(failure(error, Fault.INFRASTRUCTURE), finish)
        raise
    except asyncio.CancelledError:
        recording.cancelled()
        raise
    recorder.count(version.id, reply.turn.usage)
    recording.answered(replace(reply.turn, finish=sent.finish), sent.items)
    if asked.keep:
        memory.add(call.owner, sent.id, [*before, *asked.items, *sent.items])
    if stream is None:
        return await out.whole(200, call.api.write_reply(asked, sent))
    first = await begin_stream(out, stream)
    await out.piece(first + stream.end(sent), more=False)


async def answer_count(call: AdmittedRequest, asked: ApiRequest, policy: Policy) -> None:
    """Answers with the number of tokens of the prompt, if the policy can count them."""
    count = getattr(policy, "count_tokens", None)
    if count is None:
        raise HttpError(404, f"{call.agent.version.label} cannot count tokens", code="not_supported")
    request = policy_request(asked, call.agent.version)
    await call.out.whole(200, msgspec.json.encode({"input_tokens": count(request)}))
