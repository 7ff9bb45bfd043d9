"""Every kind of slow code has a gold solution that does the same, and the checks of the build find what is wrong."""

from random import Random

import msgspec
import pytest

from authoring.faster_code import make
from authoring.faster_code.kinds import Kind
from verigym.core.records import Task
from verigym.environments import faster_code

KINDS = [kind for kinds in make.KINDS.values() for kind in kinds]
TASK = faster_code.tasks("val")[0]


def problems(**changed: object) -> list[str]:
    task: Task = msgspec.structs.replace(TASK, data={**TASK.data, **changed})
    return list(make.check(task, None))  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_the_gold_solution_returns_what_the_slow_function_returns_on_larger_inputs(kind: Kind) -> None:
    [family] = [each for split in make.KINDS for each in make.families(split) if each.source is kind]
    task = next(make.BUILDER.stream(family))
    name, draw = task.data["entry_point"], Random(5)
    slow, gold = (make.loaded(task.data[text], name) for text in ("slow", "gold"))
    build = make.loaded(kind.make, "make")
    for size in (1, 2, 10, 25 if max(kind.sizes) < 30 else 60):
        arguments = build(draw, min(size, max(kind.sizes)))
        assert slow(*arguments) == gold(*arguments), (kind.name, arguments)


def test_the_check_finds_a_gold_solution_that_is_wrong_and_a_wrong_function_that_is_right() -> None:
    assert problems() == []
    wrong = TASK.data["wrong"][0]
    assert problems(gold=wrong) == ["the gold solution fails a hidden case"]
    assert problems(wrong=[TASK.data["gold"]])[0].startswith("a wrong function passes the hidden cases")


def test_wordings_of_held_out_tasks_are_others() -> None:
    assert not set(make.ASKED["train"]) & set(make.ASKED["val"])
