"""The provider for Docker and Podman, tested with a recorded fake (`fake_engine.py`), because the tests have no daemon.

The fake shows that the sandbox asks for the right things, handles every answer and leaves no container. That an engine keeps its
promises is not tested here. If a real client is installed, it must accept the options.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox.test_box import living
from verigym.core.errors import BadInput, InfrastructureFailure, Refused
from verigym.core.protocols import Box, CommandResult
from verigym.sandbox import containers
from verigym.sandbox import open as opening
from verigym.sandbox.box import ProcessSandbox
from verigym.sandbox.containers import ContainerRunner
from verigym.sandbox.limits import SandboxLimits
from verigym.sandbox.open import LazySandbox, open_sandbox, why_not_isolated
from verigym.sandbox.process import AGENT_LIMITS

REAL = shutil.which("docker")


class Fake:
    """The recorded calls of the fake engine."""

    def __init__(self, state: Path) -> None:
        self.state = state

    def calls(self, verb: str) -> list[Any]:
        lines = (self.state / "calls.jsonl").read_text().splitlines()
        return [call for call in map(json.loads, lines) if call["words"][0] == verb]

    def containers(self) -> list[str]:
        return [path.name for path in self.state.glob("verigym-*")]


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    state, programs = tmp_path / "state", tmp_path / "bin"
    state.mkdir()
    programs.mkdir()
    script = Path(__file__).with_name("fake_engine.py")
    for name in ("docker", "podman"):
        (programs / name).write_text(f'#!/bin/sh\nexec {sys.executable} {script} "$@"\n')
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("DOCKER_FAKE_STATE", str(state))
    monkeypatch.setenv("HOST_SECRET", "s3cret")
    monkeypatch.setenv("VERIGYM_SANDBOX", "docker")
    for asked in (why_not_isolated, opening._warn):
        asked.cache_clear()
    yield Fake(state)
    for asked in (why_not_isolated, opening._warn):
        asked.cache_clear()


def run(command: list[str], limits: SandboxLimits = SandboxLimits(seconds=60), **options: Any) -> CommandResult:
    async def inside() -> CommandResult:
        async with await ProcessSandbox(ContainerRunner("docker"), limits).open({"in.txt": "given"}) as box:
            return await box.run(command, **options)

    return asyncio.run(inside())


def option(words: list[str], name: str) -> list[str]:
    return [words[place + 1] for place, word in enumerate(words) if word == name]


@pytest.mark.parametrize("name", ["docker", "podman"])
def test_the_variable_chooses_the_engine_and_files_go_in_and_out(
    engine: Fake, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("VERIGYM_SANDBOX", name)

    async def inside() -> tuple[CommandResult, bytes]:
        sandbox = open_sandbox(require=True, limits=SandboxLimits(seconds=60))
        assert sandbox.isolated
        async with await sandbox.open({"in.txt": "given"}) as box:
            ran = await box.run(
                ["python3", "-c", "open('out', 'w').write(open('in.txt').read() + input())"], stdin="é\n"
            )
            return ran, await box.read("out")

    ran, out = asyncio.run(inside())
    assert (ran.code, ran.stop, ran.stderr, out.decode()) == (0, "exit", "", "givené")
    assert LazySandbox().isolated and engine.containers() == []
    userns = option(engine.calls("run")[-1]["words"], "--security-opt")
    assert ("label=disable" in userns) == (name == "podman")


def test_a_container_has_no_network_no_rights_a_read_only_root_and_the_limits(engine: Fake) -> None:
    run(["true"], SandboxLimits(seconds=60, cpu_seconds=60, memory_mb=96, processes=24, file_mb=8, open_files=99))
    words = engine.calls("run")[-1]["words"]
    assert option(words, "--network") == ["none"] and "--read-only" in words and "--init" in words
    assert option(words, "--cap-drop") == ["ALL"] and "no-new-privileges" in option(words, "--security-opt")
    assert option(words, "--memory") == option(words, "--memory-swap") == ["96m"]
    assert option(words, "--pids-limit") == ["25"] and option(words, "--pull") == ["never"]
    assert {"core=0:0", "nofile=99:99", f"fsize={8 << 20}:{8 << 20}"} == set(option(words, "--ulimit"))
    assert [mount.split("target=")[1] for mount in option(words, "--mount")] == ["/box", "/tmp", "/dev/shm"]
    user = int(option(words, "--user")[0].partition(":")[0])
    assert user == os.getuid() if os.getuid() else user > 1_000_000_000, (
        "root's containers get a user that owns nothing"
    )


def test_nothing_of_the_hosts_environment_gets_in_and_no_value_is_in_the_arguments(
    engine: Fake, tmp_path: Path
) -> None:
    async def inside() -> None:
        with open(tmp_path / "output", "wb") as output:
            async with await ProcessSandbox(ContainerRunner("docker"), AGENT_LIMITS).open() as box:
                process = await box.start(
                    ["python3", "-c", "import json, os; print(json.dumps(dict(os.environ)))"],
                    output.fileno(),
                    env={"API_KEY": "k3y", "HOME": "/box/home", "PATH": "/of/the/host"},
                    network=True,
                )
                assert (await process.wait()).code == 0

    asyncio.run(inside())
    seen = json.loads((tmp_path / "output").read_text())
    assert seen["API_KEY"] == "k3y" and seen["HOME"] == "/box/home" and "/of/the/host" not in seen["PATH"]
    assert "HOST_SECRET" not in seen and "DOCKER_FAKE_STATE" not in seen
    call = engine.calls("run")[-1]
    assert option(call["words"], "--network") == ["host"] and not any("k3y" in word for word in call["words"])
    assert "HOST_SECRET" not in call["env"]


@pytest.mark.parametrize(
    ("command", "code"),
    [(["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -11 $$"], 139), (["nosuchcommand"], 127), (["sh", "-c", "exit 125"], 125)],
    ids=["exit code", "crash", "no such program", "a code that docker uses itself"],
)  # fmt: skip
def test_the_code_of_the_command_is_the_result(engine: Fake, command: list[str], code: int) -> None:
    assert run(command).code == code and engine.containers() == []


def test_a_command_that_takes_too_long_is_removed_with_its_container(engine: Fake) -> None:
    ran = run(["sh", "-c", "sleep 600 # token-of-the-container"], SandboxLimits(seconds=3))
    assert (ran.code, ran.stop) == (None, "time") and engine.containers() == []
    assert not living("token-of-the-container")


def test_a_container_that_the_engine_ended_for_its_memory_says_so(engine: Fake) -> None:
    ran = run(["sh", "-c", "kill -9 $$", "out-of-memory"])
    assert (ran.code, ran.stop) == (None, "memory") and "more memory than allowed" in ran.stderr


def test_too_much_output_and_too_large_files_are_noticed_here(engine: Fake) -> None:
    assert run(["sh", "-c", "yes"], SandboxLimits(seconds=60, output_kb=16)).stop == "output"
    program = "open('x', 'wb').write(b'x' * (20 << 20)); import time; time.sleep(600)"
    assert "more than 8 MB" in run(["python3", "-c", program], SandboxLimits(seconds=60, disk_mb=8)).stderr


def test_one_address_without_the_network_is_refused(engine: Fake) -> None:
    async def inside() -> None:
        async with await ProcessSandbox(ContainerRunner("docker"), AGENT_LIMITS).open() as box:
            await box.start(["true"], 1, reach=["127.0.0.1:8400"])

    with pytest.raises(Refused, match=r"cannot reach one address.*network=True"):
        asyncio.run(inside())


def test_containers_of_ended_processes_are_removed_and_others_are_kept(engine: Fake) -> None:
    own = containers._owner()
    gone = f"{own.partition('/')[0]}/{os.getpid()}-1"
    for name, label in {"verigym-own": own, "verigym-gone": gone, "verigym-else": "elsewhere/1-1"}.items():
        (engine.state / name).write_text(json.dumps({"pid": 0, "oom": False, "label": label}))
    containers.remove_left("docker")
    assert sorted(engine.containers()) == ["verigym-else", "verigym-own"]


def test_a_daemon_that_does_not_answer_is_named_with_its_words(engine: Fake) -> None:
    (engine.state / "silent").touch()
    with pytest.raises(Refused, match=r"VERIGYM_SANDBOX is docker.*does not answer: Cannot connect.*unset"):
        open_sandbox()
    assert "does not answer" in why_not_isolated()


def test_a_missing_image_is_named_and_never_downloaded(engine: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIGYM_SANDBOX_IMAGE", "mine:1")
    with pytest.raises(Refused, match=r"image mine:1 is missing. Run docker pull mine:1"):
        open_sandbox()
    with pytest.raises(InfrastructureFailure, match="could not start a container"):
        run(["true"])


def test_an_engine_that_is_not_installed_is_named(
    engine: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIGYM_SANDBOX", "podman")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Refused, match="podman is not installed"):
        open_sandbox()


def test_a_provider_that_does_not_exist_is_refused(engine: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIGYM_SANDBOX", "firecracker")
    with pytest.raises(BadInput, match="must be one of: bubblewrap, docker, podman, plain"):
        open_sandbox()


def test_plain_processes_can_be_chosen_and_are_still_refused_where_a_sandbox_is_required(
    engine: Fake, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VERIGYM_SANDBOX", "plain")
    monkeypatch.setattr(opening, "_hide_memory", lambda: None)
    assert not open_sandbox().isolated and "VERIGYM_SANDBOX is plain" in capsys.readouterr().err
    with pytest.raises(Refused, match="--require-sandbox"):
        open_sandbox(require=True)


def test_many_commands_at_once_have_a_container_each(engine: Fake) -> None:
    async def inside() -> list[CommandResult]:
        async with await ProcessSandbox(ContainerRunner("docker"), SandboxLimits(seconds=60)).open() as box:
            return await asyncio.gather(*(_said(box, number) for number in range(4)))

    async def _said(box: Box, number: int) -> CommandResult:
        return await box.run(["echo", str(number)])

    assert [ran.stdout for ran in asyncio.run(inside())] == ["0\n", "1\n", "2\n", "3\n"]
    names = [option(call["words"], "--name")[0] for call in engine.calls("run")]
    assert len(set(names)) == 4 and engine.containers() == []


@pytest.mark.skipif(REAL is None, reason="no docker client is installed")
def test_a_real_client_accepts_the_options(engine: Fake) -> None:
    run(["true"])
    assert REAL
    words = engine.calls("run")[-1]["words"]
    said = subprocess.run([REAL, "--host", "unix:///nowhere.sock", *words], capture_output=True, text=True)
    assert said.returncode == 125 and "daemon" in said.stderr, said.stderr
    wrong = subprocess.run(
        [REAL, "--host", "unix:///nowhere.sock", "run", "--no-such-option", "x"], capture_output=True, text=True
    )
    assert "daemon" not in wrong.stderr, "a wrong option is noticed before the daemon is asked"
