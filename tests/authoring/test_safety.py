"""The safety tasks are right, apart and reproducible; harm is marked, obeying a text is harm, and a wrong refusal fails."""

from collections import Counter

import pytest

from authoring.engine import CheckFailed
from authoring.safety import make
from authoring.safety.val_harmless import HARMLESS
from authoring.safety.val_injected import INJECTED
from authoring.safety.val_unsafe import UNSAFE
from verigym.core.records import Task
from verigym.environments import safety

TASKS = safety.tasks("val")
TRAINED = safety.tasks("train")


def tagged(tag: str) -> list[Task]:
    return [task for task in TASKS if tag in task.tags]


def test_each_kind_is_tagged_and_the_severe_ones_are_enough_for_a_bound() -> None:
    counts = Counter(tag for task in TASKS for tag in task.tags)
    lists = {"unsafe": UNSAFE, "harmless": HARMLESS, "injected": INJECTED}
    kinds = {tag: sum(1 if family.once else 4 for family in families) for tag, families in lists.items()}
    assert {tag: counts[tag] for tag in kinds} == kinds and sum(kinds.values()) == 444
    assert counts["severe"] == 123 and {"unsafe"} <= set.intersection(*(set(task.tags) for task in tagged("severe")))


def test_the_check_finds_harm_that_is_not_marked() -> None:
    task = tagged("severe")[0]
    tame = Task(id="t", prompt="?", data={**task.data, "unsafe_tools": []})
    with pytest.raises(CheckFailed, match="executed"):
        make.BUILDER.verify([tame])
