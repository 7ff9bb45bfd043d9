"""What became of a conversation, said later: `POST /v1/feedback`."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from verigym.core.records import Item, Message
from verigym.servers import responses
from verigym.servers.call import Headers, Out
from verigym.servers.errors import HttpError, bad, decode
from verigym.servers.gateway import Gateway


class FeedbackBody(Struct, forbid_unknown_fields=True):
    trajectory: (
        Annotated[str, Meta(description="As the header x-verigym-trajectory of the answer named it.")] | None
    ) = None
    conversation: Annotated[str, Meta(description="As the client named it; one of the two is needed.")] | None = None
    outcome: Literal["success", "failure", ""] = ""
    correction: str | Annotated[list[Any], Meta(extra_json_schema=responses.AN_ITEM)] | None = None
    """What should have been said, or called: text, or items of the Responses API."""
    intervention: Annotated[str, Meta(description="What a person had to do: took over, retried, escalated.")] = ""
    note: str = ""
    who: str = ""


_decoder = msgspec.json.Decoder(FeedbackBody)


def kept(gateway: Gateway) -> Callable[[Headers, bytes, str, Out], Awaitable[None]]:
    async def answer(headers: Headers, body: bytes, client: str, out: Out) -> None:
        given = decode(body, _decoder)
        of = given.trajectory or given.conversation
        if not of or (given.trajectory and given.conversation):
            raise bad("give the trajectory or the conversation that this is about, one of them")
        capture = gateway.recorder.capture
        if capture is None:
            raise HttpError(409, "nothing is captured here (--no-capture), so there is nothing to say something about")
        made = await asyncio.to_thread(
            capture.feedback,
            of,
            outcome=given.outcome,
            correction=_correction(given.correction),
            intervention=given.intervention,
            note=given.note,
            who=given.who,
        )
        await out.whole(200, msgspec.json.encode(made))

    return answer


def _correction(given: str | list[Any] | None) -> list[Item]:
    if isinstance(given, str):
        return [Message("assistant", given)]
    return responses.read_input(given or [], "correction")
