"""Makes the tasks of `train` and `val` from the families, the same ones every time, and checks them.

    python -m authoring.data_analysis.generate

rewrites `data/*.jsonl`. Each task is drawn from a seed of its own, so that a new family leaves the others as they are. `make`
gives any number of tasks of a family, also more than are shipped, until it has no new question.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import count, islice
from random import Random
from typing import Any, NamedTuple

from authoring.data_analysis import held_out, train_deep, train_simple
from verigym.core.records import Json, Task
from verigym.core.seeds import derive
from verigym.environments.data_analysis import DATA, ENGINE_WORDS, worlds
from verigym.environments.data_analysis.asked import Asked, Redraw, Scene
from verigym.environments.data_analysis.engines import database
from verigym.environments.data_analysis.tables import ENGINES, dataset, names
from verigym.environments.data_analysis.verifier import chart_difference, same
from verigym.tasks.load import ship

SEED = 31
EACH = {"train": 10, "val": 6}
"""Tasks of a family."""
Tell = Callable[[Any], Asked]
FAMILIES: dict[str, dict[str, list[Tell]]] = {
    "train": {
        "aggregates": train_simple.AGGREGATES,
        "filters": train_simple.FILTERS,
        "dates": train_simple.DATES,
        "joins": train_simple.JOINS,
        "top": train_deep.TOP,
        "trends": train_deep.TRENDS,
        "outliers": train_deep.OUTLIERS,
        "missing": train_deep.MISSING,
        "duplicates": train_deep.DUPLICATES,
        "charts": train_deep.CHARTS,
    },
    "val": {topic: [*tells] for topic, tells in held_out.FAMILIES.items()},
}


class Family(NamedTuple):
    split: str
    topic: str
    tell: Tell
    world: str = ""
    """The name of the world it is about; none where it is about the businesses of `domains`."""

    @property
    def name(self) -> str:
        return f"data_analysis/{self.split}/{self.tell.__name__}"


def families(split: str) -> list[Family]:
    told = [Family(split, topic, tell) for topic, tells in FAMILIES[split].items() for tell in tells]
    for world in worlds.WORLDS[split]:
        told += [Family(split, topic, tell, world.name) for topic, tells in world.families.items() for tell in tells]
    return told


def generate(split: str) -> list[Task]:
    """All tasks, no prompt twice, as many of each family, in an order in which any first few are a fair mixture."""
    made = [task for family in families(split) for task in islice(make(family), EACH[split])]
    return sorted(made, key=lambda task: derive(SEED, "order", task.id))


def make(family: Family) -> Iterator[Task]:
    """Tasks of a family, until it has no new question."""
    seen: set[str] = set()
    misses = 0
    for place in count():
        draw = Random(derive(SEED, family.name, place))
        name = _data_set(family, draw, len(seen))
        try:
            asked = family.tell(worlds.look(name, draw) if family.world else Scene(name, draw))
        except Redraw:
            asked = None
        wordings = [] if asked is None else [asked.question] if isinstance(asked.question, str) else asked.question
        key = _prompt(family, name, wordings[0], 0) if wordings else ""
        if asked is None or key in seen:
            misses += 1
            if misses > 200:
                return
            continue
        prompt = _prompt(family, name, wordings[len(seen) % len(wordings)], len(seen))
        seen.add(key)
        misses = 0
        yield Task(
            id=f"{family.name}/{len(seen)}",
            prompt=prompt,
            data={"dataset": name, **_data(name, asked)},
            split=family.split,
            family=family.name,
            tags=[family.topic, name.split("-")[1]],
            lineage=[f"verigym.environments.data_analysis.generate seed {SEED}"],
        )


def _data_set(family: Family, draw: Random, num_made: int) -> str:
    """Of a world, the engines in turn; not all families begin with the same one."""
    if not family.world:
        return draw.choice(names(family.split))
    engine = ENGINES[(num_made + len(family.name)) % len(ENGINES)]
    return f"{family.world}-{engine}-{draw.choice(worlds.NUMBERS)}"


def _prompt(family: Family, name: str, question: str, num_made: int) -> str:
    """The question, and where the data are: after it, or before it with half of the tasks about a world."""
    if not family.world:
        return f"{question}\n{about(name, family.split)}"
    made = worlds.made(name)
    where = ENGINE_WORDS[made.engine]
    if family.split == "train":
        told = f"({made.world.story.capitalize()}, in {where}.)"
    else:
        told = f"Look into {where}: {made.world.story}."
    before = (num_made + num_made // 4) % 2  # now with one wording, now with another
    return f"{told}\n{question}" if before else f"{question}\n{told}"


def about(name: str, split: str) -> str:
    """Where the data of a business are, in words: the story, the time and the kind of data."""
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


def check(made: Iterable[Task]) -> None:
    """Stops at the first task whose query does not find what was computed from the rows."""
    for task in made:
        rows = [list(map(_cell, row)) for row in database(task.data["dataset"]).query(task.data["sql"]).rows]
        places, answer = task.data.get("places", 0), task.data["answer"]
        if (wanted := task.data.get("chart")) is not None:
            wrong = chart_difference({"kind": wanted["kind"], "points": rows}, wanted, places)
            assert not wrong, f"{task.id}: {wrong}"
        else:
            found = [row[0] for row in rows]
            right = same(found, answer, places, task.data.get("ordered", True))
            assert right, f"{task.id}: the query finds {found}, the rows say {answer}"
        given_away = not isinstance(answer, list) and same(task.prompt, answer, places)
        assert not given_away, f"{task.id}: the question is its answer"


def _cell(value: Any) -> Any:
    return value if isinstance(value, int | float) else str(value)


def main() -> None:
    for split in ("train", "val"):
        made = generate(split)
        check(made)
        ship(DATA, split, made)


if __name__ == "__main__":
    main()
