"""`verigym train` as a process of its own, killed with -9 at random moments: it ends as if it had never been killed."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.workspace.desk import Bench
from tests.workspace.test_train import TIMES
from verigym.core.records import Version
from verigym.workspace.workspace import WorkspaceFolder

COMMAND = """
import sys
from verigym.cli.main import main
from verigym.training import loop
loop.CHECKPOINT_S = float(sys.argv.pop(1))
main()
"""
GRPO = {
    "steps": 30,
    "updates_per_batch": 2,
    "loss": {"kl": 0.05},
    "episodes": {"dynamic_rounds": 2},
    "eval_interval": 5,
}


def start(home: Path, recipe: str, checkpoint_s: float) -> subprocess.Popen[str]:
    words = ["train", recipe, "--home", str(home)]
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, str(checkpoint_s), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


def run_whole(home: Path, recipe: str, checkpoint_s: float = 0.0) -> None:
    process = start(home, recipe, checkpoint_s)
    said, _ = process.communicate(timeout=1000)
    assert process.returncode == 0, said


def run_killed(home: Path, recipe: str, kills: int, chance: random.Random) -> int:
    """The same command again and again, killed some steps on; sometimes before its first step. How often it was killed."""
    for done in range(kills):
        process = start(home, recipe, chance.choice([0.0, 0.0, 0.1]))
        assert process.stdout is not None
        left, lines = chance.randrange(4), []
        while left and (line := process.stdout.readline()):
            left -= line.startswith("step ")
            lines.append(line)
        if not left:
            time.sleep(chance.uniform(0, 0.15))
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        rest, _ = process.communicate()
        if process.returncode != -signal.SIGKILL:
            assert process.returncode == 0, "".join(lines) + rest
            return done
    run_whole(home, recipe)
    return kills


def ended(home: Path) -> tuple[Any, ...]:
    """All that a run leaves, but for times: weights, metrics, and what was said in every step."""
    ws = WorkspaceFolder(home)
    [version] = [one for one in ws.store.documents("version", Version) if one.adapter]
    run = version.recipe["run"]
    metrics = {
        step: {name: value for name, value in row.items() if name not in TIMES}
        for step, row in ws.store.metrics(run).items()
    }
    said = {
        one.id: (one.reply, one.stop, [turn.completion_ids for turn in one.turns])
        for child in ws.store.runs(parent=run)
        for one in ws.store.trajectories(child.id)
    }
    judged = {
        one.trajectory: (one.reward, one.passed)
        for child in ws.store.runs(parent=run)
        for one in ws.store.verdicts(child.id)
    }
    assert not ws.checkpoints(run).exists()
    return version.adapter, metrics, said, judged


def test_killed_twice_grpo_ends_in_the_same_weights_and_figures(fresh: Bench) -> None:
    recipe = fresh.recipe_file("grpo", **{**GRPO, "steps": 8})
    run_whole(fresh.place / "whole", recipe)
    assert run_killed(fresh.place / "killed", recipe, 2, random.Random(5)) == 2
    assert ended(fresh.place / "killed") == ended(fresh.place / "whole")


@pytest.mark.slow
@pytest.mark.timeout(1000)
@pytest.mark.parametrize("algorithm", ["grpo", "sft", "dpo"])
def test_killed_twenty_times_it_ends_in_the_same_weights_and_figures(fresh: Bench, algorithm: str) -> None:
    more: dict[str, Any] = {**GRPO, "steps": 60} if algorithm == "grpo" else {"steps": 80, "eval_interval": 20}
    homes = [fresh.place / "whole", fresh.place / "killed"]
    if algorithm == "dpo":
        more["data"] = fresh.pairs().id
        fresh.ws.store.close()
        for home in homes:
            (home / "data").mkdir(parents=True)
            for file in (*fresh.ws.home.glob("store.db*"), *fresh.ws.home.glob("data/*")):
                (home / file.relative_to(fresh.ws.home)).write_bytes(file.read_bytes())
    recipe = fresh.recipe_file(algorithm, **more)
    run_whole(homes[0], recipe)
    assert run_killed(homes[1], recipe, 20, random.Random(11)) == 20
    assert ended(homes[1]) == ended(homes[0])
