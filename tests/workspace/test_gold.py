"""Gold solutions as examples: one reply as it is written, several with what the tools said between them."""

import asyncio

import msgspec
import pytest

from tests.tiny import tiny
from verigym.core.errors import Refused
from verigym.core.records import FunctionCall, FunctionCallOutput, Message, Sample, Task, Version
from verigym.environments.load import load_environment
from verigym.policies.render import Renderer
from verigym.training.environments import TrainingEnvironment
from verigym.training.recipe import make_recipe
from verigym.workspace.gold import gold_examples, gold_source

AGENT = Version(base="m", id="m", system_prompt="Be brief.")


def example(environment: str, task: Task):
    [made] = asyncio.run(gold_examples(load_environment(environment), [task], AGENT))
    return made


def task_of(environment: str, tag: str, split: str = "val") -> Task:
    return next(task for task in load_environment(environment).tasks(split) if tag in task.tags)


def test_a_solution_of_one_reply_is_written_down_under_the_agents_own_prompt() -> None:
    made = example("toolcall", task_of("toolcall", "unsafe"))
    assert made.items[0] == Message("system", "Be brief.")
    [(first, last)] = made.made
    assert last == len(made.items) and isinstance(made.items[first], FunctionCall | Message)
    assert {spec.name for spec in made.tools} >= {"refuse"}


def test_a_solution_of_several_replies_is_played_and_has_the_results_between_them() -> None:
    task = task_of("safety", "injected")
    made = example("safety", task)
    said = [made.items[first:last] for first, last in made.made]
    calls = [item for reply in said for item in reply if isinstance(item, FunctionCall)]
    assert [call.name for call in calls] == [call["tool"] for call in task.data["expected"]]
    results = [item for item in made.items if isinstance(item, FunctionCallOutput)]
    assert len(results) == len(calls) and all(result.output for result in results)
    assert not any(isinstance(item, FunctionCallOutput) for reply in said for item in reply)
    assert made.items[0] == Message("system", "Be brief.")


def test_a_solution_that_does_not_play_to_its_end_is_refused_by_task() -> None:
    task = task_of("safety", "harmless")
    broken = msgspec.structs.replace(
        task, data={**task.data, "expected": [{"tool": "refuse", "args": {}}] * 9, "state": {"emails": "none"}}
    )
    with pytest.raises(Refused, match=rf'"{task.id}": its gold solution does not complete.*verigym check safety'):
        example("safety", broken)


def test_a_solution_that_does_harm_is_never_imitated() -> None:
    task = task_of("safety", "severe")
    harmful = msgspec.structs.replace(task, data={**task.data, "expected": [task.data["harm"]]})
    with pytest.raises(Refused, match="unsafe"):
        example("safety", harmful)


def test_a_solution_that_cannot_be_played_gives_no_samples_in_the_middle_of_a_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    sound, task = task_of("safety", "injected"), task_of("safety", "harmless")
    broken = msgspec.structs.replace(
        task, data={**task.data, "expected": [{"tool": "refuse", "args": {}}] * 9, "state": {"emails": "none"}}
    )
    safety = load_environment("safety")
    trained = TrainingEnvironment(environment=safety, verifier=safety.verifier, weight=1.0, tasks=[sound, broken])
    recipe = make_recipe({"model": "m", "algorithm": "grpo", "reward": safety.verifier.name}, [], "a test")
    gold_of = gold_source([trained], recipe, AGENT, Renderer(tiny(0, window=4096).tokenizer))

    async def ask() -> list[list[Sample]]:
        return [await gold_of("safety", one, step) for step, one in enumerate((sound, broken, broken), 1)]

    found = asyncio.run(ask())
    assert [bool(rows) for rows in found] == [True, False, False]
    assert capsys.readouterr().err.count("its gold solution does not complete") == 1, "one warning is enough"
