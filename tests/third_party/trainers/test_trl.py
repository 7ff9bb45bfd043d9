"""A GRPO step of TRL on the CPU: its parser, tool loop and loss, with our tools and rewards."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.third_party.install import ROOT, install, variables_of

PROGRAM = Path(__file__).parents[1] / "programs" / "trl_step.py"


@pytest.mark.parametrize("version", ["1.16.0", "1.15.0"])
def test_a_grpo_step_calls_our_tools_and_learns_from_our_rewards(version: str, tmp_path: Path) -> None:
    """1.16 is in our own environment. 1.15 is the newest that Unsloth takes."""
    if version == "1.15.0":
        install("trl")
    variables = {"PYTHONPATH": str(ROOT)}
    if version == "1.15.0":  # its loss is a kernel of Triton, which Triton can interpret on a CPU
        variables = {**variables_of("trl"), "TRITON_INTERPRET": "1"}
    command = [sys.executable, str(PROGRAM), str(tmp_path)]
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr[-3000:]
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["trl"] == version and result["open"] == 0
    assert result["asked"] == [2] + [1] * result["calls"]  # one sample goes on until its last message
    log = result["log"]
    assert log["reward"] == 0.5 and log["tools/failure_frequency"] == 0.0 and math.isfinite(log["loss"])
    assert result["changed"]
