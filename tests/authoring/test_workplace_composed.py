"""Composed requests of workplace: reproducible, right in every office, and never in held-out words."""

from collections import Counter
from itertools import islice
from random import Random

import msgspec
import pytest

from authoring.engine import Family
from authoring.workplace import compose, compose_conditions, compose_lookups, compose_people, make
from authoring.workplace.compose_values import masked, plain, quoted, value
from authoring.workplace.scene import Scene
from verigym.core.records import Task
from verigym.environments import shipped, workplace
from verigym.environments.workplace.office import OFFICES, office
from verigym.environments.workplace.words import TRAIN

FAMILIES = make.families(compose.SPLIT)


def drawn(family: Family) -> list[Task]:
    return list(islice(make.BUILDER.stream(family), family.size))


def test_there_are_5000_programs_or_more_from_over_a_hundred_parts() -> None:
    assert len({family.name for family in FAMILIES}) == len(FAMILIES) >= 5_000
    parts = {part for family in FAMILIES for step in family.name.split("/")[3:] for part in step.split(".")}
    assert len(parts) > 100


def test_a_draw_gives_the_shipped_rows_and_they_are_right() -> None:
    rows = {task.id: task for task in shipped.tasks("workplace", compose.SPLIT, [compose.SPLIT])}
    tasks = [task for family in FAMILIES[::90] for task in drawn(family)]
    assert len(tasks) > 60 and [rows[task.id] for task in tasks] == tasks
    make.BUILDER.verify(tasks)


def _scene(number: int) -> Scene:
    return Scene(office(OFFICES["train"][number % 4]), TRAIN, Random(number))


@pytest.mark.parametrize("part", compose_conditions.CONDITIONS, ids=lambda part: part.__name__)
def test_a_condition_is_met_about_as_often_as_not(part: compose_conditions.ConditionPart) -> None:
    held: list[bool] = []
    for number in range(120):
        try:
            held.append(part(_scene(number)).holds)
        except compose_lookups.Miss:
            continue
    assert len(held) > 25 and 0.2 < sum(held) / len(held) < 0.8


LOOKUPS = [*compose_people.READERS, *(look for looks in compose_lookups.FOUND.values() for look in looks)]


@pytest.mark.parametrize("part", LOOKUPS, ids=lambda part: part.__name__)
def test_a_lookup_names_its_row_in_several_ways(part: compose_lookups.FoundPart) -> None:
    names: Counter[int] = Counter()
    for number in range(60):
        try:
            names[len(set(part(_scene(number)).names))] += 1
        except (compose_lookups.Miss, IndexError):
            continue
    assert names and max(names) >= 2


def test_a_request_in_held_out_words_is_dropped_whatever_its_values_are() -> None:
    prompt = next(str(task.prompt) for task in workplace.tasks("val") if len(str(task.prompt).split()) > 12)
    assert compose.is_held_out(prompt)
    assert not compose.is_held_out(f"quickly quickly {quoted('Lunch')} slowly slowly")


def test_marks_are_taken_out_and_values_become_gaps() -> None:
    marked = f"Move {quoted('Budget review')} {value('on May 14')} please."
    assert plain(marked) == 'Move "Budget review" on May 14 please.'
    assert masked(marked) == [["move", "_", "please"], ["move", "_", "on", "_", "please"]]


def test_a_program_whose_act_changes_a_later_lookup_is_dropped() -> None:
    row = next(row for row in office("alder").tables["tasks"].rows.values() if row.list == "Backlog")
    move = {"name": "projects.update", "arguments": {"id": row.id, "field": "list", "value": "Completed"}}
    count = {"name": "projects.search", "arguments": {"query": f"{row.assignee} Backlog"}}
    assert make._looks_differ("alder", [move, count])
    assert not make._looks_differ("alder", [count, move])
    missing = msgspec.json.decode(b'{"name": "email.delete", "arguments": {"id": 1}}')
    assert make._looks_differ("alder", [missing])
