"""Pages of a list by its last key instead of by counting: page 1,000 costs as much as page 1.

A cursor is a JSON list of the key's values: `after=["task-3",0]` continues behind that row, `before=` ends in front of it.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from verigym.core.errors import BadInput
from verigym.view.page import Query

_DIGITS = 18
"""Longest number that the store can hold."""


class Keyset(NamedTuple):
    """One page of a list, as SQL."""

    where: str
    """A condition that begins with AND, or nothing."""
    params: list[object]
    order: str
    backwards: bool
    """Whether the rows come in the opposite order."""
    limit: int

    def turned(self, rows: Sequence[Any]) -> tuple[list[Any], bool, bool]:
        """The rows of the page in order, whether there are some before, and whether there are some after. The query must ask
        for one row more than the page has."""
        more, page = len(rows) > self.limit, list(rows[: self.limit])
        if self.backwards:
            return page[::-1], more, True
        return page, bool(self.where), more


def keyset(query: Query, columns: Sequence[str], limit: int, *, descending: bool = False) -> Keyset:
    """The page that a request asks for. `columns` identify a row and determine the order."""
    backwards = bool(query.get("before"))
    text = query.get("before") or query.get("after")
    down = descending != backwards
    order = "ORDER BY " + ", ".join(f"{column} {'DESC' if down else 'ASC'}" for column in columns)
    order += f" LIMIT {limit + 1}"
    if not text:
        return Keyset("", [], order, False, limit)
    values = values_of(text, len(columns))
    marks = ", ".join("?" for _ in columns)
    return Keyset(
        f" AND ({', '.join(columns)}) {'<' if down else '>'} ({marks})", list(values), order, backwards, limit
    )


def cursor(*values: object) -> str:
    return msgspec.json.encode(values).decode()


def row_number(text: str) -> int | None:
    """A row of the store that an address names. None for anything else, also for digits that are not 0 to 9."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _DIGITS else None


def values_of(text: str, count: int) -> list[str | int | float]:
    try:
        values = msgspec.json.decode(text, type=list[str | int | float])
    except (msgspec.MsgspecError, UnicodeError, ValueError, RecursionError):
        values = []
    if len(values) != count or any(isinstance(one, int) and abs(one) >= 10**_DIGITS for one in values):
        raise BadInput("The address names a place in the list that does not exist. Go to the first page of the list")
    return values
