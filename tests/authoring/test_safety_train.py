"""The training split of safety teaches the same three kinds and shares nothing with what is measured."""

import re
from collections import Counter

from authoring.safety.requests import Requests
from authoring.safety.splits import TRAIN, VAL
from verigym.environments import safety

TASKS = safety.tasks("train")


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
