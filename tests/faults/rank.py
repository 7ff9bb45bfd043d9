"""Kills of ranks (SIGKILL of a process that learns with others) at random moments of a training run, which starts them again."""

import os
import random
import signal
import sys
import time
from pathlib import Path

from tests.faults.training import Outcome, Progress, TrainingRun, compare, read_outcome, recipe_in, write_outcome

RANKS = 3
STEPS_PER_KILL = 3
COMMAND = f"""
import sys
from verigym.training.rank_processes import start_ranks
from verigym.cli.main import main
from verigym.training import loop
loop.CHECKPOINT_S = float(sys.argv.pop(1))
with start_ranks({RANKS}):
    main()
"""


def faults(place: Path, kills: int, seed: int = 0) -> Outcome:
    """Kills a rank this many times in one run. With the same folder, goes on after an interruption."""
    place.mkdir(parents=True, exist_ok=True)
    outcome = read_outcome(place)
    if outcome.finished:
        return outcome
    recipe, chance = recipe_in(place, steps=STEPS_PER_KILL * kills + 2), random.Random(seed)
    if not _ended(Outcome(), _run(place / "without", recipe), place, chance, kills=0):
        raise AssertionError(f"the run without kills failed, see {place}")
    while not _ended(outcome, _run(place / "killed", recipe), place, chance, kills):
        outcome.repeated += 1
        write_outcome(place, outcome)
        assert outcome.repeated <= kills, "the command ends again and again"
    compare(outcome, place / "killed", place / "without")
    write_outcome(place, outcome)
    return outcome


def _run(home: Path, recipe: str) -> TrainingRun:
    """The command on ranks. A finished run is not run again."""
    return TrainingRun(home, recipe, command=COMMAND)


def _ended(outcome: Outcome, run: TrainingRun, place: Path, chance: random.Random, kills: int) -> bool:
    """Kills ranks while the process lives. Whether the process ended well. The time until its first step does not count: the
    command and its ranks are starting, and nothing was killed yet."""
    progress: Progress | None = None
    killed: set[int] = set()
    try:
        for line in run.lines():
            if not line.startswith("step "):
                continue
            progress = progress or Progress(outcome.still_s)
            progress.step()
            outcome.still_s = progress.longest_s
            followers = [pid for pid in _followers(run.process.pid) if pid not in killed]
            if outcome.kills < kills and len(followers) == RANKS - 1:  # all are new, so they run again
                time.sleep(chance.uniform(0.0, 0.3))
                killed.update(followers)
                os.kill(chance.choice(followers), signal.SIGKILL)
                outcome.kills += 1
                write_outcome(place, outcome)
        if progress is not None:
            progress.step()
            outcome.still_s = progress.longest_s
    finally:
        run.process.kill()
        run.process.wait()
    if run.process.returncode:
        (place / f"ended-{outcome.repeated}.txt").write_text("".join(run.said))
    return run.process.returncode == 0


def _followers(pid: int) -> list[int]:
    """The processes of the ranks that a process started."""
    found: list[int] = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            command = (folder / "cmdline").read_bytes().split(b"\0")
        except (OSError, IndexError):
            continue
        if parent == pid and b"verigym.training.launch" in command and sys.executable.encode() in command:
            found.append(int(folder.name))
    return sorted(found)
