"""End states: as a tree, and compared with the start, with the attempt that passed and with others, path by path.

changed  mails[0].to      "Dana" -> "Dina"
added    mails[1]         {"to": "Ada"}
"""

import difflib
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

MOST_NODES = 2_000
_MOST_CHANGES = 300
_MOST_ROWS = 400
_DEEPEST = 40
_CUT = 300
_MISSING: Any = object()


class Change(Struct, frozen=True, omit_defaults=True):
    path: str
    kind: str
    """added, removed or changed."""
    before: str = ""
    after: str = ""


class Node(Struct, frozen=True, omit_defaults=True):
    """One value of a tree. A list or an object has children."""

    key: str
    value: str = ""
    note: str = ""
    """`3 entries`"""
    children: list["Node"] = []


class StateChanges(Struct, frozen=True, kw_only=True):
    against: str
    """What it was compared with, in words."""
    href: str = ""
    changes: list[Change]
    more: int = 0
    """Changes that are not listed."""


def compare(against: str, before: Any, after: Any, href: str = "") -> StateChanges:
    changes: list[Change] = []
    count = 0
    for change in _changes("", before, after, 0):
        count += 1
        if len(changes) < _MOST_CHANGES:
            changes.append(change)
    return StateChanges(against=against, href=href, changes=changes, more=count - len(changes))


def tree(value: Any) -> tuple[list[Node], bool]:
    """The entries of a value, and whether some were left out because there are too many."""
    left = [MOST_NODES]
    nodes = _children(value, left, 0)
    return nodes, left[0] <= 0


def _children(value: Any, left: list[int], depth: int) -> list[Node]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    nodes = []
    for key, each in pairs:
        left[0] -= 1
        if left[0] <= 0:
            break
        if isinstance(each, dict | list) and each and depth < _DEEPEST:
            noun = "entry" if len(each) == 1 else "entries"
            nodes.append(Node(str(key), note=f"{len(each)} {noun}", children=_children(each, left, depth + 1)))
        else:
            nodes.append(Node(str(key), _written(each)))
    return nodes


def _changes(path: str, before: Any, after: Any, depth: int) -> Iterator[Change]:
    if depth > _DEEPEST or not isinstance(before, dict | list) or type(before) is not type(after):
        if before is _MISSING:
            yield Change(path, "added", "", _written(after))
        elif after is _MISSING:
            yield Change(path, "removed", _written(before), "")
        elif before != after:
            yield Change(path, "changed", _written(before), _written(after))
        return
    if isinstance(before, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            name = f"{path}.{key}" if path else str(key)
            yield from _changes(name, before.get(key, _MISSING), after.get(key, _MISSING), depth + 1)
        return
    yield from _changes_of_rows(path, before, after, depth)


def _changes_of_rows(path: str, before: list[Any], after: list[Any], depth: int) -> Iterator[Change]:
    """Rows that moved because others were added or removed do not count as changed."""
    if max(len(before), len(after)) > _MOST_ROWS:
        for place in range(max(len(before), len(after))):
            one = before[place] if place < len(before) else _MISSING
            yield from _changes(f"{path}[{place}]", one, after[place] if place < len(after) else _MISSING, depth + 1)
        return
    left, right = [_key(one) for one in before], [_key(one) for one in after]
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        both = min(i2 - i1, j2 - j1)
        for step in range(both):
            yield from _changes(f"{path}[{j1 + step}]", before[i1 + step], after[j1 + step], depth + 1)
        for place in range(i1 + both, i2):
            yield Change(f"{path}[{place}]", "removed", _written(before[place]), "")
        for place in range(j1 + both, j2):
            yield Change(f"{path}[{place}]", "added", "", _written(after[place]))


def _key(value: Any) -> bytes:
    return msgspec.json.encode(value, order="sorted")


def _written(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _CUT else text[: _CUT - 1] + "…"
