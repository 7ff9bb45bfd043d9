"""`ENV+FILE.jsonl`: an environment with tasks added, whose held-out ones came in by versions."""

from pathlib import Path

import pytest

from tests.environments.test_load import DESK, write
from verigym.audit import cases
from verigym.core.errors import BadInput, NotFound, Refused
from verigym.core.records import Task
from verigym.environments.load import base_and_added, environment_of, load_environment
from verigym.evaluation.suites import make_suite
from verigym.tasks.load import save_tasks
from verigym.training.recipe import make_recipe
from verigym.workspace import measure as stages
from verigym.workspace.training_environments import training_environments, with_tasks


def call(id: str, split: str, family: str = "", minutes: int = 5) -> Task:
    data = {"expected_tool": "reminders.snooze", "expected_args": {"minutes": minutes}}
    return Task(id=id, prompt=f"{id}: snooze for {minutes}", data=data, split=split, family=family or id)


MORE = [call("a", "train"), call("b", "mined_v1"), call("c", "mined_v2"), call("d", "mined_v10")]


def more(folder: Path, tasks: list[Task] = MORE, base: str = "toolcall") -> str:
    save_tasks(folder / "more.jsonl", tasks)
    return f"{base}+{folder / 'more.jsonl'}"


def test_training_tasks_are_added_and_the_environments_own_held_out_sets_stay(tmp_path: Path) -> None:
    base, both = load_environment("toolcall"), load_environment(more(tmp_path))
    assert both.tasks("train") == [*base.tasks("train"), MORE[0]]
    assert both.tasks("val") == base.tasks("val")
    assert both.verifier.name == base.verifier.name


def test_a_held_out_version_holds_all_that_came_before_it(tmp_path: Path) -> None:
    both = load_environment(more(tmp_path))
    assert list(both.suites.items())[-3:] == [
        ("more_v1", "mined_v1"),
        ("more_v2", "mined_v2"),
        ("more_v10", "mined_v10"),
    ]
    found = {split: [task.id for task in both.tasks(split)] for split in both.suites.values() if "mined" in split}
    assert found == {"mined_v1": ["b"], "mined_v2": ["b", "c"], "mined_v10": ["b", "c", "d"]}
    with pytest.raises(NotFound, match=r'no version of the held-out tasks .* "mined_v3". Did you mean "mined_v'):
        both.tasks("mined_v3")


def test_a_later_version_leaves_the_suite_of_an_earlier_one_as_it_is(tmp_path: Path) -> None:
    def hash_of(where: str) -> str:
        suite, tasks = stages.suite_of(load_environment(where), "more_v1")
        assert suite.name == "more_v1" and make_suite("x", "y", tasks, suite.verifier).hash == suite.hash
        return suite.hash

    assert hash_of(more(tmp_path, MORE[:2])) == hash_of(more(tmp_path, MORE))


def test_what_is_measured_without_a_word_is_the_environments_own_set(tmp_path: Path) -> None:
    suite, _ = stages.suite_of(load_environment(more(tmp_path)), "val", 3)
    assert suite.name == "tool_call_eval"


def test_a_recipe_trains_on_both_and_may_hold_out_a_version(tmp_path: Path) -> None:
    plain = {"model": "m", "algorithm": "sft", "environment": more(tmp_path), "held_out_eval": "more_v2"}
    recipe = make_recipe(plain, [], "a test")
    (arena,) = with_tasks(training_environments(recipe), recipe)
    assert arena.split == "mined_v2" and {task.id for task in arena.tasks} >= {"a", "toolcall/train/0001"}


def test_a_family_on_both_sides_is_refused_before_training(tmp_path: Path) -> None:
    crossing = [call("a", "train", "snooze"), call("b", "mined_v1", "snooze")]
    recipe = make_recipe({"model": "m", "algorithm": "sft", "environment": more(tmp_path, crossing)}, [], "a test")
    with pytest.raises(Refused, match='share 1 family: "snooze"'):
        with_tasks(training_environments(recipe), recipe)


@pytest.mark.parametrize(
    ("tasks", "words"),
    [
        ([call("a", "val")], 'task "a" has the split "val". The held-out tasks of an environment'),
        (
            [call("toolcall/train/0001", "train")],
            'the id "toolcall/train/0001" already belongs to a task of the environment',
        ),
        ([], "contains no tasks"),
    ],
    ids=["another split", "an id that is taken", "nothing"],
)
def test_what_cannot_be_added_is_refused_in_words(tmp_path: Path, tasks: list[Task], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        load_environment(more(tmp_path, tasks)).tasks("train")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"more\.jsonl does not exist"):
        load_environment(f"toolcall+{tmp_path / 'more.jsonl'}")


def test_tasks_are_added_to_a_file_of_ones_own_too(tmp_path: Path) -> None:
    both = load_environment(more(tmp_path, [call("b", "train"), call("c", "mined_v1")], write(tmp_path, DESK)))
    assert [task.id for task in both.tasks("train")] == ["a", "b"]
    assert [tool.name for tool in both.tools] == ["calendar.create_event"]


@pytest.mark.parametrize(
    ("where", "parts"),
    [
        ("toolcall", ("toolcall", "")),
        ("toolcall+more.jsonl", ("toolcall", "more.jsonl")),
        ("desk.py+mined/desk.jsonl", ("desk.py", "mined/desk.jsonl")),
        ("a+b/desk.py+c+d/e.jsonl", ("a+b/desk.py", "c+d/e.jsonl")),
        ("q.jsonl+more.jsonl", ("q.jsonl", "more.jsonl")),
        ("a+b.jsonl", ("a+b.jsonl", "")),
        ("a+b/desk.py", ("a+b/desk.py", "")),
    ],
)
def test_where_the_environment_ends_and_the_file_begins(where: str, parts: tuple[str, str]) -> None:
    assert base_and_added(where) == parts


def test_a_file_that_is_there_is_never_taken_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, '{"prompt": "2 + 2", "answer": "4"}\n', "toolcall+q.jsonl")
    assert [task.prompt for task in load_environment("toolcall+q.jsonl").tasks("val")] == ["2 + 2"]


def test_a_stored_run_finds_its_environment_again(tmp_path: Path) -> None:
    where = more(tmp_path)
    assert environment_of(where, MORE[:1]).suites.keys() == load_environment(where).suites.keys()


def test_the_verifiers_cases_are_those_of_the_environment(tmp_path: Path) -> None:
    assert cases.path_of("toolcall+x/more.jsonl", tmp_path) == cases.path_of("toolcall", tmp_path)
    assert cases.path_of("a/desk.py+x/more.jsonl", tmp_path) == Path("a/desk.cases.jsonl")
