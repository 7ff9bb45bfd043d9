"""Clauses of composed requests: each joins lookups, figures or days with an act, and can be told in several ways."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from authoring.workplace import compose_acts as acts
from authoring.workplace.compose_figures import AHEAD, FIGURES, PAST, DayPart, Figure
from authoring.workplace.compose_lookups import (
    CUSTOMERS,
    EMAILS,
    FOUND,
    SEVERAL,
    TODOS,
    Found,
    FoundPart,
    Miss,
    Several,
    Who,
    WhoPart,
)
from authoring.workplace.compose_people import READERS, WHO
from authoring.workplace.compose_values import KINDS, PLOTS, event_name, quoted, title, value
from authoring.workplace.scene import Call, Scene, call

PERSON = {"emails": "sender", "events": "participant", "tasks": "assignee", "customers": "owner"}
NAMES = {"emails": "email", "events": "calendar", "tasks": "projects", "customers": "crm"}


class Told(NamedTuple):
    """One clause of a request."""

    calls: Sequence[Call]
    says: Sequence[str]
    wants: Sequence[str]
    found: Found | None = None


class Clause(NamedTuple):
    name: str
    area: str
    tell: Callable[[Scene, Found | None], Told]
    """Tells the clause. The row is the one that the request is about already, if there is one."""


def row_clause(table: str, look: FoundPart, act: acts.RowAct) -> Clause:
    def tell(s: Scene, shared: Found | None) -> Told:
        found = look(s)
        made = act(s, found, s.pick(found.names))
        return Told([*found.calls, *made.calls], made.says, made.wants, found)

    return Clause(f"{act.__name__}.{look.__name__}", NAMES[table], tell)


def row_who_clause(table: str, look: FoundPart, act: acts.RowWhoAct, who: WhoPart) -> Clause:
    def tell(s: Scene, shared: Found | None) -> Told:
        found, person = look(s), who(s)
        made = act(s, found, s.pick(found.names), person, s.pick(person.names))
        return Told([*found.calls, *made.calls], made.says, made.wants, found)

    return Clause(f"{act.__name__}.{look.__name__}.{who.__name__}", NAMES[table], tell)


def who_clause(act: acts.WhoAct, who: WhoPart) -> Clause:
    def tell(s: Scene, shared: Found | None) -> Told:
        person = who(s)
        return Told(*act(s, person, s.pick(person.names)))

    areas = {"send": "email", "book": "calendar", "new_todo": "projects", "add_customer": "crm"}
    return Clause(f"{act.__name__}.{who.__name__}", areas[act.__name__], tell)


def each_clause(rows: Callable[[Scene], Several], table: str, act: acts.EachAct) -> Clause:
    def tell(s: Scene, shared: Found | None) -> Told:
        several = rows(s)
        made = act(s, several, s.pick(several.names))
        return Told([*several.calls, *made.calls], made.says, made.wants)

    return Clause(f"{act.__name__}.{rows.__name__}", NAMES[table], tell)


def each_who_clause(rows: Callable[[Scene], Several], table: str, who: WhoPart) -> Clause:
    act = acts.EACH_WHO_ACTS[table]

    def tell(s: Scene, shared: Found | None) -> Told:
        several, person = rows(s), who(s)
        made = act(s, several, s.pick(several.names), person, s.pick(person.names))
        return Told([*several.calls, *made.calls], made.says, made.wants)

    return Clause(f"{act.__name__}.{rows.__name__}.{who.__name__}", NAMES[table], tell)


def mail_figure(figure: Callable[[Scene], Figure], who: WhoPart) -> Clause:
    def tell(s: Scene, shared: Found | None) -> Told:
        known, person, head = figure(s), who(s), title(s)
        what, whom, about = s.pick(known.names), s.pick(person.names), quoted(head)
        sent = call("email.send", to=person.address, subject=head, body=known.text)
        says = [
            f"mail {whom} {what} under the subject {about}, without any other words",
            f"send {what} to {whom} in an email titled {about} that says nothing else",
            f"look up {what} and email just that to {whom}, subject {about}",
        ]
        wants = [f"{whom} should get a mail {about} whose whole text is {what}"]
        return Told([*known.calls, *person.calls, sent], says, wants)

    return Clause(f"mail_figure.{figure.__name__}.{who.__name__}", "email", tell)


def note_figure(figure: Callable[[Scene], Figure], look: FoundPart) -> Clause:
    def tell(s: Scene, shared: Found | None) -> Told:
        known, found = figure(s), look(s)
        what, it = s.pick(known.names), s.pick(found.names)
        noted = call("crm.update", id=found.row.id, field="notes", value=known.text)
        says = [
            f"enter {what}, and only that, as the notes of {it}",
            f"replace the notes of {it} by {what} and nothing more",
        ]
        return Told([*known.calls, *found.calls, noted], says, [f"the notes of {it} should consist of {what} alone"])

    return Clause(f"note_figure.{figure.__name__}.{look.__name__}", "crm", tell)


def reply_figure(figure: Callable[[Scene], Figure], look: FoundPart) -> Clause:
    def tell(s: Scene, shared: Found | None) -> Told:
        known, found = figure(s), look(s)
        what, it = s.pick(known.names), s.pick(found.names)
        sent = call("email.reply", id=found.row.id, body=known.text)
        says = [f"answer {it} with {what} and no other word", f"reply to {it}; the reply is just {what}"]
        return Told([*known.calls, *found.calls, sent], says, [f"{what} alone is the answer to {it}"])

    return Clause(f"reply_figure.{figure.__name__}.{look.__name__}", "email", tell)


def due_on_day(day: DayPart, look: FoundPart) -> Clause:
    def tell(s: Scene, shared: Found | None) -> Told:
        known, found = day(s), look(s)
        if known.iso == found.row.due:
            raise Miss
        when, it = s.pick(known.names), s.pick(found.names)
        made = call("projects.update", id=found.row.id, field="due", value=known.iso)
        says = [
            f"make {it} due on {when}",
            f"set the deadline of {it} to {when}",
            f"use {when} as the due date of {it}",
        ]
        return Told([*known.calls, *found.calls, made], says, [f"{it} should be due on {when}"], found)

    return Clause(f"due_on_day.{day.__name__}.{look.__name__}", "projects", tell)


def contact_on_day(day: DayPart, look: FoundPart) -> Clause:
    def tell(s: Scene, shared: Found | None) -> Told:
        known, found = day(s), look(s)
        if known.iso == found.row.last_contact:
            raise Miss
        when, it = s.pick(known.names), s.pick(found.names)
        made = call("crm.update", id=found.row.id, field="last_contact", value=known.iso)
        says = [f"enter {when} as the last contact with {it}", f"set the last contact of {it} to {when}"]
        return Told([*known.calls, *found.calls, made], says, [f"the last contact of {it} should be {when}"], found)

    return Clause(f"contact_on_day.{day.__name__}.{look.__name__}", "crm", tell)


def book_on_day(day: DayPart, who: WhoPart) -> Clause:
    def tell(s: Scene, shared: Found | None) -> Told:
        known, person, name, time, minutes = day(s), who(s), event_name(s), s.time(), s.minutes()
        when, whom = s.pick(known.names), s.pick(person.names)
        at = f"at {value(time.words)} for {value(minutes)} minutes"
        start = f"{known.iso} {time.clock}"
        made = call("calendar.create", name=name, participant=person.address, start=start, minutes=minutes)
        says = [
            f"book {quoted(name)} with {whom} on {when}, {at}",
            f"schedule {quoted(name)} {at} on {when}, with {whom}",
        ]
        return Told(
            [*known.calls, *person.calls, made], says, [f"on {when} I want to see {whom} {at}, title {quoted(name)}"]
        )

    return Clause(f"book_on_day.{day.__name__}.{who.__name__}", "calendar", tell)


def plot_on_day(day: DayPart) -> Clause:
    def tell(s: Scene, shared: Found | None) -> Told:
        known, measure, kind = day(s), s.pick(tuple(PLOTS)), s.pick(tuple(KINDS))
        when, what, chart = s.pick(known.names), value(s.pick(PLOTS[measure])), value(KINDS[kind])
        made = call("analytics.create_plot", since=known.iso, until=known.iso, value=measure, kind=kind)
        says = [f"draw {chart} of {what} on {when}", f"make {chart} with {what} for {when} alone"]
        return Told([*known.calls, made], says, [f"I want {chart} of {what} for {when}"])

    return Clause(f"plot_on_day.{day.__name__}", "analytics", tell)


def plot_best_source() -> Clause:
    def tell(s: Scene, shared: Found | None) -> Told:
        span, kind = s.span(apart=True), s.pick(tuple(KINDS))
        ranked = [source for source, _ in Counter(visit.source for visit in s.visits(span)).most_common()]
        place = s.pick((0, -1))
        what, when = "strongest" if place == 0 else "weakest", value(span.words)
        chart = value(KINDS[kind])
        looked = call("analytics.count_sources", since=span.since, until=span.until)
        made = call(
            "analytics.create_plot", since=span.since, until=span.until, value=f"visits_{ranked[place]}", kind=kind
        )
        says = [
            f"draw {chart} of the visits from the {what} source {when}",
            f"find the {what} source {when} and plot its visits as {chart}",
        ]
        return Told([looked, made], says, [f"I want {chart} of the {what} source {when}"])

    return Clause("plot_best_source", "analytics", tell)


def plot_clause() -> Clause:
    return Clause("plot", "analytics", lambda s, shared: Told(*acts.plot(s)))


def same_row(act: acts.RowAct) -> Clause:
    """Acts on the row that the request is about already."""

    def tell(s: Scene, shared: Found | None) -> Told:
        assert shared is not None
        return Told(*act(s, shared, s.pick(shared.again)))

    return Clause(f"same.{act.__name__}", "", tell)


def same_row_who(act: acts.RowWhoAct, who: WhoPart) -> Clause:
    def tell(s: Scene, shared: Found | None) -> Told:
        assert shared is not None
        person = who(s)
        return Told(*act(s, shared, s.pick(shared.again), person, s.pick(person.names)))

    return Clause(f"same.{act.__name__}.{who.__name__}", "", tell)


def same_person(act: acts.WhoAct) -> Clause:
    """Acts with the person in the row that the request is about."""

    def tell(s: Scene, shared: Found | None) -> Told:
        assert shared is not None
        if not shared.person:
            raise Miss
        role = shared.person.removeprefix("the ")
        whom = s.pick(
            [f"its {role}", f"the {role} of it"] if shared.table != "customers" else ["their owner", "the owner"]
        )
        return Told(*act(s, Who(getattr(shared.row, PERSON[shared.table]), [whom], []), whom))

    return Clause(f"same_person.{act.__name__}", "", tell)


def single_clauses() -> list[Clause]:
    """Every clause that can stand alone."""
    clauses: list[Clause] = []
    for table, looks in FOUND.items():
        for look in looks:
            clauses += [row_clause(table, look, act) for act in acts.ROW_ACTS[table]]
            clauses += [row_who_clause(table, look, act, who) for act in acts.ROW_WHO_ACTS[table] for who in WHO]
    clauses += [who_clause(acts.send, who) for who in READERS]
    clauses += [who_clause(act, who) for act in acts.WHO_ACTS[1:] for who in WHO]
    for rows in SEVERAL:
        table = _table(rows)
        clauses += [each_clause(rows, table, act) for act in acts.EACH_ACTS[table]]
        clauses += [each_who_clause(rows, table, who) for who in WHO[:6]]
    for figure in FIGURES:
        clauses += [mail_figure(figure, who) for who in READERS]
        clauses += [note_figure(figure, look) for look in CUSTOMERS]
        clauses += [reply_figure(figure, look) for look in EMAILS[:5]]
    for day in AHEAD:
        clauses += [due_on_day(day, look) for look in TODOS] + [book_on_day(day, who) for who in WHO]
    for day in PAST:
        clauses += [contact_on_day(day, look) for look in CUSTOMERS] + [plot_on_day(day)]
    return [*clauses, plot_best_source(), plot_clause()]


def _table(rows: Callable[[Scene], Several]) -> str:
    kind = rows.__name__.partition("_")[0]
    return {"mails": "emails", "events": "events", "todos": "tasks", "customers": "customers"}[kind]
