"""Mistral: `[TOOL_CALLS][{"name": ..., "arguments": {...}}, ...]`, or the newer `[TOOL_CALLS]name[ARGS]{...}` for each call.

A model of either is read in both; which one is written is its template's choice.
"""

import re
from collections.abc import Sequence

from verigym.core.records import Item
from verigym.policies.dialects import calls
from verigym.policies.dialects.dialect import Dialect

OPENING, ARGUMENTS = "[TOOL_CALLS]", "[ARGS]"
_NAMED = re.compile(r"\s*([^\s\[\]]+)\s*(?:\[CALL_ID\][^\[\]]*)?\[ARGS\]\s*")


def parse(text: str, call_id: str = "call_0") -> list[Item]:
    return calls.to_items(*calls.cut_out(text, OPENING, _read), call_id)


def _read(text: str, place: int) -> calls.Found | None:
    named = _NAMED.match(text, place)
    if named is None:
        return calls.calls_at(text, place)
    written = calls.json_at(text, named.end())
    arguments = None if written is None else calls.arguments_in(written)
    if written is None or arguments is None:
        return None
    return [calls.ParsedCall(named[1], arguments)], named.end() + len(written)


def write(items: Sequence[Item]) -> str:
    said, made = calls.from_items(items)
    return said + (f"{OPENING}[{', '.join(map(calls.as_json, made))}]" if made else "")


def write_newer(items: Sequence[Item]) -> str:
    said, made = calls.from_items(items)
    return said + "".join(f"{OPENING}{call.name}{ARGUMENTS}{call.arguments or '{}'}" for call in made)


DIALECT = Dialect("mistral", OPENING, parse, write)
NEWER = Dialect("mistral with [ARGS]", ARGUMENTS, parse, write_newer)
