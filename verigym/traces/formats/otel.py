"""OpenTelemetry spans of generative AI, and OpenInference's: model calls, tools and agents of one trace are one trajectory.

Spans of a trace may be spread over lines and files; they are join_calls by conversation where spans name one, else by trace.
Messages are `gen_ai.input.messages` and `gen_ai.output.messages` (JSON, as such or in a text), older events, or indexed
attributes (`llm.input_messages.0.message.role`, `gen_ai.prompt.0.content`). Spans about other things are left out.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from verigym.core.records import (
    Failure,
    Fault,
    FunctionCall,
    FunctionCallOutput,
    Item,
    Json,
    Mark,
    Message,
    Reasoning,
    ReasoningText,
    ToolSpec,
    Usage,
)
from verigym.traces.formats.spans import is_span, spans_in
from verigym.traces.formats.trace import (
    ModelCall,
    ParsedTrace,
    TracePart,
    agreed_outcome,
    join_calls,
    outcome_of,
    require,
)
from verigym.wire.items import call_of, chat_items, finish_of, image_of, output_text, result_id, sampling_of
from verigym.wire.tools import read_tools
from verigym.wire.values import as_count, as_list, as_number, as_object, as_text, parsed

NAME = "otel"
TITLE = "OpenTelemetry GenAI"
_MODEL = ("chat", "text_completion", "generate_content", "completion")
_INDEXED = {"llm.input_messages": "llm.output_messages", "gen_ai.prompt": "gen_ai.completion"}


def fits(value: Any) -> bool:
    row = as_object(value)
    printed = "context" in row and "attributes" in row and "trace_id" in as_object(row["context"])
    return printed or is_span(row) or any(key in row for key in ("resourceSpans", "resource_spans", "scopeSpans"))


def read(value: Any) -> Iterator[ParsedTrace | TracePart]:
    found = [span for span in spans_in(as_object(value)) if _kind(span)]
    require(found, "it has no span of a model, tool or agent")
    for span in found:
        require(span["trace"], "a span has no trace id")
        yield TracePart(f"trace {span['trace']}", span)


def join(key: str, values: list[Any]) -> Iterator[ParsedTrace | TracePart]:
    """Joins all spans of a trace, then all spans of a conversation if they name one."""
    names = {name for span in values if (name := _conversation(span["about"]))} if key.startswith("trace ") else set()
    if not names:
        yield _trace(list({(each["trace"], each["span"]): each for each in values}.values()))
        return
    first = min(names)
    for span in values:
        yield TracePart(f"conversation {_conversation(span['about']) or first}", span)


def _trace(spans: list[Json]) -> ParsedTrace:
    spans = sorted(spans, key=lambda span: (span["start"], span["end"], span["span"]))
    calls = [_call(span) for span in spans if _kind(span) == "model"]
    if not any(
        call.context or call.reply for call in calls
    ):  # a framework that tells of the conversation on the agent's span only
        calls = [_call(span) for span in spans if _kind(span) == "agent"] or calls
    made = join_calls([call for call in calls if call.context or call.reply or call.error])
    items, marks = _with_tools(made.items, [span for span in spans if _kind(span) == "tool"])
    require(items, "its spans hold no messages. Enable the capture of message content in your instrumentation")
    evaluations = [each for span in spans for each in _evaluations(span)]
    began = [span["start"] for span in spans if span["start"]]
    ended = [span["end"] for span in spans if span["end"]]
    costs = [as_number(span["about"].get(key)) for span in spans for key in ("llm.cost.total", "gen_ai.usage.cost")]
    return msgspec.structs.replace(
        made,
        items=items,
        marks=marks,
        end_state={"evaluations": evaluations} if evaluations else {},
        outcome=agreed_outcome(
            [outcome_of(each.get("label")) or outcome_of(each.get("value")) for each in evaluations]
        ),
        seconds=max(max(ended) - min(began), 0.0) if began and ended else 0.0,
        cost=max(sum(costs), 0.0),
    )


def _kind(span: Json) -> str:
    """`model`, `tool`, `agent`, `evaluation`, or empty for any other span."""
    about = span["about"]
    operation, kind = as_text(about.get("gen_ai.operation.name")), as_text(about.get("openinference.span.kind")).upper()
    if operation == "execute_tool" or kind == "TOOL":
        return "tool"
    if operation in _MODEL or kind == "LLM":
        return "model"
    if operation in ("invoke_agent", "create_agent") or kind in ("AGENT", "CHAIN"):
        return "agent"
    if any(key.startswith("gen_ai.evaluation.") for key in about) or _evaluations(span):
        return "evaluation"
    said = (
        "gen_ai.input.messages",
        "gen_ai.output.messages",
        "gen_ai.prompt",
        "llm.input_messages",
        "llm.output_messages",
    )
    if any(key.startswith(said) for key in about):
        return "model"
    return "tool" if "gen_ai.tool.name" in about else ""


def _conversation(about: Json) -> str:
    return as_text(about.get("gen_ai.conversation.id") or about.get("session.id"))


# -- a model call -----------------------------------------------------------------------------------------------------------


def _call(span: Json) -> ModelCall:
    about = _with_events(span)
    context, reply = _said(about, span["events"])
    reasons = as_list(parsed(about.get("gen_ai.response.finish_reasons")))
    last = as_object(next(iter(as_list(parsed(about.get("gen_ai.output.messages")))), None))
    settings = {key.rpartition(".")[2]: value for key, value in about.items() if key.startswith("gen_ai.request.")}
    settings |= as_object(parsed(about.get("llm.invocation_parameters")))
    return ModelCall(
        context=context,
        reply=reply,
        tools=_tools(about),
        agent=_first(about, "gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "gen_ai.agent.version"),
        sampling=sampling_of(settings),
        usage=Usage(
            as_count(
                _number(about, "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt")
            ),
            as_count(
                _number(
                    about, "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion"
                )
            ),
        ),
        latency_s=max(span["end"] - span["start"], 0.0) if span["start"] and span["end"] else 0.0,
        finish="error" if span["failed"] else finish_of(next(iter(reasons), None) or last.get("finish_reason")),
        error=_error(span) if span["failed"] else None,
    )


def _with_events(span: Json) -> Json:
    """The span's attributes, and those of the event that may hold the messages instead."""
    about: Json = {}
    for event in span["events"]:
        about |= event["about"] if event["name"].startswith(("gen_ai.client.", "gen_ai.content.")) else {}
    return about | span["about"]


def _said(about: Json, events: Sequence[Json]) -> tuple[list[Item], list[Item]]:
    """Context and reply of a model call."""
    shown, said = about.get("gen_ai.input.messages"), about.get("gen_ai.output.messages")
    if shown is not None or said is not None:
        context = _system(about.get("gen_ai.system_instructions"))
        context += _messages(as_list(parsed(shown)), context)
        return context, _messages(as_list(parsed(said))[:1], context)
    for asked, replied in _INDEXED.items():
        context = chat_items([_flat(each) for each in _indexed(about, asked)])
        reply = chat_items([_flat(each) for each in _indexed(about, replied)][:1], context)
        if context or reply:
            return _system(about.get("gen_ai.system_instructions")) + context, reply
    prompt = parsed(about.get("gen_ai.prompt"))
    if isinstance(prompt, list):
        context = chat_items([{"role": "user", **as_object(each)} for each in prompt])
        answer = as_list(parsed(about.get("gen_ai.completion")))[:1]
        return context, chat_items([{"role": "assistant", **as_object(each)} for each in answer], context)
    return _from_events(events)


def _from_events(events: Sequence[Json]) -> tuple[list[Item], list[Item]]:
    """Context and reply from events such as `gen_ai.user.message` and `gen_ai.choice`, as older conventions write them."""
    shown: list[Json] = []
    said: list[Json] = []
    for event in events:
        body = {key.removeprefix("gen_ai.event."): parsed(value) for key, value in event["about"].items()}
        body = {key.removeprefix("gen_ai."): value for key, value in body.items()}
        parts = event["name"].split(".")
        if parts[:1] == ["gen_ai"] and parts[2:] == ["message"]:
            shown.append({"role": parts[1], "tool_call_id": body.get("id"), **body})
        elif event["name"] == "gen_ai.choice" and not said:
            said.append({**(as_object(body.get("message")) or body), "role": "assistant"})
    context = chat_items(shown)
    return context, chat_items(said, context)


def _system(value: Any) -> list[Item]:
    found = parsed(value)
    words = (
        found if isinstance(found, str) else "".join(as_text(as_object(part).get("content")) for part in as_list(found))
    )
    return [Message("system", words)] if words else []


def _messages(messages: list[Any], before: Sequence[Item]) -> list[Item]:
    """Messages of the form `{"role", "parts"}`, or chat messages, which some instrumentations write."""
    items: list[Item] = []
    for message in map(as_object, messages):
        if "parts" not in message:
            items += chat_items([message], [*before, *items])
            continue
        role = as_text(message.get("role")) or "assistant"
        words: list[str] = []
        for part in map(as_object, as_list(message["parts"])):
            kind = part.get("type")
            if kind == "text":
                words.append(as_text(part.get("content", part.get("text"))))
                continue
            if words:
                items += chat_items([{"role": role, "content": "".join(words)}])
                words = []
            items += _part(part, as_text(kind), role, [*before, *items])
        if words or not as_list(message["parts"]):
            items += chat_items([{"role": role, "content": "".join(words)}])
    return items


def _part(part: Json, kind: str, role: str, before: Sequence[Item]) -> list[Item]:
    if kind == "tool_call":
        return [call_of({key: part.get(key) for key in ("id", "name", "arguments")}, before)]
    if kind == "tool_call_response":
        answer = part.get("response", part.get("result"))
        return [FunctionCallOutput(result_id({"call_id": part.get("id")}, before), output_text(answer))]
    if kind in ("reasoning", "thinking"):
        return [Reasoning(content=[ReasoningText(as_text(part.get("content")))])]
    speaker: Any = role if role in ("user", "system", "developer") else "assistant"
    return [Message(speaker, [image_of(part)])]


def _indexed(about: Json, prefix: str) -> list[Json]:
    """`p.0.role`, `p.0.content`, `p.1.role` as a list of objects."""
    found: dict[int, Json] = {}
    for key, value in about.items():
        if key.startswith(f"{prefix}."):
            place, _, rest = key[len(prefix) + 1 :].partition(".")
            if place.isascii() and place.isdigit() and len(place) < 6 and rest:
                found.setdefault(int(place), {})[rest] = value
    return [found[place] for place in sorted(found)]


def _flat(message: Json) -> Json:
    """One message of indexed attributes, as a chat message."""
    plain = {key.removeprefix("message."): value for key, value in message.items()}
    parts = [_bare(each, "message_content.") for each in _indexed(plain, "contents")]
    calls = [_bare(each, "tool_call.") for each in _indexed(plain, "tool_calls")]
    made: Json = {
        key: plain[key] for key in ("role", "content", "tool_call_id", "name", "finish_reason") if key in plain
    }
    made.setdefault("role", "user")
    if parts and not made.get("content"):
        made["content"] = parts
    if calls:
        made["tool_calls"] = [
            {
                "id": call.get("id"),
                "name": call.get("function.name", call.get("name")),
                "arguments": call.get("function.arguments", call.get("arguments")),
            }
            for call in calls
        ]
    return made


def _bare(value: Json, prefix: str) -> Json:
    return {key.removeprefix(prefix): each for key, each in value.items()}


def _tools(about: Json) -> list[ToolSpec]:
    found = read_tools(about.get("gen_ai.tool.definitions"))
    return found or read_tools([each.get("tool.json_schema") for each in _indexed(about, "llm.tools")])


def _error(span: Json) -> Failure:
    raised = next((event["about"] for event in span["events"] if event["name"] == "exception"), {})
    kind = as_text(span["about"].get("error.type") or raised.get("exception.type")) or "Error"
    return Failure(Fault.INFRASTRUCTURE, kind, span["said"] or as_text(raised.get("exception.message")))


def _first(about: Json, *keys: str) -> str:
    return next((as_text(about[key]) for key in keys if about.get(key)), "")


def _number(about: Json, *keys: str) -> float:
    return next((found for key in keys if (found := as_number(about.get(key)))), 0.0)


# -- tools and evaluations ----------------------------------------------------------------------------------------------


def _with_tools(items: list[Item], spans: Sequence[Json]) -> tuple[list[Item], list[Mark]]:
    """Adds what only the tools' own spans record: results, calls and failures that no model call shows."""
    items, marks = list(items), list[Mark]()
    calls = {item.call_id: place for place, item in enumerate(items) if isinstance(item, FunctionCall)}
    answered = {item.call_id for item in items if isinstance(item, FunctionCallOutput)}
    for span in spans:
        about = span["about"]
        call_id = _first(about, "gen_ai.tool.call.id", "tool_call.id") or f"span_{span['span']}"
        if call_id not in calls:
            calls[call_id] = len(items)
            name = _first(about, "gen_ai.tool.name", "tool.name") or span["name"].removeprefix("execute_tool ")
            given = _present(about, "gen_ai.tool.call.arguments", "tool.parameters", "input.value")
            items.append(FunctionCall(call_id, name, as_text(given)))
        result = _present(about, "gen_ai.tool.call.result", "output.value")
        if call_id not in answered and (result is not None or span["failed"]):
            answered.add(call_id)
            items.append(FunctionCallOutput(call_id, output_text(result) if result is not None else span["said"]))
        if span["failed"]:
            marks.append(Mark("tool_error", calls[call_id], _error(span).kind))
    return items, marks


def _present(about: Json, *keys: str) -> Any:
    return next((about[key] for key in keys if about.get(key) is not None), None)


def _evaluations(span: Json) -> list[Json]:
    """The evaluations of a span: name, value, label and explanation."""
    found: list[Json] = []
    for about in [span["about"], *(event["about"] for event in span["events"])]:
        said = {key.rpartition(".")[2]: value for key, value in about.items() if key.startswith("gen_ai.evaluation.")}
        if said:
            found.append({key: said[key] for key in ("name", "value", "label", "explanation") if key in said})
    return found
