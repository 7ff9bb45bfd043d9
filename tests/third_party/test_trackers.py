"""The shipped trackers with their own packages, offline: what they wrote is what the package reads back."""

import json
import math
import os
import subprocess
from pathlib import Path

import pytest

from tests.third_party.install import python_of
from verigym.training.trackers import PACKAGES

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "tests" / "third_party" / "programs" / "track.py"
NO_NETWORK = {"WANDB_MODE": "offline", "HF_HUB_OFFLINE": "1"}


def track(what: str, name: str, folder: Path, **variables: str) -> str:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("WANDB", "MLFLOW", "TRACKIO"))}
    environment = {**kept, "PYTHONPATH": str(ROOT), "HOME": str(folder), **variables}
    command = [str(python_of("trackers")), str(PROGRAM), what, name, str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize("name", PACKAGES)
def test_a_tracker_records_a_run_and_its_resume(name: str, tmp_path: Path) -> None:
    track("watch", name, tmp_path, **NO_NETWORK)
    written = track("read", name, tmp_path, **NO_NETWORK)
    points = json.loads(written.partition("read:")[2])
    steps = dict(points)
    assert sorted(steps) == [1, 2, 3] and (steps[1], steps[2]) == (2.0, 1.5) and math.isnan(steps[3])


def test_wandb_without_a_key_records_offline_and_asks_nobody(tmp_path: Path) -> None:
    track("watch", "wandb", tmp_path)
    assert [*tmp_path.glob("wandb/wandb/offline-run-*")]
