"""The stories to learn from are said in many ways, and in none of the ways that are measured."""

import re
from collections.abc import Sequence
from itertools import groupby

from verigym.core.records import Task
from verigym.environments import workplace

VALUE = "_"

Run = tuple[str, ...]


def wording_of(task: Task) -> str:
    return task.id.rpartition("/")[0]


def runs(tasks: Sequence[Task]) -> dict[Run, str]:
    """Each five words in a row and a wording that says them. What differs within a wording is a value, and one word here;
    of the five at least three are words of the story."""
    found: dict[Run, str] = {}
    ordered = sorted(tasks, key=wording_of)
    for wording, members in groupby(ordered, key=wording_of):
        prompts = [re.findall(r"\w+", str(task.prompt).casefold()) for task in members]
        said = {word for word in set.intersection(*map(set, prompts)) if word.isalpha()}
        for prompt in prompts:
            words = [word for word, _ in groupby(word if word in said else VALUE for word in prompt)]
            fives = zip(*(words[skip:] for skip in range(5)), strict=False)
            found |= {five: wording for five in fives if five.count(VALUE) < 3}
    return found


def test_no_five_words_in_a_row_are_those_of_a_held_out_request() -> None:
    trained, measured = (runs(workplace.tasks(split)) for split in ("train", "val"))
    assert {run: (trained[run], measured[run]) for run in trained.keys() & measured.keys()} == {}


def test_five_words_are_found_around_other_values() -> None:
    asked = [f'Please have a look at "{title}" for {who}.' for title, who in (("Budget call", "Ann"), ("Lunch", "Ben"))]
    one, two = ([Task(id=f"{name}/{text}", prompt=text) for text in asked] for name in ("one", "two"))
    assert ("look", "at", VALUE, "for", VALUE) in runs(one).keys() & runs(two).keys()
    other = [Task(id=f"other/{who}", prompt=f'"{who}" is what to look at for me') for who in ("Lunch", "Budget")]
    assert runs(one).keys() & runs(other).keys() == set()
