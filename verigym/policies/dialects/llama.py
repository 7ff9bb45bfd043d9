"""Llama 3: the reply is the call, `{"name": ..., "parameters": {...}}`, or several with `;` between them. Where the model says
something first, `<|python_tag|>` stands before them; else it may."""

from collections.abc import Sequence

from verigym.core.records import Item
from verigym.policies.dialects import calls
from verigym.policies.dialects.dialect import Dialect

OPENING = "<|python_tag|>"


def parse(text: str, call_id: str = "call_0") -> list[Item]:
    found = _read(text, 0)
    return calls.to_items(*(("", found[0]) if found else calls.cut_out(text, OPENING, _read)), call_id)


def _read(text: str, place: int) -> calls.Found | None:
    """Calls from `place` to the end of the text."""
    made: list[calls.ParsedCall] = []
    while (found := calls.calls_at(text, place)) is not None:
        made += found[0]
        place = calls.skip_space(text, found[1])
        if place == len(text):
            return made, place
        if text[place] != ";":
            return None
        place += 1
    return None


def write(items: Sequence[Item]) -> str:
    said, made = calls.from_items(items)
    written = "; ".join(calls.as_json(call, "parameters") for call in made)
    return f"{said}{OPENING}{written}" if said and made else said or written


DIALECT = Dialect("llama", '"parameters"', parse, write)
