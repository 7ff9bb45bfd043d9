"""NeMo Gym both ways, with the real package: its servers under our loop, and our servers under its agent. Clients of MCP too.

The package is installed in a virtual environment of its own (`verigym bridges install nemogym`), in `.bridges` of the repository.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.servers.serving import serving
from verigym.audit.scripted_episodes import play
from verigym.core.errors import BadInput
from verigym.core.records import Fault, FunctionCall, Task, Version
from verigym.environments.bridges.install import folder_of, install
from verigym.environments.bridges.nemogym_host import names, servers
from verigym.environments.load import load_environment
from verigym.harness.environment import EnvironmentSpec
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.episode import run_episode
from verigym.servers.environment_mcp import mcp_app
from verigym.servers.environment_nemogym import nemogym_app, rows
from verigym.servers.environment_sessions import EnvironmentSessions, SessionLimits

AGENT = Path(__file__).with_name("nemo_agent.py")


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIGYM_BRIDGES", str(Path(__file__).parents[2] / ".bridges"))
    install("nemogym")


def test_all_example_rows_of_the_workplace_server_score_1_with_gold_and_0_with_nothing() -> None:
    spec = load_environment("nemogym:workplace_assistant")
    tasks = spec.tasks("val")
    assert len(tasks) == 5 and spec.version.endswith("nemo-gym-0.4.0") and list(spec.verifiers) == ["nemogym"]

    async def run() -> None:
        for task in tasks:
            gold = await play(spec, task, spec.gold_replies(task))
            nothing = await play(spec, task, ["I did nothing."])
            assert (gold.verdict.reward, nothing.verdict.reward) == (1.0, 0.0), task.id
            assert {mark.kind for mark in gold.trajectory.marks} == {"executed"}
        plays = await asyncio.gather(*(play(spec, tasks[0], spec.gold_replies(tasks[0])) for _ in range(8)))
        assert all(each.verdict.passed for each in plays)

    asyncio.run(run())


def test_a_server_whose_verdict_reads_the_session_gives_it_at_the_end() -> None:
    spec = load_environment("nemogym:example_session_state_mgmt")
    assert list(spec.verifiers) == ["external_verdict"]
    task = spec.tasks("val")[0]
    played = asyncio.run(play(spec, task, ["Done."]))
    assert played.trajectory.marked("not_rescorable") and played.verdict.reward == 0.0


def test_servers_of_the_wheel_are_listed_and_an_unknown_one_is_named() -> None:
    assert len(names()) > 90
    with pytest.raises(Exception, match="workplace_assistant"):
        load_environment("nemogym:workplace_assistent")


def test_a_server_that_cannot_start_says_why() -> None:
    with pytest.raises(BadInput, match="cannot start"):
        servers("no_such_server", {}).start()


def test_a_server_that_is_killed_in_an_episode_is_the_infrastructures_fault() -> None:
    spec = load_environment("nemogym:workplace_assistant?turns=9")
    task = spec.tasks("val")[0]
    from verigym.environments.bridges import nemogym

    def kill(request: object) -> list[FunctionCall]:
        nemogym.servers_of(spec.factory.source).start().kill()  # type: ignore[attr-defined]
        gold = spec.gold_replies(task)[0]
        return [item for item in gold if isinstance(item, FunctionCall)]

    agent = Version(base="scripted", id="scripted")
    broken = asyncio.run(run_episode(spec, task, ScriptedPolicy(kill), agent=agent, id="x", group="x"))
    assert broken.error is not None and broken.error.fault is Fault.INFRASTRUCTURE
    assert asyncio.run(play(spec, task, spec.gold_replies(task))).verdict.passed  # it was started again


def test_a_server_ends_with_the_process_that_started_it() -> None:
    code = (
        "import sys, time\nfrom verigym.environments.bridges.nemogym_host import servers\n"
        "print(servers('workplace_assistant', {}).start().pid, flush=True)\ntime.sleep(600)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    server = int(parent.stdout.readline())
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    limit = time.monotonic() + 60
    while time.monotonic() < limit and _runs(server):
        time.sleep(0.05)
    assert not _runs(server)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize("name", ["workplace", "toolcall", "math"])
def test_our_server_scores_1_with_gold_and_fails_nothing_under_their_agent(name: str, tmp_path: Path) -> None:
    spec = load_environment(name)
    served = EnvironmentSessions(spec, "val", SessionLimits())
    tasks = list(served.tasks.values())[:4]
    made = asyncio.run(_rows(spec, tasks))
    episodes = [
        {"row": row, "replies": replies}
        for row, task in zip(made, tasks, strict=True)
        for replies in (_scripted(spec, task), ["I did nothing."])
    ]
    file = tmp_path / "episodes.json"
    file.write_text(json.dumps(episodes))
    with serving(nemogym_app(served)) as url:
        python = str(folder_of("nemogym") / "bin" / "python")
        done = subprocess.run([python, "-P", str(AGENT), url, str(file)], capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr[-2000:]
    rewards = json.loads(done.stdout.splitlines()[-1])["rewards"]
    assert rewards[::2] == [1.0] * 4 and all(reward <= 0.0 for reward in rewards[1::2])
    assert len(served) == 0


async def _rows(spec: EnvironmentSpec, tasks: list[Task]) -> list[Any]:
    return [row async for row in rows(spec, tasks)]


def _scripted(spec: EnvironmentSpec, task: Task) -> list[Any]:
    """The gold solution as replies of a model: one call each, then a last message."""
    calls, last = list[Any](), "Done."
    for reply in spec.gold_replies(task):
        items = [] if isinstance(reply, str) else reply
        found = [item for item in items if isinstance(item, FunctionCall)]
        calls += [[{"name": call.name.replace(".", "-"), "arguments": call.arguments}] for call in found]
        if not found:
            last = reply if isinstance(reply, str) else "".join(getattr(item, "text", "") for item in items)
    return [*calls, last]


@pytest.mark.parametrize("transport", ["http", "stdio"])
@pytest.mark.parametrize("sdk", ["1", "2"])
def test_clients_of_both_mcp_sdks_act_in_our_environment(sdk: str, transport: str, tmp_path: Path) -> None:
    """SDK 1 is in the virtual environment of nemo-gym, SDK 2 in ours."""
    python = str(folder_of("nemogym") / "bin" / "python") if sdk == "1" else sys.executable
    version = subprocess.run([python, "-m", "pip", "show", "mcp"], capture_output=True, text=True).stdout
    assert f"Version: {sdk}." in version, f"mcp {sdk} is not installed in {python}"
    spec, told = load_environment("workplace"), list[Any]()
    task = spec.tasks("val")[0]
    calls = [
        {"name": reply[0]["name"], "arguments": json.loads(reply[0]["arguments"])}
        for reply in _scripted(spec, task)
        if not isinstance(reply, str)
    ]
    file, out = tmp_path / "calls.json", tmp_path / "verdicts.jsonl"
    file.write_text(json.dumps(calls))
    command = [python, "-P", str(AGENT.with_name("mcp_client.py"))]
    if transport == "stdio":
        server = [sys.executable, "-m", "verigym.cli.main", "serve-env", "workplace", "--as", "mcp", "--stdio"]
        command += ["stdio", str(file), *server, "--task", task.id, "--out", str(out)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    else:
        served = EnvironmentSessions(spec, "val", SessionLimits())
        with serving(mcp_app(served, task, told.append)) as url:
            command += [f"{url}/mcp", str(file)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr[-2000:]
    answer = json.loads(done.stdout.splitlines()[-1])
    assert len(answer["tools"]) > 20 and answer["failed"] == [False] * len(calls)
    if transport == "http":
        assert [each["calls"] for each in told] == [len(calls)]  # the client deleted its session
