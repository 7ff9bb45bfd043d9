"""The builders reproduce the shipped rows, and every gold solution passes while no cheat does."""

from random import Random

import pytest

from authoring import engine
from authoring.engine import Builder, CheckFailed, Draft, Exhausted, Family, Turn
from verigym.core.records import Task
from verigym.environments import shipped
from verigym.sandbox.open import why_not_isolated

SPLITS = [(name, split) for name in engine.ENVIRONMENTS for split in engine.builder(name).sizes]
BOXED = {"code", "code_repair", "faster_code", "shell"}
TASKS_PLAYED = 40


@pytest.mark.parametrize(("name", "split"), SPLITS)
def test_a_builder_reproduces_the_shipped_rows(name: str, split: str) -> None:
    assert engine.encoded(engine.builder(name).tasks(split)) == shipped.rows(name, split)


@pytest.mark.parametrize(("name", "split"), SPLITS)
def test_gold_solutions_pass_and_cheats_fail(name: str, split: str) -> None:
    if name in BOXED and (reason := why_not_isolated()):
        pytest.skip(reason)
    tasks = shipped.tasks(name, split, [split])
    engine.builder(name).verify(tasks[:: max(1, len(tasks) // TASKS_PLAYED)])


# -- the engine ---------------------------------------------------------------------------------------------------------------

FAMILY = Family("train", "plain/train/dice", 6)


def roll(family: Family, turn: Turn) -> Draft:
    return Draft(f"roll {turn.random.randint(1, family.source)}", {"number": turn.number}, [family.split])


def builder(**fields: object) -> Builder:
    given = {"name": "plain", "seed": 3, "sizes": {"train": 4}, "families": lambda split: [FAMILY], "draw": roll}
    return Builder(**(given | fields))  # type: ignore[arg-type]


def test_a_family_has_distinct_tasks_and_ends_after_too_many_duplicates() -> None:
    tasks = list(builder().stream(FAMILY))
    assert sorted(str(task.prompt) for task in tasks) == [f"roll {number}" for number in range(1, 7)]
    assert [task.id for task in tasks] == [f"plain/train/dice/{number}" for number in range(1, 7)]
    assert tasks[0].lineage == ["verigym.environments.plain.generate seed 3"]


def test_another_family_changes_no_task_of_this_one() -> None:
    other = Family("train", "plain/train/coins", 2)
    both = builder(families=lambda split: [other, FAMILY], may_end_early=True).tasks("train")
    assert [task for task in both if task.family == FAMILY.name] == builder().tasks("train")


def test_a_later_edition_follows_the_earlier_rows_and_a_family_may_have_its_own_size() -> None:
    later = Family("train", "plain/train/coins", 2, size=1, edition=2)
    both = builder(families=lambda split: [later, FAMILY]).tasks("train")
    assert both[:-1] == builder().tasks("train") and both[-1].family == later.name


def test_a_family_that_ends_early_is_an_error_unless_that_is_allowed() -> None:
    with pytest.raises(CheckFailed, match="plain/train/dice: only 6 of 9 tasks differ"):
        builder(sizes={"train": 9}).tasks("train")
    assert len(builder(sizes={"train": 9}, may_end_early=True).tasks("train")) == 6


def test_a_rejected_draw_is_skipped_and_exhausted_ends_the_family() -> None:
    def draw(family: Family, turn: Turn) -> Draft | None:
        if turn.number == 5:
            raise Exhausted
        return roll(family, Turn(0, set(), Random(turn.number))) if turn.number == 2 else None

    assert len(list(builder(draw=draw).stream(FAMILY))) == 1


def test_the_first_problem_is_reported_with_its_task() -> None:
    def check(task: Task, trial: engine.Trial) -> list[str]:
        return ["it is a six"] if str(task.prompt).endswith("6") else []

    with pytest.raises(CheckFailed, match=r"plain/train/dice/\d: it is a six"):
        builder(check=check).verify(builder().stream(FAMILY))
