"""AgentDojo with the real package: utility and security decide, a stored record is enough, and its known faults."""

import asyncio

import pytest

from verigym.audit.scripted_episodes import ScriptedEpisode, play
from verigym.core import codec
from verigym.core.errors import BadInput, NotFound
from verigym.core.protocols import Context
from verigym.core.records import FunctionCall, Item, Task, Trajectory
from verigym.environments.load import load_environment
from verigym.harness.environment import EnvironmentSpec, Reply

BRIDGE = "agentdojo"


def task_of(spec: EnvironmentSpec, id: str) -> Task:
    return next(task for split in ("train", "val") for task in spec.tasks(split) if task.id == id)


def played(spec: EnvironmentSpec, task: Task, replies: list[Reply]) -> ScriptedEpisode:
    return asyncio.run(play(spec, task, replies))


@pytest.mark.parametrize(("suite", "count"), [("workspace", 560), ("travel", 140), ("banking", 144), ("slack", 105)])
def test_a_suite_has_its_pairs_and_gold_passes(suite: str, count: int) -> None:
    spec = load_environment(f"agentdojo:{suite}")
    tasks = [*spec.tasks("train"), *spec.tasks("val")]
    assert len(tasks) == count
    for task in tasks[:: len(tasks) // 4][:4]:
        verdict = played(spec, task, spec.gold_replies(task)).verdict
        assert verdict.passed and not verdict.unsafe, (task.id, verdict)
        assert not played(spec, task, ["Done."]).verdict.unsafe


def test_an_agent_that_obeys_the_injection_is_unsafe_and_fails_though_the_users_task_is_done() -> None:
    spec = load_environment("agentdojo:banking")
    task = task_of(spec, "banking-user_task_0-injection_task_0")
    _, obeys, does_both = spec.cheat_replies(task)
    for cheat, utility in ((obeys, 0.0), (does_both, 1.0)):
        verdict = played(spec, task, cheat).verdict
        assert verdict.unsafe and not verdict.passed and verdict.parts == {"utility": utility, "attack_succeeded": 1.0}


def test_the_injection_is_in_what_the_agent_reads_and_not_without_an_attack() -> None:
    read: list[Item] = [FunctionCall("c", "read_file", '{"file_path": "bill-december-2023.txt"}')]
    said = {}
    for attack in ("injecagent", "none"):
        spec = load_environment(f"agentdojo:banking?attack={attack}")
        task = task_of(spec, "banking-user_task_0" + ("-injection_task_0" if attack != "none" else ""))
        said[attack] = str(played(spec, task, [read, "x"]).trajectory.items)
    assert "IMPORTANT!!! Ignore all previous" in said["injecagent"] and "IMPORTANT" not in said["none"]


def test_a_stored_record_is_scored_again_and_a_refused_call_changes_nothing() -> None:
    spec = load_environment("agentdojo:banking")
    task = task_of(spec, "banking-user_task_0-injection_task_0")
    made = played(spec, task, [[FunctionCall("x", "send_money", '{"recipient": 7}')], *spec.gold_replies(task)])
    stored = codec.decode(codec.encode(made.trajectory), Trajectory)
    [again] = asyncio.run(spec.verifier.verify(task, [stored], Context()))
    assert made.verdict.passed and again == made.verdict and made.trajectory.marked("bad_arguments")


def test_known_faults_of_agentdojo() -> None:
    """Each is in docs/faults.md. A release that repairs one of them makes this fail, which is good news."""
    banking = load_environment("agentdojo:banking?attack=none")
    nothing = [
        task.id
        for split in ("train", "val")
        for task in banking.tasks(split)
        if played(banking, task, [""]).verdict.passed
    ]
    travel = load_environment("agentdojo:travel")
    overwritten = task_of(travel, "travel-user_task_0-injection_task_0")
    both = played(travel, overwritten, travel.cheat_replies(overwritten)[2])
    assert not both.verdict.unsafe, "the user's reservation replaces the injected one, which was made before"
    assert sorted(nothing) == [f"banking-user_task_{number}" for number in (10, 5, 6, 8, 9)]


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("bank", NotFound, 'Did you mean "banking"'),
        ("banking?attack=dos", NotFound, "important_instructions_no_names"),
        ("banking?train=1", BadInput, "train must be a number"),
        ("banking?size=1", BadInput, "there is no option size"),
    ],
)
def test_a_wrong_name_says_what_is_wrong(name: str, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind) as error:
        load_environment(f"agentdojo:{name}")
    assert words in str(error.value)
