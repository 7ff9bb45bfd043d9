"""Logs of inspect_ai: a sample is a trajectory, its scores say the outcome. `.eval` files are ZIPs with one JSON a sample."""

from collections.abc import Iterator
from typing import Any

from verigym.core.records import Failure, Fault, Json
from verigym.traces.formats.messages import items_of
from verigym.traces.formats.trace import (
    Part,
    Trace,
    agreed,
    listed,
    need,
    number,
    outcome_of,
    record,
    text,
    turns_of,
)

NAME = "inspect"
TITLE = "inspect_ai logs"
_ATTACHED = "attachment://"


def fits(value: Any) -> bool:
    row = record(value)
    is_sample = "messages" in row and "target" in row and ("scores" in row or "epoch" in row)
    return is_sample or ("eval" in row and isinstance(row.get("samples"), list))


def read(value: Any) -> Iterator[Trace | Part]:
    row = record(value)
    for sample in map(record, listed(row["samples"])) if "eval" in row and "samples" in row else [row]:
        yield _sample(sample)


def _sample(sample: Json) -> Trace:
    messages = [_whole(each, record(sample.get("attachments"))) for each in listed(sample.get("messages"))]
    items = items_of(messages)
    need(items, "the sample has no messages")
    scores = {name: record(score) for name, score in record(sample.get("scores")).items()}
    error = record(sample.get("error"))
    state: Json = {"sample": sample.get("id"), "epoch": sample.get("epoch"), "target": sample.get("target")}
    if scores:
        state["scores"] = {
            name: {"value": each.get("value"), "explanation": each.get("explanation")} for name, each in scores.items()
        }
    limit = text(record(sample.get("limit")).get("type"))
    return Trace(
        items=items,
        turns=turns_of(items, set(), text(record(sample.get("output")).get("model"))),
        end_state=state,
        outcome=agreed([outcome_of(each.get("value")) for each in scores.values()]),
        error=Failure(Fault.INFRASTRUCTURE, "SampleError", text(error.get("message"))) if error else None,
        seconds=max(number(sample.get("total_time")), 0.0),
        gaps=[f"what would have come after the {limit} limit"] if limit else [],
    )


def _whole(message: Any, attached: Json) -> Json:
    """The message with its attachments in place, and parts of tools' errors as what the tool answered."""
    row = {key: _placed(value, attached) for key, value in record(message).items()}
    failed = record(row.get("error"))
    if row.get("role") == "tool" and failed:
        row["content"] = f"error: {text(failed.get('message'))}"
    return row


def _placed(value: Any, attached: Json, depth: int = 0) -> Any:
    if isinstance(value, str) and value.startswith(_ATTACHED):
        return attached.get(value.removeprefix(_ATTACHED), value)
    if depth < 8 and isinstance(value, list):
        return [_placed(each, attached, depth + 1) for each in value]
    if depth < 8 and isinstance(value, dict):
        return {key: _placed(each, attached, depth + 1) for key, each in value.items()}
    return value
