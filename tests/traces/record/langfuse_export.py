"""Records `golden/langfuse.jsonl`: observations, scores and traces as Langfuse's own SDK makes and types them.

pip install "langfuse>=5" openai
python tests/traces/record/langfuse_export.py

An agent runs with Langfuse's OpenAI wrapper against a fake model. The spans that the SDK would send are kept, and each becomes an
observation of the SDK's own type, as the server returns it: the server only parses the JSON of inputs and outputs. The types of
langfuse 3 (`TraceWithFullDetails`) have the same fields in camel case, which the last lines hold.
"""

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import fake_model
from fixed import fixed
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

for name in ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY"):
    os.environ[name] = "x"
os.environ["LANGFUSE_HOST"] = "http://127.0.0.1:9"

from langfuse import Langfuse, propagate_attributes  # noqa: E402
from langfuse.api.commons.types import ObservationV2  # noqa: E402
from langfuse.api.scores.types import ScoreV3_Boolean, ScoreV3_Categorical, ScoreV3_Correction, ScoreV3_Numeric  # noqa: E402
from langfuse.openai import OpenAI  # noqa: E402

GOLDEN = Path(__file__).parents[1] / "golden" / "langfuse.jsonl"
NOW = datetime(2099, 1, 2, tzinfo=UTC)
"""After everything that the agent does."""


def agent_at_work(langfuse: Langfuse, client: Any, question: str, session: str = "") -> str:
    """One run of an agent with one tool call. Returns its trace's id."""
    messages: list[Any] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": question}]
    with langfuse.start_as_current_observation(name="agent", as_type="agent", input=question) as agent:
        with propagate_attributes(session_id=session or None):
            first = client.chat.completions.create(
                model="gpt-x", messages=messages, tools=[fake_model.TOOL], temperature=0.5
            )
            call = first.choices[0].message.tool_calls[0]
            arguments = json.loads(call.function.arguments)
            with langfuse.start_as_current_observation(name="weather", as_type="tool", input=arguments) as tool:
                tool.update(output="rain")
            messages += [first.choices[0].message.model_dump(exclude_none=True)]
            messages += [{"role": "tool", "tool_call_id": call.id, "content": "rain"}]
            last = client.chat.completions.create(model="gpt-x", messages=messages, tools=[fake_model.TOOL])
        agent.update(output=last.choices[0].message.content)
        return agent.trace_id


def by_hand(langfuse: Langfuse) -> str:
    """A generation with text as input and output, as people log it by hand."""
    with langfuse.start_as_current_observation(
        name="greet", as_type="generation", model="gpt-x", input="Say hello", usage_details={"input": 3, "output": 2}
    ) as generation:
        generation.update(output="Hello.", cost_details={"total": 0.5})
        return generation.trace_id


def failing(client: Any) -> None:
    try:
        client.chat.completions.create(model="gpt-x", messages=[{"role": "user", "content": "please fail"}])
    except Exception:
        return


def observation(span: ReadableSpan) -> ObservationV2:
    """The span as the server returns it."""
    about = dict(span.attributes or {})

    def value(key: str) -> Any:
        given = about.get(f"langfuse.observation.{key}")
        try:
            return json.loads(given) if isinstance(given, str) else given
        except ValueError:
            return given

    kind = str(about.get("langfuse.observation.type", "span")).upper()
    return ObservationV2(
        id=f"{span.context.span_id:016x}",
        trace_id=f"{span.context.trace_id:032x}",
        parent_observation_id=f"{span.parent.span_id:016x}" if span.parent else None,
        start_time=datetime.fromtimestamp(span.start_time / 1e9, UTC),
        end_time=datetime.fromtimestamp(span.end_time / 1e9, UTC),
        project_id="p1",
        type=kind,
        name=span.name,
        level=about.get("langfuse.observation.level", "DEFAULT"),
        status_message=about.get("langfuse.observation.status_message"),
        session_id=about.get("session.id"),
        environment="default",
        input=value("input"),
        output=value("output"),
        metadata={},
        model=about.get("langfuse.observation.model.name"),
        model_parameters=value("model.parameters"),
        usage_details={key: count for key, count in (value("usage_details") or {}).items() if count is not None},
        cost_details=value("cost_details"),
    )


def plain(record: Any) -> dict[str, Any]:
    return json.loads(record.json(by_alias=True))


def main() -> None:
    kept = InMemorySpanExporter()
    langfuse = Langfuse(public_key="x", secret_key="x", span_exporter=kept)
    client = OpenAI(base_url=fake_model.start(), api_key="-", max_retries=0)
    ids = {
        "down": agent_at_work(langfuse, client, "Weather in Bern?"),
        "csv": agent_at_work(langfuse, client, "Weather in Bern, please?"),
        "one": agent_at_work(langfuse, client, "Weather today?", session="s1"),
        "two": agent_at_work(langfuse, client, "Weather now?", session="s1"),
        "corrected": by_hand(langfuse),
    }
    failing(client)
    langfuse.flush()
    rows = [plain(observation(span)) for span in kept.get_finished_spans()]
    shared = {"project_id": "p1", "timestamp": NOW, "environment": "default", "created_at": NOW, "updated_at": NOW}
    scores = [
        ScoreV3_Boolean(id="b1", name="user-thumb", value=False, source="API", comment="It was sunny.",
                        subject={"kind": "trace", "id": ids["down"]}, **shared),
        ScoreV3_Categorical(id="b2", name="verdict", value="correct", source="ANNOTATION", author_user_id="ana",
                            subject={"kind": "trace", "id": ids["csv"]}, **shared),
        ScoreV3_Numeric(id="b3", name="quality", value=3, source="EVAL", subject={"kind": "session", "id": "s1"}, **shared),
        ScoreV3_Correction(id="b4", name="output", value="Good day.", source="ANNOTATION",
                           subject={"kind": "trace", "id": ids["corrected"]}, **shared),
    ]  # fmt: skip
    lines: list[Any] = []
    for row in rows:
        if row["traceId"] == ids["csv"]:  # a file of the blob storage or table export: values are JSON in text
            row = {key: json.dumps(each) if isinstance(each, dict | list) else each for key, each in row.items()}  # noqa: PLW2901
        lines.append(row)
    lines += map(plain, scores)
    lines.append(full_trace(rows, ids["down"]))
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    GOLDEN.write_text(fixed(text, r'(?<=")(?:[0-9a-f]{32}|[0-9a-f]{16})(?=")'))


def full_trace(rows: list[dict[str, Any]], id: str) -> dict[str, Any]:
    """One trace with its observations and scores, as `api.trace.get` of langfuse 3 returns it."""
    inside = [
        {**row, "id": f"e{row['id'][1:]}", "traceId": "e" * 32, "parentObservationId": None}
        for row in rows
        if row["traceId"] == id
    ]
    for row in inside:
        row |= {"costDetails": {}, "usage": {"input": 11, "output": 7, "total": 18, "unit": "TOKENS"}}
    inside = json.loads(json.dumps(inside).replace("Weather in Bern?", "Weather there?"))
    score = {
        "id": "b9",
        "traceId": "e" * 32,
        "name": "user-thumb",
        "value": 1,
        "stringValue": "True",
        "dataType": "BOOLEAN",
    }
    score["environment"] = "default"
    score |= {"source": "API", "timestamp": NOW.isoformat(), "createdAt": NOW.isoformat(), "updatedAt": NOW.isoformat()}
    trace = {
        "id": "e" * 32,
        "timestamp": NOW.isoformat(),
        "name": "agent",
        "input": "Weather there?",
        "output": "Bern: rain.",
    }
    trace |= {"sessionId": None, "userId": "u1", "metadata": {}, "tags": [], "public": False, "environment": "default"}
    return {**trace, "htmlPath": "/t", "latency": 1.5, "totalCost": 0.25, "observations": inside, "scores": [score]}


if __name__ == "__main__":
    main()
