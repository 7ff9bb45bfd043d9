"""Marks for a conversation whose tools are unknown: calls and their results."""

from collections.abc import Sequence

import msgspec

from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Mark, Message, ToolSpec
from verigym.policies import dialects

_ERRORS = ("error", '{"error"', '{ "error"', "traceback (most recent call last)")


def marks_of(items: Sequence[Item], tools: Sequence[ToolSpec]) -> list[Mark]:
    offered = {tool.name: tool for tool in tools}
    marks: list[Mark] = []
    waiting: dict[str, int] = {}
    """Index of each call without a result, by call id."""
    called: set[str] = set()
    for place, item in enumerate(items):
        match item:
            case FunctionCall():
                waiting[item.call_id] = place
                called.add(item.call_id)
                if offered and item.name not in offered:
                    marks.append(Mark("unknown_tool", place, item.name))
                elif wrong := _wrong(item.arguments, offered.get(item.name)):
                    marks.append(Mark("bad_arguments", place, wrong))
            case FunctionCallOutput() if item.call_id in waiting:
                call = waiting.pop(item.call_id)
                failed = item.output.lstrip()[:200].lower().startswith(_ERRORS)
                marks.append(Mark("tool_error" if failed else "executed", call, getattr(items[call], "name", "")))
            case FunctionCallOutput() if item.call_id not in called:
                marks.append(Mark("orphan_output", place, item.call_id))
            case Message(role="assistant") if offered and _meant_as_call(item, items[place + 1 : place + 2]):
                marks.append(Mark("format_error", place, "looks like a tool call, but cannot be read as one"))
            case _:
                pass
    return marks + [Mark("unanswered_call", place, call) for call, place in waiting.items()]


def _meant_as_call(item: Message, after: Sequence[Item]) -> bool:
    is_called = any(isinstance(each, FunctionCall) for each in after)
    return (dialects.has_markup if is_called else dialects.looks_like_call)(item.text)


def _wrong(arguments: str, tool: ToolSpec | None) -> str:
    """What is wrong with a call's arguments. Empty if nothing is."""
    try:
        found = msgspec.json.decode(arguments or "{}")
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        return f"not JSON: {error}"
    if not isinstance(found, dict):
        return f"not an object: {type(found).__name__}"
    required = tool.parameters.get("required") if tool is not None else None
    missing = (
        [each for each in required if isinstance(each, str) and each not in found] if isinstance(required, list) else []
    )
    return f"missing: {', '.join(missing)}" if missing else ""
