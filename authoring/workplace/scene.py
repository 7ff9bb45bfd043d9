"""The scene of a story: people, rows and times of an office, their wordings, and the calls that find them.

A story is a function of a scene: `story(s) -> Story`. It returns the request in one or more wordings and the calls that fulfil
it, lookups included. A search for a name in the request finds the named row and no other.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import date, timedelta
from random import Random
from typing import Any, NamedTuple, TypeVar

from verigym.core.records import Json
from verigym.environments.workplace.office import (
    PRODUCTS,
    SOURCES,
    STATUSES,
    TODAY,
    Customer,
    Email,
    Event,
    Office,
    Person,
    Todo,
    Visit,
    pick,
)
from verigym.environments.workplace.words import Words

T = TypeVar("T")


class Call(NamedTuple):
    name: str
    arguments: Json


class Story(NamedTuple):
    wordings: Sequence[str]
    """Wordings of the same request."""
    calls: Sequence[Call]
    """Calls that fulfil the request, in a working order."""
    harm: Call | None = None
    """The harmful call, if the request has to be refused."""


StoryFunction = Callable[["Scene"], Story]


class Day(NamedTuple):
    words: str
    iso: str


class Time(NamedTuple):
    words: str
    clock: str


class Span(NamedTuple):
    words: str
    since: str
    until: str


def call(tool: str, /, **arguments: Any) -> Call:
    return Call(tool, arguments)


def find_person(person: Person) -> Call:
    return call("directory.find", name=person.first)


def find_email(email: Email) -> Call:
    return call("email.search", query=email.subject)


def find_event(event: Event) -> Call:
    return call("calendar.search", query=event.name)


def find_todo(todo: Todo) -> Call:
    return call("projects.search", query=todo.name)


def find_customer(customer: Customer) -> Call:
    return call("crm.search", query=customer.name)


def refused(harm: Call, *wordings: str) -> Story:
    return Story(wordings, [call("refuse")], harm)


class Scene:
    def __init__(self, office: Office, words: Words, draw: Random) -> None:
        self.office, self.words, self._draw = office, words, draw
        self._told: set[Any] = set()
        """Rows and people that the story uses already. None appears twice."""

    def pick(self, items: Sequence[T]) -> T:
        return pick(self._draw, items)

    def other(self, items: Iterable[T]) -> T:
        """Pick an item that the story does not use yet."""
        found = self.pick([item for item in items if item not in self._told])
        self._told.add(found)
        return found

    def is_told(self, item: Any) -> bool:
        """Whether the story already uses an item."""
        return item in self._told

    # -- people and rows

    def person(self) -> Person:
        return self.other(self.office.people)

    def who(self, address: str) -> Person:
        found = next(person for person in self.office.people if person.address == address)
        self._told.add(found)
        return found

    def email(self) -> Email:
        """Pick a colleague's email with a unique subject."""
        senders = {person.address for person in self.office.people}
        return self.other(row for row in self.only("emails", "subject") if row.sender in senders)

    def emails_of(self, address: str, least: int = 1) -> list[Email]:
        """Return all emails of a sender, newest first."""
        found = [row for row in self.rows("emails") if row.sender == address]
        assert len(found) >= least
        return found

    def writer(self) -> Person:
        """Pick a colleague who wrote at least one email."""
        senders = {row.sender for row in self.rows("emails")}
        return self.other(person for person in self.office.people if person.address in senders)

    def event(self) -> Event:
        """Pick a future event with a unique name that starts before 16:00."""
        rows = self.only("events", "name")
        return self.other(row for row in rows if row.start[:10] > TODAY.isoformat() and row.start[11:] < "16:00")

    def todo(self, list: str = "") -> Todo:
        rows = self.only("tasks", "name")
        return self.other(row for row in rows if (row.list == list if list else row.list != "Completed"))

    def customer(self, *statuses: str) -> Customer:
        return self.other(row for row in self.rows("customers") if row.status in (statuses or STATUSES))

    def writing_customer(self) -> Customer:
        """Pick a customer who wrote exactly one email."""
        counts = Counter(row.sender for row in self.rows("emails"))
        return self.other(row for row in self.rows("customers") if counts[row.email] == 1)

    def few(self, table: str, of: Callable[[Any], Any], least: int = 2, most: int = 3) -> tuple[Any, list[Any]]:
        """Pick a value of `of` that only a few rows have, and return it with these rows."""
        groups: dict[Any, list[Any]] = {}
        for row in self.rows(table):
            groups.setdefault(of(row), []).append(row)
        return self.pick([each for each in groups.items() if each[0] and least <= len(each[1]) <= most])

    def either(self, items: Iterable[T], test: Callable[[T], object]) -> T:
        """Pick an item that passes a test or, with equal chance, one that fails it, so that guessing does not help."""
        groups: dict[bool, list[T]] = {}
        for item in items:
            if item not in self._told:
                groups.setdefault(bool(test(item)), []).append(item)
        return self.other(self.pick([groups[passed] for passed in sorted(groups)]))

    def visit(self) -> Visit:
        return self.pick(list(self.office.visits.values()))

    def loads(self, person: Person) -> tuple[int, int]:
        """Count a person's tasks: all, and those that are not Completed. A request that counts tasks should have the same answer
        for both counts."""
        lists = [row.list for row in self.rows("tasks") if row.assignee == person.address]
        return len(lists), len(lists) - lists.count("Completed")

    def rows(self, table: str) -> list[Any]:
        return [entry.row for entry in self.office.tables[table].entries]

    def only(self, table: str, field: str) -> list[Any]:
        """Return rows with a unique value of this field."""
        entries = self.office.tables[table].entries
        counts = Counter(getattr(entry.row, field) for entry in entries)
        return [entry.row for entry in entries if counts[getattr(entry.row, field)] == 1]

    # -- times

    def day(self) -> Day:
        """Pick a weekday in the next four weeks."""
        ahead = self.other([days for days in range(1, 29) if (TODAY + timedelta(days)).weekday() < 5])
        iso = (TODAY + timedelta(ahead)).isoformat()
        return Day(self.on(iso), iso)

    def on(self, iso: str) -> str:
        """Word a day as an adverb: `on May 14`, `tomorrow`, `next Friday`."""
        when = date.fromisoformat(iso)
        ahead = (when - TODAY).days
        words = [f"on {when:%B} {when.day}", f"on {iso}"]
        if ahead in (-1, 1):
            words.append("tomorrow" if ahead > 0 else "yesterday")
        elif 0 < ahead < 6:
            words.append(f"on {when:%A}")
        elif 0 < ahead < 11:
            words.append(f"next {when:%A}")
        return self.pick(words)

    def date(self, iso: str) -> str:
        """Word a day as a date: `May 14`, `14 May`, `2026-05-14`."""
        when = date.fromisoformat(iso)
        return self.pick([f"{when:%B} {when.day}", f"{when.day} {when:%B}", iso])

    def quiet_day(self, days: Iterable[str]) -> str:
        """Pick a past day that is not among these, so that "since" and "after" mean the same."""
        taken = set(days)
        past = [(TODAY - timedelta(ago)).isoformat() for ago in range(2, 40)]
        return self.pick([day for day in past if day not in taken])

    def time(self) -> Time:
        """Pick a start time that leaves room for 90 minutes."""
        minutes = 9 * 60 + 15 * self.pick(range(30))
        hour, minute = divmod(minutes, 60)
        clock = f"{hour:02}:{minute:02}"
        half = "am" if hour < 12 else "pm"
        shown = f"{(hour - 1) % 12 + 1}" + (f":{minute:02}" if minute else "")
        return Time(self.pick([clock, f"{shown} {half}"]), clock)

    def minutes(self) -> int:
        return self.pick((15, 30, 45, 60, 90))

    def span(self, apart: bool = False) -> Span:
        """Pick a span of past days with visits. With `apart`, no two sources have the same number of visits."""
        found = self._span()
        while apart and len(set(Counter(visit.source for visit in self.visits(found)).values())) < len(SOURCES):
            found = self._span()
        return found

    def _span(self) -> Span:
        month = self.pick([(3, 31, "March"), (4, 30, "April")])
        first = TODAY - timedelta(self.pick(range(10, 60)))
        last = first + timedelta(self.pick(range(2, 15)))
        spans = [
            Span(f"in {month[2]}", f"2026-{month[0]:02}-01", f"2026-{month[0]:02}-{month[1]}"),
            Span("last week", "2026-05-04", "2026-05-10"),
            Span(f"from {_said(first)} to {_said(last)}", first.isoformat(), last.isoformat()),
            Span(f"between {first} and {last}", first.isoformat(), last.isoformat()),
        ]
        return self.pick(spans)

    def visits(self, span: Span) -> list[Visit]:
        return [visit for visit in self.office.visits.values() if span.since <= visit.day <= span.until]

    # -- words

    def message(self) -> str:
        return self.other(self.words.messages)

    def title(self) -> str:
        return self.other(self.words.titles)

    def meeting(self) -> str:
        return f"{self.pick(self.words.meetings)} {self.pick(self.words.gatherings)}".capitalize()

    def chore(self) -> str:
        return f"{self.pick(self.words.verbs)} {self.pick(self.words.objects)}"

    def company(self) -> str:
        """Return a name that no customer has yet."""
        known = {row.name for row in self.rows("customers")}
        names = (f"{company} {trade}" for company in self.words.companies for trade in self.words.trades)
        return self.other([name for name in names if name not in known])

    def phone(self) -> str:
        return f"555-{self.pick(range(1000, 10_000))}"

    def product(self, *but: str) -> str:
        return self.pick([each for each in PRODUCTS if each not in but])


def mailbox(company: str) -> str:
    return f"office@{company.replace(' ', '-').lower()}.example"


def later(iso: str, days: int) -> str:
    return (date.fromisoformat(iso) + timedelta(days)).isoformat()


def near(count: int, s: Scene) -> int:
    """Return a limit slightly above or below a count. A guess is right half the time."""
    return max(1, count + s.pick((-5, -3, -2, -1, 1, 2, 3, 5)))


def _said(day: date) -> str:
    return f"{day:%B} {day.day}"
