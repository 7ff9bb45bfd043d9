"""sudoku: fill a 4x4, 6x6 or 9x9 grid that has one solution, at once or move by move.

A reply is a whole grid, or moves such as r3c4=7. After moves the grid is shown again, without a hint whether they were right.
The episode ends when no cell is empty.
"""

from verigym.core.records import Json, Task, Trajectory, Verdict
from verigym.environments import shipped
from verigym.environments.sudoku.puzzles import size_of
from verigym.environments.sudoku.replies import Layout, Move, grid_in, moves_in, shown
from verigym.environments.sudoku.verifier import sudoku_verifier

verifiers = {"sudoku_verifier": sudoku_verifier}
suites = {"sudoku_eval": "val"}


def tasks(split: str) -> list[Task]:
    """The shipped tasks of `train` or `val`. No held-out puzzle is equivalent to a training one."""
    return shipped.tasks("sudoku", split)


class Environment:
    system = """\
You solve sudoku. Every row, every column and every box has each digit once; the digits that are given stay.
Reply with the whole grid, a row a line, or with moves such as r3c4=7 (row 3, column 4 is 7), as many as you like. \
After moves you see the grid again. A cell can be changed until the last one is filled: then your grid is judged."""
    max_turns = 16

    def open(self, task: Task) -> None:
        self.given: str = task.data["puzzle"]
        self.grid = self.given
        self.size = size_of(self.given)
        self.layout = Layout(*task.data["layout"])
        self.read = 0
        self.missed = False

    def end_state(self) -> Json:
        return {"grid": self.grid, "replies_read": self.read}

    def step(self, reply: str) -> tuple[str, float, bool]:
        """Reads a grid, a grid with gaps, or moves. The second reply in a row without any of these ends the episode."""
        grid, moves = grid_in(reply, self.size), moves_in(reply)
        if grid is None and not moves:
            again, self.missed = self.missed, True
            return "That could not be read. Reply with the whole grid, or with moves such as r3c4=7.", -0.1, again
        self.missed = False
        self.read += 1
        if grid is not None:
            self.grid = "".join(new if new != "." else old for new, old in zip(grid, self.grid, strict=True))
            if any(old not in (".", new) for old, new in zip(self.given, self.grid, strict=True)):
                return "A given digit was changed.", -0.1, True
        whole = grid is not None and "." not in grid
        refused = [] if whole else [words for move in moves if (words := self._move(move))]
        left = self.grid.count(".")
        if not left:
            return "The grid is full.", 0.0, True
        open_cells = "1 cell is empty." if left == 1 else f"{left} cells are empty."
        return "\n".join([*refused, shown(self.grid, self.size, self.layout), open_cells]), 0.0, False

    def _move(self, move: Move) -> str:
        """Makes the move, or says why it is not possible."""
        if not all(1 <= number <= self.size for number in move):
            return f"{move}: rows, columns and digits go from 1 to {self.size}."
        cell = (move.row - 1) * self.size + move.column - 1
        if self.given[cell] != ".":
            return (
                "" if self.given[cell] == str(move.digit) else f"{move}: {self.given[cell]} is given there, and stays."
            )
        self.grid = self.grid[:cell] + str(move.digit) + self.grid[cell + 1 :]
        return ""


def explain(task: Task, trajectory: Trajectory, verdict: Verdict) -> str | None:
    """Names the bucket of a grid that breaks a rule, or of an unfinished grid."""
    if verdict.parts.get("valid") == 0:
        return None
    if verdict.parts.get("given") == 0:
        return f"wrong answer: {verdict.evidence}"
    return f"incomplete execution: {verdict.evidence}" if "." in trajectory.end_state.get("grid", ".") else None


# -- Solutions, right and wrong -----------------------------------------------------------------------------------------------


def gold(task: Task) -> str:
    """The solved grid in the layout of the task, or the worked steps of a task that has them."""
    return task.data.get("work") or _written(task, task.data["solution"])


def cheats(task: Task) -> list[str | list[str]]:
    """Claims of success, the puzzle, another grid, right rows only, two grids, every digit everywhere, a changed given."""
    assert isinstance(task.prompt, str), "sudoku's prompts are text"
    puzzle, solution = task.data["puzzle"], task.data["solution"]
    size = size_of(puzzle)
    renamed = solution.translate(str.maketrans("123456789"[:size], "234567891"[: size - 1] + "1"))
    wrong = _swapped(puzzle, solution)
    blank, given = puzzle.index("."), next(cell for cell, digit in enumerate(puzzle) if digit != ".")
    digits = [digit for digit in "123456789"[:size] if digit != solution[blank]]
    open_cells = [cell for cell, digit in enumerate(puzzle) if digit == "."]
    every = " ".join(
        f"r{cell // size + 1}c{cell % size + 1}={digit}" for digit in [solution[blank], *digits] for cell in open_cells
    )
    return [
        "Solved: every row, column and box has each digit once.",
        task.prompt,
        _written(task, puzzle),
        _written(task, renamed),
        _written(task, wrong),
        f"{_written(task, solution)}\n\nOr else:\n\n{_written(task, wrong)}",
        _written(task, solution[:given] + digits[0 if digits[0] != solution[given] else 1] + solution[given + 1 :]),
        every,
        [_written(task, wrong), _written(task, solution)],
    ]


def _written(task: Task, grid: str) -> str:
    return shown(grid, size_of(grid), Layout(*task.data["layout"]))


def _swapped(puzzle: str, solution: str) -> str:
    """The solution with two empty cells swapped, in one row if possible: then every row is right and two columns are wrong."""
    size = size_of(puzzle)
    open_cells = [cell for cell, digit in enumerate(puzzle) if digit == "."]
    pairs = [(one, two) for one in open_cells for two in open_cells if one < two and solution[one] != solution[two]]
    one, two = min(pairs, key=lambda pair: pair[0] // size != pair[1] // size)
    cells = list(solution)
    cells[one], cells[two] = cells[two], cells[one]
    return "".join(cells)
