"""A conversation as lines to read: who speaks, and what. Two of them can be compared word by word.

Nothing of ids, verdicts, rewards, agents or times is in a line, so pages on which people judge can show lines.
"""

import difflib
import re
from collections.abc import Sequence

from msgspec import Struct

from verigym.core.records import FunctionCall, FunctionCallOutput, Image, Item, Message

_MOST_WORDS = 1500
"""Words of one text that are compared. A longer text is compared as a whole."""
_WORDS = re.compile(r"\s+|[^\s]+")


class Part(Struct, frozen=True):
    words: str
    differs: bool = False


class Line(Struct, frozen=True, kw_only=True, omit_defaults=True):
    role: str
    """`user`, `assistant`, `call mail.send`, `result`, `reasoning`"""
    kind: str
    """The same in one word: `call` for all calls."""
    text: str
    parts: list[Part] = []
    """The text in parts, if it is compared with another one."""


def lines_of(items: Sequence[Item]) -> list[Line]:
    return [_line(item) for item in items]


def _line(item: Item) -> Line:
    match item:
        case Message():
            images = sum(isinstance(part, Image) for part in item.content) if isinstance(item.content, list) else 0
            seen = f"\n({images} images)" if images > 1 else "\n(an image)" if images else ""
            return Line(role=item.role, kind=item.role, text=(item.text + seen).strip("\n") or "(empty)")
        case FunctionCall():
            return Line(role=f"call {item.name}", kind="call", text=item.arguments)
        case FunctionCallOutput():
            return Line(role="result", kind="result", text=item.output)
        case _:
            text = "\n".join(part.text for part in item.content or item.summary)
            return Line(role="reasoning", kind="reasoning", text=text)


def compared(left: Sequence[Line], right: Sequence[Line]) -> tuple[list[Line], list[Line]]:
    """Both conversations with the words marked that differ. Lines are compared in order."""
    made: tuple[list[Line], list[Line]] = [], []
    for index in range(max(len(left), len(right))):
        one = left[index] if index < len(left) else None
        two = right[index] if index < len(right) else None
        parts = _differences(one.text, two.text) if one and two and one.role == two.role else None
        for side, line, place in ((made[0], one, 0), (made[1], two, 1)):
            if line is not None:
                marked = parts[place] if parts is not None else [Part(line.text, True)]
                side.append(Line(role=line.role, kind=line.kind, text=line.text, parts=marked))
    return made


def _differences(left: str, right: str) -> tuple[list[Part], list[Part]]:
    first, second = _WORDS.findall(left), _WORDS.findall(right)
    if left == right or max(len(first), len(second)) > _MOST_WORDS:
        return [Part(left, left != right)], [Part(right, left != right)]
    sides: tuple[list[Part], list[Part]] = [], []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        for side, words in ((sides[0], first[a:b]), (sides[1], second[c:d])):
            if words:
                side.append(Part("".join(words), kind != "equal"))
    return sides
