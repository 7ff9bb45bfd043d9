"""Nemotron: the calls of a reply are one list, `<TOOLCALL>[{"name": ..., "arguments": {...}}, ...]</TOOLCALL>`."""

from collections.abc import Sequence

from verigym.core.records import Item
from verigym.policies.dialects import calls
from verigym.policies.dialects.dialect import Dialect

OPENING, CLOSING = "<TOOLCALL>", "</TOOLCALL>"
_read = calls.between(CLOSING)


def parse(text: str, call_id: str = "call_0") -> list[Item]:
    return calls.to_items(*calls.cut_out(text, OPENING, _read), call_id)


def write(items: Sequence[Item]) -> str:
    said, made = calls.from_items(items)
    listed = f"{OPENING}[{', '.join(map(calls.as_json, made))}]{CLOSING}" if made else ""
    return "\n\n".join(filter(None, [said, listed]))


DIALECT = Dialect("nemotron", OPENING, parse, write)
