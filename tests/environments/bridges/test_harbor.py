"""Task folders of Harbor: what a Dockerfile means without an image, what the tests wrote, and an agent that cheats."""

import asyncio
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from verigym.audit.scripted_episodes import ScriptedEpisode, play
from verigym.core.errors import BadInput, EnvironmentFailure
from verigym.core.protocols import CommandResult
from verigym.core.records import Fault, FunctionCall, FunctionCallOutput
from verigym.environments.bridges.harbor import reward_in
from verigym.environments.bridges.harbor_task import Plan, plan, read_task
from verigym.environments.load import load_environment

EXAMPLES = Path(__file__).parents[3] / "examples" / "harbor"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLES / "sum-numbers", tmp_path / "task"))


def planned(folder: Path, dockerfile: str) -> Plan | str:
    (folder / "environment" / "Dockerfile").write_text(dockerfile)
    return plan(read_task(folder))


def test_a_dockerfile_that_copies_files_needs_no_image(folder: Path) -> None:
    made = planned(
        folder,
        "FROM x\n# words\nENV A=1 B='two words'\nENV C three\nWORKDIR /data/$A\nCOPY numbers.txt \\\n  in/\nCMD x",
    )
    assert isinstance(made, Plan) and made.workdir == "/data/1"
    assert made.env == {"A": "1", "B": "two words", "C": "three"} and list(made.files) == ["data/1/in/numbers.txt"]
    assert made.places == ("app", "data", "logs", "solution", "tests")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("RUN pip install x", "executes something in the image"),
        ("COPY --from=other /a /app/a", "copies from another image"),
        ("FROM second", "begins a second stage"),
        ("COPY numbers.txt /etc/numbers.txt", "changes /etc, which is the machine's own here"),
        ("COPY numbers.txt /app/../usr/x", "changes /app, which"),
        ("COPY missing.txt /app/", "copies missing.txt, which does not exist"),
        ("ADD https://host/file /app/", "downloads a file"),
        ("ONBUILD x", "cannot be done without an image"),
    ],
)
def test_any_other_dockerfile_says_the_line_that_needs_an_image(folder: Path, line: str, words: str) -> None:
    made = planned(folder, f"FROM x\n{line}\n")
    assert isinstance(made, str) and words in made and line in made


def test_a_task_that_needs_an_image_is_refused_without_an_engine(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    planned(folder, "FROM x\nRUN make\n")
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    with pytest.raises(BadInput, match=r'neither Docker nor Podman answers here: .*"RUN make" executes something'):
        load_environment(f"harbor:{folder}")
    with pytest.raises(BadInput, match="cannot run in bubblewrap"):
        load_environment(f"harbor:{folder}?box=bubblewrap")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda folder: (folder / "instruction.md").unlink(), "instruction.md is missing"),
        (lambda folder: (folder / "task.toml").write_text("[agent"), "task.toml"),
        (lambda folder: (folder / "task.toml").write_text("[agent]\ntimeout_sec = 'x'"), "is not a number"),
        (lambda folder: (folder / "task.toml").write_text("[[steps]]\nname = 'a'"), "several steps"),
        (lambda folder: (folder / "task.toml").unlink(), "there is no task.toml"),
    ],
)
def test_a_broken_folder_says_what_is_wrong(folder: Path, change: object, words: str) -> None:
    assert callable(change)
    change(folder)
    with pytest.raises(BadInput, match=words):
        load_environment(f"harbor:{folder}")


SAID = CommandResult(code=1, stderr="cat: no such file")


@pytest.mark.parametrize(
    ("content", "reward", "parts"),
    [
        (b"1\n", 1.0, {}),
        (b'{"reward": 0.5, "lines": 1}', 0.5, {"reward": 0.5, "lines": 1.0}),
        (b'{"score": 0.25}', 0.25, {}),
    ],
)
def test_a_reward_is_a_number_or_numbers_by_name(content: bytes, reward: float, parts: dict[str, float]) -> None:
    assert reward_in("t", SAID, "reward.json", content) == (reward, parts)


@pytest.mark.parametrize(
    "content", [None, b"", b"high", b"true", b"{}", b'{"a": 1, "b": 2}', b"NaN", b'{"reward": "1"}']
)
def test_anything_else_is_a_failure_of_the_environment(content: bytes | None) -> None:
    with pytest.raises(EnvironmentFailure):
        reward_in("t", SAID, "reward.txt", content)


@pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap")
def test_gold_passes_cheats_fail_and_the_host_is_out_of_reach() -> None:
    spec = load_environment(f"harbor:{EXAMPLES}")
    [_, task] = spec.tasks("val")

    def played(*replies: Any) -> ScriptedEpisode:
        return asyncio.run(play(spec, task, list(replies)))

    assert played(*spec.gold_replies(task)).verdict.passed
    for cheat in spec.cheat_replies(task):
        assert played(*cheat).verdict.reward == 0.0
    command = '{"command": "ls -a /tests /box; ls /root /home 2>&1; mv /app /logs/app; cat /etc/shadow"}'
    tried = played([FunctionCall("c", "bash", command)], "Done.").trajectory
    [said] = [item.output for item in tried.items if isinstance(item, FunctionCallOutput)]
    assert "test.sh" not in said and "cannot remove '/app'" in said and "/etc/shadow: No such file" in said


def test_a_container_that_fails_is_a_failure_of_the_infrastructure(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The engine is a script: it answers `version` and `build`, writes down what it was asked, and cannot run a container."""
    planned(folder, "FROM x\nRUN make\n")
    engine, log = tmp_path / "bin" / "docker", tmp_path / "log"
    engine.parent.mkdir()
    engine.write_text(f'#!/bin/sh\necho "$@" >> {log}\ncase $1 in run) echo "no space left" >&2; exit 125;; esac\n')
    engine.chmod(0o755)
    monkeypatch.setenv("PATH", f"{engine.parent}:{os.environ['PATH']}")
    spec = load_environment(f"harbor:{folder}")
    trajectory = asyncio.run(play(spec, spec.tasks("val")[0], ["Done."])).trajectory
    assert trajectory.error is not None and trajectory.error.fault is Fault.INFRASTRUCTURE
    assert "docker run failed: no space left" in trajectory.error.message
    asked = log.read_text()
    assert f"build --quiet --tag verigym-harbor-task {folder}/environment" in asked and "--network none" in asked
