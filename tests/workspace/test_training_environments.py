"""Where a recipe trains: which environment, whose rewards, what is held out; and what makes it another run."""

from pathlib import Path
from typing import Any

import pytest

from tests.workspace.desk import DESK, HEAD, desk
from verigym.core.errors import NotFound, Refused
from verigym.training.recipe import Recipe, make_recipe
from verigym.verifiers.reward_model import RewardModel
from verigym.workspace.training_environments import training_environments, with_tasks


def recipe(**fields: Any) -> Recipe:
    return make_recipe({"model": "m", "algorithm": "grpo", "num_generations_per_prompt": 2, **fields}, [], "a test")


@pytest.fixture
def place(tmp_path: Path) -> str:
    (tmp_path / "desk.py").write_text(DESK)
    return str(tmp_path / "desk.py")


def test_a_reward_finds_the_environment_that_defines_it() -> None:
    [arena] = training_environments(recipe(reward="tool_call_verifier", held_out_eval="tool_call_eval"))
    assert (arena.name, arena.split, arena.weight) == ("toolcall", "val", 1.0)
    assert arena.verifier is arena.environment.verifier and arena.verifier.name.startswith("tool_call_verifier@")


def test_the_reward_that_is_named_judges_and_the_first_where_none_is(place: str) -> None:
    for reward, first in (("", "letters"), ("short", "short"), ({"short": 1.0, "letters": 2.0}, "short")):
        [arena] = training_environments(recipe(environment=place, reward=reward))
        assert arena.environment.verifier.name.startswith(f"{first}@")
        assert arena.split == "", "nothing is held out where no suite is named"
    assert arena.verifier.name.startswith("short+letters@")


def test_no_reward_at_all_is_as_good_as_none_named(place: str) -> None:
    [arena] = training_environments(recipe(environment=place, reward={}))
    assert arena.verifier.name.startswith("letters@")


def test_a_reward_model_is_learnt_from_and_the_environment_judges(place: str) -> None:
    plain = training_environments(recipe(environment=place, reward="short"))[0]
    [arena] = training_environments(recipe(environment=place, reward="short"), "v1")
    assert isinstance(arena.verifier, RewardModel) and arena.verifier.name == "reward_model@v1"
    assert arena.environment.verifier.name == plain.verifier.name == arena.identity["judged_by"]
    assert "judged_by" not in plain.identity


@pytest.mark.parametrize("wanted", ["all", "desk_eval", ""])
def test_each_environment_of_a_mixture_holds_out_its_own(place: str, wanted: str) -> None:
    desk, office = training_environments(recipe(environments={place: 3, "toolcall": 0.5}, held_out_eval=wanted))
    assert (desk.weight, office.weight) == (3.0, 0.5)
    assert desk.split == ("val" if wanted else "") and office.split == ("val" if wanted == "all" else "")


def test_a_reward_of_one_environment_is_taken_there_and_the_others_keep_theirs(place: str) -> None:
    desk, office = training_environments(recipe(environments={place: 1, "toolcall": 1}, reward="short"))
    assert desk.verifier.name.startswith("short@") and office.verifier.name.startswith("tool_call_verifier@")


def test_an_environment_without_suites_holds_out_nothing(tmp_path: Path) -> None:
    bare = tmp_path / "bare.py"
    bare.write_text(desk("return 1.0").replace('suites = {"desk_eval": "val"}', "suites = {}"))
    [arena] = training_environments(recipe(environment=str(bare), held_out_eval="all"))
    assert arena.split == ""
    with pytest.raises(NotFound, match='no held_out_eval "desk_eval"'):
        training_environments(recipe(environment=str(bare), held_out_eval="desk_eval"))


def test_tasks_are_those_for_training_and_as_many_as_are_wanted(place: str) -> None:
    for num_tasks, count in ((None, 12), (5, 5), (99, 12)):
        wanted = recipe(environment=place, num_tasks=num_tasks)
        [arena] = with_tasks(training_environments(wanted), wanted)
        assert len(arena.tasks) == count and {task.split for task in arena.tasks} == {"train"}


def test_a_part_of_the_families_is_trained_on_and_the_parts_share_none() -> None:
    parts = [
        with_tasks(training_environments(wanted), wanted)[0].tasks
        for part in ("1/2", "2/2")
        for wanted in [recipe(environment="toolcall", part=part)]
    ]
    first, second = ({task.family for task in tasks} for tasks in parts)
    assert not first & second and len(first | second) == 214 and min(len(first), len(second)) > 80
    some = recipe(environment="toolcall", part="2/2", num_tasks=30)
    assert {task.family for task in with_tasks(training_environments(some), some)[0].tasks} <= second


def test_a_part_that_nothing_falls_into_is_refused(place: str) -> None:
    wanted = recipe(environment=place, part="1/100")
    with pytest.raises(Refused, match=r"part 1/100 contains no training family\. Use fewer parts"):
        with_tasks(training_environments(wanted), wanted)


def test_another_verifier_other_tasks_or_other_code_make_another_run(tmp_path: Path, place: str) -> None:
    found = set[str]()
    texts = (
        DESK,
        DESK.replace("/ 8", "/ 9"),
        DESK.replace("abcdefghijkl", "abc"),
        DESK.replace("max_turns = 1", "max_turns = 2"),
    )
    for number, text in enumerate(texts):
        path = tmp_path / f"desk{number}.py"
        path.write_text(text)
        wanted = recipe(environment=str(path))
        found.add(str(with_tasks(training_environments(wanted), wanted)[0].identity))
    assert len(found) == len(texts)


def test_an_environment_without_training_tasks_says_which_splits_it_has(tmp_path: Path) -> None:
    (tmp_path / "val.py").write_text(
        DESK.replace(HEAD, HEAD.replace("    return [", "    return [] if split == 'train' else ["))
    )
    wanted = recipe(environment=str(tmp_path / "val.py"))
    with pytest.raises(Refused, match=r'has no tasks in split "train"\. It has these splits: val'):
        with_tasks(training_environments(wanted), wanted)
