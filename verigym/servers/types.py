"""A request inside the gateway, the response that goes back to its client, and errors in the form that clients expect."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta, Struct

from verigym.core.protocols import Policy
from verigym.core.records import Json, Version
from verigym.wire import responses
from verigym.wire.types import Api, error_body

if TYPE_CHECKING:
    from verigym.servers.upstream import Upstream

JSON, EVENTS = (b"content-type", b"application/json"), (b"content-type", b"text/event-stream; charset=utf-8")
Headers = Mapping[bytes, bytes]
HeaderPairs = Sequence[tuple[bytes, bytes]]
_TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}


class HttpError(Exception):
    """An error for the client: `HttpError(404, 'No model is named "x"', code="model_not_found")`."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str | None = None,
        param: str | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.code, self.param = status, message, code, param
        self.headers: HeaderPairs = ()
        if retry_after_s is not None:
            self.headers = [(b"retry-after", b"%d" % max(1, math.ceil(retry_after_s)))]

    @property
    def error(self) -> Json:
        kind = _TYPES.get(self.status, "invalid_request_error" if self.status < 500 else "server_error")
        return {"message": self.message, "type": kind, "param": self.param, "code": self.code}

    @property
    def body(self) -> bytes:
        """In OpenAI's form, for errors before the client's API is known."""
        return error_body(self.error)


class Responder:
    """Sends the response to one request."""

    def __init__(self, send: Any) -> None:
        self._send = send
        self.status = 0
        """0 until the response begins."""
        self.is_over = False
        self.extra: dict[bytes, bytes] = {}
        """Headers that the gateway adds."""

    async def whole(self, status: int, body: bytes, headers: HeaderPairs = (JSON,)) -> None:
        await self.begin(status, [(b"content-length", b"%d" % len(body)), *headers])
        await self.piece(body, more=False)

    async def begin(self, status: int, headers: HeaderPairs) -> None:
        self.status = status
        start = {"type": "http.response.start", "status": status, "headers": [*headers, *self.extra.items()]}
        await self._send(start)

    async def piece(self, body: bytes, *, more: bool = True) -> None:
        self.is_over = not more
        await self._send({"type": "http.response.body", "body": body, "more_body": more})

    async def error(self, error: HttpError, api: Api) -> None:
        """Sends the error as an HTTP status, or as the last event of a stream that has begun."""
        if not self.status:
            await self.whole(error.status, api.error_body(error.error), [JSON, *error.headers])
        elif not self.is_over:
            await self.piece(api.error_event(error.error), more=False)


class OpenVersion:
    """A version that is loaded, and the number of requests that it is answering."""

    def __init__(self, version: Version, backend: "Policy | Upstream") -> None:
        self.version, self.backend = version, backend
        self.users = 0
        self.retired = False


class AdmittedRequest(Struct, frozen=True):
    """A request that was admitted and routed to a version."""

    api: Api
    agent: OpenVersion
    headers: Headers
    body: bytes
    client: str
    """Who sent it: a hash of the key, or the address."""
    owner: str
    """Hash of the key. Empty if the server needs no key."""
    out: Responder

    @property
    def conversation(self) -> str:
        return conversation_id(self.headers)


def conversation_id(headers: Headers) -> str:
    """The conversation's id. Empty if the client did not send one."""
    return headers.get(b"x-verigym-conversation", b"").decode("latin-1").strip()


class FeedbackBody(Struct, forbid_unknown_fields=True):
    """The body of `POST /v1/feedback`."""

    trajectory: Annotated[str, Meta(description="The value of the reply's header x-verigym-trajectory.")] | None = None
    conversation: (
        Annotated[str, Meta(description="The conversation's id. Give either this or the trajectory.")] | None
    ) = None
    outcome: Literal["success", "failure", ""] = ""
    correction: str | Annotated[list[Any], Meta(extra_json_schema=responses.ITEM_SCHEMA)] | None = None
    """The right reply: text, or items of the Responses API."""
    intervention: Annotated[str, Meta(description="What a person did: took over, retried, escalated.")] = ""
    note: str = ""
    who: str = ""
