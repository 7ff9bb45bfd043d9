"""`POST /v1/traces`: OpenTelemetry's OTLP/HTTP, in protobuf and JSON, plain or gzip.

Spans that cannot be stored are named in the answer (`partialSuccess`). Errors are `google.rpc.Status` in the form of the request.
A status of 429, 502, 503 or 504 tells the sender to try again.
"""

import asyncio
import zlib
from functools import partial
from typing import Any

import msgspec

from verigym.core import codec
from verigym.core.errors import InfrastructureFailure
from verigym.core.records import Json
from verigym.servers.gateway import Gateway
from verigym.servers.types import Headers, HttpError, Responder
from verigym.traces.otlp import read_request, write_response, write_status

_PROTOBUF, _JSON = b"application/x-protobuf", b"application/json"
_CODES = {400: 3, 401: 16, 403: 7, 408: 4, 409: 9, 413: 8, 415: 3, 429: 8, 502: 14, 503: 14, 504: 4}
"""HTTP status to gRPC's code."""
_INTERNAL = 13


class TraceRoute:
    """An ASGI route."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        kind = _content_type(dict(scope["headers"]))
        answer = partial(_export, self._gateway, kind)
        await self._gateway.handle(answer, scope, receive, _StatusSender(send, kind).send)


async def _export(gateway: Gateway, kind: bytes, headers: Headers, body: bytes, client: str, out: Responder) -> None:
    if gateway.spans is None:
        raise HttpError(409, "Capture is off (--no-capture), so traces cannot be stored")
    if kind not in (_PROTOBUF, _JSON):
        given = kind.decode("latin-1")[:80] or "missing"
        raise HttpError(415, f"The Content-Type is {given}. Send application/x-protobuf or application/json")
    owner = client if gateway.admission.keys else ""
    body = _unpacked(headers, body, gateway.admission.limits.body)
    try:
        document = await asyncio.to_thread(_document, kind, body)
        receipt = await asyncio.to_thread(gateway.spans.accept, document, owner)
    except InfrastructureFailure as error:
        raise HttpError(503, str(error), code="store_failed", retry_after_s=5) from error
    if kind == _PROTOBUF:
        await out.whole(200, write_response(receipt.rejected, receipt.message), [(b"content-type", _PROTOBUF)])
        return
    answer: Json = {}
    if receipt.rejected:
        answer = {"partialSuccess": {"rejectedSpans": str(receipt.rejected), "errorMessage": receipt.message}}
    await out.whole(200, msgspec.json.encode(answer))


def _document(kind: bytes, body: bytes) -> Json:
    if kind == _PROTOBUF:
        return read_request(body)
    try:
        document = codec.read_json(body.decode(errors="replace"))
    except (msgspec.DecodeError, RecursionError) as error:
        raise HttpError(400, f"The body is not JSON: {error}") from error
    if not isinstance(document, dict) or not isinstance(document.get("resourceSpans", []), list):
        raise HttpError(400, 'The body is not OTLP/JSON. It must be an object with the list "resourceSpans"')
    return document


def _unpacked(headers: Headers, body: bytes, most: int) -> bytes:
    """The body without its compression. What it unpacks to has the same limit as a body."""
    encoding = headers.get(b"content-encoding", b"identity").strip().lower()
    if encoding in (b"identity", b""):
        return body
    if encoding not in (b"gzip", b"deflate"):
        raise HttpError(
            415, f"The Content-Encoding {encoding.decode('latin-1')[:40]} is not supported. Use gzip or none"
        )
    try:
        unpacking = zlib.decompressobj(zlib.MAX_WBITS | 32)
        whole = unpacking.decompress(body, most + 1)
        if len(whole) <= most and not unpacking.eof:
            raise HttpError(400, "The gzip body is cut off")
    except zlib.error as error:
        raise HttpError(400, f"The body is not gzip: {error}") from error
    if len(whole) > most:
        message = f"The unpacked body is larger than {most / 2**20:.3g} MiB. Send smaller batches. --max-body changes this limit"
        raise HttpError(413, message, code="body_too_large")
    return whole


def _content_type(headers: Headers) -> bytes:
    return headers.get(b"content-type", b"").partition(b";")[0].strip().lower()


class _StatusSender:
    """Sends an error's body as `google.rpc.Status`. Other responses pass unchanged."""

    def __init__(self, send: Any, kind: bytes) -> None:
        self._send, self._kind = send, kind
        self._start: Any = None

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start" and message["status"] >= 400:
            self._start = message
            return
        if self._start is None:
            await self._send(message)
            return
        start, self._start = self._start, None
        error = msgspec.json.decode(message["body"])["error"]
        code, words = _CODES.get(start["status"], _INTERNAL), error["message"]
        as_json = self._kind != _PROTOBUF
        body = msgspec.json.encode({"code": code, "message": words}) if as_json else write_status(code, words)
        kept = [pair for pair in start["headers"] if pair[0] not in (b"content-type", b"content-length")]
        own = [(b"content-type", _JSON if as_json else _PROTOBUF), (b"content-length", b"%d" % len(body))]
        await self._send({**start, "headers": [*own, *kept]})
        await self._send({**message, "body": body})
