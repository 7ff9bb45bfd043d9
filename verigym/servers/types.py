"""A request inside the gateway, and the version that answers it."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta, Struct

from verigym.core.protocols import Policy
from verigym.core.records import Version
from verigym.wire import responses
from verigym.wire.http import EVENTS as EVENTS
from verigym.wire.http import JSON as JSON
from verigym.wire.http import HeaderPairs as HeaderPairs
from verigym.wire.http import Headers, Responder
from verigym.wire.http import HttpError as HttpError
from verigym.wire.types import Api

if TYPE_CHECKING:
    from verigym.servers.upstream import Upstream


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
    capture_ids: bool = False
    """Whether to ask another server for token ids and logprobs, and to take them out of the client's answer."""
    via_chat: bool = False
    """Whether another server is asked in Chat Completions, whatever the client speaks. Only there vLLM gives all ids."""

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
