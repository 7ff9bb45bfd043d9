"""Rows of `search`, from the families of questions.

A question is kept only if the searches of its gold solution show every document to be cited or ruled out.
"""

from collections.abc import Iterable, Iterator

from authoring.engine import Builder, Draft, Family, Trial, Turn
from authoring.search.questions import FAMILIES
from authoring.search.shapes import Question
from verigym.core.records import Json, Task
from verigym.environments.search import cited
from verigym.environments.search.corpus import Corpus, corpus, tokens
from verigym.environments.search.region import Fact
from verigym.environments.search.verifier import written

_MAX_CALLS = 10
"""Calls of a gold solution. Of the twelve turns, one is for the answer and one for the last message."""


def families(split: str) -> list[Family]:
    return [Family(split, f"search/{split}/{family.name}", family) for family in FAMILIES[split]]


def draw(family: Family, turn: Turn) -> Draft | None:
    """Each wording is used as often as the others."""
    library = corpus(family.split)
    asked = family.source.shape.ask(library, turn.random)
    proof = asked and prove(library, asked)
    if not asked or not proof:
        return None
    wording = family.source.words[turn.made % len(family.source.words)]
    data: Json = {"library": family.split, "answer": asked.answer, **proof}
    return Draft(
        prompt=wording.format(*asked.names),
        data={**data, "searches": list(dict.fromkeys(asked.searches))},
        tags=[family.source.type],
        key=frozenset(asked.names),
    )


def prove(library: Corpus, asked: Question) -> Json | None:
    """The documents that state each fact, with those that the searches show first. None if the searches are not enough."""
    shown = {id for words in asked.searches for id in library.search(words)}

    def stating(facts: Iterable[Fact]) -> list[list[str]]:
        groups = dict.fromkeys(tuple(library.stating.get(fact, ())) for fact in facts)
        return [sorted(documents, key=lambda id: (id not in shown, id)) for documents in groups]

    needed, also = stating(asked.facts), stating(asked.also)
    if not all([*needed, *also]):
        return None
    opened = cited(also, cited(needed))
    if not set(opened) <= shown or len(set(asked.searches)) + len(opened) > _MAX_CALLS:
        return None
    return {"needed": needed, **({"also": also} if also else {})}


def check(task: Task, trial: Trial) -> Iterator[str]:
    """The cited documents contain the answer."""
    if task.tags[0] in ("one", "two", "three", "list"):
        documents = [corpus(task.data["library"]).documents[id] for id in cited(task.data["needed"])]
        text = " ".join(f"{document.title} {document.text}" for document in documents)
        if not set(tokens(written(task.data["answer"]))) <= set(tokens(text)):
            yield "the cited documents do not contain the answer"


BUILDER = Builder(
    name="search", seed=47, sizes={"train": 14, "val": 7}, families=families, draw=draw, misses=600,
    may_end_early=True, check=check,
)  # fmt: skip
