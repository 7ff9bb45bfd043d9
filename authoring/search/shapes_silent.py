"""The shapes of questions that the library does not answer: there is all that leads to the answer, but not that."""

from dataclasses import dataclass
from random import Random

from authoring.search.shapes import Asked, query, walk
from verigym.environments.search.corpus import Corpus
from verigym.environments.search.verifier import UNKNOWN


@dataclass(frozen=True)
class Silent:
    """The last of the steps is stated nowhere."""

    kind: str
    steps: str

    def ask(self, library: Corpus, draw: Random) -> Asked | None:
        start = draw.choice(library.kinds[self.kind])
        found = walk(library, start, self.steps)
        if found is None:
            return None
        *before, last = [fact in library.stating for fact in found.facts]
        return Asked([start.name], UNKNOWN, [], found.searches) if all(before) and not last else None


@dataclass(frozen=True)
class HalfSilent:
    """A comparison of two, of which one is stated nowhere."""

    kind: str
    fact: str

    def ask(self, library: Corpus, draw: Random) -> Asked | None:
        pair = draw.sample(library.kinds[self.kind], 2)
        if [(each.id, self.fact) in library.stating for each in pair].count(True) != 1:
            return None
        return Asked([each.name for each in pair], UNKNOWN, [], [query(each) for each in pair])


@dataclass(frozen=True)
class Untold:
    """Something that no document tells of anything of this kind."""

    kind: str
    what: str

    def ask(self, library: Corpus, draw: Random) -> Asked | None:
        start = draw.choice(library.kinds[self.kind])
        return Asked([start.name], UNKNOWN, [], [query(start)])


@dataclass(frozen=True)
class Nowhere:
    """Something of a thing that the library does not have, though its name looks like the others'."""

    kind: str
    what: str

    def ask(self, library: Corpus, draw: Random) -> Asked | None:
        name = draw.choice(library.unused[self.kind])
        return Asked([name], UNKNOWN, [], [f"town {name}" if self.kind == "town" else name])
