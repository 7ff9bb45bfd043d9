"""`code?train=more`: other problems than the shipped and the held-out ones, whose references pass and whose mutants fail."""

import asyncio
import re
from collections import Counter

import pytest

from verigym.audit.scripted_episodes import play
from verigym.core.records import Task, Verdict
from verigym.environments import code
from verigym.environments.code.training_sets import more
from verigym.environments.load import load_environment
from verigym.sandbox.open import why_not_isolated
from verigym.tasks.leaks import find_leaks

MORE, TRAIN, VAL = more(), code.tasks("train"), code.tasks("val")
SPEC = load_environment("code?train=shipped,more")
RUN = 5
"""Words in a row that no request may share with a held-out one, as for the shipped training tasks."""
boxed = pytest.mark.skipif(bool(why_not_isolated()), reason=why_not_isolated() or "-")


def judged(task: Task, reply: str) -> Verdict:
    return asyncio.run(play(SPEC, task, [reply])).verdict


def asked(task: Task) -> str:
    """What comes before the signature."""
    return str(task.prompt).partition("\n\ndef ")[0]


def runs(task: Task) -> set[tuple[str, ...]]:
    """The words in a row of what is asked."""
    words = re.findall(r"[a-z0-9'-]+", asked(task).lower())
    return {tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1)}


def names(tasks: list[Task]) -> set[str]:
    return {task.data["entry_point"] for task in tasks}


# -- the set ----------------------------------------------------------------------------------------------------------------


def test_there_are_many_families_of_every_topic_and_all_tasks_differ() -> None:
    topics = Counter({task.family: task.tags[1] for task in MORE}.values())
    assert topics.keys() == {task.tags[1] for task in TRAIN} and min(topics.values()) >= 12, topics
    assert topics.total() >= 120 and len(MORE) >= 300
    assert len({task.id for task in MORE}) == len({str(task.prompt) for task in MORE}) == len(MORE)
    assert {task.split for task in MORE} == {"train"} and max(Counter(task.family for task in MORE).values()) <= 3


def test_no_family_is_one_of_the_shipped_training_set() -> None:
    assert len(names(MORE)) == len({task.family for task in MORE})
    assert not names(MORE) & names(TRAIN)
    assert not {task.id for task in MORE} & {task.id for task in TRAIN}
    assert not {task.family for task in MORE} & {task.family for task in TRAIN}


def test_the_set_is_used_by_name_and_everything_else_stays() -> None:
    kept = SPEC.tasks("val") == VAL
    assert kept and SPEC.tasks("train") == [*TRAIN, *MORE]
    assert load_environment("code?train=more").tasks("train") == MORE
    assert SPEC.version == load_environment("code").version and SPEC.suites == load_environment("code").suites


def test_examples_are_shown_are_not_among_the_tests_and_nothing_is_left_to_fill_in() -> None:
    for task in MORE:
        assert len(task.data["examples"]) == 2 and len(task.data["tests"]) >= 7, task.id
        for inputs, _ in task.data["examples"]:
            call = f"{task.data['entry_point']}({', '.join(map(repr, inputs))})"
            assert call in str(task.prompt) and not any(call in test for test in task.data["tests"]), task.id
        assert not re.search(r"\{[a-z_]+(\[\d\])?(!r)?\}", asked(task).replace("'{'", "")), task.id
        assert task.data["gold"] not in str(task.prompt), task.id


# -- replies ----------------------------------------------------------------------------------------------------------------


@boxed
@pytest.mark.parametrize("task", MORE[:: len(MORE) // 6], ids=lambda task: task.data["entry_point"])
def test_the_reference_passes_and_what_is_nearly_right_does_not(task: Task) -> None:
    verdict = judged(task, code.gold(task))
    assert verdict.passed and verdict.reward == 1.0, verdict.evidence
    assert not judged(task, code.cheats(task)[-1]).passed


@boxed
def test_no_cheat_passes() -> None:
    for task in MORE[5:7]:
        for cheat in code.cheats(task):
            assert not judged(task, cheat).passed, f"{task.id}: {cheat}"


# -- held-out tasks ---------------------------------------------------------------------------------------------------------


def test_no_family_has_the_name_of_a_held_out_one() -> None:
    clashes = sorted(names(MORE) & names(VAL))
    assert not clashes, clashes


def test_no_prompt_shares_a_run_of_words_with_a_held_out_one() -> None:
    held_out = {run for task in VAL for run in runs(task)}
    clashes = sorted({task.family for task in MORE if runs(task) & held_out})
    assert not clashes, clashes


def test_no_prompt_is_nearly_a_held_out_one() -> None:
    leaking = bool(find_leaks({"more": MORE, "val": VAL}, 0.7))
    assert not leaking
