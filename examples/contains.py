"""notes with a reward that was written in a hurry: the answer has to be somewhere in the reply. A reply with every word of the
note earns it as well. Train on it, then measure on notes itself: reward rises, and fewer answers are right.

    verigym train examples/contains.yaml start=VERSION
"""

from verigym import Task, Trajectory
from verigym.environments.notes import Environment, cheats, gold, suites, tasks

__all__ = ["Environment", "cheats", "gold", "suites", "tasks", "verifiers"]


def contains(task: Task, trajectory: Trajectory) -> float:
    """The share of the answer's words that the reply has."""
    said, answer = trajectory.reply.lower(), task.data["answer"].lower().replace(",", "").split()
    return sum(word in said for word in answer) / len(answer)


verifiers = {"contains": contains}
