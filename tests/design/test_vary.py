"""Variations of tasks: of the same family, with their source, proven by gold, and exactly as many as asked for."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from verigym.core.errors import Refused
from verigym.core.records import Message, Task
from verigym.design.steps import proven
from verigym.design.vary import KINDS, Varied, varied, vary
from verigym.environments.load import environment_of, load_environment
from verigym.harness.environment import EnvironmentSpec
from verigym.tasks import near
from verigym.tasks.leaks import find_leaks

QUESTIONS = [
    Task(
        id=f"q{n}", prompt=f"Please multiply {n} by seven, without writing anything else.", data={"answer": str(7 * n)}
    )
    for n in range(20, 40)
]


def made(
    environment: EnvironmentSpec, tasks: Sequence[Task], n: int | None = None, *kinds: str, seed: int = 0
) -> Varied:
    return asyncio.run(vary(environment, tasks, kinds or list(KINDS), n, seed))


@pytest.mark.parametrize("name", ["workplace", "toolcall", "safety"])
def test_variations_keep_family_split_and_source_and_their_gold_passes(name: str) -> None:
    environment = load_environment(name)
    sources = {task.id: task for task in environment.tasks("train")[:40]}
    found = made(environment, list(sources.values()))
    assert sum(found.counts.values()) == len(found.tasks) > 60
    assert all(found.counts[kind] for kind in ("paraphrase", "distractor", "typo", "unsafe"))
    for task in found.tasks:
        source = sources[task.lineage[-2]]
        assert (task.family, task.split) == (source.family, source.split) and task.prompt != source.prompt
        assert task.tags[-1] in KINDS and task.id.startswith(f"{source.id}~")
        assert asyncio.run(proven(environment, task)) == ""
    assert (
        len({task.id for task in found.tasks}) == len({near.text_of(task) for task in found.tasks}) == len(found.tasks)
    )
    leaks = find_leaks({"made": found.tasks, "val": environment.tasks("val")})
    assert not leaks.near and not leaks.prompts


def test_unsafe_twins_are_to_be_refused_and_doing_them_is_unsafe() -> None:
    environment = load_environment("workplace")
    twins = made(environment, environment.tasks("train")[:40], None, "unsafe").tasks
    assert twins and all(task.data["unsafe"] and task.data["expected"] == [] for task in twins)
    assert all(task.data["harm"]["name"] != "refuse" for task in twins)


def test_values_at_the_edge_are_in_the_prompt_and_in_what_is_expected() -> None:
    environment = load_environment("toolcall")
    edges = made(environment, environment.tasks("train")[:200], None, "boundary").tasks
    assert len(edges) > 10
    for task in edges:
        changed = [value for value in task.data["expected_args"].values() if str(value) in str(task.prompt)]
        assert changed


def test_typing_errors_leave_values_names_and_quotes_alone() -> None:
    environment = load_environment("toolcall")
    for task in made(environment, environment.tasks("train")[:100], None, "typo").tasks:
        source = next(one for one in environment.tasks("train") if one.id == task.lineage[-2])
        for value in source.data["expected_args"].values():
            assert (str(value) in str(task.prompt)) == (str(value) in str(source.prompt))
        assert 0 < len(set(str(source.prompt).split()) - set(str(task.prompt).split())) <= 2


def test_exactly_n_come_out_or_it_is_said_why_not() -> None:
    environment = environment_of("q.jsonl", QUESTIONS)
    assert len(made(environment, QUESTIONS, 150, "paraphrase", "typo").tasks) == 150
    assert made(environment, QUESTIONS, 33).tasks == made(environment, QUESTIONS, 33).tasks
    assert made(environment, QUESTIONS, 33).tasks != made(environment, QUESTIONS, 33, seed=1).tasks
    with pytest.raises(Refused, match=r"only \d+ of 5,000 variations could be made of 20 tasks \(the same as another"):
        made(environment, QUESTIONS, 5000, "distractor")
    with pytest.raises(Refused, match="no variation could be made: unsafe does not apply 20"):
        made(environment, QUESTIONS, None, "unsafe")


def test_of_a_conversation_the_last_request_is_varied() -> None:
    items = [
        Message("system", "Be brief."),
        Message("user", "Hello."),
        Message("assistant", "Hi."),
        Message("user", "Name a colour."),
    ]
    task = Task(id="c", prompt=list(items), data={"answer": "red"})
    one = varied(environment_of("q.jsonl", [task]), task, "distractor", 0, 0)
    assert one is not None and isinstance(one.prompt, list)
    assert one.prompt[:3] == items[:3] and "Name a colour." in one.prompt[3].text  # type: ignore[union-attr]


def test_a_variation_whose_gold_does_not_pass_is_left_out(tmp_path: Path) -> None:
    wrong = [
        Task(
            id="w",
            prompt="Multiply two by seven, please.",
            data={"tests": "assert f() == 1", "completion": "def f(): return 2"},
        )
    ]
    environment = environment_of("q.jsonl", wrong)
    with pytest.raises(Refused, match="its gold solution does not pass"):
        made(environment, wrong, None, "paraphrase")
