"""Parts of composed requests that are read in the office and passed on: figures, texts (`FIGURES`) and days (`AHEAD`, `PAST`).

A figure is copied as the tools show it.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from authoring.workplace.compose_lookups import (
    NOW,
    Found,
    Miss,
    email_named,
    event_named,
    on,
    said,
    search,
    shows,
    todo_named,
)
from authoring.workplace.compose_values import value
from authoring.workplace.scene import Call, Scene, call, find_customer, find_person
from verigym.environments.workplace.office import SOURCES

SOURCE_WORDS = {
    "direct": ("direct visits",),
    "referral": ("visits by referral", "referral visits"),
    "search_engine": ("visits from search engines",),
    "social_media": ("visits from social media",),
}


class Figure(NamedTuple):
    calls: Sequence[Call]
    text: str
    names: Sequence[str]


FigurePart = Callable[[Scene], Figure]


def mean_seconds_of(visits: Sequence[Any]) -> int:
    if not visits:
        raise Miss
    return round(sum(visit.seconds for visit in visits) / len(visits))


def plain_customer(s: Scene) -> Found:
    customer = s.customer()
    name = value(customer.name)
    names = [name, f"the customer {name}", f"our client {name}"]
    return Found(
        "customers", customer, names, [find_customer(customer)], ("them", "that customer", "the account"), "the owner"
    )


def _shown(count: int, names: Sequence[str], *calls: Call) -> Figure:
    return Figure(calls, str(count), names)


def number_of_visits(s: Scene) -> Figure:
    span = s.span()
    when = value(span.words)
    names = [f"the number of visits {when}", f"how many visits we had {when}", f"our visit count {when}"]
    return _shown(len(s.visits(span)), names, call("analytics.count_visits", since=span.since, until=span.until))


def number_engaged(s: Scene) -> Figure:
    span = s.span()
    when = value(span.words)
    names = [f"the number of engaged visitors {when}", f"how many visitors were engaged {when}"]
    looked = call("analytics.count_engaged", since=span.since, until=span.until)
    return _shown(sum(visit.engaged for visit in s.visits(span)), names, looked)


def mean_seconds(s: Scene) -> Figure:
    span = s.span()
    visits, when = s.visits(span), value(span.words)
    names = [f"the average seconds of a visit {when}", f"how many seconds a visit took on average {when}"]
    looked = call("analytics.get_average_seconds", since=span.since, until=span.until)
    return _shown(mean_seconds_of(visits), names, looked)


def number_from(s: Scene) -> Figure:
    span, source = s.span(), s.pick(SOURCES)
    what, when = value(s.pick(SOURCE_WORDS[source])), value(span.words)
    looked = call("analytics.count_sources", since=span.since, until=span.until, source=source)
    names = [f"the number of {what} {when}", f"how many {what} there were {when}"]
    return _shown(sum(visit.source == source for visit in s.visits(span)), names, looked)


def best_source(s: Scene) -> Figure:
    span = s.span(apart=True)
    [(best, _)] = Counter(visit.source for visit in s.visits(span)).most_common(1)
    when = value(span.words)
    names = [f"the source with the most visits {when}", f"the strongest source of visits {when}"]
    return Figure([call("analytics.count_sources", since=span.since, until=span.until)], best, names)


def source_of_visitor(s: Scene) -> Figure:
    visit = s.visit()
    names = [f"the source of visitor {value(visit.id)}", f"the source that visitor {value(visit.id)} came from"]
    return Figure([call("analytics.get_visitor", id=visit.id)], visit.source, names)


def number_of_tasks(s: Scene) -> Figure:
    (address, list), rows = s.few("tasks", lambda row: (row.assignee, row.list), 1, 5)
    person = next(person for person in s.office.people if person.address == address)
    if s.is_told(person):
        raise Miss
    looked = search("tasks", query=f"{address} {list}")
    shows(s, looked, rows)
    name, where = said(s, s.who(address)), value(list)
    names = [f"the number of {name}'s tasks in {where}", f"how many tasks {name} has in {where}"]
    return _shown(len(rows), names, find_person(person), looked)


def number_of_customers(s: Scene) -> Figure:
    (address, status), rows = s.few("customers", lambda row: (row.owner, row.status), 1, 5)
    person = next(person for person in s.office.people if person.address == address)
    if s.is_told(person):
        raise Miss
    looked = search("customers", query=f"{address} {status}")
    shows(s, looked, rows)
    name, stage = said(s, s.who(address)), value(status)
    names = [f"the number of {stage} customers that {name} owns", f"how many {stage} accounts {name} has"]
    return _shown(len(rows), names, find_person(person), looked)


def number_of_events(s: Scene) -> Figure:
    day = s.day().iso
    rows = [row for row in s.rows("events") if row.start[:10] == day]
    looked = search("events", since=day, until=day)
    shows(s, looked, rows)
    names = [f"the number of events that I have {on(s, day)}", f"how many meetings my calendar has {on(s, day)}"]
    return _shown(len(rows), names, looked)


def date_of_event(s: Scene) -> Figure:
    found = event_named(s)
    name = s.pick(found.names)
    names = [f"the date of {name} (as 2026-06-01)", f"the day of {name}, written like 2026-06-01,"]
    return Figure(found.calls, found.row.start[:10], names)


def due_of_todo(s: Scene) -> Figure:
    found = todo_named(s)
    name = s.pick(found.names)
    names = [f"the due date of {name} (in the form 2026-06-01)", f"the deadline of {name}, written like 2026-06-01,"]
    return Figure(found.calls, found.row.due, names)


def list_of_todo(s: Scene) -> Figure:
    found = todo_named(s)
    return Figure(
        found.calls,
        found.row.list,
        [f"the list that {s.pick(found.names)} is on", f"the present list of {s.pick(found.names)}"],
    )


def status_of_customer(s: Scene) -> Figure:
    found = plain_customer(s)
    return Figure(
        found.calls,
        found.row.status,
        [f"the status of {s.pick(found.names)}", f"the present status of {s.pick(found.names)}"],
    )


def phone_of_customer(s: Scene) -> Figure:
    found = plain_customer(s)
    return Figure(
        found.calls,
        found.row.phone,
        [f"the phone number of {s.pick(found.names)}", f"the telephone of {s.pick(found.names)}"],
    )


def text_of_email(s: Scene) -> Figure:
    found = email_named(s)
    name = s.pick(found.names)
    names = [f"the text of {name}", f"the whole body of {name}, word for word,"]
    return Figure([*found.calls, call("email.get", id=found.row.id)], found.row.body, names)


def two_numbers(s: Scene) -> Figure:
    span = s.span()
    visits, when = s.visits(span), value(span.words)
    shown = f"{len(visits)} visits, {sum(visit.engaged for visit in visits)} engaged"
    names = [f'the visits and engaged visitors {when} (in the form "7 visits, 2 engaged")']
    names += [f'our traffic {when}, written like "7 visits, 2 engaged",']
    looks = [
        call(f"analytics.{tool}", since=span.since, until=span.until) for tool in ("count_visits", "count_engaged")
    ]
    return Figure(looks, shown, names)


class Day(NamedTuple):
    """A day that a row shows."""

    calls: Sequence[Call]
    iso: str
    names: Sequence[str]


DayPart = Callable[[Scene], Day]


def day_of_event(s: Scene) -> Day:
    found = event_named(s)
    return Day(
        found.calls,
        found.row.start[:10],
        [f"the day of {s.pick(found.names)}", f"the date on which {s.pick(found.names)} takes place"],
    )


def day_of_todo(s: Scene) -> Day:
    found = todo_named(s)
    if found.row.due <= NOW:
        raise Miss
    return Day(
        found.calls,
        found.row.due,
        [f"the due date of {s.pick(found.names)}", f"the day when {s.pick(found.names)} is due"],
    )


def day_of_email(s: Scene) -> Day:
    found = email_named(s)
    return Day(
        found.calls,
        found.row.at[:10],
        [f"the day on which {s.pick(found.names)} arrived", f"the date of {s.pick(found.names)}"],
    )


def day_of_visitor(s: Scene) -> Day:
    visit = s.visit()
    name = f"visitor {value(visit.id)}"
    return Day(
        [call("analytics.get_visitor", id=visit.id)], visit.day, [f"the day of {name}", f"the day on which {name} came"]
    )


AHEAD: list[DayPart] = [day_of_event, day_of_todo]
PAST: list[DayPart] = [day_of_email, day_of_visitor]

FIGURES: list[FigurePart] = [
    two_numbers,
    number_of_visits, number_engaged, mean_seconds, number_from, best_source, source_of_visitor, number_of_tasks,
    number_of_customers, number_of_events, date_of_event, due_of_todo, list_of_todo, status_of_customer, phone_of_customer,
    text_of_email,
]  # fmt: skip
