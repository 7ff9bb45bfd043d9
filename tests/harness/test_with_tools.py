"""Episodes with the tools of a tools file: failures are records that say whose fault they are, and nothing hangs."""

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.harness import mcp_server
from tests.harness.local_api import local_api
from verigym.core.records import Fault, FunctionCall, Stop, Task, Trajectory, Version
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox, tool
from verigym.harness.tools_file import ToolsFile
from verigym.harness.with_tools import with_tools
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.episode import run_episode
from verigym.rollout.settings import EpisodeLimits, RunSettings
from verigym.verifiers.lift import lift

TASK = Task(id="t", prompt="go")


class Shop:
    """A state of its own, with a tool and a close that belong to one thread."""

    closed: list[str] = []

    def open(self, task: Task) -> None:
        import sqlite3

        self.database = sqlite3.connect(":memory:")

    @tool
    def own(self) -> str:
        """The environment's own tool."""
        return str(self.database.execute("select 7").fetchone()[0])

    def close(self) -> None:
        self.database.close()
        self.closed.append("closed")


def shop() -> EnvironmentSpec:
    return EnvironmentSpec(
        name="shop",
        tasks=lambda split: [TASK],
        factory=Shop,
        toolbox=ToolBox(Shop),
        verifiers={"verify": lift("shop", lambda task, trajectory: 1.0)},
        suites={},
    )


def read(folder: Path, text: str) -> ToolsFile:
    (folder / "tools.yaml").write_text(text)
    return ToolsFile(folder / "tools.yaml")


async def episode(file: ToolsFile, *calls: tuple[str, Any], seconds: float = 60) -> Trajectory:
    replies = [[FunctionCall(f"c{at}", name, json.dumps(arguments))] for at, (name, arguments) in enumerate(calls)]
    return await run_episode(
        with_tools(shop(), file),
        TASK,
        ScriptedPolicy([*replies, "Done."]),
        RunSettings(limits=EpisodeLimits(seconds=seconds)),
        agent=Version(base="scripted", id="v"),
        id="e",
        group="g",
    )


def outputs(trajectory: Trajectory) -> list[str]:
    return [item.output for item in trajectory.items if hasattr(item, "output")]  # type: ignore[union-attr]


def test_own_tools_and_those_of_the_file_work_side_by_side(tmp_path: Path) -> None:
    file = read(tmp_path, "tools: [{name: say, command: [echo, hello], calls: 1, unsafe_if: 'true'}]")
    trajectory = asyncio.run(episode(file, ("own", {}), ("say", {}), ("say", {"x": 1}), ("none", {})))
    assert outputs(trajectory)[:2] == ["7", "hello"] and trajectory.stop is Stop.MAX_CALLS
    assert [mark.kind for mark in trajectory.marks] == ["executed", "unsafe", "executed", "tool_limit"]
    assert Shop.closed


def test_arguments_that_do_not_fit_are_the_fault_of_the_model(tmp_path: Path) -> None:
    parameters = "{type: object, properties: {n: {type: integer, minimum: 1}}, required: [n]}"
    file = read(tmp_path, f"tools: [{{name: say, command: [echo, '{{n}}'], parameters: {parameters}}}]")
    trajectory = asyncio.run(episode(file, ("say", {"n": 0}), ("say", {"n": 2})))
    assert [mark.kind for mark in trajectory.marks] == ["bad_arguments", "executed"] and trajectory.error is None


def test_a_server_that_is_down_is_the_fault_of_the_infrastructure(tmp_path: Path) -> None:
    trajectory = asyncio.run(
        episode(read(tmp_path, "tools: [{name: get, http: 'GET http://127.0.0.1:9/x'}]"), ("get", {}))
    )
    assert trajectory.error is not None and trajectory.error.fault is Fault.INFRASTRUCTURE
    assert "no server answers at http://127.0.0.1:9" in trajectory.error.message


def test_a_missing_secret_is_the_fault_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_TOKEN", raising=False)
    text = "tools: [{name: get, http: {url: 'http://127.0.0.1:9/x', headers: {A: '${NO_SUCH_TOKEN}'}}}]"
    trajectory = asyncio.run(episode(read(tmp_path, text), ("get", {})))
    assert trajectory.error is not None and trajectory.error.fault is Fault.ENVIRONMENT
    assert "NO_SUCH_TOKEN is not set" in trajectory.error.message


def test_a_function_that_hangs_ends_at_its_limit(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("import time\ndef wait() -> str:\n    time.sleep(600)\n")
    started = time.monotonic()
    file = read(tmp_path, "tools: [{name: wait, python: 'slow.py:wait', seconds: 0.3}]")
    trajectory = asyncio.run(episode(file, ("wait", {})))
    assert trajectory.stop is Stop.TOOL_TIME_OUT and "more than 0.3 s" in outputs(trajectory)[0]
    assert time.monotonic() - started < 60


def test_an_episode_that_waits_for_a_server_ends_at_its_own_limit(tmp_path: Path) -> None:
    async def main() -> Trajectory:
        async with local_api() as api:
            return await episode(
                read(tmp_path, f"tools: [{{name: get, http: 'GET {api.url}/hang'}}]"), ("get", {}), seconds=1
            )

    trajectory = asyncio.run(main())
    assert trajectory.stop is Stop.TIME_OUT


SERVERS = "servers: {{s: {{command: {command}, env: {env}}}}}"


def mcp_file(folder: Path) -> ToolsFile:
    pytest.importorskip("mcp")
    return read(folder, SERVERS.format(command=json.dumps([sys.executable, mcp_server.__file__]), env="{}"))


def test_each_episode_has_a_server_of_its_own(tmp_path: Path) -> None:
    async def main() -> list[Trajectory]:
        file = mcp_file(tmp_path)
        return await asyncio.gather(
            *(episode(file, ("count", {}), ("add", {"a": 1, "b": 2}), ("count", {})) for _ in range(4))
        )

    assert [outputs(each) for each in asyncio.run(main())] == [["1", "3", "3"]] * 4


def test_a_killed_server_leaves_one_failed_record(tmp_path: Path) -> None:
    trajectory = asyncio.run(episode(mcp_file(tmp_path), ("count", {}), ("die", {}), ("count", {})))
    assert trajectory.stop is Stop.ERROR and trajectory.error is not None
    assert (
        trajectory.error.fault is Fault.INFRASTRUCTURE
        and "Its last words: the disk is full" in trajectory.error.message
    )
    assert not trajectory.scorable and outputs(trajectory) == ["1"]


def test_an_error_of_an_mcp_tool_is_marked(tmp_path: Path) -> None:
    trajectory = asyncio.run(episode(mcp_file(tmp_path), ("fail", {})))
    assert trajectory.marked("tool_error") and trajectory.error is None
