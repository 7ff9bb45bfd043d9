"""How held-out tasks differ from training tasks: wording, values and sequences of tools."""

import time
from typing import Any

import msgspec
import pytest

from tests.evaluation.builders import report
from verigym.core.errors import Refused
from verigym.core.records import FunctionCall, Task
from verigym.environments.load import load_environment
from verigym.evaluation.report import breakdown
from verigym.evaluation.shift import copied_arguments, shifts
from verigym.harness.environment import EnvironmentSpec

TOOLCALL = load_environment("toolcall")


def calls(*made: tuple[str, dict[str, Any]]) -> list[list[FunctionCall]]:
    return [[FunctionCall(f"c{i}", name, msgspec.json.encode(given).decode())] for i, (name, given) in enumerate(made)]


def desk(train: list[tuple[str, Any]], held_out: list[tuple[str, Any]]) -> tuple[EnvironmentSpec, list[Task]]:
    """An environment of requests with the calls that solve them."""
    tasks = {
        split: [
            Task(id=f"{split}{i}", prompt=prompt, split=split, data={"calls": i}) for i, (prompt, _) in enumerate(rows)
        ]
        for split, rows in (("train", train), ("val", held_out))
    }
    gold = {
        f"{split}{i}": made for split, rows in (("train", train), ("val", held_out)) for i, (_, made) in enumerate(rows)
    }
    spec = msgspec.structs.replace(
        TOOLCALL, name="desk", tasks=lambda split: tasks[split], gold=lambda task: gold[task.id]
    )
    return spec, tasks["val"]


def kinds(train: list[tuple[str, Any]], *held_out: tuple[str, Any]) -> list[list[str]]:
    spec, tasks = desk(train, [*held_out])
    return list(shifts(spec, tasks).values())


def test_wording_and_values_are_told_apart() -> None:
    mail = calls(("send", {"to": "Ada", "subject": "Rent"})), calls(("send", {"to": "Bo", "subject": "Rent"}))
    train = [('Hi, email Ada about "Rent". Thanks!', mail[0])]
    assert kinds(
        train,
        ('Email Ada about "Rent".', mail[0]),
        ('Quick one: email Bo about "Rent".', mail[1]),
        ('Write to Ada, subject "Rent".', mail[0]),
        ('Write to Bo, subject "Rent".', mail[1]),
    ) == [
        ["wording of training, values of training"],
        ["wording of training, new values"],
        ["new wording, values of training"],
        ["new wording, new values"],
    ]


def test_days_times_and_durations_are_values_in_any_wording() -> None:
    book = calls(("book", {"day": "Friday", "time": "15:30"}))
    train = [("Book the big room on Friday at 15:30.", book)]
    for words in (
        "Book the big room tomorrow at half past three in the afternoon.",
        "Book the big room in two days at 3 PM.",
        "Book the big room next Tuesday at noon.",
        "Book the big room on Monday at twenty-five past nine in the evening.",
    ):
        [[kind]] = kinds(train, (words, calls(("book", {"day": "x", "time": "y"}))))
        assert kind == "wording of training, new values", words
    snooze = [("Snooze it for 20 minutes.", calls(("snooze", {"minutes": 20})))]
    [[kind]] = kinds(snooze, ("Snooze it for an hour and a half.", calls(("snooze", {"minutes": 90}))))
    assert kind == "wording of training, new values"


def test_a_value_is_marked_only_where_it_stands_alone() -> None:
    train = [("Mark Ann as won now.", calls(("set", {"status": "won"})))]
    [[kind]] = kinds(train, ("Mark Ann as wonderful now.", calls(("set", {"status": "won"}))))
    assert kind.startswith("new wording")


def test_requests_without_values_and_sequences_of_tools_have_kinds_of_their_own() -> None:
    train = [
        ("Tell me all news.", calls(("news", {}))),
        ("Find Ada then call her.", calls(("find", {"who": "Ada"}), ("call", {"who": "Ada"}))),
    ]
    assert kinds(
        train,
        ("Tell me all news.", calls(("news", {}))),
        ("Ring Ada after a look.", calls(("find", {"who": "Ada"}), ("call", {"who": "Ada"}))),
        ("Ring Ada, then look.", calls(("call", {"who": "Ada"}), ("find", {"who": "Ada"}))),
    ) == [
        ["wording of training, no values", "sequence of tools of training"],
        ["new wording, values of training", "sequence of tools of training"],
        ["new wording, values of training", "new sequence of tools"],
    ]


def test_nested_and_odd_arguments_are_values() -> None:
    made = calls(("send", {"people": [{"name": "Ada"}, {"name": None}], "ok": True, "x": ""}))
    assert kinds([("Write to Ada now.", made)], ("Write to Ada now.", made)) == [
        ["wording of training, values of training"]
    ]


@pytest.mark.parametrize(("name", "words"), [("math", "no tool calls"), ("plain", "no tool calls")])
def test_tasks_without_calls_have_no_kind_of_shift(name: str, words: str) -> None:
    spec = load_environment(name)
    with pytest.raises(Refused, match=words):
        shifts(spec, spec.tasks("val")[:5])


def test_without_training_tasks_there_is_nothing_to_compare_with() -> None:
    spec, tasks = desk([], [("Tell me all news.", calls(("news", {})))])
    with pytest.raises(Refused, match="has no training tasks"):
        shifts(spec, tasks)


def test_every_held_out_task_of_toolcall_has_one_kind_and_long_text_takes_no_time() -> None:
    kinds = shifts(TOOLCALL, TOOLCALL.tasks("val"))
    assert len(kinds) == 400 and {len(kind) for kind in kinds.values()} == {1}
    assert {kind.partition(",")[0] for [kind] in kinds.values()} == {"new wording"}
    spec, tasks = desk([("a 1 " * 50_000, calls(("f", {"x": "a"})))], [("one two " * 50_000, calls(("f", {"x": "b"})))])
    begun = time.perf_counter()
    assert shifts(spec, tasks)
    assert time.perf_counter() - begun < 60


def test_arguments_that_training_always_copies_are_found() -> None:
    assert copied_arguments(TOOLCALL) == [
        *(
            "attendee",
            "company",
            "file",
            "folder",
            "name",
            "new_name",
            "person",
            "query",
            "subject",
            "text",
            "title",
            "to",
        )
    ]
    with pytest.raises(Refused, match="no argument is copied from the request in every training task"):
        copied_arguments(load_environment("math"))


def test_a_report_is_divided_by_given_names() -> None:
    of = report("agent", [1, 0, 1])
    names = {of.results[0].task: ["new"], of.results[1].task: ["old", "new"]}
    slices = {one.name: (one.tasks, one.success.value) for one in breakdown(of, "shift", names)}
    assert slices == {"old": (1, 0), "new": (2, 0.5), "(none)": (1, 1)}
