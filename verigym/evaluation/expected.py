"""The calls that a task expects, if its data lists them, and the calls that an episode made.

{"expected_tool": "book", "expected_args": {...}}                    one call
{"expected_calls": [{"name": "find", "arguments": {...}}, ...]}      several; `ground_truth` in NeMo Gym's rows
{"completion": [...]}                                                those of a demonstration
"""

import functools
import re
from typing import Any, NamedTuple

import msgspec

from verigym.core.records import FunctionCall, FunctionCallOutput, Json, Task, Trajectory, content_hash
from verigym.verifiers.toolcall import canonical

_READING = {
    *("search", "find", "lookup", "look", "query", "retrieve", "read", "fetch", "get", "list"),
    *("show", "open", "browse", "view", "check", "inspect", "describe", "count", "ls", "cat", "grep", "refuse"),
}
_NO_TOOLS = ("", content_hash([])[:16])
_FAILED = {"unknown_tool", "bad_arguments", "tool_error", "tool_limit", "tool_time_out"}


class ExpectedCall(NamedTuple):
    name: str
    arguments: Json | None
    """None if any arguments are accepted."""


class CallRecord(NamedTuple):
    """A call that was made, and its result."""

    name: str
    arguments: Json | None
    """None if they were not a JSON object."""
    output: str
    marks: frozenset[str]
    details: str
    """What the harness recorded about it."""
    position: int
    """Among the items of the trajectory."""

    @property
    def worked(self) -> bool:
        return not self.marks & _FAILED

    @property
    def key(self) -> tuple[str, str]:
        """Equal for calls with the same tool and arguments."""
        written = "?" if self.arguments is None else content_hash(canonical(self.arguments))
        return self.name, written


def expected_calls(task: Task) -> list[ExpectedCall]:
    data = task.data
    if "expected_tool" in data:
        return [ExpectedCall(str(data["expected_tool"]), _object(data.get("expected_args")))]
    rows: Any = data.get("expected_calls") or data.get("ground_truth") or data.get("completion") or []
    calls = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return [
        ExpectedCall(str(row.get("name") or row.get("tool")), _object(row.get("arguments", row.get("args"))))
        for row in calls
        if row.get("name") or row.get("tool")
    ]


def steps_of(trajectory: Trajectory) -> list[CallRecord]:
    outputs = {item.call_id: item.output for item in trajectory.items if isinstance(item, FunctionCallOutput)}
    marks: dict[int | None, list[tuple[str, str]]] = {}
    for mark in trajectory.marks:
        marks.setdefault(mark.item, []).append((mark.kind, mark.detail))
    return [
        CallRecord(
            item.name,
            _object(item.arguments),
            outputs.get(item.call_id, ""),
            frozenset(kind for kind, _ in marks.get(index, [])),
            "; ".join(detail for kind, detail in marks.get(index, []) if kind != "executed"),
            index,
        )
        for index, item in enumerate(trajectory.items)
        if isinstance(item, FunctionCall)
    ]


def has_tools(trajectory: Trajectory) -> bool:
    return trajectory.tools not in _NO_TOOLS


@functools.lru_cache(maxsize=4096)
def reads(name: str) -> bool:
    """Whether a tool only reads, judging by its name: `docs.search`, `get_order`, `listEvents`."""
    words = re.findall(r"[a-z]+|[A-Z][a-z]*", name.rsplit(".", 1)[-1])
    return bool(words) and words[0].casefold() in _READING


def differences(wanted: ExpectedCall, given: Json | None) -> dict[str, str]:
    """Argument to `wrong`, `missing` or `unknown`. Arguments that agree in meaning are left out."""
    if given is None:
        return {"arguments": "not a JSON object"}
    if wanted.arguments is None:
        return {}
    wrong = {
        name: "missing" if name not in given else "wrong"
        for name, value in wanted.arguments.items()
        if name not in given or canonical(given[name]) != canonical(value)
    }
    return wrong | {name: "unknown" for name in given if name not in wanted.arguments}


def _object(value: Any) -> Json | None:
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value or "{}")
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return None
    return value if isinstance(value, dict) else None
