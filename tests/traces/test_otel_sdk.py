"""Spans that an OpenTelemetry SDK really made, as it prints them and as OTLP/JSON."""

import io
import json
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Status, StatusCode

from tests.traces.conftest import Place
from verigym.core.records import Fault, FunctionCall, FunctionCallOutput, Message

ASKED = [{"role": "user", "parts": [{"type": "text", "content": "Weather in Bern? I am at ann@example.com"}]}]
CALLED = [
    {
        "role": "assistant",
        "parts": [{"type": "tool_call", "id": "c1", "name": "weather", "arguments": {"city": "Bern"}}],
    }
]
RESULT = [{"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "rain"}]}]
SAID = [{"role": "assistant", "parts": [{"type": "text", "content": "It rains."}], "finish_reason": "stop"}]


def agent_at_work() -> tuple[str, list[ReadableSpan]]:
    """An agent's run, instrumented: the SDK's printed output, and its spans."""
    printed, kept = io.StringIO(), InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(out=printed)))
    provider.add_span_processor(SimpleSpanProcessor(kept))
    tracer = provider.get_tracer("agent")
    with tracer.start_as_current_span("invoke_agent clerk") as agent:
        agent.set_attributes({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "clerk"})
        with tracer.start_as_current_span("chat m") as span:
            span.set_attributes(chat(ASKED, CALLED, "tool_call"))
        with tracer.start_as_current_span("execute_tool weather") as span:
            span.set_attributes(
                {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather", "gen_ai.tool.call.id": "c1"}
            )
            with tracer.start_as_current_span("GET") as inner:
                inner.set_attribute("http.request.method", "GET")
        with tracer.start_as_current_span("chat m") as span:
            span.set_attributes(chat(ASKED + CALLED + RESULT, SAID, "stop"))
            span.add_event(
                "gen_ai.evaluation.result", {"gen_ai.evaluation.name": "ok", "gen_ai.evaluation.score.label": "fail"}
            )
    with tracer.start_as_current_span("chat m") as span:
        span.set_attributes(
            {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(ASKED), "error.type": "429"}
        )
        span.set_status(Status(StatusCode.ERROR, "slow down"))
    return printed.getvalue(), list(kept.get_finished_spans())


def chat(shown: Any, said: Any, finish: str) -> dict[str, Any]:
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "m",
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.max_tokens": 99,
        "gen_ai.response.finish_reasons": [finish],
        "gen_ai.usage.input_tokens": 11,
        "gen_ai.usage.output_tokens": 7,
        "gen_ai.input.messages": json.dumps(shown),
        "gen_ai.output.messages": json.dumps(said),
    }


def otlp(spans: list[ReadableSpan]) -> dict[str, Any]:
    """As an exporter writes it: OTLP's JSON mapping, ids in hexadecimal, 64-bit integers as text."""

    def value(given: Any) -> dict[str, Any]:
        if isinstance(given, bool):
            return {"boolValue": given}
        if isinstance(given, int):
            return {"intValue": str(given)}
        if isinstance(given, float):
            return {"doubleValue": given}
        if isinstance(given, tuple | list):
            return {"arrayValue": {"values": [value(each) for each in given]}}
        return {"stringValue": given}

    def attributes(given: Any) -> list[Any]:
        return [{"key": key, "value": value(each)} for key, each in (given or {}).items()]

    rows: list[dict[str, Any]] = []
    for span in spans:
        context = span.get_span_context()
        assert context is not None
        rows.append(
            {
                "traceId": f"{context.trace_id:032x}",
                "spanId": f"{context.span_id:016x}",
                "name": span.name,
                "kind": 1,
                "startTimeUnixNano": str(span.start_time),
                "endTimeUnixNano": str(span.end_time),
                "attributes": attributes(span.attributes),
                "events": [{"name": each.name, "attributes": attributes(each.attributes)} for each in span.events],
                "status": {"code": span.status.status_code.value, "message": span.status.description or ""},
            }
        )
    scope = {"scope": {"name": "agent"}, "spans": rows}
    return {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [scope]}]}


@pytest.mark.parametrize("form", ["printed", "json lines", "otlp document", "otlp, a span a line", "otlp, indented"])
def test_an_agents_run_is_one_trajectory_however_its_spans_were_exported(form: str, place: Place) -> None:
    printed, spans = agent_at_work()
    forms = {
        "printed": [printed],
        "json lines": [span.to_json(indent=None) for span in spans],
        "otlp document": [json.dumps(otlp(spans))],
        "otlp, a span a line": [json.dumps(otlp([span])) for span in reversed(spans)],
        "otlp, indented": [json.dumps(otlp(spans), indent=2)],
    }
    summary = place.take(place.write("spans.jsonl", *forms[form]))
    assert summary.accepted == 2 and set(summary.formats) == {"otel"}
    whole = next(one for one in place.stored() if one.error is None)
    assert whole.items == [
        Message("user", "Weather in Bern? I am at [EMAIL 1]"),
        FunctionCall("c1", "weather", '{"city":"Bern"}'),
        FunctionCallOutput("c1", "rain"),
        Message("assistant", "It rains."),
    ]
    first, second = whole.turns
    assert (first.parent, first.made, first.finish, second.parent, second.made) == (None, [1], "tool_calls", 0, [3])
    assert (first.usage.prompt_tokens, first.usage.completion_tokens, first.sampling.temperature) == (11, 7, 0.5)
    assert first.sampling.max_tokens == 99 and first.agent == "m" and 0 < first.latency_s <= whole.seconds
    assert [mark.kind for mark in whole.marks] == ["executed"] and whole.outcome == "failure"
    broken = next(one for one in place.stored() if one.error is not None)
    assert broken.error is not None
    assert (broken.error.fault, broken.error.kind, broken.error.message) == (Fault.INFRASTRUCTURE, "429", "slow down")


def test_spans_about_other_things_are_set_aside_only_where_a_line_has_no_others(place: Place) -> None:
    _, spans = agent_at_work()
    http = [span for span in spans if span.name == "GET"]
    summary = place.take(place.write("spans.jsonl", json.dumps(otlp(http)), json.dumps(otlp(spans))))
    assert summary.quarantined == 1 and list(summary.reasons) == ["it has no span of a model, tool or agent"]
    assert summary.taken == len(spans) - len(http)


def test_spans_without_messages_say_what_to_switch_on(place: Place) -> None:
    provider, kept = TracerProvider(), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    with provider.get_tracer("x").start_as_current_span("chat m") as span:
        span.set_attributes({"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"})
    summary = place.take(place.write("spans.jsonl", json.dumps(otlp(list(kept.get_finished_spans())))))
    assert summary.taken == 0 and "Enable the capture of message content" in next(iter(summary.reasons))
