"""The examples run: one as a script, the ring inside a real notebook kernel. Both on a tiny model."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


def environment(model: str, home: Path, **more: str) -> dict[str, str]:
    return {**os.environ, "VERIGYM_MODEL": model, "VERIGYM_HOME": str(home), "PYTHONPATH": str(ROOT), **more}


def code_lines(name: str) -> int:
    return len((EXAMPLES / name).read_text().splitlines())


def test_the_examples_are_short() -> None:
    assert code_lines("ring.py") <= 25
    assert code_lines("grpo_loop.py") < 80


@pytest.mark.timeout(1000)
def test_the_minimal_grpo_loop_runs(model: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "grpo_loop.py")],
        env=environment(model, tmp_path, STEPS="1"),
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("step 1: reward ")


@pytest.mark.timeout(1000)
def test_the_ring_runs_in_a_notebook(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    for name, value in environment(model, tmp_path / "home", TASKS="8").items():
        monkeypatch.setenv(name, value)
    cells = [
        nbformat.v4.new_code_cell((EXAMPLES / "ring.py").read_text()),
        nbformat.v4.new_code_cell("import asyncio\nassert asyncio.get_running_loop().is_running()"),
        nbformat.v4.new_code_cell("ws = verigym.Workspace()\nws.runs()"),
    ]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=800, resources={"metadata": {"path": str(ROOT)}}).execute()
    printed = "".join(output.get("text", "") for output in notebook.cells[0].outputs)
    assert "Difference" in printed and re.search("PROMOTE|REJECT|NEED MORE DATA", printed)
    assert any("<progress" in str(output.get("data", "")) for output in notebook.cells[0].outputs)
    [shown] = [output["data"] for output in notebook.cells[2].outputs if "data" in output]
    assert "<table>" in shown["text/html"]
