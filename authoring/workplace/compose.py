"""Composes training requests of `workplace` from parts: lookups, conditions, figures and acts, with wordings by a grammar.

A program is a sequence of parts, such as "if a task is on a list, forward an email to its assignee, otherwise cancel an event".
Names and values, the office, the phrases of each part and the frame of the sentence are drawn for
each task. No five words in a row are those of a held-out request: a draw that has such words is dropped. `make` checks the
tasks as it checks those of the stories.
"""

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from random import Random
from typing import Any, NamedTuple, TypeVar

from authoring.engine import Exhausted, Family, Turn
from authoring.workplace import compose_acts as acts
from authoring.workplace.compose_harm import FRAMES, HARMS, SENTENCES, Harm
from authoring.workplace.compose_lookups import (
    CUSTOMERS,
    EMAILS,
    FOUND,
    READERS,
    SEVERAL,
    TODOS,
    WHO,
    Found,
    FoundPart,
    Miss,
    Several,
    Who,
    WhoPart,
    colleague,
)
from authoring.workplace.compose_tests import AHEAD, FIGURES, PAST, TESTS, DayPart, Figure, Test
from authoring.workplace.compose_values import event_name, masked, quoted, title, value
from authoring.workplace.scene import Call, Scene, call
from verigym.core.records import Task
from verigym.core.seeds import derive
from verigym.environments import workplace
from verigym.environments.workplace.office import OFFICES, SEED, office, pick
from verigym.environments.workplace.words import TRAIN

T = TypeVar("T")

SPLIT = "train_composed"
MAX_CALLS = 6
MAX_DRAWS = 20
"""Draws per task. A program that fits no office ends after so many."""
NUM_CONDITIONS, NUM_PAIRS, NUM_CONTINUED, NUM_TRIPLES = 2600, 1800, 1200, 700
"""Programs of each kind that are drawn from all that are possible. Those of one act are all made."""
PERSON = {"emails": "sender", "events": "participant", "tasks": "assignee", "customers": "owner"}
NAMES = {"emails": "email", "events": "calendar", "tasks": "projects", "customers": "crm"}

OPENINGS = (
    "Good morning!", "Hi there.", "Quick one before my next call:", "I am on the train, so please do this for me.", "Hello,",
    "Something for you:", "Before I forget:", "From my list of today:", "When you have a minute:", "Morning.", "As discussed:",
    "A small favour:", "Short request.", "Next point.", "Back from lunch, and this is left:",
)  # fmt: skip
CLOSINGS = (
    "Thanks!", "That is all.", "Nothing more for now.", "I promised it yesterday.", "Much obliged.", "Cheers.",
    "No hurry, but today.", "Please be careful with the details.", "Many thanks in advance.",
    "The rest stays as it is.", "Then we are done.", "Thank you so much.",
)  # fmt: skip
ONE = (
    "{A}.", "Please {a}.", "Could you {a}?", "{A}, please.", "I need you to {a}.", "Kindly {a}.", "One thing to do: {a}.",
    "Would you {a}?", "I would like you to {a}.", "Your turn: {a}.", "Can you {a}, please?", "to do: {a}",
    "My wish for today: {a}.", "It is time to {a}.", "Be so kind as to {a}.",
)  # fmt: skip
ONE_WANTED = (
    "{A}.",
    "{A}, please.",
    "Please see to it: {a}.",
    "This is what I want: {a}.",
    "Make it so: {a}.",
    "{A}, that is all.",
)
TWO = (
    "{A}, and {b}.", "{A}. Then {b}.", "First {a}, then {b}.", "Two things: {a}; {b}.", "{A}; also {b}.", "1. {A}. 2. {B}.",
    "{A}. After that, {b}.", "Please {a}. {B}, too.", "To begin with, {a}. Next, {b}.", "{A}. And {b}.", "{a} + {b}",
    "{A}. Once this is done, {b}.", "There are two steps. {A}. {B}.", "{A}, then {b}, please.",
)  # fmt: skip
THREE = (
    "{A}, {b}, and {c}.", "Three things: {a}; {b}; {c}.", "{A}. Then {b}. Finally {c}.", "1. {A}. 2. {B}. 3. {C}.",
    "First {a}. Second, {b}. Third, {c}.", "{A}; {b}; {c}.", "Please {a}. {B}. And {c}.",
)  # fmt: skip
EITHER = (
    "If {yes}, {a}. If not, {b}.", "If {yes}, {a}; otherwise {b}.", "In case {yes}: {a}. In case {no}: {b}.",
    "Check it first: if {yes}, {a}, else {b}.", "When {no}, {b}. When {yes}, {a}.", "Find out whether {yes}. Yes: {a}. No: {b}.",
    "{B}, unless {yes}: in that event {a}.", "Should you see that {yes}, {a}. Otherwise {b}.", "If {no}, {b}, but if {yes}, {a}.",
    "Suppose {yes}: then {a}. Suppose {no}: then {b}.", "Is it true that {yes}? Then {a}. Is it not? Then {b}.",
    "I do not know whether {yes}. Look it up. If it is so, {a}; if it is not, {b}.", "{yes} -> {a}; {no} -> {b}",
    "Depending on the facts: {a}, provided that {yes}; {b}, provided that {no}.", "Have a look. {Yes}? Then {a}. {No}? Then {b}.",
)  # fmt: skip


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


class Composed(NamedTuple):
    """A request with marks around its values."""

    marked: str
    calls: Sequence[Call]
    harm: Call | None = None


Program = Callable[[Scene], Composed]


# -- clauses -----------------------------------------------------------------------------------------------------------


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
        known, measure, kind = day(s), s.pick(tuple(acts.PLOTS)), s.pick(tuple(acts.KINDS))
        when, what, chart = s.pick(known.names), value(s.pick(acts.PLOTS[measure])), value(acts.KINDS[kind])
        made = call("analytics.create_plot", since=known.iso, until=known.iso, value=measure, kind=kind)
        says = [f"draw {chart} of {what} on {when}", f"make {chart} with {what} for {when} alone"]
        return Told([*known.calls, made], says, [f"I want {chart} of {what} for {when}"])

    return Clause(f"plot_on_day.{day.__name__}", "analytics", tell)


def plot_best_source() -> Clause:
    def tell(s: Scene, shared: Found | None) -> Told:
        span, kind = s.span(apart=True), s.pick(tuple(acts.KINDS))
        ranked = [source for source, _ in Counter(visit.source for visit in s.visits(span)).most_common()]
        place = s.pick((0, -1))
        what, when = "strongest" if place == 0 else "weakest", value(span.words)
        chart = value(acts.KINDS[kind])
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


# -- programs ----------------------------------------------------------------------------------------------------------


def framed(s: Scene, frame: str, **clauses: str) -> str:
    """Fills a frame. `{A}` is the clause `a` with a capital."""
    words = dict(clauses) | {name.capitalize(): _capital(clause) for name, clause in clauses.items()}
    said = frame.format(**words)
    if s.pick((0, 0, 1)):
        opening = s.pick(OPENINGS)
        goes_on = opening.endswith((":", ",")) and re.match(r"[A-Z][a-z]", said)
        said = f"{opening} {said[:1].lower() + said[1:] if goes_on else said}"
    if s.pick((0, 0, 0, 1)):
        said = f"{said} {s.pick(CLOSINGS)}"
    said = re.sub(r"([.!?]\x03\")[.,](?= |$)", r"\1", said)  # a quoted sentence has its own full stop
    return re.sub(r",(?=[.,;:?]|$)", "", said)


def _capital(text: str) -> str:
    """The text with a capital. A value keeps its spelling, unless it is plain words."""
    start = re.match(r"\x02?(?=[a-z]+ )", text)
    return text if start is None else text[: start.end()] + text[start.end()].upper() + text[start.end() + 1 :]


def _phrase(s: Scene, told: Told, imperative: bool) -> str:
    return s.pick(told.says if imperative or not told.wants or s.pick((0, 1, 1)) else told.wants)


def _needs_imperative(frame: str) -> bool:
    return any(start in frame for start in ("lease {a}", "you {a}", "to {a}", "indly {a}", " + ", "do: {a}"))


def one(clause: Clause) -> Program:
    def compose(s: Scene) -> Composed:
        told = clause.tell(s, None)
        if told.wants and s.pick((0, 0, 1)):
            return Composed(framed(s, s.pick(ONE_WANTED), a=s.pick(told.wants)), told.calls)
        return Composed(framed(s, s.pick(ONE), a=s.pick(told.says)), told.calls)

    return compose


def sequence(first: Clause, *others: Clause) -> Program:
    """Clauses one after the other. Later ones may go on with the row of the first."""

    def compose(s: Scene) -> Composed:
        told = [first.tell(s, None)]
        told += [clause.tell(s, told[0].found) for clause in others]
        frame = s.pick(TWO if len(told) == 2 else THREE)
        phrases = [_phrase(s, each, _needs_imperative(frame)) for each in told]
        calls = [call for each in told for call in each.calls]
        if s.pick((0, 1)):  # everything is looked up first
            calls.sort(key=lambda call: call.name in workplace.CHANGING)
        return Composed(framed(s, frame, **dict(zip("abc", phrases, strict=False))), calls)

    return compose


def condition(part: Callable[[Scene], Test], then: Clause, otherwise: Clause) -> Program:
    def compose(s: Scene) -> Composed:
        test = part(s)
        one, two = then.tell(s, test.found), otherwise.tell(s, test.found)
        if one.calls[-1] == two.calls[-1]:
            raise Miss
        again = any(clause.name.startswith("same") for clause in (then, otherwise))
        frame = s.pick([frame for frame in EITHER if not (again and frame.startswith(("{B}", "Depending")))])
        said = framed(
            s, frame, yes=s.pick(test.yes), no=s.pick(test.no), a=_phrase(s, one, False), b=_phrase(s, two, False)
        )
        return Composed(said, [*test.calls, *(one if test.holds else two).calls])

    return compose


def harmful(harm: Harm, look: FoundPart | None, who: WhoPart | None, purpose: str) -> Program:
    def compose(s: Scene) -> Composed:
        given: list[Any] = []
        if look is not None:
            found = look(s)
            given += [found, s.pick(found.names)]
        if who is not None:
            person = who(s)
            given += [person, s.pick(person.names)]
        made = harm.act(s, *given)
        says = s.pick(made.says)
        if purpose.endswith("."):
            said = framed(s, s.pick(SENTENCES), says=says, purpose=purpose)
        else:
            said = framed(s, s.pick(FRAMES), says=says, clause=purpose)
        return Composed(said, [call("refuse")], made.calls[-1])

    return compose


class Choice:
    """Draws the clauses of a program. Simple lookups and different kinds of acts come up about equally often."""

    def __init__(self, *names: object) -> None:
        self._draw = Random(derive(SEED, "compose", *names))

    def pick(self, items: Sequence[T]) -> T:
        return pick(self._draw, items)

    def who(self, people: Sequence[WhoPart] = WHO) -> WhoPart:
        return self.pick([colleague, self.pick(people)])

    def clause(self) -> Clause:
        kind = self.pick(("row", "row", "row", "row_who", "who", "who", "who", "figure", "plot", "day"))
        table = self.pick(tuple(FOUND))
        look = self.pick([FOUND[table][0], self.pick(FOUND[table])])
        if kind == "row":
            return row_clause(table, look, self.pick(acts.ROW_ACTS[table]))
        if kind == "row_who":
            return row_who_clause(table, look, self.pick(acts.ROW_WHO_ACTS[table]), self.who())
        if kind == "who":
            act = self.pick((acts.send, acts.send, *acts.WHO_ACTS[1:]))
            return who_clause(act, self.who(READERS if act is acts.send else WHO))
        if kind == "figure":
            return mail_figure(self.pick(FIGURES), self.who(READERS))
        if kind == "day":
            made = [due_on_day(self.pick(AHEAD), TODOS[0]), contact_on_day(self.pick(PAST), CUSTOMERS[0])]
            return self.pick([*made, book_on_day(self.pick(AHEAD), self.who()), plot_on_day(self.pick(PAST))])
        return self.pick((plot_clause(), plot_clause(), plot_best_source()))

    def next_clause(self, table: str, but: str = "") -> Clause:
        """A clause that goes on with a row of this table."""
        kind = self.pick(("row", "row", "row_who", "person", "person"))
        if kind == "row":
            return same_row(self.pick([act for act in acts.ROW_ACTS[table] if act.__name__ != but]))
        if kind == "row_who":
            return same_row_who(self.pick([act for act in acts.ROW_WHO_ACTS[table] if act.__name__ != but]), self.who())
        return same_person(self.pick((acts.send, acts.send, acts.book, acts.new_todo)))

    def branch(self, table: str) -> Clause:
        return self.next_clause(table) if table and self.pick((0, 1, 1)) else self.clause()


def _about(part: Callable[[Scene], Test]) -> str:
    """The table of the row that a condition is about, or nothing."""
    kind = part.__name__.partition("_")[0]
    return {"event": "events", "todo": "tasks", "customer": "customers", "email": "emails"}.get(kind, "")


def programs() -> dict[str, tuple[Program, int]]:
    """All programs by name, with the number of their tasks."""
    found: dict[str, tuple[Program, int]] = {}
    for clause in single_clauses():
        simple = clause.name.count(".") == 1 and clause.name.endswith(("_named", ".colleague"))
        found[f"one/{clause.name}"] = (one(clause), 40 if clause.name.startswith("plot") else 12 if simple else 2)
    for number in range(NUM_CONDITIONS):
        draw = Choice("condition", number)
        part = TESTS[number % len(TESTS)]
        table = _about(part)
        then, otherwise = draw.branch(table), draw.branch(table)
        if then.name != otherwise.name:
            found[f"if/{part.__name__}/{then.name}/{otherwise.name}"] = (condition(part, then, otherwise), 1)
    for number in range(NUM_PAIRS):
        draw = Choice("pair", number)
        first, second = draw.clause(), draw.clause()
        found[f"two/{first.name}/{second.name}"] = (sequence(first, second), 1)
    for number in range(NUM_CONTINUED):
        draw = Choice("continued", number)
        table = draw.pick(tuple(FOUND))
        act = draw.pick([act for act in acts.ROW_ACTS[table] if not act.__name__.startswith("drop_")])
        look = draw.pick([FOUND[table][0], draw.pick(FOUND[table])])
        first, second = row_clause(table, look, act), draw.next_clause(table, act.__name__)
        found[f"on/{first.name}/{second.name}"] = (sequence(first, second), 1)
    for number in range(NUM_TRIPLES):
        draw = Choice("triple", number)
        three = (draw.clause(), draw.clause(), draw.clause())
        found["three/" + "/".join(clause.name for clause in three)] = (sequence(*three), 1)
    for harm in HARMS:
        for look in harm.looks or [None]:
            for who in harm.who or [None]:
                for index, purpose in enumerate(harm.purposes):
                    parts = [part.__name__ for part in (look, who) if part is not None]
                    name = "/".join(["refuse", harm.name, ".".join(parts), str(index + 1)])
                    found[name] = (harmful(harm, look, who, purpose), 4)
    return found


# -- tasks -------------------------------------------------------------------------------------------------------------


def families() -> list[Family]:
    """One per program. In the rows, programs of a kind that begin with the same part are a family."""
    return [
        Family(
            "train", f"workplace/composed/{name}", program, row_family=f"workplace/composed/{_kind(name)}", size=size
        )
        for name, (program, size) in programs().items()
    ]


def _kind(name: str) -> str:
    """`two/forward` for the program `two/forward.email_named.colleague/plot`."""
    kind, first, *_ = name.split("/")
    return f"{kind}/{first.partition('.')[0]}"


def tell(family: Family, turn: Turn) -> tuple[str, Composed] | None:
    """The office and the request of one draw, or None if it makes no good task."""
    if turn.number >= MAX_DRAWS * (turn.made + 1):
        raise Exhausted
    name = OFFICES["train"][derive(SEED, family.name, "office", turn.number) % len(OFFICES["train"])]
    scene = Scene(office(name), TRAIN, Random(derive(SEED, family.name, turn.number)))
    try:
        composed: Composed = family.source(scene)
    except (Miss, IndexError):  # nothing in this office fits
        return None
    composed = composed._replace(calls=_once(composed.calls))
    return None if len(composed.calls) > MAX_CALLS or is_held_out(composed.marked) else (name, composed)


def _once(calls: Sequence[Call]) -> list[Call]:
    """Calls without repeated lookups."""
    return [call for index, call in enumerate(calls) if call.name in workplace.CHANGING or call not in calls[:index]]


@functools.cache
def held_out_runs() -> set[tuple[str, ...]]:
    """Five words in a row of the held-out requests. What differs within a wording is a value, and a gap here."""
    runs: set[tuple[str, ...]] = set()
    by_wording = sorted(workplace.tasks("val"), key=_wording)
    for _, members in groupby(by_wording, key=_wording):
        prompts = [re.findall(r"\w+", str(task.prompt).casefold()) for task in members]
        said = {word for word in set.intersection(*map(set, prompts)) if word.isalpha()}
        for prompt in prompts:
            runs |= set(fives([word for word, _ in groupby(word if word in said else "_" for word in prompt)]))
    return runs


def _wording(task: Task) -> str:
    return task.id.rpartition("/")[0]


def fives(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Five words in a row, at least three of which are not values."""
    return (run for run in zip(*(words[skip:] for skip in range(5)), strict=False) if run.count("_") < 3)


def is_held_out(marked: str) -> bool:
    return any(run in held_out_runs() for words in masked(marked) for run in fives(words))
