"""Records `golden/phoenix.jsonl`: what Phoenix's own server and client export after an instrumented agent ran.

pip install arize-phoenix arize-phoenix-otel arize-phoenix-client pandas
python tests/traces/record/phoenix_export.py

It starts a Phoenix server on a free port with a database of its own, sends it spans, annotates them, and writes each form that
its client returns: spans, spans of a data frame, annotations. Ids and times are replaced by short ones that never change.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from fixed import fixed
from openinference.semconv.trace import MessageAttributes, SpanAttributes, ToolCallAttributes
from opentelemetry.trace import Status, StatusCode
from phoenix.client import Client
from phoenix.otel import register

GOLDEN = Path(__file__).parents[1] / "golden" / "phoenix.jsonl"
TOOL = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "required": ["city"]}}}


def messages(prefix: str, given: list[dict]) -> dict:
    """Chat messages as OpenInference's indexed attributes."""
    flat: dict = {}
    for number, message in enumerate(given):
        start = f"{prefix}.{number}."
        flat[start + MessageAttributes.MESSAGE_ROLE] = message["role"]
        if "content" in message:
            flat[start + MessageAttributes.MESSAGE_CONTENT] = message["content"]
        if "tool_call_id" in message:
            flat[start + MessageAttributes.MESSAGE_TOOL_CALL_ID] = message["tool_call_id"]
        for index, call in enumerate(message.get("tool_calls", [])):
            inner = f"{start}{MessageAttributes.MESSAGE_TOOL_CALLS}.{index}."
            flat[inner + ToolCallAttributes.TOOL_CALL_ID] = call["id"]
            flat[inner + ToolCallAttributes.TOOL_CALL_FUNCTION_NAME] = call["name"]
            flat[inner + ToolCallAttributes.TOOL_CALL_FUNCTION_ARGUMENTS_JSON] = call["arguments"]
    return flat


def model_call(asked: list[dict], answered: dict) -> dict:
    return {
        SpanAttributes.OPENINFERENCE_SPAN_KIND: "LLM",
        SpanAttributes.LLM_MODEL_NAME: "gpt-x",
        SpanAttributes.LLM_INVOCATION_PARAMETERS: json.dumps({"temperature": 0.5}),
        SpanAttributes.LLM_TOKEN_COUNT_PROMPT: 11,
        SpanAttributes.LLM_TOKEN_COUNT_COMPLETION: 7,
        "llm.tools.0.tool.json_schema": json.dumps(TOOL),
        **messages(SpanAttributes.LLM_INPUT_MESSAGES, asked),
        **messages(SpanAttributes.LLM_OUTPUT_MESSAGES, [answered]),
    }


def agent_at_work(tracer, question: str, session: str = "", fails: bool = False) -> list[str]:
    """One run of an agent with one tool call. Returns the ids of its trace and of its last model call."""
    asked = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": question}]
    call = {"role": "assistant", "tool_calls": [{"id": "c1", "name": "weather", "arguments": '{"city": "Bern"}'}]}
    result = {"role": "tool", "content": "rain", "tool_call_id": "c1"}
    with tracer.start_as_current_span("agent") as root:
        root.set_attributes({SpanAttributes.OPENINFERENCE_SPAN_KIND: "AGENT", "input.value": question})
        if session:
            root.set_attribute(SpanAttributes.SESSION_ID, session)
        with tracer.start_as_current_span("ChatCompletion") as span:
            span.set_attributes(model_call(asked, call))
            span.set_status(Status(StatusCode.OK))
        with tracer.start_as_current_span("weather") as span:
            span.set_attributes({SpanAttributes.OPENINFERENCE_SPAN_KIND: "TOOL", SpanAttributes.TOOL_NAME: "weather"})
            span.set_attributes({"input.value": '{"city": "Bern"}', "output.value": "rain"})
        with tracer.start_as_current_span("ChatCompletion") as span:
            if fails:
                span.set_attributes(model_call([*asked, call, result], {"role": "assistant", "content": ""}))
                span.record_exception(TimeoutError("no answer"))
                span.set_status(Status(StatusCode.ERROR, "no answer"))
            else:
                span.set_attributes(model_call([*asked, call, result], {"role": "assistant", "content": "It rains."}))
        context = span.get_span_context()
    return [f"{context.trace_id:032x}", f"{context.span_id:016x}"]


def annotate(client: Client, span_id: str, name: str, **fields) -> None:
    kind = fields.pop("kind", "HUMAN")
    client.spans.add_span_annotation(span_id=span_id, annotation_name=name, annotator_kind=kind, sync=True, **fields)


def main() -> None:
    with socket.socket() as free, socket.socket() as other:
        free.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        port, grpc = free.getsockname()[1], other.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        settings = {"PHOENIX_WORKING_DIR": folder, "PHOENIX_PORT": str(port), "PHOENIX_GRPC_PORT": str(grpc)}
        settings |= {"PHOENIX_HOST": "127.0.0.1", "PHOENIX_TELEMETRY_ENABLED": "false"}
        server = subprocess.Popen(
            [str(Path(sys.executable).with_name("phoenix")), "serve"],
            env={**os.environ, **settings},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            for _ in range(600):
                try:
                    urllib.request.urlopen(f"{url}/healthz")
                    break
                except OSError:
                    time.sleep(0.2)
            write(url)
        finally:
            server.terminate()
            server.wait()


def write(url: str) -> None:
    provider = register(
        endpoint=f"{url}/v1/traces",
        project_name="golden",
        protocol="http/protobuf",
        batch=False,
        verbose=False,
        set_global_tracer_provider=False,
    )
    tracer = provider.get_tracer("golden")
    as_spans = agent_at_work(tracer, "Weather in Bern?")
    as_frame = agent_at_work(tracer, "Weather in Bern, please?")
    in_session = [agent_at_work(tracer, "Is it wet?", session="s1"), agent_at_work(tracer, "And now?", session="s1")]
    agent_at_work(tracer, "Rain?", fails=True)
    client = Client(base_url=url)
    count = 5 * 4
    for _ in range(300):
        spans = client.spans.get_spans(project_identifier="golden", limit=100)
        if len(spans) == count:
            break
        time.sleep(0.1)
    assert len(spans) == count, f"{len(spans)} of {count} spans arrived"
    annotate(client, as_spans[1], "user feedback", label="thumbs-down", explanation="It was sunny.")
    annotate(client, as_frame[1], "correctness", label="correct", score=1.0, kind="LLM")
    annotate(client, in_session[0][1], "quality", score=3.0)
    frame = client.spans.get_spans_dataframe(project_identifier="golden")
    rows = [
        json.loads(line)
        for line in frame.reset_index(drop=True).to_json(orient="records", lines=True, date_format="iso").splitlines()
    ]
    annotations = client.spans.get_span_annotations(spans=spans, project_identifier="golden")
    annotated = client.spans.get_span_annotations_dataframe(spans=spans, project_identifier="golden")
    flat = [
        json.loads(line)
        for line in annotated.reset_index().to_json(orient="records", lines=True, date_format="iso").splitlines()
    ]
    of_frame = [row for row in rows if row["context.trace_id"] == as_frame[0]]
    others = [span for span in spans if span["context"]["trace_id"] != as_frame[0]]
    by_span = {row["context.span_id"] for row in of_frame}
    lines = [*others, *of_frame]
    lines += [each for each in annotations if each["span_id"] not in by_span]
    lines += [each for each in flat if each.get("span_id") in by_span]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    GOLDEN.write_text(fixed(text, r'(?<=")(?:[0-9a-f]{32}|[0-9a-f]{16})(?=")'))


if __name__ == "__main__":
    main()
