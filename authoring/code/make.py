"""Rows of `code`, from the problems. Only our own functions, and mutants of them, run here."""

from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any, NamedTuple

from authoring.code import (
    more_algorithms,
    more_dates,
    more_dicts,
    more_grids,
    more_lists,
    more_numbers,
    more_parsing,
    more_rows,
    more_text,
    more_words,
    train_algorithms,
    train_dates,
    train_dicts,
    train_lists,
    train_numbers,
    train_parsing,
    train_rows,
    train_text,
    val_algorithms,
    val_dates,
    val_dicts,
    val_lists,
    val_numbers,
    val_parsing,
    val_rows,
    val_text,
)
from authoring.code.problems import Inputs, alike, mutated, problem, runnable, variants, written
from authoring.engine import Builder, Draft, Exhausted, Family, Trial, Turn
from verigym.core.records import Task
from verigym.core.seeds import derive

SEED = 11
CAUGHT = 0.7
"""Minimum share of a task's mutants that its tests reject. Most of the others behave like the reference."""
MODULES = {
    "train": [
        train_text,
        train_lists,
        train_algorithms,
        train_dicts,
        train_rows,
        train_numbers,
        train_dates,
        train_parsing,
    ],
    "more": [
        more_text,
        more_words,
        more_lists,
        more_grids,
        more_algorithms,
        more_dicts,
        more_rows,
        more_numbers,
        more_dates,
        more_parsing,
    ],
    "val": [val_text, val_lists, val_algorithms, val_dicts, val_rows, val_numbers, val_dates, val_parsing],
}
ASKED = {
    "train": [
        "Write a Python function.\n\n{}",
        "{}\nWrite it in Python.",
        "We need this function: {}",
        "Complete this function in Python. {}",
        "In Python: {}",
        "{}\n\nBelow is how the function begins; write all of it.",
    ],
    "val": [
        "Please implement the following in Python. {}",
        "Task for a Python programmer: {}",
        "Code this up. {}",
        "{}\nA Python implementation is wanted.",
    ],
}


class Reference(NamedTuple):
    """The function that a family asks for."""

    function: Callable[..., Any]
    inputs: Callable[[Random], Inputs] | None


def families(split: str) -> list[Family]:
    """The families of `train`, of `val`, or of `more`, whose tasks are training tasks too."""
    return [
        Family(
            "train" if split == "more" else split,
            f"code/{split}/{function.__name__}",
            Reference(function, module.INPUTS.get(function.__name__)),
            topic=topic,
        )
        for module in MODULES[split]
        for topic, functions in module.FAMILIES.items()
        for function in functions
    ]


def draw(family: Family, turn: Turn) -> Draft:
    """One task for each choice of parameters."""
    function, inputs = family.source
    choices = variants(function)
    if turn.number > len(choices):
        raise Exhausted
    Random(derive(SEED, family.name)).shuffle(choices)
    made = problem(function, choices[turn.number - 1])
    tested = written(made, function, inputs, turn.random)
    examples = "\n".join(
        f">>> {made.name}({', '.join(map(repr, values))})\n{result!r}" for values, result in tested.examples
    )
    asked = turn.random.choice(ASKED[family.split]).format(made.asked)
    return Draft(
        prompt=f"{asked}\n\n{made.signature}\n\n{examples}",
        data={
            "entry_point": made.name,
            "tests": tested.tests,
            "examples": [[list(values), result] for values, result in tested.examples],
            "gold": made.source,
            "wrong": tested.wrong,
        },
        tags=["function", family.topic],
        key=turn.number,
    )


def survivors(task: Task) -> tuple[list[str], int]:
    """The mutants of the reference that pass the task's tests, and the number of all mutants."""
    mutants, tests = mutated(task.data["gold"]), [_read(test) for test in task.data["tests"]]
    return [text for text in mutants if all(_passed(runnable(text), tests))], len(mutants)


def _read(test: str) -> tuple[Inputs, tuple[str, Any]]:
    """The inputs of a generated test, and the result it expects."""
    call = test.rsplit("\n", 1)[-1].strip()
    rest = call.partition("(")[2]
    given, _, expected = rest.rpartition(") == ") if call.startswith("assert ") else (rest[:-1], "", "")
    return eval(f"({given},)"), ("value", eval(expected)) if expected else ("raised", "ValueError")


def _passed(
    run: Callable[[Inputs], tuple[str, Any]], tests: Iterable[tuple[Inputs, tuple[str, Any]]]
) -> Iterator[bool]:
    return (alike(run(inputs), wanted) for inputs, wanted in tests)


def check(task: Task, trial: Trial) -> Iterator[str]:
    """The reference passes every test, most mutants fail one, and the wrong functions fail."""
    for test in task.data["tests"]:
        if not all(_passed(runnable(task.data["gold"]), [_read(test)])):
            yield f"the reference fails {test}"
    alive, total = survivors(task)
    if len(alive) > (1 - CAUGHT) * total:
        yield f"{len(alive)} of {total} mutants pass, such as\n{alive[0]}"
    if set(task.data["wrong"]) & set(alive):
        yield "a wrong function passes"


BUILDER = Builder(
    name="code", seed=SEED, sizes={"train": 6, "val": 6, "more": 3}, families=families, draw=draw, first=1,
    may_end_early=True, cheats_every=10, check=check,
)  # fmt: skip
