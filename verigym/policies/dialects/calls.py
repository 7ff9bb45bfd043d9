"""Calls written as JSON, `{"name": ..., "arguments": {...}}`: what the dialects with markup have in common.

The text outside the markup is the message, left out when it is empty and there is a call. A call keeps its arguments exactly as
they were written. What is not a well-formed call stays in the message, markup and all: nothing is lost.
"""

import json
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec
from msgspec import Struct

from verigym.core import codec
from verigym.core.records import FunctionCall, Item, Message
from verigym.policies.dialects.plain import is_text_of
from verigym.wire.items import message_text


class ParsedCall(NamedTuple):
    name: str
    arguments: str
    """A JSON object."""


Found = tuple[list[ParsedCall], int]
"""Calls, and where in the text they end."""


class _CallJson(Struct):
    name: str
    arguments: msgspec.Raw = msgspec.Raw()
    parameters: msgspec.Raw = msgspec.Raw()


_one = msgspec.json.Decoder(_CallJson)
_many = msgspec.json.Decoder(list[msgspec.Raw])
_scanner = json.JSONDecoder()
_SPACE = re.compile(r"\s*")


def skip_space(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    assert found is not None
    return found.end()


def json_at(text: str, place: int) -> str | None:
    """The JSON value that begins at `place`, as written."""
    try:
        return text[place : _scanner.raw_decode(text, place)[1]]
    except (ValueError, RecursionError):
        return None


def arguments_in(text: str) -> str | None:
    """The arguments object: the text itself, or what is in it when it is a JSON string with an object inside."""
    try:
        value = codec.read_json(text)
        if isinstance(value, str):
            text, value = value, codec.read_json(value)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
    return text if isinstance(value, dict) else None


def calls_at(text: str, place: int) -> Found | None:
    """The call, or list of calls, that begins at `place`; none when any of it is malformed."""
    place = skip_space(text, place)
    written = json_at(text, place)
    if written is None:
        return None
    try:
        each = [bytes(raw).decode() for raw in _many.decode(written)] if written[0] == "[" else [written]
    except (msgspec.DecodeError, UnicodeEncodeError):
        return None
    calls = [_call(one) for one in each]
    whole = [call for call in calls if call is not None]
    return (whole, place + len(written)) if whole and len(whole) == len(calls) else None


def _call(written: str) -> ParsedCall | None:
    try:
        found = _one.decode(written)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
    arguments = arguments_in(bytes(found.arguments or found.parameters).decode())
    return None if arguments is None else ParsedCall(found.name, arguments)


def between(closing: str) -> Callable[[str, int], Found | None]:
    """Reads calls that `closing` must follow."""

    def read(text: str, place: int) -> Found | None:
        found = calls_at(text, place)
        if found is None:
            return None
        end = skip_space(text, found[1])
        return (found[0], end + len(closing)) if text.startswith(closing, end) else None

    return read


def cut_out(text: str, opening: str, read: Callable[[str, int], Found | None]) -> tuple[str, list[ParsedCall]]:
    """The text without the calls that `read` finds behind an `opening`, and the calls."""
    kept: list[str] = []
    calls: list[ParsedCall] = []
    place = 0
    while (start := text.find(opening, place)) >= 0:
        behind = start + len(opening)
        found = read(text, behind)
        kept.append(text[place : behind if found is None else start])
        place = behind if found is None else found[1]
        calls += [] if found is None else found[0]
    return "".join([*kept, text[place:]]), calls


def to_items(text: str, calls: list[ParsedCall], call_id: str) -> list[Item]:
    """The message and the calls of a reply; the second call is `call_0_1` where the first is `call_0`."""
    said = text.strip() if calls else text
    items: list[Item] = [Message("assistant", said)] if said or not calls else []
    ids = [f"{call_id}_{place}" if place else call_id for place in range(len(calls))]
    return items + [FunctionCall(id, call.name, call.arguments) for id, call in zip(ids, calls, strict=True)]


def from_items(items: Sequence[Item]) -> tuple[str, list[FunctionCall]]:
    """The words of a reply and its calls. A message that only writes its call in the plain dialect is no words."""
    said: list[str] = []
    for item, behind in zip(items, [*items[1:], None], strict=False):
        if isinstance(item, Message) and not (isinstance(behind, FunctionCall) and is_text_of(item, behind)):
            said.append(message_text(item))
    return "\n".join(said), [item for item in items if isinstance(item, FunctionCall)]


def as_json(call: FunctionCall, key: str = "arguments") -> str:
    return f'{{"name": {json.dumps(call.name, ensure_ascii=False)}, "{key}": {call.arguments or "{}"}}}'
