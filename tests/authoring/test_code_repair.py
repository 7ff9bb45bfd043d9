"""Every planted fault shows in visible and hidden tests; a repair counts by what the code does, however it was edited."""

import pytest

from authoring.code_repair import make
from authoring.engine import CheckFailed
from verigym.core.records import Task
from verigym.environments import code_repair
from verigym.environments.code_repair.verifier import bundle
from verigym.tasks.leaks import find_leaks

TRAIN, VAL = code_repair.tasks("train"), code_repair.tasks("val")
TASK = next(task for task in TRAIN if task.id == "code_repair/train/tills_both/report")


# -- tasks ------------------------------------------------------------------------------------------------------------------


def test_there_are_enough_families_from_repositories_of_their_own() -> None:
    assert len({task.family for task in TRAIN}) == 80 and len({task.family for task in VAL}) == 36
    names = [{repository.name for repository in make.REPOSITORIES[split]} for split in ("train", "val")]
    assert len(names[0]) == 20 and len(names[1]) == 9 and not names[0] & names[1]
    assert not find_leaks({"train": TRAIN, "val": VAL}, 0.7)


def test_the_check_finds_a_fault_that_no_test_shows_and_a_repair_that_is_none() -> None:
    quiet = Task(id="t", prompt="?", data={**TASK.data, "tests": ["assert money(5) == '0.05'"]})
    with pytest.raises(CheckFailed, match="no hidden test fails"):
        make.BUILDER.verify([quiet])
    with pytest.raises(CheckFailed, match="the repaired files fail"):
        make.BUILDER.verify([Task(id="t", prompt="?", data={**TASK.data, "fixes": []})])


def test_a_repair_is_judged_by_the_visible_tests_too() -> None:
    for task in [*TRAIN, *VAL]:
        assert set(make._shown(task.data["files"])) <= set(task.data["tests"]), task.id


NEAR = {
    "tills_rounding": " + 51) // 100",
    "larder_enough": "good.count(thing) < count - 1",
    "ledgers_order": "key=lambda row: row",
    "pages_level": "<= deepest + 1",
    "inkwell_negative": 'text.strip("-").isdigit()',
    "inkwell_override": "out[section] = {**keys, **out.get(section, {})}",
    "jobs_shared": "lines = log or []",
    "folds_points": "wrap(text, width - 1)",
    "shelves_grace": "late == 3",
    "league_away": "here > there or team != home",
    "shares_left_over": "each + (over if place == 0 else 0)",
    "shares_more": "amount = left[rich]",
    "theatre_halves": "coins // 2 + 1 if child else coins",
    "garden_partly": "round(litres(texts, start, today, rain) / size)",
    "bookings_touching": "one[0] <= two[0] < one[1]",
    "jobs_doubling": "(attempt - 2) if attempt < 7 else 60",
    "mailroom_longest": "max(fitting, key=lambda each: len(each[1]))[1]",
    "sums_no_warning": 'return "undefined" if one else 0',
    "shelves_all_words": "set.intersection(*asked[:2])",
    "shelves_together": "found[reader] = min(500, found.get(reader, 0) + fine(due, back))",
    "ledgers_compound": "cents * percent // 100 + earned * percent",
    "routes_better": "if near not in best or best[town] < best[near]:",
    "choir_edge": "<= height(note) <= high + 1",
    "lift_onward": "        floor = halt or floor\n",
}
"""What might stand in place of the right text, by family."""


@pytest.mark.parametrize(("family", "text"), NEAR.items(), ids=NEAR)
def test_a_repair_that_comes_near_fails_a_hidden_test(family: str, text: str) -> None:
    repositories = [*make.REPOSITORIES["train"], *make.REPOSITORIES["val"]]
    bugs = {
        f"{repository.name}_{bug.name}": (repository, bug) for repository in repositories for bug in repository.bugs
    }
    repository, bug = bugs[family]
    files = repository.files()
    files[bug.path] = files[bug.path].replace(bug.right, text)
    task = next(task for task in [*TRAIN, *VAL] if task.family.endswith(f"/{family}"))
    assert make._failing(files, task.data["tests"])


def test_what_a_module_imports_or_adds_under_a_name_hides_no_function_of_another() -> None:
    ours = {"p/__init__.py": "", "p/a.py": "def f():\n    return 1\n\n\ndef g():\n    return 2\n"}
    names = make._names({**ours, "p/b.py": "from p.a import g as f\n\n\ndef h():\n    return f()\n"})
    assert names["f"]() == 1 and names["h"]() == 2
    helper, space = "def f():\n    return 3\n\n\ndef h():\n    return f()\n", {}
    make._run(bundle({**ours, "p/b.py": "def h():\n    return 0\n"}, {"p/b.py": helper}), space)
    assert space["f"]() == 1 and space["h"]() == 3
