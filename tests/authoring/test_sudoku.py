"""Every sudoku has one solution and is held out with all that are like it; a reply is read as people write one."""

from random import Random

import pytest

from authoring.engine import CheckFailed
from authoring.sudoku import make
from verigym.core.records import Task
from verigym.environments import sudoku
from verigym.environments.sudoku.puzzles import BOXES, dug, filled, likeness
from verigym.environments.sudoku.replies import Layout, grid_in, shown

TRAIN, VAL = sudoku.tasks("train"), sudoku.tasks("val")
PUZZLE = "1.3..4.22.4..32."
SOLUTION = "1234341221434321"
TASK = Task(id="t", prompt="Solve it.", data={"puzzle": PUZZLE, "solution": SOLUTION, "layout": [".", " ", False]})


def test_the_check_finds_a_puzzle_with_two_solutions() -> None:
    loose = {**TASK.data, "puzzle": "." * 16}
    with pytest.raises(CheckFailed, match="more than one solution"):
        make.BUILDER.verify([Task(id="t", prompt="?", data=loose)])


def test_more_blanks_are_harder() -> None:
    for size, levels in make.BLANKS.items():
        bounds = [bound for level in ("easy", "medium", "hard") for bound in levels[level]]
        assert bounds == sorted(bounds) and bounds[-1] < size * size
    for task in [*TRAIN, *VAL]:
        low, high = make.BLANKS[int(task.tags[0][0])][task.tags[1]]
        assert low <= task.data["puzzle"].count(".") <= high


def test_no_held_out_puzzle_is_like_one_to_learn_from() -> None:
    kinds = [{likeness(task.data["puzzle"], task.data["solution"]) for task in tasks[::6]} for tasks in (TRAIN, VAL)]
    assert {kind % 5 == 0 for kind in kinds[1]} == {True} and {kind % 5 == 0 for kind in kinds[0]} == {False}
    texts = [{wording.text for wording in make.WORDINGS[split]} for split in ("train", "val")]
    assert not texts[0] & texts[1]


@pytest.mark.parametrize("size", BOXES)
@pytest.mark.parametrize("layout", [wording.layout for split in make.WORDINGS.values() for wording in split])
def test_a_grid_that_is_shown_is_read_back(size: int, layout: Layout) -> None:
    draw = Random(1)
    puzzle = dug(filled(size, draw), size, draw)
    assert puzzle is not None and grid_in(shown(puzzle, size, layout), size) == puzzle
