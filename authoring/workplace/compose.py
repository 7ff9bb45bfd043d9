"""Composes training requests of `workplace` from parts: lookups, conditions, figures and acts, with wordings by a grammar.

A program is a sequence of parts, such as "if a task is on a list, forward an email to its assignee, otherwise cancel an event".
Names and values, the office, the phrases of each part and the frame of the sentence are drawn for each task. No five words in
a row are those of a held-out request: a draw that has such words is dropped. `make` checks the tasks as it checks those of
the stories. `compose_clauses` has the clauses, and the other `compose_` files the parts.
"""

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from random import Random
from typing import Any, NamedTuple, TypeVar

from authoring.engine import Exhausted, Family, Turn
from authoring.workplace import compose_acts as acts
from authoring.workplace.compose_clauses import (
    Clause,
    Told,
    book_on_day,
    contact_on_day,
    due_on_day,
    mail_figure,
    plot_best_source,
    plot_clause,
    plot_on_day,
    row_clause,
    row_who_clause,
    same_person,
    same_row,
    same_row_who,
    single_clauses,
    who_clause,
)
from authoring.workplace.compose_conditions import CONDITIONS, Condition
from authoring.workplace.compose_figures import AHEAD, FIGURES, PAST
from authoring.workplace.compose_harm import FRAMES, HARMS, SENTENCES, Harm
from authoring.workplace.compose_lookups import (
    CUSTOMERS,
    FOUND,
    TODOS,
    FoundPart,
    Miss,
    WhoPart,
)
from authoring.workplace.compose_people import READERS, WHO, colleague
from authoring.workplace.compose_values import masked
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


class Composed(NamedTuple):
    """A request with marks around its values."""

    marked: str
    calls: Sequence[Call]
    harm: Call | None = None


Program = Callable[[Scene], Composed]


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
        stop = "" if re.search(r"[.!?](\x03\"?)?$", said) else "."
        said = f"{said}{stop} {s.pick(CLOSINGS)}"
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


def condition(part: Callable[[Scene], Condition], then: Clause, otherwise: Clause) -> Program:
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


def _about(part: Callable[[Scene], Condition]) -> str:
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
        part = CONDITIONS[number % len(CONDITIONS)]
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
