"""Forwards a request to another server. The response goes back unchanged, and a copy of both is read for capture."""

import asyncio
import re
import time
from collections.abc import Callable
from typing import TypeVar

import aiohttp
import msgspec
from msgspec import Struct

from verigym.core.errors import BadInput
from verigym.core.records import Failure, Fault, FunctionCall, Json, Turn, Usage
from verigym.policies.version_texts import without_examples
from verigym.servers.exact_tokens import kept_logprobs
from verigym.servers.record import Recorder, Recording
from verigym.servers.types import AdmittedRequest, HeaderPairs, HttpError
from verigym.servers.upstream import Upstream, pieces, whole
from verigym.traces.capture import Exchange
from verigym.wire import chat, token_ids
from verigym.wire.items import sampling_of
from verigym.wire.streams import read_events
from verigym.wire.tools import read_tools
from verigym.wire.types import Api, ApiReply, ServerError
from verigym.wire.values import as_object, read_json_as

T = TypeVar("T")
_LARGE = 64 * 1024
"""Bodies of more bytes than this are read for capture in a thread."""
_LARGEST_STREAM, _ALL_STREAMS = 32 * 2**20, 512 * 2**20
"""Maximum bytes that capture holds of one stream, and of all streams in progress. Beyond them a stream goes on uncaptured."""
_END = 64 * 1024
"""Bytes at the end of an uncaptured stream that are held to find its last event."""
NO_SUCH_PATH = (404, 405, 501)
"""Statuses of a server that may lack the path."""
_LAST_EVENT = re.compile(
    rb"data: \[DONE\]|event: (response\.(completed|incomplete|failed)|message_stop)\b.*\n\n", re.DOTALL
)


class NoSuchPath(Struct, frozen=True):
    """A server's answer that it has no such path, or no such model."""

    status: int
    body: bytes
    headers: HeaderPairs


async def forward(
    call: AdmittedRequest, model: str, server: Upstream, recorder: Recorder, has_keys: bool
) -> "str | NoSuchPath":
    """Forwards the request. Returns the id of the response, or empty text if it has none. If the server may lack the path, its
    answer is returned and not sent."""
    body = server.body(call.body, model, call.api)
    added: Json = {}
    if call.capture_ids and call.api is chat:
        body, added = token_ids.ask_in(body)
    pending = asyncio.ensure_future(server.post(call.api.PATH, body, call.headers, hide_client_key=has_keys))
    # Reading the exception keeps asyncio from reporting that nobody did.
    pending.add_done_callback(lambda done: done.cancelled() or done.exception())
    try:
        recording = recorder.begin(await _exchange(call, body, recorder), call.out)  # while the server works
    except BaseException:
        pending.cancel()
        raise
    copy = _Copy(recorder)
    try:
        async with await pending as response:
            if response.status in NO_SUCH_PATH:
                return NoSuchPath(response.status, await whole(response), server.headers_back(response))
            await _send(call, response, server, copy, added)
    except HttpError as error:
        recording.failed(Failure(Fault.INFRASTRUCTURE, error.code or "", error.message))
        raise
    except asyncio.CancelledError:
        pending.cancel()
        if not _LAST_EVENT.search(copy.body):
            recording.cancelled()
            raise
        call.out.is_over = True  # clients disconnect after the last event, servers may keep the connection open
    finally:
        copy.release()
    if not copy.is_whole:
        recorder.count(call.agent.version.id, Usage())
        message = f"The streamed reply is too large to capture (limit {_LARGEST_STREAM // 2**20} MiB)"
        recording.failed(Failure(Fault.INFRASTRUCTURE, "TooLarge", message))
        return ""
    return await _record(call, pending.result(), bytes(copy.body), server, recording, recorder, has_keys)


async def forward_count(call: AdmittedRequest, model: str, server: Upstream, has_keys: bool) -> None:
    """Forwards a request for the number of tokens of a prompt. Nothing is captured."""
    body = server.body(call.body, model, call.api, is_prompt=True)
    async with await server.post(
        f"{call.api.PATH}/count_tokens", body, call.headers, hide_client_key=has_keys
    ) as answer:
        await call.out.whole(answer.status, await whole(answer), server.headers_back(answer))


class _Copy:
    """The copy of a reply for capture."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._size = 0
        self.body = bytearray()
        self.is_whole = True

    def add(self, part: bytes) -> None:
        """Adds a piece of a stream. If the copy becomes too large, only its end is kept."""
        self.body += part
        if self.is_whole:
            self._size += len(part)
            self._recorder.copied += len(part)
            self.is_whole = self._size <= _LARGEST_STREAM and self._recorder.copied <= _ALL_STREAMS
        if not self.is_whole:
            del self.body[:-_END]
            self.release()

    def release(self) -> None:
        """Gives the bytes back that count against the limit of all streams."""
        self._recorder.copied -= self._size
        self._size = 0


def _is_stream(response: aiohttp.ClientResponse) -> bool:
    return response.content_type == "text/event-stream"


async def _send(
    call: AdmittedRequest, response: aiohttp.ClientResponse, server: Upstream, copy: _Copy, added: Json
) -> None:
    """Sends the response to the client and copies it. The client does not get what only the fields in `added` asked for."""
    headers = server.headers_back(response)
    if not _is_stream(response):
        body = await whole(response)
        copy.body = bytearray(body)
        return await call.out.whole(response.status, token_ids.strip_reply(body, added) if added else body, headers)
    await call.out.begin(response.status, headers)
    stripper = token_ids.StreamStripper(added) if added else None
    async for part in pieces(response):
        copy.add(part)
        if shown := part if stripper is None else stripper.add(part):
            await call.out.piece(shown)
    await call.out.piece(b"" if stripper is None else stripper.end(), more=False)


async def _exchange(call: AdmittedRequest, body: bytes, recorder: Recorder) -> Exchange | None:
    """The request for capture. None if it cannot be read."""
    if recorder.capture is None:
        return None
    began, version = time.time(), call.agent.version
    try:
        request = await _read(body, lambda: forwarded_request(body, call.api))
    except BadInput:
        recorder.unreadable += 1
        return None
    return msgspec.structs.replace(
        request,
        context=without_examples(request.context, version.examples),
        conversation=call.conversation or request.conversation,
        owner=call.owner,
        user=request.user or call.client,
        agent_system=bool(version.system_prompt),
        turn=msgspec.structs.replace(request.turn, agent=version.id),
        began=began,
    )


async def _read(body: bytes, read: Callable[[], T]) -> T:
    """The result of reading a body, in a thread if it is large."""
    return await asyncio.to_thread(read) if len(body) > _LARGE else read()


async def _record(
    call: AdmittedRequest,
    response: aiohttp.ClientResponse,
    body: bytes,
    server: Upstream,
    recording: Recording,
    recorder: Recorder,
    has_keys: bool,
) -> str:
    """Records the reply. Returns the id of the response."""
    if response.status != 200:
        recording.failed(
            Failure(Fault.INFRASTRUCTURE, f"HTTP status {response.status}", body[:300].decode(errors="replace"))
        )
        return ""
    try:
        reply, id = await _read(body, lambda: forwarded_reply(body, call.api, _is_stream(response)))
    except BadInput as error:
        recorder.count(call.agent.version.id, Usage())
        recording.failed(Failure(Fault.INFRASTRUCTURE, "Unreadable", str(error)))
        return ""
    recorder.count(call.agent.version.id, reply.usage)
    called = any(isinstance(item, FunctionCall) for item in reply.items)
    turn = Turn(
        usage=reply.usage,
        finish="tool_calls" if called and reply.finish == "stop" else reply.finish,
        context_ids=reply.prompt_ids,
        completion_ids=reply.completion_ids,
        logprobs=await kept_logprobs(call, server, reply, recording.sampling, has_keys),
    )
    recording.answered(turn, reply.items, response=id)
    return id


class ReplyId(Struct):
    id: str = ""


_json_decoder = msgspec.json.Decoder()


def forwarded_request(body: bytes, api: Api) -> Exchange:
    """The parts of a request that capture and routing need. Raises `BadInput` if the conversation cannot be read."""
    try:
        data = read_json_as(body, _json_decoder)
        if not isinstance(data, dict):
            raise BadInput("it is not a JSON object")
        conversation, metadata = data.get("conversation"), as_object(data.get("metadata"))
        return Exchange(
            context=api.forwarded_items(data),
            tools=read_tools(data.get("tools")),
            turn=Turn(sampling=sampling_of(data)),
            previous=_string(data.get("previous_response_id")),
            conversation=_string(conversation.get("id") if isinstance(conversation, dict) else conversation),
            user=_string(data.get("safety_identifier"))
            or _string(data.get("user"))
            or _string(metadata.get("user_id")),
            metadata=metadata,
        )
    except (ValueError, TypeError, RecursionError) as error:
        raise BadInput(f"The request cannot be read: {error}") from error


def forwarded_reply(body: bytes, api: Api, is_stream: bool) -> tuple[ApiReply, str]:
    """The reply and its id. Raises `BadInput` if it cannot be read."""
    try:
        if is_stream:
            body = msgspec.json.encode(api.read_stream(read_events(body.decode(errors="replace"))))
        return api.read_reply(body), msgspec.json.decode(body, type=ReplyId).id
    except (ServerError, ValueError, RecursionError) as error:
        raise BadInput(f"The reply cannot be read: {error}") from error


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
