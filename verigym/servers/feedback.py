"""Feedback on a conversation after it: `POST /v1/feedback`."""

import asyncio
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from verigym.core.records import Item, Message
from verigym.servers.gateway import Gateway, Handler
from verigym.servers.types import Headers, HttpError, Responder
from verigym.wire import responses
from verigym.wire.types import InvalidRequest, decode


class FeedbackBody(Struct, forbid_unknown_fields=True):
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


_decoder = msgspec.json.Decoder(FeedbackBody)


def handler(gateway: Gateway) -> Handler:
    async def answer(headers: Headers, body: bytes, client: str, out: Responder) -> None:
        feedback = decode(body, _decoder)
        of = feedback.trajectory or feedback.conversation
        if not of or (feedback.trajectory and feedback.conversation):
            raise InvalidRequest("Give either the trajectory or the conversation that the feedback is about")
        capture = gateway.recorder.capture
        if capture is None:
            raise HttpError(409, "Capture is off (--no-capture), so feedback cannot be stored")
        record = await asyncio.to_thread(
            capture.feedback,
            of,
            outcome=feedback.outcome,
            correction=_correction(feedback.correction),
            intervention=feedback.intervention,
            note=feedback.note,
            who=feedback.who,
        )
        await out.whole(200, msgspec.json.encode(record))

    return answer


def _correction(correction: str | list[Any] | None) -> list[Item]:
    if isinstance(correction, str):
        return [Message("assistant", correction)] if correction.strip() else []
    return responses.read_input(correction or [], "correction")
