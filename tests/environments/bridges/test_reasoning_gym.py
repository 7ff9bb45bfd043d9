"""reasoning-gym as an environment: its own scores, splits that share no problem, and no answer that is executed."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.rollout.shop import AGENT
from verigym.audit.check import check_environment
from verigym.core import codec
from verigym.core.errors import BadInput, NotFound
from verigym.core.protocols import Context
from verigym.core.records import Task, Trajectory, Verdict
from verigym.environments.bridges.reasoning_gym import answer_in
from verigym.environments.bridges.safe_parsing import check_arithmetic
from verigym.environments.load import load_environment
from verigym.harness.environment import EnvironmentSpec
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.episode import run_episode

SMALL = "size=6&val=4"


def played(spec: EnvironmentSpec, task: Task, reply: str) -> tuple[Trajectory, Verdict]:
    async def run() -> tuple[Trajectory, Verdict]:
        trajectory = await run_episode(spec, task, ScriptedPolicy([reply]), agent=AGENT, id="e", group="g")
        stored = codec.decode(codec.encode(trajectory), Trajectory)
        [verdict] = await spec.verifier.verify(codec.decode(codec.encode(task), Task), [stored], Context())
        return trajectory, verdict

    return asyncio.run(run())


def test_an_answer_is_scored_by_the_generators_own_function() -> None:
    spec = load_environment(f"reasoning-gym:leg_counting?{SMALL}")
    assert (len(spec.tasks("train")), len(spec.tasks("val")), spec.tasks("test")) == (6, 4, [])
    task = spec.tasks("val")[0]
    _, right = played(spec, task, f"I count.\n<answer>0</answer> no, <answer> {task.data['answer']} </answer>")
    _, bare = played(spec, task, task.data["answer"])
    _, wrong = played(spec, task, "<answer>-1</answer>")
    assert (right.reward, right.passed, bare.passed, wrong.passed) == (1.0, True, True, False)
    assert wrong.reward is not None and wrong.reward < 0.1 and "expected" in wrong.evidence


def test_an_entry_with_tuples_scores_after_it_was_stored() -> None:
    spec = load_environment("reasoning-gym:rearc?size=2&val=2")
    task = spec.tasks("val")[0]
    assert played(spec, task, f"<answer>{task.data['answer']}</answer>")[1].passed


def test_splits_share_no_problem_whatever_the_seed_and_the_size() -> None:
    one = load_environment("reasoning-gym:tower_of_hanoi?size=40&val=20")
    two = load_environment("reasoning-gym:tower_of_hanoi?size=60&val=30&seed=1")
    train = {task.family for spec in (one, two) for task in spec.tasks("train")}
    val = {task.family for spec in (one, two) for task in spec.tasks("val")}
    assert train and val and not train & val
    assert {task.id for task in one.tasks("train")}.isdisjoint(task.id for task in two.tasks("train"))


def test_tasks_do_not_depend_on_the_hash_seed_of_the_process(tmp_path: Path) -> None:
    """`ransom_note` iterates over sets, so reasoning-gym itself makes other entries in every process."""
    code = (
        "from verigym.environments.load import load_environment;"
        "print([task.id + task.prompt for task in load_environment('reasoning-gym:ransom_note?size=3&val=3').tasks('val')])"
    )
    printed = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "VERIGYM_BRIDGES": str(tmp_path / seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert printed[0] == printed[1] and "ransom_note" in printed[0]


def test_the_version_names_the_package() -> None:
    spec = load_environment(f"reasoning-gym:leg_counting?{SMALL}")
    assert spec.version.endswith("-reasoning-gym-0.1.25")
    assert spec.verifier.name.startswith("reasoning_gym@")


def test_a_question_that_changed_is_the_verifiers_failure() -> None:
    spec = load_environment(f"reasoning-gym:leg_counting?{SMALL}")
    task = msgspec.structs.replace(spec.tasks("val")[0], prompt="How many legs has a table?")
    verdict = played(spec, task, "4")[1]
    assert verdict.reward is None and verdict.error is not None and "another question" in verdict.error.message


@pytest.mark.parametrize(
    ("where", "kind", "words"),
    [
        ("reasoning-gym:leg_countin", NotFound, 'Did you mean "leg_counting"?'),
        ("reasoning-gym:leg_counting?legs=3", BadInput, "Its options are max_animals"),
        ("reasoning-gym:leg_counting?min_animals=0", BadInput, "min_animals must be positive"),
        ("reasoning-gym:composite", BadInput, "Must specify at least one dataset"),
    ],
)
def test_a_wrong_generator_or_option_is_refused_in_words(where: str, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind) as error:
        load_environment(where)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("name", "check", "outcome", "words"),
    [
        ("game_of_life_halting", "cheats do not pass", "fail", "a reply that should fail passed"),
        ("prime_factorization", "nonsense never crashes it", "fail", "invalid literal for int()"),
        ("spell_backward?size=30&val=30", "cheats do not pass", "unclear", "says nothing should earn almost nothing"),
        ("rubiks_cube", "gold solutions pass", "unclear", "no task has an answer"),
    ],
)
def test_check_finds_the_known_faults(name: str, check: str, outcome: str, words: str) -> None:
    where = f"reasoning-gym:{name}" + ("" if "?" in name else f"?{SMALL}")
    [found] = [each for each in check_environment(load_environment(where)) if each.name == check]
    assert found.outcome == outcome and words in found.words, found


def test_an_answer_is_never_executed(tmp_path: Path) -> None:
    victim = tmp_path / "written"
    for generator in ("string_insertion", "polynomial_multiplication", "countdown", "simple_integration"):
        spec = load_environment(f"reasoning-gym:{generator}?size=2&val=2")
        for text in (f"__import__('pathlib').Path({str(victim)!r}).touch()", f"open({str(victim)!r}, 'w')"):
            assert not played(spec, spec.tasks("val")[0], f"<answer>{text}</answer>")[1].passed
    assert not victim.exists()


@pytest.mark.parametrize("text", ["x**2/2 + C", "(3 + 4)*2 - 1", "sin(2*x)**2*exp(-x)", "-7*y**11 + 1/3", "(x + 1)**3"])
def test_arithmetic_is_parsed(text: str) -> None:
    check_arithmetic(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a b",
        "x.y",
        "[1]",
        "'a'*9",
        "f(1)",
        "lambda: 1",
        "9**9**9",
        "(9**999)**999",
        "(x + y + 1)**500",
        "1" * 3000,
        "_x",
    ],
)
def test_anything_else_and_what_is_too_large_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        check_arithmetic(text)


def test_the_last_answer_counts() -> None:
    assert answer_in("<answer>1</answer> <answer>\n2\n</answer> bye") == "2" and answer_in(" 3 ") == "3"
