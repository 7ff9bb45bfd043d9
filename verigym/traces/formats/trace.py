"""What a reader of a format makes: a `Trace`, or a `Part` of one whose other parts stand elsewhere in the input.

A reader is a module with `NAME`, `TITLE`, `fits(value)` (is this JSON value one of mine?), `read(value)` and, where it makes
parts, `join(key, values)`. It raises `BadInput` for what it cannot read. What is odd in a conversation
(a call without output, arguments that are no JSON) is kept; `seen` says so in marks.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any, Literal, Protocol, cast

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

Finish = Literal["stop", "length", "tool_calls", "context_full", "error"]


class Trace(Struct, frozen=True, kw_only=True):
    """A trajectory as a file holds it: see `Trajectory`, whose fields these are."""

    items: list[Item]
    turns: list[Turn] = []
    """Empty where the format knows of no model calls: then each stretch of the assistant's is one."""
    tools: list[ToolSpec] = []
    copied: set[int] = set()
    """Items that were carried over from another trajectory: not trained on, and no part of what tells two traces apart."""
    marks: list[Mark] = []
    end_state: Json = {}
    rewards: list[float] = []
    outcome: str = ""
    interventions: list[str] = []
    error: Failure | None = None
    seconds: float = 0.0
    cost: float = 0.0
    gaps: list[str] = []


class Part(Struct, frozen=True):
    key: str
    """Parts of one key belong together."""
    value: Any
    """JSON, so that it can wait on the disk."""


class Reader(Protocol):
    @property
    def NAME(self) -> str: ...
    @property
    def TITLE(self) -> str: ...
    def fits(self, value: Any) -> bool: ...
    def read(self, value: Any) -> "Iterator[Trace | Part]": ...


# -- model calls, joined --------------------------------------------------------------------------------------------------


class Call(Struct, frozen=True, kw_only=True):
    """One model call: all that it was shown, and what it replied."""

    context: list[Item]
    reply: list[Item]
    tools: list[ToolSpec] = []
    agent: str = ""
    sampling: Sampling = Sampling()
    usage: Usage = Usage()
    latency_s: float = 0.0
    finish: Finish = "stop"
    error: Failure | None = None


def joined(calls: Sequence[Call]) -> Trace:
    """One log of items and a tree of turns. A call is shown what was said before once more; that is found again, not repeated.

    [s u] -> a, [s u a v] -> b    is items s u a v b, turns 0 <- 1
    """
    items: list[Item] = []
    turns: list[Turn] = []
    known: dict[tuple[int, Any], tuple[int, int]] = {}
    """Place in the conversation and what is said there, to the place after it and the item."""
    ends: dict[int, int] = {}
    """Place to the turn that ended there."""
    for call in calls:
        node, saw, parent = 0, list[int](), None
        for item in call.context:
            node, place = _step(known, node, item, items)
            parent = ends.get(node, parent)
            saw.append(place)
        made: list[int] = []
        for item in call.reply:
            node, place = _step(known, node, item, items, fresh=True)
            made.append(place)
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
    return Trace(items=items, turns=turns, tools=list(tools.values()), error=calls[-1].error if calls else None)


def _step(
    known: dict[tuple[int, Any], tuple[int, int]], node: int, item: Item, items: list[Item], fresh: bool = False
) -> tuple[int, int]:
    """The place after an item, and the item's own; a reply is new whatever was said before."""
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


def ranges(places: Sequence[int]) -> list[tuple[int, int]]:
    """`0 1 2 5` is `[(0, 3), (5, 6)]`."""
    found: list[tuple[int, int]] = []
    for place in places:
        if found and found[-1][1] == place:
            found[-1] = found[-1][0], place + 1
        else:
            found.append((place, place + 1))
    return found


def made_by_model(item: Item) -> bool:
    return isinstance(item, FunctionCall | Reasoning) or (isinstance(item, Message) and item.role == "assistant")


def turns_of(items: Sequence[Item], copied: set[int], agent: str = "") -> list[Turn]:
    """Each stretch of the assistant's own as one model call, for formats that do not say where calls begin and end."""
    turns: list[Turn] = []
    last: int | None = None
    for place, item in enumerate(items):
        if not made_by_model(item) or place in copied:
            last = None
        elif last is None:
            last = len(turns)
            turns.append(
                Turn(parent=last - 1 if last else None, saw=[(0, place)] if place else [], made=[place], agent=agent)
            )
        else:
            turns[last] = msgspec.structs.replace(turns[last], made=[*turns[last].made, place])
    return turns


# -- values of any type, as what they should be ----------------------------------------------------------------------------


def record(value: Any) -> Json:
    """An object; empty for anything else."""
    return cast(Json, value) if isinstance(value, dict) else {}


def listed(value: Any) -> list[Any]:
    return cast(list[Any], value) if isinstance(value, list) else []


def text(value: Any) -> str:
    """Text as it is, nothing as empty text, and other values as their JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else msgspec.json.encode(value).decode()


def number(value: Any) -> float:
    """A finite number, as such or as text; else 0."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return 0.0
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return 0.0
    return found if math.isfinite(found) else 0.0


def whole(value: Any) -> int:
    """A count."""
    return int(min(max(number(value), 0), 1 << 52))


def numbers(value: Any) -> list[float]:
    found = listed(value)
    return [float(each) for each in found] if all(_is_number(each) for each in found) else []


def ids(value: Any) -> list[int]:
    """Token ids; none of them where one is none."""
    found = listed(value)
    return cast(list[int], found) if all(type(each) is int and 0 <= each < 1 << 31 for each in found) else []


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def unwrapped(value: Any) -> Any:
    """A JSON value that may be wrapped in a string, as attributes of spans are."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return msgspec.json.decode(value)
        except (msgspec.DecodeError, RecursionError):
            return value
    return value


_FINISH: dict[str, Finish] = {
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_length": "context_full",
    "tool_calls": "tool_calls",
    "tool_call": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "error",
    "error": "error",
}


def finish_of(reason: Any) -> Finish:
    return _FINISH.get(reason, "stop") if isinstance(reason, str) else "stop"


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
    """`success`, `failure`, or empty: what is not known is no failure."""
    if isinstance(value, bool):
        return "success" if value else "failure"
    if isinstance(value, int | float):
        return "success" if value == 1 else "failure" if value == 0 else ""
    said = value.strip().lower() if isinstance(value, str) else ""
    return "success" if said in _GOOD else "failure" if said in _BAD else ""


def agreed(outcomes: Sequence[str]) -> str:
    """What all that say something say; empty where they do not agree."""
    said = {each for each in outcomes if each}
    return said.pop() if len(said) == 1 else ""


_SAYS = ("outcome", "success", "passed", "resolved")


def told(value: Json) -> str:
    """The outcome that a row names itself, or in its metadata."""
    rows = [value, record(value.get("metadata"))]
    return next((found for row in rows for key in _SAYS if (found := outcome_of(row.get(key)))), "")


def interventions_of(value: Json) -> list[str]:
    said = [*listed(value.get("interventions")), value.get("intervention"), value.get("escalation")]
    return [text(each) for each in said if each]


def tools_of(value: Any) -> list[ToolSpec]:
    """Tools as the APIs, ATIF and OpenTelemetry write them; what has no name is left out."""
    found: list[ToolSpec] = []
    for each in listed(unwrapped(value)):
        given = record(unwrapped(each))
        given = record(given.get("function")) or given
        name = given.get("name")
        if isinstance(name, str) and name:
            schema = next((given[key] for key in ("parameters", "input_schema", "inputSchema") if given.get(key)), {})
            found.append(
                ToolSpec(name=name, description=text(given.get("description")), parameters=record(unwrapped(schema)))
            )
    return found


def usage_of(value: Any) -> Usage:
    """Tokens by any of the names that they go by."""
    given = record(value)
    read = [whole(given.get(key)) for key in ("prompt_tokens", "input_tokens")]
    written = [whole(given.get(key)) for key in ("completion_tokens", "output_tokens")]
    return Usage(max(read), max(written))


def sampling_of(request: Json) -> Sampling:
    given: dict[str, Any] = {}
    for name in ("temperature", "top_p"):
        if _is_number(request.get(name)):
            given[name] = float(request[name])
    for name in ("max_tokens", "max_completion_tokens", "max_output_tokens"):
        if whole(request.get(name)):
            given["max_tokens"] = whole(request[name])
    return Sampling(**given)


def conversation_of(*rows: Json) -> str:
    """The id that a client gave a conversation."""
    for row in rows:
        for key in ("conversation_id", "conversation", "session_id", "thread_id", "chat_id"):
            found = row.get(key)
            found = record(found).get("id") if isinstance(found, dict) else found
            if isinstance(found, str | int) and not isinstance(found, bool) and found != "":
                return str(found)
    return ""


def distinct(values: Sequence[Any]) -> list[Any]:
    """Without what was logged twice, to the letter."""
    return list({msgspec.json.encode(each): each for each in values}.values())


def need(condition: object, words: str) -> None:
    if not condition:
        raise BadInput(words)
