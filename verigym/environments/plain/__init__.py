"""plain: small talk and everyday questions, to which no right answer is on file.

What a model says to them before it is trained is what it should go on saying: `rehearse: {plain: 0.2}` in a recipe mixes that
into what it imitates. Any answer passes: there is nothing to be won here.
"""

from pathlib import Path

import msgspec

from verigym.core.errors import not_found
from verigym.core.records import Task, Trajectory

DATA = Path(__file__).parent / "data"


def tasks(split: str) -> list[Task]:
    if split not in ("train", "val"):
        raise not_found("split of plain", split, ["train", "val"])
    return msgspec.json.Decoder(Task).decode_lines((DATA / f"{split}.jsonl").read_bytes())


class Environment:
    max_turns = 1

    def open(self, task: Task) -> None: ...


def gold(task: Task) -> str:
    return "I would rather think about that first."


def verify(task: Task, trajectory: Trajectory) -> float:
    """Whether it said anything of its own, in words."""
    reply = trajectory.reply.strip()
    return float(reply not in ("", task.prompt) and max(map(len, reply.split())) < 40)
