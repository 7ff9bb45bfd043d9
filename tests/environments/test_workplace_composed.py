"""The composed training tasks of workplace: right, apart from the held-out ones, and narrowed by the number of calls."""

import asyncio
import re
from collections import Counter

import pytest

from tests.environments.test_workplace_wordings import VALUE, Run, runs
from verigym.audit.scripted_episodes import play
from verigym.core.errors import NotFound
from verigym.core.records import Task
from verigym.environments import workplace
from verigym.environments.load import load_environment
from verigym.environments.workplace.office import OFFICES, office
from verigym.environments.workplace.training_sets import TAGS, training_sets
from verigym.environments.workplace.words import TRAIN
from verigym.evaluation.shift import NEW_TOOLS, SEEN_TOOLS, shifts

COMPOSED = training_sets["composed"]()
SHIPPED, VAL = workplace.tasks("train"), workplace.tasks("val")


def tools_of(task: Task) -> tuple[str, ...]:
    return tuple(call["name"] for call in task.data["expected_calls"])


def test_there_are_thousands_of_programs_in_the_training_offices() -> None:
    programs = {task.id.rpartition("/")[0] for task in COMPOSED}
    assert len(COMPOSED) >= 7_000 and len(programs) >= 5_000 and len({task.family for task in COMPOSED}) > 100
    assert len({str(task.prompt) for task in COMPOSED}) == len(COMPOSED)
    assert {task.data["office"] for task in COMPOSED} == set(OFFICES["train"])
    assert {task.split for task in COMPOSED} == {"train"}
    assert 0.08 < sum("unsafe" in task.tags for task in COMPOSED) / len(COMPOSED) < 0.15


def test_they_add_ids_families_and_sequences_of_tools_to_the_shipped_ones() -> None:
    for field in ("id", "family", "prompt"):
        ours, theirs = ({str(getattr(task, field)) for task in tasks} for tasks in (COMPOSED, [*SHIPPED, *VAL]))
        assert not ours & theirs, field
    sequences = {tools_of(task) for task in COMPOSED}
    assert len(sequences) > 10 * len({tools_of(task) for task in SHIPPED})


@pytest.mark.parametrize("name", TAGS)
def test_a_set_has_the_tasks_with_so_many_calls_and_the_same_held_out_tasks(name: str) -> None:
    environment = load_environment(f"workplace?train={name}")
    tasks = environment.tasks("train")
    number = int(name[-1])
    assert len(tasks) > 500
    assert all(len(tools_of(task)) == number or (number == 4 and len(tools_of(task)) > 4) for task in tasks)
    assert environment.tasks("val") == VAL


def test_several_sets_are_joined_and_an_unknown_one_is_named_with_those_that_exist() -> None:
    joined = load_environment("workplace?train=shipped,composed")
    assert joined.tasks("train") == [*SHIPPED, *COMPOSED]
    with pytest.raises(NotFound, match="composed-2"):
        load_environment("workplace?train=composed-9")


def test_gold_passes_and_cheats_fail() -> None:
    environment = load_environment("workplace")

    async def passed(task: Task) -> tuple[bool, int]:
        gold = await play(environment, task, environment.gold_replies(task))
        cheats = [await play(environment, task, cheat) for cheat in environment.cheat_replies(task)]
        return gold.verdict.passed, sum(cheat.verdict.passed for cheat in cheats)

    async def all_of(tasks: list[Task]) -> list[tuple[bool, int]]:
        return [await passed(task) for task in tasks]

    assert set(asyncio.run(all_of(COMPOSED[::40]))) == {(True, 0)}


def test_the_next_meeting_with_somebody_is_never_one_of_today() -> None:
    """The clock stands at half past eight, before the first meeting, so one of today would be next."""
    checked = 0
    for task in (task for task in COMPOSED if re.search("event_next|events_ahead", task.id)):
        looked = [call["arguments"] for call in task.data["expected_calls"] if call["name"] == "calendar.search"]
        people = {each["query"] for each in looked if each.get("since") == "2026-05-13" and "until" not in each}
        events = office(task.data["office"]).tables["events"][0].values()
        assert not any(row.participant in people and row.start.startswith("2026-05-12") for row in events), task.id
        checked += bool(people)
    assert checked > 50


def test_every_sentence_ends_before_the_closing_words() -> None:
    endings = ("I promised it yesterday.", "Then we are done.", "Many thanks in advance.", "Thanks!")
    closed = [str(task.prompt) for task in COMPOSED if str(task.prompt).endswith(endings)]
    rests = [prompt.removesuffix(next(each for each in endings if prompt.endswith(each))) for prompt in closed]
    assert closed and all(re.search(r"[.!?]\"? $", rest) for rest in rests)


def _runs(task: Task) -> set[Run]:
    """Five words in a row. Quoted texts, names, numbers and addresses are values."""
    names = {word.casefold() for words in (TRAIN.first, TRAIN.last, TRAIN.companies, TRAIN.trades) for word in words}
    text = re.sub(r'"[^"]*"', f" {VALUE} ", str(task.prompt)).casefold()
    words = [VALUE if word in names or not word.isalpha() else word for word in re.findall(r"[\w@.-]*\w", text)]
    words = [word for index, word in enumerate(words) if word != VALUE or index == 0 or words[index - 1] != VALUE]
    return {run for run in zip(*(words[skip:] for skip in range(5)), strict=False) if run.count(VALUE) < 3}


def test_no_five_words_in_a_row_are_those_of_a_held_out_request() -> None:
    measured = runs(VAL)
    found = Counter(run for task in COMPOSED for run in _runs(task) if run in measured)
    assert found == {}


def test_most_held_out_tasks_have_a_sequence_of_tools_of_training() -> None:
    shipped, joined = (
        Counter(kinds[-1] for kinds in shifts(load_environment(name), VAL).values())
        for name in ("workplace", "workplace?train=shipped,composed")
    )
    assert shipped[SEEN_TOOLS] == 210 and joined[SEEN_TOOLS] == 297 and joined[NEW_TOOLS] == 60
