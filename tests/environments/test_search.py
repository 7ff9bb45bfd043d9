"""The search tasks are right, apart and reproducible; documents state what they should; an answer needs its proof, no more."""

import asyncio
import re
from collections import Counter
from typing import Any

import msgspec
import pytest

from authoring.search import generate
from authoring.search.questions import FAMILIES
from authoring.search.shapes import query, walk
from verigym.audit.check import check_environment
from verigym.audit.scripted_episodes import ScriptedEpisode, play
from verigym.core.errors import NotFound, VerifierFailure
from verigym.core.records import FunctionCall, FunctionCallOutput, Json, Task, Trajectory
from verigym.environments import search
from verigym.environments.load import find_by_verifier, load_environment
from verigym.environments.search.corpus import RESULTS, corpus, tokens
from verigym.environments.search.region import SAYS, Entity
from verigym.environments.search.verifier import same, search_verifier
from verigym.environments.search.words import TRAIN as TRAIN_WORDS
from verigym.environments.search.words import VAL as VAL_WORDS
from verigym.evaluation.failures import bucket
from verigym.tasks.leaks import find_leaks
from verigym.tasks.load import shipped

SPEC = load_environment("search")
TRAIN, VAL = SPEC.tasks("train"), SPEC.tasks("val")
LIBRARY = corpus("train")
TYPES = {"one", "two", "three", "compare", "count", "list", "reckon", "not", "unanswerable"}


def played(*calls: tuple[str, Json]) -> ScriptedEpisode:
    items = [
        FunctionCall(f"call_{at}", name, msgspec.json.encode(given).decode()) for at, (name, given) in enumerate(calls)
    ]
    return asyncio.run(play(SPEC, TRAIN[0], [*([item] for item in items), "Done."]))


def said(name: str, **given: Any) -> str:
    return next(item.output for item in played((name, given)).trajectory.items if isinstance(item, FunctionCallOutput))


def judged(data: Json, text: str, *citations: str) -> Any:
    ended: Json = {"answer": {"text": text, "citations": list(citations)}}
    return search_verifier(
        Task(id="t", prompt="?", data=data), Trajectory(id="a", task="t", group="g", end_state=ended)
    )


# -- tasks ----------------------------------------------------------------------------------------------------------------


def test_there_are_enough_tasks_and_families_of_every_type_in_both_splits() -> None:
    assert (len(TRAIN), len(VAL)) == (1565, 308)
    assert [len({task.family for task in tasks}) for tasks in (TRAIN, VAL)] == [114, 44]
    for tasks in (TRAIN, VAL):
        types = Counter(task.tags[0] for task in tasks)
        assert set(types) == TYPES and min(types.values()) >= 0.04 * len(tasks)
        assert len({str(task.prompt) for task in tasks}) == len(tasks)


def test_the_generator_makes_the_shipped_files_byte_for_byte() -> None:
    for split in ("train", "val"):
        assert (search.DATA / f"{split}.jsonl").read_bytes() == shipped(generate.generate(split))


def test_every_gold_answer_passes_and_stands_in_the_documents_it_cites() -> None:
    generate.check([*TRAIN, *VAL])


def test_the_check_finds_an_answer_that_its_documents_do_not_hold() -> None:
    task = next(task for task in TRAIN if task.family == "search/train/town_founded")
    with pytest.raises(AssertionError, match="its documents do not say so"):
        generate.check([msgspec.structs.replace(task, data={**task.data, "answer": 3})])


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


def test_the_town_in_the_name_of_a_custom_or_bylaw_may_be_proved_and_need_not_be() -> None:
    for name in ("custom_river", "bylaw_mayor"):
        task = next(task for task in VAL if task.family == f"search/val/{name}")
        (town,), answer = task.data["needed"], task.data["answer"]
        ((custom,),) = task.data["also"]
        assert judged(task.data, answer, town[0]).passed and judged(task.data, answer, town[0], custom).passed
        assert not judged(task.data, answer, custom).passed


def test_yes_is_as_often_right_as_no() -> None:
    said = Counter(task.data["answer"] for task in [*TRAIN, *VAL] if task.data["answer"] in ("yes", "no"))
    assert min(said.values()) >= 0.4 * said.total() and said.total() >= 30


def test_the_contract_of_the_environment_holds_and_it_is_found_by_its_names() -> None:
    assert [one.name for one in check_environment(SPEC, num_tasks=20) if one.outcome == "fail"] == []
    assert find_by_verifier("search_eval").name == find_by_verifier("search_verifier").name == "search"
    with pytest.raises(NotFound, match=r'no split of search "test".*Available: train, val'):
        search.tasks("test")


def test_gold_passes_everywhere_and_no_cheat_does() -> None:
    for task in [*TRAIN[::4], *VAL]:
        assert asyncio.run(play(SPEC, task, SPEC.gold_replies(task))).verdict.passed, task.id
    for task in [*TRAIN[::20], *VAL[::6]]:
        for replies in SPEC.cheat_replies(task):
            assert not asyncio.run(play(SPEC, task, replies)).verdict.passed, f"{task.id}: {replies}"


# -- documents ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("split", ["train", "val"])
def test_a_document_holds_every_fact_that_it_states_and_none_that_is_hidden(split: str) -> None:
    library = corpus(split)
    assert len(library.documents) >= 300
    for document in library.documents.values():
        for id, fact in document.states:
            entity = library.entities[id]
            assert fact not in entity.hidden
            own = document.title == entity.name
            shown = str(library.named((id, fact))).removeprefix("River ") if own else entity.name
            assert shown in document.text, (document, fact)
    for entity in library.entities.values():
        for fact in SAYS[entity.kind]:
            assert ((entity.id, fact) in library.stating) == (fact not in entity.hidden)
    assert any(len(documents) > 1 for documents in library.stating.values())


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


def test_no_town_is_counted_twice_in_a_census() -> None:
    for split in ("train", "val"):
        for fact, documents in corpus(split).stating.items():
            assert len(documents) == 1 or not fact[1].startswith("census")


def test_every_thing_can_be_found_and_words_that_nobody_wrote_find_nothing() -> None:
    for entity in LIBRARY.entities.values():
        assert entity.name in [LIBRARY.documents[id].title for id in LIBRARY.search(query(entity))]
    assert LIBRARY.search("xylophone") == LIBRARY.search("") == LIBRARY.search("?!") == []
    assert len(LIBRARY.search("the town is in the region")) == RESULTS


# -- tools ----------------------------------------------------------------------------------------------------------------


def test_the_tools_show_documents_and_say_what_is_wrong() -> None:
    name = next(entity.name for entity in LIBRARY.entities.values() if entity.kind == "town")
    first = said("search", query=name).splitlines()[0].split(" | ")
    assert LIBRARY.documents[first[0]].title == first[1] and first[2] in LIBRARY.documents[first[0]].text
    assert said("search", query="xylophone") == "nothing found"
    assert said("open", document=first[0]) == f"{first[1]}\n{LIBRARY.documents[first[0]].text}"
    assert said("open", document="D999") == 'error: there is no document "D999"; ids look like D117'
    assert said("answer", text="a", citations=["D999"]) == 'error: there is no document "D999" to cite'


@pytest.mark.parametrize(
    "given",
    [
        {"text": "a"},
        {"text": 3, "citations": []},
        {"text": ["a"], "citations": []},
        {"text": "a", "citations": "D101"},
        {"text": "a", "citations": [101]},
        {"text": "a", "citations": ["d101"]},
        {"text": "a", "citations": [], "sure": True},
    ],
)
def test_an_answer_of_a_wrong_form_is_refused_and_may_be_given_again(given: Json) -> None:
    ended = played(("answer", given), ("answer", {"text": "b", "citations": ["D101"]})).trajectory
    refused = next(item for item in ended.items if isinstance(item, FunctionCallOutput))
    assert refused.output.startswith("error: ")
    assert ended.end_state == {"answer": {"text": "b", "citations": ["D101"]}}


def test_the_first_answer_counts() -> None:
    ended = played(("answer", {"text": "a", "citations": []}), ("answer", {"text": "b", "citations": []})).trajectory
    assert ended.end_state == {"answer": {"text": "a", "citations": []}}


# -- verdicts -------------------------------------------------------------------------------------------------------------

TWO: Json = {"answer": "River Issel", "needed": [["D101", "D102"], ["D103"]]}
NUMBER: Json = {"answer": 1390, "needed": [["D101"]]}
NONE: Json = {"answer": "unknown", "needed": []}
NAMES: Json = {"answer": ["Tarn and Sons", "Tarn Union"], "needed": [["D101"], ["D102"]]}
RULED_OUT: Json = {"answer": 1, "needed": [["D101"]], "also": [["D102", "D103"]]}


@pytest.mark.parametrize(
    ("data", "text", "citations"),
    [
        (TWO, "River Issel", ["D101", "D103"]),
        (TWO, "River Issel", ["D103", "D102"]),
        (TWO, "the river Issel.", ["D101", "D103"]),
        (TWO, "issel", ["D101", "D103"]),
        (TWO, " Issel\n", ["D101", "D102", "D103"]),
        (TWO, "The Issel", ["D101", "D101", "D103"]),
        (NUMBER, "1390", ["D101"]),
        (NUMBER, "1,390", ["D101"]),
        (NUMBER, "in the year 1390.", ["D101"]),
        (NUMBER, "1 390", ["D101"]),
        (NUMBER, "1390km", ["D101"]),
        (NUMBER, "\uff11\uff13\uff19\uff10", ["D101"]),
        (NUMBER, "_1390_", ["D101"]),
        (NONE, "unknown", []),
        (NONE, "Unknown.", []),
        (NAMES, "Tarn and Sons, Tarn Union", ["D101", "D102"]),
        (NAMES, "tarn union and Tarn and Sons.", ["D102", "D101"]),
        (NAMES, "from Tarn Union to Tarn and Sons", ["D102", "D101"]),
        (NAMES, "- Tarn Union\n- Tarn and Sons", ["D102", "D101"]),
        (NAMES, "1. Tarn Union\n2. Tarn and Sons", ["D102", "D101"]),
        (NAMES, "both Tarn Union and Tarn & Sons", ["D102", "D101"]),
        (NAMES, '["Tarn Union", "Tarn and Sons"]', ["D102", "D101"]),
        (RULED_OUT, "1", ["D101"]),
        (RULED_OUT, "One (1)", ["D101"]),
        (RULED_OUT, "One.", ["D101", "D102"]),
        (RULED_OUT, "one company", ["D103", "D101"]),
    ],
)
def test_a_right_answer_with_its_proof_passes_however_it_is_written(
    data: Json, text: str, citations: list[str]
) -> None:
    assert judged(data, text, *citations).passed


@pytest.mark.parametrize(
    ("data", "text", "citations", "evidence"),
    [
        (TWO, "River Corle", ["D101", "D103"], 'answer "River Corle", expected "River Issel"'),
        (TWO, "Issel or Corle", ["D101", "D103"], 'answer "Issel or Corle", expected "River Issel"'),
        (TWO, "River", ["D101", "D103"], 'answer "River", expected "River Issel"'),
        (
            TWO,
            "River Issel",
            [],
            "nothing cited states the first of 2 facts\nnothing cited states the second of 2 facts",
        ),
        (TWO, "River Issel", ["D103"], "nothing cited states the first of 2 facts"),
        (TWO, "River Issel", ["D101", "D102"], "nothing cited states the second of 2 facts"),
        (TWO, "River Issel", ["D101", "D103", "D104"], "D104 is cited and states nothing of this"),
        (NUMBER, "1391", ["D101"], 'answer "1391", expected "1390"'),
        (NUMBER, "1390 or 1391", ["D101"], 'answer "1390 or 1391", expected "1390"'),
        (NUMBER, "13900", ["D101"], 'answer "13900", expected "1390"'),
        (NUMBER, "-1390", ["D101"], 'answer "-1390", expected "1390"'),
        (NUMBER, "1390s", ["D101"], 'answer "1390s", expected "1390"'),
        (NUMBER, "D1390", ["D101"], 'answer "D1390", expected "1390"'),
        (NUMBER, "1390k", ["D101"], 'answer "1390k", expected "1390"'),
        (NUMBER, "", ["D101"], 'answer "", expected "1390"'),
        (NONE, "unknown", ["D101"], "D101 is cited and states nothing of this"),
        (NONE, "1390", [], 'answer "1390", expected "unknown"'),
        (NAMES, "Tarn Union", ["D101", "D102"], 'answer "Tarn Union", expected "Tarn and Sons, Tarn Union"'),
        (
            NAMES,
            "Tarn and Sons, Tarn Union, Tarn Company",
            ["D101", "D102"],
            'answer "Tarn and Sons, Tarn Union, Tarn Company", expected "Tarn and Sons, Tarn Union"',
        ),
        (
            NAMES,
            "Tarn and Sons Union",
            ["D101", "D102"],
            'answer "Tarn and Sons Union", expected "Tarn and Sons, Tarn Union"',
        ),
        (NAMES, "Tarn and Sons, Tarn Union", ["D101"], "nothing cited states the second of 2 facts"),
        (RULED_OUT, "1", ["D102"], "nothing cited states the first of 1 facts"),
        (RULED_OUT, "1", ["D101", "D104"], "D104 is cited and states nothing of this"),
        (RULED_OUT, "two", ["D101"], 'answer "two", expected "1"'),
        (RULED_OUT, "one or two", ["D101"], 'answer "one or two", expected "1"'),
        (RULED_OUT, "1 or two", ["D101"], 'answer "1 or two", expected "1"'),
        (RULED_OUT, "two, maybe 1", ["D101"], 'answer "two, maybe 1", expected "1"'),
        (
            RULED_OUT,
            "the only one there is in this town",
            ["D101"],
            'answer "the only one there is in this town", expected "1"',
        ),
    ],
)
def test_an_answer_that_is_wrong_or_wrongly_cited_fails(
    data: Json, text: str, citations: list[str], evidence: str
) -> None:
    verdict = judged(data, text, *citations)
    assert not verdict.passed and verdict.reward == 0 and verdict.evidence == evidence


def test_a_number_is_not_found_in_a_long_text() -> None:
    assert not same(f"1390{' ' * 200}", 1390)


def test_failures_have_buckets_of_their_own() -> None:
    task = Task(id="t", prompt="?", data=TWO)
    ended = Trajectory(id="a", task="t", group="g", end_state={"answer": {"text": "Issel", "citations": []}})
    assert bucket(task, ended, judged(TWO, "Issel"), SPEC.explain) == "wrong citations"
    assert bucket(Task(id="t", prompt="?", data=NONE), ended, judged(NONE, "Issel"), SPEC.explain) == "made up"


def test_nothing_answered_is_told_and_a_task_without_an_answer_is_the_verifiers_failure() -> None:
    silent = Trajectory(id="a", task="t", group="g", end_state={"answer": None})
    assert search_verifier(Task(id="t", prompt="?", data=TWO), silent).evidence == "nothing was answered: call answer"
    with pytest.raises(VerifierFailure, match='task t: data has no "answer" or no "needed"'):
        search_verifier(Task(id="t", prompt="?"), silent)
