"""Which logprobs of another server are those of the tokens as they were sampled.

A turn stores logprobs at the sampling temperature and without truncation. vLLM returns raw logprobs (temperature 1, not
truncated), or the sampler's with `--logprobs-mode processed_logprobs`. One small request finds out which, once for each server.
"""

import msgspec

from verigym.core.errors import BadInput
from verigym.core.records import Json, Sampling
from verigym.servers.types import AdmittedRequest, Headers, HttpError
from verigym.servers.upstream import Upstream, whole
from verigym.wire import chat
from verigym.wire.types import ApiReply, ServerError

_ROUNDING = 1e-5


async def kept_logprobs(
    call: AdmittedRequest, server: Upstream, reply: ApiReply, sampling: Sampling, hide_client_key: bool
) -> list[float]:
    """The reply's logprobs, one for each id, if they are those of the sampled distribution. Otherwise an empty list."""
    if not reply.logprobs or len(reply.logprobs) != len(reply.completion_ids):
        return []
    if not call.capture_ids or (sampling.temperature == 1 and not _truncates(sampling)):
        return reply.logprobs  # a client that asked for them itself knows what they are
    if sampling.temperature == 0:
        return []
    if server.processed_logprobs is None:
        server.processed_logprobs = await _are_processed(server, call.headers, hide_client_key)
    if server.processed_logprobs is None:
        return []
    is_kept = not _truncates(sampling) if server.processed_logprobs else sampling.temperature == 1
    return reply.logprobs if is_kept else []


def _truncates(sampling: Sampling) -> bool:
    return sampling.top_p < 1 or bool(sampling.top_k) or bool(sampling.min_p)


async def _are_processed(server: Upstream, headers: Headers, hide_client_key: bool) -> bool | None:
    """Asks for a few tokens with top_k 1, which have logprob 0 only after processing. None if the server does not answer."""
    asked: Json = {"messages": [{"role": "user", "content": "Say something."}], "max_tokens": 8, "top_k": 1}
    body = msgspec.json.encode({"model": server.model, **asked, "ignore_eos": True, "logprobs": True})
    sent = {**headers, b"content-type": b"application/json"}
    try:
        async with await server.post(chat.PATH, body, sent, hide_client_key=hide_client_key) as response:
            reply = chat.read_reply(await whole(response)) if response.status == 200 else None
    except (HttpError, BadInput, ServerError, ValueError, RecursionError):
        return None
    if reply is None or not reply.logprobs:
        return None
    return all(abs(logprob) <= _ROUNDING for logprob in reply.logprobs)
