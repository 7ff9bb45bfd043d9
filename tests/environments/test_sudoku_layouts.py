"""`sudoku?train=layouts`: right puzzles, none of them held out, and no layout or wording of a held-out task."""

from verigym.environments.sudoku import gold, tasks
from verigym.environments.sudoku.puzzles import likeness, solutions
from verigym.environments.sudoku.replies import grid_in
from verigym.environments.sudoku.training_sets import layouts


def test_every_puzzle_has_one_solution_which_the_environment_can_read():
    for task in layouts()[::20]:
        assert solutions(task.data["puzzle"]) == [task.data["solution"]]
        assert grid_in(gold(task), 4) == task.data["solution"]


def test_no_puzzle_is_equivalent_to_a_held_out_one():
    held_out = {likeness(task.data["puzzle"], task.data["solution"]) for task in tasks("val")}
    assert not held_out & {likeness(task.data["puzzle"], task.data["solution"]) for task in layouts()[::5]}


def test_layouts_and_requests_of_held_out_tasks_do_not_occur():
    drawn = layouts()
    held_out = {tuple(task.data["layout"]) for task in tasks("val")}
    assert not held_out & {tuple(task.data["layout"]) for task in drawn}
    requests = {task.prompt.partition("\n")[0] for task in tasks("val") if isinstance(task.prompt, str)}
    assert not requests & {task.prompt.partition("\n")[0] for task in drawn if isinstance(task.prompt, str)}


def test_tasks_are_distinct_and_there_are_as_many_of_each_level():
    drawn = layouts()
    assert len({task.id for task in drawn}) == len({str(task.prompt) for task in drawn}) == len(drawn) == 6000
    assert [sum(level in task.tags for task in drawn) for level in ("easy", "medium", "hard")] == [2000] * 3
