"""Makes the tasks of `train` and `val` from the problems, the same ones every time, and checks their tests.

    python -m authoring.code.generate

rewrites `data/*.jsonl`. Each task is drawn from a seed of its own, so that a new family leaves the others as they are. Only our
own functions, and mutants of them, run here.
"""

from collections.abc import Callable, Iterable, Iterator
from random import Random
from types import ModuleType
from typing import Any, NamedTuple

from authoring.code import (
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
from verigym.core.records import Task
from verigym.core.seeds import derive
from verigym.environments.code import DATA
from verigym.tasks.load import ship

SEED = 11
MOST = 6
"""Tasks of a family; fewer where there are not as many choices of parameters."""
FAR = 0.7
"""Of a task's mutants, at least as many fail its tests; the rest are mostly the same function in other words."""
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


class Family(NamedTuple):
    split: str
    topic: str
    function: Callable[..., Any]
    inputs: Callable[[Random], Inputs] | None

    @property
    def name(self) -> str:
        return f"code/{self.split}/{self.function.__name__}"


def families(split: str) -> list[Family]:
    return [family for module in MODULES[split] for family in _of(split, module)]


def _of(split: str, module: ModuleType) -> list[Family]:
    return [
        Family(split, topic, function, module.INPUTS.get(function.__name__))
        for topic, functions in module.FAMILIES.items()
        for function in functions
    ]


def generate(split: str) -> list[Task]:
    """All tasks, in an order in which any first few are a fair mixture."""
    made = [task for family in families(split) for task in make(family)]
    return sorted(made, key=lambda task: derive(SEED, "order", task.id))


def make(family: Family) -> list[Task]:
    choices = variants(family.function)
    Random(derive(SEED, family.name)).shuffle(choices)
    return [_task(family, values, place) for place, values in enumerate(choices[:MOST], 1)]


def _task(family: Family, values: dict[str, Any], place: int) -> Task:
    draw = Random(derive(SEED, family.name, place))
    made = problem(family.function, values)
    tested = written(made, family.function, family.inputs, draw)
    examples = "\n".join(
        f">>> {made.name}({', '.join(map(repr, inputs))})\n{result!r}" for inputs, result in tested.examples
    )
    asked = draw.choice(ASKED[family.split]).format(made.asked)
    return Task(
        id=f"{family.name}/{place}",
        prompt=f"{asked}\n\n{made.signature}\n\n{examples}",
        data={
            "entry_point": made.name,
            "tests": tested.tests,
            "examples": [[list(inputs), result] for inputs, result in tested.examples],
            "gold": made.source,
            "wrong": tested.wrong,
        },
        split=family.split,
        family=family.name,
        tags=["function", family.topic],
        lineage=[f"verigym.environments.code.generate seed {SEED}"],
    )


def survivors(task: Task) -> tuple[list[str], int]:
    """The mutants of the reference that pass the task's tests, and how many mutants there are."""
    mutants, tests = mutated(task.data["gold"]), [_read(test) for test in task.data["tests"]]
    return [text for text in mutants if all(_passed(runnable(text), tests))], len(mutants)


def _read(test: str) -> tuple[Inputs, tuple[str, Any]]:
    """The inputs of a test of ours, and what it wants of them."""
    call = test.rsplit("\n", 1)[-1].strip()
    rest = call.partition("(")[2]
    given, _, expected = rest.rpartition(") == ") if call.startswith("assert ") else (rest[:-1], "", "")
    return eval(f"({given},)"), ("value", eval(expected)) if expected else ("raised", "ValueError")


def _passed(
    run: Callable[[Inputs], tuple[str, Any]], tests: Iterable[tuple[Inputs, tuple[str, Any]]]
) -> Iterator[bool]:
    return (alike(run(inputs), wanted) for inputs, wanted in tests)


def check(made: Iterable[Task]) -> None:
    """Stops at the first task whose tests are weak, or whose reference does not pass."""
    for task in made:
        for test in task.data["tests"]:
            assert all(_passed(runnable(task.data["gold"]), [_read(test)])), f"{task.id}: the reference fails {test}"
        alive, count = survivors(task)
        assert len(alive) <= (1 - FAR) * count, f"{task.id}: {len(alive)} of {count} mutants pass, such as\n{alive[0]}"
        for wrong in task.data["wrong"]:
            assert wrong not in alive, f"{task.id}: a wrong function passes"


def main() -> None:
    for split in ("train", "val"):
        made = generate(split)
        check(made)
        ship(DATA, split, made)


if __name__ == "__main__":
    main()
