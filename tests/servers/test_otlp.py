"""`POST /v1/traces` with OpenTelemetry's own exporter, and with requests that no exporter would send."""

import contextlib
import gzip
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.rpc.status_pb2 import Status
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor

from tests.servers.running import Running, running
from tests.traces.otlp.spans import agent_spans, document, trace_id
from tests.traces.otlp.test_receiver import ITEMS, stored
from tests.traces.test_otel_sdk import ASKED, CALLED, RESULT, SAID, chat
from verigym.core.records import FunctionCall, FunctionCallOutput, Message
from verigym.servers.admission import AdmissionLimits
from verigym.traces.otlp import SpanReceiver
from verigym.traces.redaction import Redaction

KEY = "k" * 24
PROTOBUF, JSON = "application/x-protobuf", "application/json"


@contextlib.contextmanager
def receiving(home: Path, **options: Any) -> Iterator[Running]:
    with running(home, fixed="one", **options) as server:
        open = SpanReceiver(home, Redaction.load(), quiet_s=0.0, idle_s=1e6)
        server.gateway.spans = open
        try:
            yield server
        finally:
            open.close()


def post(server: Running, body: bytes, kind: str = JSON, **headers: str) -> tuple[int, Any, bytes]:
    headers = {"content-type": kind, **{name.replace("_", "-"): value for name, value in headers.items()}}
    request = urllib.request.Request(f"{server.url}/v1/traces", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.status, reply.headers, reply.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def sent(server: Running, processor: Any, **options: Any) -> None:
    """An instrumented agent's run, sent by OpenTelemetry's exporter."""
    provider = TracerProvider()
    exporter = OTLPSpanExporter(f"{server.url}/v1/traces", timeout=60, **options)
    provider.add_span_processor(processor(exporter))
    tracer = provider.get_tracer("agent")
    with tracer.start_as_current_span("invoke_agent clerk") as agent:
        agent.set_attributes({"gen_ai.operation.name": "invoke_agent"})
        with tracer.start_as_current_span("chat m") as span:
            span.set_attributes(chat(ASKED, CALLED, "tool_call"))
        with tracer.start_as_current_span("execute_tool weather") as span:
            span.set_attributes({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.id": "c1"})
        with tracer.start_as_current_span("chat m") as span:
            span.set_attributes(chat(ASKED + CALLED + RESULT, SAID, "stop"))
    provider.shutdown()


@pytest.mark.parametrize("processor", [SimpleSpanProcessor, BatchSpanProcessor], ids=["span by span", "one batch"])
@pytest.mark.parametrize("compression", [Compression.NoCompression, Compression.Gzip, Compression.Deflate])
def test_what_opentelemetrys_exporter_sends_is_one_trajectory(
    processor: Any, compression: Compression, tmp_path: Path
) -> None:
    with receiving(tmp_path) as server:
        sent(server, processor, compression=compression)
    [one] = stored(tmp_path)
    assert one.items == [
        Message("user", "Weather in Bern? I am at [EMAIL 1]"),
        FunctionCall("c1", "weather", '{"city":"Bern"}'),
        FunctionCallOutput("c1", "rain"),
        Message("assistant", "It rains."),
    ]
    assert (one.turns[0].usage.prompt_tokens, one.turns[0].sampling.temperature, one.turns[0].agent) == (11, 0.5, "m")


def test_the_exporter_needs_the_servers_key(tmp_path: Path) -> None:
    with receiving(tmp_path, keys=[KEY]) as server:
        sent(server, BatchSpanProcessor)
        sent(server, BatchSpanProcessor, headers={"authorization": f"Bearer {KEY}"})
        code, _, body = post(server, b"", PROTOBUF)
        assert (code, Status.FromString(body).code) == (401, 16) and "API key" in Status.FromString(body).message
    assert len(stored(tmp_path)) == 1


@pytest.mark.parametrize("zipped", [False, True], ids=["plain", "gzip"])
def test_json_is_read_like_protobuf(zipped: bool, tmp_path: Path) -> None:
    body = json.dumps(document(*agent_spans(trace_id(1)))).encode()
    with receiving(tmp_path) as server:
        if zipped:
            code, _, answer = post(
                server, gzip.compress(body), "application/json; charset=utf-8", content_encoding="gzip"
            )
        else:
            code, _, answer = post(server, body)
        assert (code, answer) == (200, b"{}")
    assert stored(tmp_path)[0].items == ITEMS


def test_spans_that_are_not_stored_are_named_in_the_answer(tmp_path: Path) -> None:
    bad = {**agent_spans(trace_id(1))[0], "traceId": "1"}
    with receiving(tmp_path) as server:
        _, _, answer = post(server, json.dumps(document(bad, *agent_spans(trace_id(2)))).encode())
        partial = json.loads(answer)["partialSuccess"]
        assert partial["rejectedSpans"] == "1" and "32 hexadecimal digits" in partial["errorMessage"]
        body = b"\x0a\x09\x12\x07\x12\x05\x12\x03\x0a\x01\x07"  # one span with a trace id of one byte, and no fields
        code, headers, answer = post(server, body, PROTOBUF)
        assert code == 200 and headers["content-type"] == PROTOBUF
        assert ExportTraceServiceResponse.FromString(answer).partial_success.rejected_spans == 1
        text = urllib.request.urlopen(f"{server.url}/metrics", timeout=60).read().decode()
    assert 'verigym_spans_total{outcome="rejected"} 2' in text and 'verigym_spans_total{outcome="stored"} 4' in text


@pytest.mark.parametrize(
    ("body", "kind", "headers", "code", "words"),
    [
        (b"{}", "text/plain", {}, 415, "application/x-protobuf or application/json"),
        (b"{}", "", {}, 415, "Content-Type"),
        (b"{", JSON, {}, 400, "not JSON"),
        (b"[]", JSON, {}, 400, "resourceSpans"),
        (b'{"resourceSpans": 5}', JSON, {}, 400, "resourceSpans"),
        (b"[" * 5000, JSON, {}, 400, "not JSON"),
        (b"\xff\xff", PROTOBUF, {}, 400, "not a protobuf message"),
        (b"{}", JSON, {"content_encoding": "gzip"}, 400, "not gzip"),
        (gzip.compress(b"{}" * 999, mtime=0)[:-9], JSON, {"content_encoding": "gzip"}, 400, "cut off"),
        (b"{}", JSON, {"content_encoding": "br"}, 415, "Use gzip or none"),
        (gzip.compress(b" " * 10**7, mtime=0), JSON, {"content_encoding": "gzip"}, 413, "Send smaller batches"),
        (b" " * 10**6, JSON, {}, 413, "--max-body"),
    ],
)
def test_a_bad_request_is_a_status_that_says_what_to_do(
    body: bytes, kind: str, headers: dict[str, str], code: int, words: str, tmp_path: Path
) -> None:
    with receiving(tmp_path, limits=AdmissionLimits(body=100_000)) as server:
        status, got, answer = post(server, body, kind, **headers)
    assert status == code
    if kind == PROTOBUF:
        assert got["content-type"] == PROTOBUF and words in Status.FromString(answer).message
    else:
        assert words in json.loads(answer)["message"] and json.loads(answer)["code"] in (3, 8)


def test_an_empty_request_is_fine(tmp_path: Path) -> None:
    with receiving(tmp_path) as server:
        assert post(server, b"", PROTOBUF)[::2] == (200, b"") and post(server, b"{}")[::2] == (200, b"{}")


def test_a_store_that_fails_tells_the_sender_to_try_again(tmp_path: Path) -> None:
    with receiving(tmp_path) as server:
        assert server.gateway.spans is not None
        database = server.gateway.spans._database._database
        database.execute("DROP TABLE spans")
        code, headers, answer = post(server, json.dumps(document(*agent_spans(trace_id(1)))).encode())
        assert (code, headers["retry-after"]) == (503, "5") and "could not be stored" in json.loads(answer)["message"]
        database.execute("DELETE FROM traces")


def test_without_capture_no_trace_is_taken(tmp_path: Path) -> None:
    with running(tmp_path, fixed="one") as server:
        code, _, answer = post(server, b"{}")
    assert code == 409 and "--no-capture" in json.loads(answer)["message"]


def test_the_rate_limit_of_the_server_holds_here_too(tmp_path: Path) -> None:
    with receiving(tmp_path, limits=AdmissionLimits(rate=1)) as server:
        assert post(server, b"{}")[0] == 200
        code, headers, answer = post(server, b"{}")
    assert code == 429 and int(headers["retry-after"]) > 0 and json.loads(answer)["code"] == 8
