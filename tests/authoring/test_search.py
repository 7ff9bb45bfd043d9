"""The search tasks are right, apart and reproducible; documents state what they should; an answer needs its proof, no more."""

import re
from collections import Counter

import msgspec
import pytest

from authoring.engine import CheckFailed
from authoring.search import make
from authoring.search.questions import FAMILIES
from authoring.search.shapes import query, walk
from verigym.environments.load import load_environment
from verigym.environments.search.corpus import RESULTS, corpus, tokens
from verigym.environments.search.region import Entity
from verigym.environments.search.words import TRAIN as TRAIN_WORDS
from verigym.environments.search.words import VAL as VAL_WORDS
from verigym.tasks.leaks import find_leaks

SPEC = load_environment("search")
TRAIN, VAL = SPEC.tasks("train"), SPEC.tasks("val")
LIBRARY = corpus("train")


def test_the_check_finds_an_answer_that_its_documents_do_not_hold() -> None:
    task = next(task for task in TRAIN if task.family == "search/train/town_founded")
    with pytest.raises(CheckFailed, match="do not contain the answer"):
        make.BUILDER.verify([msgspec.structs.replace(task, data={**task.data, "answer": 3})])


def test_the_regions_share_no_name_and_the_questions_no_wording() -> None:
    lists = [[set(words) for words in region[1:]] for region in (TRAIN_WORDS, VAL_WORDS)]
    assert not any(words & others for words, others in zip(*lists, strict=True))
    single = [{word for words in region for name in words for word in tokens(name)} for region in lists]
    assert single[0] & single[1] == {"a", "the", "of", "s", "hill", "hall", "house", "museum"}
    names = [{entity.name for entity in corpus(split).entities.values()} for split in ("train", "val")]
    assert not names[0] & names[1]
    shapes = [{family.shape for family in FAMILIES[split]} for split in ("train", "val")]
    assert not shapes[0] & shapes[1]
    assert not find_leaks({"train": TRAIN, "val": VAL}, 0.7)


def fives(split: str) -> set[tuple[str, ...]]:
    """Each five words in a row of the wordings, a blank being one of them, where most are words of the question."""
    found: set[tuple[str, ...]] = set()
    for wording in (wording for family in FAMILIES[split] for wording in family.words):
        words = re.findall(r"[\w']+|\{\d?\}", re.sub(r"\{\d\}", "{}", wording.casefold()))
        found |= {five for five in zip(*(words[skip:] for skip in range(5)), strict=False) if five.count("{}") < 3}
    return found


def test_no_five_words_in_a_row_are_those_of_a_held_out_question() -> None:
    assert not fives("train") & fives("val")


@pytest.mark.parametrize(("split", "least"), [("train", 4), ("val", 3)])
def test_a_family_is_asked_in_several_ways_and_often_enough(split: str, least: int) -> None:
    tasks = Counter(task.family for task in SPEC.tasks(split))
    for family in FAMILIES[split]:
        assert len(set(family.words)) == len(family.words) >= least, family.name
        assert tasks[f"search/{split}/{family.name}"] >= 7, family.name


def test_most_questions_without_an_answer_are_asked_in_the_words_of_others_that_have_one() -> None:
    answered = {wording for family in FAMILIES["train"] if family.type != "unanswerable" for wording in family.words}
    silent = [family for family in FAMILIES["train"] if family.type == "unanswerable"]
    apart = [family.name for family in silent if not answered.issuperset(family.words)]
    assert len(silent) == 12 and apart == ["no_marriage", "no_price"]


@pytest.mark.parametrize("split", ["train", "val"])
def test_the_facts_of_a_region_do_not_contradict_each_other(split: str) -> None:
    library = corpus(split)
    by_name = {entity.name: entity for entity in library.kinds["person"]}

    def of(entity: Entity, steps: str) -> int:
        found = walk(library, entity, steps)
        assert found is not None
        return int(found.value)

    for town in library.kinds["town"]:
        assert of(town, "mayor.born") >= 1950
    for first, second, least, most in [
        ("company founder.born", "founded", 21, 36),
        ("hill climber.born", "climbed", 17, 45),
        ("bridge designer.born", "built", 24, 56),
        ("book author.born", "published", 24, 60),
        ("book publisher.founded", "published", 0, 300),
        ("line operator.founded", "opened", 1, 200),
        ("event town.founded", "first_held", 0, 1000),
    ]:
        kind, steps = first.split()
        for entity in library.kinds[kind]:
            assert least <= of(entity, second) - of(entity, steps) <= most, (entity, first)
    for entity in [*library.kinds["museum"], *library.kinds["prize"]]:
        told = str(entity.facts.get("keepers") or entity.facts["winners"])
        years = re.findall(r"(\w+ \w+)(?: in)? (\d{4})", told)
        assert all(20 <= int(year) - int(by_name[name].facts["born"]) <= 75 for name, year in years), told
        assert max(map(int, re.findall(r"\d{4}", told))) < 2026


def test_every_thing_can_be_found_and_words_that_nobody_wrote_find_nothing() -> None:
    for entity in LIBRARY.entities.values():
        assert entity.name in [LIBRARY.documents[id].title for id in LIBRARY.search(query(entity))]
    assert LIBRARY.search("xylophone") == LIBRARY.search("") == LIBRARY.search("?!") == []
    assert len(LIBRARY.search("the town is in the region")) == RESULTS
