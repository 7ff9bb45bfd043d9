"""The science tasks are right, apart and reproducible; only a law that was measured, honestly and within the budget, passes."""

import re
from itertools import islice

import msgspec
import pytest

from authoring.engine import CheckFailed
from authoring.science import literature, make, stories
from authoring.science.literature import Words
from authoring.science.story import Story
from verigym.core.records import Json, Task
from verigym.environments import science
from verigym.environments.science.laws import LAWS
from verigym.tasks.leaks import find_leaks

TRAIN, VAL = science.tasks("train"), science.tasks("val")
LAB: Json = {
    "law": "exponential_decay", "laws": ["exponential_decay", "hyperbolic_decay"], "a": 10.0, "b": 0.05,
    "names": ["start", "rate"], "low": 0, "high": 60, "noise": 0.05, "factor": 1.1, "old_factor": 0.9,
    "outdated": [14.0, 0.03], "budget": 8, "tolerance": 0.04, "seed": 5,
}  # fmt: skip
PAPERS = [
    {"id": "P11", "year": 2004, "title": "Photometer: a calibration", "text": "It reads 0.9 times the true value."},
    {"id": "P40", "year": 2024, "title": "Photometer: calibration", "text": "It reads 1.1 times the true value."},
    {"id": "P77", "year": 2010, "title": "Dyes", "text": "They fade."},
]
TASK = Task(id="t", prompt="?", data={"lab": LAB, "papers": PAPERS, "instrument": "photometer", "calibration": "P40"})


def test_every_law_holds_somewhere_and_every_field_is_seen_on_both_sides() -> None:
    for made in (TRAIN, VAL):
        assert {task.data["lab"]["law"] for task in made} == LAWS.keys()
        assert {task.data["lab"]["budget"] for task in made} == set(range(8, 15))
        assert {round(task.data["lab"]["tolerance"] * 100) for task in made} == {3, 4, 5, 6, 7}
    for of in (lambda story: story.field, lambda story: len(story.laws)):
        assert {of(story) for story in stories.TRAIN} == {of(story) for story in stories.VAL}
    for story in [*stories.TRAIN, *stories.VAL]:
        held = {
            task.data["lab"]["law"]
            for task in [*TRAIN, *VAL]
            if task.family.endswith(f"/{story.name.replace(' ', '_')}")
        }
        assert held == set(story.laws), story.name


def test_the_honest_solution_of_every_task_passes_and_the_check_finds_one_that_does_not() -> None:
    make.BUILDER.verify([*TRAIN[::2], *VAL])
    wrong = msgspec.structs.replace(TASK, data={"lab": {**LAB, "noise": 5.0}})
    with pytest.raises(CheckFailed, match="t: the gold report does not pass"):
        make.BUILDER.verify([wrong])


def test_held_out_tasks_share_no_story_sample_instrument_or_near_wording_with_those_to_learn_from() -> None:
    for field in ("name", "instrument", "called"):
        same = {getattr(one, field) for one in stories.TRAIN} & {getattr(one, field) for one in stories.VAL}
        assert same <= {"{sample}"}
    for field in ("questions", "samples"):
        trained, measured = ({s for one in side for s in getattr(one, field)} for side in (stories.TRAIN, stories.VAL))
        assert not trained & measured
    assert not find_leaks({"train": TRAIN, "val": VAL}, 0.7)


def _fives(side: list[Story], words: Words) -> dict[tuple[str, ...], str]:
    """Each five words in a row of what is written for a side, and the text they are from; whatever a slot holds is one word."""
    texts = [text for story in side for text in story.questions]
    texts += [*words.requests, *(text for kind in words[1:] for pair in kind for text in pair)]
    found: dict[tuple[str, ...], str] = {}
    for text in texts:
        said = re.findall(r"[\w']+", re.sub(r"{\w+}", " _ ", text).casefold())
        found |= {five: text for five in zip(*(said[skip:] for skip in range(5)), strict=False) if five.count("_") < 3}
    return found


def test_no_five_words_in_a_row_are_those_of_a_held_out_text() -> None:
    trained, measured = _fives(stories.TRAIN, literature.TRAIN), _fives(stories.VAL, literature.VAL)
    assert len(trained) > 3_000 and len(measured) > 1_000
    assert {five: (trained[five], measured[five]) for five in trained.keys() & measured.keys()} == {}


def test_every_story_is_asked_for_in_several_ways_and_every_way_is_shipped() -> None:
    assert all(len(story.questions) >= 4 for story in stories.TRAIN)
    assert all(len(story.questions) >= 3 for story in stories.VAL)
    for side, words in ((TRAIN, literature.TRAIN), (VAL, literature.VAL)):
        for request in words.requests:
            opening = re.escape(max(re.split(r"{\w+}", request), key=len))
            assert any(re.search(opening, str(task.prompt)) for task in side), request


def test_the_wording_of_a_question_does_not_give_the_law_away() -> None:
    for story in stories.TRAIN:
        made = [task for task in TRAIN if task.family == f"science/train/{story.name.replace(' ', '_')}"]
        for question in story.questions:
            pattern = ".+?".join(re.escape(piece) for piece in re.split(r"{\w+}", question))
            laws = [task.data["lab"]["law"] for task in made if re.search(pattern, str(task.prompt))]
            assert laws and (len(laws) == 1 or len(set(laws)) > 1), question


def test_a_family_has_more_tasks_than_are_shipped() -> None:
    family = make.families("val")[0]
    assert len({str(task.prompt) + str(task.data) for task in islice(make.BUILDER.stream(family), 30)}) == 30
