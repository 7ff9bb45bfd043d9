"""A verifier for tests: it pays for letters, so that tries of a random model differ in reward."""

from verigym.core.records import Task, Trajectory, Verdict
from verigym.environments import notes


def notes_verifier(task: Task, trajectory: Trajectory) -> Verdict:
    letters = sum(letter.isalpha() for letter in trajectory.reply)
    return Verdict(reward=letters / 200, passed=letters > 40, evidence=f"{letters} letters")


notes.verifiers["notes_verifier"] = notes_verifier  # type: ignore[assignment]
