"""Receives OpenTelemetry spans: `SpanReceiver(home, redaction).accept(document, owner)`. The server has its HTTP route."""

from verigym.traces.otlp.protobuf import read_request, write_response, write_status
from verigym.traces.otlp.receiver import Receipt, SpanReceiver

__all__ = ["Receipt", "SpanReceiver", "read_request", "write_response", "write_status"]
