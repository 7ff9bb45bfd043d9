"""Makes the tasks of `train` and `val` from the families, the same ones every time, and checks them.

    python -m authoring.math.generate

rewrites `data/*.jsonl`. Each task is drawn from a seed of its own, so that a new family leaves the others as they are. `make`
gives any number of tasks of a family, also more than are shipped, until it has no new question.
"""

from collections.abc import Iterable, Iterator
from itertools import count, islice
from random import Random
from typing import NamedTuple

from authoring.math import (
    train_clocks,
    train_equations,
    train_expressions,
    train_numbers_easy,
    train_numbers_hard,
    train_numbers_medium,
    train_options,
    train_solutions,
    val_clocks,
    val_equations,
    val_expressions,
    val_numbers,
    val_options,
    val_solutions,
)
from verigym.core.records import Message, Task, Trajectory
from verigym.core.seeds import derive
from verigym.environments.math import DATA, cheats, gold
from verigym.environments.math.asked import Family as Tell
from verigym.environments.math.quantities import quantities
from verigym.environments.math.verifier import math_verifier
from verigym.tasks.load import ship
from verigym.verifiers.numeric import first_number

SEED = 7
EACH = {"train": 16, "val": 7}
LEVELS = ("easy", "medium", "hard")
MODULES = {
    "train": (
        train_numbers_easy,
        train_clocks,
        train_numbers_medium,
        train_options,
        train_numbers_hard,
        train_solutions,
        train_expressions,
        train_equations,
    ),
    "val": (
        val_numbers,
        val_clocks,
        val_expressions,
        val_options,
        val_solutions,
        val_equations,
    ),
}


class Family(NamedTuple):
    split: str
    level: str
    tell: Tell

    @property
    def name(self) -> str:
        return f"math/{self.split}/{self.tell.__name__}"


def families(split: str) -> list[Family]:
    """Each module lists those it has under `EASY`, `MEDIUM` and `HARD`."""
    found = [
        (level, tell) for module in MODULES[split] for level in LEVELS for tell in getattr(module, level.upper(), [])
    ]
    return [Family(split, level, tell) for level, tell in found]


def generate(split: str) -> list[Task]:
    """All tasks, no prompt twice, as many of each family, in an order in which any first few are a fair mixture."""
    made = [task for family in families(split) for task in islice(make(family), EACH[split])]
    return sorted(made, key=lambda task: derive(SEED, "order", task.id))


def make(family: Family) -> Iterator[Task]:
    """Tasks of a family, until it has no new question."""
    seen: set[str] = set()
    misses = 0
    for place in count():
        asked = family.tell(Random(derive(SEED, family.name, place)))
        task = Task(
            id=f"{family.name}/{len(seen) + 1}",
            prompt=asked.prompt,
            data={**asked.data, "work": asked.work},
            split=family.split,
            family=family.name,
            tags=[family.level, asked.data["rule"]],
            lineage=[f"verigym.environments.math.generate seed {SEED}"],
        )
        if asked.prompt in seen or _given_away(task):
            misses += 1
            if misses > 200:
                return
            continue
        seen.add(asked.prompt)
        misses = 0
        yield task


def _given_away(task: Task) -> bool:
    """Whether the answer stands in the question: to copy it, or one of its numbers, would be enough."""
    prompt = str(task.prompt)
    answer = first_number(task.data["answer"]) if task.data["rule"] == "number" else None
    copied = answer is not None and any(one.number.value == answer.value for one in quantities(prompt))
    told = task.data["rule"] == "clock" and task.data["answer"] in prompt
    return copied or told or _passes(task, prompt) or _passes(task, f"Answer: {prompt}")


def check(made: Iterable[Task]) -> None:
    """Stops at the first task whose gold reply does not pass, or where a cheat does."""
    for task in made:
        assert _passes(task, gold(task)), f"{task.id}: the gold reply does not pass"
        for cheat in cheats(task):
            assert not _passes(task, cheat), f"{task.id}: {cheat!r} passes"


def _passes(task: Task, reply: str) -> bool:
    said = Trajectory(id="a", task=task.id, group="g", items=[Message("assistant", reply)])
    return math_verifier(task, said).passed


def main() -> None:
    for split in ("train", "val"):
        made = generate(split)
        check(made)
        ship(DATA, split, made)


if __name__ == "__main__":
    main()
