"""The retention tasks are right, apart and reproducible; a reply passes when it is right, and not when it only looks so."""

import hashlib

import pytest

from verigym.audit.check import check_environment
from verigym.core.errors import NotFound, VerifierFailure
from verigym.core.records import FunctionCall, Item, Json, Message, Task, Trajectory, Verdict
from verigym.environments import plain, retention, shipped
from verigym.environments.load import find_by_verifier, load_environment
from verigym.environments.retention.rules import RULES, asked_of, retention_verifier
from verigym.evaluation.suites import pick
from verigym.tasks.near_duplicates import likes

TASKS = retention.tasks("val")


def judged(data: Json, reply: str | list[Item], prompt: str = "Do it.") -> Verdict:
    items: list[Item] = [Message("assistant", reply)] if isinstance(reply, str) else reply
    task = Task(id="t", prompt=prompt, data=data)
    return retention_verifier(task, Trajectory(id="a", task="t", group="g", items=items))


def test_what_is_measured_stays_as_it_was() -> None:
    """Reports of older versions were made on these very tasks. Families that were added later follow them."""
    first = b"".join(shipped.rows("retention", "val").splitlines(keepends=True)[:240])
    digest = hashlib.sha256(first).hexdigest()
    assert digest == "e2fa5cf62680c4ed167cac9bcb0f3ab59ef5b25ce58a46dc4a1a923ca7aa939b"


@pytest.mark.parametrize(("num_tasks", "num_families"), [(480, 480), (960, 480)])
def test_a_choice_has_one_task_of_each_family_before_a_second_one(num_tasks: int, num_families: int) -> None:
    chosen = pick(TASKS, num_tasks, 0)
    assert len(chosen) == num_tasks and len({task.family for task in chosen}) == num_families


def test_no_question_is_near_one_that_plain_trains_on() -> None:
    prompts = [task.prompt for task in plain.tasks("train") if isinstance(task.prompt, list)]
    trained = {item.text.casefold() for prompt in prompts for item in prompt if isinstance(item, Message)}
    trained |= {task.prompt.casefold() for task in plain.tasks("train") if isinstance(task.prompt, str)}
    similar = likes([asked_of(task).casefold() for task in TASKS], sorted(trained), at_least=0.5)
    assert len(trained) > 200 and [task.id for task, near in zip(TASKS, similar, strict=True) if near] == []


def test_every_rule_is_used_and_every_task_has_a_known_one() -> None:
    assert {task.data["rule"] for task in TASKS} == set(RULES)


def test_an_example_that_stands_before_the_question_is_another_question_with_its_right_answer() -> None:
    for task in TASKS:
        if isinstance(task.prompt, str):
            continue
        texts = [item.text for item in task.prompt if isinstance(item, Message)]
        assert len(texts) == 5 and texts[-1] not in texts[:-1], task.id


def test_the_contract_of_the_environment_holds_and_it_is_found_by_its_names() -> None:
    found = check_environment(load_environment("retention"))
    assert [one.name for one in found if one.outcome == "fail"] == []
    assert find_by_verifier("retention_eval").name == find_by_verifier("retention_verifier").name == "retention"


@pytest.mark.parametrize(
    ("data", "reply"),
    [
        ({"rule": "number", "answer": 42}, "21 + 21 = 42."),
        ({"rule": "number", "answer": 42}, "Answer: 42, because 6 times 7 makes that."),
        ({"rule": "options", "answer": "Ada", "others": ["Nils"]}, "It was Ada who baked it."),
        ({"rule": "options", "answer": "no", "others": ["yes"]}, "No."),
        ({"rule": "words", "answer": "red-blue"}, '"Red-Blue".'),
        ({"rule": "exact", "answer": "DRUM"}, "**DRUM**"),
        ({"rule": "exact", "answer": "[drum]"}, "[drum]."),
        ({"rule": "commas", "answer": ["a", "b"]}, "A, b."),
        ({"rule": "lines", "answer": ["a", "b"], "begin": "-"}, "* a\n* b\n"),
        ({"rule": "lines", "answer": ["a", "b"], "begin": "1."}, "1) a\n2) b"),
        ({"rule": "lines", "answer": ["a", "b"], "begin": ""}, "a\n\nb"),
        ({"rule": "json", "answer": {"age": 5}}, 'Here:\n```json\n{"age": 5}\n```'),
        ({"rule": "sentence", "answer": "drum"}, "He hit the drum twice."),
    ],
)
def test_what_models_put_around_a_right_answer_is_tolerated(data: Json, reply: str) -> None:
    verdict = judged(data, reply)
    assert verdict.passed and verdict.parts == {"valid": 1.0}, verdict.evidence


@pytest.mark.parametrize(
    ("data", "reply", "valid"),
    [
        ({"rule": "number", "answer": 42}, "42 or 43", True),
        ({"rule": "number", "answer": 42}, "forty-two", False),
        ({"rule": "number", "answer": 42}, '{"tool": "answer", "args": {"text": "42"}}', False),
        ({"rule": "options", "answer": "Ada", "others": ["Nils"]}, "Ada or Nils", False),
        ({"rule": "options", "answer": "Ada", "others": ["Nils"]}, "Adam", False),
        ({"rule": "options", "answer": "Ada", "others": ["Nils"]}, "well " * 30 + "Ada", False),
        ({"rule": "options", "answer": "yes", "others": ["no"]}, "Yes and no.", False),
        ({"rule": "words", "answer": "drum"}, "The word is drum", False),
        ({"rule": "words", "answer": "drum"}, "flute", True),
        ({"rule": "exact", "answer": "DRUM"}, "drum", True),
        ({"rule": "exact", "answer": "[drum]"}, "drum", True),
        ({"rule": "commas", "answer": ["a", "b"]}, "b, a", True),
        ({"rule": "commas", "answer": ["a", "b"]}, "a b", False),
        ({"rule": "lines", "answer": ["a", "b"], "begin": "-"}, "a\nb", False),
        ({"rule": "lines", "answer": ["a", "b"], "begin": "1."}, "1. a\n1. b", False),
        ({"rule": "lines", "answer": ["a", "b"], "begin": ""}, "- a\n- b", False),
        ({"rule": "json", "answer": {"age": 5}}, '{"age": 5, "name": "Zoe"}', True),
        ({"rule": "json", "answer": {"age": 5}}, "[5]", False),
        ({"rule": "json", "answer": {"age": 5}}, "{" * 5000, False),
        ({"rule": "sentence", "answer": "drum"}, "Drum.", False),
        ({"rule": "sentence", "answer": "drum"}, "He hit the drums twice.", True),
        ({"rule": "sentence", "answer": "drum"}, "Write one sentence with drum in it.", False),
    ],
)
def test_a_wrong_answer_and_one_that_hedges_do_not_pass(data: Json, reply: str, valid: bool) -> None:
    verdict = judged(data, reply, prompt="Write one sentence with drum in it.")
    assert not verdict.passed and verdict.parts == {"valid": float(valid)}


@pytest.mark.parametrize(
    "reply", ["", " \n", "\x00", "🙂" * 50, "x" * 100_000], ids=["empty", "space", "nul", "smile", "long"]
)
def test_no_rule_breaks_over_an_odd_reply(reply: str) -> None:
    for task in TASKS[:60]:
        assert not judged(task.data, reply).passed


def test_a_native_call_is_no_answer() -> None:
    call = FunctionCall("c", "answer", '{"text": "42"}')
    verdict = judged({"rule": "number", "answer": 42}, [Message("assistant", "42"), call])
    assert not verdict.passed and verdict.parts["valid"] == 0.0


def test_an_unknown_rule_is_the_verifiers_failure_and_an_unknown_split_is_named() -> None:
    with pytest.raises(VerifierFailure, match=r"of number, options.*not 'guess'"):
        judged({"rule": "guess", "answer": 1}, "1")
    with pytest.raises(NotFound, match=r'no split of retention "test".*Available: val'):
        retention.tasks("test")


def test_a_denied_option_and_a_value_of_another_type_fail() -> None:
    option = {"rule": "options", "answer": "red", "others": ["blue"]}
    assert judged(option, "It is red.").passed and not judged(option, "It is not red.").passed
    value = {"rule": "json", "answer": {"n": 1, "ok": True}}
    assert judged(value, '{"n": 1, "ok": true}').passed and not judged(value, '{"n": true, "ok": 1}').passed
