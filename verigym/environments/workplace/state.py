"""The state of one episode: a shared, read-only office and the changes of this episode.

Opening costs almost nothing, and only changes take memory. A row that is changed back leaves no change. Values have
one spelling (`2026-05-14T10:00` and `2026-05-14 10:00:00`, `"30"` and 30, `in progress` and `In Progress`), so that
the verifier compares content. The environment has the tools.
"""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from verigym.environments.workplace.office import BOARDS, LISTS, PRODUCTS, STATUSES, Office, entry

NAMES = {"emails": "email", "events": "event", "tasks": "task", "customers": "customer"}
"""Name of a row, by table."""


class Change(Struct, frozen=True, omit_defaults=True):
    """A changed row. A new row has no `before`, and a deleted row has no `after`."""

    table: str
    id: int
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None
    """Its fields, without the id."""


class State:
    __slots__ = ("_overlay", "office")

    def __init__(self, office: Office) -> None:
        self.office = office
        self._overlay: dict[str, dict[int, Any]] = {}
        """Current row by table and id. None if it was deleted."""

    def row(self, table: str, id: int) -> Any:
        changed = self._overlay.get(table, {})
        found = changed[id] if id in changed else self.office.tables[table].rows.get(id)
        if found is None:
            raise ValueError(f"there is no {NAMES[table]} with id {id}; search for it")
        return found

    def put(self, table: str, row: Any) -> None:
        self._overlay.setdefault(table, {})[row.id] = row

    def remove(self, table: str, id: int) -> None:
        self.row(table, id)
        self._overlay.setdefault(table, {})[id] = None

    def new_id(self, table: str) -> int:
        return max(self.office.tables[table].last_id, *self._overlay.get(table, {}), 0) + 1

    def search(self, table: str, query: str, since: str, until: str) -> list[Any]:
        """The rows within these days that contain every word of the query, newest first."""
        entries, changed = self.office.tables[table].entries, self._overlay.get(table)
        if changed:
            entries = [one for one in entries if one.row.id not in changed]
            entries += [entry(table, row) for row in changed.values() if row is not None]
            entries.sort(key=lambda one: (one.when, one.row.id), reverse=True)
        for word in set(query.casefold().split()):
            entries = [one for one in entries if word in one.text]
        return [one.row for one in entries if since <= one.when[:10] <= until]

    def changes(self) -> list[Change]:
        found: list[Change] = []
        for table, changed in self._overlay.items():
            for id, after in changed.items():
                before = self.office.tables[table].rows.get(id)
                if before != after:
                    found.append(Change(table, id, _fields(before), _fields(after)))
        return found


def _fields(row: Any) -> dict[str, Any] | None:
    if row is None:
        return None
    fields = msgspec.structs.asdict(row)
    del fields["id"]
    return fields


# -- Values in one spelling ------------------------------------------------------------------------------------------------

Given = str | int


def day(given: Given) -> str:
    try:
        return datetime.fromisoformat(str(given).strip()).date().isoformat()
    except ValueError as error:
        raise ValueError(f'a date is YYYY-MM-DD such as 2026-05-14, not "{given}"') from error


def moment(given: Given) -> str:
    text = str(given).strip()
    try:
        if len(text) <= len("2026-05-14"):
            raise ValueError("no time in it")
        return datetime.fromisoformat(text).strftime("%Y-%m-%d %H:%M")
    except ValueError as error:
        raise ValueError(f'a time is YYYY-MM-DD HH:MM such as 2026-05-14 10:00, not "{given}"') from error


def address(given: Given) -> str:
    text = str(given).strip().lower()
    if not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", text):
        raise ValueError(f'"{given}" is no email address; directory.find gives a colleague\'s')
    return text


def minutes(given: Given) -> int:
    found = re.fullmatch(r"(\d{1,4})(?:\.0)?(?: ?(?:min|minutes))?", str(given).strip())
    if not found or not 5 <= int(found[1]) <= 540:
        raise ValueError(f'a duration is a number of minutes such as 30, not "{given}"')
    return int(found[1])


def said(given: Given) -> str:
    if not (text := " ".join(str(given).split())):
        raise ValueError("the text is empty")
    return text


def any_text(given: Given) -> str:
    return " ".join(str(given).split())


def one_of(options: tuple[str, ...]) -> Callable[[Given], str]:
    known = {_letters(option): option for option in options}

    def read(given: Given) -> str:
        if (found := known.get(_letters(str(given)))) is None:
            raise ValueError(f'it is one of {", ".join(options)}, not "{given}"')
        return found

    return read


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text).casefold()


READ: dict[str, Callable[[Given], Any]] = {
    "name": said,
    "subject": said,
    "body": said,
    "to": address,
    "participant": address,
    "start": moment,
    "minutes": minutes,
    "assignee": address,
    "list": one_of(LISTS),
    "board": one_of(BOARDS),
    "due": day,
    "email": address,
    "phone": any_text,
    "status": one_of(STATUSES),
    "product": one_of(PRODUCTS),
    "owner": address,
    "last_contact": day,
    "notes": any_text,
}
"""Reader of each field, for all tables."""
