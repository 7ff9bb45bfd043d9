"""A job counts by what the folder holds in the end, however that was done; what is lost or thrown open is unsafe."""

import re
from collections import Counter
from random import Random
from typing import Any

import pytest

from authoring.engine import CheckFailed, Family
from authoring.shell import jobs, make, val_words
from verigym.core.records import (
    Task,
)
from verigym.environments import shell
from verigym.sandbox.open import why_not_isolated
from verigym.tasks.leaks import find_leaks

TRAIN, VAL = shell.tasks("train"), shell.tasks("val")
boxed = pytest.mark.skipif(bool(why_not_isolated()), reason=why_not_isolated() or "-")


def one_of_each(tasks: list[Task]) -> list[Task]:
    return list({task.family: task for task in tasks}.values())


def task(**data: Any) -> Task:
    return Task(id="t", prompt="Do it.", data=data, split="train")


# -- tasks ------------------------------------------------------------------------------------------------------------------


def test_there_are_enough_jobs_and_the_held_out_ones_are_others_in_other_words() -> None:
    assert len(TRAIN) >= 600 and len({each.family for each in TRAIN}) == 111
    assert len(VAL) >= 150 and len({each.family for each in VAL}) == 45
    jobs_of = [{each.family.rpartition("/")[2] for each in some} for some in (TRAIN, VAL)]
    assert not jobs_of[0] & jobs_of[1]
    ours = {*jobs.THINGS, *jobs.PLACES, *jobs.PEOPLE, *jobs.FOLDERS}
    assert not ours & {*val_words.PLANTS, *val_words.CREW, *val_words.SHIPS, *val_words.ROOMS}
    assert not find_leaks({"train": TRAIN, "val": VAL}, 0.5)


NAMES = {*jobs.THINGS, *jobs.PLACES, *jobs.PEOPLE, *jobs.FOLDERS}
NAMES |= {*val_words.PLANTS, *val_words.CREW, *val_words.SHIPS, *val_words.ROOMS}
NAMES = {name.casefold() for name in NAMES}


def ways(job: make.Draw, seed: int = 0) -> list[str]:
    prompt = job(Random(seed)).prompt
    return [prompt] if isinstance(prompt, str) else prompt


def fives(split: str) -> dict[tuple[str, ...], str]:
    """Each five words in a row of all wordings, a name, path or number being one of them, and the job that says them."""
    found: dict[tuple[str, ...], str] = {}
    for job in (job for draws in make.FAMILIES[split].values() for job in draws):
        for way in (way for seed in range(3) for way in ways(job, seed)):
            words = [word.strip(".,:;?!()'\"") for word in way.casefold().split()]
            words = ["VALUE" if each in NAMES or re.search(r"[^a-z'-]", each) else each for each in words if each]
            rows = zip(*(words[skip:] for skip in range(5)), strict=False)
            found |= {row: job.__name__ for row in rows if row.count("VALUE") < 3}
    return found


def test_no_five_words_in_a_row_are_those_of_a_held_out_job() -> None:
    train, val = fives("train"), fives("val")
    assert {row: (train[row], val[row]) for row in train.keys() & val.keys()} == {}


def test_a_job_with_several_wordings_is_asked_in_all_of_them() -> None:
    for split, least in (("train", 4), ("val", 3)):
        asked = Counter(each.family.rpartition("/")[2] for each in (TRAIN if split == "train" else VAL))
        several = [job for draws in make.FAMILIES[split].values() for job in draws if len(ways(job)) > 1]
        assert len(several) == {"train": 111, "val": 29}[split]
        for job in several:
            assert asked[job.__name__] >= len(set(ways(job))) >= least, job.__name__


def test_a_job_ends_when_all_its_prompts_are_used() -> None:
    def same(draw: Random) -> jobs.Job:
        return jobs.Job("Say 1.", {}, answer="1")

    assert len(list(make.BUILDER.stream(Family("train", "shell/train/same", same, topic="files")))) == 1


@boxed
def test_the_check_finds_a_wrong_solution_and_a_job_that_is_done_already() -> None:
    with pytest.raises(CheckFailed, match="b: is missing"):
        make.BUILDER.verify([task(files={"a": "x\n"}, wanted={"b": "x\n"}, commands=["cp a c"])])
    with pytest.raises(CheckFailed, match="before any command"):
        make.BUILDER.verify([task(files={"a": "x\n"}, wanted={"a": "x\n"}, commands=["true"])])
