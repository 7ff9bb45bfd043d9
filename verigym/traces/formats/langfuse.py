"""Langfuse exports: observations, scores, and traces that hold both. Objects of its API and SDK, or rows whose values are JSON in
texts, as its file exports have them.

The observations of a trace are one trajectory, and so are all traces of a session. Generations are the model calls, tool
observations add what no generation shows. If no generation holds messages, the root's input and output are the conversation.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from verigym.core.records import Failure, Fault, Json, Turn, Usage
from verigym.traces.formats.model_values import context_items, reply_items, tools_in
from verigym.traces.formats.opinions import Opinion, named_opinion
from verigym.traces.formats.trace import (
    ModelCall,
    ParsedTrace,
    ToolRun,
    TracePart,
    joined_trace,
    require,
    seconds_of,
)
from verigym.wire.items import sampling_of
from verigym.wire.values import as_count, as_number, as_object, as_objects, as_text, parsed

NAME = "langfuse"
TITLE = "Langfuse"
_KINDS = {"GENERATION", "SPAN", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL"}
_SCORES = {"NUMERIC", "BOOLEAN", "CATEGORICAL", "CORRECTION", "TEXT"}
_PEOPLE = ("thumb", "user", "rating", "feedback", "like", "vote")
"""Parts of names that say that a person gave a score which came by the API."""


def fits(value: Any) -> bool:
    row = _camel(as_object(value))
    return _is_observation(row) or _is_score(row) or _is_trace(row)


def read(value: Any) -> Iterator[ParsedTrace | TracePart]:
    row = _camel(as_object(value))
    if _is_trace(row):
        id = as_text(row["id"])
        yield TracePart(f"trace {id}", {**row, "observations": None, "scores": None, "kind": "trace"})
        for observation in map(_camel, as_objects(row.get("observations"))):
            observation = {"traceId": id, **observation}  # noqa: PLW2901
            require(_is_observation(observation), "an observation of the trace has no id, type or start time")
            yield TracePart(f"trace {id}", {**observation, "kind": "observation"})
        for score in map(_camel, as_objects(row.get("scores"))):
            require(_is_score(score), "a score of the trace has no name, value, data type or source")
            yield TracePart(f"trace {id}", {**score, "kind": "score"})
    elif _is_score(row):
        trace, session = _subject(row)
        require(trace or session, "the score names neither a trace nor a session")
        yield TracePart(f"trace {trace}" if trace else f"score of session {session}", {**row, "kind": "score"})
    else:
        require(row.get("traceId"), "the observation names no trace")
        yield TracePart(f"trace {as_text(row['traceId'])}", {**row, "kind": "observation"})


def join(key: str, values: list[Any]) -> Iterator[ParsedTrace | TracePart]:
    """Joins all records of a trace, then all records of a session if they name one."""
    if key.startswith("score of session "):
        for score in values:
            yield TracePart(key.removeprefix("score of "), score)
        return
    sessions = {as_text(row["sessionId"]) for row in values if row.get("sessionId")}
    if not key.startswith("trace ") or not sessions:
        yield _trace(values)
        return
    for row in values:
        yield TracePart(f"session {min(sessions)}", row)


def _trace(rows: list[Json]) -> ParsedTrace:
    observations = {as_text(row["id"]): row for row in rows if row["kind"] == "observation"}
    scores = {as_text(row.get("id")) or as_text(row): row for row in rows if row["kind"] == "score"}
    roots = [row for row in rows if row["kind"] == "trace"]
    require(observations or roots, "the trace of this score is not in the input. Export traces and scores together")
    steps = sorted(observations.values(), key=lambda row: (_time(row, "startTime"), _time(row, "endTime"), row["id"]))
    gaps: list[str] = []
    calls = [_call(row, gaps) for row in steps if row["type"] == "GENERATION"]
    if not any(call.context or call.reply for call in calls):
        calls = [_root_call(row, gaps) for row in roots or _without_parent(steps)]
    trace = joined_trace(
        calls,
        [_tool_run(row) for row in steps if row["type"] == "TOOL"],
        opinions=[_opinion(row, gaps) for row in scores.values()],
        gaps=gaps,
        times=[moment for row in steps for moment in (_time(row, "startTime"), _time(row, "endTime")) if moment],
        cost=sum(map(_cost, steps)),
    )
    require(trace.items, "its observations hold no messages: input and output are empty")
    return trace


def _call(row: Json, gaps: list[str]) -> ModelCall:
    context = context_items(row.get("input"), gaps)
    parameters, usage = as_object(parsed(row.get("modelParameters"))), _usage(row)
    error = _error(row)
    return ModelCall(
        context=context,
        reply=reply_items(row.get("output"), context, gaps),
        tools=tools_in(row.get("input"), parameters),
        turn=Turn(
            agent=as_text(row.get("model")),
            sampling=sampling_of(parameters),
            usage=usage,
            latency_s=max(_time(row, "endTime") - _time(row, "startTime"), 0.0) if row.get("endTime") else 0.0,
            finish="error" if error else "stop",
        ),
        error=error,
    )


def _root_call(row: Json, gaps: list[str]) -> ModelCall:
    """The conversation as the trace or its root observation holds it."""
    context = context_items(row.get("input"), gaps)
    return ModelCall(context=context, reply=reply_items(row.get("output"), context, gaps), error=_error(row))


def _without_parent(steps: Sequence[Json]) -> list[Json]:
    known = {row["id"] for row in steps}
    return [row for row in steps if row.get("parentObservationId") not in known]


def _tool_run(row: Json) -> ToolRun:
    result = parsed(row.get("output"))
    message = as_object(result)
    return ToolRun(
        id=as_text(row["id"]),
        name=as_text(row.get("name")),
        call_id=as_text(message.get("tool_call_id")),
        arguments=row.get("input"),
        result=message["content"] if "tool_call_id" in message and "content" in message else result,
        error=_error(row),
    )


def _error(row: Json) -> Failure | None:
    if as_text(row.get("level")).upper() != "ERROR":
        return None
    return Failure(Fault.INFRASTRUCTURE, "Error", as_text(row.get("statusMessage")))


def _opinion(row: Json, gaps: list[str]) -> Opinion:
    name, kind, source = as_text(row.get("name")), as_text(row.get("dataType")), as_text(row.get("source"))
    value, text = parsed(row.get("value")), row.get("stringValue")
    by_person = source == "ANNOTATION" or (source == "API" and any(part in name.lower() for part in _PEOPLE))
    rest = {
        "by_person": by_person,
        "note": as_text(row.get("comment")),
        "who": as_text(row.get("authorUserId")),
        "when": as_text(row.get("timestamp")),
    }
    if kind == "CORRECTION":
        correction = reply_items(text or value, (), gaps)
        return Opinion(field=f"scores.{name}", correction=correction, **{**rest, "by_person": True})
    if kind == "TEXT":
        words = " ".join(filter(None, [as_text(text or value), rest["note"]]))
        return Opinion(field=f"scores.{name}", **{**rest, "note": words})
    if kind == "BOOLEAN":
        value = bool(value) if value in (0, 1) else value
        return named_opinion("scores", name, value=value, **rest)
    label = text if text else value if isinstance(value, str) else None
    return named_opinion("scores", name, value=value, label=label, **rest)


def _usage(row: Json) -> Usage:
    details, older = as_object(parsed(row.get("usageDetails"))), as_object(parsed(row.get("usage")))
    prompt = (details.get(key) for key in ("input", "prompt_tokens", "input_tokens"))
    completion = (details.get(key) for key in ("output", "completion_tokens", "output_tokens"))
    return Usage(
        as_count(next((count for count in prompt if count), older.get("input"))),
        as_count(next((count for count in completion if count), older.get("output"))),
    )


def _cost(row: Json) -> float:
    details = as_object(parsed(row.get("costDetails")))
    return max(as_number(row.get("totalCost")) or as_number(details.get("total")), 0.0)


def _time(row: Json, key: str) -> float:
    return seconds_of(row.get(key))


def _subject(row: Json) -> tuple[str, str]:
    """The trace and the session of a score."""
    subject = as_object(parsed(row.get("subject")))
    id, kind = as_text(subject.get("id")), subject.get("kind")
    trace = as_text(row.get("traceId") or subject.get("traceId")) or (id if kind == "trace" else "")
    return trace, as_text(row.get("sessionId")) or (id if kind == "session" else "")


def _is_observation(row: Json) -> bool:
    return (
        as_text(row.get("type")) in _KINDS
        and isinstance(row.get("id"), str)
        and isinstance(row.get("traceId"), str)
        and "startTime" in row
    )


def _is_score(row: Json) -> bool:
    named = isinstance(row.get("name"), str) and as_text(row.get("dataType")) in _SCORES and "source" in row
    return named and ("value" in row or "stringValue" in row)


def _is_trace(row: Json) -> bool:
    own = {"htmlPath", "sessionId", "public", "bookmarked", "release"} & row.keys()
    held = all(isinstance(row.get(key), list) for key in ("observations", "scores") if row.get(key) is not None)
    return isinstance(row.get("id"), str) and "timestamp" in row and bool(own) and held and "type" not in row


_CAMEL = {
    "trace_id": "traceId",
    "start_time": "startTime",
    "end_time": "endTime",
    "parent_observation_id": "parentObservationId",
    "status_message": "statusMessage",
    "session_id": "sessionId",
    "model_parameters": "modelParameters",
    "usage_details": "usageDetails",
    "cost_details": "costDetails",
    "total_cost": "totalCost",
    "data_type": "dataType",
    "string_value": "stringValue",
    "author_user_id": "authorUserId",
    "html_path": "htmlPath",
}


def _camel(row: Json) -> Json:
    """The row with the API's names of fields. The SDK's `dict()` and file exports write them with underscores."""
    return {_CAMEL.get(key, key): value for key, value in row.items()}
