"""runs rm, gc, servers and shell completion as a user types them. No torch, no model."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.test_data import RUN, Shell
from verigym.core.errors import VerigymError
from verigym.core.records import Label, Suite, Version
from verigym.evaluation.report import make_report
from verigym.store.database import Store
from verigym.workspace.workspace import WorkspaceFolder


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home")


def runs(shell: Shell) -> list[str]:
    return [run["id"] for run in shell.json("runs")]


def test_a_run_that_nothing_needs_is_deleted_after_a_question(shell: Shell) -> None:
    assert "kB" in shell("runs", "list")
    assert f"would delete run {RUN}" in shell("runs", "rm", RUN, "--dry-run") and runs(shell) == [RUN]
    with pytest.raises(VerigymError, match="Pass --yes"):
        shell("runs", "rm", RUN)
    assert shell.json("runs", "rm", RUN, "--yes")["bytes"] > 1000
    assert runs(shell) == []


def test_a_run_that_a_dataset_a_label_or_a_report_needs_is_refused(shell: Shell) -> None:
    shell("data", "demos", RUN, "--name", "mine")
    store = Store(shell.home / "store.db")
    trajectories, verdicts = store.trajectories(RUN), store.verdicts(RUN)
    store.put("label", "1", Label(trajectory=trajectories[0].id, judgement="good"))
    suite = Suite(
        name="s", environment="toolcall", tasks=[task.id for task in shell.tasks], families=[], verifier="v@1", hash="h"
    )
    store.put("report", "r1", make_report(RUN, "agent", suite, shell.tasks, trajectories, verdicts, 0))
    store.close()
    with pytest.raises(VerigymError, match="still needed") as raised:
        shell("runs", "rm", RUN, "--yes")
    for reason in ("dataset mine was made from it", "a label refers to it", "report "):
        assert reason in str(raised.value)
    shell("gc", "--older-than", "0", "--yes")
    assert runs(shell) == [RUN], "gc keeps what is needed"


def test_gc_deletes_old_runs_and_unused_files_only(shell: Shell) -> None:
    ws = WorkspaceFolder(shell.home)
    ws.store.finish_run(RUN)
    ws.register(Version(base="tiny", adapter="used", id="v", name="v"))
    old, new = shell.home / "adapters" / "unused", shell.home / "adapters" / "new"
    for folder in (old, new, shell.home / "adapters" / "used"):
        folder.mkdir(parents=True)
        (folder / "weights").write_bytes(b"x" * 5000)
    long_ago = time.time() - 3 * 86400
    for folder in (old, shell.home / "adapters" / "used"):
        os.utime(folder, (long_ago, long_ago))
    assert runs(shell) == [RUN] and "adapters" in shell("gc", "--dry-run") and old.exists()
    shell("gc", "--yes")
    assert runs(shell) == [RUN], "without an age no run is deleted"
    assert not old.exists() and new.exists() and (shell.home / "adapters" / "used").exists()
    assert f"run {RUN}" in shell("gc", "--older-than", "0", "--dry-run")
    assert shell.json("gc", "--older-than", "0", "--yes")["deleted"] and runs(shell) == []


def test_a_server_gets_a_name_that_every_model_option_takes(shell: Shell) -> None:
    assert "no named servers yet" in shell("servers")
    said = shell(
        "servers", "add", "vllm", "http://localhost:8000/v1", "-m", "qwen", "--tools", "text", "--retries", "2"
    )
    address = "http://localhost:8000/v1#qwen?tools=text&retries=2"
    assert address in said and shell.json("servers") == {"vllm": address}
    ws = WorkspaceFolder(shell.home)
    assert ws.agent("vllm") == ws.agent(address), "a name is the same agent as its address"
    assert shell.json("servers", "show", "vllm")["version"] == ws.agent("vllm").id
    with pytest.raises(VerigymError, match="--replace"):
        shell("servers", "add", "vllm", "http://localhost:8001/v1#qwen")
    shell("servers", "add", "vllm", "http://localhost:8001/v1#qwen", "--replace")
    shell("servers", "rm", "vllm")
    with pytest.raises(VerigymError, match="no server"):
        shell("servers", "show", "vllm")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["x", "localhost:8000"], "Begin it with http:// or https://"),
        (["latest", "http://h/v1#m"], "reserved"),
        (["a b", "http://h/v1#m"], "is not a valid server name"),
        (["ok", "http://h/v1"], "The model is missing"),
        (["ok", "http://h/v1#m", "-m", "n"], "named twice"),
        (["ok", "localhost#m"], "is not a URL"),
        (["ok", "http://h/v1#m?speed=9"], "speed"),
        (["ok", "http://h/v1?api_key=x#m"], "key"),
    ],
)
def test_a_server_that_cannot_be_is_refused(shell: Shell, words: list[str], error: str) -> None:
    with pytest.raises(VerigymError, match=error):
        shell("servers", "add", *words)


def completed(home: Path, line: str) -> list[str]:
    settings = {"_VERIGYM_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    code = "import sys; from verigym.cli.main import app; sys.argv[0] = 'verigym'; app(prog_name='verigym')"
    environment = {**os.environ, **settings, "VERIGYM_HOME": str(home)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=1000)
    return done.stdout.split()


def test_names_are_completed(shell: Shell, tmp_path: Path) -> None:
    WorkspaceFolder(shell.home).register(Version(base="tiny", id="0123", name="polite"))
    assert completed(shell.home, "verigym explain roll") == [RUN]
    assert completed(shell.home, "verigym gate pol") == ["polite"]
    assert completed(shell.home, "verigym check toolc") == ["toolcall"]
    assert completed(tmp_path / "nowhere", "verigym gate ch") == ["champion"]
    assert not (tmp_path / "nowhere").exists()
