"""Rows of `data_analysis`, from the families of questions about the businesses and the worlds."""

from collections.abc import Callable, Iterator
from typing import Any

from authoring.data_analysis import (
    ship_tables,
    train_charts,
    train_data_quality,
    train_dates,
    train_joins,
    train_totals,
    val_questions,
    worlds,
)
from authoring.data_analysis.asked import Asked, Redraw, Scene
from authoring.data_analysis.tables import ENGINES, dataset, names
from authoring.engine import Builder, Draft, Family, Trial, Turn
from verigym.core.records import Json, Task
from verigym.environments.data_analysis import ENGINE_WORDS
from verigym.environments.data_analysis.engines import database
from verigym.environments.data_analysis.verifier import chart_difference, same

Tell = Callable[[Any], Asked]
FAMILIES: dict[str, dict[str, list[Tell]]] = {
    "train": {
        "aggregates": train_totals.AGGREGATES,
        "filters": train_totals.FILTERS,
        "dates": train_dates.DATES,
        "joins": train_joins.JOINS,
        "top": train_joins.TOP,
        "trends": train_dates.TRENDS,
        "outliers": train_data_quality.OUTLIERS,
        "missing": train_data_quality.MISSING,
        "duplicates": train_data_quality.DUPLICATES,
        "charts": train_charts.CHARTS,
    },
    "val": {topic: [*tells] for topic, tells in val_questions.FAMILIES.items()},
}


def families(split: str) -> list[Family]:
    """The topic of a family about a world is `world/topic`."""
    told = [(topic, tell) for topic, tells in FAMILIES[split].items() for tell in tells]
    for world in worlds.WORLDS[split]:
        told += [(f"{world.name}/{topic}", tell) for topic, tells in world.families.items() for tell in tells]
    return [Family(split, f"data_analysis/{split}/{tell.__name__}", tell, topic=topic) for topic, tell in told]


def draw(family: Family, turn: Turn) -> Draft | None:
    world, _, topic = family.topic.rpartition("/")
    if world:  # the engines take turns, and not all families begin with the same one
        engine = ENGINES[(turn.made + len(family.name)) % len(ENGINES)]
        name = f"{world}-{engine}-{turn.random.choice(worlds.NUMBERS)}"
    else:
        name = turn.random.choice(names(family.split))
    try:
        asked = family.source(worlds.look(name, turn.random) if world else Scene(name, turn.random))
    except Redraw:
        return None
    wordings = [asked.question] if isinstance(asked.question, str) else asked.question
    prompt = _world_prompt if world else _business_prompt
    return Draft(
        prompt=prompt(family.split, name, wordings[turn.made % len(wordings)], turn.made),
        data={"dataset": name, **_data(name, asked)},
        tags=[topic, name.split("-")[1]],
        key=prompt(family.split, name, wordings[0], 0),
    )


def _world_prompt(split: str, name: str, question: str, made: int) -> str:
    """The question, and before or after it where the data are."""
    data = worlds.made(name)
    where = ENGINE_WORDS[data.engine]
    story = data.world.story
    told = f"({story.capitalize()}, in {where}.)" if split == "train" else f"Look into {where}: {story}."
    before = (made + made // 4) % 2  # with every wording
    return f"{told}\n{question}" if before else f"{question}\n{told}"


def _business_prompt(split: str, name: str, question: str, made: int) -> str:
    return f"{question}\n{about(name, split)}"


def about(name: str, split: str) -> str:
    """Where the data of a business are: the story, the period and the engine."""
    data = dataset(name)
    first, last = data.facts[0].date, data.facts[-1].date
    words, where = data.domain, ENGINE_WORDS[data.engine]
    if split == "train":
        return f"({words.facts.capitalize()} of {words.story}, {first} to {last}, in {where}.)"
    return f"Look into {where}: {words.story}, {first} until {last}."


def _data(name: str, asked: Asked) -> Json:
    data: Json = {"answer": asked.answer, "sql": asked.sql}
    if asked.places:
        data["places"] = asked.places
    if not asked.ordered:
        data["ordered"] = False
    if asked.chart is not None:
        data |= {"chart": asked.chart, "axes": database(name).query(asked.sql).columns}
    if asked.look is not None:
        data["look"] = list(asked.look)
    return data


def check(task: Task, trial: Trial) -> Iterator[str]:
    """The query finds what was computed from the rows, and the question does not contain the answer."""
    rows = [list(map(_cell, row)) for row in database(task.data["dataset"]).query(task.data["sql"]).rows]
    places, answer = task.data.get("places", 0), task.data["answer"]
    if (wanted := task.data.get("chart")) is not None:
        if wrong := chart_difference({"kind": wanted["kind"], "points": rows}, wanted, places):
            yield wrong
    else:
        found = [row[0] for row in rows]
        if not same(found, answer, places, task.data.get("ordered", True)):
            yield f"the query finds {found}, and the rows give {answer}"
    if not isinstance(answer, list) and same(task.prompt, answer, places):
        yield "the question contains its answer"


def _cell(value: Any) -> Any:
    return value if isinstance(value, int | float) else str(value)


BUILDER = Builder(
    name="data_analysis", seed=31, sizes={"train": 10, "val": 6}, families=families, draw=draw, may_end_early=True,
    check=check, write_data=ship_tables.write,
)  # fmt: skip
