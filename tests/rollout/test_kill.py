"""kill -9 in the middle of a run, again and again: what was counted is there and nothing is run twice."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_run_that_is_killed_at_random_moments_loses_nothing_and_repeats_nothing() -> None:
    command = [sys.executable, str(ROOT / "bench" / "kill.py"), "--quick"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=1000, env=environment, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "goal >= 10: met" in done.stdout
