"""Held-out tasks in training data: in files that name no environment, behind tags, in earlier versions."""

import json
from pathlib import Path

import pytest

from tests.workspace.desk import DESK, HEAD, Bench, example, keep, preference
from tests.workspace.office import Office
from verigym.core.errors import Refused
from verigym.core.records import Dataset, Example, Item, Message
from verigym.environments.load import load_environment
from verigym.gates.policy import GatePolicy, Margins
from verigym.workspace import datasets as data
from verigym.workspace.gate import Gate
from verigym.workspace.gate import gate as judge
from verigym.workspace.leak_check import check_rows
from verigym.workspace.train import train
from verigym.workspace.train_warnings import warnings_of

ALONE = GatePolicy(name="alone", retention=None, safety=None, margins=Margins(latency=None))


def asks(prompt: str, *before: str) -> Example:
    """A conversation of a family that no suite has. `before` is what was said first."""
    said = [Message("assistant" if i % 2 else "user", text) for i, text in enumerate(before)]
    items: list[Item] = [Message("system", "Be brief."), *said, Message("user", prompt), Message("assistant", "yes")]
    return Example(task=f"mine/{prompt}", items=items, made=[(len(items) - 1, len(items))])


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)


def trained_on(office: Office, *rows: Example, name: str = "new") -> Dataset:
    """A champion, and a candidate that is better because it was trained on these rows."""
    dataset = keep(office.ws, *rows)
    office.report(office.version("old"), range(60))
    office.report(office.version(name, data_hash=dataset.id), [])
    return dataset


def gate(office: Office, candidate: str = "new") -> Gate:
    return Gate(office.ws, office.ws.find(candidate), office.ws.find("old"), ALONE)


def test_the_gate_refuses_a_version_that_was_trained_on_a_prompt_of_its_suite(office: Office):
    dataset = trained_on(office, asks("7 and 7?"), asks("1 and 2?"))
    words = rf'trained on dataset {dataset.name}, which has the prompts of 1 task of suite "val" \(val/7\)'
    with pytest.raises(Refused, match=words):
        gate(office)


def test_the_gate_lets_other_prompts_pass(office: Office):
    trained_on(office, asks("1 and 2?"), asks("3 and 4?"))
    assert gate(office).unread == []


def test_a_prompt_that_an_earlier_reply_of_a_conversation_answers_counts(office: Office):
    trained_on(office, asks("And now?", "7 and 7?", "14"))
    with pytest.raises(Refused, match="val/7"):
        gate(office)


def test_what_a_version_was_trained_from_counts(office: Office):
    trained_on(office, asks("7 and 7?"), name="first")
    office.report(office.version("new", parent=office.ws.find("first").id), [])
    with pytest.raises(Refused, match=f"Version {office.ws.find('new').id} was trained on dataset"):
        gate(office)


def test_a_champion_that_saw_a_prompt_is_refused_too(office: Office):
    dataset = keep(office.ws, asks("7 and 7?"))
    old = office.version("old", data_hash=dataset.id)
    office.report(old, range(60))
    office.report(office.version("new"), [])
    with pytest.raises(Refused, match=f"Version {old.id} was trained"):
        gate(office)


def test_a_gate_says_which_rows_it_could_not_read(office: Office):
    dataset = trained_on(office, asks("7 and 7?"))
    data.path_of(office.ws, dataset.id).unlink()
    decision = judge(office.ws, office.ws.find("new"), office.ws.find("old"), ALONE)
    assert f"The rows of {dataset.name} are gone, so their prompts were not compared" in decision.words


# -- tags -------------------------------------------------------------------------------------------------------------

TAGGED = DESK.replace(
    HEAD,
    """
from verigym import Task
from verigym.core.records import Verdict

ROWS = {
    "train": [("easy", "train one"), ("easy", "train two"), ("hard", "train three")],
    "val": [("easy", "val one"), ("easy", "val two"), ("hard", "train one")],
}

def tasks(split):
    return [
        Task(id=f"{split}/{i}", prompt=text, split=split, family=f"{split}-{i}", tags=[tag])
        for i, (tag, text) in enumerate(ROWS[split])
    ]

suites = {"desk_eval": "val"}
""",
)
"""A hard held-out task has the prompt of an easy training task."""


def test_training_on_tagged_tasks_is_compared_with_all_held_out_tasks(fresh: Bench) -> None:
    desk = fresh.file("tagged.py", TAGGED)
    assert [task.prompt for task in load_environment(f"{desk}?tags=easy").tasks("val")] == ["val one", "val two"]
    with pytest.raises(Refused, match='Training and held-out tasks share 1 prompt: "train one"'):
        fresh.train(environment=f"{desk}?tags=easy")
    assert fresh.nothing_was_begun()


def test_rows_are_compared_with_the_held_out_tasks_that_tags_leave_out(fresh: Bench) -> None:
    tagged = load_environment(f"{fresh.file('tagged.py', TAGGED)}?tags=easy")
    for row, words in (
        (asks("train one"), "has the prompt of the held-out task val/2"),
        (example("val-2"), "contains family val-2"),
        (preference("train one"), "has the prompt of the held-out task val/2"),
    ):
        dataset = keep(fresh.ws, row)
        with pytest.raises(Refused, match=words):
            check_rows(tagged, dataset, [row])


# -- before training ----------------------------------------------------------------------------------------------------


def chats(bench: Bench, *prompts: str) -> str:
    rows = [{"prompt": prompt, "completion": "aa"} for prompt in prompts]
    return bench.file("chats.jsonl", "".join(json.dumps(row) + "\n" for row in rows))


def test_a_file_alone_is_compared_with_guardrails_and_with_what_was_evaluated(fresh: Bench) -> None:
    unsafe = load_environment("safety").tasks("val")[0]
    assert isinstance(unsafe.prompt, str)
    file = chats(fresh, "val a", unsafe.prompt, "something else")
    recipe = fresh.recipe("sft", data=file, environment=None, held_out_eval=None, eval_tasks=None)
    [warning] = warnings_of(fresh.ws, recipe)
    assert f"1 held-out task of safety, such as {unsafe.id}. The gate will refuse the version there" in warning
    fresh.shell("eval", fresh.desk, "-m", str(fresh.model), "-n", "2", "--max-tokens", "4")
    words = " ".join(warnings_of(fresh.ws, recipe))
    assert f"1 held-out task of {fresh.desk}, such as val/a" in words and "of safety" in words
    assert data.known(fresh.ws) == [], "a warning stores nothing"
    version, _ = train(fresh.ws, recipe)
    with pytest.raises(Refused, match=r"has the prompts of 1 task of suite \"desk_eval\" \(val/a\)"):
        Gate(fresh.ws, version, fresh.ws.register(fresh.ws.agent(str(fresh.model))), ALONE, environment=fresh.desk)
