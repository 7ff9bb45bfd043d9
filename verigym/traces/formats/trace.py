"""The result of reading a trace: a `ParsedTrace`, or a `TracePart` if other parts of the trace are elsewhere in the input.

A reader is a module with `NAME`, `TITLE`, `fits(value)` (whether the value is in its format), `read(value)` and, if it makes
parts, `join(key, values)`. It raises `BadInput` for a value that it cannot read. It keeps what is odd in a conversation
(a call without output, arguments that are not JSON), and `marks_of` marks it.
"""

import datetime
import itertools
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
    Stop,
    ToolSpec,
    Turn,
)
from verigym.policies import dialects
from verigym.traces.formats.opinions import Opinion, opinions_in, reported_outcome
from verigym.wire.items import is_reply, output_text
from verigym.wire.tools import read_tools
from verigym.wire.values import as_list, as_number, as_object, as_text, parsed


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
    """As the record states it. Feedback may give an outcome too."""
    opinions: list[Opinion] = []
    """Feedback on the conversation, also if its meaning is not known."""
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


class ModelCall(Struct, frozen=True, kw_only=True):
    """One model call: its whole context and its reply."""

    context: list[Item]
    """System message first."""
    reply: list[Item] = []
    """Empty if there was none."""
    tools: list[ToolSpec] = []
    turn: Turn = Turn()
    """The agent, its settings and what it used. `context_ids` are the ids of the whole context. Joining calls fills in the
    positions of the items."""
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
        turns.append(msgspec.structs.replace(call.turn, parent=parent, saw=ranges(saw), made=made))
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


def stop_of(turns: Sequence[Turn], error: Failure | None) -> Stop:
    """Why the conversation ended: an error, or the limit that cut off its last reply."""
    limits = {"length": Stop.MAX_TOKENS, "context_full": Stop.CONTEXT_FULL}
    if error is not None:
        return Stop.ERROR
    return limits.get(turns[-1].finish, Stop.DONE) if turns else Stop.DONE


def ranges(indices: Sequence[int]) -> list[tuple[int, int]]:
    """`0 1 2 5` is `[(0, 3), (5, 6)]`."""
    merged: list[tuple[int, int]] = []
    for index in indices:
        if merged and merged[-1][1] == index:
            merged[-1] = merged[-1][0], index + 1
        else:
            merged.append((index, index + 1))
    return merged


def ids_until(turns: Sequence[Turn], last: int | None) -> list[int]:
    """All token ids up to the end of a turn's completion. Empty if a turn on the way has none."""
    path: list[Turn] = []
    while last is not None:
        path.append(turns[last])
        last = path[-1].parent
    if not all(turn.completion_ids for turn in path):
        return []
    return [id for turn in reversed(path) for id in turn.context_ids + turn.completion_ids]


def turns_of(items: Sequence[Item], agent: str = "") -> list[Turn]:
    """Turns for formats that do not record model calls: one for each run of assistant items."""
    turns: list[Turn] = []
    for are_replies, indices in itertools.groupby(range(len(items)), key=lambda index: is_reply(items[index])):
        if are_replies:
            made = list(indices)
            parent = len(turns) - 1 if turns else None
            turns.append(Turn(parent=parent, saw=[(0, made[0])] if made[0] else [], made=made, agent=agent))
    return turns


class ToolRun(Struct, frozen=True, kw_only=True):
    """A tool's execution, as its own span or run records it."""

    id: str
    """Of the span or run."""
    name: str
    call_id: str = ""
    """Empty if it is not recorded. Then the call is found by name and arguments."""
    arguments: Any = None
    result: Any = None
    error: Failure | None = None


def with_tool_runs(items: Sequence[Item], runs: Sequence[ToolRun]) -> tuple[list[Item], list[Mark]]:
    """Adds what only the tools' own spans record: results, calls and failures that no model call shows."""
    items, marks = list(items), list[Mark]()
    calls = {item.call_id: index for index, item in enumerate(items) if isinstance(item, FunctionCall)}
    answered = {item.call_id for item in items if isinstance(item, FunctionCallOutput)}
    matched = {calls[run.call_id] for run in runs if run.call_id in calls}
    """Indices of calls whose run is known."""
    for run in runs:
        call_id = run.call_id or _called(items, run, matched) or f"span_{run.id}"
        if call_id not in calls:
            calls[call_id] = len(items)
            items.append(FunctionCall(call_id, run.name, as_text(run.arguments)))
        if call_id not in answered and (run.result is not None or run.error is not None):
            answered.add(call_id)
            text = output_text(run.result) if run.result is not None else run.error.message if run.error else ""
            items.append(FunctionCallOutput(call_id, text))
        if run.error is not None:
            marks.append(Mark("tool_error", calls[call_id], run.error.kind))
    return items, marks


def _called(items: Sequence[Item], run: ToolRun, matched: set[int]) -> str:
    """The id of the first call of the same name without a run, of the same arguments if there is one."""
    calls = [(index, item) for index, item in enumerate(items) if isinstance(item, FunctionCall)]
    open = [(index, call) for index, call in calls if call.name == run.name and index not in matched]
    same = [(index, call) for index, call in open if parsed(call.arguments) == parsed(run.arguments)]
    for index, call in [*same, *open]:
        matched.add(index)
        return call.call_id
    return ""


_ERRORS = ("error", '{"error"', '{ "error"', "traceback (most recent call last)")


def marks_of(items: Sequence[Item], tools: Sequence[ToolSpec]) -> list[Mark]:
    """Marks for calls and their results, without running the tools."""
    offered = {tool.name: tool for tool in tools}
    marks: list[Mark] = []
    waiting: dict[str, int] = {}
    """Index of each call without a result, by call id."""
    called: set[str] = set()
    for index, item in enumerate(items):
        match item:
            case FunctionCall():
                waiting[item.call_id] = index
                called.add(item.call_id)
                if offered and item.name not in offered:
                    marks.append(Mark("unknown_tool", index, item.name))
                elif problem := _argument_problem(item.arguments, offered.get(item.name)):
                    marks.append(Mark("bad_arguments", index, problem))
            case FunctionCallOutput() if item.call_id in waiting:
                call = waiting.pop(item.call_id)
                failed = item.output.lstrip()[:200].lower().startswith(_ERRORS)
                marks.append(Mark("tool_error" if failed else "executed", call, getattr(items[call], "name", "")))
            case FunctionCallOutput() if item.call_id not in called:
                marks.append(Mark("orphan_output", index, item.call_id))
            case Message(role="assistant") if offered and _meant_as_call(item, items[index + 1 : index + 2]):
                marks.append(Mark("format_error", index, "looks like a tool call, but cannot be read as one"))
            case _:
                pass
    return marks + [Mark("unanswered_call", index, call) for call, index in waiting.items()]


def _meant_as_call(item: Message, after: Sequence[Item]) -> bool:
    is_called = any(isinstance(following, FunctionCall) for following in after)
    return (dialects.has_markup if is_called else dialects.looks_like_call)(item.text)


def _argument_problem(arguments: str, tool: ToolSpec | None) -> str:
    """What is wrong with a call's arguments. Empty if nothing is."""
    try:
        value = msgspec.json.decode(arguments or "{}")
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        return f"not JSON: {error}"
    if not isinstance(value, dict):
        return f"not an object: {type(value).__name__}"
    required = as_list(tool.parameters.get("required")) if tool is not None else []
    missing = [name for name in required if isinstance(name, str) and name not in value]
    return f"missing: {', '.join(missing)}" if missing else ""


def interventions_of(value: Json) -> list[str]:
    values = [*as_list(value.get("interventions")), value.get("intervention"), value.get("escalation")]
    return [as_text(intervention) for intervention in values if intervention]


def trace_of(items: list[Item], row: Json, gaps: list[str] = []) -> ParsedTrace:  # noqa: B006 (never changed)
    """The trace of a row that holds a whole conversation."""
    return ParsedTrace(
        items=items,
        turns=turns_of(items, as_text(row.get("model"))),
        tools=read_tools(row.get("tools") or row.get("functions")),
        outcome=reported_outcome(row),
        opinions=opinions_in(row),
        interventions=interventions_of(row),
        gaps=gaps,
    )


def trace_of_calls(calls: Sequence[ModelCall], rows: Sequence[Json], gaps: list[str]) -> ParsedTrace:
    """The trace of a conversation whose model calls are in several rows."""
    return msgspec.structs.replace(
        join_calls(calls),
        outcome=next((outcome for row in reversed(rows) if (outcome := reported_outcome(row))), ""),
        opinions=[opinion for row in rows for opinion in opinions_in(row)],
        interventions=[intervention for row in rows for intervention in interventions_of(row)],
        seconds=sum(call.turn.latency_s for call in calls),
        cost=sum(as_number(row.get("cost")) for row in rows),
        gaps=gaps,
    )


def joined_trace(
    calls: Sequence[ModelCall],
    runs: Sequence[ToolRun],
    *,
    opinions: list[Opinion],
    gaps: list[str],
    times: Sequence[float],
    cost: float,
) -> ParsedTrace:
    """The trace of model calls and tool runs that a platform recorded one by one. `times` are all starts and ends."""
    trace = join_calls([call for call in calls if call.context or call.reply or call.error])
    items, marks = with_tool_runs(trace.items, runs)
    return msgspec.structs.replace(
        trace,
        items=items,
        marks=marks,
        opinions=opinions,
        seconds=max(times) - min(times) if times else 0.0,
        cost=cost,
        gaps=list(dict.fromkeys(gaps)),
    )


def seconds_of(value: Any) -> float:
    """A moment in seconds since 1970: a date as text, seconds, milliseconds or nanoseconds. 0 if it is none."""
    if isinstance(value, str):
        try:
            moment = datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
            return moment.replace(tzinfo=moment.tzinfo or datetime.UTC).timestamp()
        except (ValueError, OverflowError):
            return 0.0
    number = as_number(value)
    return number / 1e9 if number > 1e15 else number / 1e3 if number > 1e11 else number


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
    return list({msgspec.json.encode(value): value for value in values}.values())


def require(condition: object, message: str) -> None:
    if not condition:
        raise BadInput(message)
