"""plain: small talk and everyday questions without a stored answer.

A recipe with `rehearse: {plain: 0.2}` mixes the model's own earlier answers to these into its training, so that it forgets
less. Any answer in words passes.
"""

from verigym.core.records import Task, Trajectory
from verigym.environments import shipped


def tasks(split: str) -> list[Task]:
    return shipped.tasks("plain", split)


class Environment:
    max_turns = 1

    def open(self, task: Task) -> None: ...


def gold(task: Task) -> str:
    return "I would rather think about that first."


def verify(task: Task, trajectory: Trajectory) -> float:
    """Passes a reply that is not empty, does not repeat the prompt and has no word of 40 letters or more."""
    reply = trajectory.reply.strip()
    return float(reply not in ("", task.prompt) and max(map(len, reply.split())) < 40)
