"""The reply is the answer: for tasks with a short right answer in `task.data["answer"]`.

Nothing is searched for inside a longer reply; a reply that wraps its answer in words does not match.
"""

from verigym.core.errors import VerifierFailure
from verigym.core.records import Task, Trajectory, Verdict


def exact_match(task: Task, trajectory: Trajectory) -> Verdict:
    """1 when the reply is the answer, or one of a list of answers; white space and case aside, numbers as numbers."""
    if "answer" not in task.data:
        raise VerifierFailure(f'task {task.id}: data has no "answer"; exact_match compares the reply with it')
    answer = task.data["answer"]
    answers = [str(each) for each in (answer if isinstance(answer, list) else [answer])]
    passed = any(_same(trajectory.reply, each) for each in answers)
    expected = " or ".join(f'"{each}"' for each in answers)
    evidence = f"{expected}, as expected" if passed else f'expected {expected}, got "{trajectory.reply[:120]}"'
    return Verdict(reward=float(passed), passed=passed, evidence=evidence)


def _same(given: str, expected: str) -> bool:
    if _plain(given) == _plain(expected):
        return True
    try:
        return float(given) == float(expected)
    except ValueError:  # not two numbers
        return False


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
