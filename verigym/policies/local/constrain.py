"""Constrained decoding: determines which tokens may come next, so that a reply follows its grammar.

A grammar is in the Lark format of llguidance: one JSON value of a schema, or free text and calls of the offered tools in the
model's dialect. A tag that is one token of the model is required as that token. Otherwise it is ordinary text. A model that
never learnt its tags calls without them. `copy:name,file` is like `tools`, and the arguments with these names are copied from
what the model read.
"""

import functools
import json
import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

import llguidance
import llguidance.hf
import llguidance.numpy
import msgspec
import numpy as np
import torch
from torch import Tensor

from verigym.core import codec
from verigym.core.errors import BadInput
from verigym.core.records import FunctionCallOutput, Item, Json, Message, ToolSpec
from verigym.policies.dialects import Dialect, function_xml, markup, plain
from verigym.policies.render import Renderer

_SPACING = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
_ANY = "/(.|\\n)*/"
_NO_BRACE = "/\\s*[^{\\s](.|\\n)*/"
_NO_CALL = "/\\s*[^{\\[`\\s](.|\\n)*/"
"""Text that cannot be a call without tags: it begins neither with JSON nor with a code fence."""

COPY = "copy:"
_COPIED = "copied"
_PIECE = re.compile(r"\w+|[^\w\s]")
_MAX_PIECES = 16
"""Maximum words and punctuation marks of a copied argument."""
_MAX_READ = 2000
"""Maximum words and punctuation marks that arguments are copied from. Compiling so many takes a quarter of a second."""

TokenOf = Callable[[str], int | None]
"""Returns the id of a text that is an added token of the vocabulary, otherwise None."""


class Constraints:
    """The constraints of one model. Each is compiled once. Every reply gets its own matcher."""

    def __init__(self, render: Renderer, vocabulary: int) -> None:
        self._render = render
        tokenizer = render.tokenizer
        self._tokenizer = llguidance.hf.from_tokenizer(tokenizer, vocabulary, sorted(render.stop_ids))
        self._added = {str(token): id for id, token in tokenizer.added_tokens_decoder.items()}
        self._compiled = functools.lru_cache(maxsize=64)(self._compile)

    def matcher(self, constrain: str, tools: list[ToolSpec], items: Sequence[Item] = ()) -> "Matcher | None":
        """The matcher of a reply under `Sampling.constrain`. None without a constraint. `call` is like `tools`, but the reply
        must be a call. It is for single requests, not for a version. `items` are what the model read."""
        if constrain in ("tools", "call") or constrain.startswith(COPY):
            if not tools:
                return None
            names = self._render.template.offer(tools).names
            shown = [msgspec.structs.replace(tool, name=self._render.shown_name(tool.name, names)) for tool in tools]
            copied = spans(text_read(items)) if constrain.startswith(COPY) else None
            if copied is not None:
                shown = copying(shown, constrain.removeprefix(COPY).split(","))
            must, tags = constrain == "call", self._render.can_write_tags
            called = {*(tool.name for tool in tools), *(tool.name for tool in shown)}
            grammar = tools_grammar(
                self._render.dialect, shown, self._added.get, must=must, copied=copied, tags=tags, called=called
            )
        else:
            grammar = f"start: {_json(read_schema(constrain))}\n"
        return Matcher(self._compiled(grammar).deep_copy())

    def _compile(self, grammar: str) -> llguidance.LLMatcher:
        matcher = llguidance.LLMatcher(self._tokenizer, llguidance.LLMatcher.grammar_from_lark(grammar), log_level=0)
        if matcher.is_error():
            raise BadInput(f"The constraint cannot be compiled: {matcher.get_error()}. Change the JSON schema")
        return matcher


class Matcher:
    """The position of a reply in its grammar."""

    def __init__(self, inner: llguidance.LLMatcher) -> None:
        self._inner = inner

    def allowed(self, vocabulary: int) -> Tensor:
        """Which tokens may come next, as (V,) bools."""
        bits = llguidance.numpy.allocate_token_bitmask(1, vocabulary)
        llguidance.numpy.fill_next_token_bitmask(self._inner, bits)
        return torch.from_numpy(np.unpackbits(bits.view(np.uint8)[0], bitorder="little")[:vocabulary].astype(bool))

    def took(self, id: int) -> None:
        self._inner.consume_token(id)


def read_schema(text: str) -> dict[str, Any]:
    try:
        schema = codec.read_json(text)
    except ValueError:
        schema = None
    if not isinstance(schema, dict):
        raise BadInput(f'The constraint is neither "tools" nor a JSON schema: {text[:80]}')
    return schema


def text_read(items: Sequence[Item]) -> str:
    """What users and tools said. Instructions and the model's own words are not copied from."""
    texts: list[str] = []
    for item in items:
        match item:
            case Message(role="user"):
                texts.append(item.text)
            case FunctionCallOutput():
                texts.append(item.output)
            case _:
                pass
    return "\n".join(texts)


def spans(text: str) -> list[str]:
    """Every part of the text that begins and ends at a word or a punctuation mark, up to a maximum length, once. A text that is
    too long is refused, because a reply would wait for seconds and the compiler refuses it as well."""
    pieces = [*_PIECE.finditer(text)]
    if len(pieces) > _MAX_READ:
        raise BadInput(
            f"Arguments can be copied from at most {_MAX_READ:,} words and punctuation marks, and the model read "
            f"{len(pieces):,}. Use the constraint tools instead of copy, or let the tools return less"
        )
    parts = (
        text[first.start() : last.end()]
        for index, first in enumerate(pieces)
        for last in pieces[index : index + _MAX_PIECES]
    )
    return [*dict.fromkeys(parts)] or [""]


def copying(tools: Sequence[ToolSpec], names: Sequence[str]) -> list[ToolSpec]:
    """The tools with arguments of these names, texts and lists of texts, that must be copied."""
    changed: list[ToolSpec] = []
    found = False
    for tool in tools:
        properties: Json = dict(tool.parameters.get("properties", {}))
        for name in [name for name in names if name in properties]:
            match properties[name]:
                case {"type": "string"} as schema if "enum" not in schema:
                    properties[name] = {"$ref": f"#/$defs/{_COPIED}"}
                case {"type": "array", "items": {"type": "string"} as each, **rest} if "enum" not in each:
                    properties[name] = {**rest, "type": "array", "items": {"$ref": f"#/$defs/{_COPIED}"}}
                case _:
                    continue
            found = True
        changed.append(msgspec.structs.replace(tool, parameters={**tool.parameters, "properties": properties}))
    if not found:
        raise BadInput(
            f"The constraint {COPY}{','.join(names)} names no text argument of the offered tools. Name an argument of theirs"
        )
    return changed


def tools_grammar(
    dialect: Dialect,
    tools: Sequence[ToolSpec],
    token_of: TokenOf,
    *,
    must: bool = False,
    copied: Sequence[str] | None = None,
    tags: bool = True,
    called: Collection[str] = (),
) -> str:
    """The grammar of a reply that calls these tools, under the names that the model is shown. Unless it `must` call one, the
    reply may also be text. `copied` are the texts that arguments may be (`copying`). Without `tags`, a call has none. `called`
    are names of tools by which a call without tags is read, so text cannot be such a call."""
    json_of = functools.partial(_json, copied=copied)
    if dialect in (markup.HARMONY, function_xml.DIALECT):
        raise BadInput(
            f"Tool calls in the dialect {dialect.name} cannot be constrained. Remove the constraint tools from this model"
        )
    tag = functools.partial(_tag, token_of=token_of)
    if dialect is plain.DIALECT:
        return f"start: call{_or(must)}\ncall: {json_of(_calls(tools, 'tool', 'args'))}\n" + _words(must, _NO_BRACE)
    if dialect is markup.LLAMA:
        call = f"call: {json_of(_calls(tools, 'name', 'parameters'))}\n"
        return f'start: call ("; " call)*{_or(must)}\n{call}' + _words(must, _NO_BRACE + _no_bare(called))
    if not tags:
        call = f"call: {json_of(_calls(tools, 'name', 'arguments'))}\n"
        return f'start: call | "[" call (", " call)* "]"{_or(must)}\n{call}' + _words(must, _NO_CALL)
    first = markup.MISTRAL.mark if dialect is markup.NEWER_MISTRAL else dialect.mark
    opening, words = tag(first), _words(must, _without_tag(first, token_of) + _no_bare(called))
    before = "" if must else "WORDS | WORDS? "
    if dialect is markup.NEWER_MISTRAL:
        arguments = tag(dialect.mark)
        named = " | ".join(
            f"{opening} {json.dumps(tool.name)} {arguments} {json_of(_arguments(tool))}" for tool in tools
        )
        return f"start: {before}call+\ncall: {named}\n" + words
    call = f"call: {json_of(_calls(tools, 'name', 'arguments'))}\n"
    if dialect is markup.HERMES:
        block = f'block: {opening} "\\n" call "\\n" {tag("</tool_call>")}\n'
        return f'start: {before}block ("\\n" block)*\n{block}{call}' + words
    closing = f" {tag('</TOOLCALL>')}" if dialect is markup.NEMOTRON else ""
    block = f'block: {opening} "[" call (", " call)* "]"{closing}\n'
    return f"start: {before}block\n{block}{call}" + words


def _or(must: bool) -> str:
    return "" if must else " | WORDS"


def _words(must: bool, which: str) -> str:
    return "" if must else f"WORDS: {which}\n"


def _tag(text: str, token_of: TokenOf) -> str:
    id = token_of(text)
    return json.dumps(text) if id is None else f"<[{id}]>"


def _no_bare(called: Collection[str]) -> str:
    """And no JSON, alone or in a code fence, that would be read as a call of these tools (`markup.bare_calls`), or as one in the
    plain dialect."""
    names = "|".join(re.sub(r"[^\w-]", lambda char: f"\\{char[0]}", name) for name in sorted(called))
    named = f'"name"\\s*:\\s*"({names})"|' if names else ""
    return f' & ~/\\s*(```\\w*\\s*)?\\[?\\s*\\{{(.|\\n)*({named}"tool"\\s*:)(.|\\n)*/'


def _without_tag(text: str, token_of: TokenOf) -> str:
    """Any text without the tag. If the tag is an added token, text cannot contain it."""
    if token_of(text) is not None:
        return _ANY
    escaped = "".join(f"\\{char}" if char in "[]/|" else char for char in text)
    return f"{_ANY} & ~/(.|\\n)*{escaped}(.|\\n)*/"


def _calls(tools: Sequence[ToolSpec], name: str, arguments: str) -> Json:
    choices = [
        {
            "type": "object",
            "properties": {name: {"const": tool.name}, arguments: _arguments(tool)},
            "required": [name, arguments],
            "additionalProperties": False,
        }
        for tool in tools
    ]
    return {"anyOf": choices}


def _arguments(tool: ToolSpec) -> Json:
    return {"type": "object", "properties": {}, "additionalProperties": False, **tool.parameters}


def _json(schema: Json, copied: Sequence[str] | None = None) -> str:
    texts = {} if copied is None else {"$defs": {_COPIED: {"enum": copied}}}
    return f"%json {json.dumps({**schema, **texts, 'x-guidance': _SPACING})}"
