from collections import Counter

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluation.builders import tasks
from verigym.core.errors import BadInput, Refused
from verigym.core.records import Task
from verigym.evaluation.suites import SuitePart, make_suite, parse_part, pick, split_part, take_part

drawn_tasks = st.lists(st.integers(0, 5), min_size=1, max_size=30).map(
    lambda families: [Task(id=f"t{i}", prompt="", family=f"f{family}") for i, family in enumerate(families)]
)


def _suite_hash(*given: Task, verifier: str = "match@1") -> str:
    return make_suite("calendar", "desk", list(given), verifier).hash


def test_a_suite_lists_its_tasks_and_families():
    suite = make_suite("calendar", "desk", tasks(4, num_families=2), "match@1")
    assert suite.tasks == ["t0", "t1", "t2", "t3"]
    assert suite.families == ["f0", "f1"]


def test_a_task_without_a_family_is_a_family_of_its_own():
    assert make_suite("calendar", "desk", [Task(id="alone", prompt="", split="val")], "match@1").families == ["alone"]


@pytest.mark.parametrize(
    "change", [{"prompt": "x"}, {"data": {"x": 1}}, {"family": "x"}, {"id": "x"}], ids=lambda change: next(iter(change))
)
def test_the_hash_changes_with_what_is_measured(change: dict[str, object]):
    task = tasks(1)[0]
    assert _suite_hash(task) != _suite_hash(msgspec.structs.replace(task, **change))


def test_the_hash_covers_the_verifier_but_not_order_tags_or_lineage():
    one, two = tasks(2)
    retagged = msgspec.structs.replace(one, tags=["hard"], lineage=["elsewhere"])
    assert _suite_hash(one, two) == _suite_hash(two, retagged)
    assert _suite_hash(one, two) != _suite_hash(one, two, verifier="match@2")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([], "would be empty"),
        ([Task(id="a", prompt="", split="val"), Task(id="b", prompt="")], r'1 of 2 tasks are in split "train" \(b\)'),
        ([Task(id="a", prompt="", split="val")] * 2, r"more than once \(a\)"),
    ],
    ids=["empty", "train", "duplicate"],
)
def test_what_cannot_be_a_suite_is_refused_in_words(given: list[Task], words: str):
    with pytest.raises(Refused, match=words):
        make_suite("calendar", "desk", given, "match@1")


@given(drawn_tasks, st.integers(0, 40), st.integers(0, 3))
def test_a_pick_spreads_over_families_as_evenly_as_can_be(given: list[Task], n: int, seed: int):
    picked = Counter(task.family for task in pick(given, n, seed))
    held = Counter(task.family for task in given)
    assert picked.total() == min(n, len(given))
    most = max(picked.values(), default=0)
    for family in held:
        unfilled = picked[family] < held[family]
        assert not unfilled or picked[family] >= most - 1


@given(drawn_tasks, st.integers(0, 40), st.randoms())
def test_picking_ignores_the_order_of_tasks_and_keeps_it(given: list[Task], n, random):
    shuffled = random.sample(given, len(given))
    picked = pick(shuffled, n, seed=1)
    assert {task.id for task in picked} == {task.id for task in pick(given, n, seed=1)}
    assert picked == [task for task in shuffled if task in picked]


@given(drawn_tasks, st.integers(0, 40))
def test_a_larger_pick_keeps_the_smaller_one(given: list[Task], n: int):
    assert {task.id for task in pick(given, n, 1)} <= {task.id for task in pick(given, n + 1, 1)}


def test_another_seed_picks_other_tasks():
    assert pick(tasks(40), 10, seed=1) != pick(tasks(40), 10, seed=2)


@given(drawn_tasks, st.integers(1, 6))
def test_parts_divide_the_tasks_and_no_family_crosses_them(given: list[Task], of: int):
    parts = [take_part(given, SuitePart(place, of)) for place in range(1, of + 1)]
    assert sorted(task.id for part in parts for task in part) == sorted(task.id for task in given)
    families = [{task.family for task in part} for part in parts]
    assert sum(map(len, families)) == len(set().union(*families))


def test_a_new_family_moves_no_other_to_another_part():
    before, after = take_part(tasks(40), SuitePart(1, 3)), take_part(tasks(60), SuitePart(1, 3))
    assert 0 < len(before) < 40 and before == [task for task in after if int(task.id[1:]) < 40]


def test_parts_are_about_as_large_as_each_other():
    assert all(80 <= len(take_part(tasks(300), SuitePart(place, 3))) <= 120 for place in (1, 2, 3))


@pytest.mark.parametrize("text", ["", "2", "0/3", "4/3", "1/0", "a/b", "1/3/5", "-1/3", "1/101", "½/2", "1 / 3"])
def test_a_part_is_written_as_one_of_so_many(text: str):
    with pytest.raises(BadInput, match="Write I/N, such as 1/3"):
        parse_part(text)


def test_a_name_may_carry_a_part():
    assert split_part("tool_call_eval 2/3") == ("tool_call_eval", SuitePart(2, 3))
    assert split_part("tool_call_eval") == ("tool_call_eval", None)
    assert split_part("my evals/first") == ("my evals/first", None)
    with pytest.raises(BadInput, match='Part "3/2"'):
        split_part("val 3/2")
