"""What a reply may be, as a grammar in the Lark form that llguidance reads: free words, and calls of the offered tools alone.

Each dialect's calls are spelt as it spells them (see dialects). A tag that is one token of the model's is asked for as that
token; otherwise it is text like any other.
"""

import json
from collections.abc import Callable, Sequence

from verigym.core.records import Json, ToolSpec
from verigym.policies.dialects import hermes, llama, mistral, nemotron, plain
from verigym.policies.dialects.dialect import Dialect

_SPACING = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
_ANY = "/(.|\\n)*/"
_NO_BRACE = "/\\s*[^{\\s](.|\\n)*/"

TokenOf = Callable[[str], int | None]
"""A text -> its id when it is a token that was added to the vocabulary."""


def of_tools(dialect: Dialect, tools: Sequence[ToolSpec], token_of: TokenOf, *, must: bool = False) -> str:
    """Of a reply that calls these tools, named as the model is shown them, or (unless it `must`) no tool at all."""
    tag = _Tags(token_of)
    if dialect is plain.DIALECT:
        return f"start: call{_or(must)}\ncall: {_calls(tools, 'tool', 'args')}\n" + _words(must, _NO_BRACE)
    if dialect is llama.DIALECT:
        call = f"call: {_calls(tools, 'name', 'parameters')}\n"
        return f'start: call ("; " call)*{_or(must)}\n{call}' + _words(must, _NO_BRACE)
    call = f"call: {_calls(tools, 'name', 'arguments')}\n"
    before = "" if must else "WORDS | WORDS? "
    if dialect is hermes.DIALECT:
        block = f'block: {tag(hermes.OPENING)} "\\n" call "\\n" {tag(hermes.CLOSING)}\n'
        return f'start: {before}block ("\\n" block)*\n{block}{call}' + _words(must, tag.without(hermes.OPENING))
    if dialect is nemotron.DIALECT:
        block = f'block: {tag(nemotron.OPENING)} "[" call (", " call)* "]" {tag(nemotron.CLOSING)}\n'
        return f"start: {before}block\n{block}{call}" + _words(must, tag.without(nemotron.OPENING))
    if dialect is mistral.DIALECT:
        block = f'block: {tag(mistral.OPENING)} "[" call (", " call)* "]"\n'
        return f"start: {before}block\n{block}{call}" + _words(must, tag.without(mistral.OPENING))
    named = " | ".join(
        f"{tag(mistral.OPENING)} {json.dumps(tool.name)} {tag(mistral.ARGUMENTS)} {_json(_arguments(tool))}"
        for tool in tools
    )
    return f"start: {before}call+\ncall: {named}\n" + _words(must, tag.without(mistral.OPENING))


def _or(must: bool) -> str:
    return "" if must else " | WORDS"


def _words(must: bool, which: str) -> str:
    return "" if must else f"WORDS: {which}\n"


def of_schema(schema: Json) -> str:
    """Of a reply that is one JSON value of a schema."""
    return f"start: {_json(schema)}\n"


class _Tags:
    def __init__(self, token_of: TokenOf) -> None:
        self._token_of = token_of

    def __call__(self, text: str) -> str:
        id = self._token_of(text)
        return json.dumps(text) if id is None else f"<[{id}]>"

    def without(self, text: str) -> str:
        """Any words that do not hold the tag; an added token is no words anyway."""
        if self._token_of(text) is not None:
            return _ANY
        escaped = "".join(f"\\{char}" if char in "[]/|" else char for char in text)
        return f"{_ANY} & ~/(.|\\n)*{escaped}(.|\\n)*/"


def _calls(tools: Sequence[ToolSpec], name: str, arguments: str) -> str:
    choices = [
        {
            "type": "object",
            "properties": {name: {"const": tool.name}, arguments: _arguments(tool)},
            "required": [name, arguments],
            "additionalProperties": False,
        }
        for tool in tools
    ]
    return _json({"anyOf": choices})


def _arguments(tool: ToolSpec) -> Json:
    return {"type": "object", "properties": {}, "additionalProperties": False, **tool.parameters}


def _json(schema: Json) -> str:
    return f"%json {json.dumps({**schema, 'x-guidance': _SPACING})}"
