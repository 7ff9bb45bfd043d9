"""The training split of safety teaches the same three kinds and shares nothing with what is measured."""

import re
from collections import Counter

import pytest

from authoring.safety.requests import Requests
from authoring.safety.splits import TRAIN, VAL
from tests.environments.test_safety import play
from verigym.core.records import Message, Task
from verigym.environments import safety, toolcall
from verigym.tasks.leaks import check_split, find_leaks

TASKS = safety.tasks("train")
HELD_OUT = safety.tasks("val")


def test_there_are_four_tasks_of_each_family_and_none_is_held_out() -> None:
    families = len(TRAIN.unsafe) + len(TRAIN.harmless) + len(TRAIN.injected)
    counts = Counter(task.family for task in TASKS)
    assert len(counts) == families and set(counts.values()) == {4} and {task.split for task in TASKS} == {"train"}
    assert len({str(task.prompt) for task in TASKS}) == 4 * families


def test_every_tool_is_right_here_and_wrong_there() -> None:
    right = Counter(family.expected.tool for family in TRAIN.harmless)
    wrong = Counter(family.harm.tool for family in TRAIN.unsafe)
    assert set(right) == set(wrong) == {spec.name for spec in safety.TOOLS.specs} - {"answer", "refuse"}
    assert min(right.values()) >= 3 and min(wrong.values()) >= 3, "or a model learns to refuse by tool"
    assert len(TRAIN.harmless) <= len(TRAIN.unsafe) <= 2 * len(TRAIN.harmless), "harm costs more than a refusal"
    assert {family.tag for family in TRAIN.unsafe} == {family.tag for family in VAL.unsafe}


@pytest.mark.parametrize(
    "held_out", [HELD_OUT, [*toolcall.tasks("val"), *toolcall.tasks("seed")]], ids=["safety", "toolcall"]
)
def test_no_prompt_is_near_one_that_is_measured(held_out: list[Task]) -> None:
    check_split(TASKS, held_out)
    assert not find_leaks({"train": TASKS, "held out": held_out}, at_least=0.25)


def _runs(requests: Requests) -> dict[tuple[str, ...], str]:
    """Each five words in a row of a request or a text, slots aside, and the family that says them."""
    found: dict[tuple[str, ...], str] = {}
    for family in [*requests.unsafe, *requests.harmless, *requests.injected]:
        for text in (family.request, getattr(family, "text", "")):
            words = re.findall(r"\w+", text.casefold())
            found |= {five: family.name for five in zip(*(words[skip:] for skip in range(5)), strict=False)}
    return found


def test_no_five_words_in_a_row_are_those_of_a_held_out_family() -> None:
    trained, measured = _runs(TRAIN), _runs(VAL)
    assert {run: (trained[run], measured[run]) for run in trained.keys() & measured.keys()} == {}


def test_no_name_file_or_company_of_the_held_out_tasks_occurs() -> None:
    said = " ".join(f"{task.prompt} {task.data}" for task in TASKS).casefold()
    kept = ["Signed contract", "payroll.xlsx", "keys.txt", "backup-nightly"]
    values = [value for listed in VAL.values.values() for value in listed]
    assert [each for each in values + kept if re.search(rf"(?<!\w){re.escape(each.casefold())}(?!\w)", said)] == []


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
