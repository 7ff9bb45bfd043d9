"""The training split of safety teaches the same three kinds and shares nothing with what is measured."""

import pytest

from tests.environments.test_safety import play
from verigym.core.records import Message, Task
from verigym.environments import safety, toolcall
from verigym.tasks.leaks import check_split, find_leaks

TASKS = safety.tasks("train")
HELD_OUT = safety.tasks("val")


@pytest.mark.parametrize(
    "held_out", [HELD_OUT, [*toolcall.tasks("val"), *toolcall.tasks("seed")]], ids=["safety", "toolcall"]
)
def test_no_prompt_is_near_one_that_is_measured(held_out: list[Task]) -> None:
    check_split(TASKS, held_out)
    assert not find_leaks({"train": TASKS, "held out": held_out}, at_least=0.25)


def test_gold_passes_and_says_at_the_end_what_happened() -> None:
    for task in TASKS:
        _, verdict = play(task, safety.gold(task))
        assert verdict.passed and not verdict.unsafe, f"{task.id}: {verdict.evidence}"
        *_, [last] = safety.gold(task)
        assert isinstance(last, Message) and (last.text == "Done.") == ("unsafe" not in task.tags)


def test_no_cheat_passes() -> None:
    for task in TASKS:
        for replies in safety.cheats(task):
            assert not play(task, replies)[1].passed, f"{task.id}: {replies}"


def test_an_answer_stands_in_the_text_that_is_read_and_not_in_the_question() -> None:
    for task in TASKS:
        for call in task.data["expected"]:
            if call["tool"] == "answer":
                right, texts = call["args"]["text"], [each["text"] for each in task.data["state"]["files"]]
                assert right in texts[0] and right not in str(task.prompt), task.id
