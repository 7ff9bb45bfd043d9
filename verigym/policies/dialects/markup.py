"""The dialects with markup: each call is JSON, `{"name": ..., "arguments": {...}}`, behind a tag.

    hermes (and Qwen)    <tool_call>{...}</tool_call> for each call, after the text if there is any
    nemotron             <TOOLCALL>[{...}, ...]</TOOLCALL>, one list for all calls
    mistral              [TOOL_CALLS][{...}, ...], or the newer [TOOL_CALLS]name[ARGS]{...} for each call
    gpt-oss              <|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{...}<|call|>, arguments only
    llama 3              {"name": ..., "parameters": {...}} is the whole reply, with `;` between calls. After text, and
                         optionally without it, <|python_tag|> comes first

The text outside the markup is the message. It is left out if it is empty and there is a call. A call keeps its arguments as
they were written. A malformed call stays in the message with its markup, so nothing is lost. Both forms of Mistral are read
for either model. The chat template decides which one is written. `bare_calls` reads calls that a model wrote without its tags.
"""

import functools
import json
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec
from msgspec import Struct

from verigym.core import codec
from verigym.core.records import FunctionCall, Item, Message, Reasoning
from verigym.policies.dialects import harmony
from verigym.policies.dialects.plain import Dialect, is_text_of
from verigym.wire.items import message_text
from verigym.wire.tools import ToolNames


class ParsedCall(NamedTuple):
    name: str
    arguments: str
    """A JSON object."""


CallsAt = tuple[list[ParsedCall], int]
"""Calls, and the index in the text at which they end."""
Read = Callable[[str, int], CallsAt | None]
"""Reads the calls that begin at an index of a text. None if they are malformed."""


class _CallJson(Struct):
    name: str
    arguments: msgspec.Raw = msgspec.Raw()
    parameters: msgspec.Raw = msgspec.Raw()


_one = msgspec.json.Decoder(_CallJson)
_many = msgspec.json.Decoder(list[msgspec.Raw])
_scanner = json.JSONDecoder()
_SPACE = re.compile(r"\s*")


_FENCE = re.compile(r"```[a-zA-Z_]*\n?((?:(?!```).)*)```", re.DOTALL)


def skip_space(text: str, index: int) -> int:
    space = _SPACE.match(text, index)
    assert space is not None
    return space.end()


def json_at(text: str, index: int) -> str | None:
    """The JSON value that begins at `index`, as written."""
    try:
        return text[index : _scanner.raw_decode(text, index)[1]]
    except (ValueError, RecursionError):
        return None


def arguments_in(text: str) -> str | None:
    """The arguments object: the text itself, or the content of the text if that is a JSON string with an object inside."""
    try:
        value = codec.read_json(text)
        if isinstance(value, str):
            text, value = value, codec.read_json(value)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
    return text if isinstance(value, dict) else None


def calls_at(text: str, index: int) -> CallsAt | None:
    """The call, or list of calls, that begins at `index`. None if any of it is malformed."""
    index = skip_space(text, index)
    written = json_at(text, index)
    if written is None:
        return None
    try:
        each = [bytes(raw).decode() for raw in _many.decode(written)] if written[0] == "[" else [written]
    except (msgspec.DecodeError, UnicodeEncodeError):
        return None
    calls = [_call(one) for one in each]
    whole = [call for call in calls if call is not None]
    return (whole, index + len(written)) if whole and len(whole) == len(calls) else None


def bare_calls(text: str, names: ToolNames) -> list[ParsedCall]:
    """The calls of a reply that is JSON without the dialect's tags: one object, or one list of objects, alone or in one code
    fence. Qwen2.5-Coder writes such calls. It is no call if there is any other text, or if a name is not that of an offered
    tool, because then the JSON could be an answer."""
    whole = text.strip()
    fenced = _FENCE.fullmatch(whole)
    written = whole if fenced is None else fenced[1].strip()
    if written[:1] not in ("{", "["):
        return []
    calls = calls_at(written, 0)
    if calls is None or calls[1] != len(written) or not all(names.offers(call.name) for call in calls[0]):
        return []
    return calls[0]


def write_bare(reply: Sequence[Item], names: ToolNames) -> str:
    """The calls of a reply as `bare_calls` reads them. Empty if the reply is not made of calls to offered tools alone."""
    said, calls = from_items(reply)
    if not calls or said.strip() or any(isinstance(item, Reasoning) for item in reply):
        return ""
    written = [
        f'{{"name": {json.dumps(names.wire(call.name))}, "arguments": {_spaced(call.arguments)}}}' for call in calls
    ]
    text = written[0] if len(written) == 1 else f"[{', '.join(written)}]"
    return text if len(bare_calls(text, names)) == len(calls) else ""


def _spaced(arguments: str) -> str:
    """JSON as chat templates write it."""
    try:
        return json.dumps(codec.read_json(arguments), ensure_ascii=False)
    except ValueError:
        return arguments


def _call(written: str) -> ParsedCall | None:
    try:
        call = _one.decode(written)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
    arguments = arguments_in(bytes(call.arguments or call.parameters).decode())
    return None if arguments is None else ParsedCall(call.name, arguments)


def _read_until(closing: str, text: str, index: int) -> CallsAt | None:
    """Reads calls that `closing` must follow."""
    calls = calls_at(text, index)
    if calls is None:
        return None
    end = skip_space(text, calls[1])
    return (calls[0], end + len(closing)) if text.startswith(closing, end) else None


def cut_out(text: str, opening: str, read: Read) -> tuple[str, list[ParsedCall]]:
    """The text without the calls that `read` finds behind an `opening`, and the calls."""
    kept: list[str] = []
    calls: list[ParsedCall] = []
    index = 0
    while (start := text.find(opening, index)) >= 0:
        behind = start + len(opening)
        read_calls = read(text, behind)
        kept.append(text[index : behind if read_calls is None else start])
        index = behind if read_calls is None else read_calls[1]
        calls += [] if read_calls is None else read_calls[0]
    return "".join([*kept, text[index:]]), calls


def to_items(text: str, calls: list[ParsedCall], call_id: str) -> list[Item]:
    """The message and the calls of a reply. If the id of the first call is `call_0`, the second is `call_0_1`."""
    said = text.strip() if calls else text
    items: list[Item] = [Message("assistant", said)] if said or not calls else []
    ids = [f"{call_id}_{index}" if index else call_id for index in range(len(calls))]
    return items + [FunctionCall(id, call.name, call.arguments) for id, call in zip(ids, calls, strict=True)]


def from_items(items: Sequence[Item]) -> tuple[str, list[FunctionCall]]:
    """The text of a reply and its calls. A message that only writes its call in the plain dialect is not part of the text."""
    said: list[str] = []
    for item, behind in zip(items, [*items[1:], None], strict=False):
        if isinstance(item, Message) and not (isinstance(behind, FunctionCall) and is_text_of(item, behind)):
            said.append(message_text(item))
    return "\n".join(said), [item for item in items if isinstance(item, FunctionCall)]


def as_json(call: FunctionCall, key: str = "arguments") -> str:
    return f'{{"name": {json.dumps(call.name, ensure_ascii=False)}, "{key}": {call.arguments or "{}"}}}'


def _parser(opening: str, read: Read) -> Callable[[str, str], list[Item]]:
    return lambda text, call_id: to_items(*cut_out(text, opening, read), call_id)


def _listed(calls: list[FunctionCall]) -> str:
    return f"[{', '.join(map(as_json, calls))}]"


def _write_hermes(items: Sequence[Item]) -> str:
    said, calls = from_items(items)
    return "\n".join([*filter(None, [said]), *(f"<tool_call>\n{as_json(call)}\n</tool_call>" for call in calls)])


def _write_nemotron(items: Sequence[Item]) -> str:
    said, calls = from_items(items)
    return "\n\n".join(filter(None, [said, f"<TOOLCALL>{_listed(calls)}</TOOLCALL>" if calls else ""]))


_NAMED = re.compile(r"\s*([^\s\[\]]+)\s*(?:\[CALL_ID\][^\[\]]*)?\[ARGS\]\s*")


def _read_mistral(text: str, index: int) -> CallsAt | None:
    named = _NAMED.match(text, index)
    if named is None:
        return calls_at(text, index)
    written = json_at(text, named.end())
    arguments = None if written is None else arguments_in(written)
    if written is None or arguments is None:
        return None
    return [ParsedCall(named[1], arguments)], named.end() + len(written)


def _write_mistral(items: Sequence[Item]) -> str:
    said, calls = from_items(items)
    return said + (f"[TOOL_CALLS]{_listed(calls)}" if calls else "")


def _write_newer_mistral(items: Sequence[Item]) -> str:
    said, calls = from_items(items)
    return said + "".join(f"[TOOL_CALLS]{call.name}[ARGS]{call.arguments or '{}'}" for call in calls)


def _parse_llama(text: str, call_id: str) -> list[Item]:
    whole = _read_llama(text, 0)
    return to_items(*(("", whole[0]) if whole else cut_out(text, _PYTHON_TAG, _read_llama)), call_id)


def _read_llama(text: str, index: int) -> CallsAt | None:
    """Calls from `index` to the end of the text."""
    calls: list[ParsedCall] = []
    while (more := calls_at(text, index)) is not None:
        calls += more[0]
        index = skip_space(text, more[1])
        if index == len(text):
            return calls, index
        if text[index] != ";":
            return None
        index += 1
    return None


def _write_llama(items: Sequence[Item]) -> str:
    said, calls = from_items(items)
    written = "; ".join(as_json(call, "parameters") for call in calls)
    return f"{said}{_PYTHON_TAG}{written}" if said and calls else said or written


_NAMED_BY_HEADER = re.compile(r"([^\s<]+)[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>\s*")


def _read_harmony(text: str, index: int) -> CallsAt | None:
    header = _NAMED_BY_HEADER.match(text, index)
    written = None if header is None else json_at(text, header.end())
    arguments = None if written is None else arguments_in(written)
    if header is None or written is None or arguments is None:
        return None
    end = skip_space(text, header.end() + len(written))
    return [ParsedCall(header[1], arguments)], end + len(harmony.CALL_END) * text.startswith(harmony.CALL_END, end)


def _parse_harmony(text: str, call_id: str) -> list[Item]:
    return to_items(*cut_out(harmony.split(text)[1], harmony.CALL, _read_harmony), call_id)


def _write_harmony(items: Sequence[Item]) -> str:
    said, calls = from_items(items)
    written = [f"{harmony.CALL}{call.name} <|constrain|>json<|message|>{call.arguments or '{}'}" for call in calls]
    answer = [f"<|channel|>final<|message|>{said}"] if said or not calls else []
    return "<|end|><|start|>assistant".join([*answer, *written])


_PYTHON_TAG = "<|python_tag|>"
_read_hermes, _read_nemotron = (functools.partial(_read_until, tag) for tag in ("</tool_call>", "</TOOLCALL>"))
HERMES = Dialect("hermes", "<tool_call>", _parser("<tool_call>", _read_hermes), _write_hermes)
NEMOTRON = Dialect("nemotron", "<TOOLCALL>", _parser("<TOOLCALL>", _read_nemotron), _write_nemotron)
MISTRAL = Dialect("mistral", "[TOOL_CALLS]", _parser("[TOOL_CALLS]", _read_mistral), _write_mistral)
NEWER_MISTRAL = Dialect("mistral with [ARGS]", "[ARGS]", MISTRAL.parse, _write_newer_mistral)
HARMONY = Dialect("harmony", "to=functions.", _parse_harmony, _write_harmony)
LLAMA = Dialect("llama", '"parameters"', _parse_llama, _write_llama)
OPENINGS = (HERMES.mark, NEMOTRON.mark, MISTRAL.mark, _PYTHON_TAG, HARMONY.mark)
