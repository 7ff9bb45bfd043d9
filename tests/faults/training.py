"""What kinds of faults share: a tiny GRPO run, its process, how long it stood still, and a comparison with a run without kills.

The folder keeps everything. A call that was stopped is repeated with the same folder and goes on: the training resumes, the
kills so far are counted, and a finished kind is only read.
"""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from tests.workspace.desk import Bench, save_tiny
from tests.workspace.test_train_resume import COMMAND, GRPO, ended

ROOT = Path(__file__).parents[2]
LIMIT_S = 60.0
"""The longest time without progress that is allowed while everything is alive."""
_END_S = 900.0
"""A process that says nothing for so long is stopped, and the fault counts as failed."""


class Outcome(msgspec.Struct, kw_only=True):
    """What a number of kills did to one run. `state.json` in the folder of the kind."""

    kills: int = 0
    repeated: int = 0
    """How often the command ended and had to be repeated. What is killed itself is not counted."""
    still_s: float = 0.0
    """The longest time without a step, less the time in which what was killed was away."""
    lost: int = 0
    """Trajectories and verdicts of the run without kills that are missing."""
    double: int = 0
    """Trajectories and verdicts that the run without kills does not have."""
    same_adapter: bool = False
    same_metrics: bool = False
    finished: bool = False


def read_outcome(place: Path) -> Outcome:
    with contextlib.suppress(FileNotFoundError):
        return msgspec.json.decode((place / "state.json").read_bytes(), type=Outcome)
    return Outcome()


def write_outcome(place: Path, outcome: Outcome) -> None:
    draft = place / "state.new"
    draft.write_bytes(msgspec.json.encode(outcome))
    draft.replace(place / "state.json")


def recipe_in(place: Path, steps: int, **fields: Any) -> str:
    """A recipe with a tiny model, in a folder that may have them already."""
    place.mkdir(parents=True, exist_ok=True)
    if not (place / "model" / "config.json").exists():
        save_tiny(place / "model")
    return Bench(place, place / "model").recipe_file("grpo", **{**GRPO, "steps": steps, **fields})


class TrainingRun:
    """`verigym train` as a process. `lines` yields what it says, until it ends."""

    def __init__(
        self,
        home: Path,
        recipe: str,
        environment: dict[str, str] | None = None,
        *words: str,
        command: str = COMMAND,
    ) -> None:
        """`command` is the program, which gets the seconds between two resume states and then the words of `verigym`."""
        arguments = [sys.executable, "-c", command, "0.0", "train", recipe, "--home", str(home), *words]
        path = f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
        self.process = subprocess.Popen(
            arguments,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": path, **(environment or {})},
        )
        self.said: list[str] = []

    def lines(self) -> Iterator[str]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line)
            yield line
        self.process.wait(timeout=_END_S)


def run_without_kills(home: Path, recipe: str) -> None:
    """The run to compare with. A finished one is not run again."""
    run = TrainingRun(home, recipe)
    for _ in run.lines():
        pass
    assert run.process.returncode == 0, "".join(run.said)


class Progress:
    """Measures the longest time between two steps, less the time in which a part was away. The time before the first step does
    not count, unless it is that of a command that had to be repeated."""

    def __init__(self, longest_s: float = 0.0) -> None:
        self.longest_s, self._away_s = longest_s, 0.0
        self._last: float | None = None

    def step(self) -> None:
        now = time.monotonic()
        if self._last is not None:
            self.longest_s = max(self.longest_s, now - self._last - self._away_s)
        self._last, self._away_s = now, 0.0

    def away(self, seconds: float) -> None:
        self._away_s += seconds


def compare(outcome: Outcome, home: Path, without_kills: Path) -> None:
    """Fills in what a finished run lost or has twice, and whether it learnt the same."""
    adapter, metrics, said, judged = ended(home)
    wanted = ended(without_kills)
    outcome.same_adapter, outcome.same_metrics = adapter == wanted[0], metrics == wanted[1]
    for now, then in ((said, wanted[2]), (judged, wanted[3])):
        outcome.lost += sum(1 for id in then if now.get(id) != then[id])
        outcome.double += sum(1 for id in now if id not in then)
    outcome.finished = True
