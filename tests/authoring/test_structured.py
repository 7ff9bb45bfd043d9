"""The structured tasks are right, apart and reproducible; a field is right by what it means, and what is made up costs."""

import json
from itertools import islice
from random import Random

import pytest

from authoring.engine import CheckFailed
from authoring.structured import make, train_clubs, train_office, train_words, val_clubs, val_words
from verigym.core.records import Json, Task
from verigym.environments import structured
from verigym.environments.structured.forms import (
    DATE,
    NUMBER,
    TEXT,
    TIME,
    WHOLE,
    YES,
    fields,
    listed,
    maybe,
    one_of,
    unordered,
)
from verigym.tasks.leaks import find_leaks

TRAIN, VAL = structured.tasks("train"), structured.tasks("val")
SCHEMA = fields(
    name=TEXT,
    born=DATE,
    at=TIME,
    paid=NUMBER,
    member=YES,
    kind=one_of("old", "new"),
    phone=maybe(TEXT),
    tags=unordered(TEXT),
    steps=listed(TEXT),
    lines=unordered(fields(item=TEXT, count=WHOLE)),
)
GOLD: Json = {
    "name": "the Old Mill",
    "born": "2026-03-04",
    "at": "14:05",
    "paid": 12.5,
    "member": True,
    "kind": "new",
    "phone": None,
    "tags": ["red", "blue"],
    "steps": ["open", "close"],
    "lines": [{"item": "lamp", "count": 2}, {"item": "desk", "count": 1}],
}


def test_the_check_finds_an_object_that_does_not_fit_and_a_decoy_that_is_right() -> None:
    with pytest.raises(CheckFailed, match="does not fit the schema"):
        make.BUILDER.verify(
            [Task(id="t", prompt="?", data={"schema": SCHEMA, "gold": {**GOLD, "paid": "12"}, "decoys": {}})]
        )
    with pytest.raises(CheckFailed, match="passes"):
        make.BUILDER.verify(
            [Task(id="t", prompt="?", data={"schema": SCHEMA, "gold": GOLD, "decoys": {"tags": ["blue", "red"]}})]
        )


def test_held_out_tasks_share_no_family_name_schema_or_near_wording_with_those_to_learn_from() -> None:
    learned = {
        word
        for name in [*train_words.COLLEAGUES, *train_words.PEOPLE, *train_words.FIRST_NAMES]
        for word in name.split()
    }
    measured = {
        word for name in [*val_words.GUESTS, *val_words.PEOPLE, *val_words.FIRST_NAMES] for word in name.split()
    }
    assert not learned & measured and not set(train_words.NOISE) & set(val_words.NOISE)
    schemas = [{json.dumps(task.data["schema"]) for task in tasks} for tasks in (TRAIN, VAL)]
    assert not schemas[0] & schemas[1]
    assert not find_leaks({"train": TRAIN, "val": VAL}, 0.7)


def test_what_the_texts_tell_can_be_true() -> None:
    drawn = {
        tell.__name__: [tell(Random(seed)).gold for seed in range(200)]
        for tell in (train_office.meeting_notes, train_office.expenses, train_office.phone_note, train_clubs.cash_book)
    }
    for notes in drawn["meeting_notes"]:
        assert all(one["by"] is None or one["by"] > notes["date"] for one in notes["actions"])
    assert all((trip["advance"] or 0) < trip["total"] for trip in drawn["expenses"])
    assert all(note["taken_at"] < note["call_back"]["time"] for note in drawn["phone_note"])
    assert all(book["closing"] > 0 for book in drawn["cash_book"])
    for race in (val_clubs.race_result(Random(seed)).gold for seed in range(200)):
        assert all(150 < one["seconds"] / race["distance_km"] < 300 for one in race["podium"])


def test_a_family_has_more_tasks_than_are_shipped() -> None:
    family = make.families("val")[0]
    assert len({str(task.prompt) for task in islice(make.BUILDER.stream(family), 100)}) == 100
