"""Chat Completions logs: a request with its response on one line. Streamed replies are assembled.

A missing request (only the response was logged) is a gap. The chunks of a stream are a list, server-sent events in a text,
or one chunk per line, joined by their id. Calls that name the same conversation are one trajectory.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from verigym.core.records import Failure, Fault, Item, Json
from verigym.traces.formats.trace import (
    ModelCall,
    ParsedTrace,
    TracePart,
    conversation_of,
    interventions_of,
    join_calls,
    outcome_in,
    require,
    without_duplicates,
)
from verigym.wire.items import chat_items, finish_of, sampling_of, usage_of
from verigym.wire.streams import assemble_chat, pieces_of
from verigym.wire.tools import read_tools
from verigym.wire.values import as_list, as_number, as_object, as_text, parsed

NAME = "chat"
TITLE = "Chat Completions"
REQUESTS = ("request", "request_body", "kwargs", "params", "input")
RESPONSES = ("response", "response_body", "completion", "output", "result")
_CHUNKS = ("chunks", "events", "stream")


def fits(value: Any) -> bool:
    row = as_object(value)
    if row.get("object") in ("chat.completion", "chat.completion.chunk"):
        return True
    request, response = pair(row)
    return (bool(as_list(request.get("messages"))) and bool(response)) or _has_choices(response)


def read(value: Any) -> Iterator[ParsedTrace | TracePart]:
    row = as_object(value)
    if row.get("object") == "chat.completion.chunk":
        require(row.get("id"), "the chunk has no id")
        yield TracePart(f"chunk {as_text(row['id'])}", row)
        return
    request, _ = pair(row)
    name = conversation_of(row, as_object(row.get("metadata")), request, as_object(request.get("metadata")))
    if name:
        yield TracePart(f"conversation {name}", row)
    else:
        yield _trace([row])


def join(key: str, values: list[Any]) -> Iterator[ParsedTrace | TracePart]:
    if key.startswith("chunk "):
        yield _trace([{"response": assemble_chat(values)}])
    else:
        yield _trace(sorted(without_duplicates(values), key=_began))


def _trace(rows: list[Json]) -> ParsedTrace:
    calls = [_call(row) for row in rows]
    gaps = ["the request: only the response was logged"] if not any(call.context for call in calls) else []
    if more := sum(max(len(as_list(pair(row)[1].get("choices"))) - 1, 0) for row in rows):
        gaps.append(f"other choices than the first: {more}")
    return msgspec.structs.replace(
        join_calls(calls),
        outcome=next((outcome for row in reversed(rows) if (outcome := outcome_in(row))), ""),
        interventions=[intervention for row in rows for intervention in interventions_of(row)],
        seconds=sum(call.latency_s for call in calls),
        cost=sum(as_number(row.get("cost")) for row in rows),
        gaps=gaps,
    )


def _call(row: Json) -> ModelCall:
    request, response = pair(row)
    context = chat_items(as_list(request.get("messages")))
    if error := error_of(row, response):
        return ModelCall(
            context=context, reply=[], tools=_tools(request), finish="error", error=error, latency_s=latency(row)
        )
    choice = as_object(next(iter(as_list(response.get("choices"))), None))
    reply: list[Item] = []
    if choice:
        message = as_object(choice.get("message")) or {"content": choice.get("text")}
        reply = chat_items([{"role": "assistant", **message}], context)
    require(context or reply, "it has neither a request with messages nor a response with choices")
    return ModelCall(
        context=context,
        reply=reply,
        tools=_tools(request),
        agent=as_text(response.get("model") or request.get("model")),
        sampling=sampling_of(request),
        usage=usage_of(response.get("usage")),
        latency_s=latency(row),
        finish=finish_of(choice.get("finish_reason")),
    )


def pair(row: Json) -> tuple[Json, Json]:
    """Request and response, which are under a key of their own or are the row itself."""
    request = next((body for key in REQUESTS if (body := _body(row.get(key)))), {})
    response: Json = {}
    for key in (*RESPONSES, *_CHUNKS):
        value = row.get(key)
        pieces = pieces_of(value)
        response = assemble_chat(pieces) if pieces else _body(value)
        if response:
            break
    if not _has_choices(response) and _has_choices(row):
        response = row
    if not as_list(request.get("messages")) and as_list(row.get("messages")):
        request = row
    return request, response


def _body(value: Any) -> Json:
    """A request or response, which may be JSON in a text or wrapped with its HTTP status."""
    body = as_object(parsed(value))
    return as_object(parsed(body["body"])) if "body" in body and ("status_code" in body or "url" in body) else body


def _has_choices(row: Json) -> bool:
    first = as_object(next(iter(as_list(row.get("choices"))), None))
    return "message" in first or "text" in first


def _tools(request: Json) -> list[Any]:
    return read_tools(request.get("tools") or request.get("functions"))


def _began(row: Json) -> float:
    names = ("started_at", "timestamp", "time", "created_at", "created")
    _, response = pair(row)
    return next((time for body in (row, response) for key in names if (time := as_number(body.get(key)))), 0.0)


def latency(row: Json) -> float:
    for key, unit in (("latency_s", 1), ("duration_s", 1), ("latency_ms", 1000), ("duration_ms", 1000), ("latency", 1)):
        if duration := as_number(row.get(key)):
            return max(duration, 0.0) / unit
    return 0.0


def error_of(row: Json, response: Json) -> Failure | None:
    """The error that the server sent instead of a reply."""
    error = response.get("error") or (
        row.get("error") if not response.get("choices") and not response.get("output") else None
    )
    if not error:
        return None
    fields = as_object(error)
    kind = as_text(fields.get("type") or fields.get("code") or "ServerError")
    return Failure(Fault.INFRASTRUCTURE, kind, as_text(fields.get("message") or error))
