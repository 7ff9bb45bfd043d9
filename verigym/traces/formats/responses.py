"""OpenAI Responses logs: a request with its response, a response alone, or a list of items. `call_id` joins calls, never `id`.

No record holds the items of a server's own tools (web search, code). Each kind that is left out is a gap, and so is the
conversation that a request continues by `previous_response_id`.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from verigym.core.records import Json
from verigym.traces.formats.chat import NO_REQUEST, REQUESTS, RESPONSES, bodies, error_of, turn_of
from verigym.traces.formats.trace import (
    ModelCall,
    ParsedTrace,
    TracePart,
    conversation_of,
    require,
    trace_of,
    trace_of_calls,
    without_duplicates,
)
from verigym.wire.items import CALLS, OUTPUTS, request_items, response_items
from verigym.wire.streams import assemble_response
from verigym.wire.tools import read_tools
from verigym.wire.types import Finish
from verigym.wire.values import as_list, as_number, as_object, as_objects, as_text

NAME = "responses"
TITLE = "OpenAI Responses"
_KINDS = {"message", "reasoning", *CALLS, *OUTPUTS}


def fits(value: Any) -> bool:
    if isinstance(value, list):
        return _are_items(value)
    row = as_object(value)
    if row.get("object") == "response" or _are_items(row.get("items")):
        return True
    request, response = _pair(row)
    failed = bool(response) and response is not row and error_of(row, response) is not None
    return _is_response(response) or (failed and "input" in request and "messages" not in request)


def read(value: Any) -> Iterator[ParsedTrace | TracePart]:
    row = as_object(value)
    bare = value if isinstance(value, list) else row.get("items")
    if isinstance(bare, list) and _are_items(bare):
        left_out: Counter[str] = Counter()
        items = response_items(bare, left_out)
        yield trace_of(items, row, left_out_gaps(left_out))
        return
    request, _ = _pair(row)
    name = conversation_of(row, request, as_object(request.get("metadata")), as_object(row.get("metadata")))
    if name:
        yield TracePart(name, row)
    else:
        yield _trace([row])


def join(key: str, values: list[Any]) -> Iterator[ParsedTrace | TracePart]:
    yield _trace(sorted(without_duplicates(values), key=lambda row: as_number(_pair(row)[1].get("created_at"))))


def _trace(rows: list[Json]) -> ParsedTrace:
    left_out: Counter[str] = Counter()
    calls = [model_call(*_pair(row), row, left_out) for row in rows]
    before = {
        as_text(side["previous_response_id"]) for row in rows for side in _pair(row) if side.get("previous_response_id")
    }
    gaps = [f"what was said before response {id}" for id in sorted(before)]
    gaps += [] if any(call.context for call in calls) else [NO_REQUEST]
    return trace_of_calls(calls, rows, gaps + left_out_gaps(left_out))


def model_call(request: Json, response: Json, row: Json, left_out: Counter[str]) -> ModelCall:
    context = request_items(request, left_out)
    reply = response_items(as_list(response.get("output")), left_out)
    error = error_of(row, response)
    require(context or reply or error, "it has neither input nor output")
    return ModelCall(
        context=context,
        reply=reply,
        tools=read_tools(request.get("tools") or response.get("tools")),
        turn=turn_of(request, response, row, "error" if error else _finish(response)),
        error=error,
    )


def _finish(response: Json) -> Finish:
    if response.get("status") == "incomplete":
        return "error" if as_object(response.get("incomplete_details")).get("reason") == "content_filter" else "length"
    return "error" if response.get("status") in ("failed", "cancelled") else "stop"


def _pair(row: Json) -> tuple[Json, Json]:
    request, response = bodies(row, ("responses_create_params", *REQUESTS), RESPONSES, assemble_response)
    if not _is_response(response) and _is_response(row):
        response = row
    if not request and ("input" in row or "instructions" in row):
        request = row
    return request, response


def _is_response(row: Json) -> bool:
    return isinstance(row.get("output"), list) and (row.get("object") == "response" or _are_items(row["output"]))


def _are_items(value: Any) -> bool:
    """Whether it is a list of Responses items. Messages without a type may be chat messages, so one typed item is needed."""
    rows = as_objects(value)
    kinds = [as_text(row.get("type")) for row in rows]
    typed = all(kind or "role" in row for kind, row in zip(kinds, rows, strict=True))
    return bool(rows) and typed and any(kind in _KINDS for kind in kinds)


def left_out_gaps(left_out: Counter[str]) -> list[str]:
    return [f"items of kind {kind[:40]}: {count}" for kind, count in sorted(left_out.items())]
