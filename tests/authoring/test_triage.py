"""The triage tasks are right, apart and reproducible; an alert is judged by its facts, which have to be read before acting."""

import re
from itertools import islice
from string import Formatter

import msgspec
import pytest

from authoring.engine import CheckFailed
from authoring.triage import companies, make
from verigym.environments import triage
from verigym.environments.triage import HARMLESS
from verigym.tasks.leaks import find_leaks

TRAIN, VAL = triage.tasks("train"), triage.tasks("val")


def test_the_check_finds_a_wrong_solution_and_a_name_out_of_thin_air() -> None:
    task = next(task for task in TRAIN if "incident" in task.tags)
    calls = task.data["expected_calls"]
    wrong = msgspec.structs.replace(task, data={**task.data, "expected_calls": calls[:-1]})
    with pytest.raises(CheckFailed, match="does not pass"):
        make.BUILDER.verify([wrong])
    with pytest.raises(CheckFailed, match="which nothing has shown"):
        make.BUILDER.verify([msgspec.structs.replace(task, prompt="Alert!")])


def test_the_same_alert_is_an_incident_in_one_world_and_harmless_in_another() -> None:
    for split in ("train", "val"):
        for family in make.families(split):
            kinds = {ending.verdict in HARMLESS for ending in family.source.endings}
            assert kinds == {True, False}, family.name


def test_an_alert_has_several_wordings_which_name_the_same_things() -> None:
    things = {"host", "host2", "host3", "user", "user2", "user3", "address", "address2"}
    for split, least in (("train", 4), ("val", 3)):
        for family in make.families(split):
            named = [{field for _, field, _, _ in Formatter().parse(text)} & things for text in family.source.alerts]
            assert len(set(family.source.alerts)) >= least, family.name
            assert all(names == named[0] for names in named), family.name


def test_what_stands_beside_the_proof_is_not_needed() -> None:
    for split in ("train", "val"):
        for family in make.families(split):
            for ending in family.source.endings:
                assert not set(ending.beside) & set(ending.proof), family.name
    task = next(task for task in TRAIN if task.family == "triage/train/new_agent" and "incident" in task.tags)
    assert "agent" in str(task.data["facts"]["changes"])
    assert [tool for tool, _ in task.data["deciding"]] == ["processes.list"]


def test_held_out_tasks_share_no_name_case_or_near_wording_with_those_to_learn_from() -> None:
    for field in (
        "people",
        "cities",
        "far",
        "servers",
        "files",
        "jobs",
        "past",
        "changes",
        "bad",
        "unknown",
        "host_notes",
        "user_notes",
    ):
        assert not set(getattr(companies.TRAIN, field)) & set(getattr(companies.VAL, field)), field
    cases = [
        {(family.source.name, family.source.rule) for family in make.families(split)} for split in ("train", "val")
    ]
    assert not cases[0] & cases[1]
    assert not find_leaks({"train": TRAIN, "val": VAL}, 0.6)


def own_words(split: str) -> set[tuple[str, ...]]:
    """Five words in a row of all that the cases of a split and its company say."""
    texts = [text for field in make.COMPANIES[split] if isinstance(field, tuple) for text in field]
    for family in make.families(split):
        case = family.source
        told = [text for ending in case.endings for given in (ending.proof, ending.beside) for text in given.values()]
        texts += [case.rule, *case.alerts, *told]
    rows = [re.findall(r"[\w{}']+", text.lower()) for text in texts]
    return {tuple(row[place : place + 5]) for row in rows for place in range(len(row) - 4)}


def test_no_five_words_of_a_case_to_learn_from_stand_in_a_held_out_one() -> None:
    assert not own_words("train") & own_words("val")


def test_a_family_has_more_tasks_than_are_shipped() -> None:
    family = make.families("val")[0]
    assert len({str(task.prompt) for task in islice(make.BUILDER.stream(family), 100)}) == 100
