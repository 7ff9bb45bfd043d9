"""Our environments as tasks of inspect, under its own eval loop and a scripted model."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.bridges.solutions import gold
from tests.third_party.install import ROOT, install, python_of
from verigym.environments.load import load_environment

PROGRAM = Path(__file__).parents[1] / "programs" / "inspect_gold.py"


@pytest.mark.parametrize("name", ["workplace", "sudoku", "support", "math"])
def test_gold_passes_and_nothing_fails_as_a_task_of_inspect(name: str, tmp_path: Path) -> None:
    install("inspect")
    spec = load_environment(name)
    tasks = spec.tasks("val")[:3]
    plays = [[gold(spec, task) for task in tasks], [[["I did nothing."]] * spec.max_turns for _ in tasks]]
    file = tmp_path / "plays.json"
    file.write_text(json.dumps(plays))
    command = [str(python_of("inspect")), str(PROGRAM), name, str(file), str(tmp_path / "logs")]
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr[-3000:]
    solved, idle = [json.loads(line) for line in done.stdout.splitlines()[-2:]]
    assert [(each["passed"], each["reward"]) for each in solved] == [(1.0, 1.0)] * 3
    assert [each["passed"] for each in idle] == [0.0] * 3
