"""OpenTelemetry spans of generative AI, and OpenInference's: the model calls, tools and agents of one trace are one trajectory.

It reads OTLP/JSON (`resourceSpans`) and spans as SDKs print them. Spans of a trace may be spread over lines and files. They are
joined by conversation if they name one, else by trace. Messages are `gen_ai.input.messages` and `gen_ai.output.messages` (JSON,
or JSON in a text), older events, or indexed attributes (`llm.input_messages.0.message.role`, `gen_ai.prompt.0.content`). Other
spans are left out.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from verigym.core.records import (
    Failure,
    Fault,
    FunctionCallOutput,
    Item,
    Json,
    Message,
    Turn,
    Usage,
)
from verigym.traces.formats.model_values import context_items, reply_items
from verigym.traces.formats.opinions import Opinion, named_opinion
from verigym.traces.formats.trace import (
    ModelCall,
    ParsedTrace,
    ToolRun,
    TracePart,
    join_calls,
    require,
    seconds_of,
    with_tool_runs,
)
from verigym.wire.items import call_of, chat_items, finish_of, media_part, output_text, result_id, sampling_of, thought
from verigym.wire.tools import read_tools
from verigym.wire.values import as_count, as_list, as_number, as_object, as_objects, as_text, parsed

NAME = "otel"
TITLE = "OpenTelemetry GenAI"
_MODEL = ("chat", "text_completion", "generate_content", "completion")
_INDEXED = {"llm.input_messages": "llm.output_messages", "gen_ai.prompt": "gen_ai.completion"}
_MESSAGES = ("gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.prompt", *_INDEXED, "llm.output_messages")
_KEPT = re.compile(
    r"(?:gen_ai|llm|tool|tool_call|openinference|input|output|session|error|exception|langfuse\.observation)\."
)
"""Prefixes of the attributes about models, tools and agents. Others are dropped."""
_WHOLE = {"input.value": "output.value", "langfuse.observation.input": "langfuse.observation.output"}
"""Attributes that hold a whole input and output, if a span has no messages."""
_DEEPEST = 32


def fits(value: Any) -> bool:
    row = as_object(value)
    printed = "attributes" in row and "trace_id" in as_object(row.get("context"))
    return printed or _is_span(row) or any(key in row for key in ("resourceSpans", "resource_spans", "scopeSpans"))


def read(value: Any) -> Iterator[ParsedTrace | TracePart]:
    spans = [span for span in spans_in(as_object(value)) if kind_of(span)]
    require(spans, "it has no span of a model, tool or agent")
    for span in spans:
        require(span["trace"], "a span has no trace id")
        yield TracePart(f"trace {span['trace']}", span)


def join(key: str, values: list[Any]) -> Iterator[ParsedTrace | TracePart]:
    """Joins all spans of a trace, then all spans of a conversation if they name one."""
    names = {name for span in values if (name := conversation_of_span(span))} if key.startswith("trace ") else set()
    if not names:
        yield trace_of_spans(values)
        return
    first = min(names)
    for span in values:
        yield TracePart(f"conversation {conversation_of_span(span) or first}", span)


def trace_of_spans(spans: Sequence[Json]) -> ParsedTrace:
    """The trace of spans in the form that `read` gives them. A span that occurs twice counts once."""
    distinct = {(span["trace"], span["span"]): span for span in spans}.values()
    spans = sorted(distinct, key=lambda span: (span["start"], span["end"], span["span"]))
    gaps: list[str] = []
    calls = [_call(span, gaps) for span in spans if kind_of(span) == "model"]
    if not any(call.context or call.reply for call in calls):  # the agent's span may hold the conversation
        calls = [_call(span, gaps) for span in spans if kind_of(span) == "agent"][:1] or calls
    trace = join_calls([call for call in calls if call.context or call.reply or call.error])
    items, marks = with_tool_runs(trace.items, [_tool_run(span) for span in spans if kind_of(span) == "tool"])
    require(items, "its spans hold no messages. Enable the capture of message content in your instrumentation")
    evaluations = [evaluation for span in spans for evaluation in _evaluations(span)]
    starts = [span["start"] for span in spans if span["start"]]
    ends = [span["end"] for span in spans if span["end"]]
    costs = [as_number(span["about"].get(key)) for span in spans for key in ("llm.cost.total", "gen_ai.usage.cost")]
    return msgspec.structs.replace(
        trace,
        items=items,
        marks=marks,
        end_state={"evaluations": evaluations} if evaluations else {},
        opinions=[_opinion(evaluation) for evaluation in evaluations],
        seconds=max(max(ends) - min(starts), 0.0) if starts and ends else 0.0,
        cost=max(sum(costs), 0.0),
        gaps=list(dict.fromkeys(gaps)),
    )


def kind_of(span: Json) -> str:
    """`model`, `tool`, `agent`, `evaluation`, or empty for any other span."""
    about = span["about"]
    operation, kind = as_text(about.get("gen_ai.operation.name")), as_text(about.get("openinference.span.kind")).upper()
    kind = kind or as_text(about.get("langfuse.observation.type")).upper()
    if operation == "execute_tool" or kind == "TOOL":
        return "tool"
    if operation in _MODEL or kind in ("LLM", "GENERATION"):
        return "model"
    if operation in ("invoke_agent", "create_agent") or kind in ("AGENT", "CHAIN", "SPAN"):
        return "agent"
    if any(key.startswith("gen_ai.evaluation.") for key in about) or _evaluations(span):
        return "evaluation"
    if any(key.startswith(_MESSAGES) for key in about):
        return "model"
    return "tool" if "gen_ai.tool.name" in about else ""


def conversation_of_span(span: Json) -> str:
    return _first(span["about"], "gen_ai.conversation.id", "session.id")


def spans_in(value: Json) -> Iterator[Json]:
    """Every span in a document: `{trace, span, parent, name, start, end, failed, message, about, events}`."""
    if "context" in value and "attributes" in value:
        yield normal_span(value)
        return
    resources = as_list(value.get("resourceSpans") or value.get("resource_spans"))
    for resource in map(as_object, resources or [value]):
        scopes = as_list(resource.get("scopeSpans") or resource.get("scope_spans"))
        scopes = scopes or as_list(resource.get("instrumentationLibrarySpans"))
        for scope in map(as_object, scopes or [resource]):
            for span in map(as_object, as_list(scope.get("spans")) or ([scope] if _is_span(scope) else [])):
                yield normal_span(span)


def _is_span(value: Json) -> bool:
    return ("traceId" in value or "trace_id" in value) and ("spanId" in value or "span_id" in value)


def normal_span(span: Json) -> Json:
    """A span of OTLP, with typed attribute values and nanoseconds, or as an SDK prints it, with plain values and dates."""
    context, status = as_object(span.get("context")) or span, as_object(span.get("status"))
    return {
        "trace": as_text(context.get("traceId") or context.get("trace_id")),
        "span": as_text(context.get("spanId") or context.get("span_id")),
        "parent": as_text(span.get("parentSpanId") or span.get("parent_span_id") or span.get("parent_id")),
        "name": as_text(span.get("name")),
        "start": _seconds(span, "startTimeUnixNano", "start_time_unix_nano", "start_time"),
        "end": _seconds(span, "endTimeUnixNano", "end_time_unix_nano", "end_time"),
        "failed": status.get("code") in (2, "2", "STATUS_CODE_ERROR") or status.get("status_code") == "ERROR",
        "message": as_text(status.get("message") or status.get("description")),
        "about": _about(span),
        "events": [
            {"name": as_text(event.get("name")), "about": _about(event)} for event in as_objects(span.get("events"))
        ],
    }


def _about(span: Json) -> Json:
    """The attributes of a span or event about models, tools and agents."""
    attributes = span.get("attributes")
    if isinstance(attributes, dict):
        return {key: value for key, value in attributes.items() if _KEPT.match(key)}
    pairs = [(as_text(row.get("key")), row.get("value")) for row in as_objects(attributes)]
    return {key: _value(value) for key, value in pairs if _KEPT.match(key)}


def _value(value: Any, depth: int = 0) -> Any:
    """`{"stringValue": "a"}` is `a`."""
    typed = as_object(value)
    if not typed or depth > _DEEPEST:
        return value if not isinstance(value, dict) else None
    kind, inner = next(iter(typed.items()))
    if kind in ("arrayValue", "array_value"):
        return [_value(element, depth + 1) for element in as_list(as_object(inner).get("values"))]
    if kind in ("kvlistValue", "kvlist_value"):
        pairs = as_objects(as_object(inner).get("values"))
        return {as_text(pair.get("key")): _value(pair.get("value"), depth + 1) for pair in pairs}
    if kind in ("intValue", "int_value"):
        return int(as_number(inner))
    return inner


def _seconds(span: Json, nanoseconds: str, nanoseconds_too: str, printed: str) -> float:
    if number := as_number(span.get(nanoseconds) or span.get(nanoseconds_too)):
        return number / 1e9
    return seconds_of(span.get(printed))


def _call(span: Json, gaps: list[str]) -> ModelCall:
    about = _with_events(span)
    context, reply = _context_and_reply(about, span["events"], gaps)
    reasons = as_list(parsed(about.get("gen_ai.response.finish_reasons")))
    last = as_object(next(iter(as_list(parsed(about.get("gen_ai.output.messages")))), None))
    settings = {key.rpartition(".")[2]: value for key, value in about.items() if key.startswith("gen_ai.request.")}
    settings |= as_object(parsed(about.get("llm.invocation_parameters")))
    definitions = about.get("gen_ai.tool.definitions")
    return ModelCall(
        context=context,
        reply=reply,
        tools=read_tools(definitions)
        or read_tools([tool.get("tool.json_schema") for tool in _indexed(about, "llm.tools")]),
        turn=Turn(
            agent=_first(
                about,
                "gen_ai.response.model",
                "gen_ai.request.model",
                "llm.model_name",
                "langfuse.observation.model.name",
                "gen_ai.agent.version",
            ),
            sampling=sampling_of(settings),
            usage=Usage(_tokens(about, "input", "prompt"), _tokens(about, "output", "completion")),
            latency_s=max(span["end"] - span["start"], 0.0) if span["start"] and span["end"] else 0.0,
            finish="error" if span["failed"] else finish_of(next(iter(reasons), None) or last.get("finish_reason")),
        ),
        error=_error(span) if span["failed"] else None,
    )


def _tokens(about: Json, side: str, older_side: str) -> int:
    keys = (f"gen_ai.usage.{side}_tokens", f"gen_ai.usage.{older_side}_tokens", f"llm.token_count.{older_side}")
    return as_count(next((number for key in keys if (number := as_number(about.get(key)))), 0.0))


def _with_events(span: Json) -> Json:
    """The span's attributes, and those of the event that may hold the messages instead."""
    about: Json = {}
    for event in span["events"]:
        about |= event["about"] if event["name"].startswith(("gen_ai.client.", "gen_ai.content.")) else {}
    return about | span["about"]


def _context_and_reply(about: Json, events: Sequence[Json], gaps: list[str]) -> tuple[list[Item], list[Item]]:
    asked, answered = about.get("gen_ai.input.messages"), about.get("gen_ai.output.messages")
    if asked is not None or answered is not None:
        context = _system(about)
        context += _messages(as_list(parsed(asked)), context)
        return context, _messages(as_list(parsed(answered))[:1], context)
    for prompts, completions in _INDEXED.items():
        context = chat_items([_flat(message) for message in _indexed(about, prompts)])
        reply = chat_items([_flat(message) for message in _indexed(about, completions)][:1], context)
        if context or reply:
            return _system(about) + context, reply
    prompt = parsed(about.get("gen_ai.prompt"))
    if isinstance(prompt, list):
        context = chat_items([{"role": "user", **as_object(message)} for message in prompt])
        answer = as_list(parsed(about.get("gen_ai.completion")))[:1]
        return context, chat_items([{"role": "assistant", **as_object(message)} for message in answer], context)
    context, reply = _from_events(events)
    if context or reply:
        return context, reply
    for asked_key, answered_key in _WHOLE.items():
        context = context_items(about.get(asked_key), gaps)
        reply = reply_items(about.get(answered_key), context, gaps)
        if context or reply:
            return context, reply
    return [], []


def _from_events(events: Sequence[Json]) -> tuple[list[Item], list[Item]]:
    """Context and reply from events such as `gen_ai.user.message` and `gen_ai.choice`, as older conventions write them."""
    asked: list[Json] = []
    answered: list[Json] = []
    for event in events:
        body = {key.removeprefix("gen_ai.event."): parsed(value) for key, value in event["about"].items()}
        body = {key.removeprefix("gen_ai."): value for key, value in body.items()}
        parts = event["name"].split(".")
        if parts[:1] == ["gen_ai"] and parts[2:] == ["message"]:
            asked.append({"role": parts[1], "tool_call_id": body.get("id"), **body})
        elif event["name"] == "gen_ai.choice" and not answered:
            answered.append({**(as_object(body.get("message")) or body), "role": "assistant"})
    context = chat_items(asked)
    return context, chat_items(answered, context)


def _system(about: Json) -> list[Item]:
    value = parsed(about.get("gen_ai.system_instructions"))
    text = value if isinstance(value, str) else "".join(as_text(part.get("content")) for part in as_objects(value))
    return [Message("system", text)] if text else []


def _messages(messages: list[Any], before: Sequence[Item]) -> list[Item]:
    """Messages of the form `{"role", "parts"}`, or chat messages, which some instrumentations write."""
    items: list[Item] = []
    for message in map(as_object, messages):
        if "parts" not in message:
            items += chat_items([message], [*before, *items])
            continue
        role = as_text(message.get("role")) or "assistant"
        texts: list[str] = []
        for part in as_objects(message["parts"]):
            kind = part.get("type")
            if kind == "text":
                texts.append(as_text(part.get("content", part.get("text"))))
                continue
            if texts:
                items += chat_items([{"role": role, "content": "".join(texts)}])
                texts = []
            items.append(_part(part, as_text(kind), role, [*before, *items]))
        if texts or not as_list(message["parts"]):
            items += chat_items([{"role": role, "content": "".join(texts)}])
    return items


def _part(part: Json, kind: str, role: str, before: Sequence[Item]) -> Item:
    if kind == "tool_call":
        return call_of({key: part.get(key) for key in ("id", "name", "arguments")}, before)
    if kind == "tool_call_response":
        answer = part.get("response", part.get("result"))
        return FunctionCallOutput(result_id({"call_id": part.get("id")}, before), output_text(answer))
    if kind in ("reasoning", "thinking"):
        return thought(as_text(part.get("content")))
    speaker: Any = role if role in ("user", "system", "developer") else "assistant"
    media = as_text(part.get("modality")) or as_text(part.get("mime_type")).partition("/")[0]
    return Message(speaker, [media_part({**part, "type": media or kind}, speaker)])


def _indexed(about: Json, prefix: str) -> list[Json]:
    """`p.0.role`, `p.0.content`, `p.1.role` as a list of objects."""
    rows: dict[int, Json] = {}
    for key, value in about.items():
        if key.startswith(f"{prefix}."):
            index, _, rest = key[len(prefix) + 1 :].partition(".")
            if index.isascii() and index.isdigit() and len(index) < 6 and rest:
                rows.setdefault(int(index), {})[rest] = value
    return [rows[index] for index in sorted(rows)]


def _flat(message: Json) -> Json:
    """One message of indexed attributes, as a chat message."""
    plain = _bare(message, "message.")
    parts = [_bare(part, "message_content.") for part in _indexed(plain, "contents")]
    calls = [_bare(call, "tool_call.") for call in _indexed(plain, "tool_calls")]
    keys = ("role", "content", "tool_call_id", "name", "finish_reason")
    chat: Json = {"role": "user", **{key: plain[key] for key in keys if key in plain}}
    if parts and not chat.get("content"):
        chat["content"] = parts
    if calls:
        chat["tool_calls"] = [{"id": call.get("id"), **_bare(call, "function.")} for call in calls]
    return chat


def _bare(value: Json, prefix: str) -> Json:
    return {key.removeprefix(prefix): element for key, element in value.items()}


def _error(span: Json) -> Failure:
    raised = next((event["about"] for event in span["events"] if event["name"] == "exception"), {})
    kind = _first(span["about"] | raised, "error.type", "exception.type") or "Error"
    return Failure(Fault.INFRASTRUCTURE, kind, span["message"] or as_text(raised.get("exception.message")))


def _first(about: Json, *keys: str) -> str:
    return next((as_text(about[key]) for key in keys if about.get(key)), "")


def _tool_run(span: Json) -> ToolRun:
    about = span["about"]
    return ToolRun(
        id=span["span"],
        name=_first(about, "gen_ai.tool.name", "tool.name") or span["name"].removeprefix("execute_tool "),
        call_id=_first(about, "gen_ai.tool.call.id", "tool_call.id"),
        arguments=_present(
            about, "gen_ai.tool.call.arguments", "tool.parameters", "input.value", "langfuse.observation.input"
        ),
        result=_present(about, "gen_ai.tool.call.result", "output.value", "langfuse.observation.output"),
        error=_error(span) if span["failed"] else None,
    )


def _opinion(evaluation: Json) -> Opinion:
    name, value = as_text(evaluation.get("name")) or "evaluation", evaluation.get("value")
    note = as_text(evaluation.get("explanation"))
    return named_opinion("evaluations", name, value=value, label=evaluation.get("label"), note=note)


def _present(about: Json, *keys: str) -> Any:
    return next((about[key] for key in keys if about.get(key) is not None), None)


def _evaluations(span: Json) -> list[Json]:
    """The evaluations of a span: name, value, label and explanation."""
    evaluations: list[Json] = []
    for about in [span["about"], *(event["about"] for event in span["events"])]:
        fields = {key.rpartition(".")[2]: value for key, value in about.items() if key.startswith("gen_ai.evaluation.")}
        if fields:
            evaluations.append({key: fields[key] for key in ("name", "value", "label", "explanation") if key in fields})
    return evaluations
