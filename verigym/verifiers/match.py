"""Compares the whole reply with `task.data["answer"]` (`exact_match`), or searches it for a pattern (`Regex`)."""

import regex
from msgspec import Struct

from verigym.core.errors import VerifierFailure
from verigym.core.records import Task, Trajectory, Verdict
from verigym.verifiers.answers import Where, find_answer

_LIMIT_S = 1.0
"""Maximum time per match. A pattern that needs longer backtracks without end."""


def exact_match(task: Task, trajectory: Trajectory) -> Verdict:
    """1 if the reply is the answer or one of a list of answers. White space and case do not count, and numbers compare as
    numbers. A reply with words around the answer does not match."""
    if "answer" not in task.data:
        raise VerifierFailure(f'task {task.id}: data has no "answer". exact_match compares the reply with it')
    answer = task.data["answer"]
    answers = [str(each) for each in (answer if isinstance(answer, list) else [answer])]
    passed = any(_same(trajectory.reply, each) for each in answers)
    expected = " or ".join(f'"{each}"' for each in answers)
    evidence = f"{expected}, as expected" if passed else f'expected {expected}, got "{trajectory.reply[:120]}"'
    return Verdict(reward=float(passed), passed=passed, evidence=evidence)


def _same(given: str, expected: str) -> bool:
    if " ".join(given.split()).casefold() == " ".join(expected.split()).casefold():
        return True
    try:
        return float(given) == float(expected)
    except ValueError:  # not two numbers
        return False


class Regex(Struct, frozen=True):
    """`Regex(r"(?i)order #\\d+")`. Without a pattern it uses `task.data["pattern"]`. Patterns have the syntax of the `regex`
    package, which reads what `re` does and can stop after a time limit on any thread."""

    pattern: str = ""
    full: bool = False
    """The whole text must match, not only a part of it."""
    where: Where = "whole"
    """Which text to search: see `answers`."""

    def __call__(self, task: Task, trajectory: Trajectory) -> Verdict:
        pattern = self.pattern or task.data.get("pattern")
        if not isinstance(pattern, str):
            raise VerifierFailure(f'task {task.id}: data has no "pattern", and Regex was created without one')
        answer = find_answer(trajectory.reply, self.where)
        match = answer and matched(pattern, answer.text, full=self.full)
        if match is None:
            return Verdict(reward=0.0, evidence=f'nothing matches {pattern[:120]} in "{trajectory.reply[:120]}"')
        return Verdict(reward=1.0, passed=True, evidence=f'"{match[:120]}" matches {pattern[:120]}')


def matched(pattern: str, text: str, *, full: bool = False) -> str | None:
    """The part of the text that matches. An invalid or slow pattern raises `VerifierFailure`."""
    try:
        compiled = regex.compile(pattern)
        match = (compiled.fullmatch if full else compiled.search)(text, timeout=_LIMIT_S)
    except regex.error as error:
        raise VerifierFailure(f"{pattern[:120]} is not a regular expression: {error}") from error
    except TimeoutError as error:
        raise VerifierFailure(f"{pattern[:120]} took longer than {_LIMIT_S:g} s. Make it backtrack less") from error
    return match and match[0]
