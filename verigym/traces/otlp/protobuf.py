"""OTLP's trace messages in protobuf, to the same JSON as OTLP/JSON, and the two replies.

Protobuf has five messages that matter here and four kinds of fields, so a table is enough. The packages that could do this
(protobuf, opentelemetry-proto) pin each other's versions and would collide with those of the program beside which Verigym is
installed. Fields that are not in the table are skipped, as protobuf demands.
"""

import struct
from collections.abc import Iterator
from typing import Any

from verigym.core.errors import BadInput
from verigym.core.records import Json

_DEEPEST = 64
Field = tuple[str, Any, bool]
"""Name, type and whether it repeats. The type is a message's table or one of text, hex, base64, int, bool, double, fixed."""
Message = dict[int, Field]

_ANY: Message = {}
_PAIR: Message = {1: ("key", "text", False), 2: ("value", _ANY, False)}
_ANY |= {
    1: ("stringValue", "text", False),
    2: ("boolValue", "bool", False),
    3: ("intValue", "int", False),
    4: ("doubleValue", "double", False),
    5: ("arrayValue", {1: ("values", _ANY, True)}, False),
    6: ("kvlistValue", {1: ("values", _PAIR, True)}, False),
    7: ("bytesValue", "hex", False),
}
_EVENT: Message = {1: ("timeUnixNano", "fixed", False), 2: ("name", "text", False), 3: ("attributes", _PAIR, True)}
_SPAN: Message = {
    1: ("traceId", "hex", False),
    2: ("spanId", "hex", False),
    4: ("parentSpanId", "hex", False),
    5: ("name", "text", False),
    7: ("startTimeUnixNano", "fixed", False),
    8: ("endTimeUnixNano", "fixed", False),
    9: ("attributes", _PAIR, True),
    11: ("events", _EVENT, True),
    15: ("status", {2: ("message", "text", False), 3: ("code", "int", False)}, False),
}
_SCOPE_SPANS: Message = {2: ("spans", _SPAN, True)}
_REQUEST: Message = {1: ("resourceSpans", {2: ("scopeSpans", _SCOPE_SPANS, True)}, True)}


def read_request(body: bytes) -> Json:
    """An `ExportTraceServiceRequest` as OTLP/JSON. Raises `BadInput` if it is cut off or not protobuf."""
    try:
        return _message(memoryview(body), _REQUEST, 0)
    except (IndexError, struct.error, ValueError) as error:
        raise BadInput(
            "The body is not a protobuf message of OTLP traces. Send an ExportTraceServiceRequest, or OTLP/JSON with "
            "Content-Type: application/json"
        ) from error


def _message(data: memoryview, table: Message, depth: int) -> Json:
    if depth > _DEEPEST:
        raise BadInput(f"The body is nested more than {_DEEPEST} levels deep. Attributes must be flatter")
    result: Json = {}
    for number, value in _fields(data):
        field = table.get(number)
        if field is None:
            continue
        name, kind, repeats = field
        read = _message(_bytes(value), kind, depth + 1) if isinstance(kind, dict) else _plain(value, kind)
        if repeats:
            result.setdefault(name, []).append(read)
        else:
            result[name] = read
    return result


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Number and raw value of each field: a whole number, or bytes."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, wire = key >> 3, key & 7
        if number == 0:
            raise ValueError("a field has the number 0")
        if wire == 0:
            value, at = _varint(data, at)
            yield number, value
            continue
        if wire == 2:
            size, at = _varint(data, at)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
        else:
            raise ValueError(f"wire type {wire}")
        if at + size > len(data):
            raise ValueError("a field is cut off")
        yield number, data[at : at + size]
        at += size


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    number = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number & 0xFFFFFFFFFFFFFFFF, at
    raise ValueError("a number has more than 10 bytes")


def _bytes(value: int | memoryview) -> memoryview:
    if isinstance(value, int):
        raise ValueError("a message is a number")
    return value


def _plain(value: int | memoryview, kind: str) -> Any:
    if kind in ("int", "bool"):
        if not isinstance(value, int):
            raise ValueError("a number is bytes")
        return bool(value) if kind == "bool" else value - (1 << 64) if value >> 63 else value
    data = bytes(_bytes(value))
    if kind == "text":
        return data.decode(errors="replace")
    if kind == "hex":
        return data.hex()
    return struct.unpack("<d", data)[0] if kind == "double" else struct.unpack("<Q", data)[0]


def write_response(rejected: int, message: str) -> bytes:
    """An `ExportTraceServiceResponse`. Empty if all spans were accepted."""
    if not rejected and not message:
        return b""
    inner = (b"\x08" + _number(rejected) if rejected else b"") + _text(2, message)
    return b"\x0a" + _number(len(inner)) + inner


def write_status(code: int, message: str) -> bytes:
    """A `google.rpc.Status`, the body of every error."""
    return b"\x08" + _number(code) + _text(2, message)


def _text(field: int, text: str) -> bytes:
    data = text.encode(errors="replace")
    return bytes([field << 3 | 2]) + _number(len(data)) + data if data else b""


def _number(value: int) -> bytes:
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])
