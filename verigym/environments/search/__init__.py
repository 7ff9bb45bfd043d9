"""search: questions about an invented region, answered with the documents that prove the answer.

The library has over 500 short documents: towns, rivers, companies, people and more (`region`). Almanac pages are near misses.
Questions need one to three steps, comparisons, counts, lists, sums or negations. Some have no answer in the documents. The
training region and the held-out region share no name.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from verigym.core.records import FunctionCall, Item, Json, Message, Task, Trajectory, Verdict
from verigym.environments import shipped
from verigym.environments.search.corpus import corpus
from verigym.environments.search.verifier import UNKNOWN, search_verifier, written
from verigym.harness.tools import tool

verifiers = {"search_verifier": search_verifier}
suites = {"search_eval": "val"}


def tasks(split: str) -> list[Task]:
    """The shipped tasks of `train` or `val`. Held-out tasks have other questions, about another region."""
    return shipped.tasks("search", split)


class Environment:
    system = """\
You answer questions from a library of short documents. Call one tool at a time: search, open what looks right, then \
call answer, once, with the answer alone (a full name, names, a number, yes or no) and the ids of the documents that state \
it: one for every fact it rests on, and no others. Where the documents do not say, answer "unknown" with no citations.
Without a tool channel of your own, a call is one JSON object and nothing else: {"tool": name, "args": {...}}"""
    max_turns = 12
    __slots__ = ("library", "said")

    def open(self, task: Task) -> None:
        self.library = corpus(task.data["library"])
        self.said: Json | None = None

    def end_state(self) -> Json:
        return {"answer": self.said}

    @tool
    def search(self, query: str) -> str:
        """The six documents that fit the words of the query best: id, title and a sentence of each."""
        found = self.library.search(query)
        lines = [f"{id} | {self.library.documents[id].title} | {self.library.snippet(id, query)}" for id in found]
        return "\n".join(lines) or "nothing found"

    @tool("open")
    def read(self, document: str) -> str:
        """A document, by its id."""
        found = self.library.documents.get(document)
        if found is None:
            raise ValueError(f'there is no document "{document[:40]}"; ids look like D117')
        return f"{found.title}\n{found.text}"

    @tool
    def answer(self, text: str, citations: list[str]) -> str:
        """Answer the question, citing documents by their ids. The first answer counts."""
        if self.said is not None:
            raise ValueError("the question is answered already")
        for id in citations:
            if id not in self.library.documents:
                raise ValueError(f'there is no document "{id[:40]}" to cite')
        self.said = {"text": text, "citations": citations}
        return "answered"


def explain(task: Task, trajectory: Trajectory, verdict: Verdict) -> str | None:
    """Names the buckets of a right answer without proof, and of an answer to an unanswerable question."""
    if verdict.passed or not verdict.parts.get("valid"):
        return None
    if not task.data["needed"]:
        return "made up: the documents do not say"
    return f"wrong citations: {verdict.evidence.splitlines()[0]}" if verdict.parts["answer"] else None


# -- Solutions, right and wrong -----------------------------------------------------------------------------------------------

Solution = list[list[Item]]


def gold(task: Task) -> Solution:
    """Searches, opens the documents to cite or rule out, and answers."""
    proof = cited(task.data["needed"])
    looking = [
        *(_call("search", query=query) for query in task.data["searches"]),
        *(_call("open", document=id) for id in cited(task.data.get("also", []), proof)),
    ]
    return shipped.solution([*looking, _answer(task.data["answer"], proof)])


def cheats(task: Task) -> list[Solution]:
    """Claims of success, no citation, all documents, one too many or too few, a wrong answer with right citations, a name too
    many or too few, a second answer, and everything at once."""
    assert isinstance(task.prompt, str), "search's prompts are text"
    right, proof = task.data["answer"], cited(task.data["needed"])
    documents = list(corpus(task.data["library"]).documents)
    useful = {id for each in [*task.data["needed"], *task.data.get("also", [])] for id in each}
    other = next(id for id in documents if id not in useful)
    wrong = right + 1 if isinstance(right, int) else "Nobody" if right == UNKNOWN else UNKNOWN
    found: list[Solution] = [
        [[Message("assistant", "Done, the answer is in the documents.")]],
        [[Message("assistant", f"{written(right)}, see {', '.join(proof)}.")]],
        shipped.solution([_answer(task.prompt, proof)]),
        shipped.solution([_answer(right, documents)]),
        shipped.solution([_answer(right, [*proof, other])]),
        shipped.solution([_answer(wrong, proof)]),
        shipped.solution([_answer(f"{written(right)} or {wrong}", proof)]),
        shipped.solution([_answer(wrong, proof), _answer(right, proof)]),
        [
            [
                _call("search", query=task.prompt),
                _call("open", document=other),
                _answer(wrong, []),
                _answer(right, proof),
            ]
        ],
    ]
    if proof:
        found += [
            shipped.solution([_answer(right, [])]),
            shipped.solution([_answer(right, proof[:-1])]),
            shipped.solution([_answer(UNKNOWN, [])]),
        ]
    if isinstance(right, list):
        found += [
            shipped.solution([_answer(right[:-1], proof)]),
            shipped.solution([_answer([*right, "Nobody"], proof)]),
        ]
    return found


def cited(needed: list[list[str]], beside: Sequence[str] = ()) -> list[str]:
    """As few documents as prove every fact, in addition to those already cited."""
    found = list(beside)
    for documents in sorted(needed, key=len):
        if not set(documents) & set(found):
            found.append(documents[0])
    return found


def _answer(answer: Any, citations: list[str]) -> FunctionCall:
    return _call("answer", text=written(answer), citations=citations)


def _call(name: str, **arguments: Any) -> FunctionCall:
    return FunctionCall(f"call_{name}", name, msgspec.json.encode(arguments).decode())
