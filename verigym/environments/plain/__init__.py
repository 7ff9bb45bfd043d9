"""plain: small talk and everyday questions, to which no right answer is on file.

What a model says to them before it is trained is what it should go on saying: `rehearse: {plain: 0.2}` in a recipe mixes that
into what it imitates. Any answer passes: there is nothing to be won here.
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
    """Whether it said anything of its own, in words."""
    reply = trajectory.reply.strip()
    return float(reply not in ("", task.prompt) and max(map(len, reply.split())) < 40)
