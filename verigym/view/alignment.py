"""Two conversations side by side: items aligned by kind and likeness, and the words and states that differ.

Everything here is pieces of text with a flag. Templates turn the flag into an element, so no text becomes HTML.
"""

import difflib
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Message

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_LONGEST = 6000
"""Characters of two texts together up to which their words are compared. The time grows with the square."""
_PAIRS = 200_000
"""Pairs of equal words of two texts up to which they are compared. A comparison looks at each, more than once."""
_ALL_PAIRS = 1_000_000
"""The same for all rows of two conversations. Later rows have no marks."""
_DISTINCT = 100
"""Different words of an item by which its likeness is measured."""
_CELLS = 40_000
"""Pairs of items up to which all are compared."""
_GAP = 0.25
"""An item is left alone rather than beside one that is less like it."""
_STATES = 200
"""Differences of two end states that are listed."""


class Piece(Struct, frozen=True):
    text: str
    changed: bool = False


class Cell(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One item of a conversation."""

    index: int
    kind: str
    """system, user, assistant, call, result or reasoning."""
    name: str = ""
    """The tool of a call."""
    pieces: list[Piece] = []


class AlignedRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    left: Cell | None = None
    right: Cell | None = None
    same: bool = False


class StateChange(Struct, frozen=True, kw_only=True, omit_defaults=True):
    path: str
    left: Any = None
    right: Any = None
    how: str = "changed"
    """changed, added (only after) or removed (only before)."""


class _Plain(NamedTuple):
    kind: str
    name: str
    text: str


class _Budget:
    """Pairs of equal words that may still be looked at."""

    def __init__(self, pairs: int) -> None:
        self._left = pairs

    def take(self, pairs: int) -> bool:
        """Whether there is enough left. Only then is it taken."""
        if pairs > self._left:
            return False
        self._left -= pairs
        return True


def plain(item: Item) -> _Plain:
    """An item as kind, name and text."""
    match item:
        case Message():
            return _Plain(item.role, "", item.text)
        case FunctionCall():
            return _Plain("call", item.name, item.arguments)
        case FunctionCallOutput():
            return _Plain("result", "", item.output if isinstance(item.output, str) else str(item.output))
        case _:
            parts = [*getattr(item, "summary", []), *(getattr(item, "content", None) or [])]
            return _Plain("reasoning", "", "\n".join(getattr(part, "text", "") for part in parts))


def align(before: Sequence[Item], after: Sequence[Item]) -> list[AlignedRow]:
    """The items of both conversations in order. Items of one kind that are alike stand beside each other."""
    left, right = [plain(item) for item in before], [plain(item) for item in after]
    budget = _Budget(_ALL_PAIRS)
    return [_row(left, right, i, j, budget) for i, j in _matched(left, right)]


def _matched(left: list[_Plain], right: list[_Plain]) -> Iterator[tuple[int | None, int | None]]:
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        yield start, start
        start += 1
    rest_left, rest_right = left[start:], right[start:]
    if len(rest_left) * len(rest_right) > _CELLS:
        for n in range(max(len(rest_left), len(rest_right))):
            yield (start + n if n < len(rest_left) else None), (start + n if n < len(rest_right) else None)
        return
    for i, j in _best(rest_left, rest_right):
        yield (None if i is None else i + start), (None if j is None else j + start)


def _best(left: list[_Plain], right: list[_Plain]) -> list[tuple[int | None, int | None]]:
    """The alignment with the greatest total likeness (Needleman and Wunsch)."""
    words = [[_distinct(one.text) for one in several] for several in (left, right)]
    likeness = [
        [_like(a, b, some, others) for b, others in zip(right, words[1], strict=True)]
        for a, some in zip(left, words[0], strict=True)
    ]
    score = [[0.0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in range(len(left) - 1, -1, -1):
        for j in range(len(right) - 1, -1, -1):
            score[i][j] = max(score[i + 1][j + 1] + likeness[i][j] - _GAP, score[i + 1][j], score[i][j + 1])
    path: list[tuple[int | None, int | None]] = []
    i = j = 0
    while i < len(left) and j < len(right):
        if likeness[i][j] > _GAP and score[i][j] == score[i + 1][j + 1] + likeness[i][j] - _GAP:
            path.append((i, j))
            i, j = i + 1, j + 1
        elif score[i][j] == score[i + 1][j]:
            path.append((i, None))
            i += 1
        else:
            path.append((None, j))
            j += 1
    return path + [(n, None) for n in range(i, len(left))] + [(None, n) for n in range(j, len(right))]


def _distinct(text: str) -> frozenset[str]:
    """The first different words of a text."""
    words = dict.fromkeys(word for word in _WORDS.findall(text[:2000]) if not word.isspace())
    return frozenset(itertools.islice(words, _DISTINCT))


def _like(a: _Plain, b: _Plain, words: frozenset[str], others: frozenset[str]) -> float:
    """0 for items of different kinds, 1 for equal ones."""
    if a.kind != b.kind:
        return 0.0
    if a == b:
        return 1.0
    both = len(words & others)
    any_word = len(words) + len(others) - both
    return 0.3 + 0.2 * (a.name == b.name) + 0.45 * (both / any_word if any_word else 1.0)


def _row(left: list[_Plain], right: list[_Plain], i: int | None, j: int | None, budget: _Budget) -> AlignedRow:
    a, b = (None if i is None else left[i]), (None if j is None else right[j])
    if a is not None and b is not None:
        pieces = word_pieces(a.text, b.text, budget)
        return AlignedRow(left=_cell(i, a, pieces[0]), right=_cell(j, b, pieces[1]), same=a == b)
    return AlignedRow(
        left=_cell(i, a, [Piece(a.text)]) if a is not None else None,
        right=_cell(j, b, [Piece(b.text)]) if b is not None else None,
    )


def _cell(index: int | None, item: _Plain, pieces: list[Piece]) -> Cell:
    return Cell(index=index or 0, kind=item.kind, name=item.name, pieces=pieces)


def word_pieces(before: str, after: str, budget: _Budget | None = None) -> tuple[list[Piece], list[Piece]]:
    """Both texts in pieces, with the words that differ marked. Texts that are too long are not compared, nor are texts that
    repeat a few words so often that it would take long. Both are marked as a whole."""
    if before == after:
        return [Piece(before)], [Piece(after)]
    if len(before) + len(after) > _LONGEST:
        return [Piece(before, True)], [Piece(after, True)]
    words = [_WORDS.findall(text) for text in (before, after)]
    first, last = _same_ends(*words)
    middle = [some[first : len(some) - last] for some in words]
    counts = [Counter(word for word in some if not word.isspace()) for some in middle]
    pairs = sum(count * counts[1][word] for word, count in counts[0].items())
    if pairs > _PAIRS or (budget is not None and not budget.take(pairs)):
        changes = [("replace", 0, len(middle[0]), 0, len(middle[1]))]
    else:
        changes = difflib.SequenceMatcher(str.isspace, *middle, autojunk=False).get_opcodes()
    left = [("".join(middle[0][a:b]), operation != "equal") for operation, a, b, _, _ in changes]
    right = [("".join(middle[1][c:d]), operation != "equal") for operation, _, _, c, d in changes]
    start, end = "".join(words[0][:first]), "".join(words[0][len(words[0]) - last :])
    return _joined([(start, False), *left, (end, False)]), _joined([(start, False), *right, (end, False)])


def _same_ends(before: list[str], after: list[str]) -> tuple[int, int]:
    """How many words at the start and at the end are the same. Comparing them costs nothing."""
    shorter = min(len(before), len(after))
    first = 0
    while first < shorter and before[first] == after[first]:
        first += 1
    last = 0
    while last < shorter - first and before[-1 - last] == after[-1 - last]:
        last += 1
    return first, last


def _joined(parts: list[tuple[str, bool]]) -> list[Piece]:
    """Pieces without empty ones. Neighbours of the same kind are one."""
    grouped = itertools.groupby((part for part in parts if part[0]), key=lambda part: part[1])
    return [Piece("".join(text for text, _ in some), changed) for changed, some in grouped]


def state_changes(before: Any, after: Any) -> list[StateChange]:
    """The paths at which two end states differ, the first 200 of them."""
    found: list[StateChange] = []
    for change in _changes("", before, after):
        found.append(change)
        if len(found) == _STATES:
            break
    return found


_MISSING = object()


def _changes(path: str, before: Any, after: Any) -> Iterator[StateChange]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            yield from _changes(
                f"{path}.{key}" if path else str(key), before.get(key, _MISSING), after.get(key, _MISSING)
            )
    elif isinstance(before, list) and isinstance(after, list):
        for n in range(max(len(before), len(after))):
            yield from _changes(
                f"{path}[{n}]", before[n] if n < len(before) else _MISSING, after[n] if n < len(after) else _MISSING
            )
    elif before is _MISSING:
        yield StateChange(path=path, right=after, how="added")
    elif after is _MISSING:
        yield StateChange(path=path, left=before, how="removed")
    elif before != after:
        yield StateChange(path=path or "(whole state)", left=before, right=after)
