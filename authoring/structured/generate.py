"""Makes the tasks of `train` and `val` from the families, the same ones every time, and checks them.

    python -m authoring.structured.generate

rewrites `data/*.jsonl`. Each task is drawn from a seed of its own, so that a new family leaves the others as they are. `make`
gives any number of tasks of a family, also more than are shipped.
"""

from collections.abc import Iterable, Iterator
from itertools import count, islice
from random import Random
from typing import NamedTuple

import msgspec
from jsonschema import Draft202012Validator

from authoring.structured import (
    train_clubs,
    train_crafts,
    train_home,
    train_office,
    train_public,
    train_words,
    val_clubs,
    val_crafts,
    val_home,
    val_office,
    val_public,
    val_words,
)
from verigym.core.records import Message, Task, Trajectory
from verigym.core.seeds import derive
from verigym.environments.structured import DATA, cheats, gold
from verigym.environments.structured.forms import Family as Tell
from verigym.environments.structured.forms import messy
from verigym.environments.structured.verifier import structured_verifier
from verigym.tasks.load import ship

SEED = 7
EACH = {"train": 15, "val": 8}
"""Tasks of a family."""
MODULES = {
    "train": (train_office, train_home, train_public, train_clubs, train_crafts),
    "val": (val_office, val_home, val_public, val_clubs, val_crafts),
}
FAMILIES = {split: [tell for module in modules for tell in module.FAMILIES] for split, modules in MODULES.items()}
NOISE = {"train": train_words.NOISE, "val": val_words.NOISE}


class Family(NamedTuple):
    split: str
    tell: Tell

    @property
    def name(self) -> str:
        return f"structured/{self.split}/{self.tell.__name__}"


def families(split: str) -> list[Family]:
    return [Family(split, tell) for tell in FAMILIES[split]]


def generate(split: str) -> list[Task]:
    """All tasks, in an order in which any first few are a fair mixture."""
    made = [task for family in families(split) for task in islice(make(family), EACH[split])]
    return sorted(made, key=lambda task: derive(SEED, "order", task.id))


def make(family: Family) -> Iterator[Task]:
    for place in count(1):
        draw = Random(derive(SEED, family.name, place))
        document = family.tell(draw)
        schema = msgspec.json.encode(document.schema).decode()
        yield Task(
            id=f"{family.name}/{place}",
            prompt=f"Schema:\n{schema}\n\nText:\n{messy(draw, document.text, NOISE[family.split])}",
            data={"schema": document.schema, "gold": document.gold, "decoys": document.decoys},
            split=family.split,
            family=family.name,
            tags=[family.tell.__name__],
            lineage=[f"verigym.environments.structured.generate seed {SEED}"],
        )


def check(made: Iterable[Task]) -> None:
    """Stops at the first task whose right object does not fit its schema or does not pass, or where a cheat does."""
    for task in made:
        reasons = [error.message for error in Draft202012Validator(task.data["schema"]).iter_errors(task.data["gold"])]
        assert not reasons, f"{task.id}: the right object does not fit the schema: {reasons[0]}"
        assert _passes(task, gold(task)), f"{task.id}: the gold reply does not pass"
        for cheat in cheats(task):
            assert not _passes(task, cheat), f"{task.id}: {cheat!r} passes"


def _passes(task: Task, reply: str) -> bool:
    said = Trajectory(id="a", task=task.id, group="g", items=[Message("assistant", reply)])
    return structured_verifier(task, said).passed


def main() -> None:
    for split in ("train", "val"):
        made = generate(split)
        check(made)
        ship(DATA, split, made)


if __name__ == "__main__":
    main()
