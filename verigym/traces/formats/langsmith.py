"""LangSmith exports: runs (`run_type` llm, tool, chain, ...), with their child runs inside or beside them, and feedback.

The runs of a trace are one trajectory, and so are all traces of a thread, which `session_id`, `thread_id` or `conversation_id` in
the metadata names. A run's own `session_id` is the project, not a conversation. Runs of kind llm are the model calls, tool runs
add what no model call shows. If no model call holds messages, the root run's inputs and outputs are the conversation.
"""

from collections.abc import Iterator
from typing import Any

from verigym.core.records import Failure, Fault, Item, Json, Turn, Usage
from verigym.traces.formats.model_values import chat_message, context_items, is_chat_message, reply_items, tools_in
from verigym.traces.formats.opinions import Opinion, named_opinion
from verigym.traces.formats.trace import (
    ModelCall,
    ParsedTrace,
    ToolRun,
    TracePart,
    joined_trace,
    require,
    seconds_of,
)
from verigym.wire.items import finish_of, sampling_of
from verigym.wire.values import as_count, as_list, as_number, as_object, as_objects, as_text, parsed

NAME = "langsmith"
TITLE = "LangSmith"
_THREADS = ("session_id", "thread_id", "conversation_id")
"""Keys of the metadata that name a thread."""
_DEEPEST = 100


def fits(value: Any) -> bool:
    row = as_object(value)
    return _is_run(row) or _is_feedback(row)


def read(value: Any) -> Iterator[ParsedTrace | TracePart]:
    row = as_object(value)
    if _is_run(row):
        for run in _flat(row, as_text(row.get("trace_id") or row["id"])):
            yield TracePart(f"trace {run['trace_id']}", run)
    else:
        trace = as_text(row.get("trace_id") or row.get("run_id"))
        require(trace, "the feedback names no run")
        yield TracePart(f"trace {trace}", row)


def join(key: str, values: list[Any]) -> Iterator[ParsedTrace | TracePart]:
    """Joins all runs of a trace, then all runs of a thread if they name one."""
    threads = {thread for row in values if _is_run(row) and (thread := _thread(row))}
    if not key.startswith("trace ") or not threads:
        yield _trace(values)
        return
    for row in values:
        yield TracePart(f"thread {min(threads)}", row)


def _trace(rows: list[Json]) -> ParsedTrace:
    runs = {as_text(row["id"]): row for row in rows if _is_run(row)}
    feedback = {as_text(row.get("id")) or as_text(row): row for row in rows if not _is_run(row)}
    require(runs, "the run of this feedback is not in the input. Export runs and feedback together")
    steps = sorted(runs.values(), key=lambda run: (_time(run, "start_time"), _time(run, "end_time"), run["id"]))
    roots = [run for run in steps if as_text(run.get("parent_run_id")) not in runs]
    gaps: list[str] = []
    calls = [_call(run, gaps) for run in steps if run["run_type"] == "llm"]
    if not any(call.context or call.reply for call in calls):
        calls = [_call(run, gaps) for run in roots if run["run_type"] != "tool"]
    given = {as_text(row.get("key")) for row in feedback.values()}
    trace = joined_trace(
        calls,
        [_tool_run(run) for run in steps if run["run_type"] == "tool"],
        opinions=[
            *(_opinion(row, gaps) for row in feedback.values()),
            *(opinion for run in steps for opinion in _summarised(run) if opinion.field.partition(".")[2] not in given),
        ],
        gaps=gaps,
        times=[moment for run in steps for moment in (_time(run, "start_time"), _time(run, "end_time")) if moment],
        cost=max(sum(as_number(run.get("total_cost")) for run in roots), 0.0),
    )
    require(trace.items, "its runs hold no messages: inputs and outputs are empty")
    return trace


def _call(run: Json, gaps: list[str]) -> ModelCall:
    inputs, outputs = as_object(parsed(run.get("inputs"))), as_object(parsed(run.get("outputs")))
    context = context_items(inputs, gaps)
    reply = reply_items(outputs, context, gaps)
    extra = as_object(parsed(run.get("extra")))
    settings, metadata = as_object(extra.get("invocation_params")), as_object(extra.get("metadata"))
    error = _error(run)
    started, ended = _time(run, "start_time"), _time(run, "end_time")
    return ModelCall(
        context=context,
        reply=reply,
        tools=tools_in(inputs, settings),
        turn=Turn(
            agent=as_text(outputs.get("model") or metadata.get("ls_model_name") or settings.get("model")),
            sampling=sampling_of({**settings, **inputs, **_settings(metadata)}),
            usage=_usage(run, outputs, metadata),
            latency_s=max(ended - started, 0.0) if ended else 0.0,
            finish="error" if error else finish_of(_finish(outputs)),
        ),
        error=error,
    )


def _settings(metadata: Json) -> Json:
    return {
        name: metadata[f"ls_{name}"] for name in ("temperature", "max_tokens") if metadata.get(f"ls_{name}") is not None
    }


def _finish(outputs: Json) -> Any:
    """OpenAI's finish reason, or the one in LangChain's first generation."""
    if choice := as_object(next(iter(as_list(outputs.get("choices"))), None)):
        return choice.get("finish_reason")
    first = next(iter(as_list(outputs.get("generations"))), None)
    generation = as_object(next(iter(as_list(first)), first))
    return as_object(generation.get("generation_info")).get("finish_reason")


def _usage(run: Json, outputs: Json, metadata: Json) -> Usage:
    counts = as_object(outputs.get("usage_metadata") or metadata.get("usage_metadata"))
    return Usage(
        as_count(run.get("prompt_tokens") or counts.get("input_tokens")),
        as_count(run.get("completion_tokens") or counts.get("output_tokens")),
    )


def _tool_run(run: Json) -> ToolRun:
    inputs, outputs = as_object(parsed(run.get("inputs"))), as_object(parsed(run.get("outputs")))
    result = parsed(outputs["output"]) if "output" in outputs else outputs or None
    message = chat_message(as_object(result)) if is_chat_message(as_object(result)) else {}
    arguments = parsed(inputs["input"]) if set(inputs) == {"input"} else inputs
    return ToolRun(
        id=as_text(run["id"]),
        name=as_text(run.get("name")),
        call_id=as_text(message.get("tool_call_id")),
        arguments=arguments,
        result=message.get("content", result),
        error=_error(run),
    )


def _error(run: Json) -> Failure | None:
    if not run.get("error"):
        return None
    words = as_text(run["error"]).strip()
    kind = words.partition("(")[0]
    return Failure(Fault.INFRASTRUCTURE, kind if kind.isidentifier() else "Error", words.splitlines()[0][:500])


def _opinion(row: Json, gaps: list[str]) -> Opinion:
    source = as_object(row.get("feedback_source"))
    value, label = row.get("score"), row.get("value")
    return named_opinion(
        "feedback",
        as_text(row.get("key")),
        value=value if value is not None else label,
        label=label if isinstance(label, str) and value is None else None,
        by_person=source.get("type") in ("api", "app", None),
        note=as_text(row.get("comment")),
        correction=_correction(row.get("correction"), gaps),
        who=as_text(source.get("user_name") or source.get("user_id")),
        when=as_text(row.get("created_at")),
    )


def _correction(value: Any, gaps: list[str]) -> list[Item]:
    return reply_items(value, (), gaps) if value else []


def _summarised(run: Json) -> Iterator[Opinion]:
    """The opinions in `feedback_stats`: the mean of a score. It is a value only if all that it sums up are the same."""
    for key, stats in as_object(parsed(run.get("feedback_stats"))).items():
        fields = as_object(stats)
        labels = list(as_object(fields.get("values")))
        value, deviation = fields.get("avg"), as_number(fields.get("stdev"))
        if value is None and len(labels) != 1:
            continue
        opinion = named_opinion(
            "feedback", key, value=value, label=labels[0] if value is None else None, by_person=True
        )
        yield opinion if as_number(fields.get("n")) == 1 or not deviation else Opinion(field=opinion.field, value=value)


def _thread(run: Json) -> str:
    metadata = as_object(as_object(parsed(run.get("extra"))).get("metadata"))
    return next((as_text(metadata[key]) for key in _THREADS if metadata.get(key)), "")


def _time(run: Json, key: str) -> float:
    return seconds_of(run.get(key))


def _flat(run: Json, trace: str, depth: int = 0) -> Iterator[Json]:
    """A run and the runs inside it."""
    require(depth < _DEEPEST, "its child runs are nested too deeply")
    yield {**{key: value for key, value in run.items() if key != "child_runs"}, "trace_id": trace}
    for child in as_objects(run.get("child_runs")):
        if _is_run(child):
            yield from _flat({"parent_run_id": run["id"], **child}, trace, depth + 1)


def _is_run(row: Json) -> bool:
    return isinstance(row.get("run_type"), str) and isinstance(row.get("id"), str) and "inputs" in row


def _is_feedback(row: Json) -> bool:
    named = isinstance(row.get("key"), str) and "run_id" in row
    return named and any(key in row for key in ("score", "value", "comment", "correction"))
