"""Judges an answer and its citations. The task has the answer and, for each fact it needs, the documents that state it.

    answer "Tarnwick", expected "Hollmere"
    D117 is cited and states nothing of this
    nothing cited states the second of 2 facts

Every fact needs a citation, and every citation must state one of the facts, so citing everything fails. Documents that
rule something out (`also`) are optional. If the documents do not contain the answer, it is "unknown" without a citation.
Only `end_state` is read.
"""

import re
import unicodedata

from verigym.core.errors import VerifierFailure
from verigym.core.records import Task, Trajectory, Verdict

UNKNOWN = "unknown"
_ORDER = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_CUT = 100


def search_verifier(task: Task, trajectory: Trajectory) -> Verdict:
    """Gives 1 if the answer and its citations are right, and otherwise 0. Parts: valid, answer, citations."""
    if "answer" not in task.data or "needed" not in task.data:
        raise VerifierFailure(
            f'task {task.id}: data has no "answer" or no "needed", the documents that state each fact'
        )
    said, expected, needed = trajectory.end_state.get("answer"), task.data["answer"], task.data["needed"]
    if said is None:
        return Verdict(reward=0.0, parts={"valid": 0.0}, evidence="nothing was answered: call answer")
    right = same(said["text"], expected)
    lines = [] if right else [f'answer "{said["text"][:_CUT]}", expected "{written(expected)}"']
    cited = list(dict.fromkeys(said["citations"]))
    useful = {id for documents in [*needed, *task.data.get("also", [])] for id in documents}
    wrong = [f"{id} is cited and states nothing of this" for id in cited if id not in useful]
    for place, documents in enumerate(needed):
        if not set(documents) & set(cited):
            wrong.append(f"nothing cited states the {_ORDER[place]} of {len(needed)} facts")
    passed = right and not wrong
    parts = {"valid": 1.0, "answer": float(right), "citations": float(not wrong)}
    return Verdict(reward=float(passed), passed=passed, parts=parts, evidence="\n".join([*lines, *wrong[:6]]))


def same(said: str, expected: str | int | list[str]) -> bool:
    """A number must be the only number in the text. A name must stand alone, and case, articles and a full stop are ignored.
    Several names may be in any order, with only words or numbers that join or number them."""
    if isinstance(expected, int):
        return len(said) <= _CUT and _numbers(said) == {str(expected)}
    if isinstance(expected, str):
        return _plain(said) == _plain(expected)
    rest = f" {_plain(re.sub(r'(?m)^ *[0-9][.)] ', '', said))} "
    for name in sorted(map(_plain, expected), key=len, reverse=True):
        if f" {name} " not in rest:
            return False
        rest = rest.replace(f" {name} ", "  ", 1)
    return set(rest.split()) <= {"and", "both", "from", "to"}


def written(answer: str | int | list[str]) -> str:
    return ", ".join(answer) if isinstance(answer, list) else str(answer)


def _numbers(said: str) -> set[str]:
    """All numbers of a text. Numbers up to twelve may be words. "-3" and "1390s" are not 3 and 1390. "135km" is 135."""
    text = re.sub(r"(?<=\d)[, ](?=\d{3}\b)", "", unicodedata.normalize("NFKC", said).casefold())
    found = re.findall(r"(?<![^\W_])[-\u2212]?[^\W_]+(?:\.\d+)?", text)
    numbers = {re.sub(r"(?<=\d)k?m$", "", each) for each in found if re.search(r"\d", each)}
    if not numbers and len(_plain(said).split()) > 3:
        return set()
    return numbers | {str(_NUMBERS.index(each)) for each in found if each in _NUMBERS}


def _plain(text: str) -> str:
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold().replace("&", " and "))
    return " ".join(word for word in words if word not in ("the", "a", "an", "river"))
