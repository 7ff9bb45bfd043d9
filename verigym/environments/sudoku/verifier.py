"""Compares the final grid of an episode with the only solution."""

from verigym.core.errors import VerifierFailure
from verigym.core.records import Task, Trajectory, Verdict
from verigym.environments.sudoku.puzzles import size_of

_SHOWN = 6
"""Maximum cells named in the evidence."""


def sudoku_verifier(task: Task, trajectory: Trajectory) -> Verdict:
    """Gives 1 for the solution, and otherwise half the share of right cells minus wrong ones, so that guessing earns nothing.
    Gives 0 if a given digit was changed."""
    puzzle, solution = task.data.get("puzzle", ""), task.data.get("solution", "")
    if not puzzle or len(puzzle) != len(solution):
        raise VerifierFailure(f'task {task.id}: data needs "puzzle" and "solution", two grids of one size')
    grid: str = trajectory.end_state.get("grid", puzzle)
    if not trajectory.end_state.get("replies_read"):
        parts = {"valid": 0.0, "given": 1.0, "cells": 0.0}
        return Verdict(reward=0.0, parts=parts, evidence=f'no grid and no move in "{trajectory.reply[-120:]}"')
    cells = list(zip(puzzle, grid, solution, strict=True))
    changed = [place for place, (given, now, _) in enumerate(cells) if given not in (".", now)]
    wrong = [place for place, (given, now, right) in enumerate(cells) if given == "." and now not in (".", right)]
    blanks, empty = puzzle.count("."), grid.count(".")
    right = blanks - empty - len(wrong)
    passed = grid == solution
    credit = 0.0 if changed else max(0, right - len(wrong)) / blanks
    parts = {"valid": 1.0, "given": float(not changed), "cells": 0.0 if changed else right / blanks}
    reward = 1.0 if passed else credit / 2
    return Verdict(
        reward=reward, passed=passed, parts=parts, evidence=_words(cells, changed, wrong, empty, len(puzzle))
    )


def _words(cells: list[tuple[str, str, str]], changed: list[int], wrong: list[int], empty: int, count: int) -> str:
    """`r1c2: 4, expected 3; 5 cells are empty`."""
    if not changed and not wrong and not empty:
        return "solved"
    size = size_of("." * count)
    found = [f"r{one // size + 1}c{one % size + 1}: {cells[one][1]}, given was {cells[one][0]}" for one in changed]
    found += [f"r{one // size + 1}c{one % size + 1}: {cells[one][1]}, expected {cells[one][2]}" for one in wrong]
    more = [f"{len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
    return "; ".join([*found[:_SHOWN], *more, *([f"{empty} cells are empty"] if empty else [])])
