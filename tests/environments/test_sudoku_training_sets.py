"""`sudoku?train=layouts`, `many` and `worked`: right puzzles, none held out, no layout or wording of a held-out task."""

import pytest

from verigym.core.records import Task
from verigym.environments.sudoku import Environment, gold, tasks
from verigym.environments.sudoku.puzzles import likeness, solutions
from verigym.environments.sudoku.replies import grid_in
from verigym.environments.sudoku.training_sets import drawn_puzzles, layouts, training_sets, worked
from verigym.environments.sudoku.worked import worked_steps


def first_of_many() -> list[Task]:
    """All 30,000 take 20 s."""
    return drawn_puzzles("many", 900, steps=False)


@pytest.fixture(params=[layouts, first_of_many, worked], ids=["layouts", "many", "worked"], scope="module")
def drawn(request: pytest.FixtureRequest) -> list[Task]:
    return request.param()


def test_every_puzzle_has_one_solution(drawn: list[Task]) -> None:
    for task in drawn[::20]:
        assert solutions(task.data["puzzle"]) == [task.data["solution"]]


def test_the_environment_reads_the_solution_of_a_layout() -> None:
    assert all(grid_in(gold(task), 4) == task.data["solution"] for task in layouts()[::20])


def test_worked_steps_fill_the_grid_with_the_solution() -> None:
    for task in worked()[::7]:
        state = Environment()
        state.open(task)
        assert state.step(gold(task)) == ("The grid is full.", 0.0, True)
        assert state.grid == task.data["solution"]


def test_a_step_says_what_its_cell_sees_at_that_moment() -> None:
    steps = worked_steps("...2.1..4.2.1..3").splitlines()
    assert steps[:4] == ["row 1: . . . 2", "row 2: . 1 . .", "row 3: 4 . 2 .", "row 4: 1 . . 3"]
    assert steps[4:6] == [
        "r1c1 sees row 2, column 4 1, box 1, so r1c1=3",
        "r1c2 sees row 3 2, column 1, box 3 1, so r1c2=4",
    ]
    assert "r2c3 sees row 2 1, column 1 2, box 1 2, so nothing yet" in steps
    assert steps[-1] == "r2c3 sees row 2 1 4, column 1 2 4, box 1 2 4, so r2c3=3"


def test_a_puzzle_that_such_steps_do_not_solve_has_none() -> None:
    assert worked_steps("................") == ""


def test_no_puzzle_is_equivalent_to_a_held_out_one(drawn: list[Task]) -> None:
    held_out = {likeness(task.data["puzzle"], task.data["solution"]) for task in tasks("val")}
    assert not held_out & {likeness(task.data["puzzle"], task.data["solution"]) for task in drawn[::5]}


def test_layouts_and_requests_of_held_out_tasks_do_not_occur(drawn: list[Task]) -> None:
    held_out = {tuple(task.data["layout"]) for task in tasks("val")}
    assert not held_out & {tuple(task.data["layout"]) for task in drawn}
    requests = {task.prompt.partition("\n")[0] for task in tasks("val") if isinstance(task.prompt, str)}
    assert not requests & {task.prompt.partition("\n")[0] for task in drawn if isinstance(task.prompt, str)}


def test_tasks_are_distinct_and_there_are_as_many_of_each_level(drawn: list[Task]) -> None:
    assert len({task.id for task in drawn}) == len({str(task.prompt) for task in drawn}) == len(drawn)
    assert [sum(level in task.tags for task in drawn) for level in ("easy", "medium", "hard")] == [len(drawn) // 3] * 3


def test_each_set_has_the_number_of_puzzles_that_it_names() -> None:
    assert len(layouts()) == len(worked()) == 6000
    assert set(training_sets) == {"layouts", "many", "worked"}
