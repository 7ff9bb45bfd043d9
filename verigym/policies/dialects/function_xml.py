"""The dialect of Qwen3-Coder, Qwen 3.5 and Nemotron 3: each argument has a tag of its own.

    <tool_call>
    <function=NAME>
    <parameter=city>
    Rome
    </parameter>
    </function>
    </tool_call>

A value is text as it is, or JSON. The tag does not say which, so the schema of the tool decides (`parse_typed`). Without one,
a value that is JSON and not a text is read as JSON.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from verigym.core import codec
from verigym.core.records import FunctionCall, Item, Json
from verigym.policies.dialects.markup import CallsAt, ParsedCall, cut_out, from_items, to_items
from verigym.policies.dialects.plain import Dialect, arguments_of

_OPENING = "<tool_call>"
_CALL = re.compile(r"\s*<function=([^>\s]+)>(.*?)</function>\s*</tool_call>", re.DOTALL)
_PARAMETER = re.compile(r"\s*<parameter=([^>\s]+)>\n?(.*?)\n?</parameter>", re.DOTALL)

Schemas = Mapping[str, Json]
"""JSON schemas of the arguments, by the name of the tool on the wire."""


def parse(text: str, call_id: str) -> list[Item]:
    return parse_typed(text, call_id, {})


def parse_typed(text: str, call_id: str, schemas: Schemas) -> list[Item]:
    """The items of a reply. Arguments have the types that the schemas ask for."""
    return to_items(*cut_out(text, _OPENING, lambda text, index: _read(text, index, schemas)), call_id)


def _read(text: str, index: int, schemas: Schemas) -> CallsAt | None:
    call = _CALL.match(text, index)
    if call is None:
        return None
    known = schemas.get(call[1], {}).get("properties", {})
    arguments: Json = {}
    end = 0
    while (parameter := _PARAMETER.match(call[2], end)) is not None:
        arguments[parameter[1]] = _value(parameter[2], known.get(parameter[1], {}))
        end = parameter.end()
    if call[2][end:].strip():
        return None
    return [ParsedCall(call[1], json.dumps(arguments, ensure_ascii=False))], call.end()


def _value(text: str, schema: Any) -> Any:
    if isinstance(schema, dict) and schema.get("type") == "string":
        return text
    try:
        value = codec.read_json(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return text
    return text if isinstance(value, str) else value


def write(items: Sequence[Item]) -> str:
    said, calls = from_items(items)
    return "\n".join([*filter(None, [said]), *map(_written, calls)])


def _written(call: FunctionCall) -> str:
    lines = [f"{_OPENING}\n<function={call.name}>"]
    for name, value in (arguments_of(call) or {}).items():
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        lines.append(f"<parameter={name}>\n{shown}\n</parameter>")
    return "\n".join([*lines, "</function>\n</tool_call>"])


DIALECT = Dialect("function xml", "<function=", parse, write)
