"""The reply matches a pattern. The pattern is the environment's, the text is the model's: so the time is bounded.

Patterns are those of the `regex` package, which reads all that `re` does and can stop in time, on any thread.
"""

import regex
from msgspec import Struct

from verigym.core.errors import VerifierFailure
from verigym.core.records import Task, Trajectory, Verdict
from verigym.verifiers.answers import Where, find_answer

_SECONDS = 1.0
"""After which a match is given up: a pattern that needs longer backtracks without end."""


class Regex(Struct, frozen=True):
    """`Regex(r"(?i)order #\\d+")`; without a pattern of its own it takes `task.data["pattern"]`."""

    pattern: str = ""
    full: bool = False
    """All of the text has to match, not a part of it."""
    where: Where = "whole"
    """Which text: see `answers`."""

    def __call__(self, task: Task, trajectory: Trajectory) -> Verdict:
        pattern = self.pattern or task.data.get("pattern")
        if not isinstance(pattern, str):
            raise VerifierFailure(f'task {task.id}: data has no "pattern" and Regex was given none')
        answer = find_answer(trajectory.reply, self.where)
        found = answer and matched(pattern, answer.text, full=self.full)
        if found is None:
            return Verdict(reward=0.0, evidence=f'nothing matches {pattern[:120]} in "{trajectory.reply[:120]}"')
        return Verdict(reward=1.0, passed=True, evidence=f'"{found[:120]}" matches {pattern[:120]}')


def matched(pattern: str, text: str, *, full: bool = False) -> str | None:
    """What of the text matched; a pattern that is none, or that takes too long, is the verifier's failure."""
    try:
        compiled = regex.compile(pattern)
        found = (compiled.fullmatch if full else compiled.search)(text, timeout=_SECONDS)
    except regex.error as error:
        raise VerifierFailure(f"{pattern[:120]} is not a regular expression: {error}") from error
    except TimeoutError as error:
        raise VerifierFailure(f"{pattern[:120]} took longer than {_SECONDS:g} s: make it backtrack less") from error
    return found and found[0]
