"""Spans over OTLP: how many a CPU second are taken, redacted and on disk, and how many traces are joined into trajectories.

    python bench/otlp.py            # 2,000 traces of four spans
    python bench/otlp.py --quick    # 300

A trace is an agent with two model calls and one tool. A request holds 512 spans, as OpenTelemetry's batch processor sends them,
in protobuf. With --peers, the official reader (`opentelemetry-proto`) turns the same bodies into the same JSON.
"""

import sys
import tempfile
import time
from pathlib import Path

from figures import figure, finish, parser
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.traces.otlp.spans import agent_spans, trace_id
from tests.traces.otlp.test_protobuf import request_of
from verigym.traces.otlp import SpanReceiver, read_request
from verigym.traces.redaction import Redaction

BATCH = 512


def bodies(traces: int) -> list[bytes]:
    spans = [span for number in range(1, traces + 1) for span in agent_spans(trace_id(number), f"Weather in {number}?")]
    return [request_of(spans[at : at + BATCH]).SerializeToString() for at in range(0, len(spans), BATCH)]


def official(sent: list[bytes]) -> float:
    """CPU seconds of the official reader."""
    began = time.process_time()
    for body in sent:
        MessageToDict(ExportTraceServiceRequest.FromString(body))
    return time.process_time() - began


def main() -> None:
    args = parser(__doc__).parse_args()
    traces = 300 if args.quick else 2000
    sent = bodies(traces)
    began = time.process_time()
    documents = [read_request(body) for body in sent]
    reading = time.process_time() - began
    with tempfile.TemporaryDirectory() as folder:
        receiver = SpanReceiver(Path(folder), Redaction.load(), quiet_s=1e6, idle_s=1e6)
        began = time.process_time()
        for document in documents:
            assert receiver.accept(document, "").rejected == 0
        taking = time.process_time() - began
        began = time.process_time()
        receiver.flush()
        joining = time.process_time() - began
        assert receiver.counts["joined"] == traces, receiver.counts
        receiver.close()
    spans = 4 * traces
    peer = official(sent) if args.peers else None
    finish(
        [
            figure(
                "OTLP protobuf read",
                spans / reading,
                "spans a CPU s",
                ">= 5000",
                "opentelemetry-proto",
                peer and spans / peer,
            ),
            figure("OTLP spans redacted and on disk", spans / taking, "spans a CPU s", ">= 1000"),
            figure("OTLP traces joined", traces / joining, "trajectories a CPU s", ">= 300"),
        ],
        args,
    )


if __name__ == "__main__":
    main()
