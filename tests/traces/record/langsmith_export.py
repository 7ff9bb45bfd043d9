"""Records `golden/langsmith.jsonl`: runs and feedback as LangSmith's SDK and LangChain's tracer send them.

pip install langsmith langchain-core openai
python tests/traces/record/langsmith_export.py

Agents run with `traceable` and `wrap_openai`, and with a LangChain chain. A small server takes what the client posts, as
LangSmith does: a run is its first post and its patches. `schemas.Run` and `schemas.Feedback` then write them as `list_runs` does.
"""

import contextlib
import json
import os
import threading
import uuid
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import fake_model
from fixed import fixed

RUNS: dict[str, dict[str, Any]] = {}
FEEDBACK: list[dict[str, Any]] = []
GOLDEN = Path(__file__).parents[1] / "golden" / "langsmith.jsonl"


class Recorder(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self._answer({"version": "0.0", "id": "p"})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path.endswith("/runs"):
            RUNS[body["id"]] = body
        elif self.path.endswith("/feedback"):
            FEEDBACK.append(body)
        self._answer({})

    def do_PATCH(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        RUNS[self.path.rpartition("/")[2]] |= {key: value for key, value in body.items() if value is not None}
        self._answer({})

    def _answer(self, body: Any) -> None:
        payload = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_: object) -> None: ...


server = ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
threading.Thread(target=server.serve_forever, daemon=True).start()
os.environ |= {
    "LANGSMITH_TRACING": "true",
    "LANGSMITH_ENDPOINT": f"http://127.0.0.1:{server.server_port}",
    "LANGSMITH_API_KEY": "x",
}

import openai  # noqa: E402
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel  # noqa: E402
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage  # noqa: E402
from langchain_core.tools import tool  # noqa: E402
from langchain_core.tracers.langchain import LangChainTracer  # noqa: E402
from langsmith import Client, schemas, traceable  # noqa: E402
from langsmith.wrappers import wrap_openai  # noqa: E402

CLIENT = Client(auto_batch_tracing=False, info={})
MODEL = wrap_openai(openai.OpenAI(base_url=fake_model.start(), api_key="-", max_retries=0))


@traceable(run_type="tool", client=CLIENT)
def weather(city: str) -> str:
    return "rain"


@traceable(name="agent", client=CLIENT)
def agent(question: str) -> str:
    """One run with one tool call, with OpenAI's client."""
    messages: list[Any] = [{"role": "system", "content": "Be short."}, {"role": "user", "content": question}]
    options: Any = {"model": "gpt-x", "tools": [fake_model.TOOL], "temperature": 0.5}
    extra = {"langsmith_extra": {"client": CLIENT}}
    first = MODEL.chat.completions.create(messages=messages, **options, **extra)
    call = first.choices[0].message.tool_calls[0]
    messages += [first.choices[0].message.model_dump(exclude_none=True)]
    messages += [{"role": "tool", "tool_call_id": call.id, "content": weather(**json.loads(call.function.arguments))}]
    return MODEL.chat.completions.create(messages=messages, **options, **extra).choices[0].message.content


@traceable(name="agent", client=CLIENT)
def failing(question: str) -> str:
    return MODEL.chat.completions.create(
        model="gpt-x", messages=[{"role": "user", "content": question}], langsmith_extra={"client": CLIENT}
    )


@tool
def forecast(city: str) -> str:
    """The weather of a city."""
    return "rain"


def chain(question: str, thread: str) -> None:
    """The same with LangChain: its messages are serialised objects."""
    arguments = {"city": "Bern"}
    raw = [{"id": "c2", "type": "function", "function": {"name": "forecast", "arguments": '{"city":  "Bern"}'}}]
    calls = AIMessage(
        "", tool_calls=[{"id": "c2", "name": "forecast", "args": arguments}], additional_kwargs={"tool_calls": raw}
    )
    model = GenericFakeChatModel(messages=iter([calls, AIMessage("Rain in Bern.")]))
    options = {"callbacks": [LangChainTracer(client=CLIENT)], "metadata": {"thread_id": thread}}

    from langchain_core.runnables import RunnableLambda

    def work(question: str, config: Any) -> str:
        messages: list[Any] = [SystemMessage("Be brief."), HumanMessage(question)]
        first = model.invoke(messages, config)
        result = forecast.invoke(first.tool_calls[0], config)
        assert isinstance(result, ToolMessage)
        return model.invoke([*messages, first, result], config).content

    RunnableLambda(work).invoke(question, options)


def run_of(question: str) -> dict[str, Any]:
    """The root run that was asked this."""
    return next(run for run in RUNS.values() if not run.get("parent_run_id") and question in json.dumps(run["inputs"]))


def plain(run: dict[str, Any]) -> dict[str, Any]:
    row = schemas.Run(**{**run, "session_id": uuid.UUID(int=7), "extra": _without_runtime(run.get("extra") or {})})
    shown = json.loads(row.model_dump_json(exclude={"events", "serialized", "attachments", "dotted_order"}))
    if shown.get("error"):
        shown["error"] = shown["error"].partition("\n\nTraceback")[0]  # it names files of this machine
    return {key: value for key, value in shown.items() if value is not None}


def _without_runtime(extra: dict[str, Any]) -> dict[str, Any]:
    """Without the description of this machine."""
    metadata = {
        key: value
        for key, value in (extra.get("metadata") or {}).items()
        if not key.startswith(("LANG", "revision", "ls_runner"))
    }
    return {"metadata": metadata, "invocation_params": extra.get("invocation_params")}


def main() -> None:
    with __import__("langsmith").tracing_context(client=CLIENT, enabled=True):
        agent("Weather in Bern?")
        agent("Weather there?")
        with contextlib.suppress(openai.OpenAIError):
            failing("now fail")
    chain("Rain in Bern?", "t1")
    chain("Still rain?", "t1")
    down, up = run_of("Weather in Bern?"), run_of("Weather there?")
    for run, fields in (
        (down, {"key": "user_score", "score": 0, "comment": "It was sunny.", "correction": "It is sunny."}),
        (up, {"key": "correctness", "score": True, "source_info": {"judge": "x"}, "feedback_source_type": "model"}),
        (up, {"key": "stars", "score": 4}),
    ):
        CLIENT.create_feedback(run["id"], trace_id=run["id"], **fields)
    now = datetime.now(UTC)
    feedback = [
        json.loads(schemas.Feedback(**{"created_at": now, "modified_at": now, **row}).model_dump_json())
        for row in FEEDBACK
    ]
    stats = {"user_score": {"n": 1, "avg": 1.0, "values": {}}}
    threaded = [run for run in RUNS.values() if (run.get("extra") or {}).get("metadata", {}).get("thread_id")]
    rows = [plain(run) for run in RUNS.values()]
    for row in rows:
        if row["id"] == threaded[-1]["trace_id"]:
            row["feedback_stats"] = stats
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in [*rows, *feedback])
    text = fixed(text, r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
    GOLDEN.write_text(text.replace(str(server.server_port), "8000"))


if __name__ == "__main__":
    main()
