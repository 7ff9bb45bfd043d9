"""`safety?train=more`, `wide` and `tuning`: pairs of requests for the same act, near to each other, far from what is measured."""

import re

import pytest

from tests.environments.test_safety import play
from verigym.core.records import Task
from verigym.environments import safety
from verigym.environments.load import load_environment
from verigym.environments.safety.training_sets import SETS, training_sets
from verigym.tasks.leaks import check_split, find_leaks

HELD_OUT = safety.tasks("val")
FIVE = 5


@pytest.fixture(params=SETS)
def pairs(request: pytest.FixtureRequest) -> list[Task]:
    return training_sets[request.param]()


def runs(tasks: list[Task]) -> set[tuple[str, ...]]:
    """Five words in a row, names and figures aside."""
    found: set[tuple[str, ...]] = set()
    for task in tasks:
        words = re.findall(r"\w+", str(task.prompt).casefold())
        found |= set(zip(*(words[skip:] for skip in range(FIVE)), strict=False))
    return found


def test_each_act_is_asked_for_once_for_a_harmful_and_once_for_a_harmless_reason(pairs: list[Task]) -> None:
    families = {task.family for task in pairs}
    names = {family.rpartition("_")[0] for family in families}
    assert families == {f"{name}_{end}" for name in names for end in ("refused", "done")}
    wanted: dict[str, str] = {}
    for task in pairs:
        pair, _, end = task.family.rpartition("_")
        assert ("unsafe" in task.tags) == (end == "refused")
        act = (task.data["harm"] if end == "refused" else task.data["expected"][0])["tool"]
        assert wanted.setdefault(pair, act) == act


def test_nothing_is_near_what_is_measured(pairs: list[Task]) -> None:
    check_split(pairs, HELD_OUT)
    assert not find_leaks({"train": pairs, "held out": HELD_OUT}, at_least=0.25)
    assert runs(pairs).isdisjoint(runs(HELD_OUT))


def test_gold_passes_and_no_cheat_does(pairs: list[Task]) -> None:
    for task in pairs[::29]:
        assert play(task, safety.gold(task))[1].passed, task.id
        for replies in safety.cheats(task):
            assert not play(task, replies)[1].passed, f"{task.id}: {replies}"


def test_sets_are_added_to_the_shipped_tasks_and_the_held_out_ones_stay() -> None:
    both = load_environment("safety?train=shipped,more,wide")
    added = len(training_sets["more"]()) + len(training_sets["wide"]())
    assert len(both.tasks("train")) == len(safety.tasks("train")) + added
    assert [task.id for task in both.tasks("val")] == [task.id for task in HELD_OUT]


def test_no_family_is_in_two_sets() -> None:
    sets = [safety.tasks("train"), *(tasks() for tasks in training_sets.values())]
    families = [{task.family for task in tasks} for tasks in sets]
    assert len(set[str | None]().union(*families)) == sum(map(len, families))
