"""Checks feedback on a conversation.

{"outcome": "failure", "correction": "The office closes at 17:00.", "intervention": "a person took over"}
"""

import datetime
import json
from typing import Any, cast

import msgspec

from verigym.core.errors import BadInput
from verigym.core.records import Feedback, Item, Json, Message

_OUTCOMES = ("success", "failure", "")
_LONGEST = 100_000
"""Maximum characters of a text, and of a correction."""


def read(outcome: Any, correction: Any, intervention: Any, note: Any, who: Any) -> Feedback:
    """The feedback, without its trajectory."""
    if outcome not in _OUTCOMES:
        raise BadInput(f'"outcome" is {_shown(outcome)}. It must be success, failure, or empty if unknown')
    for name, text in {"intervention": intervention, "note": note, "who": who}.items():
        if not isinstance(text, str):
            raise BadInput(f'"{name}" is {_shown(text)}. It must be text')
        if len(text) > _LONGEST:
            raise BadInput(f'"{name}" has {len(text):,} characters. The maximum is {_LONGEST:,}')
    items = _correction(correction)
    if not (outcome or items or intervention.strip() or note.strip()):
        raise BadInput("The feedback is empty. Send an outcome, a correction, an intervention or a note")
    return Feedback(
        trajectory="",
        outcome=outcome,
        correction=items,
        intervention=intervention,
        note=note,
        who=who,
        when=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    )


def _correction(given: Any) -> list[Item]:
    """Text is the right message. Otherwise items, in which a call may omit its id and have an object as arguments."""
    if isinstance(given, str):
        return [Message("assistant", given)] if given.strip() else []
    if not isinstance(given, list | tuple):
        raise BadInput(f'"correction" is {_shown(given)}. It must be text or a list of items')
    if len(given) and len(repr(given)) > _LONGEST:
        raise BadInput(f'"correction" has more than {_LONGEST:,} characters')
    try:
        return msgspec.convert([_whole(each, n) for n, each in enumerate(given)], list[Item])
    except msgspec.ValidationError as error:
        raise BadInput(
            f'"correction" is not a list of items: {error}. An item is {{"role": "assistant", "content": "..."}} or '
            '{"type": "function_call", "name": "...", "arguments": {...}}'
        ) from error


def _whole(item: Any, place: int) -> Any:
    if not isinstance(item, dict):
        return msgspec.to_builtins(item)
    item = cast(Json, item)
    if "type" not in item and "role" in item:
        return {"type": "message", **item}
    if item.get("type") == "function_call" or ("type" not in item and "arguments" in item):
        arguments = item.get("arguments", "")
        written = arguments if isinstance(arguments, str) else json.dumps(arguments)
        return {"call_id": f"call_{place}", **item, "type": "function_call", "arguments": written}
    return item


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 60 else f"{text[:57]}..."
