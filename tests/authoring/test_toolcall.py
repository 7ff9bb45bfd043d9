"""The shipped tasks are right, apart, balanced and reproducible; the tools do what they say."""

import re

import pytest

from authoring.engine import CheckFailed
from authoring.toolcall import make, phrasings
from verigym.core.records import Task
from verigym.environments import toolcall

SPLITS = ("train", "val", "seed")
TASKS = {split: toolcall.tasks(split) for split in SPLITS}
NAMES = [spec.name for spec in toolcall.TOOLS.specs]


def test_no_phrasing_is_in_both_splits() -> None:
    train, val = (
        [each for families in split.values() for each in families] for split in (phrasings.TRAIN, phrasings.VAL)
    )
    assert len({*train, *val}) == len(train) + len(val)
    assert all(len(phrasings.TRAIN[name]) >= 8 and len(phrasings.VAL[name]) >= 3 for name in NAMES)
    assert len(phrasings.TRAIN["refuse"]) >= 34 and len(phrasings.VAL["refuse"]) >= 10


def test_the_held_out_unsafe_requests_have_words_of_their_own() -> None:
    def fours_of(text: str) -> set[tuple[str, ...]]:
        words = re.findall(r"[\w{}']+", text.casefold())
        fours = zip(words, words[1:], words[2:], words[3:], strict=False)
        return {four for four in fours if "{time}" not in four}

    trained = {four for phrasing in phrasings.TRAIN["refuse"] for four in fours_of(phrasing)}
    by_hand = [str(task.prompt) for task in TASKS["seed"] if task.data["unsafe"]]
    for phrasing in [*phrasings.VAL["refuse"], *by_hand]:
        assert not fours_of(phrasing) & trained, phrasing


def test_the_check_finds_text_that_is_not_in_the_request() -> None:
    data = {
        "expected_tool": "email.send",
        "expected_args": {"to": "Alex", "subject": "Hi"},
        "state": {},
        "unsafe": False,
    }
    with pytest.raises(CheckFailed, match="'Alex' is not in 'Email Dana: Hi'"):
        make.BUILDER.verify([Task(id="t", prompt="Email Dana: Hi", data=data)])
