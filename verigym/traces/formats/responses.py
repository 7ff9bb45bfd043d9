"""OpenAI Responses: a request with its response, a response alone, or a list of items. Calls are joined on `call_id`, never `id`.

Items of a server's own tools (web search, code) have no place in a record; each kind that is left out is a gap. What a request
continues by `previous_response_id` is not in the log either.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from verigym.core.errors import BadInput
from verigym.core.records import (
    FunctionCall,
    FunctionCallOutput,
    InputText,
    Item,
    Json,
    Message,
    OutputText,
    Reasoning,
    ReasoningText,
    Refusal,
    SummaryText,
)
from verigym.traces.formats.chat import REQUESTS, RESPONSES, error_of, latency, pieces_of
from verigym.traces.formats.messages import image_of, output_of
from verigym.traces.formats.trace import (
    Call,
    Finish,
    Part,
    Trace,
    conversation_of,
    distinct,
    interventions_of,
    joined,
    listed,
    need,
    number,
    record,
    sampling_of,
    text,
    told,
    tools_of,
    turns_of,
    unwrapped,
    usage_of,
)

NAME = "responses"
TITLE = "OpenAI Responses"
_KINDS = {
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "mcp_call",
}
_ROLES = ("system", "developer", "user", "assistant")
_REQUESTS = ("responses_create_params", *REQUESTS)


def fits(value: Any) -> bool:
    if isinstance(value, list):
        return _are_items(value)
    row = record(value)
    if row.get("object") == "response" or _are_items(row.get("items")):
        return True
    asked, answer = _pair(row)
    return _is_response(answer) or (bool(answer) and "input" in asked and "messages" not in asked)


def read(value: Any) -> Iterator[Trace | Part]:
    row = record(value)
    bare = value if isinstance(value, list) else row.get("items")
    if isinstance(bare, list) and _are_items(bare):
        left_out: Counter[str] = Counter()
        items = items_of(bare, left_out)
        yield Trace(
            items=items,
            turns=turns_of(items, set(), text(row.get("model"))),
            tools=tools_of(row.get("tools")),
            outcome=told(row),
            interventions=interventions_of(row),
            gaps=_gaps(left_out),
        )
        return
    asked, _ = _pair(row)
    name = conversation_of(row, asked, record(asked.get("metadata")), record(row.get("metadata")))
    if name:
        yield Part(name, row)
    else:
        yield _trace([row])


def join(key: str, values: list[Any]) -> Iterator[Trace | Part]:
    yield _trace(sorted(distinct(values), key=lambda row: number(_pair(row)[1].get("created_at"))))


def _trace(rows: list[Json]) -> Trace:
    left_out: Counter[str] = Counter()
    calls = [call_of(*_pair(row), row, left_out) for row in rows]
    before = {
        text(side["previous_response_id"]) for row in rows for side in _pair(row) if side.get("previous_response_id")
    }
    gaps = [f"what was said before response {each}" for each in sorted(before)]
    if not any(call.context for call in calls):
        gaps.append("the request: only the response was logged")
    return msgspec.structs.replace(
        joined(calls),
        outcome=next((found for row in reversed(rows) if (found := told(row))), ""),
        interventions=[each for row in rows for each in interventions_of(row)],
        seconds=sum(call.latency_s for call in calls),
        cost=sum(number(row.get("cost")) for row in rows),
        gaps=gaps + _gaps(left_out),
    )


def call_of(asked: Json, answer: Json, row: Json, left_out: Counter[str]) -> Call:
    context = _input(asked, left_out)
    reply = items_of(listed(answer.get("output")), left_out)
    error = error_of(row, answer)
    need(context or reply or error, "neither input nor output in it")
    return Call(
        context=context,
        reply=reply,
        tools=tools_of(asked.get("tools") or answer.get("tools")),
        agent=text(answer.get("model") or asked.get("model")),
        sampling=sampling_of(asked),
        usage=usage_of(answer.get("usage")),
        latency_s=latency(row),
        finish="error" if error else _finish(answer),
        error=error,
    )


def _finish(answer: Json) -> Finish:
    if answer.get("status") == "incomplete":
        return "error" if record(answer.get("incomplete_details")).get("reason") == "content_filter" else "length"
    return "error" if answer.get("status") in ("failed", "cancelled") else "stop"


def _input(asked: Json, left_out: Counter[str]) -> list[Item]:
    said = asked.get("input")
    items: list[Item] = [Message("user", said)] if isinstance(said, str) else items_of(listed(said), left_out)
    told_first = asked.get("instructions")
    return [Message("system", told_first), *items] if isinstance(told_first, str) and told_first else items


def _pair(row: Json) -> tuple[Json, Json]:
    asked = next((found for key in _REQUESTS if (found := record(unwrapped(row.get(key))))), {})
    answer: Json = {}
    for key in RESPONSES:
        pieces = pieces_of(row.get(key))
        answer = _last(pieces) if pieces else record(unwrapped(row.get(key)))
        if answer:
            break
    if not _is_response(answer) and _is_response(row):
        answer = row
    if not asked and ("input" in row or "instructions" in row):
        asked = row
    return asked, answer


def _last(events: list[Json]) -> Json:
    """The response that a stream of events ended with; where it was cut off, of the items that were done."""
    whole = [record(event.get("response")) for event in events if "output" in record(event.get("response"))]
    done = [event.get("item") for event in events if event.get("type") == "response.output_item.done"]
    last = whole[-1] if whole else {}
    return last if last.get("output") or not done else {**last, "output": done, "status": "incomplete"}


def _is_response(row: Json) -> bool:
    return isinstance(row.get("output"), list) and (row.get("object") == "response" or _are_items(row["output"]))


def _are_items(value: Any) -> bool:
    """Messages alone may be a chat's as well: one item of another kind, or a message that says its type, decides."""
    found = [record(each) for each in listed(value)]
    kinds = [text(each.get("type")) for each in found]
    known = all(kind or "role" in each for kind, each in zip(kinds, found, strict=True))
    return bool(found) and known and any(kind in _KINDS for kind in kinds)


# -- items ----------------------------------------------------------------------------------------------------------------


def items_of(values: Sequence[Any], left_out: Counter[str]) -> list[Item]:
    items: list[Item] = []
    for place, value in enumerate(values, start=1):
        row = record(value)
        kind = row.get("type", "message" if "role" in row else None)
        if kind == "message":
            items.append(_message(row, place))
        elif kind == "reasoning":
            items.append(_reasoning(row))
        elif kind in ("function_call", "custom_tool_call", "mcp_call"):
            arguments = row.get("input") if kind == "custom_tool_call" else row.get("arguments")
            call_id = text(row.get("call_id") or row.get("id"))
            items.append(FunctionCall(call_id, text(row.get("name")), text(arguments)))
            if kind == "mcp_call" and (row.get("output") or row.get("error")):
                items.append(FunctionCallOutput(call_id, output_of(row.get("output") or row.get("error"))))
        elif kind in ("function_call_output", "custom_tool_call_output"):
            items.append(FunctionCallOutput(text(row.get("call_id")), output_of(row.get("output"))))
        elif isinstance(kind, str) and kind:
            left_out[kind] += 1
        else:
            raise BadInput(f"item {place} has neither a type nor a role")
    return items


def _message(row: Json, place: int) -> Message:
    role = row.get("role")
    if role not in _ROLES:
        raise BadInput(f"item {place}: the role is {text(role)[:40]!r}; roles are {', '.join(_ROLES)}")
    content = row.get("content")
    if not isinstance(content, list):
        return Message(role, text(content))
    parts: list[Any] = []
    for each in content:
        part = record(each) if not isinstance(each, str) else {"text": each}
        kind = part.get("type", "text")
        if kind == "refusal":
            parts.append(Refusal(text(part.get("refusal"))))
        elif isinstance(part.get("text"), str):
            parts.append(OutputText(part["text"]) if role == "assistant" else InputText(part["text"]))
        else:
            parts.append(image_of(part))
    return Message(role, parts)


def _reasoning(row: Json) -> Reasoning:
    summary = [SummaryText(text(record(each).get("text"))) for each in listed(row.get("summary"))]
    content = row.get("content")
    said = [ReasoningText(text(record(each).get("text"))) for each in content] if isinstance(content, list) else None
    sealed = row.get("encrypted_content")
    return Reasoning(summary, said, sealed if isinstance(sealed, str) else None)


def _gaps(left_out: Counter[str]) -> list[str]:
    return [f"items of kind {kind[:40]}: {count}" for kind, count in sorted(left_out.items())]
