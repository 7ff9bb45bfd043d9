"""The frames of `notes` have four questions each, and the check finds a question with two right answers."""

from collections import Counter

import pytest

from authoring.engine import CheckFailed
from authoring.notes import make, vocabulary
from verigym.core.records import Task

ODD = {"two", "yes_no", "which"}


@pytest.mark.parametrize(("split", "num_frames"), [("train", 84), ("val", 100)])
def test_a_frame_has_four_questions_of_which_about_one_in_seven_is_of_an_odd_kind(split: str, num_frames: int) -> None:
    frames = make.frames(split)
    assert len({frame.name for frame in frames}) == num_frames
    assert {len({question.text for question in frame.questions}) for frame in frames} == {4}
    kinds = Counter(question.kind for frame in frames for question in frame.questions)
    assert set(kinds) == ODD | set(make.KINDS.values())
    assert 0.14 <= sum(kinds[kind] for kind in ODD) / kinds.total() <= 0.16


def test_a_held_out_family_asks_each_of_its_questions_once() -> None:
    for family in make.families("val"):
        tasks = [task for _, task in zip(range(4), make.BUILDER.stream(family), strict=False)]
        assert Counter(task.tags[0] for task in tasks) == Counter(one.kind for one in family.source.questions)


def test_names_things_and_places_are_many_and_apart() -> None:
    least = {"NAMES": 60, "THINGS": 60, "TOWNS": 40, "SPOTS": 16}
    for name, number in least.items():
        sides = [getattr(vocabulary, name)[split] for split in ("train", "val")]
        split = [{word for value in side for word in value.casefold().split()} for side in sides]
        assert all(len(set(side)) == len(side) >= number for side in sides) and not split[0] & split[1]


@pytest.mark.parametrize(
    ("note", "answer", "others", "problem"),
    [
        ("Omar met Omar.", "Omar", ["met"], "stands 2 times"),
        ("Omar came.", "Leila", ["Omar"], "stands 0 times"),
        ("Omar has a cooker, a rice cooker.", "Omar", ["drum"], "is not a detail"),
        ("A rice drum.", "drum", ["rice drum"], "is in another detail"),
    ],
)
def test_the_check_finds_an_answer_that_is_not_in_the_note_once(
    note: str, answer: str, others: list[str], problem: str
) -> None:
    data = {"answer": answer, "others": others}
    task = Task(id="t", prompt=f"Note: {note}\nQuestion: What?", data=data, tags=["what"])
    with pytest.raises(CheckFailed, match=problem):
        make.BUILDER.verify([task])
