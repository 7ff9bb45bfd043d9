"""Reads spans from OTLP/JSON (`resourceSpans`) and from what OpenTelemetry SDKs print, into one plain form.

It keeps only attributes about models, tools and agents. `otel` interprets them.
"""

import datetime
from collections.abc import Iterator
from typing import Any

from verigym.core.records import Json
from verigym.wire.values import as_list, as_number, as_object, as_text

_ABOUT = (
    "gen_ai.",
    "llm.",
    "tool.",
    "tool_call.",
    "openinference.",
    "input.",
    "output.",
    "session.",
    "error.",
    "exception.",
)
_DEEPEST = 32


def spans_in(value: Json) -> Iterator[Json]:
    """Every span in a document: `{trace, span, name, start, end, failed, said, about, events}`."""
    if "context" in value and "attributes" in value:
        yield _printed(value)
        return
    resources = as_list(value.get("resourceSpans") or value.get("resource_spans"))
    for resource in map(as_object, resources or [value]):
        scopes = as_list(resource.get("scopeSpans") or resource.get("scope_spans"))
        scopes = scopes or as_list(resource.get("instrumentationLibrarySpans"))
        for scope in map(as_object, scopes or [resource]):
            for span in map(as_object, as_list(scope.get("spans")) or ([scope] if is_span(scope) else [])):
                yield _exported(span)


def is_span(value: Json) -> bool:
    return ("traceId" in value or "trace_id" in value) and ("spanId" in value or "span_id" in value)


def _exported(span: Json) -> Json:
    """An OTLP span. Attributes are a list of keys and typed values, times are nanoseconds as text."""
    status = as_object(span.get("status"))
    return {
        "trace": as_text(span.get("traceId") or span.get("trace_id")),
        "span": as_text(span.get("spanId") or span.get("span_id")),
        "name": as_text(span.get("name")),
        "start": as_number(span.get("startTimeUnixNano") or span.get("start_time_unix_nano")) / 1e9,
        "end": as_number(span.get("endTimeUnixNano") or span.get("end_time_unix_nano")) / 1e9,
        "failed": status.get("code") in (2, "2", "STATUS_CODE_ERROR"),
        "said": as_text(status.get("message")),
        "about": _about(span.get("attributes")),
        "events": [
            {"name": as_text(event.get("name")), "about": _about(event.get("attributes"))}
            for event in map(as_object, as_list(span.get("events")))
        ],
    }


def _printed(span: Json) -> Json:
    """A span as an SDK prints it. Attributes are an object, times are dates."""
    context, status = as_object(span.get("context")), as_object(span.get("status"))
    return {
        "trace": as_text(context.get("trace_id")),
        "span": as_text(context.get("span_id")),
        "name": as_text(span.get("name")),
        "start": _seconds(span.get("start_time")),
        "end": _seconds(span.get("end_time")),
        "failed": status.get("status_code") == "ERROR",
        "said": as_text(status.get("description")),
        "about": _about(span.get("attributes")),
        "events": [
            {"name": as_text(event.get("name")), "about": _about(event.get("attributes"))}
            for event in map(as_object, as_list(span.get("events")))
        ],
    }


def _about(attributes: Any) -> Json:
    if isinstance(attributes, dict):
        return {key: value for key, value in attributes.items() if key.startswith(_ABOUT)}
    pairs = [(as_text(as_object(each).get("key")), as_object(each).get("value")) for each in as_list(attributes)]
    return {key: _value(value) for key, value in pairs if key.startswith(_ABOUT)}


def _value(value: Any, depth: int = 0) -> Any:
    """`{"stringValue": "a"}` is `a`."""
    given = as_object(value)
    if not given or depth > _DEEPEST:
        return value if not isinstance(value, dict) else None
    kind, inner = next(iter(given.items()))
    if kind in ("arrayValue", "array_value"):
        return [_value(each, depth + 1) for each in as_list(as_object(inner).get("values"))]
    if kind in ("kvlistValue", "kvlist_value"):
        pairs = map(as_object, as_list(as_object(inner).get("values")))
        return {as_text(each.get("key")): _value(each.get("value"), depth + 1) for each in pairs}
    if kind in ("intValue", "int_value"):
        return int(as_number(inner))
    return inner


def _seconds(value: Any) -> float:
    if isinstance(value, str):
        try:
            return datetime.datetime.fromisoformat(value.replace("Z", "+00:00")).timestamp()
        except (ValueError, OverflowError):
            return 0.0
    found = as_number(value)
    return found / 1e9 if found > 1e12 else found
