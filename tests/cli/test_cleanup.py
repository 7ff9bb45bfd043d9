"""runs rm, gc, servers and shell completion as a user types them. No torch, no model."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.test_data import RUN, Shell
from verigym.core.errors import VerigymError
from verigym.core.records import Estimate, Label, Report, Suite, Version
from verigym.evaluation.report import make_report
from verigym.registry import ledger
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


def report_on(ws: WorkspaceFolder, version: Version, environment: str, success: float, number: int) -> None:
    suite = Suite(
        name=f"{environment}_eval",
        environment=environment,
        tasks=["t"],
        families=["f"],
        verifier="v@1",
        hash=environment * 2,
    )
    estimate = Estimate(value=success, low=0.0, high=1.0, n=1)
    report = Report(
        id=f"report{number}",
        run=RUN,
        agent=version.id,
        suite=suite,
        metrics={"success": estimate},
        results=[],
        buckets={},
    )
    ws.store.put("report", report.id, report)


def test_the_list_of_versions_shows_success_on_one_suite_and_names_it(shell: Shell) -> None:
    ws = WorkspaceFolder(shell.home)
    first, second = (ws.register(Version(base="tiny", name=name, system_prompt=name)) for name in ("first", "second"))
    report_on(ws, first, "toolcall", 0.7, 1)
    report_on(ws, second, "toolcall", 0.8, 2)
    report_on(ws, first, "safety", 0.0, 3)  # measured later, by a gate
    said = shell("models", "list")
    head, one, two, note = said.splitlines()[:4]
    assert head.rstrip().endswith("success on toolcall_eval")
    assert "70.0%" in one and "80.0%" in two and "0.0%" not in one.replace("70.0%", "")
    assert note.startswith("success is on suite toolcall_eval (toolcall, 1 task, scored by v@1)")


def test_a_version_is_deleted_only_if_nothing_refers_to_it(shell: Shell) -> None:
    ws = WorkspaceFolder(shell.home)
    made = {
        name: ws.register(Version(base="tiny", name=name, system_prompt=name)) for name in ("champ", "measured", "free")
    }
    parent = ws.register(Version(base="tiny", name="parent", system_prompt="parent"))
    ws.register(Version(base="tiny", name="child", system_prompt="child", parent=parent.id))
    ledger.set_first_champion(ws.store, made["champ"].id, why="a test")
    report_on(ws, made["measured"], "toolcall", 0.5, 1)
    for name, reason in (
        ("champ", "it is the champion, ledger entry 1 names it"),
        ("measured", "report report1 refers to it"),
        ("parent", "version .* refers to it"),
    ):
        with pytest.raises(VerigymError, match=f"Nothing was deleted, .*{reason}"):
            shell("models", "rm", "free", name, "--yes")
    with pytest.raises(VerigymError, match="Pass --yes"):
        shell("models", "rm", "free")
    assert f"would delete version {made['free'].id}" in shell("models", "rm", "free", "--dry-run")
    assert len(shell.json("models")) == 5
    assert shell.json("models", "rm", "free", "child", "--yes")["deleted"] is True
    assert f"deleted version {parent.id}" in shell("models", "rm", "parent", "--yes"), "its child is gone"
    assert {one["name"] for one in shell.json("models")} == {"champ", "measured"}
