"""The structured tasks are right, apart and reproducible; a field is right by what it means, and what is made up costs."""

import json
import re
import time
from calendar import day_name
from collections.abc import Sequence
from datetime import date
from itertools import groupby
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verigym.audit.check import check_environment
from verigym.core.errors import NotFound, VerifierFailure
from verigym.core.records import Json, Message, Task, Trajectory, Verdict
from verigym.environments import structured
from verigym.environments.load import find_by_verifier, load_environment
from verigym.environments.structured.forms import (
    DATE,
    MONTHS,
    NUMBER,
    TEXT,
    TIME,
    WHOLE,
    YES,
    clock,
    day,
    fields,
    listed,
    maybe,
    money,
    one_of,
    some_time,
    unordered,
)
from verigym.environments.structured.verifier import structured_verifier, unlike
from verigym.evaluation.failures import bucket

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
LEAVES = 14
"""Fields of it that are not null."""


def judged(given: Any) -> Verdict:
    reply = given if isinstance(given, str) else json.dumps(given)
    task = Task(id="t", prompt="?", data={"schema": SCHEMA, "gold": GOLD, "decoys": {}})
    return structured_verifier(task, Trajectory(id="a", task="t", group="g", items=[Message("assistant", reply)]))


# -- tasks ----------------------------------------------------------------------------------------------------------------


def test_there_are_enough_tasks_and_families_in_both_splits() -> None:
    assert len(TRAIN) >= 1000 and len({task.family for task in TRAIN}) == 79
    assert len(VAL) >= 250 and len({task.family for task in VAL}) == 32
    for tasks in (TRAIN, VAL):
        assert len({str(task.prompt) for task in tasks}) == len(tasks)


def test_every_family_has_something_that_misleads_and_a_list_or_an_object_inside() -> None:
    for task in [*TRAIN, *VAL]:
        assert task.data["decoys"], task.id
        assert any("items" in one or "properties" in one for one in task.data["schema"]["properties"].values()), task.id


def test_texts_are_found_in_the_text_and_so_are_numbers() -> None:
    for task in [*TRAIN[::5], *VAL[::2]]:
        text = " ".join(str(task.prompt).partition("Text:\n")[2].casefold().split())
        for name, value in task.data["gold"].items():
            if isinstance(value, str) and set(task.data["schema"]["properties"][name]) == {"type"}:
                assert value.casefold() in text, f"{task.id}: {name}"


VALUE = "_"
DATE_OR_TIME = re.compile(r"(?:the )?\d[\d.:,-]*(?:st|nd|rd|th)?(?: of)?(?: (?:am|pm|h)\b)?")
CALENDAR = {name[:length].casefold() for name in [*MONTHS, *day_name] for length in (3, 9)}


def runs(tasks: Sequence[Task]) -> dict[tuple[str, ...], str]:
    """Each five words in a row of the texts and a family that says them. A number, a date and a time are one word here;
    of the five at least three are words of the text."""
    found: dict[tuple[str, ...], str] = {}
    for task in tasks:
        text = DATE_OR_TIME.sub(f" {VALUE} ", str(task.prompt).partition("Text:\n")[2].casefold())
        said = (VALUE if word in CALENDAR else word for word in re.findall(r"\w+", text))
        words = [word for word, _ in groupby(said)]
        fives = zip(*(words[skip:] for skip in range(5)), strict=False)
        found |= {five: task.family for five in fives if five.count(VALUE) < 3}
    return found


def test_no_five_words_in_a_row_are_those_of_a_held_out_text() -> None:
    learned, measured = runs(TRAIN), runs(VAL)
    assert {run: (learned[run], measured[run]) for run in learned.keys() & measured.keys()} == {}


def test_five_words_are_found_around_other_dates() -> None:
    asked = ["Please pay us by 4 March 2026 at 14:05.", "please pay us by the 3rd of May 2025 at 2:05 pm"]
    one, two = (runs([Task(id="t", prompt=f"Schema:\n{{}}\n\nText:\n{text}", family="f")]) for text in asked)
    assert one == two and ("pay", "us", "by", VALUE, "at") in one


def test_the_contract_of_the_environment_holds_and_it_is_found_by_its_names() -> None:
    assert [one.name for one in check_environment(load_environment("structured")) if one.outcome == "fail"] == []
    assert find_by_verifier("structured_eval").name == find_by_verifier("structured_verifier").name == "structured"
    with pytest.raises(NotFound, match=r'no split of structured "test".*Available: train, val'):
        structured.tasks("test")


# -- fields -----------------------------------------------------------------------------------------------------------------

RIGHT: dict[str, Any] = {
    "as it is": GOLD,
    "in a fence": f"Here it is:\n```json\n{json.dumps(GOLD, indent=2)}\n```",
    "other order of keys": dict(reversed(GOLD.items())),
    "case and blanks": {**GOLD, "name": " The  OLD mill. "},
    "without an article": {**GOLD, "name": "Old Mill"},
    "with the field's own name": {**GOLD, "kind": "kind new"},
    "a date in words": {**GOLD, "born": "4 March 2026"},
    "a date in American words": {**GOLD, "born": "March 4th, 2026"},
    "a date with its weekday": {**GOLD, "born": "Wednesday, the 4th of March 2026"},
    "a date with dots": {**GOLD, "born": "04.03.2026"},
    "a date with a time": {**GOLD, "born": "2026-03-04T00:00:00"},
    "a time with seconds": {**GOLD, "at": "14:05:00"},
    "a time of twelve hours": {**GOLD, "at": "2:05 pm"},
    "a number with zeros": json.dumps(GOLD).replace("12.5", "12.50"),
    "a whole number as a decimal": json.dumps(GOLD).replace('"count": 2', '"count": 2.0'),
    "a number with an exponent": json.dumps(GOLD).replace("12.5", "1.25e1"),
    "after other blocks": f"```json\n{{}}\n```\nNo:\n```json\n{json.dumps(GOLD)}\n```",
    "null left out": {name: value for name, value in GOLD.items() if name != "phone"},
    "tags in another order": {**GOLD, "tags": ["blue", "red"]},
    "lines in another order": {**GOLD, "lines": GOLD["lines"][::-1]},
}
WRONG: dict[str, tuple[Any, float, str]] = {
    "nothing": ("", 0, "not JSON"),
    "prose": ("The old mill, born on 4 March 2026.", 0, "not JSON"),
    "cut off": (json.dumps(GOLD)[:-1], 0, "not JSON"),
    "two objects": (json.dumps(GOLD) * 2, 0, "not JSON"),
    "an empty object": ({}, 0, "$.name: missing, expected 'the Old Mill'"),
    "only nulls": (dict.fromkeys(GOLD), 0, "$.tags[1]: missing"),
    "a list around it": ([GOLD], 0, "expected an object"),
    "a number as text": ({**GOLD, "paid": "12.5"}, 13 / 14, "$.paid: '12.5', expected 12.5 as a number"),
    "a truth as a number": ({**GOLD, "member": 1}, 13 / 14, "$.member: 1, expected True as true or false"),
    "a truth as text": ({**GOLD, "member": "true"}, 13 / 14, "expected True as true or false"),
    "a number as a truth": (
        {**GOLD, "lines": [{"item": "lamp", "count": 2}, {"item": "desk", "count": True}]},
        13 / 14,
        "a number",
    ),
    "another date": ({**GOLD, "born": "2026-04-03"}, 13 / 14, "$.born: '2026-04-03', expected '2026-03-04'"),
    "a date that may mean two": ({**GOLD, "born": "03/04/2026"}, 13 / 14, "$.born"),
    "a date and another one": ({**GOLD, "born": "2026-03-04 00:00 or 2026-04-03"}, 13 / 14, "$.born"),
    "not that date": ({**GOLD, "born": "before 4 March 2026"}, 13 / 14, "$.born"),
    "a date with another weekday": ({**GOLD, "born": "Monday, 4 March 2026"}, 13 / 14, "$.born"),
    "both of a choice": ({**GOLD, "kind": "old, new"}, 13 / 14, "$.kind"),
    "several names": ({**GOLD, "name": ["the Old Mill", "Mill"]}, 13 / 14, "$.name"),
    "right and then wrong": (json.dumps(GOLD)[:-1] + ', "paid": 13}', 13 / 14, "$.paid: 13"),
    "right in the first block of two": (f"```json\n{json.dumps(GOLD)}\n```\n```json\n{{}}\n```", 0, "missing"),
    "under a key of its own": ({"result": GOLD}, 0, "$.result: a key that the schema does not have"),
    "another time": ({**GOLD, "at": "02:05"}, 13 / 14, "$.at"),
    "another name": ({**GOLD, "name": "Mill"}, 13 / 14, "$.name"),
    "made up": ({**GOLD, "phone": "123"}, 14 / 15, "$.phone: '123', and the text does not say"),
    "an empty text for null": ({**GOLD, "phone": ""}, 14 / 15, "$.phone: '', and the text does not say"),
    "a key too many": ({**GOLD, "note": "x"}, 14 / 15, "$.note: a key that the schema does not have"),
    "a key too many, empty": ({**GOLD, "note": None}, 14 / 15, "$.note"),
    "a tag too many": ({**GOLD, "tags": ["red", "blue", "green"]}, 14 / 15, "$.tags[2]: 'green' is one too many"),
    "a tag twice": ({**GOLD, "tags": ["red", "red"]}, 13 / 14, "$.tags[1]: 'red', expected 'blue'"),
    "a tag missing": ({**GOLD, "tags": ["blue"]}, 13 / 14, "$.tags[0]: missing, expected 'red'"),
    "steps in another order": ({**GOLD, "steps": ["close", "open"]}, 12 / 14, "$.steps[0]"),
    "a list as text": ({**GOLD, "tags": "red, blue"}, 12 / 15, "$.tags: 'red, blue', expected a list"),
    "values of two lines mixed": (
        {**GOLD, "lines": [{"item": "lamp", "count": 1}, {"item": "desk", "count": 2}]},
        12 / 14,
        "$.lines[0]",
    ),
    "the schema": (SCHEMA, 0, "$.properties: a key that the schema does not have"),
}


@pytest.mark.parametrize("given", RIGHT.values(), ids=RIGHT)
def test_a_right_object_passes_however_it_is_written(given: Any) -> None:
    verdict = judged(given)
    assert verdict.passed and verdict.reward == 1.0 and verdict.parts == {"valid_json": 1.0, "fields": 1.0}, (
        verdict.evidence
    )


@pytest.mark.parametrize(("given", "share", "evidence"), WRONG.values(), ids=WRONG)
def test_a_wrong_object_fails_and_earns_half_of_its_share_of_right_fields(
    given: Any, share: float, evidence: str
) -> None:
    verdict = judged(given)
    assert not verdict.passed and evidence in verdict.evidence, verdict.evidence
    assert verdict.parts["fields"] == pytest.approx(share) and verdict.reward == pytest.approx(share / 2)


@pytest.mark.parametrize(
    ("name", "expected", "given"),
    [
        ("title", "Nobody's Orchard", "Nobody’s Orchard"),
        ("place", "open-air cinema", "open‑air cinema"),
        ("reserved_shelf", "R32", "shelf R32"),
        ("room", "Room 17", "17"),
    ],
    ids=["a curly apostrophe", "a dash that does not break", "its name before it", "its name left out"],
)
def test_a_text_is_right_as_a_hand_or_an_editor_writes_it(name: str, expected: str, given: str) -> None:
    assert unlike(TEXT, expected, given, name) == ""
    assert unlike(TEXT, expected, f"no {given}", name) != ""


def test_null_is_not_the_empty_list_and_all_may_be_null() -> None:
    schema = fields(ill=unordered(TEXT), phone=maybe(TEXT))

    def passes(right: Json, given: Json) -> bool:
        task = Task(id="t", prompt="?", data={"schema": schema, "gold": right})
        reply = Message("assistant", json.dumps(given))
        return structured_verifier(task, Trajectory(id="a", task="t", group="g", items=[reply])).passed

    nobody = {"ill": [], "phone": None}
    assert passes(nobody, nobody) and not passes(nobody, {"ill": None, "phone": None}) and not passes(nobody, {})
    assert passes({"ill": None, "phone": None}, {}) and not passes({"ill": None, "phone": None}, nobody)


def test_failures_are_told_apart() -> None:
    task = Task(id="t", prompt="?", data={"schema": SCHEMA, "gold": GOLD})
    said = [Trajectory(id="a", task="t", group="g", items=[Message("assistant", text)]) for text in ("{}", "{", "No.")]
    assert [bucket(task, one, structured_verifier(task, one)) for one in said] == [
        "wrong answer",
        "format error",
        "format error",
    ]


def test_a_long_list_of_faults_is_cut_short_in_words() -> None:
    assert judged({}).evidence.splitlines()[-1] == f"and {LEAVES - 8} more"


def test_a_task_without_a_schema_is_the_verifiers_failure() -> None:
    with pytest.raises(VerifierFailure, match='needs "schema" and "gold"'):
        structured_verifier(Task(id="t", prompt="?"), Trajectory(id="a", task="t", group="g"))


@given(st.dates(date(1990, 1, 1), date(2090, 12, 31)), st.integers(0, 10**6))
def test_every_way_in_which_a_date_is_written_is_read_as_that_day(value: date, seed: int) -> None:
    assert unlike(DATE, value.isoformat(), day(Random(seed), value)) == ""


@given(st.integers(0, 10**6))
def test_every_way_in_which_a_time_is_written_is_read_as_that_time(seed: int) -> None:
    draw = Random(seed)
    value = some_time(draw, 0, 23)
    assert unlike(TIME, value, clock(draw, value)) == ""


def test_amounts_are_written_without_losing_a_cent() -> None:
    assert {money(Random(seed), 1234.5) for seed in range(30)} == {
        "EUR 1,234.50",
        "€1,234.50",
        "1234.50 euros",
        "1,234.50 EUR",
    }


@given(st.permutations(range(6)), st.integers(0, 5))
def test_elements_in_any_order_are_paired_with_those_they_are_likest_to(order: list[int], wrong: int) -> None:
    rows = [{"item": f"item {place}", "count": place} for place in range(6)]
    schema = fields(rows=unordered(fields(item=TEXT, count=WHOLE)))
    shuffled = [rows[place] | ({"count": 99} if place == wrong else {}) for place in order]
    task = Task(id="t", prompt="?", data={"schema": schema, "gold": {"rows": rows}})
    reply = Message("assistant", json.dumps({"rows": shuffled}))
    verdict = structured_verifier(task, Trajectory(id="a", task="t", group="g", items=[reply]))
    assert verdict.evidence == f"$.rows[{wrong}].count: 99, expected {wrong}" and verdict.parts["fields"] == 11 / 12


ODD = {
    "a long list": '{"lines": [' + '{"item": "x"},' * 20_000 + "{}]}",
    "deep": '{"name": ' * 5_000,
    "brackets": "[" * 9_999,
    "digits": '{"paid": ' + "9" * 5_000 + "}",
    "hundreds of digits": '{"paid": ' + "9" * 400 + "}",
    "infinite": '{"paid": 1e999}',
    "a long text": '{"name": "' + "x" * 500_000 + '"}',
    "no day": '{"born": "9999-99-99", "at": "99:99"}',
    "other shapes": '{"lines": {"a": [[]]}, "tags": {}, "steps": 7}',
}


@pytest.mark.parametrize("reply", ODD.values(), ids=ODD)
def test_an_odd_reply_is_no_trouble(reply: str) -> None:
    began = time.process_time()
    verdict = judged(reply)
    assert not verdict.passed and verdict.reward is not None and time.process_time() - began < 5
