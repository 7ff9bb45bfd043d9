"""The retention tasks are right, apart and reproducible; a reply passes when it is right, and not when it only looks so."""

from collections import Counter

import pytest

from authoring.engine import CheckFailed
from authoring.retention import make
from authoring.retention.families import FAMILIES
from verigym.core.records import Task
from verigym.environments import retention
from verigym.environments.retention.rules import asked_of

TASKS = retention.tasks("val")


def test_there_are_960_tasks_of_480_families_and_four_kinds_all_held_out() -> None:
    assert len(TASKS) == 960 and {task.split for task in TASKS} == {"val"} and retention.tasks("train") == []
    assert Counter(Counter(task.family for task in TASKS).values()) == {5: 48, 2: 288, 1: 144}
    kinds = {"instruction": 204, "arithmetic": 252, "reading": 252, "format": 252}
    assert Counter(tag for task in TASKS for tag in task.tags) == kinds and set(kinds) == set(FAMILIES)
    assert len({asked_of(task) for task in TASKS}) == 960


def test_the_check_finds_an_answer_that_is_in_the_question() -> None:
    data = {"rule": "number", "answer": 7}
    with pytest.raises(CheckFailed, match="passes"):
        make.BUILDER.verify([Task(id="t", prompt="Which number is written here: 7", data=data)])
