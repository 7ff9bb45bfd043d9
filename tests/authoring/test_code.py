"""Problems have references that pass and tests that mutants fail; a function is right by what it returns, whoever wrote it."""

import pytest

from authoring.code import make
from authoring.code.edge_cases import EDGES
from authoring.code.problems import mutated, problem, runnable, variants
from authoring.code.train_lists import most_frequent
from authoring.code.train_numbers import in_base
from authoring.engine import CheckFailed
from verigym.core.records import Task
from verigym.environments import code

TRAIN, VAL = code.tasks("train"), code.tasks("val")
BY_ID = {task.id: task for task in [*TRAIN, *VAL]}


def test_the_check_finds_weak_tests_and_a_wrong_reference() -> None:
    task = BY_ID["code/val/bounce/1"]
    weak = Task(id="t", prompt="?", data={**task.data, "tests": ["assert bounce([]) == []"]})
    with pytest.raises(CheckFailed, match="mutants pass"):
        make.BUILDER.verify([weak])
    wrong = Task(id="t", prompt="?", data={**task.data, "tests": ["assert bounce([]) == [1]"]})
    with pytest.raises(CheckFailed, match="the reference fails"):
        make.BUILDER.verify([wrong])


def test_what_was_seen_to_pass_wrongly_is_tested_in_every_task_of_its_family() -> None:
    tested = {task.data["entry_point"]: [] for task in [*TRAIN, *VAL]}
    for task in [*TRAIN, *VAL]:
        tested[task.data["entry_point"]].append("\n".join(task.data["tests"]))
    for name, edges in EDGES.items():
        for inputs in edges:
            call = f"{name}({', '.join(map(repr, inputs))})"
            assert tested[name] and all(call in tests for tests in tested[name]), call


def test_parameters_become_constants_and_what_is_decided_by_them_is_gone() -> None:
    made = problem(most_frequent, {"tie": "largest"})
    assert made.signature == "def most_frequent(items: list[int]) -> int:" and "tie" not in made.source
    assert "reverse=True" in made.source and made.asked.endswith("of several the largest; 0 for an empty list.")
    assert runnable(made.source)(([3, 1, 1, 3],)) == ("value", 3)
    assert [each["tie"] for each in variants(most_frequent)] == ["smallest", "largest"]


def test_what_stands_in_for_nothing_is_kept() -> None:
    assert runnable(problem(in_base, {"base": 2}).source)((0,)) == ("value", "0")


def test_a_mutant_differs_in_one_place_and_one_that_never_ends_is_stopped() -> None:
    source = "def f(n: int) -> int:\n    while n > 3:\n        n -= 1\n    return n"
    mutants = mutated(source)
    assert source.replace("n > 3", "n >= 3") in mutants and source.replace("-=", "+=") in mutants
    clauses = "def f(n: int) -> bool:\n    return 2 < n < 9 and n != 5"
    assert {clauses.replace("n < 9", "n <= 9"), clauses.replace(" and n != 5", "")} <= set(mutated(clauses))
    assert runnable(source.replace("-=", "+="))((9,)) == ("raised", "TimeoutError")


def test_mutants_leave_out_what_is_easily_forgotten() -> None:
    source = """def f(items: list[str]) -> list[str]:
    if not items:
        raise ValueError
    seen = {each.strip() for each in items if each}
    return sorted(seen, key=lambda each: (len(each), each))"""
    mutants = set(mutated(source))
    for one, other in (
        ("if not items", "if False"),
        ("raise ValueError", "pass"),
        ("{each.strip() for each in items if each}", "[each.strip() for each in items if each]"),
        ("each.strip()", "each"),
        (" if each}", "}"),
        (", key=lambda each: (len(each), each)", ""),
        ("(len(each), each)", "(each,)"),
    ):
        assert source.replace(one, other) in mutants, other
