"""A request handed on to another server: its answer goes back as it comes, and is read on the side for capture."""

import asyncio
import time

import aiohttp

from verigym.core.errors import BadInput
from verigym.core.records import Failure, Fault, FunctionCall, Usage
from verigym.flywheel.capture import Exchange, Placed
from verigym.servers import chat, seen
from verigym.servers.call import Call
from verigym.servers.errors import HttpError
from verigym.servers.record import Recorder
from verigym.servers.upstream import Upstream, pieces, whole

_LARGE = 64 * 1024
"""Bytes from which on a body is read for capture in a thread."""


async def hand_on(call: Call, model: str, server: Upstream, recorder: Recorder, own_key: bool) -> str:
    """Returns the id of the response, where it has one."""
    is_chat = call.api is chat
    body = server.body(call.body, model, is_chat)
    started, began = time.perf_counter(), time.time()
    asking = asyncio.ensure_future(server.post(call.api.PATH, body, call.headers, own_key=own_key))
    try:
        exchange = await _exchange(call, body, is_chat, began, recorder) if recorder.capture is not None else None
        placed = recorder.place(exchange, call.out) if exchange is not None else None
        try:
            response = await asking
        except HttpError as error:
            _keep_failure(exchange, placed, recorder, error.code or "", error.message, started)
            raise
    except BaseException:
        asking.cancel()
        raise
    async with response:
        try:
            answer = await _send(call, response, server)
        except HttpError as error:
            _keep_failure(exchange, placed, recorder, error.code or "", error.message, started)
            raise
    latency_s = time.perf_counter() - started
    if response.status != 200:
        said = answer[:300].decode(errors="replace")
        _keep_failure(exchange, placed, recorder, f"HTTP status {response.status}", said, started)
        return ""
    return await _keep(call, exchange, placed, recorder, answer, is_chat, _is_stream(response), latency_s)


def _is_stream(response: aiohttp.ClientResponse) -> bool:
    return response.content_type == "text/event-stream"


async def _send(call: Call, response: aiohttp.ClientResponse, server: Upstream) -> bytes:
    """Sends the answer back, and returns all of it."""
    headers = server.headers_back(response)
    if not _is_stream(response):
        answer = await whole(response)
        await call.out.whole(response.status, answer, headers)
        return answer
    await call.out.begin(response.status, headers)
    parts: list[bytes] = []
    async for part in pieces(response):
        parts.append(part)
        await call.out.piece(part)
    await call.out.piece(b"", more=False)
    return b"".join(parts)


# -- on the side ----------------------------------------------------------------------------------------------------


async def _exchange(call: Call, body: bytes, is_chat: bool, began: float, recorder: Recorder) -> Exchange | None:
    """The request for capture; none where it cannot be read."""
    try:
        large = len(body) > _LARGE
        asked = await asyncio.to_thread(seen.request, body, is_chat) if large else seen.request(body, is_chat)
    except BadInput:
        recorder.unread += 1
        return None
    version = call.agent.version
    return Exchange(
        items=asked.items,
        tools=asked.tools,
        sampling=asked.sampling,
        conversation=call.conversation or asked.conversation,
        previous=asked.previous,
        user=asked.user or call.client,
        agent_system=bool(version.system_prompt),
        agent=version.id,
        metadata=asked.metadata,
        began=began,
    )


async def _keep(
    call: Call,
    exchange: Exchange | None,
    placed: Placed | None,
    recorder: Recorder,
    answer: bytes,
    is_chat: bool,
    is_stream: bool,
    latency_s: float,
) -> str:
    read = asyncio.to_thread(seen.reply, answer, is_chat, is_stream) if len(answer) > _LARGE else None
    agent = call.agent.version.id
    try:
        found, response = await read if read is not None else seen.reply(answer, is_chat, is_stream)
    except BadInput as error:
        recorder.count(agent, Usage())
        if exchange is not None:
            failure = Failure(Fault.INFRASTRUCTURE, "Unreadable", str(error))
            recorder.keep(exchange, placed, error=failure, finish="error", latency_s=latency_s)
        return ""
    recorder.count(agent, found.usage)
    called = any(isinstance(item, FunctionCall) for item in found.items)
    if exchange is not None:
        recorder.keep(
            exchange,
            placed,
            reply=found.items,
            response=response,
            usage=found.usage,
            latency_s=latency_s,
            finish="tool_calls" if called and found.finish == "stop" else found.finish,
            context_ids=found.prompt_ids,
            completion_ids=found.completion_ids,
            logprobs=found.logprobs if len(found.logprobs) == len(found.completion_ids) else [],
        )
    return response


def _keep_failure(
    exchange: Exchange | None, placed: Placed | None, recorder: Recorder, kind: str, words: str, started: float
) -> None:
    if exchange is not None:
        failure = Failure(Fault.INFRASTRUCTURE, kind, words)
        recorder.keep(exchange, placed, error=failure, finish="error", latency_s=time.perf_counter() - started)
