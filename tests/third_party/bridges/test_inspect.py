"""inspect tasks with the real packages: HumanEval, tau2 with a played user, and a file of one's own."""

import asyncio
from pathlib import Path

import pytest

from verigym.agents.run import driven_runner
from verigym.audit.scripted_episodes import play
from verigym.core.errors import BadInput
from verigym.core.records import Fault, Stop, Version
from verigym.environments.load import load_environment
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.settings import EpisodeLimits, RunSettings

BRIDGE = "inspect"
OWN = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes, match
from inspect_ai.solver import generate

@task
def colours(word: str = "sky"):
    return Task(dataset=[Sample(input=f"Colour of the {word}?", target="blue")], solver=generate(),
                scorer=[match(), includes()])
"""
AGENT = Version(base="scripted", id="scripted")


def test_humaneval_runs_code_in_a_sandbox_and_its_exit_code_can_be_faked() -> None:
    spec = load_environment("inspect:humaneval")
    tasks = spec.tasks("val")
    assert len(tasks) == 164 and spec.drives_itself and not spec.needs_user

    async def rewards() -> list[float | None]:
        task = tasks[0]
        played = [await play(spec, task, replies) for replies in (spec.gold_replies(task), ["    return None"])]
        played += [await play(spec, task, cheat) for cheat in spec.cheat_replies(task)]
        assert played[0].trajectory.marked("not_rescorable")
        return [each.verdict.reward for each in played]

    gold, nothing, empty, exits = asyncio.run(rewards())
    assert (gold, nothing, empty) == (1.0, 0.0, 0.0)
    assert exits == 1.0, "inspect-evals 0.26.0 passes a function that ends the process with exit code 0"


def test_the_user_of_tau2_is_another_actor_and_doing_nothing_can_pass() -> None:
    spec = load_environment("inspect:tau2_airline")
    assert len(spec.tasks("val")) == 50 and spec.needs_user
    by_id = {task.id: task for task in spec.tasks("val")}

    async def played() -> None:
        acts = by_id["tau2_airline-2"]
        gold = await play(spec, acts, spec.gold_replies(acts))
        nothing = await play(spec, acts, ["I do not know."])
        assert (gold.verdict.reward, nothing.verdict.reward) == (1.0, 0.0)
        actors = [turn.actor for turn in gold.trajectory.turns]
        assert actors[0] == actors[-1] == "user" and set(actors[1:-1]) == {"policy"}
        refuses = await play(spec, by_id["tau2_airline-0"], ["I do not know."])
        assert refuses.verdict.passed, "no change of the database is expected"

    asyncio.run(played())


def test_a_task_of_ones_own_has_arguments_and_several_scores(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(OWN, encoding="utf-8")
    spec = load_environment(f"inspect:{file}@colours?word=sea&score=includes")
    [task] = spec.tasks("val")
    assert task.prompt == "Colour of the sea?" and task.id == "colours-1"
    played = asyncio.run(play(spec, task, ["It is blue, mostly."]))
    assert played.verdict.passed and played.verdict.parts == {"match": 0.0, "includes": 1.0}


def test_the_example_is_a_task_with_a_gold_reply_for_each_sample() -> None:
    spec = load_environment("inspect:examples/inspect_capitals.py@capitals")
    tasks = {task.id: task for task in spec.tasks("val")}
    norway = tasks["capitals-Norway"]
    assert len(tasks) == 5 and spec.gold_replies(norway) == ["Oslo"]
    gold, wrong = (asyncio.run(play(spec, norway, [words])).verdict for words in ("It is Oslo.", "It is Rome."))
    assert gold.passed and not wrong.passed


def test_an_episode_that_reaches_its_limit_fails_with_the_reason(tmp_path: Path) -> None:
    spec = load_environment("inspect:tau2_airline")
    task = spec.tasks("val")[2]

    async def run() -> None:
        settings = RunSettings(limits=EpisodeLimits(turns=1))
        user = ScriptedPolicy(["Hello.", "###STOP###"])
        async with driven_runner({"user": user}) as run_one:
            policy = ScriptedPolicy(spec.gold_replies(task))
            made = await run_one(spec, task, policy, settings, agent=AGENT, id="r/1/0", group="r/1")
        assert made.stop is Stop.MAX_TURNS and made.error is None

    asyncio.run(run())


def test_a_task_without_its_user_names_the_option() -> None:
    spec = load_environment("inspect:tau2_airline")
    task = spec.tasks("val")[0]

    async def run() -> None:
        async with driven_runner({}) as run_one:
            made = await run_one(spec, task, ScriptedPolicy(["x"]), agent=AGENT, id="r/1/0", group="r/1")
        assert made.error is not None and made.error.fault is Fault.INFRASTRUCTURE
        assert "Pass --user MODEL" in made.error.message

    asyncio.run(run())


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("inspect:humanevals", 'inspect has no task "humanevals". Did you mean humaneval'),
        ("inspect:missing.py@task", "missing.py does not exist"),
        ("inspect:humaneval?train=2", "train must be a number from 0 to below 1"),
        ("inspect:humaneval?nonsense=1", 'the task "humaneval" has no argument nonsense'),
    ],
)
def test_a_wrong_name_is_refused_in_words(where: str, words: str) -> None:
    with pytest.raises(BadInput) as error:
        load_environment(where)
    assert words in str(error.value)
