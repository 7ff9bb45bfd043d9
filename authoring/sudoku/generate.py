"""Makes the tasks of `train` and `val`, the same ones every time, and checks them.

    python -m authoring.sudoku.generate

rewrites `data/*.jsonl`. A family is a size, a difficulty and a wording. Each task is drawn from a seed of its own, and whether a
puzzle is held out is decided by the puzzle itself (`puzzles.likeness`), so that a new family leaves the others as they are.
`make` gives any number of tasks of a family, also more than are shipped.
"""

from collections.abc import Iterable, Iterator
from itertools import count, islice
from random import Random
from typing import NamedTuple

from verigym.core.records import Message, Task, Trajectory
from verigym.core.seeds import derive
from verigym.environments.sudoku import DATA, Environment, gold
from verigym.environments.sudoku.puzzles import BOXES, dug, filled, likeness, solutions
from verigym.environments.sudoku.replies import Layout, shown
from verigym.environments.sudoku.verifier import sudoku_verifier
from verigym.tasks.load import ship

SEED = 7
EACH = {"train": 30, "val": 12}
"""Tasks of a family."""
BLANKS = {
    4: {"easy": (4, 5), "medium": (6, 8), "hard": (9, 11)},
    6: {"easy": (8, 12), "medium": (14, 18), "hard": (20, 23)},
    9: {"easy": (20, 26), "medium": (32, 38), "hard": (44, 50)},
}
"""Empty cells, from and to, by size and difficulty."""


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


class Family(NamedTuple):
    split: str
    size: int
    level: str
    wording: Wording

    @property
    def name(self) -> str:
        return f"sudoku/{self.split}/{self.size}x{self.size}-{self.level}-{self.wording.name}"


def families(split: str) -> list[Family]:
    return [
        Family(split, size, level, wording)
        for size, levels in BLANKS.items()
        for level in levels
        for wording in WORDINGS[split]
    ]


def generate(split: str) -> list[Task]:
    """All tasks, in an order in which any first few are a fair mixture."""
    made = [task for family in families(split) for task in islice(make(family), EACH[split])]
    return sorted(made, key=lambda task: derive(SEED, "order", task.id))


def make(family: Family) -> Iterator[Task]:
    """Tasks of a family, no two alike."""
    seen: set[int] = set()
    for place in count():
        puzzle, solution, kind = _drawn(family, Random(derive(SEED, family.name, place)))
        if kind in seen:
            continue
        seen.add(kind)
        yield _task(family, f"{family.name}/{len(seen)}", puzzle, solution)


def _drawn(family: Family, draw: Random) -> tuple[str, str, int]:
    """A puzzle of the family's split: one in five is held out, with all that are like it."""
    while True:
        solution = filled(family.size, draw)
        puzzle = dug(solution, draw.randint(*BLANKS[family.size][family.level]), draw)
        if puzzle is None:
            continue
        kind = likeness(puzzle, solution)
        if (kind % 5 == 0) == (family.split == "val"):
            return puzzle, solution, kind


def _task(family: Family, id: str, puzzle: str, solution: str) -> Task:
    rows, columns = BOXES[family.size]
    asked = family.wording.text.format(size=family.size, box=f"{rows} rows by {columns} columns")
    return Task(
        id=id,
        prompt=f"{asked}\n\n{shown(puzzle, family.size, family.wording.layout)}",
        data={"puzzle": puzzle, "solution": solution, "layout": list(family.wording.layout)},
        split=family.split,
        family=family.name,
        tags=[f"{family.size}x{family.size}", family.level],
        lineage=[f"verigym.environments.sudoku.generate seed {SEED}"],
    )


def check(made: Iterable[Task]) -> None:
    """Stops at the first task with more than one solution, or whose gold reply does not pass."""
    for task in made:
        assert solutions(task.data["puzzle"]) == [task.data["solution"]], f"{task.id}: not the only solution"
        environment = Environment()
        environment.open(task)
        environment.step(gold(task))
        items = [Message("assistant", gold(task))]
        played = Trajectory(id="a", task=task.id, group="g", items=[*items], end_state=environment.end_state())
        assert sudoku_verifier(task, played).passed, f"{task.id}: the gold reply does not pass"


def main() -> None:
    for split in ("train", "val"):
        made = generate(split)
        check(made)
        ship(DATA, split, made)


if __name__ == "__main__":
    main()
