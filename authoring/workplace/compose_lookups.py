"""Parts of composed requests that name rows: `EMAILS`, `EVENTS`, `TODOS`, `CUSTOMERS`, and all rows of a search (`SEVERAL`).

A part draws what it names, the phrases that name it, and the calls that find it. A phrase names one thing only: `shows` plays
each search and gives up the draw if the result is ambiguous. `compose_people` names colleagues.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from authoring.workplace.compose_values import quoted, value
from authoring.workplace.scene import (
    Call,
    Scene,
    call,
    find_customer,
    find_email,
    find_event,
    find_person,
    find_todo,
    later,
)
from verigym.environments.workplace import PAGE
from verigym.environments.workplace.office import TODAY, Person
from verigym.environments.workplace.state import State

NOW = TODAY.isoformat()


class Miss(Exception):
    """This draw makes no good task. The next one may."""


class Who(NamedTuple):
    """Somebody with an email address."""

    address: str
    names: Sequence[str]
    calls: Sequence[Call]
    again: Sequence[str] = ("them", "that person")
    """How to name them a second time."""


class Found(NamedTuple):
    """A row of the office."""

    table: str
    row: Any
    names: Sequence[str]
    calls: Sequence[Call]
    again: Sequence[str] = ("it",)
    person: str = ""
    """What the person in the row is called: the sender, participant, assignee or owner. Empty if the phrase names them."""
    get: Sequence[Call] = ()
    """Shows the row, if only its number is known."""


class Several(NamedTuple):
    table: str
    rows: Sequence[Any]
    names: Sequence[str]
    """Phrases in the plural."""
    calls: Sequence[Call]


WhoPart = Callable[[Scene], Who]
FoundPart = Callable[[Scene], Found]
SeveralPart = Callable[[Scene], Several]

_SEARCH = {"emails": "email.search", "events": "calendar.search", "tasks": "projects.search", "customers": "crm.search"}


def search(table: str, **arguments: str) -> Call:
    return call(_SEARCH[table], **arguments)


def shows(s: Scene, looked: Call, rows: Sequence[Any] | None = None) -> list[Any]:
    """The rows that a search shows on its first page. With `rows`, it must find exactly these."""
    table = next(table for table, name in _SEARCH.items() if name == looked.name)
    given = {"query": "", "since": "", "until": "9999"} | looked.arguments
    found = State(s.office).search(table, given["query"], given["since"], given["until"])
    if rows is not None and {row.id for row in found} != {row.id for row in rows}:
        raise Miss
    if not found or (rows is not None and len(found) > PAGE):
        raise Miss
    return found[:PAGE]


def known(s: Scene, address: str) -> Person:
    """The colleague with this address. A request names nobody twice."""
    if any(person.address == address and s.is_told(person) for person in s.office.people):
        raise Miss
    return s.who(address)


def said(s: Scene, person: Person) -> str:
    """A colleague's name: mostly the first, sometimes both."""
    return value(s.pick((person.first, person.first, person.name)))


def on(s: Scene, iso: str) -> str:
    return value(s.on(iso))


# -- emails ------------------------------------------------------------------------------------------------------------

_MAIL = ("it", "that mail", "the email")


def email_named(s: Scene) -> Found:
    email = s.email()
    about = quoted(email.subject)
    names = [
        f"the email {about}",
        f"the mail {about}",
        f"{about} in my inbox",
        f"the message {about}",
        about,
        f"{about} (email)",
    ]
    return Found("emails", email, names, [find_email(email)], _MAIL, "the sender")


def email_newest(s: Scene) -> Found:
    person = s.writer()
    looked = search("emails", query=person.address)
    email, name = shows(s, looked)[0], said(s, person)
    names = [
        f"the newest email from {name}", f"what {name} mailed me last", f"the last message by {name}", f"{name}'s latest mail",
        f"the most recent thing that {name} wrote me",
    ]  # fmt: skip
    return Found("emails", email, names, [find_person(person), looked], _MAIL)


def email_on(s: Scene) -> Found:
    thing = s.pick(s.words.things)
    looked = search("emails", query=thing)
    email, about = shows(s, looked)[0], value(thing)
    names = [
        f"the latest mail about the {about}", f"the newest email on the {about}", f"what came in last about the {about}",
        f"the most recent message about the {about}",
    ]  # fmt: skip
    return Found("emails", email, names, [looked], _MAIL, "the sender")


def email_of_day(s: Scene) -> Found:
    (address, day), rows = s.few("emails", lambda row: (row.sender, row.at[:10]), 1, 1)
    people = [person for person in s.office.people if person.address == address]
    if not people:
        raise Miss
    known(s, address)
    looked = search("emails", query=address, since=day, until=day)
    shows(s, looked, rows)
    name = said(s, people[0])
    names = [f"the email that {name} sent me on {value(s.date(day))}", f"what {name} wrote on {value(s.date(day))}"]
    names += [f"{name}'s mail of {value(s.date(day))}"]
    return Found("emails", rows[0], names, [find_person(people[0]), looked], _MAIL)


def email_of_customer(s: Scene) -> Found:
    customer = s.writing_customer()
    looked = search("emails", query=customer.email)
    [email], name = shows(s, looked, s.emails_of(customer.email)), value(customer.name)
    names = [
        f"the email from {name}",
        f"what the customer {name} wrote",
        f"the message that {name} sent us",
        f"{name}'s mail",
    ]
    return Found("emails", email, names, [find_customer(customer), looked], _MAIL)


def email_numbered(s: Scene) -> Found:
    email = s.email()
    return Found(
        "emails",
        email,
        [f"email {value(email.id)}", f"the mail with the number {value(email.id)}"],
        [],
        _MAIL,
        "",
        [call("email.get", id=email.id)],
    )


def email_older_of(s: Scene) -> Found:
    one, two = s.email(), s.email()
    if one.at[:10] == two.at[:10]:
        raise Miss
    row = min(one, two, key=lambda row: row.at)
    a, b = quoted(one.subject), quoted(two.subject)
    names = [
        f"the older of the mails {a} and {b}",
        f"whichever of {a} and {b} reached me first",
        f"{a} or {b}, the one that came first,",
    ]
    return Found("emails", row, names, [find_email(one), find_email(two)], _MAIL, "the sender")


EMAILS: list[FoundPart] = [
    email_named, email_newest, email_on, email_of_day, email_of_customer, email_numbered, email_older_of,
]  # fmt: skip


# -- events ------------------------------------------------------------------------------------------------------------

_EVENT = ("it", "that event", "the meeting")


def event_named(s: Scene) -> Found:
    event = s.event()
    name = quoted(event.name)
    names = [name, f"the event {name}", f"the meeting {name}", f"my appointment {name}", f"{name} in the calendar"]
    return Found("events", event, names, [find_event(event)], _EVENT, "the participant")


def event_with(s: Scene) -> Found:
    (address, day), rows = s.few("events", lambda row: (row.participant, row.start[:10]), 1, 1)
    person = known(s, address)
    looked = search("events", query=address, since=day, until=day)
    shows(s, looked, rows)
    if day <= NOW or rows[0].start[11:] >= "16:00":
        raise Miss
    name, when = said(s, person), on(s, day)
    names = [
        f"my meeting with {name} {when}",
        f"the appointment that {name} and I have {when}",
        f"what I have with {name} {when}",
    ]
    return Found("events", rows[0], names, [find_person(person), looked], _EVENT)


def _of_day(s: Scene) -> tuple[str, list[Any], Call]:
    day = s.day().iso
    looked = search("events", since=day, until=day)
    rows = shows(s, looked, [row for row in s.rows("events") if row.start[:10] == day])
    if len({row.start for row in rows}) < len(rows) or len(rows) < 2:
        raise Miss
    return day, sorted(rows, key=lambda row: row.start), looked


def event_first(s: Scene) -> Found:
    day, rows, looked = _of_day(s)
    if rows[0].start[11:] >= "16:00":
        raise Miss
    when = on(s, day)
    names = [f"my first event {when}", f"the earliest meeting {when}", f"what my calendar begins with {when}"]
    return Found("events", rows[0], names, [looked], _EVENT, "the participant")


def event_last(s: Scene) -> Found:
    day, rows, looked = _of_day(s)
    if rows[-1].start[11:] >= "16:00":
        raise Miss
    when = on(s, day)
    names = [f"my last event {when}", f"the latest meeting that I have {when}", f"the final appointment {when}"]
    return Found("events", rows[-1], names, [looked], _EVENT, "the participant")


def event_next(s: Scene) -> Found:
    person = s.person()
    if any(row.participant == person.address and row.start[:10] == NOW for row in s.rows("events")):
        raise Miss  # one of today would be next
    looked = search("events", query=person.address, since=later(NOW, 1))
    rows = shows(
        s, looked, [row for row in s.rows("events") if row.participant == person.address and row.start[:10] > NOW]
    )
    event = min(rows, key=lambda row: row.start)
    if [row.start for row in rows].count(event.start) > 1 or event.start[11:] >= "16:00":
        raise Miss
    name = said(s, person)
    names = [f"my next meeting with {name}", f"the next event that I have with {name}", f"what {name} and I have next"]
    return Found("events", event, names, [find_person(person), looked], _EVENT)


def event_numbered(s: Scene) -> Found:
    event = s.event()
    return Found(
        "events",
        event,
        [f"event {value(event.id)}", f"the meeting with the number {value(event.id)}"],
        [],
        _EVENT,
        "",
        [call("calendar.get", id=event.id)],
    )


def event_earlier_of(s: Scene) -> Found:
    one, two = s.event(), s.event()
    if one.start[:10] == two.start[:10]:
        raise Miss
    row, a, b = min(one, two, key=lambda row: row.start), quoted(one.name), quoted(two.name)
    names = [
        f"the earlier of {a} and {b}",
        f"whichever comes first, {a} or {b},",
        f"the sooner one of the events {a} and {b}",
    ]
    return Found("events", row, names, [find_event(one), find_event(two)], _EVENT, "the participant")


def event_longer_of(s: Scene) -> Found:
    one, two = s.event(), s.event()
    if one.minutes == two.minutes:
        raise Miss
    row, a, b = max(one, two, key=lambda row: row.minutes), quoted(one.name), quoted(two.name)
    names = [
        f"the longer one of {a} and {b}",
        f"whichever of {a} and {b} takes more time",
        f"{a} or {b}, whichever is longer,",
    ]
    return Found("events", row, names, [find_event(one), find_event(two)], _EVENT, "the participant")


EVENTS: list[FoundPart] = [
    event_named, event_with, event_first, event_last, event_next, event_numbered, event_earlier_of, event_longer_of,
]  # fmt: skip


# -- tasks of a project ------------------------------------------------------------------------------------------------

_CARD = ("it", "that task", "the card")


def todo_named(s: Scene) -> Found:
    todo = s.todo()
    name = quoted(todo.name)
    names = [
        name,
        f"the task {name}",
        f"the card {name}",
        f"the ticket {name}",
        f"{name} on the board",
        f"the to-do {name}",
    ]
    return Found("tasks", todo, names, [find_todo(todo)], _CARD, "the assignee")


def todo_on_list(s: Scene) -> Found:
    (address, list), rows = s.few("tasks", lambda row: (row.assignee, row.list), 1, 1)
    if list == "Completed":
        raise Miss
    person = known(s, address)
    looked = search("tasks", query=f"{address} {list}")
    shows(s, looked, rows)
    name, where = said(s, person), value(list)
    names = [
        f"the only task that {name} has in {where}",
        f"{name}'s one card in {where}",
        f"what {name} has on the list {where}",
    ]
    return Found("tasks", rows[0], names, [find_person(person), looked], _CARD)


def todo_due(s: Scene) -> Found:
    (address, due), rows = s.few("tasks", lambda row: (row.assignee, row.due), 1, 1)
    person = known(s, address)
    if rows[0].list == "Completed":
        raise Miss
    looked = search("tasks", query=address, since=due, until=due)
    shows(s, looked, rows)
    name, day = said(s, person), value(s.date(due))
    names = [
        f"the task of {name} that is due on {day}",
        f"{name}'s card with the due date {day}",
        f"what {name} has due on {day}",
    ]
    return Found("tasks", rows[0], names, [find_person(person), looked], _CARD)


def todo_numbered(s: Scene) -> Found:
    todo = s.todo()
    return Found(
        "tasks",
        todo,
        [f"task {value(todo.id)}", f"the card with the number {value(todo.id)}"],
        [],
        _CARD,
        "",
        [call("projects.get", id=todo.id)],
    )


def todo_sooner_of(s: Scene) -> Found:
    one, two = s.todo(), s.todo()
    if one.due == two.due:
        raise Miss
    row, a, b = min(one, two, key=lambda row: row.due), quoted(one.name), quoted(two.name)
    names = [f"whichever of {a} and {b} is due sooner", f"the task with the earlier deadline, {a} or {b},"]
    return Found("tasks", row, names, [find_todo(one), find_todo(two)], _CARD, "the assignee")


TODOS: list[FoundPart] = [todo_named, todo_on_list, todo_due, todo_numbered, todo_sooner_of]


# -- customers ---------------------------------------------------------------------------------------------------------

_CLIENT = ("them", "that customer", "the account")


def customer_named(s: Scene) -> Found:
    customer = s.customer()
    name = value(customer.name)
    names = [name, f"the customer {name}", f"our client {name}", f"the account {name}", f"the company {name}"]
    return Found("customers", customer, names, [find_customer(customer)], _CLIENT, "the owner")


def customer_who_wrote(s: Scene) -> Found:
    customers = {row.email: row for row in s.rows("customers")}
    email = s.other(row for row in s.only("emails", "subject") if row.sender in customers)
    customer, about = s.other([customers[email.sender]]), quoted(email.subject)
    looked = search("customers", query=email.sender)
    shows(s, looked, [customer])
    names = [
        f"the customer who sent {about}",
        f"the company behind the mail {about}",
        f"whichever customer wrote {about}",
    ]
    return Found("customers", customer, names, [find_email(email), looked], _CLIENT, "the owner")


def customer_at(s: Scene) -> Found:
    (address, status), rows = s.few("customers", lambda row: (row.owner, row.status), 1, 1)
    person = known(s, address)
    looked = search("customers", query=f"{address} {status}")
    shows(s, looked, rows)
    name, stage = said(s, person), value(status)
    names = [f"the only {stage} customer of {name}", f"the one account of {name} that is {stage}"]
    names += [f"the single client with the status {stage} that {name} owns"]
    return Found("customers", s.other(rows), names, [find_person(person), looked], _CLIENT)


def customer_latest(s: Scene) -> Found:
    person = s.person()
    looked = search("customers", query=person.address)
    rows = shows(s, looked)
    if len(rows) < 2 or rows[0].last_contact == rows[1].last_contact:
        raise Miss
    name = said(s, person)
    names = [f"the customer of {name} we contacted last", f"{name}'s customer with the most recent contact"]
    return Found("customers", s.other([rows[0]]), names, [find_person(person), looked], _CLIENT)


def customer_colder_of(s: Scene) -> Found:
    one, two = s.customer(), s.customer()
    if one.last_contact == two.last_contact:
        raise Miss
    row, a, b = min(one, two, key=lambda row: row.last_contact), value(one.name), value(two.name)
    names = [f"whichever of {a} and {b} we contacted longer ago", f"{a} or {b}, the one whose last contact is older,"]
    return Found("customers", row, names, [find_customer(one), find_customer(two)], _CLIENT, "the owner")


CUSTOMERS: list[FoundPart] = [customer_named, customer_who_wrote, customer_at, customer_latest, customer_colder_of]


# -- several rows ------------------------------------------------------------------------------------------------------


def mails_of_day(s: Scene) -> Several:
    (address, day), rows = s.few("emails", lambda row: (row.sender, row.at[:10]), 2, 3)
    person = next((person for person in s.office.people if person.address == address), None)
    if person is None:
        raise Miss
    known(s, address)
    looked = search("emails", query=address, since=day, until=day)
    name, when = said(s, person), value(s.date(day))
    names = [
        f"all emails that {name} sent on {when}",
        f"every mail of {when} by {name}",
        f"whatever {name} mailed me on {when}",
    ]
    return Several("emails", shows(s, looked, rows), names, [find_person(person), looked])


def mails_named(s: Scene) -> Several:
    subject, rows = s.few("emails", lambda row: row.subject, 2, 3)
    looked = search("emails", query=subject)
    name = quoted(subject)
    names = [f"all emails called {name}", f"every mail with the subject {name}", f"each message titled {name}"]
    return Several("emails", shows(s, looked, rows), names, [looked])


def events_of_day(s: Scene) -> Several:
    day = s.day().iso
    looked = search("events", since=day, until=day)
    rows = shows(s, looked, [row for row in s.rows("events") if row.start[:10] == day])
    if not 2 <= len(rows) <= 4:
        raise Miss
    when = on(s, day)
    return Several(
        "events",
        rows,
        [f"all my events {when}", f"every meeting that I have {when}", f"each appointment {when}"],
        [looked],
    )


def events_ahead(s: Scene) -> Several:
    person = s.person()
    if any(row.participant == person.address and row.start[:10] == NOW for row in s.rows("events")):
        raise Miss  # one of today would be next
    looked = search("events", query=person.address, since=later(NOW, 1))
    rows = [row for row in s.rows("events") if row.participant == person.address and row.start[:10] > NOW]
    if not 2 <= len(rows) <= 4:
        raise Miss
    name = said(s, person)
    names = [f"all future meetings with {name}", f"every event that I still have with {name} from tomorrow on"]
    return Several("events", shows(s, looked, rows), names, [find_person(person), looked])


def todos_on_list(s: Scene) -> Several:
    (address, list), rows = s.few("tasks", lambda row: (row.assignee, row.list), 2, 4)
    if list == "Completed":
        raise Miss
    person = known(s, address)
    looked = search("tasks", query=f"{address} {list}")
    name, where = said(s, person), value(list)
    names = [
        f"all tasks that {name} has in {where}",
        f"every {where} card of {name}",
        f"each ticket of {name} on the list {where}",
    ]
    return Several("tasks", shows(s, looked, rows), names, [find_person(person), looked])


def todos_on_board(s: Scene) -> Several:
    (board, list, due), rows = s.few("tasks", lambda row: (row.board, row.list, row.due), 2, 3)
    if list == "Completed":
        raise Miss
    looked = search("tasks", query=f"{list} {board}", since=due, until=due)
    where, day = f"{value(list)} of {value(board)}", value(s.date(due))
    names = [f"all tasks in {where} that are due on {day}", f"every card in {where} with the due date {day}"]
    return Several("tasks", shows(s, looked, rows), names, [looked])


def customers_at(s: Scene) -> Several:
    (address, status), rows = s.few("customers", lambda row: (row.owner, row.status), 2, 4)
    person = known(s, address)
    looked = search("customers", query=f"{address} {status}")
    name, stage = said(s, person), value(status)
    names = [
        f"all {stage} customers of {name}",
        f"every {stage} account that {name} owns",
        f"each client of {name} that is {stage}",
    ]
    return Several("customers", shows(s, looked, rows), names, [find_person(person), looked])


def customers_of_day(s: Scene) -> Several:
    day, rows = s.few("customers", lambda row: row.last_contact, 2, 4)
    looked = search("customers", since=day, until=day)
    when = value(s.date(day))
    names = [f"all customers whose last contact was on {when}", f"every customer we last contacted on {when}"]
    return Several("customers", shows(s, looked, rows), names, [looked])


SEVERAL: list[SeveralPart] = [
    mails_of_day, mails_named, events_of_day, events_ahead, todos_on_list, todos_on_board, customers_at, customers_of_day,
]  # fmt: skip

FOUND: dict[str, list[FoundPart]] = {"emails": EMAILS, "events": EVENTS, "tasks": TODOS, "customers": CUSTOMERS}
