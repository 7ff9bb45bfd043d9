"""Shapes of questions: what is drawn from a library, which facts lead to the answer, and how to search for them.

Steps are facts joined by dots: "founder.birthplace" is the birthplace of a company's founder. A backward step names the kind to
search: "company:founder" is the company that a person founded. Equal shapes ask the same question.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple, Protocol

from verigym.environments.search.corpus import Corpus
from verigym.environments.search.region import Entity, Fact
from verigym.environments.search.verifier import UNKNOWN

Answer = str | int | list[str]
MOST = 5
"""Maximum number of entities in a question."""
_HINTS = {
    "company:seat": ["company seat based head office", "company seat", "company based", "firm head office"],
    "company:founder": ["company founder", "founder of"],
    "person:birthplace": ["person native place of birth life began", "person native", "place of birth", "life began"],
    "event:town": ["custom held", "custom people hold"],
    "rule:town": ["bylaw"],
    "town:river": ["town on the", "town banks of the", "town lies on the"],
    "river:source": ["river rises spring source"],
    "book:author": ["book author wrote", "author of the book"],
    "book:about": ["book set in subject", "book life in", "book subject town"],
    "book:publisher": ["book publisher published brought out", "book publisher", "book published"],
    "bridge:designer": ["bridge design plans", "bridge designed"],
    "club:town": ["club home trains", "club comes from"],
}
"""Search words that, with a name, find the entities of a kind that refer to it. If one search misses some, the next is used."""


class Question(NamedTuple):
    names: Sequence[str | int]
    """Values for the slots of the wording."""
    answer: Answer
    facts: Sequence[Fact]
    searches: Sequence[str]
    also: Sequence[Fact] = ()
    """Facts that may be cited as well, about entities that were ruled out."""


class Shape(Protocol):
    def ask(self, library: Corpus, draw: Random) -> Question | None:
        """Draw a question, or return none if the draw is unsuitable."""
        ...


class Family(NamedTuple):
    """Questions of one shape with their wordings. `{0}` is the first name."""

    name: str
    type: str
    """`one` (a fact), `two` or `three` (steps), `compare`, `count`, `list`, `reckon`, `not` or `unanswerable`."""
    shape: Shape
    words: list[str]


class Walked(NamedTuple):
    value: str | int
    """The value at the end of the steps. An entity is given by its id."""
    facts: list[Fact]
    searches: list[str]


def query(entity: Entity) -> str:
    """Return search words for an entity. A town's name alone also finds its bylaws and customs."""
    return f"town {entity.name}" if entity.kind == "town" else entity.name


def walk(library: Corpus, start: Entity, steps: str) -> Walked | None:
    here, value = start, start.id
    facts: list[Fact] = []
    searches: list[str] = []
    for step in steps.split("."):
        if ":" in step:
            kind, fact = step.split(":")
            found = [each for each in library.kinds[kind] if each.facts[fact] == here.id]
            if len(found) != 1:
                return None
            facts.append((found[0].id, fact))
            searches += _look(library, kind, fact, here.id, facts[-1:])
            here = found[0]
            value = here.id
        else:
            census = step.startswith("census_")
            searches.append(f"{step.replace('_', ' of ')} {here.name}" if census else query(here))
            facts.append((here.id, step))
            value = here.facts[step]
            here = library.entities.get(str(value), here)
    return Walked(value, facts, searches)


def _both(library: Corpus, pair: Sequence[Entity], steps: str) -> list[Walked] | None:
    """Walk the same steps from several entities, each to a stated number or name."""
    walked = [found for each in pair if (found := walk(library, each, steps)) is not None]
    stated = all(fact in library.stating for each in walked for fact in each.facts)
    return walked if stated and len(walked) == len(pair) else None


def _joined(walked: Sequence[Walked]) -> tuple[list[Fact], list[str]]:
    facts = [fact for each in walked for fact in each.facts]
    return facts, [search for each in walked for search in each.searches]


@dataclass(frozen=True)
class Path:
    """What the steps lead to from a named entity. The town in the name of a custom or bylaw needs no proof."""

    kind: str
    steps: str

    def ask(self, library: Corpus, draw: Random) -> Question | None:
        start = draw.choice(library.kinds[self.kind])
        found = walk(library, start, self.steps)
        if found is None:
            return None
        known = [fact for fact in found.facts if fact[1] == "town" and self.kind in ("event", "rule")]
        facts = [fact for fact in found.facts if fact not in known]
        return Question([start.name], library.shown(found.value), facts, found.searches, known)


@dataclass(frozen=True)
class Compare:
    """Which of two or three entities has the largest or smallest value at the end of the steps."""

    kind: str
    steps: str
    greater: bool = True
    num: int = 2

    def ask(self, library: Corpus, draw: Random) -> Question | None:
        pair = draw.sample(library.kinds[self.kind], self.num)
        walked = _both(library, pair, self.steps)
        if walked is None:
            return None
        values = [int(each.value) for each in walked]
        best = max(values) if self.greater else min(values)
        if values.count(best) > 1:
            return None
        return Question([each.name for each in pair], pair[values.index(best)].name, *_joined(walked))


@dataclass(frozen=True)
class Same:
    """Whether the steps lead two entities to the same value. Yes and no are equally frequent."""

    kind: str
    steps: str

    def ask(self, library: Corpus, draw: Random) -> Question | None:
        alike, one = draw.random() < 0.5, draw.choice(library.kinds[self.kind])
        end = walk(library, one, self.steps)
        others = [
            each
            for each in library.kinds[self.kind]
            if each != one
            and (found := walk(library, each, self.steps))
            and end
            and (found.value == end.value) == alike
        ]
        pair = [one, draw.choice(others)] if others else []
        walked = _both(library, pair, self.steps)
        if not walked:
            return None
        return Question([each.name for each in pair], "yes" if alike else "no", *_joined(walked))


@dataclass(frozen=True)
class Reckon:
    """The sum or the difference of the values of two entities."""

    kind: str
    steps: str
    together: bool

    def ask(self, library: Corpus, draw: Random) -> Question | None:
        pair = draw.sample(library.kinds[self.kind], 2)
        walked = _both(library, pair, self.steps)
        if walked is None:
            return None
        one, two = (int(each.value) for each in walked)
        answer = one + two if self.together else abs(one - two)
        return Question([each.name for each in pair], answer, *_joined(walked)) if answer else None


@dataclass(frozen=True)
class Span:
    """The difference of two numbers of one entity, such as two years."""

    kind: str
    first: str
    second: str

    def ask(self, library: Corpus, draw: Random) -> Question | None:
        start = draw.choice(library.kinds[self.kind])
        walked = [found for steps in (self.first, self.second) if (found := walk(library, start, steps)) is not None]
        if len(walked) < 2 or int(walked[1].value) <= int(walked[0].value):
            return None
        return Question([start.name], int(walked[1].value) - int(walked[0].value), *_joined(walked))


def _members(library: Corpus, kind: str, link: str, draw: Random) -> tuple[str | int, list[Entity]]:
    """Draw a value that an entity of this kind has, and return all entities that have it."""
    value = draw.choice(library.kinds[kind]).facts[link]
    return value, [each for each in library.kinds[kind] if each.facts[link] == value]


def _told(members: Sequence[Entity], *facts: str) -> list[Fact]:
    return [(each.id, fact) for each in members for fact in facts if fact]


def _look(library: Corpus, kind: str, link: str, value: str | int, facts: Sequence[Fact]) -> list[str]:
    """Return the searches that are needed to show these facts."""
    searches: list[str] = []
    shown: set[str] = set()
    for hint in _HINTS[f"{kind}:{link}"]:
        searches.append(f"{hint} {library.shown(value)}")
        shown.update(library.search(searches[-1]))
        if all(shown.intersection(library.stating[fact]) for fact in facts if fact in library.stating):
            break
    return searches


@dataclass(frozen=True)
class Members:
    """How many entities refer to one, or their names. `than` selects those with the `same`, `less` or `more`."""

    kind: str
    link: str
    by: str = ""
    than: str = ""
    names: bool = False

    def ask(self, library: Corpus, draw: Random) -> Question | None:
        value, members = _members(library, self.kind, self.link, draw)
        blanks, kept = [library.shown(value)], members
        if self.by:
            if any(fact not in library.stating for fact in _told(members, self.by)):
                return None
            limit = draw.choice(members).facts[self.by]
            if self.than == "same":
                kept = [each for each in members if each.facts[self.by] == limit]
            else:
                limit = int(limit) // 10 * 10
                if any(each.facts[self.by] == limit for each in members):
                    return None
                kept = [each for each in members if (int(each.facts[self.by]) < limit) == (self.than == "less")]
            blanks.append(limit)
        if not (2 if self.names else 1) <= len(kept) <= len(members) <= MOST:
            return None
        answer = [each.name for each in kept] if self.names else len(kept)
        rest = [each for each in members if each not in kept]
        facts, also = _told(kept, self.link, self.by), _told(rest, self.link, self.by)
        return Question(blanks, answer, facts, _look(library, self.kind, self.link, value, [*facts, *also]), also)


@dataclass(frozen=True)
class Most:
    """Which of the entities that refer to one has the largest or smallest value."""

    kind: str
    link: str
    by: str
    greater: bool = True

    def ask(self, library: Corpus, draw: Random) -> Question | None:
        value, members = _members(library, self.kind, self.link, draw)
        values = [int(each.facts[self.by]) for each in members]
        best = max(values) if self.greater else min(values)
        if not 2 <= len(members) <= MOST or values.count(best) > 1:
            return None
        facts = _told(members, self.link, self.by)
        searches = _look(library, self.kind, self.link, value, facts)
        return Question([library.shown(value)], members[values.index(best)].name, facts, searches)


@dataclass(frozen=True)
class Which:
    """The one entity of which two facts are true."""

    kind: str
    link: str
    by: str

    def ask(self, library: Corpus, draw: Random) -> Question | None:
        value, members = _members(library, self.kind, self.link, draw)
        other = draw.choice(members).facts[self.by]
        found = [each for each in members if each.facts[self.by] == other]
        if len(found) > 1:
            return None
        blanks = [library.shown(value), library.shown(other)]
        rest = [each for each in members if each not in found]
        facts, also = _told(found, self.link, self.by), _told(rest, self.link, self.by)
        searches = _look(library, self.kind, self.link, value, [*facts, *also])
        return Question(blanks, found[0].name, facts, searches, also)


@dataclass(frozen=True)
class Sibling:
    """The one other entity that shares a fact with the named one."""

    kind: str
    link: str

    def ask(self, library: Corpus, draw: Random) -> Question | None:
        value, members = _members(library, self.kind, self.link, draw)
        if len(members) != 2:
            return None
        one, other = draw.sample(members, 2)
        facts = _told([one, other], self.link)
        searches = [query(one), *_look(library, self.kind, self.link, value, facts)]
        return Question([one.name], other.name, facts, searches)


@dataclass(frozen=True)
class Other:
    """Of the two entities that refer to one, the one that is not named."""

    kind: str
    link: str

    def ask(self, library: Corpus, draw: Random) -> Question | None:
        value, members = _members(library, self.kind, self.link, draw)
        if len(members) != 2:
            return None
        one, other = draw.sample(members, 2)
        facts, also = _told([other], self.link), _told([one], self.link)
        searches = _look(library, self.kind, self.link, value, [*facts, *also])
        return Question([library.shown(value), one.name], other.name, facts, searches, also)


@dataclass(frozen=True)
class Lacks:
    """Of the two or three entities that refer to one, the only one of which a fact is not true."""

    kind: str
    link: str
    by: str

    def ask(self, library: Corpus, draw: Random) -> Question | None:
        value, members = _members(library, self.kind, self.link, draw)
        usual = draw.choice(members).facts[self.by]
        odd = [each for each in members if each.facts[self.by] != usual]
        if len(odd) != 1 or len(members) > 3:
            return None
        rest = [each for each in members if each not in odd]
        facts, also = _told(odd, self.link, self.by), _told(rest, self.link, self.by)
        searches = _look(library, self.kind, self.link, value, [*facts, *also])
        return Question([library.shown(value), library.shown(usual)], odd[0].name, facts, searches, also)


@dataclass(frozen=True)
class Odd:
    """Of three named entities, the one of which a fact is not true that is true of the others."""

    kind: str
    fact: str

    def ask(self, library: Corpus, draw: Random) -> Question | None:
        value, members = _members(library, self.kind, self.fact, draw)
        if len(members) < 2:
            return None
        rest = draw.sample(members, 2)
        odd = draw.choice([each for each in library.kinds[self.kind] if each not in members])
        named = draw.sample([*rest, odd], 3)
        blanks = [*(each.name for each in named), library.shown(value)]
        return Question(
            blanks, odd.name, _told([odd], self.fact), [query(each) for each in named], _told(rest, self.fact)
        )


@dataclass(frozen=True)
class Ends:
    """Two facts of an entity, both names, as one answer."""

    kind: str
    one: str
    two: str

    def ask(self, library: Corpus, draw: Random) -> Question | None:
        start = draw.choice(library.kinds[self.kind])
        answer = [str(library.named((start.id, fact))) for fact in (self.one, self.two)]
        return Question([start.name], answer, _told([start], self.one, self.two), [query(start)])


@dataclass(frozen=True)
class Listing:
    """A question about a list of people and years on one page: who `at` a year, who `after` a person, the `years` of one, how
    `many`, `all` of them, the `year` of one, the `gap` between two, or a year `later` than the last, which is unknown."""

    kind: str
    fact: str
    asks: str

    def ask(self, library: Corpus, draw: Random) -> Question | None:
        thing = draw.choice(library.kinds[self.kind])
        listed = re.findall(r"(\D+?)(?: in)? (\d{4})(?: to (\d{4}))?(?:, |$)", str(thing.facts[self.fact]))
        place = draw.randrange(len(listed) - 1)
        (name, since, until), (later, next_since, _) = listed[place : place + 2]
        last = int(listed[-1][2] or listed[-1][1])
        inside = draw.randrange(int(since) + 1, int(next_since))
        blanks, answer = {
            "at": ([inside], name),
            "after": ([name], later),
            "years": ([name], int(until or 0) - int(since)),
            "many": ([], len(listed)),
            "all": ([], [name for name, _, _ in listed]),
            "year": ([name], int(since)),
            "gap": ([name, later], int(next_since) - int(since)),
            "later": ([last + draw.randrange(4, 30)], UNKNOWN),
        }[self.asks]
        facts = [] if answer == UNKNOWN else _told([thing], self.fact)
        return Question([thing.name, *blanks], answer, facts, [query(thing)])


# -- Questions that the library does not answer: every step up to the answer is stated, but not the answer -------------------


@dataclass(frozen=True)
class Silent:
    """The last step is not stated in any document."""

    kind: str
    steps: str

    def ask(self, library: Corpus, draw: Random) -> Question | None:
        start = draw.choice(library.kinds[self.kind])
        found = walk(library, start, self.steps)
        if found is None:
            return None
        *before, last = [fact in library.stating for fact in found.facts]
        return Question([start.name], UNKNOWN, [], found.searches) if all(before) and not last else None


@dataclass(frozen=True)
class HalfSilent:
    """A comparison of two entities, one of which has no stated value."""

    kind: str
    fact: str

    def ask(self, library: Corpus, draw: Random) -> Question | None:
        pair = draw.sample(library.kinds[self.kind], 2)
        if [(each.id, self.fact) in library.stating for each in pair].count(True) != 1:
            return None
        return Question([each.name for each in pair], UNKNOWN, [], [query(each) for each in pair])


@dataclass(frozen=True)
class Untold:
    """A fact that no document states for any entity of this kind."""

    kind: str
    what: str

    def ask(self, library: Corpus, draw: Random) -> Question | None:
        start = draw.choice(library.kinds[self.kind])
        return Question([start.name], UNKNOWN, [], [query(start)])


@dataclass(frozen=True)
class Nowhere:
    """A fact of an entity that the library does not contain, with a name that looks like the others."""

    kind: str
    what: str

    def ask(self, library: Corpus, draw: Random) -> Question | None:
        name = draw.choice(library.unused[self.kind])
        return Question([name], UNKNOWN, [], [f"town {name}" if self.kind == "town" else name])
