"""Compares a reply with `task.data["answer"]`. The reply must be the answer and nothing else.

Case, white space around it, one full stop at its end and an article at its start do not count. Numbers and times must be written
as in the note: "09:30" is not "9:30", and "nine" is not "9".
"""

import re
from collections import Counter

from verigym.core.errors import VerifierFailure
from verigym.core.records import Task, Trajectory, Verdict

_PARTIAL = 0.9
"""Reward of a reply that has all words of the answer and no others, but is not the answer."""


def notes_verifier(task: Task, trajectory: Trajectory) -> Verdict:
    """Gives 1 if the reply is the answer. Otherwise gives 0.9 times the F1 of its words: fewer and nearer words earn more."""
    answer = task.data.get("answer")
    if not isinstance(answer, str) or not answer.strip():
        raise VerifierFailure(
            f'task {task.id}: "answer" is missing in data. notes_verifier compares the reply with it.'
        )
    reply = "" if trajectory.calls else trajectory.reply
    passed = plain(reply) == plain(answer)
    return Verdict(
        reward=1.0 if passed else _PARTIAL * f1(words(reply), words(answer)),
        passed=passed,
        evidence=f'expected "{answer}", got "{reply[:120]}"',
    )


def plain(text: str) -> str:
    """The text without what does not count."""
    return re.sub(r"^(?:the|an?)\s+", "", text.strip().casefold().removesuffix(".").rstrip())


def words(text: str) -> list[str]:
    """Words, numbers and times, in lower case."""
    return re.findall(r"[^\W_]+(?:[:'’-][^\W_]+)*", text.casefold())


def f1(said: list[str], expected: list[str]) -> float:
    """Twice the number of words in common, divided by the number of words in both."""
    common = (Counter(said) & Counter(expected)).total()
    return 2 * common / (len(said) + len(expected)) if common else 0.0
