"""What two sides of a split share: families, prompts, and prompts that are nearly the same."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from verigym.core.records import Task
from verigym.tasks.leaks import find_leaks
from verigym.tasks.split import split_tasks, with_families

LONG = "Please book a table for four people at the Italian place on Friday evening"


def test_sides_with_nothing_in_common_do_not_leak() -> None:
    found = find_leaks({"train": [Task(id="a", prompt=LONG)], "val": [Task(id="b", prompt="What is the weather?")]})
    assert not found


def test_each_kind_of_leak_is_named_with_a_task_of_each_side() -> None:
    sides = {
        "train": [
            Task(id="a", prompt="one", family="f"),
            Task(id="b", prompt="the same"),
            Task(id="c", prompt=LONG),
            Task(id="d", prompt="Case"),
        ],
        "val": [
            Task(id="e", prompt="two", family="f"),
            Task(id="g", prompt="the same"),
            Task(id="h", prompt=LONG + "!"),
        ],
        "test": [Task(id="i", prompt="case")],
    }
    found = find_leaks(sides)
    assert found
    assert [(one.sides, one.tasks, one.families) for one in found.families] == [
        (("train", "val"), ("a", "e"), ("f", "f"))
    ]
    assert [(one.sides, one.tasks) for one in found.prompts] == [(("train", "val"), ("b", "g"))]
    case, near = found.near
    assert (case.sides, case.tasks, case.likeness) == (("train", "test"), ("d", "i"), 1.0)
    assert near.tasks == ("c", "h") and near.prompts == (LONG, LONG + "!") and 0.9 < near.likeness < 1


def test_a_group_of_like_prompts_that_crosses_is_found_wherever_its_link_is() -> None:
    texts = [LONG[cut:] for cut in range(0, 30, 3)]
    for cut in range(1, len(texts)):
        sides = {"train": texts[:cut], "val": texts[cut:]}
        tasks = {
            side: [Task(id=f"{side}{i}", prompt=text) for i, text in enumerate(own)] for side, own in sides.items()
        }
        assert find_leaks(tasks).near


def test_likeness_below_what_is_asked_is_no_leak() -> None:
    sides = {"train": [Task(id="a", prompt=LONG)], "val": [Task(id="b", prompt=LONG + " or later")]}
    assert find_leaks(sides, 0.7) and not find_leaks(sides, 0.95)


@settings(deadline=None)
@given(st.lists(st.integers(0, 40), min_size=2, max_size=15), st.randoms())
def test_what_split_made_does_not_leak(seeds: list[int], draw: random.Random) -> None:
    words = LONG.split()
    prompts = [" ".join(random.Random(seed).sample(words, 8)) for seed in seeds]
    tasks = [Task(id=str(place), prompt=prompt) for place, prompt in enumerate(prompts)]
    made = split_tasks(with_families(tasks), {"val": 0.5}, draw.randint(0, 9))
    assert not find_leaks({split: [task for task in made if task.split == split] for split in ("train", "val")})
