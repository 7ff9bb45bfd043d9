"""Generates an office: the directory, mailbox, calendar, task board, customers and website visits of a company.

An office is generated from its name, once per process and always the same. All episodes read the same rows and never write
them (`state` has the changes of an episode). It uses only `Random.random`, which is the same in every version of Python.
"""

import functools
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from random import Random
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct

from verigym.core.errors import not_found
from verigym.core.seeds import derive
from verigym.environments.workplace.words import TRAIN, VAL, Words

SEED = 26
TODAY = date(2026, 5, 12)
"""A Tuesday. The clock stands still at 08:30."""
OFFICES = {"train": ("alder", "birch", "cedar", "hazel"), "val": ("willow",)}

LISTS = ("Backlog", "In Progress", "In Review", "Completed")
BOARDS = ("Back end", "Front end", "Design")
STATUSES = ("Lead", "Qualified", "Proposal", "Won", "Lost")
PRODUCTS = ("Software", "Hardware", "Services", "Consulting", "Training")
SOURCES = ("direct", "referral", "search_engine", "social_media")

T = TypeVar("T")


class Person(NamedTuple):
    first: str
    last: str
    address: str

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"


class Email(Struct, frozen=True):
    """In the mailbox."""

    id: int
    subject: str
    sender: str
    at: str
    body: str


class Sent(Struct, frozen=True):
    """An email that left the office. It cannot be undone."""

    id: int
    to: str
    subject: str
    body: str


class Event(Struct, frozen=True):
    id: int
    name: str
    participant: str
    start: str
    minutes: int


class Todo(Struct, frozen=True):
    """A task of a project. It is not named Task, because that is the record that an agent gets."""

    id: int
    name: str
    assignee: str
    list: str
    board: str
    due: str


class Customer(Struct, frozen=True):
    id: int
    name: str
    email: str
    phone: str
    status: str
    product: str
    owner: str
    last_contact: str
    notes: str


class Visit(Struct, frozen=True):
    id: int
    day: str
    source: str
    seconds: int
    engaged: bool


class Plot(Struct, frozen=True):
    id: int
    since: str
    until: str
    value: str
    kind: str


Row = Email | Sent | Event | Todo | Customer | Plot
DATES = {"emails": "at", "events": "start", "tasks": "due", "customers": "last_contact"}
"""Field by which a table is sorted and searched."""


class Entry(NamedTuple):
    """A row as a search sees it."""

    text: str
    """All its fields, in lower case."""
    when: str
    row: Any


class Table(NamedTuple):
    rows: dict[int, Any]
    entries: list[Entry]
    """Newest first."""
    last_id: int


class Office(NamedTuple):
    name: str
    people: list[Person]
    tables: dict[str, Table]
    """emails, sent, events, tasks, customers, plots"""
    visits: dict[int, Visit]


def entry(table: str, row: Any) -> Entry:
    values = [str(getattr(row, field)) for field in row.__struct_fields__]
    return Entry("\n".join(values[1:]).casefold(), getattr(row, DATES.get(table, "id")), row)


@functools.cache
def office(name: str) -> Office:
    split = next((split for split, names in OFFICES.items() if name in names), None)
    if split is None:
        raise not_found("office", name, [known for names in OFFICES.values() for known in names])
    words, draw = TRAIN if split == "train" else VAL, Random(derive(SEED, name))
    people = [
        Person(first, last, f"{first[0]}.{last}@{name}.example".lower())
        for first, last in zip(_some(draw, words.first, 20), _some(draw, words.last, 20), strict=True)
    ]
    customers = _customers(draw, words, people)
    tables: dict[str, list[Any]] = {
        "emails": _emails(draw, words, people, customers),
        "sent": [],
        "events": _events(draw, words, people),
        "tasks": _todos(draw, words, people),
        "customers": customers,
        "plots": [],
    }
    return Office(name, people, {kind: _table(kind, rows) for kind, rows in tables.items()}, _visits(draw))


def _table(kind: str, rows: list[Any]) -> Table:
    entries = sorted((entry(kind, row) for row in rows), key=lambda one: (one.when, one.row.id), reverse=True)
    return Table({one.row.id: one.row for one in entries}, entries, max((row.id for row in rows), default=0))


# -- Rows --------------------------------------------------------------------------------------------------------------


def _customers(draw: Random, words: Words, people: list[Person]) -> list[Customer]:
    names = _some(draw, [f"{company} {trade}" for company in words.companies for trade in words.trades], 200)
    return [
        Customer(
            id,
            name,
            f"office@{name.replace(' ', '-').lower()}.example",
            f"555-{phone}",
            pick(draw, STATUSES),
            pick(draw, PRODUCTS),
            pick(draw, people).address,
            _ago(draw, 120).isoformat(),
            pick(draw, words.notes) if draw.random() < 0.2 else "",
        )
        for id, name, phone in zip(_ids(draw, 200), names, _some(draw, range(1000, 10_000), 200), strict=True)
    ]


def _emails(draw: Random, words: Words, people: list[Person], customers: list[Customer]) -> list[Email]:
    made: list[Email] = []
    for id in _ids(draw, 500):
        thing = pick(draw, words.things)
        sender = pick(draw, customers).email if draw.random() < 0.2 else pick(draw, people).address
        at = f"{_ago(draw, 60)} {_clock(7 * 60 + int(draw.random() * 12 * 60))}"
        subject = f"{thing} {pick(draw, words.kinds)}"
        made.append(Email(id, subject.capitalize(), sender, at, pick(draw, words.bodies).format(thing=thing)))
    return made


def _events(draw: Random, words: Words, people: list[Person]) -> list[Event]:
    names = [f"{about} {what}".capitalize() for about in words.meetings for what in words.gatherings]
    return [
        Event(
            id,
            pick(draw, names),
            pick(draw, people).address,
            f"{TODAY + timedelta(days=int(draw.random() * 60) - 25)} {_clock(9 * 60 + 30 * int(draw.random() * 15))}",
            pick(draw, (15, 30, 45, 60, 90)),
        )
        for id in _ids(draw, 300)
    ]


def _todos(draw: Random, words: Words, people: list[Person]) -> list[Todo]:
    names = [f"{verb} {thing}" for verb in words.verbs for thing in words.objects]
    return [
        Todo(
            id,
            pick(draw, names),
            pick(draw, people).address,
            pick(draw, LISTS),
            pick(draw, BOARDS),
            (TODAY + timedelta(days=int(draw.random() * 50) - 15)).isoformat(),
        )
        for id in _ids(draw, 300)
    ]


def _visits(draw: Random) -> dict[int, Visit]:
    made: list[Visit] = []
    for id in _some(draw, range(1000, 10_000), 1000):
        source = SOURCES[int(4 * draw.random() ** 1.5)]
        made.append(Visit(id, _ago(draw, 90).isoformat(), source, int(5 + draw.random() * 595), draw.random() < 0.4))
    return {visit.id: visit for visit in sorted(made, key=lambda visit: (visit.day, visit.id))}


# -- Drawing ------------------------------------------------------------------------------------------------------------


def pick(draw: Random, items: Sequence[T]) -> T:
    return items[int(draw.random() * len(items))]


def _some(draw: Random, items: Sequence[T], count: int) -> list[T]:
    """This many different values."""
    return sorted(items, key=lambda _: draw.random())[:count]


def _ids(draw: Random, count: int) -> list[int]:
    """Ids of three digits in random order, so that an id says nothing about its row."""
    return _some(draw, range(100, 1000), count)


def _ago(draw: Random, days: int) -> date:
    """A random day, up to this many days before today."""
    return TODAY - timedelta(days=1 + int(draw.random() * days))


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def end_of(start: str, minutes: int) -> datetime:
    return datetime.fromisoformat(start) + timedelta(minutes=minutes)
