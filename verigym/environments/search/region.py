"""Generates the facts of a region (a small knowledge base, drawn from a seed) and the articles that state them.

Each document records which facts it states: `("company-12", "founder")`. Two documents state some facts. No document states
some others, so a question about them has no answer. Almanac pages give an older census of half the towns: often a near miss.
"""

from random import Random
from typing import NamedTuple

from verigym.environments.search.words import Words

NUMBERS = {
    **{"town": 40, "river": 24, "hill": 20, "company": 72, "person": 100, "event": 64, "rule": 36},
    **{"bridge": 30, "book": 48, "club": 30, "line": 20, "museum": 16, "prize": 12},
}
CENSUSES = [1950, 1960, 1970, 1980, 1990]
_PAGES, _LINES = 4, 5
"""Almanac pages per census, and towns per page."""
_HIDDEN = {
    "company": (0.35, ["employees", "founded"]),
    "person": (0.35, ["born"]),
    "event": (0.25, ["first_held"]),
    "rule": (0.35, ["fine"]),
    "river": (0.3, ["length"]),
    "hill": (0.35, ["height", "climbed"]),
    "bridge": (0.7, ["built", "span"]),
    "book": (0.35, ["pages", "published"]),
    "club": (0.35, ["members"]),
    "line": (0.35, ["length", "opened"]),
}
"""By kind: the share of entities with a hidden fact, and the facts that can be hidden."""

Fact = tuple[str, str]
"""An entity and the name of its fact."""

SAYS: dict[str, dict[str, list[str]]] = {
    "town": {
        "founded": ["It was founded in {}.", "Its charter dates from {}.", "The first houses were built in {}."],
        "river": [
            "It lies on the river {}.", "The river {} runs through it.", "It stands on the banks of the river {}.",
        ],
        "population": [
            "The census of 2020 counted {} people.", "In 2020 it had {} inhabitants.", "{} lived here in 2020.",
        ],
        "mayor": ["The mayor is {}.", "{} has been mayor for some years.", "Its town hall is led by {}, the mayor."],
        "craft": ["It is known for {}.", "Visitors come for its {}.", "Nothing here is as famous as its {}."],
    },
    "river": {
        "length": ["It is {} km long.", "From source to mouth it measures {} km.", "Its course has a length of {} km."],
        "source": ["It rises on {}.", "Its spring is found on {}.", "The source lies on {}."],
    },
    "hill": {
        "height": ["It is {} m high.", "The top stands at {} m.", "Its height is {} m."],
        "climber": [
            "{} was the first to climb it.", "The first on the top was {}.", "The first ascent was made by {}.",
        ],
        "climbed": [
            "The first ascent was in {}.", "Nobody had stood on the top before {}.", "It was first climbed in {}.",
        ],
    },
    "company": {
        "founded": ["It was set up in {}.", "The firm goes back to {}.", "Business began in {}."],
        "seat": ["Its seat is in {}.", "It is based in {}.", "The head office stands in {}."],
        "founder": ["The founder was {}.", "It was {} who founded it.", "It owes its existence to {}, its founder."],
        "product": ["It makes {}.", "It produces {}.", "Its trade is {}."],
        "employees": ["It employs {} people.", "{} people work there.", "The staff numbers {}."],
    },
    "person": {
        "born": ["The year of birth is {}.", "Born in the year {}.", "Life began in {}."],
        "birthplace": ["A native of {}.", "The place of birth is {}.", "{} is where this life began."],
        "trade": ["Trade: {}.", "The profession on record is {}.", "By profession: {}."],
    },
    "event": {
        "town": ["It takes place in {}.", "{} is where it is held.", "The people of {} hold it."],
        "month": ["It is held every {}.", "The month is {}.", "It falls in {}."],
        "first_held": ["It was first held in {}.", "The first one was in {}.", "It has been known since {}."],
    },
    "rule": {
        "town": ["It applies in {}.", "It is a bylaw of {}.", "Only {} has it."],
        "passed": ["The council passed it in {}.", "It dates from {}.", "It has been in force since {}."],
        "fine": ["Who breaks it pays {} crowns.", "The fine is {} crowns.", "It threatens a fine of {} crowns."],
    },
    "bridge": {
        "town": ["It stands in {}.", "It carries the main road of {}.", "It is the pride of {}."],
        "designer": ["The design is by {}.", "It was designed by {}.", "{} drew the plans."],
        "material": ["It is made of {}.", "The material is {}.", "It is all {}."],
        "built": ["It was built in {}.", "It was opened to carts in {}.", "It was finished in {}."],
        "span": ["It spans {} m.", "From bank to bank it measures {} m.", "Its span is {} m."],
    },
    "book": {
        "author": ["The author is {}.", "It was written by {}.", "{} wrote it."],
        "about": ["It tells of life in {}.", "It is set in {}.", "Its subject is the town {}."],
        "publisher": ["The publisher was {}.", "It was brought out by {}.", "{} published it."],
        "published": ["It came out in {}.", "The first edition is of {}.", "It was published in {}."],
        "pages": ["It has {} pages.", "It runs to {} pages.", "The first edition counts {} pages."],
    },
    "club": {
        "town": ["Its home is {}.", "It trains in {}.", "It comes from {}."],
        "sport": ["Its sport is {}.", "Its members go in for {}.", "It is devoted to {}."],
        "chair": ["{} is in the chair.", "It is chaired by {}.", "The chair is held by {}."],
        "members": ["It has {} members.", "The roll of members has {} names.", "{} members pay their dues."],
    },
    "line": {
        "start": ["It starts in {}.", "One end of it is {}.", "Trains set out from {}."],
        "end": ["It ends in {}.", "The last station is {}.", "The terminus is {}."],
        "operator": ["The operator is {}.", "It is run by {}.", "{} runs the trains."],
        "length": ["The track is {} km long.", "It covers {} km.", "The rails measure {} km."],
        "opened": ["The first train ran in {}.", "It was opened in {}.", "Trains have run since {}."],
    },
    "museum": {
        "town": ["It is found in {}.", "Its rooms are in {}.", "It stands in the middle of {}."],
        "opened": ["It opened its doors in {}.", "The first visitors came in {}.", "It was opened in {}."],
        "keepers": ["Its keepers: {}.", "The keepers so far: {}.", "Keepers from the beginning: {}."],
    },
    "prize": {
        "sponsor": ["The money comes from {}.", "It is paid for by {}.", "{} pays for it."],
        "winners": ["The winners: {}.", "It has been won by: {}.", "Winners from the beginning: {}."],
    },
}  # fmt: skip
_ECHOES = {
    "founder": "Founder of {}.",
    "mayor": "Now mayor of {}.",
    "author": "Author of {}.",
    "designer": "Drew the plans of {}.",
    "climber": "First on the top of {}.",
}
"""Facts that the page of the person may also state."""
_CALLED = {"rule": "bylaw", "event": "custom", "line": "railway line"}
_FILLER = [
    "Little else is on record.",
    "The archive holds a few letters on the subject.",
    "A photograph hangs in the museum.",
    "Older accounts differ in small things.",
    "School children are told more.",
    "Much of the rest is hearsay.",
]
MONTHS = ["March", "April", "May", "June", "July", "August", "September", "October"]


Known = dict[str, str | int]
"""Facts by name. Another entity is given by its id."""


class Entity(NamedTuple):
    id: str
    kind: str
    name: str
    facts: Known
    hidden: frozenset[str]
    """Facts that no document states."""


class Document(NamedTuple):
    id: str
    title: str
    text: str
    states: frozenset[Fact]


def names_of(words: Words) -> dict[str, list[str]]:
    """All possible names of a kind. Names of customs and bylaws begin with a town."""

    def pairs(heads: list[str], tails: list[str], between: str = " ") -> list[str]:
        return [head + between + tail for head in heads for tail in tails]

    return {
        "town": pairs(words.heads, words.tails, ""),
        "river": [f"River {name}" for name in words.rivers],
        "hill": words.hills,
        "company": pairs(words.heads, words.forms),
        "person": pairs(words.first, words.last),
        "bridge": pairs(words.bridges, words.crossings),
        "book": pairs(words.titles, words.nouns),
        "club": pairs(words.clubs, words.animals),
        "line": words.lines,
        "museum": words.museums,
        "prize": words.prizes,
    }


def entities(words: Words, draw: Random) -> list[Entity]:
    facts = _Facts(words, draw)
    made: list[Entity] = []
    for kind in NUMBERS:
        for number, name in enumerate(facts.names[kind]):
            share, hideable = _HIDDEN.get(kind, (0.0, [""]))
            hidden = [draw.choice(hideable)] if draw.random() < share else []
            about = getattr(facts, kind)(number)
            made.append(Entity(f"{kind}-{number}", kind, name, about, frozenset(hidden)))
    return made


class _Facts:
    """The facts of a region: first the relations between entities, then, by kind, the facts of each entity."""

    def __init__(self, words: Words, draw: Random) -> None:
        self.words, self.draw = words, draw
        self.ids = ids = {kind: [f"{kind}-{number}" for number in range(many)] for kind, many in NUMBERS.items()}
        self.names = {kind: draw.sample(possible, NUMBERS[kind]) for kind, possible in names_of(words).items()}
        self._people(ids["person"], ids["company"])
        self.shown = {id: name for kind, own in self.names.items() for id, name in zip(ids[kind], own, strict=True)}
        late = [person for person in ids["person"] if 1840 <= self.born[person] < 1950]
        self.designers, self.climbers = draw.sample(late, 12), draw.sample(late, 12)
        once, twice, more = late[:10], late[10:22], late[22:28]
        self.authors = draw.sample([*once, *twice, *twice, *more, *more, *more], NUMBERS["book"])
        self.springs = draw.sample(
            [*ids["hill"][:18], *draw.choices(ids["hill"][18:], k=NUMBERS["river"] - 18)], NUMBERS["river"]
        )
        self.chairs = [person for person in ids["person"] if self.born[person] >= 1940]
        self.presses = [company for company in ids["company"] if self.set_up[company] < 1865][:14]
        self.operators = [company for company in ids["company"] if self.set_up[company] < 1980][-12:]
        self._towns(ids["town"])

    def _people(self, people: list[str], companies: list[str]) -> None:
        draw = self.draw
        self.mayors, self.founders = draw.sample(people, NUMBERS["town"]), draw.choices(people, k=NUMBERS["company"])
        self.born = {
            person: draw.randrange(1950, 1985) if person in self.mayors else draw.randrange(1760, 1960)
            for person in people
        }
        self.set_up = {
            company: self.born[by] + draw.randrange(22, 36)
            for company, by in zip(companies, self.founders, strict=True)
        }

    def _towns(self, towns: list[str]) -> None:
        draw, words = self.draw, self.words
        self.told_of, festive, self.sporting = draw.sample(towns, 20), draw.sample(towns, 26), draw.sample(towns, 14)
        self.feasts = draw.sample([(town, feast) for town in festive for feast in words.feasts], NUMBERS["event"])
        self.bans = draw.sample([(town, subject) for town in towns for subject in words.subjects], NUMBERS["rule"])
        self.names["event"] = [f"{self.shown[town]} {feast}" for town, feast in self.feasts]
        self.names["rule"] = [f"{self.shown[town]} bylaw on {subject}" for town, subject in self.bans]

    def town(self, number: int) -> Known:
        draw = self.draw
        censuses = {f"census_{year}": draw.randrange(700, 50_000) for year in CENSUSES}
        return {"founded": draw.randrange(1100, 1700), "river": draw.choice(self.ids["river"]),
                "mayor": self.mayors[number], "population": draw.randrange(900, 60_000),
                "craft": draw.choice(self.words.crafts), **censuses}  # fmt: skip

    def river(self, number: int) -> Known:
        return {"length": self.draw.randrange(21, 400), "source": self.springs[number]}

    def hill(self, number: int) -> Known:
        climber, height = self.draw.choice(self.climbers), self.draw.randrange(310, 2600)
        return {"height": height, "climber": climber, "climbed": self.born[climber] + self.draw.randrange(18, 45)}

    def company(self, number: int) -> Known:
        draw = self.draw
        return {"founded": self.set_up[f"company-{number}"], "seat": draw.choice(self.ids["town"]),
                "founder": self.founders[number], "product": draw.choice(self.words.goods),
                "employees": draw.randrange(12, 2400)}  # fmt: skip

    def person(self, number: int) -> Known:
        trade, birthplace = self.draw.choice(self.words.trades), self.draw.choice(self.ids["town"])
        return {"born": self.born[f"person-{number}"], "birthplace": birthplace, "trade": trade}

    def event(self, number: int) -> Known:
        month, first_held = self.draw.choice(MONTHS), self.draw.randrange(1700, 2010)
        return {"town": self.feasts[number][0], "month": month, "first_held": first_held}

    def rule(self, number: int) -> Known:
        passed, fine = self.draw.randrange(1850, 2015), 5 * self.draw.randrange(2, 90)
        return {"town": self.bans[number][0], "passed": passed, "fine": fine}

    def bridge(self, number: int) -> Known:
        draw, by = self.draw, self.draw.choice(self.designers)
        return {"town": draw.choice(self.ids["town"]), "designer": by, "material": draw.choice(self.words.materials),
                "built": self.born[by] + draw.randrange(25, 56), "span": draw.randrange(14, 320)}  # fmt: skip

    def book(self, number: int) -> Known:
        draw, author = self.draw, self.authors[number]
        return {"author": author, "about": draw.choice(self.told_of), "publisher": draw.choice(self.presses),
                "published": self.born[author] + draw.randrange(25, 60), "pages": draw.randrange(60, 900)}  # fmt: skip

    def club(self, number: int) -> Known:
        draw = self.draw
        return {"town": draw.choice(self.sporting), "sport": draw.choice(self.words.sports),
                "chair": draw.choice(self.chairs), "members": draw.randrange(15, 600)}  # fmt: skip

    def line(self, number: int) -> Known:
        (start, end), by = self.draw.sample(self.ids["town"], 2), self.draw.choice(self.operators)
        return {"start": start, "end": end, "operator": by, "length": self.draw.randrange(9, 190),
                "opened": max(1840, self.set_up[by]) + self.draw.randrange(2, 20)}  # fmt: skip

    def museum(self, number: int) -> Known:
        opened = self.draw.randrange(1850, 1925)
        return {"town": self.draw.choice(self.ids["town"]), "opened": opened, "keepers": self._keepers(opened)}

    def prize(self, number: int) -> Known:
        sponsor = self.draw.choice(self.ids["company"])
        return {"sponsor": sponsor, "winners": self._winners(self.draw.randrange(1880, 1960))}

    def _keepers(self, opened: int) -> str:
        told: list[str] = []
        kept: set[str] = set()
        for _ in range(self.draw.randrange(3, 5)):
            until, keeper = opened + self.draw.randrange(9, 24), self._aged(opened, 22, 58, kept)
            told.append(f"{self.shown[keeper]} {opened} to {until}")
            kept.add(keeper)
            opened = until
        return ", ".join(told)

    def _winners(self, year: int) -> str:
        told: list[str] = []
        won: set[str] = set()
        for _ in range(self.draw.randrange(3, 7)):
            winner = self._aged(year, 20, 75, won)
            told.append(f"{self.shown[winner]} in {year}")
            won.add(winner)
            year += self.draw.randrange(2, 12)
        return ", ".join(told)

    def _aged(self, year: int, least: int, most: int, but: set[str]) -> str:
        """A person of that age in that year, except these."""
        fit = [one for one in self.ids["person"] if least <= year - self.born[one] <= most and one not in but]
        return self.draw.choice(fit)


def documents(entities: list[Entity], draw: Random) -> list[Document]:
    """One article per entity, and the almanac, in random order."""
    by_id = {entity.id: entity for entity in entities}
    told = [_article(entity, by_id, draw) for entity in entities] + _almanac(entities, draw)
    draw.shuffle(told)
    return [each._replace(id=f"D{number}") for number, each in enumerate(told, start=101)]


def _article(entity: Entity, by_id: dict[str, Entity], draw: Random) -> Document:
    """The facts of the entity. For people, also some of what they founded, lead, wrote, designed or climbed."""
    sentences: list[str] = []
    states: set[Fact] = set()
    for fact, ways in SAYS[entity.kind].items():
        if fact not in entity.hidden:
            value = entity.facts[fact]
            shown = by_id[value].name if isinstance(value, str) and value in by_id else value
            sentences.append(draw.choice(ways).format(str(shown).removeprefix("River ")))
            states.add((entity.id, fact))
    if entity.kind == "person":
        for other in by_id.values():
            for fact, echo in _ECHOES.items():
                if other.facts.get(fact) == entity.id and draw.random() < 0.5:
                    sentences.append(echo.format(other.name))
                    states.add((other.id, fact))
    sentences.append(draw.choice(_FILLER))
    draw.shuffle(sentences)
    kind = _CALLED.get(entity.kind, entity.kind)
    head = draw.choice(
        [f"{entity.name} is a {kind} of the region.", f"Of {entity.name}, a {kind}.", f"{entity.name}: a {kind}."]
    )
    return Document("", entity.name, " ".join([head, *sentences]), frozenset(states))


def _almanac(entities: list[Entity], draw: Random) -> list[Document]:
    """Half of the towns at each older census, five per page."""
    towns = [entity for entity in entities if entity.kind == "town"]
    pages: list[Document] = []
    for year in CENSUSES:
        counted = draw.sample(towns, _PAGES * _LINES)
        for first in range(0, len(counted), _LINES):
            page = counted[first : first + _LINES]
            text = " ".join(f"{town.name} had {town.facts[f'census_{year}']} inhabitants." for town in page)
            states = frozenset((town.id, f"census_{year}") for town in page)
            pages.append(Document("", f"Almanac, page {len(pages) + 1}: census of {year}", text, states))
    return pages
