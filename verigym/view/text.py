"""Text of models and of people, made safe to look at: nothing in it is hidden, and nothing in it is markup.

Control characters, bidirectional controls, zero-width characters and lone surrogates become chips (`U+202E`). A long text is
cut, and what was left out is counted. Pages insert the pieces as text, never as HTML.
"""

import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec

from verigym.core.printable import CONTROL
from verigym.core.words import duration, size

LONGEST = 20_000
"""Characters of one text on a page. A page of its own shows the rest."""
_INVISIBLE = re.compile(
    CONTROL.pattern[:-1] + "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u3164\uffa0\U000e0000-\U000e007f]"
)
"""`CONTROL` and more characters that show nothing: soft hyphen, fillers, and tags, with which text can hide in text."""


_PLACEHOLDER = re.compile(r"\[([A-Z][A-Z0-9_]{0,39}) (?:[0-9]{1,6}|[0-9a-f]{16})\]")
"""What redaction puts in the place of a secret: `[EMAIL 1]`."""


class Piece(NamedTuple):
    words: str
    chip: bool = False
    """Whether it stands for a character that cannot be seen."""
    rule: str = ""
    """The redaction rule that removed what stood here. Empty for all other pieces."""


def pieces(text: object, limit: int = LONGEST, redacted: bool = False) -> Iterator[Piece]:
    """The text in pieces, with what cannot be seen as chips. In a redacted text, placeholders are pieces of their own."""
    shown = str(text)[:limit]
    place = 0
    for match in (
        re.finditer(f"{_INVISIBLE.pattern}|{_PLACEHOLDER.pattern}", shown) if redacted else _INVISIBLE.finditer(shown)
    ):
        if match.start() > place:
            yield Piece(shown[place : match.start()])
        rule = match[1].lower() if redacted and match[1] else ""
        yield Piece(match[0], rule=rule) if rule else Piece(f"U+{ord(match[0]):04X}", chip=True)
        place = match.end()
    if place < len(shown):
        yield Piece(shown[place:])


def is_plain(text: str) -> bool:
    """Whether every character of a text can be seen."""
    return _INVISIBLE.search(text) is None


def left_out(text: object, limit: int = LONGEST) -> str:
    """How much of the text is not shown: `4.1 MB more`. Empty if all of it is."""
    rest = str(text)[limit:]
    return f"{size(len(rest.encode(errors='replace')))} more" if rest else ""


def clip(text: object, width: int = 100) -> str:
    """The text on one line, cut with an ellipsis."""
    line = " ".join(str(text)[: 20 * width].split())
    line = _INVISIBLE.sub(lambda match: f"U+{ord(match[0]):04X}", line)
    return line if len(line) <= width else line[: width - 1] + "…"


def pretty(value: Any) -> str:
    """A JSON value over several lines, with sorted keys kept as they are."""
    try:
        return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    except (TypeError, ValueError, msgspec.MsgspecError):
        return str(value)


def ago(when: float | None, now: float | None = None) -> str:
    """`3 min ago`, `5 days ago`, or the day if it is long ago. Empty without a time."""
    if not when:
        return ""
    past = (time.time() if now is None else now) - when
    if past >= 60 * 86_400:
        return moment(when)[:10]
    if past >= 2 * 86_400:
        return f"{int(past // 86_400)} days ago"
    return "now" if past < 1 else f"{duration(past)} ago"


def moment(when: float | str | None) -> str:
    """`2026-11-17 16:42` in UTC."""
    if not when:
        return ""
    if isinstance(when, str):
        try:
            written = datetime.fromisoformat(when)
        except ValueError:
            return clip(when, 40)
        return (written.astimezone(UTC) if written.tzinfo else written).strftime("%Y-%m-%d %H:%M")
    return datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%d %H:%M")
