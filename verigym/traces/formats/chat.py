"""Chat Completions: a request with its response on one line; replies that were streamed are put together again.

A request may be missing (only the response was logged), which is a gap. Chunks may stand in a list, as server-sent events in a
text, or one a line: those of one id belong together. Calls that name the same conversation are one trajectory.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from verigym.core.records import Failure, Fault, Item, Json
from verigym.traces.formats.messages import items_of
from verigym.traces.formats.trace import (
    Call,
    Part,
    Trace,
    conversation_of,
    distinct,
    finish_of,
    interventions_of,
    joined,
    listed,
    need,
    number,
    record,
    sampling_of,
    text,
    told,
    tools_of,
    unwrapped,
    usage_of,
)

NAME = "chat"
TITLE = "Chat Completions"
REQUESTS = ("request", "request_body", "kwargs", "params", "input")
RESPONSES = ("response", "response_body", "completion", "output", "result")
_CHUNKS = ("chunks", "events", "stream")


def fits(value: Any) -> bool:
    row = record(value)
    if row.get("object") in ("chat.completion", "chat.completion.chunk"):
        return True
    asked, answer = pair(row)
    return (bool(listed(asked.get("messages"))) and bool(answer)) or _has_choices(answer)


def read(value: Any) -> Iterator[Trace | Part]:
    row = record(value)
    if row.get("object") == "chat.completion.chunk":
        need(row.get("id"), "a chunk without an id belongs to nothing")
        yield Part(f"chunk {text(row['id'])}", row)
        return
    asked, _ = pair(row)
    name = conversation_of(row, record(row.get("metadata")), asked, record(asked.get("metadata")))
    if name:
        yield Part(f"conversation {name}", row)
    else:
        yield _trace([row])


def join(key: str, values: list[Any]) -> Iterator[Trace | Part]:
    if key.startswith("chunk "):
        yield _trace([{"response": stitched(values)}])
    else:
        yield _trace(sorted(distinct(values), key=_began))


def _trace(rows: list[Json]) -> Trace:
    calls = [_call(row) for row in rows]
    made = joined(calls)
    gaps = ["the request: only the response was logged"] if not any(call.context for call in calls) else []
    if more := sum(max(len(listed(pair(row)[1].get("choices"))) - 1, 0) for row in rows):
        gaps.append(f"other choices than the first: {more}")
    return msgspec.structs.replace(
        made,
        outcome=next((found for row in reversed(rows) if (found := told(row))), ""),
        interventions=[each for row in rows for each in interventions_of(row)],
        seconds=sum(call.latency_s for call in calls),
        cost=sum(number(row.get("cost")) for row in rows),
        gaps=gaps,
    )


def _call(row: Json) -> Call:
    asked, answer = pair(row)
    context = items_of(listed(asked.get("messages")))
    if error := error_of(row, answer):
        return Call(context=context, reply=[], tools=_tools(asked), finish="error", error=error, latency_s=latency(row))
    choice = record(next(iter(listed(answer.get("choices"))), None))
    reply: list[Item] = []
    if choice:
        message = record(choice.get("message")) or {"content": choice.get("text")}
        reply = items_of([{"role": "assistant", **message}], context)
    need(context or reply, "neither a request with messages nor a response with choices")
    return Call(
        context=context,
        reply=reply,
        tools=_tools(asked),
        agent=text(answer.get("model") or asked.get("model")),
        sampling=sampling_of(asked),
        usage=usage_of(answer.get("usage")),
        latency_s=latency(row),
        finish=finish_of(choice.get("finish_reason")),
    )


def pair(row: Json) -> tuple[Json, Json]:
    """Request and response, wherever they stand: under a name of their own, or in the row itself."""
    asked = next((found for key in REQUESTS if (found := _body(row.get(key)))), {})
    answer: Json = {}
    for key in (*RESPONSES, *_CHUNKS):
        given = row.get(key)
        pieces = pieces_of(given)
        answer = stitched(pieces) if pieces else _body(given)
        if answer:
            break
    if not _has_choices(answer) and _has_choices(row):
        answer = row
    if not listed(asked.get("messages")) and listed(row.get("messages")):
        asked = row
    return asked, answer


def _body(value: Any) -> Json:
    """A request or response may be JSON in a text, or wrapped with its HTTP status."""
    found = record(unwrapped(value))
    return record(unwrapped(found["body"])) if "body" in found and ("status_code" in found or "url" in found) else found


def _has_choices(row: Json) -> bool:
    first = record(next(iter(listed(row.get("choices"))), None))
    return "message" in first or "text" in first


def _tools(asked: Json) -> list[Any]:
    return tools_of(asked.get("tools") or asked.get("functions"))


def _began(row: Json) -> float:
    names = ("started_at", "timestamp", "time", "created_at", "created")
    _, answer = pair(row)
    return next((found for each in (row, answer) for key in names if (found := number(each.get(key)))), 0.0)


def latency(row: Json) -> float:
    for key, unit in (("latency_s", 1), ("duration_s", 1), ("latency_ms", 1000), ("duration_ms", 1000), ("latency", 1)):
        if found := number(row.get(key)):
            return max(found, 0.0) / unit
    return 0.0


def error_of(row: Json, answer: Json) -> Failure | None:
    """What the server said instead of a reply."""
    said = answer.get("error") or (row.get("error") if not answer.get("choices") and not answer.get("output") else None)
    if not said:
        return None
    given = record(said)
    kind = text(given.get("type") or given.get("code") or "ServerError")
    return Failure(Fault.INFRASTRUCTURE, kind, text(given.get("message") or said))


# -- streamed replies -----------------------------------------------------------------------------------------------------


def pieces_of(value: Any) -> list[Json]:
    """Streamed pieces: a list of them, or server-sent events in a text."""
    if isinstance(value, str) and value.lstrip().startswith(("data:", "event:")):
        lines = [line[5:].strip() for line in value.splitlines() if line.startswith("data:")]
        value = [unwrapped(line) for line in lines if line and line != "[DONE]"]
    found = [record(each) for each in listed(value)]
    return found if found and all("choices" in each or "type" in each or "usage" in each for each in found) else []


def stitched(pieces: list[Json]) -> Json:
    """The response that chunks add up to: the first choice's deltas, one after another; empty where they hold nothing."""
    message: dict[str, Any] = {"role": "assistant"}
    calls: dict[int, dict[str, Any]] = {}
    whole: Json = {}
    finish: Any = None
    for piece in pieces:
        whole |= {key: piece[key] for key in ("model", "usage", "id", "created", "error") if piece.get(key)}
        for choice in map(record, listed(piece.get("choices"))):
            if choice.get("index", 0) != 0:
                continue
            finish = choice.get("finish_reason") or finish
            delta = record(choice.get("delta"))
            for key in ("content", "refusal", "reasoning_content", "reasoning"):
                if isinstance(delta.get(key), str):
                    message[key] = message.get(key, "") + delta[key]
            _stitch_calls(listed(delta.get("tool_calls")), calls)
    if not message.keys() - {"role"} and not calls and "error" not in whole:
        return {}
    if calls:
        message["tool_calls"] = [calls[place] for place in sorted(calls)]
    return {**whole, "choices": [{"message": message, "finish_reason": finish}]}


def _stitch_calls(deltas: list[Any], calls: dict[int, dict[str, Any]]) -> None:
    for place, delta in enumerate(map(record, deltas)):
        given = delta.get("index", place)
        call = calls.setdefault(given if isinstance(given, int) else place, {"function": {"name": "", "arguments": ""}})
        if delta.get("id"):
            call["id"] = delta["id"]
        function = record(delta.get("function"))
        for key in ("name", "arguments"):
            if isinstance(function.get(key), str):
                call["function"][key] += function[key]
