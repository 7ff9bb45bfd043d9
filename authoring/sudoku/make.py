"""Rows of `sudoku`. A family is a size, a difficulty and a wording.

The puzzle itself decides whether it is held out (`likeness`), so a new family leaves the others unchanged.
"""

from collections.abc import Iterator
from typing import NamedTuple

from authoring.engine import Builder, Draft, Family, Trial, Turn
from verigym.core.records import Task
from verigym.environments.sudoku.puzzles import BOXES, dug, filled, likeness, solutions
from verigym.environments.sudoku.replies import Layout, shown

BLANKS = {
    4: {"easy": (4, 5), "medium": (6, 8), "hard": (9, 11)},
    6: {"easy": (8, 12), "medium": (14, 18), "hard": (20, 23)},
    9: {"easy": (20, 26), "medium": (32, 38), "hard": (44, 50)},
}
"""Minimum and maximum number of empty cells, by size and difficulty."""


class Wording(NamedTuple):
    name: str
    text: str
    layout: Layout


WORDINGS = {
    "train": [
        Wording(
            "plain", "Solve this sudoku of {size} by {size} cells. A dot is an empty cell, a box is {box}.", Layout()
        ),
        Wording(
            "newspaper",
            "Today's paper has a {size}x{size} number puzzle on its last page, and I got stuck. Boxes are {box}; an underscore "
            "is a cell that I have not filled. Can you finish it?",
            Layout("_", ""),
        ),
        Wording(
            "framed",
            "Fill in the zeros: digits 1 to {size}, none twice in a row, in a column or within a box ({box}, between the lines).",
            Layout("0", " ", boxes=True),
        ),
    ],
    "val": [
        Wording(
            "club",
            "For the puzzle club: complete the square below with 1 to {size}. Question marks are open. The blocks measure {box}.",
            Layout("?", ",", boxes=False),
        ),
        Wording(
            "wall",
            "Somebody painted a {size} x {size} sudoku on our wall, with gaps (x) in it. Regions are {box}. What goes where?",
            Layout("x", "", boxes=True),
        ),
    ],
}


class Puzzles(NamedTuple):
    """What one family draws."""

    size: int
    level: str
    wording: Wording


def families(split: str) -> list[Family]:
    return [
        Family(split, f"sudoku/{split}/{size}x{size}-{level}-{wording.name}", Puzzles(size, level, wording))
        for size, levels in BLANKS.items()
        for level in levels
        for wording in WORDINGS[split]
    ]


def draw(family: Family, turn: Turn) -> Draft:
    """A puzzle of the family's split. One in five is held out, together with all equivalent puzzles."""
    size, level, wording = family.source
    while True:
        solution = filled(size, turn.random)
        puzzle = dug(solution, turn.random.randint(*BLANKS[size][level]), turn.random)
        if puzzle is None:
            continue
        key = likeness(puzzle, solution)
        if (key % 5 == 0) == (family.split == "val"):
            break
    rows, columns = BOXES[size]
    text = wording.text.format(size=size, box=f"{rows} rows by {columns} columns")
    return Draft(
        prompt=f"{text}\n\n{shown(puzzle, size, wording.layout)}",
        data={"puzzle": puzzle, "solution": solution, "layout": list(wording.layout)},
        tags=[f"{size}x{size}", level],
        key=key,
    )


def check(task: Task, trial: Trial) -> Iterator[str]:
    if solutions(task.data["puzzle"]) != [task.data["solution"]]:
        yield "the puzzle has more than one solution"


BUILDER = Builder(name="sudoku", seed=7, sizes={"train": 30, "val": 12}, families=families, draw=draw, check=check)
