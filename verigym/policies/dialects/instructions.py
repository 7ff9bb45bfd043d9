"""System prompts for models with a tool channel: without instructions to write calls in the plain dialect.

An environment cannot know its model, so its system prompt may say how a model without a tool channel writes a call:

    Reply with one JSON object and nothing else: {"tool": name, "args": {...}}

The template of a model with a tool channel asks for another form. Two forms in one prompt contradict each other, and small
models then follow neither. `adapted` removes the plain form and rewrites calls that the prompt shows as examples. Models
without a tool channel get the prompt as it is. Only system prompts are read, never the words of a user or a tool.
"""

import json
import re
from collections.abc import Callable

from verigym.core.records import FunctionCall
from verigym.policies.dialects.markup import json_at
from verigym.policies.dialects.plain import read_call
from verigym.wire.tools import ToolNames

WriteCall = Callable[[FunctionCall], str]

_OPENING = re.compile(r'\{\s*"tool"')
_FORM = r'\{\s*"tool"\s*:[^{}\n]*"args"\s*:\s*(?:\{[^{}\n]*\}|[^{}\n]*)\s*\}'
"""The plain form with words in place of the values: `{"tool": name, "args": {...}}`."""
_CONDITION = re.compile(rf"\s*\bWithout a tool channel\b[^{{}}\n]*{_FORM}\.?")
_DEMAND = re.compile(
    r"\b(a single|exactly one|only one|one|a)\s+(?:valid\s+)?JSON\s+object(\s+and nothing else|\s+only)?"
    rf"\s*(?:of the form|in the form|such as|like|as)?\s*:?\s*{_FORM}"
)
_ANY = re.compile(_FORM)


def adapted(prompt: str, names: ToolNames, write: WriteCall) -> str:
    """The system prompt for a model with a tool channel. `write` writes a call of a tool that the prompt shows as an example,
    with the tool's name on the wire."""
    if not _OPENING.search(prompt):
        return prompt
    shown = _CONDITION.sub("", _with_calls(prompt, names, write))
    shown = _DEMAND.sub(lambda match: f"{match[1]} tool call{match[2] or ''}", shown)
    return _ANY.sub("a tool call", shown).strip()


def in_words(call: FunctionCall) -> str:
    """An example call for a server, whose form of calls is not known."""
    return f"(call {call.name} with {call.arguments})"


def _with_calls(prompt: str, names: ToolNames, write: WriteCall) -> str:
    """The prompt with each call of an offered tool written by `write`."""
    pieces: list[str] = []
    end = 0
    for opening in _OPENING.finditer(prompt):
        written = json_at(prompt, opening.start()) if opening.start() >= end else None
        call = None if written is None else read_call(written)
        if written is None or call is None or not names.offers(call[0]):
            continue
        arguments = json.dumps(call[1], ensure_ascii=False)
        pieces += [prompt[end : opening.start()], write(FunctionCall("", names.wire(call[0]), arguments))]
        end = opening.start() + len(written)
    return "".join([*pieces, prompt[end:]])
