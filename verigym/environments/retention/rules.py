"""Judges a reply by `task.data["rule"]`. The answer must be exact. Common text around it is ignored.

    number    the last number, or the number marked as the answer, is the expected one
    options   it names the answer and no other option, in at most one sentence
    words     it equals the answer, except for case
    exact     it equals the answer, including case
    commas    the expected items in order, separated by commas
    lines     the expected items in order, each on a line with the requested beginning
    json      a JSON object that equals the expected one
    sentence  one sentence that contains the expected word and does not repeat the request

Quotes, emphasis and a full stop around an answer are ignored. The part `valid` says whether the reply had an answer to
compare. A tool call is not an answer, unless the task asks for JSON.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from verigym.core.errors import VerifierFailure
from verigym.core.records import Task, Trajectory, Verdict
from verigym.policies.dialects import looks_like_call
from verigym.verifiers.answers import find_answer, find_json, same_json
from verigym.verifiers.numeric import Numeric, names

_MOST_WORDS = 25
"""Maximum words of a reply that answers in a sentence."""
_AROUND = " \t\n\"'`*_“”‘’"


class _Found(NamedTuple):
    valid: bool
    passed: bool


def retention_verifier(task: Task, trajectory: Trajectory) -> Verdict:
    """Gives 1 if the reply is right by the task's rule, and otherwise 0."""
    rule: str = task.data.get("rule", "")
    if rule not in RULES or "answer" not in task.data:
        raise VerifierFailure(f'task {task.id}: data needs "answer" and a "rule" of {", ".join(RULES)}, not {rule!r}')
    reply = trajectory.reply
    called = bool(trajectory.calls) or (rule != "json" and looks_like_call(reply))
    found = _Found(False, False) if called or not reply.strip() else RULES[rule](task, trajectory)
    words = "as expected" if found.passed else f"expected {task.data['answer']}"
    return Verdict(
        reward=float(found.passed),
        passed=found.passed,
        parts={"valid": float(found.valid)},
        evidence=f'{words}: "{reply[:120]}"',
    )


# -- The rules ---------------------------------------------------------------------------------------------------------


def _number(task: Task, trajectory: Trajectory) -> _Found:
    judged = Numeric()(task, trajectory)
    return _Found(bool(re.search(r"[0-9]", trajectory.reply)), judged.passed)


def _options(task: Task, trajectory: Trajectory) -> _Found:
    said: str = find_answer(trajectory.reply).text  # type: ignore[union-attr]
    named = [names(said, each) for each in (task.data["answer"], *task.data["others"])]
    valid = sum(named) == 1 and len(_words(said)) <= _MOST_WORDS
    return _Found(valid, valid and named[0])


def _equal(task: Task, trajectory: Trajectory) -> _Found:
    given, expected = (_bare(each).casefold() for each in (trajectory.reply, task.data["answer"]))
    return _Found(len(given.split()) == len(expected.split()), given.split() == expected.split())


def _exact(task: Task, trajectory: Trajectory) -> _Found:
    expected: str = task.data["answer"]
    whole = trajectory.reply.strip()
    given = {whole, whole.removesuffix("."), _bare(trajectory.reply)}
    return _Found(len(whole.split()) == len(expected.split()), expected in given)


def _commas(task: Task, trajectory: Trajectory) -> _Found:
    return _same_things(_bare(trajectory.reply).split(","), task.data["answer"])


_BEGINNINGS = {"": r"(?![-*•\d])", "-": r"[-*•]\s*", "1.": r"{place}[.)]\s*"}


def _lines(task: Task, trajectory: Trajectory) -> _Found:
    """`begin` is the requested beginning of each line: nothing, a dash, or its number."""
    begin = _BEGINNINGS[task.data["begin"]]
    given: list[str] = []
    for place, line in enumerate(filter(str.strip, trajectory.reply.split("\n")), start=1):
        found = re.match(begin.replace("{place}", str(place)), line.strip())
        if found is None:
            return _Found(False, False)
        given.append(line.strip()[found.end() :])
    return _same_things(given, task.data["answer"])


def _json(task: Task, trajectory: Trajectory) -> _Found:
    try:
        given = find_json(trajectory.reply)
    except ValueError:
        return _Found(False, False)
    return _Found(isinstance(given, dict), same_json(given, task.data["answer"]))


def _sentence(task: Task, trajectory: Trajectory) -> _Found:
    said, asked = _words(trajectory.reply), _words(asked_of(task))
    back = any(said[i : i + 4] == asked[j : j + 4] for i in range(len(said) - 3) for j in range(len(asked) - 3))
    valid = 4 <= len(said) <= _MOST_WORDS and len(re.findall(r"[.!?]+(?=\s|$)", trajectory.reply)) == 1 and not back
    return _Found(valid, valid and task.data["answer"] in said)


RULES: dict[str, Callable[[Task, Trajectory], _Found]] = {
    "number": _number,
    "options": _options,
    "words": _equal,
    "exact": _exact,
    "commas": _commas,
    "lines": _lines,
    "json": _json,
    "sentence": _sentence,
}


def asked_of(task: Task) -> str:
    """The question: the last message of the prompt."""
    last = task.prompt if isinstance(task.prompt, str) else task.prompt[-1]
    return last if isinstance(last, str) else getattr(last, "text", "")


# -- Text --------------------------------------------------------------------------------------------------------------


def _bare(reply: str) -> str:
    """The marked answer, or else the reply, without quotes, emphasis and a full stop."""
    found = find_answer(reply)
    assert found is not None, "auto always finds something"
    return found.text.strip(_AROUND).removesuffix(".").strip(_AROUND)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:['’][^\W_]+)*", text.casefold())


def _same_things(given: list[Any], expected: list[str]) -> _Found:
    things = [_bare(each).casefold() for each in given]
    return _Found(len(things) == len(expected), things == [each.casefold() for each in expected])
