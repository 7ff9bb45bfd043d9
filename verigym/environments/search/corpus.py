"""The library of a region: its entities, its documents and `search` (BM25) over them. `region` writes their texts."""

import math
import re
from collections import Counter, defaultdict
from functools import cache
from random import Random

from verigym.core.seeds import derive
from verigym.environments.search import region
from verigym.environments.search.region import Document, Entity, Fact
from verigym.environments.search.words import WORDS

SEED = 47
RESULTS = 6
K1, B = 1.5, 0.75


class Corpus:
    """The entities and documents of a region, and the index over them."""

    def __init__(self, entities: list[Entity], documents: list[Document], unused: dict[str, list[str]]) -> None:
        self.entities = {entity.id: entity for entity in entities}
        self.kinds: defaultdict[str, list[Entity]] = defaultdict(list)
        for entity in entities:
            self.kinds[entity.kind].append(entity)
        self.unused = unused
        """Names of each kind that no entity has."""
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
        """Word to the documents that contain it, with its contribution to their score."""
        counts = Counter(word for each in words for word in each)
        for place, (each, length) in enumerate(zip(words, lengths, strict=True)):
            for word, times in each.items():
                rarity = math.log(1 + (len(words) - counts[word] + 0.5) / (counts[word] + 0.5))
                score = rarity * times * (K1 + 1) / (times + K1 * (1 - B + B * length / mean))
                self._scores[word].append((place, score))

    def named(self, fact: Fact) -> str | int:
        """The value of a fact as text. For another entity, its name."""
        return self.shown(self.entities[fact[0]].facts[fact[1]])

    def shown(self, value: str | int) -> str | int:
        return self.entities[value].name if isinstance(value, str) and value in self.entities else value

    def search(self, query: str) -> list[str]:
        """Ids of the best documents, best first."""
        scores: defaultdict[int, float] = defaultdict(float)
        for word in dict.fromkeys(tokens(query)):
            for place, score in self._scores.get(word, ()):
                scores[place] += score
        best = sorted(scores, key=lambda place: (-scores[place], place))[:RESULTS]
        return [self._ids[place] for place in best]

    def snippet(self, id: str, query: str) -> str:
        """The sentence of a document that contains most words of the query."""
        wanted = set(tokens(query))
        sentences = re.split(r"(?<=\.) ", self.documents[id].text)
        return max(sentences, key=lambda sentence: len(wanted.intersection(tokens(sentence))))


def tokens(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


@cache
def corpus(split: str) -> Corpus:
    words, draw = WORDS[split], Random(derive(SEED, "corpus", split))
    entities = region.entities(words, draw)
    used = {entity.name for entity in entities}
    unused = {kind: [name for name in names if name not in used] for kind, names in region.names_of(words).items()}
    return Corpus(entities, region.documents(entities, draw), unused)
