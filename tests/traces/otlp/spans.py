"""Spans of an agent with one tool call, as OTLP/JSON."""

import json
from typing import Any

AGENT, FIRST, TOOL, LAST = "a" * 16, "b" * 16, "c" * 16, "d" * 16


def text(role: str, content: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": content}]}


def span(trace: str, id: str, start: int, about: dict[str, Any], parent: str = AGENT, **fields: Any) -> dict[str, Any]:
    attributes = [
        {"key": key, "value": {"stringValue": value if isinstance(value, str) else json.dumps(value)}}
        for key, value in about.items()
    ]
    times = {"startTimeUnixNano": str(start * 10**9), "endTimeUnixNano": str((start + 1) * 10**9)}
    shared = {"traceId": trace, "spanId": id, "parentSpanId": parent, "name": "x", **times}
    return {**shared, "attributes": attributes, **fields}


def agent_spans(trace: str, question: str = "Weather in Bern?", **about: str) -> list[dict[str, Any]]:
    """Root, first model call, tool, last model call, in this order."""
    call = {"type": "tool_call", "id": "c1", "name": "weather", "arguments": {"city": "Bern"}}
    asked = [text("user", question)]
    called = [{"role": "assistant", "parts": [call]}]
    result = [{"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "rain"}]}]
    chat = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather", "gen_ai.tool.call.id": "c1"}
    first = {**chat, "gen_ai.input.messages": asked, "gen_ai.output.messages": called}
    last = {
        **chat,
        "gen_ai.input.messages": [*asked, *called, *result],
        "gen_ai.output.messages": [text("assistant", "It rains.")],
    }
    return [
        span(trace, AGENT, 1, {"gen_ai.operation.name": "invoke_agent", **about}, parent=""),
        span(trace, FIRST, 2, first),
        span(trace, TOOL, 3, tool),
        span(trace, LAST, 4, last),
    ]


def document(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"spans": list(spans)}]}]}


def trace_id(number: int) -> str:
    return f"{number:032x}"
