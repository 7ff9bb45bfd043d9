"""Parts of composed requests that decide what is done: conditions that depend on the office.

A condition is true about as often as not, so that guessing does not help.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from authoring.workplace.compose_figures import SOURCE_WORDS, mean_seconds_of, plain_customer
from authoring.workplace.compose_lookups import (
    NOW,
    Found,
    Miss,
    email_named,
    event_named,
    on,
    said,
    search,
    todo_named,
)
from authoring.workplace.compose_values import value
from authoring.workplace.scene import Call, Scene, call, find_person, later, near
from verigym.environments.workplace.office import BOARDS, LISTS, PRODUCTS, SOURCES, STATUSES


class Condition(NamedTuple):
    calls: Sequence[Call]
    holds: bool
    yes: Sequence[str]
    """Clauses that say that it holds."""
    no: Sequence[str]
    found: Found | None = None
    """The row that it is about. Acts may go on with it."""


ConditionPart = Callable[[Scene], Condition]


def visits_below(s: Scene) -> Condition:
    span = s.span()
    count = len(s.visits(span))
    limit, when = near(count, s), value(span.words)
    most = value(limit)
    return Condition(
        [call("analytics.count_visits", since=span.since, until=span.until)],
        count < limit,
        [
            f"the website had fewer than {most} visits {when}",
            f"visits {when} stayed under {most}",
            f"we counted less than {most} visits {when}",
        ],
        [f"there were {most} visits or more {when}", f"the website reached {most} visits {when}"],
    )


def engaged_above(s: Scene) -> Condition:
    span = s.span()
    count = sum(visit.engaged for visit in s.visits(span))
    limit, when = near(count, s), value(span.words)
    least = value(limit)
    return Condition(
        [call("analytics.count_engaged", since=span.since, until=span.until)],
        count > limit,
        [f"more than {least} visitors were engaged {when}", f"the engaged visitors {when} number more than {least}"],
        [f"at most {least} visitors were engaged {when}", f"no more than {least} visitors were engaged {when}"],
    )


def seconds_above(s: Scene) -> Condition:
    span = s.span()
    visits = s.visits(span)
    mean = mean_seconds_of(visits)
    limit, when = mean + s.pick((-20, -9, -4, 4, 9, 20)), value(span.words)
    least = value(limit)
    return Condition(
        [call("analytics.get_average_seconds", since=span.since, until=span.until)],
        mean > limit,
        [
            f"a visit took more than {least} seconds on average {when}",
            f"the average visit {when} was longer than {least} seconds",
        ],
        [
            f"the average visit {when} took {least} seconds at most",
            f"visits {when} did not average more than {least} seconds",
        ],
    )


def source_ahead(s: Scene) -> Condition:
    span = s.span(apart=True)
    counts = Counter(visit.source for visit in s.visits(span))
    one, two = s.other(SOURCES), s.other(SOURCES)
    first, second, when = value(s.pick(SOURCE_WORDS[one])), value(s.pick(SOURCE_WORDS[two])), value(span.words)
    return Condition(
        [call("analytics.count_sources", since=span.since, until=span.until)],
        counts[one] > counts[two],
        [f"{first} outnumber {second} {when}", f"we had more {first} than {second} {when}"],
        [f"{first} did not outnumber {second} {when}", f"{second} are ahead of {first} {when}"],
    )


def source_above(s: Scene) -> Condition:
    span, source = s.span(), s.pick(SOURCES)
    count = sum(visit.source == source for visit in s.visits(span))
    limit, when = near(count, s), value(span.words)
    least, what = value(limit), value(s.pick(SOURCE_WORDS[source]))
    return Condition(
        [call("analytics.count_sources", since=span.since, until=span.until, source=source)],
        count > limit,
        [f"there were more than {least} {what} {when}", f"{what} {when} went over {least}"],
        [f"{what} {when} did not go over {least}", f"we had {least} {what} or fewer {when}"],
    )


def visitor_engaged(s: Scene) -> Condition:
    visit = s.either(s.office.visits.values(), lambda visit: visit.engaged)
    name = f"visitor {value(visit.id)}"
    return Condition(
        [call("analytics.get_visitor", id=visit.id)],
        visit.engaged,
        [f"{name} was engaged", f"the website shows {name} as engaged"],
        [f"{name} was not engaged", f"{name} did not engage"],
    )


def visitor_source(s: Scene) -> Condition:
    source = s.pick(SOURCES)
    visit = s.either(s.office.visits.values(), lambda visit: visit.source == source)
    name, where = f"visitor {value(visit.id)}", value(source.replace("_", " "))
    return Condition(
        [call("analytics.get_visitor", id=visit.id)],
        visit.source == source,
        [f"the source of {name} is {where}", f"{name} came by way of {where}"],
        [f"{name} has another source than {where}", f"the source of {name} is not {where}"],
    )


def event_longer(s: Scene) -> Condition:
    found = event_named(s)
    limit, name = s.pick((20, 40, 50, 75)), s.pick(found.names)
    return Condition(
        found.calls,
        found.row.minutes > limit,
        [f"{name} takes more than {value(limit)} minutes", f"{name} is longer than {value(limit)} minutes"],
        [f"{name} is over within {value(limit)} minutes", f"{name} takes {value(limit)} minutes or less"],
        found,
    )


def event_morning(s: Scene) -> Condition:
    found = event_named(s)
    name = s.pick(found.names)
    return Condition(
        found.calls,
        found.row.start[11:] < "12:00",
        [f"{name} begins before noon", f"{name} starts in the morning"],
        [f"{name} begins at noon or later", f"{name} does not start in the morning"],
        found,
    )


def event_before(s: Scene) -> Condition:
    found, day = event_named(s), s.day().iso
    if found.row.start[:10] == day:
        raise Miss
    name, when = s.pick(found.names), value(s.date(day))
    return Condition(
        found.calls,
        found.row.start[:10] < day,
        [f"{name} takes place before {when}", f"{name} lies ahead of {when}"],
        [f"{name} takes place after {when}", f"the date of {name} is later than {when}"],
        found,
    )


def todo_in(s: Scene) -> Condition:
    found = todo_named(s)
    list = s.pick((found.row.list, s.pick([each for each in LISTS if each != found.row.list])))
    name, where = s.pick(found.names), value(list)
    return Condition(
        found.calls,
        found.row.list == list,
        [f"{name} is in {where}", f"{name} stands on the list {where}"],
        [f"{name} is not in {where}", f"{name} is on another list than {where}"],
        found,
    )


def todo_on(s: Scene) -> Condition:
    found = todo_named(s)
    board = s.pick((found.row.board, s.pick([each for each in BOARDS if each != found.row.board])))
    name, where = s.pick(found.names), value(board)
    return Condition(
        found.calls,
        found.row.board == board,
        [f"{name} belongs to {where}", f"{name} is on the board {where}"],
        [f"{name} is on some other board than {where}", f"{name} does not belong to {where}"],
        found,
    )


def todo_late(s: Scene) -> Condition:
    found, day = todo_named(s), s.pick((NOW, s.day().iso))
    if found.row.due == day:
        raise Miss
    name, when = s.pick(found.names), value("today" if day == NOW else s.date(day))
    return Condition(
        found.calls,
        found.row.due < day,
        [
            f"{name} was due before {when}" if day == NOW else f"{name} is due before {when}",
            f"the due date of {name} lies before {when}",
        ],
        [f"{name} is due after {when}", f"the deadline of {name} lies after {when}"],
        found,
    )


def customer_is(s: Scene) -> Condition:
    found = plain_customer(s)
    status = s.pick((found.row.status, s.pick([each for each in STATUSES if each != found.row.status])))
    name, stage = s.pick(found.names), value(status)
    return Condition(
        found.calls,
        found.row.status == status,
        [f"{name} is {stage}", f"the CRM has {name} as {stage}", f"the status of {name} is {stage}"],
        [f"{name} is not {stage}", f"{name} has a status other than {stage}"],
        found,
    )


def customer_buys(s: Scene) -> Condition:
    found = plain_customer(s)
    product = s.pick((found.row.product, s.pick([each for each in PRODUCTS if each != found.row.product])))
    name, what = s.pick(found.names), value(product)
    return Condition(
        found.calls,
        found.row.product == product,
        [f"{name} buys {what}", f"the product of {name} is {what}"],
        [f"{name} buys something else than {what}", f"the product of {name} is not {what}"],
        found,
    )


def customer_cold(s: Scene) -> Condition:
    found = plain_customer(s)
    day = later(found.row.last_contact, s.pick((-12, -5, 5, 12)))
    name, when = s.pick(found.names), value(s.date(day))
    return Condition(
        found.calls,
        found.row.last_contact < day,
        [f"our last contact with {name} was before {when}", f"{name} has not been contacted since {when}"],
        [f"we contacted {name} after {when}", f"the last contact with {name} came after {when}"],
        found,
    )


def email_older(s: Scene) -> Condition:
    found = email_named(s)
    day = later(found.row.at[:10], s.pick((-6, -3, 3, 6)))
    name, when = s.pick(found.names), value(s.date(day))
    return Condition(
        found.calls,
        found.row.at[:10] < day,
        [f"{name} arrived before {when}", f"{name} is older than {when}"],
        [f"{name} arrived after {when}", f"{name} came in later than {when}"],
        found,
    )


def email_says(s: Scene) -> Condition:
    found = email_named(s)
    wanted = s.either(
        ("talk", "week", "doubts", "attached", "decided", "morning"), lambda word: word in found.row.body.casefold()
    )
    name, word = s.pick(found.names), value(f'"{wanted}"')
    return Condition(
        [*found.calls, call("email.get", id=found.row.id)],
        wanted in found.row.body.casefold(),
        [f"the text of {name} contains the word {word}", f"the word {word} appears in {name}"],
        [f"the word {word} is nowhere in {name}", f"{name} does not contain the word {word}"],
        found,
    )


def has_written(s: Scene) -> Condition:
    person = s.writer()
    days = [row.at[:10] for row in s.emails_of(person.address)]
    day = later(days[0], s.pick((-6, -3, -1, 1, 3, 6)))
    if day in days or day >= NOW:
        raise Miss
    looked = search("emails", query=person.address, since=later(day, 1))
    name, when = said(s, person), value(s.date(day))
    return Condition(
        [find_person(person), looked],
        days[0] > day,
        [f"{name} has written to me after {when}", f"there is an email from {name} newer than {when}"],
        [f"{name} has not written to me after {when}", f"no mail of {name} is newer than {when}"],
    )


def is_booked(s: Scene) -> Condition:
    person = s.person()
    days = sorted(
        {row.start[:10] for row in s.rows("events") if row.participant == person.address and row.start[:10] > NOW}
    )
    day = s.pick((s.pick(days), s.day().iso)) if days else s.day().iso
    looked = search("events", query=person.address, since=day, until=day)
    name, when = said(s, person), on(s, day)
    return Condition(
        [find_person(person), looked],
        day in days,
        [f"I have a meeting with {name} {when}", f"{name} is in my calendar {when}"],
        [f"I have no meeting with {name} {when}", f"my calendar has nothing with {name} {when}"],
    )


def is_busy(s: Scene) -> Condition:
    person = s.person()
    count, unfinished = s.loads(person)
    limit = near(s.pick((count, unfinished)), s)
    if (count > limit) != (unfinished > limit):
        raise Miss
    name, most = said(s, person), value(limit)
    return Condition(
        [find_person(person), search("tasks", query=person.address)],
        count > limit,
        [f"{name} has more than {most} tasks on the board", f"the board has more than {most} cards of {name}"],
        [f"{name} has {most} tasks at most", f"there are no more than {most} tasks of {name}"],
    )


def day_is_full(s: Scene) -> Condition:
    day = s.day().iso
    count = sum(row.start[:10] == day for row in s.rows("events"))
    limit = max(2, count + s.pick((-2, -1, 1, 2)))
    when, most = on(s, day), value(limit)
    return Condition(
        [search("events", since=day, until=day)],
        count > limit,
        [f"my calendar has more than {most} events {when}", f"I have more than {most} meetings {when}"],
        [f"I have {most} meetings or fewer {when}", f"my calendar does not have more than {most} events {when}"],
    )


def busier_span(s: Scene) -> Condition:
    """Compares the visits, engaged visitors or average seconds of two spans."""
    one, two = s.span(), s.span()
    tool, measure, what = s.pick(
        (
            ("analytics.count_visits", _count, "visits"),
            ("analytics.count_engaged", _engaged, "engaged visitors"),
            ("analytics.get_average_seconds", mean_seconds_of, "seconds per visit on average"),
        )
    )
    first, second = measure(s.visits(one)), measure(s.visits(two))
    if first == second or one == two:
        raise Miss
    a, b, thing = value(one.words), value(two.words), value(what)
    return Condition(
        [call(tool, since=span.since, until=span.until) for span in (one, two)],
        first > second,
        [f"there were more {thing} {a} than {b}", f"we had more {thing} {a} than {b}"],
        [f"there were fewer {thing} {a} than {b}", f"{b} brought more {thing} than {a}"],
    )


def mostly_engaged(s: Scene) -> Condition:
    span = s.span()
    visits, when = s.visits(span), value(span.words)
    engaged = sum(visit.engaged for visit in visits)
    percent = s.pick((35, 40, 45, 50))
    if 100 * engaged == percent * len(visits):
        raise Miss
    share = value(f"{percent}%")
    return Condition(
        [call(f"analytics.{tool}", since=span.since, until=span.until) for tool in ("count_visits", "count_engaged")],
        100 * engaged > percent * len(visits),
        [
            f"more than {share} of the visitors {when} were engaged",
            f"over {share} of all visits {when} were engaged ones",
        ],
        [
            f"less than {share} of the visitors {when} were engaged",
            f"under {share} of all visits {when} were engaged ones",
        ],
    )


def same_person(s: Scene) -> Condition:
    """Whether a colleague is the person in a row."""
    found, field = s.pick(
        ((email_named, "sender"), (event_named, "participant"), (todo_named, "assignee"), (plain_customer, "owner"))
    )
    row = found(s)
    holder = next(person for person in s.office.people if person.address == getattr(row.row, field))
    if s.is_told(holder):
        raise Miss
    s.who(holder.address)
    person = s.pick((holder, s.person()))
    name, it = said(s, person), s.pick(row.names)
    return Condition(
        [*row.calls, find_person(person)],
        person == holder,
        [f"{name} is the {field} of {it}", f"the {field} of {it} is {name}"],
        [f"{name} is not the {field} of {it}", f"the {field} of {it} is somebody other than {name}"],
    )


CONDITIONS: list[ConditionPart] = [
    busier_span, mostly_engaged, same_person,
    visits_below, engaged_above, seconds_above, source_ahead, source_above, visitor_engaged, visitor_source, event_longer,
    event_morning, event_before, todo_in, todo_on, todo_late, customer_is, customer_buys, customer_cold, email_older, email_says,
    has_written, is_booked, is_busy, day_is_full,
]  # fmt: skip


def _count(visits: Sequence[Any]) -> int:
    return len(visits)


def _engaged(visits: Sequence[Any]) -> int:
    return sum(visit.engaged for visit in visits)
