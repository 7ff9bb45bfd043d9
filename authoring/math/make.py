"""Rows of `math`, from the families of questions."""

from authoring.engine import Builder, Draft, Family, Turn
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
from verigym.environments.math.quantities import quantities
from verigym.environments.math.verifier import math_verifier
from verigym.verifiers.numeric import first_number

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


def families(split: str) -> list[Family]:
    """Each module lists its families under `EASY`, `MEDIUM` and `HARD`."""
    return [
        Family(split, f"math/{split}/{tell.__name__}", tell, topic=level)
        for module in MODULES[split]
        for level in LEVELS
        for tell in getattr(module, level.upper(), [])
    ]


def draw(family: Family, turn: Turn) -> Draft | None:
    asked = family.source(turn.random)
    draft = Draft(asked.prompt, {**asked.data, "work": asked.work}, [family.topic, asked.data["rule"]])
    return None if _given_away(draft) else draft


def _given_away(draft: Draft) -> bool:
    """Whether the question contains the answer, so that copying a part of it would be enough."""
    prompt = str(draft.prompt)
    task = Task(id="draft", prompt=prompt, data=draft.data)
    answer = first_number(task.data["answer"]) if task.data["rule"] == "number" else None
    copied = answer is not None and any(each.number.value == answer.value for each in quantities(prompt))
    told = task.data["rule"] == "clock" and task.data["answer"] in prompt
    return copied or told or _passes(task, prompt) or _passes(task, f"Answer: {prompt}")


def _passes(task: Task, reply: str) -> bool:
    trajectory = Trajectory(id="a", task=task.id, group="g", items=[Message("assistant", reply)])
    return math_verifier(task, trajectory).passed


BUILDER = Builder(name="math", seed=7, sizes={"train": 16, "val": 7}, families=families, draw=draw, may_end_early=True)
