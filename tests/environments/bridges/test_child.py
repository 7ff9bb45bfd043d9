"""Child environments: another Python answers over HTTP, and a child that dies is one failed record."""

import asyncio
import os
import signal
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from verigym.audit.scripted_episodes import ScriptedEpisode, play
from verigym.core.errors import BadInput
from verigym.core.records import Fault, FunctionCall, Task, Version
from verigym.environments.bridges.child import Child, Episode, StepEpisode, ToolEpisode
from verigym.environments.bridges.processes import ChildProcess
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.episode import run_episode
from verigym.verifiers.external import external_verdict
from verigym.verifiers.lift import lift

ADAPTER = Path(__file__).with_name("counter_adapter.py")


@pytest.fixture
def child() -> Iterator[Child]:
    made = Child("counter", ADAPTER, python=sys.executable)
    yield made
    made.stop()


def spec_of(child: Child, base: type[Episode]) -> EnvironmentSpec:
    rows = child.ask_now("tasks")
    kind = type("Environment", (base,), {"child": child, "__module__": __name__})
    return EnvironmentSpec(
        name="counter:all",
        tasks=lambda split: [Task(id=row["id"], prompt="Count.", data={"row": row}, split=split) for row in rows],
        factory=kind,
        toolbox=ToolBox(kind),
        verifiers={"external_verdict": lift("external_verdict", external_verdict)},
        suites={"val": "val"},
    )


def run(spec: EnvironmentSpec, number: int, replies: list[Any]) -> ScriptedEpisode:
    return asyncio.run(play(spec, spec.tasks("val")[number], replies))


def test_calls_reach_the_child_and_its_verdict_comes_back(child: Child) -> None:
    spec = spec_of(child, ToolEpisode)
    add = [FunctionCall("c", "add", "{}")]
    played = run(spec, 1, [add, add])
    assert played.verdict.passed and played.trajectory.rewards == [0.5, 0.5]
    assert played.trajectory.end_state["pid"] != os.getpid()
    assert played.trajectory.marked("not_rescorable")
    assert not run(spec, 1, ["I did nothing."]).verdict.passed


def test_replies_reach_the_child(child: Child) -> None:
    played = run(spec_of(child, StepEpisode), 2, ["one", "two", "three"])
    assert played.verdict.passed and played.trajectory.rewards == [0.5, 0.5, 0.5]


def test_an_exception_in_the_child_is_the_environments_fault(child: Child) -> None:
    error = run(spec_of(child, StepEpisode), 2, ["fail"]).trajectory.error
    assert error is not None and error.fault is Fault.ENVIRONMENT
    assert "RuntimeError: the counter fell down" in error.message


def test_a_killed_child_is_one_failed_record_and_the_next_episode_starts_another(child: Child) -> None:
    spec = spec_of(child, StepEpisode)
    pids: list[int] = []

    def kill(request: Any) -> str:
        os.kill(child._pool.start().pid, signal.SIGKILL)
        return "one"

    async def episodes() -> list[Any]:
        policies = [ScriptedPolicy(["one", "two"]), ScriptedPolicy(kill), ScriptedPolicy(["one", "two"])]
        agent = Version(base="scripted", id="scripted")
        return [
            await run_episode(spec, spec.tasks("val")[1], policy, agent=agent, id=f"{n}", group="g")
            for n, policy in enumerate(policies)
        ]

    first, broken, last = asyncio.run(episodes())
    assert broken.error is not None and broken.error.fault is Fault.INFRASTRUCTURE
    assert "The next episode starts a new process" in broken.error.message
    pids = [each.end_state["pid"] for each in (first, last)]
    assert first.error is None and last.error is None and pids[0] != pids[1]


def test_a_child_that_hangs_is_killed_and_named() -> None:
    child = Child("counter", ADAPTER, python=sys.executable, seconds=0.5)
    spec = spec_of(child, StepEpisode)
    error = run(spec, 2, ["hang"]).trajectory.error
    assert error is not None and error.fault is Fault.INFRASTRUCTURE and "no answer in time" in error.message
    assert run(spec, 0, ["one"]).verdict.passed
    child.stop()


def test_sessions_above_the_limit_get_a_process_of_their_own() -> None:
    child = Child("counter", ADAPTER, python=sys.executable, at_once=1)

    async def pids() -> set[int]:
        sessions = [await child.open({"goal": 1}) for _ in range(2)]
        found = {session.pid for session in sessions}
        for session in sessions:
            await session.close()
        return found

    assert len(asyncio.run(pids())) == 2
    child.stop()


@pytest.mark.parametrize(
    ("options", "words"),
    [({"broken": True}, "cannot start: .*the counter is broken"), ({"refuse": True}, "there is no such counter")],
    ids=["broken", "refused"],
)
def test_a_child_that_cannot_list_its_tasks_says_why(options: dict[str, Any], words: str) -> None:
    child = Child("counter", ADAPTER, options, python=sys.executable)
    with pytest.raises(BadInput, match=words):
        child.ask_now("tasks")
    child.stop()


def test_tasks_are_listed_once_and_then_read_from_a_file(
    child: Child, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIGYM_BRIDGES", str(tmp_path))
    rows = child.tasks()
    child.stop()
    other = Child("counter", ADAPTER, python=sys.executable)
    assert other.tasks() == rows and other._pool._all == []
    assert Child("counter", ADAPTER, {"more": 1}, python=sys.executable).tasks() != rows  # other options, another child


def test_nobody_without_the_secret_can_ask(child: Child) -> None:
    url = child._pool.start().url
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(urllib.request.Request(f"{url}/tasks", b"{}", {"authorization": "Bearer guess"}))


@pytest.mark.parametrize("name", ["_private", "os", "no_such"])
def test_only_public_functions_of_the_adapter_can_be_called(child: Child, name: str) -> None:
    with pytest.raises(BadInput, match=f'The bridge counter: The adapter has no "{name}"'):
        child.ask_now(name)


def test_a_child_that_never_listens_is_stopped_and_the_error_says_how_long_it_had() -> None:
    hangs = [sys.executable, "-c", "import time; time.sleep(600)"]
    with pytest.raises(BadInput, match="The counter cannot start: it did not listen within 1 s"):
        ChildProcess("The counter", hangs, start_s=1.0)


def test_a_child_that_dies_while_it_is_idle_is_replaced(child: Child) -> None:
    for _ in range(5):
        victim = child._pool.start().pid
        os.kill(victim, signal.SIGKILL)  # its end may not be seen yet
        assert {row["pid"] for row in child.ask_now("tasks")}.isdisjoint({victim})
