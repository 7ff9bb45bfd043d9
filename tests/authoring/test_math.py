"""The math tasks are right, apart and reproducible; an answer is right in every form that is the same, and in no other."""

from itertools import islice

import pytest

from authoring.engine import CheckFailed
from authoring.math import make, train_names, val_names
from verigym.core.records import Task
from verigym.environments import math
from verigym.tasks.leaks import find_leaks

TRAIN, VAL = math.tasks("train"), math.tasks("val")


def test_the_check_finds_a_task_whose_answer_is_wrong_or_stands_in_its_question() -> None:
    with pytest.raises(CheckFailed, match="passes"):
        make.BUILDER.verify([Task(id="t", prompt="What is 5 + 7?", data={"rule": "number", "answer": "7", "work": ""})])
    with pytest.raises(CheckFailed, match="does not pass"):
        wrong = {"rule": "expression", "answer": "2(x + 1)", "form": "expanded", "work": ""}
        make.BUILDER.verify([Task(id="t", prompt="?", data=wrong)])


def test_held_out_tasks_share_no_family_name_or_near_wording_with_those_to_learn_from() -> None:
    assert not set(train_names.NAMES) & set(val_names.NAMES)
    stories = [{family.source.__name__ for family in make.families(split)} for split in ("train", "val")]
    assert not stories[0] & stories[1]
    assert not find_leaks({"train": TRAIN, "val": VAL}, 0.7)


def test_a_family_has_more_tasks_than_are_shipped_and_ends_when_it_has_no_more() -> None:
    by_name = {family.name: family for split in ("train", "val") for family in make.families(split)}
    assert len({str(task.prompt) for task in islice(make.BUILDER.stream(by_name["math/train/orchard"]), 200)}) == 200
    assert len(list(make.BUILDER.stream(by_name["math/train/subject"]))) == 72
