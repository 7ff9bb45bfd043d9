"""The result of reading a trace: a `ParsedTrace`, or a `TracePart` if other parts of the trace are elsewhere in the input.

A reader is a module with `NAME`, `TITLE`, `fits(value)` (whether the value is in its format), `read(value)` and, if it makes
parts, `join(key, values)`. It raises `BadInput` for a value that it cannot read. It keeps what is odd in a conversation
(a call without output, arguments that are not JSON). `traces/marks.py` marks it.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import msgspec
from msgspec import Struct

from verigym.core.errors import BadInput
from verigym.core.records import (
    Failure,
    FunctionCall,
    FunctionCallOutput,
    Item,
    Json,
    Mark,
    Message,
    Reasoning,
    Sampling,
    ToolSpec,
    Turn,
    Usage,
)
from verigym.wire.items import is_reply
from verigym.wire.types import Finish
from verigym.wire.values import as_list, as_object, as_text


class ParsedTrace(Struct, frozen=True, kw_only=True):
    """A trajectory as a file holds it. `Trajectory` documents the fields."""

    items: list[Item]
    turns: list[Turn] = []
    """Empty if the format does not record model calls. Then each run of assistant items is one turn."""
    tools: list[ToolSpec] = []
    copied: set[int] = set()
    """Items copied from another trajectory. They are not trained on and do not count when two traces are compared."""
    marks: list[Mark] = []
    end_state: Json = {}
    rewards: list[float] = []
    outcome: str = ""
    interventions: list[str] = []
    error: Failure | None = None
    seconds: float = 0.0
    cost: float = 0.0
    gaps: list[str] = []


class TracePart(Struct, frozen=True):
    key: str
    """Parts with the same key belong together."""
    value: Any
    """JSON, so that it can be stored on disk until the other parts arrive."""


class FormatReader(Protocol):
    @property
    def NAME(self) -> str: ...
    @property
    def TITLE(self) -> str: ...
    def fits(self, value: Any) -> bool: ...
    def read(self, value: Any) -> "Iterator[ParsedTrace | TracePart]": ...


# -- model calls ----------------------------------------------------------------------------------------------------------


class ModelCall(Struct, frozen=True, kw_only=True):
    """One model call: its whole context and its reply."""

    context: list[Item]
    reply: list[Item]
    tools: list[ToolSpec] = []
    agent: str = ""
    sampling: Sampling = Sampling()
    usage: Usage = Usage()
    latency_s: float = 0.0
    finish: Finish = "stop"
    error: Failure | None = None


def join_calls(calls: Sequence[ModelCall]) -> ParsedTrace:
    """Joins calls into one log of items and a tree of turns. Items that a later call repeats appear once.

    [s u] -> a, [s u a v] -> b    gives items s u a v b, turns 0 <- 1
    """
    items: list[Item] = []
    turns: list[Turn] = []
    known: dict[tuple[int, Any], tuple[int, int]] = {}
    """Position in the conversation and an item's gist, to the position after it and the item's index."""
    ends: dict[int, int] = {}
    """Position to the turn that ended there."""
    for call in calls:
        node, saw, parent = 0, list[int](), None
        for item in call.context:
            node, index = _step(known, node, item, items)
            parent = ends.get(node, parent)
            saw.append(index)
        made: list[int] = []
        for item in call.reply:
            node, index = _step(known, node, item, items, fresh=True)
            made.append(index)
        ends[node] = len(turns)
        turns.append(
            Turn(
                parent=parent,
                saw=ranges(saw),
                made=made,
                agent=call.agent,
                sampling=call.sampling,
                usage=call.usage,
                latency_s=call.latency_s,
                finish=call.finish,
            )
        )
    tools = {tool.name: tool for call in calls for tool in call.tools}
    return ParsedTrace(items=items, turns=turns, tools=list(tools.values()), error=calls[-1].error if calls else None)


def _step(
    known: dict[tuple[int, Any], tuple[int, int]], node: int, item: Item, items: list[Item], fresh: bool = False
) -> tuple[int, int]:
    """The position after an item, and the item's index. A reply (`fresh`) is always a new item."""
    gist = _gist(item)
    found = known.get((node, gist)) if gist is not None else None
    if found is not None and not fresh:
        return found
    items.append(item)
    if gist is None:  # clients leave reasoning out when they send a conversation back
        return node, len(items) - 1
    known[node, gist] = len(items), len(items) - 1
    return known[node, gist]


def _gist(item: Item) -> Any:
    match item:
        case Message():
            return item.role, item.text.strip() or msgspec.json.encode(item.content)
        case FunctionCall():
            return "call", item.call_id, item.name, "".join(item.arguments.split())
        case FunctionCallOutput():
            return "output", item.call_id, item.output.strip()
        case Reasoning():
            return None


def ranges(indices: Sequence[int]) -> list[tuple[int, int]]:
    """`0 1 2 5` is `[(0, 3), (5, 6)]`."""
    merged: list[tuple[int, int]] = []
    for index in indices:
        if merged and merged[-1][1] == index:
            merged[-1] = merged[-1][0], index + 1
        else:
            merged.append((index, index + 1))
    return merged


def turns_of(items: Sequence[Item], copied: set[int], agent: str = "") -> list[Turn]:
    """Turns for formats that do not record model calls: one for each run of assistant items."""
    turns: list[Turn] = []
    last: int | None = None
    for index, item in enumerate(items):
        if not is_reply(item) or index in copied:
            last = None
        elif last is None:
            last = len(turns)
            turns.append(
                Turn(parent=last - 1 if last else None, saw=[(0, index)] if index else [], made=[index], agent=agent)
            )
        else:
            turns[last] = msgspec.structs.replace(turns[last], made=[*turns[last].made, index])
    return turns


# -- what rows say about a conversation ------------------------------------------------------------------------------------

_GOOD = {
    "success",
    "succeeded",
    "successful",
    "passed",
    "pass",
    "ok",
    "resolved",
    "solved",
    "correct",
    "true",
    "yes",
    "c",
}
_BAD = {"failure", "failed", "fail", "error", "unresolved", "incorrect", "wrong", "false", "no", "i"}


def outcome_of(value: Any) -> str:
    """`success`, `failure`, or empty if the outcome is unknown."""
    if isinstance(value, bool):
        return "success" if value else "failure"
    if isinstance(value, int | float):
        return "success" if value == 1 else "failure" if value == 0 else ""
    word = value.strip().lower() if isinstance(value, str) else ""
    return "success" if word in _GOOD else "failure" if word in _BAD else ""


def agreed_outcome(outcomes: Sequence[str]) -> str:
    """The outcome that all non-empty outcomes agree on, else empty."""
    distinct = {outcome for outcome in outcomes if outcome}
    return distinct.pop() if len(distinct) == 1 else ""


_OUTCOME_KEYS = ("outcome", "success", "passed", "resolved")


def outcome_in(value: Json) -> str:
    """The outcome that a row reports, directly or in its metadata."""
    rows = [value, as_object(value.get("metadata"))]
    return next((outcome for row in rows for key in _OUTCOME_KEYS if (outcome := outcome_of(row.get(key)))), "")


def interventions_of(value: Json) -> list[str]:
    values = [*as_list(value.get("interventions")), value.get("intervention"), value.get("escalation")]
    return [as_text(intervention) for intervention in values if intervention]


def conversation_of(*rows: Json) -> str:
    """The id that a client gave a conversation."""
    for row in rows:
        for key in ("conversation_id", "conversation", "session_id", "thread_id", "chat_id"):
            value = row.get(key)
            id = as_object(value).get("id") if isinstance(value, dict) else value
            if isinstance(id, str | int) and not isinstance(id, bool) and id != "":
                return str(id)
    return ""


def without_duplicates(values: Sequence[Any]) -> list[Any]:
    """The values without exact duplicates."""
    return list({msgspec.json.encode(each): each for each in values}.values())


def require(condition: object, message: str) -> None:
    if not condition:
        raise BadInput(message)
