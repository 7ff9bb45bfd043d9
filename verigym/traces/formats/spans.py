"""Spans as files hold them, as one plain form: OTLP/JSON (`resourceSpans`) and what OpenTelemetry SDKs print of a span.

Only what is about a model, a tool or an agent is kept of a span's attributes. What it means is `otel`.
"""

import datetime
from collections.abc import Iterator
from typing import Any

from verigym.core.records import Json
from verigym.traces.formats.trace import listed, number, record, text

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
    resources = listed(value.get("resourceSpans") or value.get("resource_spans"))
    for resource in map(record, resources or [value]):
        scopes = listed(resource.get("scopeSpans") or resource.get("scope_spans"))
        scopes = scopes or listed(resource.get("instrumentationLibrarySpans"))
        for scope in map(record, scopes or [resource]):
            for span in map(record, listed(scope.get("spans")) or ([scope] if is_span(scope) else [])):
                yield _exported(span)


def is_span(value: Json) -> bool:
    return ("traceId" in value or "trace_id" in value) and ("spanId" in value or "span_id" in value)


def _exported(span: Json) -> Json:
    """Of OTLP: attributes are a list of keys and typed values, times are nanoseconds in a text."""
    status = record(span.get("status"))
    return {
        "trace": text(span.get("traceId") or span.get("trace_id")),
        "span": text(span.get("spanId") or span.get("span_id")),
        "name": text(span.get("name")),
        "start": number(span.get("startTimeUnixNano") or span.get("start_time_unix_nano")) / 1e9,
        "end": number(span.get("endTimeUnixNano") or span.get("end_time_unix_nano")) / 1e9,
        "failed": status.get("code") in (2, "2", "STATUS_CODE_ERROR"),
        "said": text(status.get("message")),
        "about": _about(span.get("attributes")),
        "events": [
            {"name": text(event.get("name")), "about": _about(event.get("attributes"))}
            for event in map(record, listed(span.get("events")))
        ],
    }


def _printed(span: Json) -> Json:
    """Of an SDK's own: attributes are an object, times are dates."""
    context, status = record(span.get("context")), record(span.get("status"))
    return {
        "trace": text(context.get("trace_id")),
        "span": text(context.get("span_id")),
        "name": text(span.get("name")),
        "start": _seconds(span.get("start_time")),
        "end": _seconds(span.get("end_time")),
        "failed": status.get("status_code") == "ERROR",
        "said": text(status.get("description")),
        "about": _about(span.get("attributes")),
        "events": [
            {"name": text(event.get("name")), "about": _about(event.get("attributes"))}
            for event in map(record, listed(span.get("events")))
        ],
    }


def _about(attributes: Any) -> Json:
    if isinstance(attributes, dict):
        return {key: value for key, value in attributes.items() if key.startswith(_ABOUT)}
    pairs = [(text(record(each).get("key")), record(each).get("value")) for each in listed(attributes)]
    return {key: _value(value) for key, value in pairs if key.startswith(_ABOUT)}


def _value(value: Any, depth: int = 0) -> Any:
    """`{"stringValue": "a"}` is `a`."""
    given = record(value)
    if not given or depth > _DEEPEST:
        return value if not isinstance(value, dict) else None
    kind, inner = next(iter(given.items()))
    if kind in ("arrayValue", "array_value"):
        return [_value(each, depth + 1) for each in listed(record(inner).get("values"))]
    if kind in ("kvlistValue", "kvlist_value"):
        pairs = map(record, listed(record(inner).get("values")))
        return {text(each.get("key")): _value(each.get("value"), depth + 1) for each in pairs}
    if kind in ("intValue", "int_value"):
        return int(number(inner))
    return inner


def _seconds(value: Any) -> float:
    if isinstance(value, str):
        try:
            return datetime.datetime.fromisoformat(value.replace("Z", "+00:00")).timestamp()
        except (ValueError, OverflowError):
            return 0.0
    found = number(value)
    return found / 1e9 if found > 1e12 else found
