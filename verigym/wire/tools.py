"""Tools on the wire: names that the APIs allow, tool specs from JSON, and the ids that join calls with their results."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Self

import msgspec

from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Json, ToolSpec
from verigym.wire.values import as_list, as_object, as_text, parsed, write_json

_NOT_ALLOWED = re.compile(r"[^a-zA-Z0-9_-]")


class ToolNames:
    """Maps tool names to names that the APIs allow, and back.

    Allowed are letters, digits, `_` and `-`, at most 64: `calendar.create_event` is sent as `calendar-create_event`.
    The names on the wire are unique. A name that is allowed is sent unchanged.
    """

    def __init__(self, offered: Iterable[str], items: Sequence[Item] = ()) -> None:
        self._offered = list(offered)
        self._wire: dict[str, str] = {}
        self._name: dict[str, str] = {}
        called = [item.name for item in items if isinstance(item, FunctionCall)]
        for name in [*sorted(self._offered, key=lambda name: _allowed(name) != name), *called]:
            if name not in self._wire:
                self._add(name)

    def with_calls(self, items: Sequence[Item]) -> Self:
        """These names, and those of calls in `items` to tools that were not offered."""
        for item in items:
            if isinstance(item, FunctionCall) and item.name not in self._wire:
                return type(self)(self._offered, items)
        return self

    def _add(self, name: str) -> None:
        wire, number = _allowed(name), 1
        while wire in self._name:
            number += 1
            wire = f"{_allowed(name)[: 63 - len(str(number))]}_{number}"
        self._wire[name], self._name[wire] = wire, name

    def offers(self, name: str) -> bool:
        """Whether a tool with this name, its own or the one on the wire, was offered."""
        return self.name(name) in self._offered

    def wire(self, name: str) -> str:
        return self._wire[name]

    def name(self, wire: str) -> str:
        """The tool's own name. A name that was never offered stays as the model wrote it."""
        return self._name.get(wire, wire)


def _allowed(name: str) -> str:
    return _NOT_ALLOWED.sub("-", name)[:64] or "-"


def tool_spec(name: str, description: str | None, parameters: Json | None) -> ToolSpec:
    return ToolSpec(name=name, description=description or "", parameters=parameters or {})


def read_tools(value: Any, namespace: str = "") -> list[ToolSpec]:
    """Tools as the APIs, ATIF and OpenTelemetry write them. Skips tools without a name."""
    specs: list[ToolSpec] = []
    for element in as_list(parsed(value)):
        tool = as_object(parsed(element))
        tool = as_object(tool.get("function")) or tool
        name, kind = tool.get("name"), tool.get("type")
        if not isinstance(name, str) or not name:
            continue
        if kind == "namespace":
            specs += read_tools(tool.get("tools"), qualified(namespace, name))
            continue
        schema = next((tool[key] for key in ("parameters", "input_schema", "inputSchema") if tool.get(key)), None)
        if kind == "custom" and schema is None:
            schema = CUSTOM_PARAMETERS
        specs.append(tool_spec(qualified(namespace, name), as_text(tool.get("description")), as_object(parsed(schema))))
    return specs


CUSTOM_PARAMETERS: Json = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
"""The schema of a custom tool, which takes free text: one text."""


def qualified(namespace: str, name: str) -> str:
    """The name of a tool in a namespace."""
    return f"{namespace}.{name}" if namespace else name


def custom_arguments(input: str) -> str:
    """The free text of a custom tool's call, as arguments of a function."""
    return write_json({"input": input}).decode()


def custom_input(arguments: str) -> str:
    """The free text in the arguments of a call. Arguments that a model wrote without it are the text."""
    try:
        fields = msgspec.json.decode(arguments)
    except (ValueError, RecursionError):
        return arguments
    text = fields.get("input") if isinstance(fields, dict) else None
    return text if isinstance(text, str) else arguments


def new_call_id(items: Sequence[Item]) -> str:
    """An id for a call that has none: the first of `call_0`, `call_1`, ... that is free in these items."""
    taken = {item.call_id for item in items if isinstance(item, FunctionCall)}
    number = len(taken)
    while f"call_{number}" in taken:
        number += 1
    return f"call_{number}"


def open_call_id(items: Sequence[Item], name: Any) -> str | None:
    """The id of the oldest call without a result, preferably of the tool with this name."""
    done = {item.call_id for item in items if isinstance(item, FunctionCallOutput)}
    waiting = [item for item in items if isinstance(item, FunctionCall) and item.call_id not in done]
    calls = [call for call in waiting if call.name == name] or waiting
    return calls[0].call_id if calls else None
