"""The documents: what is true in a region (a small knowledge base, drawn from a seed), told in short articles of varying words.

Each document knows which facts it states: `("company-12", "founder")`. Some facts stand in two documents, some in none, so that
a question about them has no answer. Almanac pages are near misses: the same towns, an older census. `Corpus.search` is BM25.
"""

import math
import re
from collections import Counter, defaultdict
from functools import cache
from random import Random
from typing import NamedTuple

from verigym.core.seeds import derive
from verigym.environments.search.words import WORDS, Words

SEED = 47
NUMBERS = {"town": 40, "river": 12, "company": 72, "person": 100, "event": 56, "rule": 36}
PAGES = 16
"""Almanac pages."""
RESULTS = 6
K1, B = 1.5, 0.75
_HIDDEN = {
    "company": ["employees", "founded"],
    "person": ["born"],
    "event": ["first_held"],
    "rule": ["fine"],
    "river": ["length"],
}
"""Of every third of these, about, one fact is stated nowhere."""

Fact = tuple[str, str]
"""An entity and what is told of it."""

SAYS: dict[str, dict[str, list[str]]] = {
    "town": {
        "founded": ["It was founded in {}.", "Its charter dates from {}.", "The first houses were built in {}."],
        "river": ["It lies on the river {}.", "The river {} runs through it.", "It stands on the banks of the river {}."],
        "population": ["The census of 2020 counted {} people.", "In 2020 it had {} inhabitants.", "{} lived here in 2020."],
        "mayor": ["The mayor is {}.", "{} has been mayor for some years.", "Its town hall is led by {}, the mayor."],
        "craft": ["It is known for {}.", "Visitors come for its {}.", "Nothing here is as famous as its {}."],
    },
    "river": {
        "length": ["It is {} km long.", "From source to mouth it measures {} km.", "Its course has a length of {} km."],
        "source": ["It rises on {}.", "Its spring is found on {}.", "The source lies on {}."],
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
        "trade": ["Trade: {}.", "The profession on record is {}.", "Known as {} by profession."],
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
}  # fmt: skip
_FILLER = [
    "Little else is on record.",
    "The archive holds a few letters about it.",
    "A photograph hangs in the museum.",
    "Older accounts differ in small things.",
    "School children learn about it.",
    "The weather here is often discussed.",
]
MONTHS = ["March", "April", "May", "June", "July", "August", "September", "October"]


class Entity(NamedTuple):
    id: str
    kind: str
    name: str
    facts: dict[str, str | int]
    """A fact that is another entity is its id."""
    hidden: frozenset[str]
    """Facts that no document states."""


class Document(NamedTuple):
    id: str
    title: str
    text: str
    states: frozenset[Fact]


class Corpus:
    """The entities and documents of a region, and the index over them."""

    def __init__(self, region: str, entities: list[Entity], documents: list[Document]) -> None:
        self.region = region
        self.entities = {entity.id: entity for entity in entities}
        self.documents = {document.id: document for document in documents}
        self.stating: dict[Fact, list[str]] = {}
        for document in documents:
            for fact in sorted(document.states):
                self.stating.setdefault(fact, []).append(document.id)
        self._ids = list(self.documents)
        words = [Counter(tokens(f"{each.title} {each.text}")) for each in documents]
        lengths = [sum(each.values()) for each in words]
        mean = sum(lengths) / len(lengths)
        self._scores: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        """Word to the documents that have it, with what it adds to their score."""
        counts = Counter(word for each in words for word in each)
        for place, (each, length) in enumerate(zip(words, lengths, strict=True)):
            for word, times in each.items():
                rarity = math.log(1 + (len(words) - counts[word] + 0.5) / (counts[word] + 0.5))
                score = rarity * times * (K1 + 1) / (times + K1 * (1 - B + B * length / mean))
                self._scores[word].append((place, score))

    def named(self, fact: Fact) -> str | int:
        """The value of a fact in words: of another entity, its name."""
        value = self.entities[fact[0]].facts[fact[1]]
        return self.entities[value].name if isinstance(value, str) and value in self.entities else value

    def search(self, query: str) -> list[str]:
        """Ids of the best documents, the best first."""
        scores: defaultdict[int, float] = defaultdict(float)
        for word in dict.fromkeys(tokens(query)):
            for place, score in self._scores.get(word, ()):
                scores[place] += score
        best = sorted(scores, key=lambda place: (-scores[place], place))[:RESULTS]
        return [self._ids[place] for place in best]

    def snippet(self, id: str, query: str) -> str:
        """The sentence of a document that has most words of the query."""
        wanted = set(tokens(query))
        sentences = re.split(r"(?<=\.) ", self.documents[id].text)
        return max(sentences, key=lambda sentence: len(wanted.intersection(tokens(sentence))))


def tokens(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


@cache
def corpus(split: str) -> Corpus:
    words, draw = WORDS[split], Random(derive(SEED, "corpus", split))
    entities = _entities(words, draw)
    by_id = {entity.id: entity for entity in entities}
    told = [_article(entity, by_id, draw) for entity in entities] + [
        _almanac(by_id, page, draw) for page in range(PAGES)
    ]
    draw.shuffle(told)
    ids = [f"D{number:03}" for number in range(101, 101 + len(told))]
    return Corpus(words.region, entities, [each._replace(id=id) for id, each in zip(ids, told, strict=True)])


def _entities(words: Words, draw: Random) -> list[Entity]:
    def ids(kind: str) -> list[str]:
        return [f"{kind}-{number}" for number in range(NUMBERS[kind])]

    names = {
        "town": draw.sample([head + tail for head in words.heads for tail in words.tails], NUMBERS["town"]),
        "river": words.rivers,
        "person": draw.sample([f"{first} {last}" for first in words.first for last in words.last], NUMBERS["person"]),
    }
    towns, people = ids("town"), ids("person")
    mayors, founders = draw.sample(people, NUMBERS["town"]), draw.choices(people, k=NUMBERS["company"])
    born = {person: draw.randrange(1950, 1985) if person in mayors else draw.randrange(1760, 1960) for person in people}
    town_names = dict(zip(towns, names["town"], strict=True))
    made: list[Entity] = []

    def add(kind: str, number: int, name: str, **facts: str | int) -> None:
        hideable = _HIDDEN.get(kind, [])
        hidden = frozenset([draw.choice(hideable)] if hideable and draw.random() < 0.35 else [])
        made.append(Entity(f"{kind}-{number}", kind, name, facts, hidden))

    for number, name in enumerate(names["town"]):
        add("town", number, name, founded=draw.randrange(1100, 1700), river=draw.choice(ids("river")),
            population=draw.randrange(900, 60_000), mayor=mayors[number], craft=draw.choice(words.crafts))  # fmt: skip
    for number, name in enumerate(names["river"]):
        add("river", number, f"River {name}", length=draw.randrange(21, 400), source=draw.choice(words.hills))
    firms = draw.sample([f"{head} {form}" for head in words.heads for form in words.forms], NUMBERS["company"])
    for number, name in enumerate(firms):
        add("company", number, name, founded=born[founders[number]] + draw.randrange(22, 36), seat=draw.choice(towns),
            founder=founders[number], product=draw.choice(words.goods), employees=draw.randrange(12, 2400))  # fmt: skip
    for number, name in enumerate(names["person"]):
        add(
            "person",
            number,
            name,
            born=born[f"person-{number}"],
            birthplace=draw.choice(towns),
            trade=draw.choice(words.trades),
        )
    feasts = draw.sample([(town, feast) for town in towns for feast in words.feasts], NUMBERS["event"])
    for number, (town, feast) in enumerate(feasts):
        add(
            "event",
            number,
            f"{town_names[town]} {feast}",
            town=town,
            month=draw.choice(MONTHS),
            first_held=draw.randrange(1700, 2010),
        )
    bans = draw.sample([(town, subject) for town in towns for subject in words.subjects], NUMBERS["rule"])
    for number, (town, subject) in enumerate(bans):
        add("rule", number, f"{town_names[town]} bylaw on {subject}", town=town, passed=draw.randrange(1850, 2015),
            fine=5 * draw.randrange(2, 90))  # fmt: skip
    return made


def _article(entity: Entity, by_id: dict[str, Entity], draw: Random) -> Document:
    """Its own facts, and of people which companies they founded and where they are mayor."""
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
            if other.facts.get("founder") == entity.id and draw.random() < 0.5:
                sentences.append(f"Founder of {other.name}.")
                states.add((other.id, "founder"))
            if other.facts.get("mayor") == entity.id and draw.random() < 0.5:
                sentences.append(f"Now mayor of {other.name}.")
                states.add((other.id, "mayor"))
    sentences.append(draw.choice(_FILLER))
    draw.shuffle(sentences)
    kind = {"rule": "bylaw", "event": "custom"}.get(entity.kind, entity.kind)
    head = draw.choice(
        [f"{entity.name} is a {kind} of the region.", f"Of {entity.name}, a {kind}.", f"{entity.name}: a {kind}."]
    )
    return Document("", entity.name, " ".join([head, *sentences]), frozenset(states))


def _almanac(by_id: dict[str, Entity], page: int, draw: Random) -> Document:
    """Towns at an older census: near what is asked for, and not it."""
    year = 1950 + 10 * (page % 5)
    towns = draw.sample([entity for entity in by_id.values() if entity.kind == "town"], 5)
    lines = [f"{town.name} had {draw.randrange(700, 50_000)} inhabitants." for town in towns]
    return Document("", f"Almanac, page {page + 1}: census of {year}", " ".join(lines), frozenset())
