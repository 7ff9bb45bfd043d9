"""Our taskset and harness under verifiers' own environment, interception server and traces, with a scripted model."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.bridges.solutions import gold
from tests.third_party.install import ROOT, install, python_of
from verigym.environments.load import load_environment

PROGRAM = Path(__file__).parents[1] / "programs" / "verifiers_play.py"


@pytest.mark.parametrize("name", ["workplace", "support"])
def test_gold_scores_1_and_nothing_0_as_a_taskset_of_verifiers(name: str, tmp_path: Path) -> None:
    install("verifiers")
    spec = load_environment(name)
    tasks = spec.tasks("val")[:3]
    file = tmp_path / "plays.json"
    file.write_text(json.dumps([[gold(spec, task) for task in tasks], [[["I did nothing."]]] * 3]))
    command = [str(python_of("verifiers")), str(PROGRAM), name, str(file)]
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr[-3000:]
    solved, idle = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    assert [(each["reward"], each["passed"]) for each in solved] == [(1.0, 1.0)] * 3
    assert [(each["reward"], each["passed"]) for each in idle] == [(0.0, 0.0)] * 3
    assert all(each["turns"] > 1 for each in solved)
