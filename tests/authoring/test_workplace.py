"""The workplace tasks are right, apart and reproducible; the office is shared and never written; content decides."""

from itertools import islice

import pytest

from authoring.engine import CheckFailed
from authoring.workplace import make
from verigym.core.records import Task
from verigym.environments import workplace
from verigym.environments.workplace.office import OFFICES
from verigym.environments.workplace.words import TRAIN as TRAIN_WORDS
from verigym.environments.workplace.words import VAL as VAL_WORDS

TRAIN, VAL = workplace.tasks("train"), workplace.tasks("val")


def test_the_check_finds_an_id_that_nobody_looked_up_and_a_task_that_asks_for_nothing() -> None:
    task = next(task for task in TRAIN if task.family == "workplace/train/cancel")
    hasty = {**task.data, "expected_calls": task.data["expected_calls"][1:]}
    with pytest.raises(CheckFailed, match="which nothing has shown"):
        make.BUILDER.verify([Task(id="t", prompt=task.prompt, data=hasty)])
    with pytest.raises(CheckFailed, match="doing nothing is enough"):
        make.BUILDER.verify([Task(id="t", prompt="?", data={"office": "alder", "expected": [], "expected_calls": []})])


def test_held_out_tasks_share_no_family_story_office_or_name_with_those_to_learn_from() -> None:
    assert not {task.data["office"] for task in TRAIN} & {task.data["office"] for task in VAL}
    assert {task.data["office"] for task in TRAIN} == set(OFFICES["train"])
    for field in TRAIN_WORDS._fields:
        assert not set(getattr(TRAIN_WORDS, field)) & set(getattr(VAL_WORDS, field)), field
    stories = [{wording.source.tell.__name__ for wording in make.families(split)} for split in OFFICES]
    assert not stories[0] & stories[1]


def test_a_wording_has_more_tasks_than_are_shipped_and_ends_when_it_has_no_more() -> None:
    by_name = {wording.name: wording for split in OFFICES for wording in make.families(split)}
    more = list(islice(make.BUILDER.stream(by_name["workplace/train/book-1"]), 100))
    assert len({str(task.prompt) for task in more}) == 100
    assert len(list(make.BUILDER.stream(by_name["workplace/val/busier_month-1"]))) == 12
