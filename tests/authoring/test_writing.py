"""The writing tasks are right, apart and reproducible; what can be counted no judge can wave through, and pairs are fair."""

from collections import Counter
from itertools import islice, product

import pytest

from authoring.engine import CheckFailed
from authoring.writing import make
from verigym.core.records import Task
from verigym.environments import writing
from verigym.environments.writing.gates import FORMS, words
from verigym.tasks.leaks import find_leaks

TRAIN, VAL = writing.tasks("train"), writing.tasks("val")
WANTED = {
    "words": [12, 24],
    "mention": ["blue boat", "Mara", "seven"],
    "avoid": ["sadly", "best"],
    "form": "one paragraph",
}
PLAIN = "The blue boat leaves at seven. Mara sells tickets. You can buy them here."
GOOD = "At seven the blue boat slips out, whoever is late. Mara keeps two seats for those who run."
TASK = Task(
    id="t",
    prompt="Write a notice about a trip by water, and say when.",
    data={**WANTED, "reference": PLAIN, "gold": GOOD},
)


def test_forms_come_equally_often_and_a_family_is_asked_for_in_several_wordings() -> None:
    for split, least, tasks in (("train", 4, TRAIN), ("val", 3, VAL)):
        forms = Counter(brief.form for brief in make.BRIEFS[split])
        assert set(forms) == set(FORMS) and max(forms.values()) - min(forms.values()) <= 1
        for family in make.families(split):
            prompts = [str(task.prompt) for task in tasks if task.family == family.name]
            used = [ask for ask in family.source.asks if any(ask in prompt for prompt in prompts)]
            assert len(set(family.source.asks)) >= least and len(used) == len(prompts)


def test_the_check_finds_a_good_text_that_is_not_as_asked_and_a_cheat_that_gets_through() -> None:
    with pytest.raises(CheckFailed, match=r't: mention: "eight" is missing'):
        make.BUILDER.verify([Task(id="t", prompt="?", data={**TASK.data, "mention": ["blue boat", "Mara", "eight"]})])
    with pytest.raises(CheckFailed, match="meets every countable demand"):
        loose = {**TASK.data, "words": [1, 400], "mention": ["At"], "form": "one paragraph"}
        make.BUILDER.verify([Task(id="t", prompt="?", data=loose)])


def test_held_out_tasks_share_no_brief_fact_reader_or_near_wording_with_those_to_learn_from() -> None:
    train, val = make.BRIEFS["train"], make.BRIEFS["val"]
    for field in ("name", "audience", "good", "plain"):
        assert not {getattr(one, field) for one in train} & {getattr(one, field) for one in val}
    facts = [{fact for brief in side for kind in brief.facts.values() for fact in kind} for side in (train, val)]
    assert not facts[0] & facts[1]
    assert not find_leaks({"train": TRAIN, "val": VAL}, 0.7)


def test_no_five_words_in_a_row_stand_in_a_task_to_learn_from_and_in_a_held_out_one() -> None:
    def runs(split: str) -> set[tuple[str, ...]]:
        made = (task for family in make.families(split) for task in islice(make.BUILDER.stream(family), None, None, 7))
        texts = (text for task in made for text in (str(task.prompt), task.data["gold"], task.data["reference"]))
        said = (words(text) for text in texts)
        return {tuple(each[place : place + 5]) for each in said for place in range(len(each) - 4)}

    assert not runs("train") & runs("val")


def test_a_fact_is_in_a_text_only_where_it_was_put_and_in_no_other_fact_of_its_family() -> None:
    def flat(text: str) -> str:
        return f" {' '.join(words(text))} "

    for brief in (*make.BRIEFS["train"], *make.BRIEFS["val"]):
        for kind, values in brief.facts.items():
            others = [value for name, others in brief.facts.items() if name != kind for value in others]
            for value, text in product(values, (*others, brief.good, brief.plain)):
                assert flat(value) not in flat(text), f"{brief.name}: {value!r} is in {text!r} as well"
