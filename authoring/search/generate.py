"""Makes the tasks of `train` and `val` from the families, the same ones every time, and checks them.

    python -m authoring.search.generate

rewrites `data/*.jsonl`. Each task is drawn from a seed of its own, so that a new family leaves the others as they are.
A question is kept only if the searches of its gold solution show every document that has to be cited or ruled out.
"""

from collections.abc import Iterable, Iterator
from itertools import count, islice
from random import Random

from authoring.search.questions import FAMILIES, Family
from authoring.search.shapes import Asked
from verigym.core.records import Json, Task, Trajectory
from verigym.core.seeds import derive
from verigym.environments.search import DATA, cited
from verigym.environments.search.corpus import Corpus, corpus, tokens
from verigym.environments.search.region import Fact
from verigym.environments.search.verifier import search_verifier, written
from verigym.tasks.load import ship

SEED = 47
EACH = {"train": 14, "val": 7}
"""Tasks of a family, where it has so many."""
_MISSES = 600
_CALLS = 10
"""Of a gold solution: of the twelve turns, one is for the answer and one for a word."""


def generate(split: str) -> list[Task]:
    """All tasks, in an order in which any first few are a fair mixture."""
    made = [task for family in FAMILIES[split] for task in islice(make(split, family), EACH[split])]
    return sorted(made, key=lambda task: derive(SEED, "order", task.id))


def make(split: str, family: Family) -> Iterator[Task]:
    """Tasks of a family, no question twice, each wording as often as the others, until it has no new question."""
    library, name = corpus(split), f"search/{split}/{family.name}"
    seen: set[frozenset[str | int]] = set()
    misses = 0
    for place in count():
        asked = family.shape.ask(library, Random(derive(SEED, name, place)))
        proof = asked and frozenset(asked.names) not in seen and prove(library, asked)
        if not asked or not proof:
            misses += 1
            if misses > _MISSES:
                return
            continue
        words = family.words[len(seen) % len(family.words)]
        seen.add(frozenset(asked.names))
        misses = 0
        data: Json = {"library": split, "answer": asked.answer, **proof}
        yield Task(
            id=f"{name}/{len(seen)}",
            prompt=words.format(*asked.names),
            data={**data, "searches": list(dict.fromkeys(asked.searches))},
            split=split,
            family=name,
            tags=[family.type],
            lineage=[f"verigym.environments.search.generate seed {SEED}"],
        )


def prove(library: Corpus, asked: Asked) -> Json | None:
    """For each fact the documents that state it, those first that its searches show; none where that is not enough."""
    shown = {id for words in asked.searches for id in library.search(words)}

    def stating(facts: Iterable[Fact]) -> list[list[str]]:
        groups = dict.fromkeys(tuple(library.stating.get(fact, ())) for fact in facts)
        return [sorted(each, key=lambda id: (id not in shown, id)) for each in groups]

    needed, also = stating(asked.facts), stating(asked.also)
    if not all([*needed, *also]):
        return None
    opened = cited(also, cited(needed))
    if not set(opened) <= shown or len(set(asked.searches)) + len(opened) > _CALLS:
        return None
    return {"needed": needed, **({"also": also} if also else {})}


def check(made: Iterable[Task]) -> None:
    """Stops at the first task whose gold answer does not pass, or whose documents do not hold the answer."""
    for task in made:
        library, proof, answer = corpus(task.data["library"]), cited(task.data["needed"]), task.data["answer"]
        ended: Json = {"answer": {"text": written(answer), "citations": proof}}
        verdict = search_verifier(task, Trajectory(id="a", task=task.id, group="g", end_state=ended))
        assert verdict.passed, f"{task.id}: {verdict.evidence}"
        if task.tags[0] in ("one", "two", "three", "list"):
            text = " ".join(f"{library.documents[id].title} {library.documents[id].text}" for id in proof)
            assert set(tokens(written(answer))) <= set(tokens(text)), f"{task.id}: its documents do not say so"


def main() -> None:
    for split in ("train", "val"):
        made = generate(split)
        check(made)
        ship(DATA, split, made)


if __name__ == "__main__":
    main()
