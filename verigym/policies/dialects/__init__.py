"""How models write tool calls as text: `plain` for models without a tool channel, `markup` for the others.

`choose` finds the dialect of a model from what its chat template writes. The functions of the plain dialect, which is the
default, can be imported from here. A new dialect is a `Dialect` and an entry in `ALL`.
"""

from verigym.core.records import FunctionCall
from verigym.policies.dialects import function_xml, markup, plain
from verigym.policies.dialects.plain import Dialect, describe, parse, read_call, write_call

__all__ = ["ALL", "Dialect", "choose", "describe", "has_markup", "looks_like_call", "parse", "read_call", "write_call"]

ALL = [
    markup.NEWER_MISTRAL,
    markup.MISTRAL,
    markup.NEMOTRON,
    markup.HERMES,
    function_xml.DIALECT,
    markup.HARMONY,
    markup.LLAMA,
    plain.DIALECT,
]


def choose(written: str) -> Dialect:
    """The dialect of a call that a chat template wrote. Plain if it is in no known dialect."""
    for dialect in ALL:
        if dialect.mark in written and any(isinstance(item, FunctionCall) for item in dialect.parse(written, "")):
            return dialect
    return plain.DIALECT


def has_markup(text: str) -> bool:
    """Whether a message contains the tag that opens a call. Then the call behind it was malformed."""
    return any(opening in text for opening in markup.OPENINGS)


def looks_like_call(text: str) -> bool:
    """Whether a message that is not a call was probably meant as one, in any dialect."""
    return text.lstrip()[:1] == "{" or '"tool"' in text or has_markup(text)
