"""Where in a longer reply the answer stands: the one place that knows, for every verifier that looks for one.

    whole     all of the reply
    boxed     the last `\\boxed{...}`
    tag       the last `<answer>...</answer>`
    marker    what follows the last "Answer:" or "answer is" on its line, or "####" on the last line
    auto      whichever of boxed, tag and marker begins last; all of the reply where there is none

A reply gets one guess: of several marked answers the last one counts. Every search is linear in the reply's length.
"""

import re
from typing import Any, Literal, NamedTuple

import msgspec

Where = Literal["auto", "whole", "boxed", "tag", "marker"]


class ExtractedAnswer(NamedTuple):
    text: str
    marked: bool
    """Whether the reply says that this is the answer; otherwise it is all of the reply."""


def find_answer(reply: str, where: Where = "auto") -> ExtractedAnswer | None:
    """None where `where` names a mark that the reply does not have."""
    if where == "whole":
        return ExtractedAnswer(reply.strip(), False)
    finders = {"boxed": _boxed, "tag": _tagged, "marker": _after_marker}
    chosen = finders.values() if where == "auto" else [finders[where]]
    found = [place for finder in chosen if (place := finder(reply))]
    if found:
        return ExtractedAnswer(_bare(max(found)[1]), True)
    return ExtractedAnswer(reply.strip(), False) if where == "auto" else None


_BRACES = re.compile(r"\\boxed\s*\{|\\.|[{}]", re.DOTALL)
_TAG = re.compile(r"<(/?)answer>", re.IGNORECASE)
_MARKER = re.compile(r"\banswer[*_]*\s*(?:is\b\s*:?|:)[*_]*\s*", re.IGNORECASE)


def _boxed(reply: str) -> tuple[int, str] | None:
    opened: list[tuple[bool, int]] = []
    found: list[tuple[int, str]] = []
    for brace in _BRACES.finditer(reply):
        if brace[0].endswith("{") and brace[0] != "\\{":
            opened.append((len(brace[0]) > 1, brace.end()))
        elif brace[0] == "}" and opened:
            box, start = opened.pop()
            found += [(start, reply[start : brace.start()])] if box else []
    return max(found, default=None)


def _tagged(reply: str) -> tuple[int, str] | None:
    start, found = None, None
    for tag in _TAG.finditer(reply):
        if not tag[1]:
            start = tag.end()
        elif start is not None:
            start, found = None, (start, reply[start : tag.start()])
    return found


def _after_marker(reply: str) -> tuple[int, str] | None:
    found = [marker.end() for marker in _MARKER.finditer(reply)]
    last_line = reply.rstrip().rfind("\n") + 1
    hashes = reply.rfind("####", last_line)
    found += [hashes + len("####")] if hashes >= 0 else []
    if not found:
        return None
    line = reply[max(found) :].partition("\n")[0]
    return max(found), _TAG.split(line)[0]


def _bare(text: str) -> str:
    """Without white space and emphasis around it."""
    return text.strip().strip("*`").strip()


def find_block(text: str, *languages: str) -> str | None:
    """The last fenced block in one of the languages, or else the last that names none; it may lack its closing fence. Lines
    are taken back by as much as the fence is indented, in a list."""
    named, plain = None, None
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
            block = "\n".join(lines)
            named = block if language in languages else named
            plain = block if not language else plain
            language = None
    return plain if named is None else named


def find_json(text: str) -> Any:
    """The JSON value that the text is, or that its last fenced block is; `ValueError` where there is none."""
    block = find_block(text, "json")
    error: Exception | None = None
    for candidate in [text, *([] if block is None else [block])]:
        try:
            return msgspec.json.decode(candidate.strip())
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as raised:
            error = raised
    raise ValueError(str(error)) from error
