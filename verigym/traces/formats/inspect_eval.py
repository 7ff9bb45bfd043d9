"""Logs of inspect_ai. A sample is a trajectory, its scores give the outcome. `.eval` files are ZIPs, one JSON per sample."""

from collections.abc import Iterator
from typing import Any

from verigym.core.records import Failure, Fault, Json
from verigym.traces.formats.opinions import Opinion, outcome_of
from verigym.traces.formats.trace import ParsedTrace, TracePart, require, turns_of
from verigym.wire.items import chat_items
from verigym.wire.values import as_list, as_number, as_object, as_objects, as_text

NAME = "inspect"
TITLE = "inspect_ai logs"
_ATTACHED = "attachment://"


def fits(value: Any) -> bool:
    row = as_object(value)
    is_sample = "messages" in row and "target" in row and ("scores" in row or "epoch" in row)
    return is_sample or ("eval" in row and isinstance(row.get("samples"), list))


def read(value: Any) -> Iterator[ParsedTrace | TracePart]:
    row = as_object(value)
    for sample in as_objects(row["samples"]) if "eval" in row and "samples" in row else [row]:
        yield _sample(sample)


def _sample(sample: Json) -> ParsedTrace:
    messages = [_whole(message, as_object(sample.get("attachments"))) for message in as_list(sample.get("messages"))]
    items = chat_items(messages)
    require(items, "the sample has no messages")
    scores = {name: as_object(score) for name, score in as_object(sample.get("scores")).items()}
    error = as_object(sample.get("error"))
    state: Json = {"sample": sample.get("id"), "epoch": sample.get("epoch"), "target": sample.get("target")}
    if scores:
        state["scores"] = {
            name: {"value": score.get("value"), "explanation": score.get("explanation")}
            for name, score in scores.items()
        }
    limit = as_text(as_object(sample.get("limit")).get("type"))
    return ParsedTrace(
        items=items,
        turns=turns_of(items, as_text(as_object(sample.get("output")).get("model"))),
        end_state=state,
        opinions=[
            Opinion(field=f"scores.{name}", value=value, outcome=outcome_of(value), by_person=False)
            for name, score in scores.items()
            if isinstance(value := score.get("value"), str | int | float | bool)
        ],
        error=Failure(Fault.INFRASTRUCTURE, "SampleError", as_text(error.get("message"))) if error else None,
        seconds=max(as_number(sample.get("total_time")), 0.0),
        gaps=[f"what would have come after the {limit} limit"] if limit else [],
    )


def _whole(message: Any, attached: Json) -> Json:
    """The message with its attachments filled in. A tool's error becomes its result."""
    row = {key: _attached(value, attached) for key, value in as_object(message).items()}
    failed = as_object(row.get("error"))
    if row.get("role") == "tool" and failed:
        row["content"] = f"error: {as_text(failed.get('message'))}"
    return row


def _attached(value: Any, attached: Json, depth: int = 0) -> Any:
    if isinstance(value, str) and value.startswith(_ATTACHED):
        return attached.get(value.removeprefix(_ATTACHED), value)
    if depth < 8 and isinstance(value, list):
        return [_attached(element, attached, depth + 1) for element in value]
    if depth < 8 and isinstance(value, dict):
        return {key: _attached(element, attached, depth + 1) for key, element in value.items()}
    return value
