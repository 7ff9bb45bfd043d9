"""How models write tool calls as text, one small module a dialect, all of the same shape (`Dialect`).

`choose` finds a model's by what its chat template writes. The functions of the plain dialect, which is the default, can be
had from here. A new dialect is a file and a line in `ALL`.
"""

from verigym.core.records import FunctionCall
from verigym.policies.dialects import hermes, llama, mistral, nemotron, plain
from verigym.policies.dialects.dialect import Dialect
from verigym.policies.dialects.plain import describe, parse, read_call, write_call

__all__ = ["ALL", "Dialect", "choose", "describe", "has_markup", "looks_like_call", "parse", "read_call", "write_call"]

ALL = [mistral.NEWER, mistral.DIALECT, nemotron.DIALECT, hermes.DIALECT, llama.DIALECT, plain.DIALECT]
_OPENINGS = (mistral.OPENING, nemotron.OPENING, hermes.OPENING, llama.OPENING)


def choose(written: str) -> Dialect:
    """The dialect of a call that a chat template wrote; plain where it is none that is known."""
    for dialect in ALL:
        if dialect.mark in written and any(isinstance(item, FunctionCall) for item in dialect.parse(written, "")):
            return dialect
    return plain.DIALECT


def has_markup(text: str) -> bool:
    """Whether a message still holds what opens a call: the call behind it was malformed."""
    return any(opening in text for opening in _OPENINGS)


def looks_like_call(text: str) -> bool:
    """Whether a message that is no call seems to be meant as one, in whatever dialect."""
    return text.lstrip()[:1] == "{" or '"tool"' in text or has_markup(text)
