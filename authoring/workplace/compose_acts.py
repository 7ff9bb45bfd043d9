"""Parts of composed requests that change something: what is done with a row, with a colleague, or with the website's figures.

An act has phrases in the imperative (`says`) and clauses that state what should be (`wants`). Both fit behind a condition.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from authoring.workplace.compose_lookups import Found, Miss, Several, Who, on
from authoring.workplace.compose_values import KINDS, PLOTS, event_name, quoted, text, title, value
from authoring.workplace.scene import Call, Scene, call, later, mailbox
from verigym.environments.workplace.office import BOARDS, LISTS, PRODUCTS, STATUSES, TODAY


class Act(NamedTuple):
    calls: Sequence[Call]
    says: Sequence[str]
    wants: Sequence[str] = ()


RowAct = Callable[[Scene, Found, str], Act]
RowWhoAct = Callable[[Scene, Found, str, Who, str], Act]
WhoAct = Callable[[Scene, Who, str], Act]
FreeAct = Callable[[Scene], Act]
EachAct = Callable[[Scene, Several, str], Act]


def _but(s: Scene, options: Sequence[str], now: str) -> str:
    return s.pick([option for option in options if option != now])


# -- with a row --------------------------------------------------------------------------------------------------------


def reply(s: Scene, found: Found, it: str) -> Act:
    body = text(s)
    says = quoted(body)
    return Act(
        [call("email.reply", id=found.row.id, body=body)],
        [
            f"answer {it} with {says}",
            f"reply {says} to {it}",
            f"respond to {it}: {says}",
            f"write back {says} to {it}",
            f"send a reply to {it} that reads {says}",
        ],
        [f"{it} gets the reply {says}", f"my answer to {it} is {says}", f"{says} goes out as the response to {it}"],
    )


def drop_email(s: Scene, found: Found, it: str) -> Act:
    return Act(
        [call("email.delete", id=found.row.id)],
        [f"delete {it}", f"throw {it} away", f"get rid of {it}", f"bin {it}", f"take {it} out of my mailbox"],
        [f"{it} can go", f"{it} should be deleted", f"I have no more use for {it}, so it goes"],
    )


def move_event(s: Scene, found: Found, it: str) -> Act:
    when, time = s.day(), s.time()
    start = f"{when.iso} {time.clock}"
    if start == found.row.start:
        raise Miss
    to = f"{value(when.words)} at {value(time.words)}"
    return Act(
        [call("calendar.update", id=found.row.id, field="start", value=start)],
        [
            f"let {it} begin {to}",
            f"move the start of {it}: it begins {to}",
            f"put {it} at a new time, {to}",
            f"reschedule {it}: {to}",
        ],
        [f"{it} starts {to} instead", f"the new time of {it}: {to}", f"{it} should take place {to}"],
    )


def shift_event(s: Scene, found: Found, it: str) -> Act:
    days = s.pick((1, 2, 7, 14))
    start = f"{later(found.row.start[:10], days)}{found.row.start[10:]}"
    span = {1: "by a day", 2: "by two days", 7: "by a week", 14: "by two weeks"}[days]
    return Act(
        [*found.get, call("calendar.update", id=found.row.id, field="start", value=start)],
        [
            f"postpone {it} {value(span)}, same hour",
            f"put {it} off {value(span)} and keep the hour",
            f"delay {it} {value(span)}",
        ],
        [f"{it} shifts {value(span)} to a later date, at the same hour"],
    )


def length_event(s: Scene, found: Found, it: str) -> Act:
    minutes = s.pick([each for each in (10, 15, 20, 25, 30, 40, 45, 50, 60, 75, 90) if each != found.row.minutes])
    span = f"{value(minutes)} minutes"
    return Act(
        [call("calendar.update", id=found.row.id, field="minutes", value=minutes)],
        [
            f"make {it} {span} long",
            f"set the length of {it} to {span}",
            f"change {it} so that it takes {span}",
            f"plan {span} for {it}",
        ],
        [f"{it} takes {span}", f"{span} is the new length of {it}", f"{it} should last {span}"],
    )


def name_event(s: Scene, found: Found, it: str) -> Act:
    name = event_name(s)
    if name == found.row.name:
        raise Miss
    return Act(
        [call("calendar.update", id=found.row.id, field="name", value=name)],
        [
            f"rename {it} to {quoted(name)}",
            f"call {it} {quoted(name)} from today",
            f"give {it} the title {quoted(name)}",
        ],
        [f"{quoted(name)} is the new name of {it}", f"{it} should be called {quoted(name)}"],
    )


def drop_event(s: Scene, found: Found, it: str) -> Act:
    return Act(
        [call("calendar.delete", id=found.row.id)],
        [
            f"cancel {it}",
            f"call {it} off",
            f"take {it} out of my calendar",
            f"delete {it}",
            f"strike {it} from my schedule",
        ],
        [f"{it} will not take place, so remove it", f"{it} is off and has to leave the calendar"],
    )


def list_todo(s: Scene, found: Found, it: str) -> Act:
    name = _but(s, LISTS, found.row.list)
    return Act(
        [call("projects.update", id=found.row.id, field="list", value=name)],
        [
            f"move {it} to {value(name)}",
            f"put {it} on the list {value(name)}",
            f"shift {it} over to {value(name)}",
            f"set {it} to {value(name)}",
        ],
        [f"{it} belongs in {value(name)}", f"{value(name)} is the right list for {it}", f"{it} goes to {value(name)}"],
    )


def due_todo(s: Scene, found: Found, it: str) -> Act:
    when = s.day()
    if when.iso == found.row.due:
        raise Miss
    return Act(
        [call("projects.update", id=found.row.id, field="due", value=when.iso)],
        [
            f"make {it} due {value(when.words)}",
            f"set the deadline of {it} to {value(s.date(when.iso))}",
            f"change the due date of {it} to {value(when.iso)}",
        ],
        [
            f"{it} is to be finished {value(when.words)}, which is its new due date",
            f"the new deadline of {it} is {value(when.iso)}",
        ],
    )


def board_todo(s: Scene, found: Found, it: str) -> Act:
    board = _but(s, BOARDS, found.row.board)
    return Act(
        [call("projects.update", id=found.row.id, field="board", value=board)],
        [
            f"move {it} to the board {value(board)}",
            f"transfer {it} to {value(board)}",
            f"put {it} on the {value(board)} board",
        ],
        [f"{value(board)} is the board where {it} belongs", f"{it} should be with {value(board)}"],
    )


def name_todo(s: Scene, found: Found, it: str) -> Act:
    name = s.chore()
    if name == found.row.name:
        raise Miss
    return Act(
        [call("projects.update", id=found.row.id, field="name", value=name)],
        [
            f"rename {it} to {quoted(name)}",
            f"change the name of {it} to {quoted(name)}",
            f"let {it} be called {quoted(name)}",
        ],
        [f"{it} gets a new name, {quoted(name)}", f"{quoted(name)} describes {it} better; use that as its name"],
    )


def drop_todo(s: Scene, found: Found, it: str) -> Act:
    return Act(
        [call("projects.delete", id=found.row.id)],
        [f"delete {it}", f"take {it} off the board", f"drop {it}", f"remove {it} from the board", f"throw {it} out"],
        [f"{it} has become pointless, delete it", f"{it} is no longer needed and can be removed"],
    )


def status_customer(s: Scene, found: Found, it: str) -> Act:
    status = _but(s, STATUSES, found.row.status)
    return Act(
        [call("crm.update", id=found.row.id, field="status", value=status)],
        [
            f"set {it} to {value(status)}",
            f"mark {it} as {value(status)}",
            f"change the status of {it} to {value(status)}",
            f"record {it} as {value(status)}",
        ],
        [f"{value(status)} is the status that {it} should have", f"the CRM should show {value(status)} for {it}"],
    )


def product_customer(s: Scene, found: Found, it: str) -> Act:
    product = _but(s, PRODUCTS, found.row.product)
    return Act(
        [call("crm.update", id=found.row.id, field="product", value=product)],
        [
            f"change the product of {it} to {value(product)}",
            f"enter {value(product)} as the product of {it}",
            f"switch {it} to {value(product)}",
        ],
        [
            f"{it} buys {value(product)} from us, so that is the product",
            f"{value(product)} should be the product of {it}",
        ],
    )


def phone_customer(s: Scene, found: Found, it: str) -> Act:
    phone = s.phone()
    return Act(
        [call("crm.update", id=found.row.id, field="phone", value=phone)],
        [
            f"change the phone number of {it} to {value(phone)}",
            f"enter {value(phone)} as the telephone of {it}",
            f"note the new phone of {it}, {value(phone)}",
        ],
        [
            f"the phone of {it} is {value(phone)}, correct that",
            f"{it} can be reached under {value(phone)}; update the phone",
        ],
    )


def notes_customer(s: Scene, found: Found, it: str) -> Act:
    notes = text(s)
    return Act(
        [call("crm.update", id=found.row.id, field="notes", value=notes)],
        [
            f"write {quoted(notes)} into the notes of {it}",
            f"replace the notes of {it} by {quoted(notes)}",
            f"note {quoted(notes)} for {it}",
        ],
        [f"the notes of {it} should read {quoted(notes)}", f"{quoted(notes)} belongs in the notes of {it}"],
    )


def contact_customer(s: Scene, found: Found, it: str) -> Act:
    day = later(TODAY.isoformat(), -s.pick(range(1, 20)))
    if day == found.row.last_contact:
        raise Miss
    when = value(s.date(day))
    return Act(
        [call("crm.update", id=found.row.id, field="last_contact", value=day)],
        [f"set the last contact of {it} to {when}", f"enter {when} as the day of our last contact with {it}"],
        [
            f"we were last in touch with {it} on {when}, so record that",
            f"the last contact of {it} was on {when}; correct it",
        ],
    )


def drop_customer(s: Scene, found: Found, it: str) -> Act:
    return Act(
        [call("crm.delete", id=found.row.id)],
        [f"delete {it} from the CRM", f"remove {it} from our customers", f"take {it} out of the customer data"],
        [f"{it} should no longer be in the CRM", f"we do no more business with {it}, so delete the entry"],
    )


ROW_ACTS: dict[str, list[RowAct]] = {
    "emails": [reply, drop_email],
    "events": [move_event, shift_event, length_event, name_event, drop_event],
    "tasks": [list_todo, due_todo, board_todo, name_todo, drop_todo],
    "customers": [status_customer, product_customer, phone_customer, notes_customer, contact_customer, drop_customer],
}


# -- with a row and somebody -------------------------------------------------------------------------------------------


def forward(s: Scene, found: Found, it: str, who: Who, whom: str) -> Act:
    return Act(
        [*who.calls, call("email.forward", id=found.row.id, to=who.address)],
        [
            f"forward {it} to {whom}",
            f"pass {it} on to {whom}",
            f"send {it} on to {whom}",
            f"let {whom} have {it} as a forward",
        ],
        [f"{whom} should receive {it}, so forward it", f"{it} has to be forwarded to {whom}"],
    )


def swap_participant(s: Scene, found: Found, it: str, who: Who, whom: str) -> Act:
    if who.address == found.row.participant:
        raise Miss
    return Act(
        [*who.calls, call("calendar.update", id=found.row.id, field="participant", value=who.address)],
        [
            f"make {whom} the participant of {it}",
            f"change the participant of {it} to {whom}",
            f"hold {it} with {whom} instead",
        ],
        [f"{whom} takes part in {it} in place of the present participant", f"the new participant of {it} is {whom}"],
    )


def assign(s: Scene, found: Found, it: str, who: Who, whom: str) -> Act:
    if who.address == found.row.assignee:
        raise Miss
    return Act(
        [*who.calls, call("projects.update", id=found.row.id, field="assignee", value=who.address)],
        [f"assign {it} to {whom}", f"give {it} to {whom}", f"hand {it} to {whom}", f"make {whom} the assignee of {it}"],
        [f"{whom} takes {it} over", f"{it} becomes the job of {whom}", f"the new assignee of {it} is {whom}"],
    )


def hand_customer(s: Scene, found: Found, it: str, who: Who, whom: str) -> Act:
    if who.address == found.row.owner:
        raise Miss
    return Act(
        [*who.calls, call("crm.update", id=found.row.id, field="owner", value=who.address)],
        [
            f"make {whom} the owner of {it}",
            f"hand {it} over to {whom}",
            f"transfer {it} to {whom}",
            f"put {whom} in charge of {it}",
        ],
        [f"{whom} becomes the owner of {it}", f"from today {it} belongs to {whom}"],
    )


def task_of(s: Scene, found: Found, it: str, who: Who, whom: str) -> Act:
    """A new task named after an email or an event."""
    name = found.row.subject if found.table == "emails" else found.row.name
    board, list, when = s.pick(BOARDS), s.pick(LISTS[:2]), s.day()
    where = f"{value(board)}, {value(list)}, due {value(when.words)}"
    made = call("projects.create", name=name, assignee=who.address, list=list, board=board, due=when.iso)
    return Act(
        [*found.get, *who.calls, made],
        [
            f"create a task of the same name as {it} for {whom} ({where})",
            f"turn {it} into a card of that name for {whom}: {where}",
        ],
        [f"{whom} gets a task that is called exactly like {it}: {where}"],
    )


def meet_about(s: Scene, found: Found, it: str, who: Who, whom: str) -> Act:
    """A new event named after an email or a task."""
    name = found.row.subject if found.table == "emails" else found.row.name
    when, time, minutes = s.day(), s.time(), s.minutes()
    at = f"{value(when.words)} at {value(time.words)}, {value(minutes)} minutes"
    made = call(
        "calendar.create", name=name, participant=who.address, start=f"{when.iso} {time.clock}", minutes=minutes
    )
    return Act(
        [*found.get, *who.calls, made],
        [
            f"book a meeting with {whom} named like {it}: {at}",
            f"put an event into the calendar that bears the name of {it}, with {whom}, {at}",
        ],
        [f"{whom} and I meet {at}, under the name of {it}"],
    )


ROW_WHO_ACTS: dict[str, list[RowWhoAct]] = {
    "emails": [forward, task_of, meet_about],
    "events": [swap_participant, task_of],
    "tasks": [assign, meet_about],
    "customers": [hand_customer, meet_about],
}


# -- with somebody -----------------------------------------------------------------------------------------------------


def send(s: Scene, who: Who, whom: str) -> Act:
    subject, body = title(s), text(s)
    head, says = quoted(subject), quoted(body)
    return Act(
        [*who.calls, call("email.send", to=who.address, subject=subject, body=body)],
        [
            f"email {whom}, subject {head}, text {says}",
            f"write a mail to {whom} called {head}: {says}",
            f"send {whom} a message headed {head} which says {says}",
            f"mail {whom} {says} under the title {head}",
            f"let {whom} know by email ({head}): {says}",
            f"drop {whom} a mail, {head} as the subject and {says} as the body",
        ],
        [
            f"{whom} should get an email {head} with the words {says}",
            f"a new mail {head} goes to {whom} and reads {says}",
        ],
    )


def book(s: Scene, who: Who, whom: str) -> Act:
    name, when, time, minutes = event_name(s), s.day(), s.time(), s.minutes()
    at, span = f"{value(when.words)} at {value(time.words)}", value(minutes)
    made = call(
        "calendar.create", name=name, participant=who.address, start=f"{when.iso} {time.clock}", minutes=minutes
    )
    return Act(
        [*who.calls, made],
        [
            f"book {span} minutes with {whom} {at}, called {quoted(name)}",
            f"schedule {quoted(name)} with {whom}: {at}, {span} minutes",
            f"put {quoted(name)} with {whom} into my calendar, {at}, {span} minutes long",
            f"arrange a meeting {quoted(name)} of {span} minutes with {whom} {at}",
        ],
        [
            f"I would like to see {whom} {at} for {span} minutes, title {quoted(name)}",
            f"{whom} and I have {quoted(name)} {at}, {span} minutes; enter it",
        ],
    )


def new_todo(s: Scene, who: Who, whom: str) -> Act:
    name, board, list, when = s.chore(), s.pick(BOARDS), s.pick(LISTS[:3]), s.day()
    made = call("projects.create", name=name, assignee=who.address, list=list, board=board, due=when.iso)
    where = f"{value(board)}, {value(list)}, due {value(when.words)}"
    return Act(
        [*who.calls, made],
        [
            f"create a task {quoted(name)} for {whom} ({where})",
            f"add the card {quoted(name)} to {value(board)} for {whom}: list {value(list)}, due date {value(when.iso)}",
            f"give {whom} a new task, {quoted(name)}: {where}",
            f"open a ticket {quoted(name)} on {value(board)}, {value(list)}, due {value(when.words)}, for {whom}",
        ],
        [f"{whom} has a new job, {quoted(name)} ({where})", f"a new card {quoted(name)} should go to {whom}: {where}"],
    )


def add_customer(s: Scene, who: Who, whom: str) -> Act:
    name, status, product = s.company(), s.pick(STATUSES), s.pick(PRODUCTS)
    made = call("crm.add", name=name, email=mailbox(name), owner=who.address, status=status, product=product)
    about = f"{value(mailbox(name))}, {value(status)}, {value(product)}"
    return Act(
        [*who.calls, made],
        [
            f"add {value(name)} as a customer ({about}) with {whom} as the owner",
            f"enter the new customer {value(name)}, {about}, owned by {whom}",
        ],
        [
            f"{value(name)} is a new customer: {about}, and the owner is {whom}",
            f"{whom} owns a new account, {value(name)} ({about}); enter it",
        ],
    )


WHO_ACTS: list[WhoAct] = [send, book, new_todo, add_customer]


# -- with the website's figures ----------------------------------------------------------------------------------------


def plot(s: Scene) -> Act:
    span, measure, kind = s.span(), s.pick(tuple(PLOTS)), s.pick(tuple(KINDS))
    what, when = s.pick(PLOTS[measure]), value(span.words)
    made = call("analytics.create_plot", since=span.since, until=span.until, value=measure, kind=kind)
    return Act(
        [made],
        [
            f"draw {value(KINDS[kind])} of {value(what)} {when}",
            f"make {value(KINDS[kind])} that shows {value(what)} {when}",
            f"plot {value(what)} {when} as {value(KINDS[kind])}",
        ],
        [
            f"I want {value(KINDS[kind])} of {value(what)} {when}",
            f"{value(what)} {when} should be plotted as {value(KINDS[kind])}",
        ],
    )


# -- with several rows -------------------------------------------------------------------------------------------------


def _each(rows: Several, tool: str, **arguments: object) -> list[Call]:
    return [call(tool, id=row.id, **arguments) for row in rows.rows]


def reply_each(s: Scene, rows: Several, them: str) -> Act:
    body = text(s)
    return Act(
        _each(rows, "email.reply", body=body), [f"answer {them} with {quoted(body)}", f"reply {quoted(body)} to {them}"]
    )


def drop_emails(s: Scene, rows: Several, them: str) -> Act:
    return Act(_each(rows, "email.delete"), [f"delete {them}", f"bin {them}", f"throw {them} away"])


def drop_events(s: Scene, rows: Several, them: str) -> Act:
    return Act(_each(rows, "calendar.delete"), [f"cancel {them}", f"call {them} off", f"delete {them}"])


def length_events(s: Scene, rows: Several, them: str) -> Act:
    minutes = s.pick([each for each in (10, 20, 25, 40, 50) if all(each != row.minutes for row in rows.rows)])
    made = _each(rows, "calendar.update", field="minutes", value=minutes)
    return Act(made, [f"set {them} to {value(minutes)} minutes", f"make {them} {value(minutes)} minutes long"])


def name_events(s: Scene, rows: Several, them: str) -> Act:
    name = event_name(s)
    made = _each(rows, "calendar.update", field="name", value=name)
    return Act(made, [f"rename {them} to {quoted(name)}", f"give {them} the name {quoted(name)}"])


def list_todos(s: Scene, rows: Several, them: str) -> Act:
    name = _but(s, LISTS, rows.rows[0].list)
    made = _each(rows, "projects.update", field="list", value=name)
    return Act(made, [f"move {them} to {value(name)}", f"put {them} on the list {value(name)}"])


def due_todos(s: Scene, rows: Several, them: str) -> Act:
    when = s.day()
    if any(row.due == when.iso for row in rows.rows):
        raise Miss
    made = _each(rows, "projects.update", field="due", value=when.iso)
    return Act(made, [f"make {them} due {on(s, when.iso)}", f"set the due date of {them} to {value(s.date(when.iso))}"])


def drop_todos(s: Scene, rows: Several, them: str) -> Act:
    return Act(_each(rows, "projects.delete"), [f"delete {them}", f"take {them} off the board"])


def status_customers(s: Scene, rows: Several, them: str) -> Act:
    status = s.pick([each for each in STATUSES if all(each != row.status for row in rows.rows)])
    made = _each(rows, "crm.update", field="status", value=status)
    return Act(made, [f"set {them} to {value(status)}", f"mark {them} as {value(status)}"])


def product_customers(s: Scene, rows: Several, them: str) -> Act:
    product = s.pick([each for each in PRODUCTS if all(each != row.product for row in rows.rows)])
    made = _each(rows, "crm.update", field="product", value=product)
    return Act(
        made, [f"change the product of {them} to {value(product)}", f"enter {value(product)} as the product of {them}"]
    )


EACH_ACTS: dict[str, list[EachAct]] = {
    "emails": [reply_each, drop_emails],
    "events": [drop_events, length_events, name_events],
    "tasks": [list_todos, due_todos, drop_todos],
    "customers": [status_customers, product_customers],
}


EachWhoAct = Callable[[Scene, Several, str, Who, str], Act]


def forward_each(s: Scene, rows: Several, them: str, who: Who, whom: str) -> Act:
    made = _each(rows, "email.forward", to=who.address)
    return Act([*who.calls, *made], [f"forward {them} to {whom}", f"pass {them} on to {whom}"])


def swap_each(s: Scene, rows: Several, them: str, who: Who, whom: str) -> Act:
    if any(row.participant == who.address for row in rows.rows):
        raise Miss
    made = _each(rows, "calendar.update", field="participant", value=who.address)
    return Act([*who.calls, *made], [f"make {whom} the participant of {them}", f"hold {them} with {whom} instead"])


def assign_each(s: Scene, rows: Several, them: str, who: Who, whom: str) -> Act:
    if any(row.assignee == who.address for row in rows.rows):
        raise Miss
    made = _each(rows, "projects.update", field="assignee", value=who.address)
    return Act([*who.calls, *made], [f"assign {them} to {whom}", f"hand {them} to {whom}"])


def hand_each(s: Scene, rows: Several, them: str, who: Who, whom: str) -> Act:
    if any(row.owner == who.address for row in rows.rows):
        raise Miss
    made = _each(rows, "crm.update", field="owner", value=who.address)
    return Act([*who.calls, *made], [f"make {whom} the owner of {them}", f"transfer {them} to {whom}"])


EACH_WHO_ACTS: dict[str, EachWhoAct] = {
    "emails": forward_each,
    "events": swap_each,
    "tasks": assign_each,
    "customers": hand_each,
}
