"""The data_analysis tasks are right, apart and reproducible; tables cannot be written; answers and charts are judged by value."""

from itertools import islice
from random import Random

import msgspec
import pytest

from authoring.data_analysis import domains, make, ship_tables, worlds
from authoring.data_analysis.asked import Redraw
from authoring.data_analysis.tables import dataset, names
from authoring.engine import CheckFailed, Family
from verigym.environments.data_analysis.engines import _tables, data_sets, database
from verigym.environments.load import load_environment
from verigym.tasks.leaks import find_leaks

SPEC = load_environment("data_analysis")
TRAIN, VAL = SPEC.tasks("train"), SPEC.tasks("val")


def test_the_check_finds_a_query_that_finds_something_else() -> None:
    task = next(task for task in TRAIN if task.family == "data_analysis/train/count_of_kind")
    with pytest.raises(CheckFailed, match="the query finds"):
        make.BUILDER.verify([msgspec.structs.replace(task, data={**task.data, "answer": task.data["answer"] + 1})])
    chart = next(task for task in TRAIN if task.tags[0] == "charts")
    fewer = {**chart.data["chart"], "points": chart.data["chart"]["points"][1:]}
    with pytest.raises(CheckFailed, match="points, expected"):
        make.BUILDER.verify([msgspec.structs.replace(chart, data={**chart.data, "chart": fewer})])


def test_held_out_questions_share_no_story_table_or_value_with_those_to_learn_from() -> None:
    tells = [{family.source.__name__ for family in make.families(split)} for split in ("train", "val")]
    assert not tells[0] & tells[1]
    words = [
        {word for one in side for word in (one.facts, one.places, *one.kinds, *one.names, *one.regions, *one.statuses)}
        for side in (domains.TRAIN, domains.VAL)
    ]
    assert not words[0] & words[1]
    values = [{word for name in _worlds(split) for word in _words_of(name)} for split in ("train", "val")]
    assert not values[0] & values[1]
    assert not find_leaks({"train": TRAIN, "val": VAL}, 0.7)


def _worlds(split: str) -> list[str]:
    return [f"{world.name}-csv-1" for world in worlds.WORLDS[split]]


def _words_of(name: str) -> set[str]:
    """Its tables, and the texts in them that are neither a number nor a time."""
    cells = {cell for table in database(name).tables.values() for row in table.rows for cell in row}
    return {*database(name).tables, *(cell for cell in cells if cell.strip("0123456789-.: "))}


def test_a_question_about_a_world_is_said_in_several_ways() -> None:
    for split, least in (("train", 4), ("val", 3)):
        for family in make.families(split):
            if "/" in family.topic:
                assert len(_wordings(family)) >= least, family.name


def _wordings(family: Family) -> list[str]:
    for seed in range(200):
        try:
            question = family.source(worlds.look(f"{family.topic.partition('/')[0]}-sqlite-1", Random(seed))).question
        except Redraw:
            continue
        return sorted(set(question))
    raise AssertionError(f"{family.name}: nothing to ask in 200 draws")


@pytest.mark.parametrize("family", ["turnout", "turnout_scatter", "closest_wards", "podium", "judge_bars"])
def test_who_counts_twice_what_was_entered_twice_is_mostly_wrong(family: str) -> None:
    tasks = [task for task in VAL if task.family == f"data_analysis/val/{family}"]
    passed = 0
    for task in tasks:
        twice = {**task.data, "sql": task.data["sql"].replace("SELECT DISTINCT", "SELECT")}
        try:
            make.BUILDER.verify([msgspec.structs.replace(task, data=twice)])
        except CheckFailed:
            continue
        passed += 1
    assert passed < len(tasks) / 2


def test_a_family_has_more_tasks_than_are_shipped() -> None:
    family = make.families("train")[0]
    assert len({str(task.prompt) for task in islice(make.BUILDER.stream(family), 60)}) == 60


def test_a_data_set_has_what_the_questions_are_about() -> None:
    for split in ("train", "val"):
        for name in names(split):
            data = dataset(name)
            facts, places = data.facts, {place.place for place in data.places}
            assert 100 < len(facts) < 250 and len({fact.id for fact in facts}) == len(facts)
            assert any(fact.r is None for fact in facts) and places - {fact.place for fact in facts}
            assert len({fact._replace(id=0) for fact in facts}) < len(facts)
            assert max(fact.m for fact in facts) > 5 * sorted(fact.m for fact in facts)[-2]


def test_the_shipped_tables_are_those_that_are_drawn() -> None:
    assert ship_tables.all_names() == data_sets()
    for name in data_sets():
        assert ship_tables.tables_of(name) == _tables(name)
