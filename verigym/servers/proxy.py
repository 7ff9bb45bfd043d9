"""A request handed on to another server: its answer goes back as it comes, and is read on the side for capture."""

import asyncio
import re
import time

import aiohttp

from verigym.core.errors import BadInput
from verigym.core.records import Failure, Fault, FunctionCall, Usage
from verigym.servers import chat
from verigym.servers import proxied as seen
from verigym.servers.call import Call
from verigym.servers.errors import HttpError
from verigym.servers.record import Kept, Recorder
from verigym.servers.upstream import Upstream, pieces, whole
from verigym.traces.capture import Exchange

_LARGE = 64 * 1024
"""Bytes from which on a body is read for capture in a thread."""
_ENDED = re.compile(rb"data: \[DONE\]|event: response\.(completed|incomplete|failed)\b.*\n\n", re.DOTALL)
"""The last event of a stream."""


async def hand_on(call: Call, model: str, server: Upstream, recorder: Recorder, own_key: bool) -> str:
    """Returns the id of the response, where it has one."""
    is_chat = call.api is chat
    body = server.body(call.body, model, is_chat)
    asking = asyncio.ensure_future(server.post(call.api.PATH, body, call.headers, own_key=own_key))
    asking.add_done_callback(_observed)
    try:
        kept = recorder.begin(await _exchange(call, body, is_chat, recorder), call.out)  # while the server thinks
    except BaseException:
        asking.cancel()
        raise
    parts: list[bytes] = []
    try:
        async with await asking as response:
            await _send(call, response, server, parts)
    except HttpError as error:
        kept.failed(Failure(Fault.INFRASTRUCTURE, error.code or "", error.message))
        raise
    except asyncio.CancelledError:
        asking.cancel()
        if not _ENDED.search(b"".join(parts)):
            kept.given_up()
            raise
        call.out.is_over = True  # clients leave after the last event, and servers may hold the line for longer
    return await _keep(call, asking.result(), b"".join(parts), kept, recorder)


def _observed(asking: "asyncio.Future[aiohttp.ClientResponse]") -> None:
    """Whoever asked may be gone: then nobody else looks at what became of it."""
    if not asking.cancelled():
        asking.exception()


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


async def _exchange(call: Call, body: bytes, is_chat: bool, recorder: Recorder) -> Exchange | None:
    """The request for capture; none where it cannot be read."""
    if recorder.capture is None:
        return None
    began = time.time()
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


async def _keep(call: Call, response: aiohttp.ClientResponse, answer: bytes, kept: Kept, recorder: Recorder) -> str:
    """Keeps the answer; returns the id of the response."""
    if response.status != 200:
        kept.failed(
            Failure(Fault.INFRASTRUCTURE, f"HTTP status {response.status}", answer[:300].decode(errors="replace"))
        )
        return ""
    how = call.api is chat, _is_stream(response)
    try:
        large = len(answer) > _LARGE
        found, id = await asyncio.to_thread(seen.reply, answer, *how) if large else seen.reply(answer, *how)
    except BadInput as error:
        recorder.count(call.agent.version.id, Usage())
        kept.failed(Failure(Fault.INFRASTRUCTURE, "Unreadable", str(error)))
        return ""
    recorder.count(call.agent.version.id, found.usage)
    called = any(isinstance(item, FunctionCall) for item in found.items)
    kept.answered(
        found.usage,
        reply=found.items,
        response=id,
        finish="tool_calls" if called and found.finish == "stop" else found.finish,
        context_ids=found.prompt_ids,
        completion_ids=found.completion_ids,
        logprobs=found.logprobs if len(found.logprobs) == len(found.completion_ids) else [],
    )
    return id
