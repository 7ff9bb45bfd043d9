"""Servers of OpenEnv's own SDK, in the virtual environment of the bridge: sessions, refused actions, a full and a dead server."""

import asyncio
import os
import signal
import socket
from pathlib import Path
from typing import Any

import pytest

from verigym.audit.scripted_episodes import ScriptedEpisode, play
from verigym.core.errors import BadInput
from verigym.core.records import Fault, FunctionCall, Stop
from verigym.environments.load import load_environment
from verigym.harness.environment import EnvironmentSpec

BRIDGE = "openenv"
ROWS = "#examples/openenv_guess.jsonl"
GUESSING = f"openenv:examples/openenv_guess.py:app{ROWS}"


def act(arguments: str) -> list[Any]:
    return [FunctionCall("c", "act", arguments)]


@pytest.fixture(scope="module")
def spec() -> EnvironmentSpec:
    return load_environment(GUESSING)


def played(spec: EnvironmentSpec, *replies: Any) -> ScriptedEpisode:
    return asyncio.run(play(spec, spec.tasks("val")[0], list(replies)))


def test_gold_passes_with_the_reward_of_its_step_and_doing_nothing_fails(spec: EnvironmentSpec) -> None:
    task = spec.tasks("val")[0]
    gold = played(spec, *spec.gold_replies(task), "never asked")
    assert gold.verdict.passed and gold.trajectory.rewards == [1.0] and gold.trajectory.stop is Stop.DONE
    assert played(spec, "Done.").verdict.reward == 0.0
    seen = played(spec, [FunctionCall("o", "observe", "{}")], "Done.").trajectory
    assert "Guess a number from 0 to 9." in str(seen.items)


def test_sessions_at_once_are_apart(spec: EnvironmentSpec) -> None:
    tasks = [*spec.tasks("train"), *spec.tasks("val")] * 3

    async def run() -> list[ScriptedEpisode]:
        return await asyncio.gather(*(play(spec, task, spec.gold_replies(task)) for task in tasks))

    assert all(each.verdict.passed for each in asyncio.run(run()))


def test_a_server_that_dies_fails_one_episode_and_the_next_starts_another(spec: EnvironmentSpec) -> None:
    server: Any = spec.factory.server  # type: ignore[attr-defined]
    task = spec.tasks("val")[0]

    async def run() -> tuple[ScriptedEpisode, ScriptedEpisode]:
        broken = spec.factory()
        await broken.open(task)
        os.kill(server._processes.start().pid, signal.SIGKILL)
        with pytest.raises(Exception, match=r"closed the session during step|Check that the OpenEnv server"):
            await broken.call("act", {"number": 1})
        await broken.close()
        return await play(spec, task, ["x"]), await play(spec, task, spec.gold_replies(task))

    nothing, gold = asyncio.run(run())
    assert nothing.trajectory.error is None and gold.verdict.passed


def test_a_server_that_is_away_or_silent_is_a_failure_of_the_infrastructure(tmp_path: Path) -> None:
    rows = Path("examples/openenv_guess.jsonl").absolute()
    with socket.create_server(("127.0.0.1", 0)) as silent:  # it accepts and never answers
        port = silent.getsockname()[1]
        spec = load_environment(f"openenv:http://127.0.0.1:{port}#{rows}?seconds=1")
        error = played(spec, "x").trajectory.error
        assert error is not None and error.fault is Fault.INFRASTRUCTURE and "no answer in 1 s" in error.message
    error = played(spec, "x").trajectory.error
    assert error is not None and error.fault is Fault.INFRASTRUCTURE and "OpenEnv server is running" in error.message


def test_a_server_that_starts_slowly_is_not_away(tmp_path: Path) -> None:
    """The limit of an answer begins when the application has started."""
    file = tmp_path / "slow.py"
    start = (
        "\n\nasync def slow(scope, receive, send):\n    if scope['type'] == 'lifespan':\n        await asyncio.sleep(12)\n"
        "    await app(scope, receive, send)\n"
    )
    file.write_text(f"import asyncio\n{Path('examples/openenv_guess.py').read_text()}{start}")
    spec = load_environment(f"openenv:{file}:slow{ROWS}?seconds=10")
    gold = played(spec, *spec.gold_replies(spec.tasks("val")[0]))
    assert gold.trajectory.error is None and gold.verdict.passed


def test_a_full_server_says_so_and_an_action_that_it_refuses_is_the_models_affair(tmp_path: Path) -> None:
    text = Path("examples/openenv_guess.py").read_text()
    file = tmp_path / "full.py"
    text = text.replace("max_concurrent_envs=64", "max_concurrent_envs=1")
    text = text.replace("    number: int\n", "    number: int\n    day: date = None\n")
    file.write_text(f"from datetime import date\n{text}")
    spec = load_environment(f"openenv:{file}:app{ROWS}")
    task = spec.tasks("val")[0]

    async def run() -> list[ScriptedEpisode]:
        return await asyncio.gather(*(play(spec, task, [act('{"number": 1, "day": "x"}'), "x"]) for _ in range(2)))

    one, other = sorted(asyncio.run(run()), key=lambda each: each.trajectory.error is not None)
    assert "day: Input should be a valid date" in str(one.trajectory.items) and one.trajectory.marked("tool_error")
    error = other.trajectory.error
    assert error is not None and error.fault is Fault.INFRASTRUCTURE and "Raise max_concurrent_envs" in error.message


def test_an_error_that_openenv_cannot_write_is_the_environments_fault(tmp_path: Path) -> None:
    """openenv 0.10.0 closes the session if a validator of the action raises: it cannot write the exception as JSON."""
    text = Path("examples/openenv_guess.py").read_text()
    check = (
        "\n    @field_validator('number')\n    def low(cls, value):\n        assert value < 10\n        return value\n"
    )
    file = tmp_path / "strict.py"
    file.write_text(text.replace("    number: int\n", f"    number: int\n{check}").replace(
        "import random", "import random\nfrom pydantic import field_validator"))  # fmt: skip
    error = played(load_environment(f"openenv:{file}:app{ROWS}"), act('{"number": 11}'), "x").trajectory.error
    assert error is not None and error.fault is Fault.ENVIRONMENT and "Unable to serialize" in error.message


def test_a_row_without_a_prompt_is_refused(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"reset": {}}\n')
    with pytest.raises(BadInput, match=r"rows\.jsonl line 1: .*prompt"):
        load_environment(f"openenv:http://127.0.0.1:9#{rows}").tasks("val")
