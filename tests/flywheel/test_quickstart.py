"""The whole ring on a tiny model, and killed with -9 again and again: it goes on, and ends as if it had never been killed."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from tests.evaluation.builders import report
from tests.tiny import tiny
from verigym.cli.quickstart import Terminal
from verigym.core.records import Check, Decision, Estimate, Version
from verigym.flywheel.quickstart import Example
from verigym.registry import ledger
from verigym.workspace.explain import open_run
from verigym.workspace.workspace import WorkspaceFolder

SETTINGS = "eval_tasks=6, steps=4, prompts=2, generations=2, rate=1e-2, r=4, examples=1"
CODE = """
import sys
from pathlib import Path
import tests.flywheel.graded
from verigym.cli.quickstart import Terminal
from verigym.flywheel.quickstart import QuickstartSettings, quickstart
from verigym.workspace.workspace import WorkspaceFolder
from verigym.training import loop
loop.CHECKPOINT_S = 0.0
quickstart(WorkspaceFolder(Path(sys.argv[1])), Terminal(verbose=True), QuickstartSettings(model=sys.argv[2], {settings}))
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny random model as a folder."""
    folder = tmp_path_factory.mktemp("tiny")
    made = tiny(window=4096)
    made.model.save_pretrained(folder)
    made.tokenizer.save_pretrained(folder)
    return folder


def start(home: Path, model: str, settings: str = SETTINGS) -> subprocess.Popen[str]:
    code = CODE.format(settings=settings)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-c", code, str(home), model], stdout=subprocess.PIPE, text=True, env=environment
    )


def trained(home: Path) -> dict[str, str]:
    """Adapter of each trained version: equal hashes are equal weights."""
    return {one.name: one.adapter for one in WorkspaceFolder(home).store.documents("version", Version) if one.adapter}


def test_the_ring_runs_end_to_end_on_any_local_model(model: Path, tmp_path: Path) -> None:
    process = start(tmp_path, str(model))
    said, _ = process.communicate(timeout=1000)
    assert process.returncode == 0, said
    for step in ("Baseline", "Why it fails", "Better prompt", "GRPO", "After GRPO", "Gate", "Promotion"):
        assert f". {step}" in said
    assert "Right answers on held-out questions" in said and "unsafe" in said
    ws = WorkspaceFolder(tmp_path)
    assert ledger.verify_chain(ws.store) >= 2
    newest = open_run(ws, "latest").run
    assert (newest.kind, newest.config["environment"]) == ("eval", "notes"), (
        "neither a guardrail suite nor the examples"
    )
    again = start(tmp_path, str(model))
    repeated, _ = again.communicate(timeout=1000)
    assert "step 1/4" not in repeated, "what is finished is not run again"


def test_without_details_each_step_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Terminal()
    with screen.step("Baseline", "how good is it?"):
        screen.line("a detail")
        screen.result("12.0% right")
    with screen.step("Gate", "is it better?"):
        checks = [
            Check(name="better", outcome="pass", words="yes"),
            Check(name="still safe", outcome="unclear", words="too few tasks"),
        ]
        screen.decided(Decision(candidate="b", champion="a", verdict="NEED MORE DATA", checks=checks))
    said = capsys.readouterr().out
    assert " 1. Baseline       12.0% right  [0 s]\n" in said and "a detail" not in said
    assert "?    still safe: too few tasks" in said, "what was not passed is always explained"
    assert " 2. Gate           NEED MORE DATA: 1 check passed on 0 tasks, still safe: unclear  [0 s]" in said


def test_the_picture_shows_bars_a_curve_and_replies(capsys: pytest.CaptureFixture[str]) -> None:
    rates = {"base model": 0.0, "after GRPO": 0.5}
    metrics = {name: {"success": Estimate(value=rate, low=0, high=1, n=10)} for name, rate in rates.items()}
    success = {name: msgspec.structs.replace(report("v", [0.0]), metrics=metrics[name]) for name in rates}
    example = Example(
        question="Note: Omar is here.\nQuestion: Who is here?", expected="Omar", before="I am", after="Omar"
    )
    Terminal().picture(success, [0.1, 0.2, 0.6], [example])
    said = capsys.readouterr().out.splitlines()
    assert "  base model       0.0%" in [line.rstrip() for line in said]
    assert "  after GRPO      50.0%  " + "█" * 20 in said
    assert "  reward           0.10  ▁▂█  0.60" in said
    assert said[-3:] == ["    right   Omar", "    before  I am", "    after   Omar"]


def test_a_model_that_learns_nothing_ends_in_words(model: Path, tmp_path: Path) -> None:
    code = CODE.replace("import tests.flywheel.graded\n", "").format(settings=SETTINGS)
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path), str(model)], capture_output=True, text=True)
    assert "Nothing was learnt: in no group did the rewards differ" in done.stderr


@pytest.mark.slow
def test_killed_anywhere_it_ends_as_if_never_killed(model: Path, tmp_path: Path) -> None:
    whole = start(tmp_path / "whole", str(model))
    lines, _ = whole.communicate(timeout=1000)
    assert whole.returncode == 0
    for number in sorted(random.Random(7).sample(range(len(lines.splitlines())), 5)):
        process = start(tmp_path / "killed", str(model))
        assert process.stdout is not None
        for _ in range(number):
            process.stdout.readline()
        process.kill()
        process.communicate()
    last = start(tmp_path / "killed", str(model))
    last.communicate(timeout=1000)
    assert last.returncode == 0
    assert trained(tmp_path / "killed") == trained(tmp_path / "whole")


@pytest.mark.slow
def test_the_embedded_model_survives_a_kill_in_the_middle_of_training(tmp_path: Path) -> None:
    settings = SETTINGS.replace("rate=1e-2, ", "")
    process = start(tmp_path, "smollm2-135m", settings)
    deadline = time.monotonic() + 600
    assert process.stdout is not None
    while "step 2/4" not in process.stdout.readline():
        assert time.monotonic() < deadline
    process.kill()
    process.communicate()
    again = start(tmp_path, "smollm2-135m", settings)
    said, _ = again.communicate(timeout=900)
    assert again.returncode == 0 and "step 1/4" not in said and "step 4/4" in said
