"""Other training tasks than the shipped ones: `sudoku?train=layouts` has 6,000 puzzles of 4x4 in many layouts,
`sudoku?train=many` has 30,000 others, and `sudoku?train=worked` has 6,000 with worked steps as the gold solution.

A model that only saw three layouts copies the marks of empty cells when it meets a fourth one. A model that writes the whole
grid at once has to solve it in its head. If it sees 6,000 puzzles several times, it remembers them. The worked steps go through
the empty cells in turn and say what each of them sees. The puzzles are drawn with the rule of the shipped ones: one in five is
held out, together with all equivalent puzzles. Layouts and wordings of held-out tasks do not occur.
"""

import functools
from random import Random

from verigym.core.records import Task
from verigym.core.seeds import derive
from verigym.environments.sudoku.puzzles import BOXES, likeness, solutions
from verigym.environments.sudoku.replies import Layout, shown
from verigym.environments.sudoku.worked import worked_steps

_SIZE = 4
_LEVELS = {"easy": (4, 5), "medium": (6, 8), "hard": (9, 11)}
"""Minimum and maximum number of empty cells."""
_EMPTY = {".": "a dot", "_": "an underscore", "0": "a zero", "·": "a raised dot"}
"""Marks of an empty cell, which the environment can read, and their names."""
_BETWEEN = (" ", "", "  ", "; ")
_REQUESTS = (
    "Solve this {size}x{size} sudoku. Boxes are {box}. An empty cell is {mark}.",
    "Complete the grid: every row, every column and every box of {box} needs the digits 1 to {size}. An empty cell has {mark}.",
    "A sudoku of {size} rows, boxes {box}. Where there is {mark}, write the right digit.",
    "Please fill the cells that show {mark}. No digit from 1 to {size} may be twice in a row, column or box ({box}).",
    "My daughter's homework is this {size} by {size} sudoku (boxes: {box}). The cells with {mark} are open. Solve it for her.",
    "Number puzzle, {size} x {size}, boxes of {box}, {mark} = empty. Give me the finished grid.",
)


@functools.cache
def layouts() -> list[Task]:
    """6,000 puzzles whose gold solution is the whole grid."""
    return drawn_puzzles("layouts", 6_000, steps=False)


@functools.cache
def many() -> list[Task]:
    """30,000 puzzles as in `layouts`, so that 500 steps of 64 hardly repeat one. Drawing them takes 20 s."""
    return drawn_puzzles("many", 30_000, steps=False)


@functools.cache
def worked() -> list[Task]:
    """6,000 other puzzles whose gold solution are steps."""
    return drawn_puzzles("worked", 6_000, steps=True)


def drawn_puzzles(name: str, count: int, *, steps: bool) -> list[Task]:
    """Easy, medium and hard puzzles in turn, each in a request and a layout. A family is a request and a level."""
    tasks: list[Task] = []
    known: set[str] = set()
    grids = {_bits(grid): grid for grid in solutions("." * _SIZE**2, most=1000)}
    random = Random(derive(7, "sudoku", name))
    while len(tasks) < count:
        level = [*_LEVELS][len(tasks) % len(_LEVELS)]
        solution = random.choice([*grids.values()])
        open_cells = set(random.sample(range(_SIZE**2), random.randint(*_LEVELS[level])))
        puzzle = "".join("." if cell in open_cells else digit for cell, digit in enumerate(solution))
        given = _bits(puzzle)
        if sum(grid & given == given for grid in grids) > 1 or likeness(puzzle, solution) % 5 == 0:
            continue
        request, mark = random.randrange(len(_REQUESTS)), random.choice([*_EMPTY])
        layout = Layout(mark, random.choice(_BETWEEN), boxes=random.random() < 0.5)
        rows, columns = BOXES[_SIZE]
        words = _REQUESTS[request].format(size=_SIZE, box=f"{rows} rows by {columns} columns", mark=_EMPTY[mark])
        prompt = f"{words}\n\n{shown(puzzle, _SIZE, layout)}"
        work = worked_steps(puzzle) if steps else ""
        if prompt in known or (steps and not work):
            continue
        known.add(prompt)
        family = f"sudoku/train/{_SIZE}x{_SIZE}-{level}-{name}-{request + 1}"
        data = {"puzzle": puzzle, "solution": solution, "layout": list(layout)}
        tasks.append(
            Task(
                id=f"{family}/{len(tasks) + 1}",
                prompt=prompt,
                data={**data, "work": work} if steps else data,
                family=family,
                tags=[f"{_SIZE}x{_SIZE}", level],
            )
        )
    return tasks


def _bits(grid: str) -> int:
    """The digits of a grid and their places, as bits. A puzzle's bits are part of those of its solution."""
    return sum(1 << cell * _SIZE + int(digit) - 1 for cell, digit in enumerate(grid) if digit != ".")


training_sets = {"layouts": layouts, "many": many, "worked": worked}
