"""Our reader of OTLP's protobuf against the official one."""

import json
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict, Parse
from google.rpc.status_pb2 import Status
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from verigym.core.errors import BadInput
from verigym.traces.formats import otel
from verigym.traces.otlp import read_request, write_response, write_status

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUE = st.recursive(
    TEXT.map(lambda text: {"stringValue": text})
    | st.booleans().map(lambda given: {"boolValue": given})
    | st.integers(-(2**63), 2**63 - 1).map(lambda number: {"intValue": str(number)})
    | st.floats(allow_nan=False, allow_infinity=False).map(lambda number: {"doubleValue": number}),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda values: {"arrayValue": {"values": values}})
        | st.lists(st.fixed_dictionaries({"key": TEXT, "value": inner}), max_size=3).map(
            lambda values: {"kvlistValue": {"values": values}}
        )
    ),
    max_leaves=6,
)
ATTRIBUTES = st.lists(st.fixed_dictionaries({"key": TEXT.map("gen_ai.{}".format), "value": VALUE}), max_size=4)
SPAN = st.fixed_dictionaries(
    {
        "traceId": st.binary(min_size=16, max_size=16).map(bytes.hex),
        "spanId": st.binary(min_size=8, max_size=8).map(bytes.hex),
        "name": TEXT,
        "kind": st.integers(0, 5),
        "startTimeUnixNano": st.integers(0, 2**62).map(str),
        "endTimeUnixNano": st.integers(0, 2**62).map(str),
        "attributes": ATTRIBUTES,
        "droppedAttributesCount": st.integers(0, 2**31),
        "events": st.lists(st.fixed_dictionaries({"name": TEXT, "attributes": ATTRIBUTES}), max_size=2),
        "status": st.fixed_dictionaries({"code": st.integers(0, 2), "message": TEXT}),
        "flags": st.integers(0, 2**31),
    }
)


def request_of(spans: list[dict[str, Any]]) -> ExportTraceServiceRequest:
    """The official message. Its JSON form has ids in base64, so they are set by hand."""
    plain = [{key: value for key, value in span.items() if key not in ("traceId", "spanId")} for span in spans]
    document = {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": "x"}, "spans": plain}]}]}
    message = Parse(json.dumps(document), ExportTraceServiceRequest())
    for span, written in zip(message.resource_spans[0].scope_spans[0].spans, spans, strict=True):
        span.trace_id, span.span_id = bytes.fromhex(written["traceId"]), bytes.fromhex(written["spanId"])
    return message


@given(st.lists(SPAN, max_size=3))
def test_protobuf_and_json_of_the_same_spans_are_read_alike(spans: list[dict[str, Any]]) -> None:
    message = request_of(spans)
    official = MessageToDict(message)
    inside = official["resourceSpans"][0]["scopeSpans"][0].get("spans", [])
    for span, written in zip(inside, spans, strict=True):
        span |= {"traceId": written["traceId"], "spanId": written["spanId"]}
    ours = read_request(message.SerializeToString())
    assert list(otel.spans_in(ours)) == list(otel.spans_in(official))


@given(st.binary(max_size=200))
def test_any_other_bytes_are_read_or_refused(body: bytes) -> None:
    try:
        assert isinstance(read_request(body), dict)
    except BadInput as error:
        assert "protobuf" in str(error) or "nested" in str(error)


@given(st.lists(SPAN, min_size=1, max_size=2), st.integers(1, 50))
def test_a_message_that_is_cut_off_is_refused_or_has_fewer_spans(spans: list[dict[str, Any]], cut: int) -> None:
    body = request_of(spans).SerializeToString()
    try:
        assert read_request(body[:-cut]) != read_request(body)
    except BadInput:
        return


def test_attributes_without_end_are_refused() -> None:
    value = b"\x0a\x00"
    for _ in range(200):
        value = b"\x2a" + _sized(b"\x0a" + _sized(value))
    span = b"\x4a" + _sized(b"\x12" + _sized(value))
    body = b"\x0a" + _sized(b"\x12" + _sized(b"\x12" + _sized(span)))
    with pytest.raises(BadInput, match="nested"):
        read_request(body)


def _sized(body: bytes) -> bytes:
    return (bytes([len(body)]) if len(body) < 128 else bytes([len(body) & 0x7F | 0x80, len(body) >> 7])) + body


@pytest.mark.parametrize(("rejected", "words"), [(0, ""), (3, "bad ids"), (300, "é" * 200)])
def test_the_official_reader_understands_our_answers(rejected: int, words: str) -> None:
    partial = ExportTraceServiceResponse.FromString(write_response(rejected, words)).partial_success
    assert (partial.rejected_spans, partial.error_message) == (rejected, words)
    status = Status.FromString(write_status(14, words))
    assert (status.code, status.message) == (14, words)
