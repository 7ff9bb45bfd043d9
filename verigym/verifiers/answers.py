"""Extracts the answer from a longer reply.

    whole     the whole reply
    boxed     the last `\\boxed{...}`
    tag       the last `<answer>...</answer>`
    marker    the text after the last "Answer:" or "answer is" on its line, or after "####" on the last line
    auto      whichever of boxed, tag and marker starts last, or the whole reply if there is none

If a reply marks several answers, the last one counts. Every search is linear in the reply's length.
"""

import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import msgspec

from verigym.core import codec

Where = Literal["auto", "whole", "boxed", "tag", "marker"]


class ExtractedAnswer(NamedTuple):
    text: str
    marked: bool
    """Whether the reply marks this as its answer. Otherwise it is the whole reply."""


def find_answer(reply: str, where: Where = "auto") -> ExtractedAnswer | None:
    """None if `where` names a mark that the reply does not have."""
    if where == "whole":
        return ExtractedAnswer(reply.strip(), False)
    finders = {"boxed": _boxed, "tag": _tagged, "marker": _after_marker}
    chosen = finders.values() if where == "auto" else [finders[where]]
    marked = [answer for finder in chosen if (answer := finder(reply))]
    if marked:
        return ExtractedAnswer(max(marked)[1].strip().strip("*`").strip(), True)
    return ExtractedAnswer(reply.strip(), False) if where == "auto" else None


_BRACES = re.compile(r"\\boxed\s*\{|\\.|[{}]", re.DOTALL)
_TAG = re.compile(r"<(/?)answer>", re.IGNORECASE)
_MARKER = re.compile(r"\banswer[*_]*\s*(?:is\b\s*:?|:)[*_]*\s*", re.IGNORECASE)


def _boxed(reply: str) -> tuple[int, str] | None:
    opened: list[tuple[bool, int]] = []
    boxes: list[tuple[int, str]] = []
    for brace in _BRACES.finditer(reply):
        if brace[0].endswith("{") and brace[0] != "\\{":
            opened.append((len(brace[0]) > 1, brace.end()))
        elif brace[0] == "}" and opened:
            is_box, start = opened.pop()
            boxes += [(start, reply[start : brace.start()])] if is_box else []
    return max(boxes, default=None)


def _tagged(reply: str) -> tuple[int, str] | None:
    start, answer = None, None
    for tag in _TAG.finditer(reply):
        if not tag[1]:
            start = tag.end()
        elif start is not None:
            start, answer = None, (start, reply[start : tag.start()])
    return answer


def _after_marker(reply: str) -> tuple[int, str] | None:
    starts = [marker.end() for marker in _MARKER.finditer(reply)]
    last_line = reply.rstrip().rfind("\n") + 1
    hashes = reply.rfind("####", last_line)
    starts += [hashes + len("####")] if hashes >= 0 else []
    if not starts:
        return None
    line = reply[max(starts) :].partition("\n")[0]
    return max(starts), _TAG.split(line)[0]


def find_block(text: str, *languages: str) -> str | None:
    """The last fenced block in one of the languages, or else the last block without a language."""
    named, plain = None, None
    for language, block in _fenced(text):
        named = block if language in languages else named
        plain = block if not language else plain
    return plain if named is None else named


def blocks(text: str) -> list[str]:
    """All fenced blocks."""
    return [block for _, block in _fenced(text)]


def _fenced(text: str) -> Iterator[tuple[str, str]]:
    """The language and the text of each fenced block. The closing fence may be missing. If the fence is indented, its lines are
    dedented as much."""
    language: str | None = None
    lines: list[str] = []
    indent = 0
    for line in [*text.split("\n"), "```"]:
        bare = line.lstrip()
        if not bare.startswith("```"):
            lines.append(line[min(indent, len(line) - len(bare)) :])
        elif language is None:
            language, lines, indent = line.strip().strip("`").strip().lower(), [], len(line) - len(bare)
        else:
            yield language, "\n".join(lines)
            language = None


def find_json(text: str) -> Any:
    """The text, or its last fenced block, parsed as JSON. Raises `ValueError` if neither is JSON."""
    block = find_block(text, "json")
    error: Exception | None = None
    for candidate in [text, *([] if block is None else [block])]:
        try:
            return codec.read_json(candidate.strip())
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as raised:
            error = raised
    raise ValueError(str(error)) from error


def same_json(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal: 1 is 1.0, and true is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    return one == other and isinstance(one, bool) == isinstance(other, bool)
