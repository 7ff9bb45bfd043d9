"""A request handed on to another server: its answer goes back as it comes, and is read on the side for capture."""

import asyncio
import re
import time

import aiohttp

from verigym.core.errors import BadInput
from verigym.core.records import Failure, Fault, FunctionCall, Usage
from verigym.flywheel.capture import Exchange, Placed
from verigym.policies.openai.answer import Answer
from verigym.servers import chat, seen
from verigym.servers.call import Call
from verigym.servers.errors import HttpError
from verigym.servers.record import Recorder
from verigym.servers.upstream import Upstream, pieces, whole

_LARGE = 64 * 1024
"""Bytes from which on a body is read for capture in a thread."""
_ENDED = re.compile(rb"data: \[DONE\]|event: response\.(completed|incomplete|failed)\b.*\n\n", re.DOTALL)
"""The last event of a stream."""


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
    parts: list[bytes] = []
    async with response:
        try:
            await _send(call, response, server, parts)
        except HttpError as error:
            _keep_failure(exchange, placed, recorder, error.code or "", error.message, started)
            raise
        except asyncio.CancelledError:
            if _is_stream(response) and _ENDED.search(b"".join(parts)):
                call.out.is_over = True  # clients leave after the last event, and servers may hold the line for longer
            else:
                raise
    answer, latency_s = b"".join(parts), time.perf_counter() - started
    if response.status != 200:
        said = answer[:300].decode(errors="replace")
        _keep_failure(exchange, placed, recorder, f"HTTP status {response.status}", said, started)
        return ""
    return _keep(call, exchange, placed, recorder, await _read(answer, is_chat, _is_stream(response)), latency_s)


def _is_stream(response: aiohttp.ClientResponse) -> bool:
    return response.content_type == "text/event-stream"


async def _send(call: Call, response: aiohttp.ClientResponse, server: Upstream, parts: list[bytes]) -> None:
    """Sends the answer back, and keeps its parts."""
    headers = server.headers_back(response)
    if not _is_stream(response):
        parts.append(await whole(response))
        return await call.out.whole(response.status, parts[0], headers)
    await call.out.begin(response.status, headers)
    async for part in pieces(response):
        parts.append(part)
        await call.out.piece(part)
    await call.out.piece(b"", more=False)


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


async def _read(answer: bytes, is_chat: bool, is_stream: bool) -> tuple[Answer, str] | BadInput:
    try:
        if len(answer) > _LARGE:
            return await asyncio.to_thread(seen.reply, answer, is_chat, is_stream)
        return seen.reply(answer, is_chat, is_stream)
    except BadInput as error:
        return error


def _keep(
    call: Call,
    exchange: Exchange | None,
    placed: Placed | None,
    recorder: Recorder,
    read: tuple[Answer, str] | BadInput,
    latency_s: float,
) -> str:
    agent = call.agent.version.id
    if isinstance(read, BadInput):
        recorder.count(agent, Usage())
        if exchange is not None:
            failure = Failure(Fault.INFRASTRUCTURE, "Unreadable", str(read))
            recorder.keep(exchange, placed, error=failure, finish="error", latency_s=latency_s)
        return ""
    found, response = read
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
