"""Parts of composed requests that name somebody: colleagues (`WHO`), and all who can get an email (`READERS`)."""

from authoring.workplace.compose_lookups import Miss, Who, WhoPart, known, on, search, shows
from authoring.workplace.compose_values import quoted, value
from authoring.workplace.scene import Scene, call, find_customer, find_email, find_event, find_person, find_todo


def colleague(s: Scene) -> Who:
    person = s.person()
    name = value(person.first)
    return Who(
        person.address, [name, name, value(person.name), f"our colleague {name}"], [find_person(person)], [name, "them"]
    )


def surname(s: Scene) -> Who:
    person = s.person()
    if sum(person.last.casefold() in each.name.casefold() for each in s.office.people) > 1:
        raise Miss
    name = value(person.last)
    names = [
        f"the colleague whose surname is {name}",
        f"our colleague {name}",
        f"somebody of the name {name} here in the house",
    ]
    return Who(person.address, names, [call("directory.find", name=person.last)])


def sender(s: Scene) -> Who:
    email = s.email()
    known(s, email.sender)
    about = quoted(email.subject)
    names = [
        f"the sender of {about}", f"whoever sent me {about}", f"the author of the mail {about}", f"the colleague behind {about}",
        f"the person who emailed me {about}", f"the one who wrote the message {about}", f"whoever {about} came from",
    ]  # fmt: skip
    return Who(email.sender, names, [find_email(email)], ["them", "that colleague", "the sender"])


def participant(s: Scene) -> Who:
    event = s.event()
    known(s, event.participant)
    name = quoted(event.name)
    names = [
        f"the participant of {name}", f"whoever I meet in {name}", f"the colleague invited to {name}", f"my guest at {name}",
        f"the person in the event {name}", f"whoever is down for {name}", f"the one who attends {name} with me",
    ]  # fmt: skip
    return Who(event.participant, names, [find_event(event)], ["them", "that colleague", "the participant"])


def assignee(s: Scene) -> Who:
    todo = s.todo()
    known(s, todo.assignee)
    name = quoted(todo.name)
    names = [
        f"the assignee of {name}", f"whoever works on {name}", f"the colleague who has the task {name}", f"the person on {name}",
        f"whoever the card {name} is assigned to", f"the one in charge of the ticket {name}", f"whoever {name} sits with",
    ]  # fmt: skip
    return Who(todo.assignee, names, [find_todo(todo)], ["them", "that colleague", "the assignee"])


def owner(s: Scene) -> Who:
    customer = s.customer()
    known(s, customer.owner)
    name = value(customer.name)
    names = [
        f"the owner of {name}", f"whoever owns {name}", f"the colleague in charge of the customer {name}",
        f"whoever looks after {name} in the CRM", f"the person responsible for the account {name}", f"the one who has {name}",
    ]  # fmt: skip
    return Who(customer.owner, names, [find_customer(customer)], ["them", "that colleague", "the owner"])


def latest_author(s: Scene) -> Who:
    thing = s.pick(s.words.things)
    looked = search("emails", query=thing)
    newest = shows(s, looked)[0]
    if newest.sender not in {person.address for person in s.office.people}:
        raise Miss
    known(s, newest.sender)
    about = value(thing)
    names = [
        f"whoever last mailed me about the {about}", f"the colleague with the newest mail on the {about}",
        f"the author of the latest email about the {about}", f"the one who wrote to me most recently about the {about}",
    ]  # fmt: skip
    return Who(newest.sender, names, [looked])


def first_of_day(s: Scene) -> Who:
    day = s.day().iso
    looked = search("events", since=day, until=day)
    rows = shows(s, looked, [row for row in s.rows("events") if row.start[:10] == day])
    first = min(rows, key=lambda row: row.start)
    if [row.start for row in rows].count(first.start) > 1:
        raise Miss
    known(s, first.participant)
    names = [f"whoever I meet first {on(s, day)}", f"the participant of my earliest event {on(s, day)}"]
    names += [f"the person in the first appointment that I have {on(s, day)}"]
    return Who(first.participant, names, [looked])


def numbered_todo(s: Scene) -> Who:
    todo = s.todo()
    known(s, todo.assignee)
    names = [f"the assignee of task {value(todo.id)}", f"whoever has task number {value(todo.id)}"]
    return Who(todo.assignee, names, [call("projects.get", id=todo.id)])


def numbered_event(s: Scene) -> Who:
    event = s.event()
    known(s, event.participant)
    names = [
        f"the participant of event {value(event.id)}",
        f"whoever is in the meeting with the number {value(event.id)}",
    ]
    return Who(event.participant, names, [call("calendar.get", id=event.id)])


def numbered_email(s: Scene) -> Who:
    email = s.email()
    known(s, email.sender)
    names = [f"the sender of email {value(email.id)}", f"whoever wrote the mail with the number {value(email.id)}"]
    return Who(email.sender, names, [call("email.get", id=email.id)])


def owner_of_writer(s: Scene) -> Who:
    customers = {row.email: row for row in s.rows("customers")}
    email = s.other(row for row in s.only("emails", "subject") if row.sender in customers)
    customer, about = customers[email.sender], quoted(email.subject)
    known(s, customer.owner)
    names = [
        f"the owner of the customer who sent {about}", f"whoever owns the customer behind the mail {about}",
        f"the colleague in charge of the company that wrote {about}",
    ]  # fmt: skip
    return Who(customer.owner, names, [find_email(email), search("customers", query=email.sender)])


def busier_of(s: Scene) -> Who:
    one, two = s.person(), s.person()
    loads = {person: s.loads(person) for person in (one, two)}
    busy = max(loads, key=lambda person: loads[person])
    if not all(loads[busy][index] > loads[other][index] for other in loads if other != busy for index in (0, 1)):
        raise Miss
    looks = [each for person in (one, two) for each in (find_person(person), search("tasks", query=person.address))]
    a, b = value(one.first), value(two.first)
    names = [f"whichever of {a} and {b} has more tasks", f"{a} or {b}, whoever has more cards on the board,"]
    return Who(busy.address, names, looks)


def last_to_write_of(s: Scene) -> Who:
    one, two = s.writer(), s.writer()
    looks = [(find_person(person), search("emails", query=person.address)) for person in (one, two)]
    newest = [shows(s, looked)[0] for _, looked in looks]
    if newest[0].at[:10] == newest[1].at[:10] or {row.sender for row in newest} != {one.address, two.address}:
        raise Miss
    a, b = value(one.first), value(two.first)
    names = [f"whichever of {a} and {b} wrote to me last", f"{a} or {b}, whoever sent the newer mail,"]
    return Who(max(newest, key=lambda row: row.at).sender, names, [each for look in looks for each in look])


WHO: list[WhoPart] = [
    colleague, surname, sender, participant, assignee, owner, latest_author, first_of_day, numbered_todo, numbered_event,
    numbered_email, owner_of_writer, busier_of, last_to_write_of,
]  # fmt: skip


def company(s: Scene) -> Who:
    customer = s.customer()
    name = value(customer.name)
    return Who(customer.email, [name, f"the customer {name}", f"our client {name}"], [find_customer(customer)])


def outside(s: Scene) -> Who:
    name = s.company()
    address = f"{s.pick(('hello', 'info', 'sales', 'desk', 'contact'))}@{name.replace(' ', '-').lower()}.example"
    return Who(address, [value(address), f"the address {value(address)}"], [])


READERS: list[WhoPart] = [*WHO, company, outside]
"""Who can get an email."""
