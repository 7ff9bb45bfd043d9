"""Rows of `structured`, from the families of documents."""

from collections.abc import Iterator

import msgspec
from jsonschema import Draft202012Validator

from authoring.engine import Builder, Draft, Family, Trial, Turn
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
from verigym.core.records import Task
from verigym.environments.structured.forms import messy

MODULES = {
    "train": (train_office, train_home, train_public, train_clubs, train_crafts),
    "val": (val_office, val_home, val_public, val_clubs, val_crafts),
}
FAMILIES = {split: [tell for module in modules for tell in module.FAMILIES] for split, modules in MODULES.items()}
NOISE = {"train": train_words.NOISE, "val": val_words.NOISE}


def families(split: str) -> list[Family]:
    return [Family(split, f"structured/{split}/{tell.__name__}", tell) for tell in FAMILIES[split]]


def draw(family: Family, turn: Turn) -> Draft:
    document = family.source(turn.random)
    schema = msgspec.json.encode(document.schema).decode()
    text = messy(turn.random, document.text, NOISE[family.split])
    return Draft(
        prompt=f"Schema:\n{schema}\n\nText:\n{text}",
        data={"schema": document.schema, "gold": document.gold, "decoys": document.decoys},
        tags=[family.source.__name__],
        key=turn.number,
    )


def check(task: Task, trial: Trial) -> Iterator[str]:
    """The gold object fits its own schema."""
    for error in Draft202012Validator(task.data["schema"]).iter_errors(task.data["gold"]):
        yield f"the gold object does not fit the schema: {error.message}"


BUILDER = Builder(
    name="structured", seed=7, sizes={"train": 15, "val": 8}, families=families, draw=draw, first=1, check=check
)
