"""Every sudoku has one solution and is held out with all that are like it; a reply is read as people write one."""

import asyncio
from random import Random

import pytest

from verigym.audit.check import check_environment
from verigym.audit.scripted_episodes import Replies, play
from verigym.core.errors import NotFound, VerifierFailure
from verigym.core.records import Message, Stop, Task, Trajectory, Verdict
from verigym.environments import sudoku
from verigym.environments.load import find_by_verifier, load_environment
from verigym.environments.sudoku.puzzles import BOXES, dug, filled, likeness, solutions, units
from verigym.environments.sudoku.replies import Layout, moves_in, shown
from verigym.environments.sudoku.verifier import sudoku_verifier
from verigym.evaluation.failures import bucket

SPEC = load_environment("sudoku")
TRAIN, VAL = sudoku.tasks("train"), sudoku.tasks("val")
PUZZLE = "1.3..4.22.4..32."
SOLUTION = "1234341221434321"
TASK = Task(id="t", prompt="Solve it.", data={"puzzle": PUZZLE, "solution": SOLUTION, "layout": [".", " ", False]})


def played(*replies: str) -> tuple[Trajectory, Verdict]:
    given: Replies = list(replies)
    made = asyncio.run(play(SPEC, TASK, given))
    return made.trajectory, made.verdict


# -- puzzles ----------------------------------------------------------------------------------------------------------------


def test_there_are_enough_tasks_of_every_size_and_difficulty_in_both_splits() -> None:
    assert len(TRAIN) >= 800 and len(VAL) >= 200
    for tasks in (TRAIN, VAL):
        assert {tuple(task.tags) for task in tasks} == {
            (f"{size}x{size}", level) for size in BOXES for level in ("easy", "medium", "hard")
        }
        assert len({task.data["puzzle"] for task in tasks}) == len(tasks)


@pytest.mark.parametrize("size", BOXES)
def test_the_solver_counts_as_many_ways_as_trying_everything_does(size: int) -> None:
    draw = Random(size)
    solution = filled(size, draw)
    around = units(size)
    for _ in range(10):
        cells = draw.sample(range(size * size), 5)
        puzzle = "".join("." if cell in cells else digit for cell, digit in enumerate(solution))

        def ways(grid: list[str], left: list[int]) -> int:
            if not left:
                return 1
            taken = {grid[other] for unit in around[left[0]] for other in unit if other != left[0]}
            fits = [digit for digit in "123456789"[:size] if digit not in taken]
            return sum(ways([*grid[: left[0]], digit, *grid[left[0] + 1 :]], left[1:]) for digit in fits)

        assert len(solutions(puzzle, 100)) == ways(list(puzzle), cells)


def test_a_grid_that_breaks_the_rules_already_has_no_solution() -> None:
    assert (
        solutions("11..............") == []
        and solutions("1...1...........") == []
        and solutions("1....1..........") == []
    )


def test_an_empty_grid_of_four_by_four_can_be_filled_in_288_ways() -> None:
    assert len(set(solutions("." * 16, 1000))) == 288


def test_puzzles_that_differ_by_names_of_digits_order_of_rows_or_turning_are_alike_and_others_are_not() -> None:
    draw = Random(3)
    solution = filled(9, draw)
    puzzle = dug(solution, 40, draw)
    assert puzzle is not None
    kind = likeness(puzzle, solution)

    def rows(grid: str) -> list[str]:
        return [grid[start : start + 9] for start in range(0, 81, 9)]

    renamed = str.maketrans("123456789", "581934276")
    assert likeness(puzzle.translate(renamed), solution.translate(renamed)) == kind
    order = [4, 3, 5, 8, 6, 7, 0, 2, 1]
    assert likeness(*("".join(rows(grid)[place] for place in order) for grid in (puzzle, solution))) == kind
    assert likeness(*("".join(map("".join, zip(*rows(grid), strict=True))) for grid in (puzzle, solution))) == kind
    across = [0, 3, 2, 1, 4, 5, 6, 7, 8]
    assert likeness(*("".join(rows(grid)[place] for place in across) for grid in (puzzle, solution))) != kind


# -- the environment -----------------------------------------------------------------------------------------------------


def test_the_contract_of_the_environment_holds_and_it_is_found_by_its_names() -> None:
    assert [one.name for one in check_environment(SPEC, num_tasks=20) if one.outcome == "fail"] == []
    assert find_by_verifier("sudoku_eval").name == find_by_verifier("sudoku_verifier").name == "sudoku"
    with pytest.raises(NotFound, match=r'no split of sudoku "test".*Available: train, val'):
        sudoku.tasks("test")


def test_no_cheat_passes_and_each_earns_less_than_a_solution() -> None:
    for task in [*TRAIN[::15], *VAL[::5]]:
        for replies in SPEC.cheat_replies(task):
            verdict = asyncio.run(play(SPEC, task, replies)).verdict
            assert not verdict.passed and verdict.reward is not None and verdict.reward <= 0.5, f"{task.id}: {replies}"


RIGHT = {
    "as it was shown": "1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 1",
    "without spaces": "1234\n3412\n2143\n4321",
    "with bars and lines": "1 2 | 3 4\n3 4 | 1 2\n----+----\n2 1 | 4 3\n4 3 | 2 1",
    "in a fence": "Here it is:\n```\n1234\n3412\n2143\n4321\n```\nAll good.",
    "as JSON": "[[1,2,3,4],\n[3,4,1,2],\n[2,1,4,3],\n[4,3,2,1]]",
    "as JSON in one line": "[[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [4, 3, 2, 1]]",
    "in one line": "1234341221434321",
    "with labels": "Row 1: 1 2 3 4\nRow 2: 3 4 1 2\nRow 3: 2 1 4 3\nRow 4: 4 3 2 1",
    "after a draft": "1111\n1111\n1111\n1111\nNo, that is wrong:\n1234\n3412\n2143\n4321",
    "moves": "r1c2=2, r1c4=4, r2c1=3, r2c3=1, r3c2=1, r3c4=3, r4c1=4, r4c4=1",
    "moves in capitals, lines and spaces": "R1C2 = 2\nR1C4 = 4\nr2 c1 = 3\nr2c3: 1\nr3c2 -> 1\nr3c4=3\nr4c1=4\nr4c4=1",
    "the puzzle, and moves": f"{shown(PUZZLE, 4, Layout())}\nr1c2=2 r1c4=4 r2c1=3 r2c3=1 r3c2=1 r3c4=3 r4c1=4 r4c4=1",
    "thinking in moves, then the grid": "First I thought r1c2=3, but no.\n1234\n3412\n2143\n4321",
}


@pytest.mark.parametrize("reply", RIGHT.values(), ids=RIGHT)
def test_the_solution_passes_however_it_is_written(reply: str) -> None:
    trajectory, verdict = played(reply)
    assert verdict.passed and verdict.reward == 1.0 and verdict.evidence == "solved"
    assert trajectory.stop is Stop.DONE and len(trajectory.rewards) == 1


WRONG = {
    "nothing": ("", 0, "no grid and no move"),
    "words": ("The puzzle is solved now.", 0, "no grid and no move"),
    "two cells swapped": ("1 4 3 2\n3 4 1 2\n2 1 4 3\n4 3 2 1", 0.25, "r1c2: 4, expected 2; r1c4: 2, expected 4"),
    "a given changed": ("2 1 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 1", 0, "r1c1: 2, given was 1"),
    "another grid by other names": ("2341\n4123\n3214\n1432", 0, "given was"),
    "one digit everywhere": ("1 1 1 1\n1 1 1 1\n1 1 1 1\n1 1 1 1", 0, "given was"),
    "a digit too large": ("1 2 3 5\n3 4 1 2\n2 1 4 3\n4 3 2 1", 0, "no grid and no move"),
    "three rows": ("1234\n3412\n2143", 0, "no grid and no move"),
    "rows in words between": ("1234\nthen\n3412\nthen\n2143\nthen\n4321", 0, "no grid and no move"),
    "half of it": ("r1c2=2 r1c4=4 r2c1=3 r2c3=1", 0.25, "4 cells are empty"),
    "the puzzle": (shown(PUZZLE, 4, Layout()), 0, "8 cells are empty"),
    "the solution and then another": (
        "1234\n3412\n2143\n4321\nor\n1432\n3412\n2143\n4321",
        0.25,
        "r1c2: 4, expected 2",
    ),
    "guessed": ("r1c2=2 r1c4=2 r2c1=1 r2c3=3 r3c2=3 r3c4=1 r4c1=2 r4c4=4", 0, "r1c4: 2, expected 4"),
    "the whole in moves but one": (
        "r1c2=2 r1c4=4 r2c1=3 r2c3=1 r3c2=1 r3c4=3 r4c1=4 r4c4=2",
        0.375,
        "r4c4: 2, expected 1",
    ),
}


@pytest.mark.parametrize(("reply", "reward", "evidence"), WRONG.values(), ids=WRONG)
def test_a_wrong_grid_fails_and_earns_for_right_cells_less_wrong_ones(reply: str, reward: float, evidence: str) -> None:
    _, verdict = played(reply)
    assert not verdict.passed and verdict.reward == reward and evidence in verdict.evidence, verdict


def test_moves_are_shown_again_without_a_word_on_whether_they_are_right_and_can_be_taken_back() -> None:
    trajectory, verdict = played("r1c2=4", "r1c2=2 r1c4=4", "r2c1=3, r2c3=1, r3c2=1, r3c4=3, r4c1=4, r4c4=1")
    said = [item.text for item in trajectory.items if isinstance(item, Message) and item.role == "user"][1:]
    assert said == [
        "1 4 3 .\n. 4 . 2\n2 . 4 .\n. 3 2 .\n7 cells are empty.",
        "1 2 3 4\n. 4 . 2\n2 . 4 .\n. 3 2 .\n6 cells are empty.",
    ]
    assert verdict.passed and trajectory.stop is Stop.DONE


def test_a_move_onto_a_given_cell_or_outside_the_grid_is_refused_in_words() -> None:
    environment = sudoku.Environment()
    environment.open(TASK)
    said, _, done = environment.step("r1c1=2 r5c1=1 r1c1=1 r2c3=9 r0c1=1")
    assert said.splitlines()[:4] == [
        "r1c1=2: 1 is given there, and stays.",
        "r5c1=1: rows, columns and digits go from 1 to 4.",
        "r2c3=9: rows, columns and digits go from 1 to 4.",
        "r0c1=1: rows, columns and digits go from 1 to 4.",
    ]
    assert not done and environment.grid == PUZZLE


def test_the_second_unreadable_reply_in_a_row_ends_it_and_one_between_moves_does_not() -> None:
    trajectory, verdict = played("Let me think.", "r1c2=2", "Hm.", "Hm.", "r1c4=4")
    assert trajectory.rewards == [-0.1, 0.0, -0.1, -0.1] and trajectory.stop is Stop.DONE
    assert verdict.parts == {"valid": 1.0, "given": 1.0, "cells": 0.125}


def test_failures_are_told_apart() -> None:
    found = {name: bucket(TASK, *played(reply), sudoku.explain) for name, (reply, _, _) in WRONG.items()}
    assert found["words"] == "format error" and found["half of it"] == "incomplete execution"
    assert found["a given changed"] == found["two cells swapped"] == "wrong answer"


@pytest.mark.parametrize(
    "reply", ["1" * 200_000, "r1c1=" * 50_000, "\x00🙂" * 999, "1\n" * 99_999], ids=["digits", "moves", "odd", "lines"]
)
def test_an_odd_reply_is_no_trouble(reply: str) -> None:
    _, verdict = played(reply)
    assert not verdict.passed and moves_in(reply) == []


def test_a_task_without_its_grids_is_the_verifiers_failure() -> None:
    with pytest.raises(VerifierFailure, match='needs "puzzle" and "solution"'):
        sudoku_verifier(Task(id="t", prompt="?"), Trajectory(id="a", task="t", group="g"))
