"""The scripts in examples/ that play environments of other projects run, and print what their first lines promise."""

import os
import subprocess
import sys

import pytest

from tests.third_party.bridges.conftest import ROOT
from verigym.environments.bridges.install import install

EXAMPLES = {
    "agentdojo_slack": ("agentdojo", ["does the user's task: utility 10 of 10, attacks that succeeded 0 of 10",
                                      "attacks that succeeded 10 of 10", "does nothing: utility 0 of 10"]),
    "bfcl_exam": ("bfcl", ["simple_python, the right calls: 10 of 10", "parallel, a changed argument: 0 of 10",
                           "parallel, every call twice: 0 of 10", "simple_python, only words: 0 of 10"]),
    "gymnasium_taxi": ("gymnasium", ["random actions: 2 of 10", "the planner: 10 of 10 passengers arrived"]),
    "scienceworld_plant": ("scienceworld", ["  focus on ", "reward 1.00"]),
}  # fmt: skip


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs(name: str) -> None:
    bridge, lines = EXAMPLES[name]
    install(bridge)
    command = [sys.executable, str(ROOT / "examples" / f"{name}.py")]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=1800, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert all(line in done.stdout for line in lines), done.stdout
