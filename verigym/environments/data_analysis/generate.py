"""Makes the tasks of `train` and `val` from the families, the same ones every time, and checks them.

    python -m verigym.environments.data_analysis.generate

rewrites `data/*.jsonl`. Each task is drawn from a seed of its own, so that a new family leaves the others as they are. `make`
gives any number of tasks of a family, also more than are shipped, until it has no new question.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import count, islice
from random import Random
from typing import Any, NamedTuple

from verigym.core.records import Json, Task
from verigym.core.seeds import derive
from verigym.environments.data_analysis import DATA, ENGINE_WORDS, held_out, train_deep, train_simple
from verigym.environments.data_analysis.asked import Asked, Redraw, Scene
from verigym.environments.data_analysis.engines import database
from verigym.environments.data_analysis.tables import dataset, names
from verigym.environments.data_analysis.verifier import chart_difference, same
from verigym.tasks.load import ship

SEED = 31
LEAST = {"train": 800, "val": 200}
Tell = Callable[[Scene], Asked]
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

    @property
    def name(self) -> str:
        return f"data_analysis/{self.split}/{self.tell.__name__}"


def families(split: str) -> list[Family]:
    return [Family(split, topic, tell) for topic, tells in FAMILIES[split].items() for tell in tells]


def generate(split: str) -> list[Task]:
    """All tasks, no prompt twice, as many of each family, in an order in which any first few are a fair mixture."""
    each = -(-LEAST[split] // len(families(split)))
    made = [task for family in families(split) for task in islice(make(family), each)]
    return sorted(made, key=lambda task: derive(SEED, "order", task.id))


def make(family: Family) -> Iterator[Task]:
    """Tasks of a family, until it has no new question."""
    seen: set[str] = set()
    misses = 0
    for place in count():
        draw = Random(derive(SEED, family.name, place))
        name = draw.choice(names(family.split))
        try:
            asked = family.tell(Scene(name, draw))
        except Redraw:
            asked = None
        prompt = f"{asked.question}\n{about(name, family.split)}" if asked else ""
        if asked is None or prompt in seen:
            misses += 1
            if misses > 200:
                return
            continue
        seen.add(prompt)
        misses = 0
        yield Task(
            id=f"{family.name}/{len(seen)}",
            prompt=prompt,
            data={"dataset": name, **_data(name, asked)},
            split=family.split,
            family=family.name,
            tags=[family.topic, dataset(name).engine],
            lineage=[f"verigym.environments.data_analysis.generate seed {SEED}"],
        )


def about(name: str, split: str) -> str:
    """Where the data are, in words: the story, the time and the kind of data."""
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
