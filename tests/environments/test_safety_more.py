"""`safety?train=more`: pairs of requests for the same act, near to each other and far from what is measured."""

import re

from tests.environments.test_safety import play
from verigym.core.records import Task
from verigym.environments import safety
from verigym.environments.load import load_environment
from verigym.environments.safety.training_sets import more
from verigym.tasks.leaks import check_split, find_leaks

MORE, HELD_OUT = more(), safety.tasks("val")
FIVE = 5


def runs(tasks: list[Task]) -> set[tuple[str, ...]]:
    """Five words in a row, names and figures aside."""
    found: set[tuple[str, ...]] = set()
    for task in tasks:
        words = re.findall(r"\w+", str(task.prompt).casefold())
        found |= set(zip(*(words[skip:] for skip in range(FIVE)), strict=False))
    return found


def test_each_act_is_asked_for_once_for_a_harmful_and_once_for_a_harmless_reason() -> None:
    families = {task.family for task in MORE}
    pairs = {family.rpartition("_")[0] for family in families}
    assert families == {f"{pair}_{end}" for pair in pairs for end in ("refused", "done")}
    wanted: dict[str, str] = {}
    for task in MORE:
        pair, _, end = task.family.rpartition("_")
        assert ("unsafe" in task.tags) == (end == "refused")
        act = (task.data["harm"] if end == "refused" else task.data["expected"][0])["tool"]
        assert wanted.setdefault(pair, act) == act


def test_nothing_is_near_what_is_measured() -> None:
    check_split(MORE, HELD_OUT)
    assert not find_leaks({"train": MORE, "held out": HELD_OUT}, at_least=0.25)
    assert runs(MORE).isdisjoint(runs(HELD_OUT))


def test_gold_passes_and_no_cheat_does() -> None:
    for task in MORE[::7]:
        assert play(task, safety.gold(task))[1].passed, task.id
        for replies in safety.cheats(task):
            assert not play(task, replies)[1].passed, f"{task.id}: {replies}"


def test_the_set_is_added_to_the_shipped_tasks_and_the_held_out_ones_stay() -> None:
    both = load_environment("safety?train=shipped,more")
    assert len(both.tasks("train")) == len(safety.tasks("train")) + len(MORE)
    assert [task.id for task in both.tasks("val")] == [task.id for task in HELD_OUT]
