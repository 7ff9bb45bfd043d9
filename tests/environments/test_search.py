"""The search tasks are right, apart and reproducible; documents state what they should; an answer needs its proof, no more."""

import asyncio
from collections import Counter
from typing import Any

import msgspec
import pytest

from verigym.audit.check import check_environment
from verigym.audit.scripted_episodes import ScriptedEpisode, play
from verigym.core.errors import NotFound, VerifierFailure
from verigym.core.records import FunctionCall, FunctionCallOutput, Json, Task, Trajectory
from verigym.environments import search
from verigym.environments.load import find_by_verifier, load_environment
from verigym.environments.search.corpus import corpus
from verigym.environments.search.region import SAYS
from verigym.environments.search.verifier import same, search_verifier
from verigym.evaluation.failures import bucket

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


def test_no_town_is_counted_twice_in_a_census() -> None:
    for split in ("train", "val"):
        for fact, documents in corpus(split).stating.items():
            assert len(documents) == 1 or not fact[1].startswith("census")


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
