"""Chat Completions logs: a request with its response on one line. Streamed replies are assembled.

A missing request (only the response was logged) is a gap. The chunks of a stream are a list, server-sent events in a text,
or one chunk per line, joined by their id. Calls that name the same conversation are one trajectory.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from verigym.core.records import Failure, Fault, Item, Json, Turn
from verigym.traces.formats.trace import (
    ModelCall,
    ParsedTrace,
    TracePart,
    conversation_of,
    require,
    trace_of_calls,
    without_duplicates,
)
from verigym.wire.items import chat_items, finish_of, sampling_of, usage_of
from verigym.wire.streams import assemble_chat, pieces_of
from verigym.wire.tools import read_tools
from verigym.wire.types import Finish
from verigym.wire.values import as_list, as_number, as_object, as_text, parsed

NAME = "chat"
TITLE = "Chat Completions"
REQUESTS = ("request", "request_body", "kwargs", "params", "input")
RESPONSES = ("response", "response_body", "completion", "output", "result")
_CHUNKS = ("chunks", "events", "stream")
NO_REQUEST = "the request: only the response was logged"


def fits(value: Any) -> bool:
    row = as_object(value)
    if row.get("object") in ("chat.completion", "chat.completion.chunk"):
        return True
    request, response = pair(row)
    answered = isinstance(response.get("choices"), list) or error_of(row, response) is not None
    return (bool(as_list(request.get("messages"))) and bool(response) and answered) or _has_choices(response)


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
    calls = [model_call(*pair(row), row) for row in rows]
    gaps = [] if any(call.context for call in calls) else [NO_REQUEST]
    if more := sum(max(len(as_list(pair(row)[1].get("choices"))) - 1, 0) for row in rows):
        gaps.append(f"other choices than the first: {more}")
    return trace_of_calls(calls, rows, gaps)


def model_call(request: Json, response: Json, row: Json) -> ModelCall:
    """The call of a request and its response. `row` may hold its latency or error."""
    context = chat_items(as_list(request.get("messages")))
    tools = read_tools(request.get("tools") or request.get("functions"))
    if error := error_of(row, response):
        return ModelCall(context=context, tools=tools, turn=turn_of({}, {}, row, "error"), error=error)
    choice = as_object(next(iter(as_list(response.get("choices"))), None))
    reply: list[Item] = []
    require(choice or not response, 'the response has neither a choice nor an error. A reply is in "choices"')
    if choice:
        message = as_object(choice.get("message")) or {"content": choice.get("text")}
        reply = chat_items([{"role": "assistant", **message}], context)
    require(context or reply, "it has neither a request with messages nor a response with choices")
    turn = turn_of(request, response, row, finish_of(choice.get("finish_reason")))
    return ModelCall(context=context, reply=reply, tools=tools, turn=turn)


def turn_of(request: Json, response: Json, row: Json, finish: Finish) -> Turn:
    return Turn(
        agent=as_text(response.get("model") or request.get("model")),
        sampling=sampling_of(request),
        usage=usage_of(response.get("usage")),
        latency_s=latency(row),
        finish=finish,
    )


def pair(row: Json) -> tuple[Json, Json]:
    """Request and response, which are under a key of their own or are the row itself."""
    request, response = bodies(row, REQUESTS, (*RESPONSES, *_CHUNKS), assemble_chat)
    if not _has_choices(response) and _has_choices(row):
        response = row
    if not as_list(request.get("messages")) and as_list(row.get("messages")):
        request = row
    return request, response


def bodies(
    row: Json, request_keys: Sequence[str], response_keys: Sequence[str], assemble: Callable[[list[Json]], Json]
) -> tuple[Json, Json]:
    """The request and the response under these keys of a row. A stream is assembled. Empty objects if they are missing."""
    responses = (
        assemble(pieces) if (pieces := pieces_of(row.get(key))) else _body(row.get(key)) for key in response_keys
    )
    return next(filter(None, map(_body, map(row.get, request_keys))), {}), next(filter(None, responses), {})


def _body(value: Any) -> Json:
    """A request or response, which may be JSON in a text or wrapped with its HTTP status."""
    body = as_object(parsed(value))
    return as_object(parsed(body["body"])) if "body" in body and ("status_code" in body or "url" in body) else body


def _has_choices(row: Json) -> bool:
    first = as_object(next(iter(as_list(row.get("choices"))), None))
    return "message" in first or "text" in first


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
