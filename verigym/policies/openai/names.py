"""Tool names as the APIs allow them, and back."""

import re
from collections.abc import Iterable, Sequence
from typing import Self

from verigym.core.records import FunctionCall, Item

_NOT_ALLOWED = re.compile(r"[^a-zA-Z0-9_-]")


class ToolNames:
    """Letters, digits, `_` and `-`, at most 64: `calendar.create_event` is sent as `calendar-create_event`.
    No two names share one; a name that is allowed is sent as it is."""

    def __init__(self, offered: Iterable[str], items: Sequence[Item] = ()) -> None:
        self._offered = list(offered)
        self._wire: dict[str, str] = {}
        self._name: dict[str, str] = {}
        called = [item.name for item in items if isinstance(item, FunctionCall)]
        for name in [*sorted(self._offered, key=lambda name: _allowed(name) != name), *called]:
            if name not in self._wire:
                self._add(name)

    def with_calls(self, items: Sequence[Item]) -> Self:
        """These names, with those that were called without being offered."""
        known = self._wire
        for item in items:
            if isinstance(item, FunctionCall) and item.name not in known:
                return type(self)(self._offered, items)
        return self

    def _add(self, name: str) -> None:
        wire, number = _allowed(name), 1
        while wire in self._name:
            number += 1
            wire = f"{_allowed(name)[: 63 - len(str(number))]}_{number}"
        self._wire[name], self._name[wire] = wire, name

    def wire(self, name: str) -> str:
        return self._wire[name]

    def name(self, wire: str) -> str:
        """A name that was never offered stays as the model wrote it."""
        return self._name.get(wire, wire)


def _allowed(name: str) -> str:
    return _NOT_ALLOWED.sub("-", name)[:64] or "-"
