"""Compares the whole reply with `task.data["answer"]` (`exact_match`), or searches it for a pattern (`Regex`)."""

import functools
import re
from decimal import Decimal

import regex
from msgspec import Struct

from verigym.core.errors import VerifierFailure
from verigym.core.records import Task, Trajectory, Verdict
from verigym.verifiers.answers import Where, find_answer

_LIMIT_S = 1.0
"""Maximum time per match. A pattern that needs longer backtracks without end."""
_MOST_REPEATS = 100_000
"""Maximum product of the counts in a pattern. Compiling `a{1000000000}` would take minutes, and nothing can interrupt it."""
_COUNT = re.compile(r"\{(?:(\d+)?,)?(\d+)?\}")
_NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
"""A number that is not also a name: `007` is text, and so are `1_000`, `inf` and `nan`."""


def exact_match(task: Task, trajectory: Trajectory) -> Verdict:
    """1 if the reply is the answer or one of a list of answers. White space and case do not count. Decimal numbers are compared
    exactly: `42.0` is `42`, and `007` is not `7`. A reply with words around the answer does not match."""
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
    numbers = [text for each in (given, expected) if _NUMBER.fullmatch(text := each.strip())]
    return len(numbers) == 2 and Decimal(numbers[0]) == Decimal(numbers[1])


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
        try:
            match = answer and matched(pattern, answer.text, full=self.full)
        except TimeoutError as error:
            return Verdict(reward=0.0, evidence=str(error))
        if match is None:
            return Verdict(reward=0.0, evidence=f'nothing matches {pattern[:120]} in "{trajectory.reply[:120]}"')
        return Verdict(reward=1.0, passed=True, evidence=f'"{match[:120]}" matches {pattern[:120]}')


def matched(pattern: str, text: str, *, full: bool = False, seconds: float = _LIMIT_S) -> str | None:
    """The part of the text that matches. An invalid pattern raises `VerifierFailure`. A text on which the pattern takes too long
    raises `TimeoutError`: a reply can be written to cause this, so it is the reply's failure."""
    compiled = _compiled(pattern)
    try:
        match = (compiled.fullmatch if full else compiled.search)(text, timeout=max(seconds, 0.001))
    except TimeoutError:
        words = (
            f"matching {pattern[:120]} took longer than {_LIMIT_S:g} s on this reply. Make the pattern backtrack less"
        )
        raise TimeoutError(words) from None
    return match and match[0]


@functools.lru_cache(maxsize=1024)
def _compiled(pattern: str) -> "regex.Pattern[str]":
    repeats = 1
    for low, high in _COUNT.findall(pattern):
        repeats *= max(1, int((high or low or "1")[:9]))
    if repeats > _MOST_REPEATS:
        raise VerifierFailure(
            f"{pattern[:120]} repeats up to {repeats:,} times. Use counts whose product is at most {_MOST_REPEATS:,}"
        )
    try:
        return regex.compile(pattern)
    except (regex.error, RecursionError, OverflowError) as error:
        raise VerifierFailure(f"{pattern[:120]} is not a regular expression: {error}") from error
