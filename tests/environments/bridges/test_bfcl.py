"""BFCL as an environment: its own checkers decide, no text of a model is executed, and episodes share nothing."""

import asyncio
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.rollout.shop import AGENT
from verigym.core import codec
from verigym.core.errors import BadInput, NotFound
from verigym.core.protocols import Context
from verigym.core.records import FunctionCall, Stop, Task, Toolset, Trajectory, Verdict
from verigym.environments.bridges import bfcl_rows
from verigym.environments.bridges.bfcl_package import Instances, module
from verigym.environments.bridges.install import install
from verigym.environments.load import load_environment
from verigym.harness.environment import EnvironmentSpec
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.episode import run_episode


@pytest.fixture(autouse=True)
def installed(folder: Path) -> None:
    install("bfcl")


async def play(spec: EnvironmentSpec, task: Task, replies: list[Any], kept: Any = None) -> tuple[Trajectory, Verdict]:
    trajectory = await run_episode(
        spec, task, ScriptedPolicy([*replies, ""]), agent=AGENT, id="e", group="g", keep_tools=kept or (lambda _: None)
    )
    stored = codec.decode(codec.encode(trajectory), Trajectory)
    [verdict] = await spec.verifier.verify(codec.decode(codec.encode(task), Task), [stored], Context())
    return trajectory, verdict


def played(spec: EnvironmentSpec, task: Task, replies: list[Any], kept: Any = None) -> tuple[Trajectory, Verdict]:
    return asyncio.run(play(spec, task, replies, kept))


def some(spec: EnvironmentSpec, count: int) -> list[Task]:
    tasks = [*spec.tasks("train"), *spec.tasks("val")]
    return tasks[:: max(1, len(tasks) // count)]


@pytest.mark.parametrize("category", [*bfcl_rows.SINGLE, *bfcl_rows.MULTI])
def test_gold_passes_and_cheats_fail(category: str) -> None:
    spec = load_environment(f"bfcl:{category}")
    assert spec.tasks("train") and spec.tasks("val")
    for task in some(spec, 4):
        trajectory, verdict = played(spec, task, spec.gold_replies(task))
        assert verdict.passed and trajectory.error is None, (task.id, verdict)
        for cheat in spec.cheat_replies(task):
            assert not played(spec, task, cheat)[1].passed, (task.id, cheat)


def test_tools_are_the_functions_of_the_row() -> None:
    spec, kept = load_environment("bfcl:simple_python"), list[Toolset]()
    task = next(task for task in some(spec, 400) if task.id == "simple_python_0")
    played(spec, task, ["hello"], kept.append)
    [tool] = kept[0].tools
    assert tool.name == "calculate_triangle_area" and tool.parameters["type"] == "object"
    assert tool.parameters["properties"]["base"]["type"] == "integer" and tool.parameters["required"] == [
        "base",
        "height",
    ]


def test_arguments_of_java_are_text() -> None:
    spec = load_environment("bfcl:simple_java?train=0")
    task = next(task for task in spec.tasks("val") if task.id == "simple_java_1")
    [tool] = bfcl_rows.question_tools(task)
    assert {each["type"] for each in tool["parameters"]["properties"].values()} == {"string"}
    [call] = bfcl_rows.gold_calls(task)
    assert isinstance(call, FunctionCall) and json.loads(call.arguments)["useShortName"] == "true"


def test_a_wrong_call_says_why() -> None:
    spec = load_environment("bfcl:simple_python?train=0")
    task = next(task for task in spec.tasks("val") if task.id == "simple_python_0")
    name = "calculate_triangle_area"
    for arguments, words in (
        ('{"base": 11, "height": 5}', "value_error"),
        ('{"base": 10}', "missing_required"),
        ("[1]", "not a JSON object"),
        ("{", "not a JSON object"),
    ):
        verdict = played(spec, task, [[FunctionCall("c", name, arguments)]])[1]
        assert verdict.reward == 0.0 and words in verdict.evidence
    assert "no function was called" in played(spec, task, ["Ten."])[1].evidence


def test_functions_that_are_missing_at_first_are_offered_later() -> None:
    spec, kept = load_environment("bfcl:multi_turn_miss_func?train=0"), list[Toolset]()
    task = spec.tasks("val")[0]
    [(later, [missing])] = task.data["missed"].items()
    trajectory, verdict = played(spec, task, spec.gold_replies(task), kept.append)
    names = [{tool.name for tool in each.tools} for each in kept]
    assert verdict.passed and len(kept) == 2 and names[1] - names[0] == {missing}
    users = [index for index, turn in enumerate(trajectory.turns) if turn.actor == "user"]
    assert trajectory.tools == kept[0].hash and trajectory.turns[users[int(later) - 1] + 1].tools == kept[1].hash
    assert not trajectory.turns[0].tools


def test_a_conversation_that_ends_early_fails_with_the_turn() -> None:
    spec = load_environment("bfcl:multi_turn_base?train=0")
    task = spec.tasks("val")[0]
    trajectory, verdict = played(spec, task, [*spec.gold_replies(task)[:2], "Done."])
    assert not verdict.passed and verdict.evidence.startswith("turn 2: no function was called")
    assert verdict.parts["turns"] == 0.25 and trajectory.stop is Stop.DONE


def test_a_model_that_calls_without_end_is_stopped() -> None:
    spec = load_environment("bfcl:multi_turn_base?train=0")
    task = spec.tasks("val")[0]
    trajectory, verdict = played(spec, task, [[FunctionCall(f"c{n}", "pwd", "{}")] for n in range(60)])
    assert len(trajectory.calls) == 21 and trajectory.stop is Stop.DONE and not verdict.passed


def test_episodes_at_once_share_nothing_and_globals_stay_empty() -> None:
    spec = load_environment("bfcl:multi_turn_base?train=0")
    task = spec.tasks("val")[0]
    executor = vars(module("eval_checker.multi_turn_eval.multi_turn_utils"))
    before = set(executor)

    async def run() -> list[tuple[Trajectory, Verdict]]:
        return await asyncio.gather(*(play(spec, task, spec.gold_replies(task)) for _ in range(5)))

    plays = asyncio.run(run())
    assert all(verdict.passed for _, verdict in plays)
    assert len({msgspec.json.encode(trajectory.items) for trajectory, _ in plays}) == 1
    assert set(executor) == before


@pytest.mark.parametrize("name", ["__import__('os').system", "_load_scenario", "__class__", "eval", "pwd()"])
def test_only_public_methods_can_be_called(name: str, tmp_path: Path) -> None:
    spec = load_environment("bfcl:multi_turn_base?train=0")
    task = spec.tasks("val")[0]
    instances = Instances(task.data["classes"], task.data["config"], long_context=False)
    assert instances.call(name, [], {}) == (f"Error during execution: name '{name}' is not defined", False)
    victim = tmp_path / "written"
    text = f"__import__('pathlib').Path({str(victim)!r}).touch()"
    calls = [FunctionCall("c", name, "{}"), FunctionCall("d", "cd", json.dumps({"folder": text}))]
    verdict = played(spec, task, [calls])[1]
    assert not verdict.passed and not victim.exists()


def test_a_huge_precision_does_not_hang_and_precision_is_not_shared() -> None:
    import mpmath

    before = mpmath.mp.dps
    instances = Instances(["MathAPI"], {}, long_context=False)
    assert "precision is more than" in instances.call("logarithm", [], {"value": 2, "base": 10, "precision": 10**9})[0]
    assert instances.call("logarithm", [], {"value": 2, "base": 10, "precision": 50})[1]
    assert mpmath.mp.dps == before


def test_a_family_is_on_the_same_side_in_every_category() -> None:
    sides: dict[str, set[str]] = {}
    for category in ("simple_python", "multiple", "parallel", "multi_turn_base", "multi_turn_miss_func"):
        spec = load_environment(f"bfcl:{category}")
        for split in ("train", "val"):
            for task in spec.tasks(split):
                sides.setdefault(task.family, set()).add(split)
    assert all(len(each) == 1 for each in sides.values())


def test_categories_are_joined_as_one_suite() -> None:
    joined = load_environment("bfcl:simple_python,live_simple?train=0").tasks("val")
    apart = [load_environment(f"bfcl:{name}?train=0").tasks("val") for name in ("simple_python", "live_simple")]
    assert [task.id for task in joined] == [task.id for tasks in apart for task in tasks]


def test_the_whole_category_can_be_held_out() -> None:
    spec = load_environment("bfcl:simple_javascript?train=0")
    assert spec.tasks("train") == [] and len(spec.tasks("val")) == 50 and spec.version.endswith("bfcl-eval-2026.3.23")


@pytest.mark.parametrize(
    ("where", "kind", "words"),
    [
        ("bfcl:simple", NotFound, "simple_python"),
        ("bfcl:web_search_base", NotFound, "cannot run here, because it searches the web"),
        ("bfcl:memory_kv", NotFound, "need a model to fill the memory"),
        ("bfcl:multiple?train=1", BadInput, "train must be a number from 0 to below 1"),
        ("bfcl:multiple?size=1", BadInput, "there is no option size"),
        ("bfcl:multiple,multiple", BadInput, "a category is named twice"),
        ("bfcl:multiple,multi_turn_base", BadInput, "cannot be joined"),
    ],
)
def test_a_wrong_name_or_option_is_refused_in_words(where: str, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind) as error:
        load_environment(where)
    assert words in str(error.value)
