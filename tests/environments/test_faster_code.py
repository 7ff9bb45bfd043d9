"""Slow functions have faster equals that pass, and no trick passes. Held-out kinds of slow code are others."""

import asyncio

import pytest

from verigym.audit.check import check_environment
from verigym.audit.scripted_episodes import play
from verigym.core.errors import NotFound
from verigym.core.records import Task, Verdict
from verigym.environments import faster_code
from verigym.environments.load import find_by_verifier, load_environment
from verigym.evaluation.failures import bucket
from verigym.sandbox.open import why_not_isolated
from verigym.tasks.leaks import find_leaks

SPEC = load_environment("faster_code")
TRAIN, VAL = faster_code.tasks("train"), faster_code.tasks("val")
boxed = pytest.mark.skipif(bool(why_not_isolated()), reason=why_not_isolated() or "-")


def judged(task: Task, reply: str) -> Verdict:
    return asyncio.run(play(SPEC, task, [reply])).verdict


def test_there_are_enough_kinds_and_held_out_ones_are_others() -> None:
    kinds = [{task.family.split("/")[-1] for task in tasks} for tasks in (TRAIN, VAL)]
    assert len(kinds[0]) >= 24 and len(kinds[1]) >= 12 and not kinds[0] & kinds[1]
    names = [{task.data["entry_point"] for task in tasks} for tasks in (TRAIN, VAL)]
    assert not names[0] & names[1]
    assert len({str(task.prompt) for task in [*TRAIN, *VAL]}) == len(TRAIN) + len(VAL)


def test_held_out_prompts_are_not_near_training_prompts() -> None:
    assert not find_leaks({"train": TRAIN, "val": VAL}, 0.7)


def test_a_prompt_shows_the_slow_function_and_never_the_gold_solution() -> None:
    for task in [*TRAIN, *VAL]:
        assert task.data["slow"] in str(task.prompt) and task.data["gold"] not in str(task.prompt), task.id
        assert "$" not in str(task.prompt) + task.data["gold"], task.id
        assert len(task.data["cases"]) >= 9 and len(task.data["sizes"]) == 3


@boxed
def test_the_environment_is_found_by_its_names_and_one_task_keeps_the_contract() -> None:
    checks = check_environment(SPEC, num_tasks=1, splits=("val",))
    assert [one.words for one in checks if one.outcome != "pass"] == []
    assert find_by_verifier("faster_code_eval").name == find_by_verifier("faster_code_verifier").name == "faster_code"
    with pytest.raises(NotFound, match=r'no split of faster_code "test".*Available: train, val'):
        faster_code.tasks("test")


@boxed
def test_failures_are_told_apart() -> None:
    task = next(task for task in VAL if task.family.endswith("/cheapest"))
    for reply, words in ((faster_code.cheats(task)[1], "not fast enough"), ("def f(): pass", "KeyError")):
        played = asyncio.run(play(SPEC, task, [reply]))
        assert words in played.verdict.evidence
        assert bucket(task, played.trajectory, played.verdict, faster_code.explain) == "wrong answer"


@boxed
@pytest.mark.slow
@pytest.mark.parametrize("split", ["train", "val"])
def test_in_every_family_the_gold_solution_passes_and_every_cheat_fails(split: str) -> None:
    for task in {task.family: task for task in SPEC.tasks(split)}.values():
        assert judged(task, faster_code.gold(task)).passed, task.id
        for cheat in faster_code.cheats(task):
            assert not judged(task, cheat).passed, f"{task.id}: {cheat}"
