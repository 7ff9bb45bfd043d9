"""Makes the tasks of `train` and `val` from the families, the same ones every time, and checks them.

    python -m verigym.environments.search.generate

rewrites `data/*.jsonl`. Each task is drawn from a seed of its own, so that a new family leaves the others as they are. A
question is kept only if the searches of its gold solution show every document that has to be cited.
"""

from collections.abc import Iterable, Iterator
from itertools import count
from random import Random
from typing import NamedTuple

from verigym.core.records import Json, Task, Trajectory
from verigym.core.seeds import derive
from verigym.environments.search import DATA, _cited
from verigym.environments.search.corpus import Corpus, Entity, Fact, corpus, tokens
from verigym.environments.search.questions import FAMILIES, Family
from verigym.environments.search.verifier import UNKNOWN, search_verifier
from verigym.tasks.load import ship

SEED = 47
LEAST = {"train": 800, "val": 200}
MOST = 5
"""Documents that a count may need."""


class Asked(NamedTuple):
    prompt: str
    answer: str | int
    facts: list[Fact]
    searches: list[str]


def generate(split: str) -> list[Task]:
    """All tasks, no prompt twice, a round of the families at a time, in an order in which any first few are a fair mixture."""
    drawing = [make(split, family) for family in FAMILIES[split]]
    made: list[Task] = []
    while len(made) < LEAST[split]:
        made += [task for each in drawing if (task := next(each, None)) is not None]
    return sorted(made, key=lambda task: derive(SEED, "order", task.id))


def make(split: str, family: Family) -> Iterator[Task]:
    """Tasks of a family, until it has no new question."""
    library, name = corpus(split), f"search/{split}/{family.name}"
    seen: set[str] = set()
    misses = 0
    for place in count():
        asked = ask(library, family, Random(derive(SEED, name, place)))
        if asked is None or asked.prompt in seen:
            misses += 1
            if misses > 200:
                return
            continue
        seen.add(asked.prompt)
        misses = 0
        data: Json = {
            "library": split,
            "answer": asked.answer,
            "needed": [library.stating[fact] for fact in asked.facts],
            "searches": asked.searches,
        }
        yield Task(
            id=f"{name}/{len(seen)}",
            prompt=asked.prompt,
            data=data,
            split=split,
            family=name,
            tags=[family.type],
            lineage=[f"verigym.environments.search.generate seed {SEED}"],
        )


def ask(library: Corpus, family: Family, draw: Random) -> Asked | None:
    """One question, or none where the draw makes no good one."""
    kinds = [entity for entity in library.entities.values() if entity.kind == family.kind]
    asked = {"count": _count, "compare": _compare}.get(family.type, _path)(library, family, kinds, draw)
    if asked is None or any(fact not in library.stating for fact in asked.facts):
        return None
    shown = {id for words in asked.searches for id in library.search(words)}
    task = Task(id="", prompt="", data={"needed": [library.stating[fact] for fact in asked.facts]})
    return asked if set(_cited(task)) <= shown else None


def query(entity: Entity) -> str:
    """Words that find it: a town's name alone finds its bylaws and customs as well."""
    return f"town {entity.name}" if entity.kind == "town" else entity.name


def _path(library: Corpus, family: Family, kinds: list[Entity], draw: Random) -> Asked | None:
    start = here = draw.choice(kinds)
    facts: list[Fact] = []
    searches: list[str] = []
    for step in family.path:
        facts.append((here.id, step))
        searches.append(query(here))
        here = library.entities.get(str(here.facts[step]), here)
    prompt = family.words.format(start.name)
    if family.type == "unanswerable":
        return Asked(prompt, UNKNOWN, [], searches) if family.path[-1] in start.hidden else None
    return Asked(prompt, library.named(facts[-1]), facts, searches)


def _compare(library: Corpus, family: Family, kinds: list[Entity], draw: Random) -> Asked | None:
    pair, [fact] = draw.sample(kinds, 2), family.path
    values = [int(entity.facts[fact]) for entity in pair]
    if values[0] == values[1]:
        return None
    best = pair[values.index(max(values) if family.greater else min(values))]
    facts = [(entity.id, fact) for entity in pair]
    return Asked(
        family.words.format(*(entity.name for entity in pair)), best.name, facts, [query(entity) for entity in pair]
    )


def _count(library: Corpus, family: Family, kinds: list[Entity], draw: Random) -> Asked | None:
    [fact] = family.path
    town = draw.choice([entity for entity in library.entities.values() if entity.kind == "town"])
    found = [entity for entity in kinds if entity.facts[fact] == town.id]
    if not 1 <= len(found) <= MOST:
        return None
    what = {
        "company": "company seat based head office",
        "person": "person native place of birth life began",
        "event": "custom held",
        "rule": "bylaw",
    }
    facts = [(entity.id, fact) for entity in found]
    return Asked(family.words.format(town.name), len(found), facts, [f"{what[family.kind]} {town.name}"])


def check(made: Iterable[Task]) -> None:
    """Stops at the first task whose gold answer does not pass, or whose documents do not hold the answer."""
    for task in made:
        library, cited = corpus(task.data["library"]), _cited(task)
        ended: Json = {"answer": {"text": str(task.data["answer"]), "citations": cited}}
        verdict = search_verifier(task, Trajectory(id="a", task=task.id, group="g", end_state=ended))
        assert verdict.passed, f"{task.id}: {verdict.evidence}"
        if task.tags[0] in ("one", "two"):
            text = " ".join(library.documents[id].text for id in cited)
            held = set(tokens(str(task.data["answer"]))) <= set(tokens(text))
            assert held, f"{task.id}: its documents do not say so"


def main() -> None:
    for split in ("train", "val"):
        made = generate(split)
        check(made)
        ship(DATA, split, made)


if __name__ == "__main__":
    main()
