"""Phoenix exports: spans and annotations as its client and its data frames return them.

A span has its kind and status beside its attributes (`span_kind`, `status_code`). Attributes are flat, nested, or columns of a
data frame (`attributes.llm.input_messages` with a list of messages). They become OpenInference's flat attributes, which `otel`
reads. An annotation names only its span, so the two are joined first. Spans of one session, else of one trace, are one
trajectory.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from verigym.core.records import Json
from verigym.traces.formats import otel
from verigym.traces.formats.opinions import Opinion, named_opinion
from verigym.traces.formats.trace import ParsedTrace, TracePart, require
from verigym.wire.values import as_list, as_object, as_objects, as_text

NAME = "phoenix"
TITLE = "Phoenix"
_COLUMN = "attributes."
_DEEPEST = 12


def fits(value: Any) -> bool:
    row = as_object(value)
    return _is_span(row) or _is_annotation(row)


def read(value: Any) -> Iterator[ParsedTrace | TracePart]:
    row = as_object(value)
    if _is_annotation(row):
        yield TracePart(f"span {as_text(row['span_id'])}", {"annotation": row})
        return
    span = otel.normal_span(_as_printed(row))
    require(span["trace"] and span["span"], "a span has no trace id or no span id")
    yield TracePart(f"span {span['span']}", span)


def join(key: str, values: list[Any]) -> Iterator[ParsedTrace | TracePart]:
    """Joins annotations with their span, then all spans of a trace, then all spans of a session if they name one."""
    spans = [value for value in values if "annotation" not in value]
    if key.startswith("span "):
        require(spans, "the span of this annotation is not in the input. Export spans and annotations together")
        for value in values:
            yield TracePart(f"trace {spans[0]['trace']}", value)
        return
    names = {name for span in spans if (name := otel.conversation_of_span(span))} if key.startswith("trace ") else set()
    if names:
        for value in values:
            yield TracePart(f"session {min(names)}", value)
        return
    relevant = [span for span in spans if otel.kind_of(span)]
    require(relevant, "it has no span of a model, tool or agent")
    trace = otel.trace_of_spans(relevant)
    opinions = [_opinion(value["annotation"]) for value in values if "annotation" in value]
    yield msgspec.structs.replace(trace, opinions=[*trace.opinions, *opinions])


def _opinion(row: Json) -> Opinion:
    result = as_object(row.get("result")) or {
        key: row.get(f"result.{key}") for key in ("label", "score", "explanation")
    }
    return named_opinion(
        "annotations",
        as_text(row.get("name") or row.get("annotation_name")),
        value=result.get("score"),
        label=result.get("label"),
        by_person=row.get("annotator_kind") == "HUMAN",
        note=as_text(result.get("explanation")),
        who=as_text(row.get("user_id")),
        when=as_text(row.get("created_at")),
    )


def _as_printed(row: Json) -> Json:
    """The span as an SDK prints it, with flat attributes."""
    attributes: Json = {}
    _flatten(as_object(row.get("attributes")), "", attributes)
    columns = {key[len(_COLUMN) :]: value for key, value in row.items() if key.startswith(_COLUMN)}
    _flatten(columns, "", attributes)
    if row.get("span_kind"):
        attributes.setdefault("openinference.span.kind", as_text(row["span_kind"]))
    context = as_object(row.get("context"))
    return {
        "context": {
            "trace_id": row.get("context.trace_id") or context.get("trace_id"),
            "span_id": row.get("context.span_id") or context.get("span_id"),
        },
        "name": row.get("name"),
        "start_time": row.get("start_time"),
        "end_time": row.get("end_time"),
        "status": {"status_code": row.get("status_code"), "message": row.get("status_message")},
        "attributes": attributes,
        "events": as_objects(row.get("events")),
    }


def _flatten(value: Any, path: str, flat: Json, depth: int = 0) -> None:
    """`{"llm": {"input_messages": [{"message.role": "user"}]}}` is `llm.input_messages.0.message.role: user`.

    Lists of plain values, and values that are no attributes of messages or tools, stay as they are.
    """
    if value is None:
        return
    inner = depth < _DEEPEST and not path.endswith((".value", ".json_schema", "parameters"))
    if isinstance(value, dict) and inner:
        for key, each in value.items():
            _flatten(each, f"{path}.{key}" if path else key, flat, depth + 1)
    elif as_list(value) and inner and all(isinstance(each, dict) for each in value):
        for index, each in enumerate(value):
            _flatten(each, f"{path}.{index}", flat, depth + 1)
    else:
        flat[path] = value


def _is_span(row: Json) -> bool:
    named = "trace_id" in as_object(row.get("context")) or "context.trace_id" in row
    held = isinstance(row.get("attributes"), dict) or any(key.startswith(_COLUMN) for key in row)
    return named and held and "span_kind" in row and "status_code" in row


def _is_annotation(row: Json) -> bool:
    named = isinstance(row.get("name") or row.get("annotation_name"), str) and isinstance(row.get("span_id"), str)
    return named and "annotator_kind" in row and ("result" in row or "result.label" in row or "result.score" in row)
