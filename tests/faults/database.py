"""Kills of the database (SIGKILL of PostgreSQL's main process) at random moments of a training run, which waits for it."""

import random
import tempfile
import time
from pathlib import Path

from tests.faults.training import (
    Outcome,
    Progress,
    TrainingRun,
    compare,
    read_outcome,
    recipe_in,
    run_without_kills,
    write_outcome,
)
from tests.store.server import PostgresServer

STEPS_PER_KILL = 3
_AWAY_S = (0.0, 0.0, 0.5, 2.0, 8.0)
"""How long the server stays away: it is restarted at once, or somebody has to do it."""


def faults(place: Path, kills: int, seed: int = 0) -> Outcome:
    """Kills the server this many times in one run. With the same folder, goes on after an interruption."""
    place.mkdir(parents=True, exist_ok=True)
    outcome = read_outcome(place)
    if outcome.finished:
        return outcome
    recipe = recipe_in(place, steps=STEPS_PER_KILL * kills + 2)
    run_without_kills(place / "without", recipe)
    with PostgresServer(folder=_server_folder(place)) as server:
        home = place / "killed"
        home.mkdir(exist_ok=True)
        (home / "store.url").write_text(server.url())
        progress = Progress(outcome.still_s)
        while not _ended(outcome, progress, TrainingRun(home, recipe), server, place, random.Random(seed), kills):
            outcome.repeated += 1
            write_outcome(place, outcome)
            assert outcome.repeated <= kills, "the command ends again and again"
        compare(outcome, home, place / "without")
    write_outcome(place, outcome)
    return outcome


def _ended(
    outcome: Outcome,
    progress: Progress,
    run: TrainingRun,
    server: PostgresServer,
    place: Path,
    chance: random.Random,
    kills: int,
) -> bool:
    """Kills the server while the process lives. Whether the process ended well."""
    moments = sorted(chance.sample(range(STEPS_PER_KILL * kills), kills))
    try:
        for line in run.lines():
            if not line.startswith("step "):
                continue
            progress.step()
            outcome.still_s = progress.longest_s
            step = int(line.split()[1].partition("/")[0])
            if outcome.kills < kills and step > moments[outcome.kills]:
                time.sleep(chance.uniform(0.0, 0.5))
                gone = time.monotonic()
                server.kill()
                time.sleep(chance.choice(_AWAY_S))
                server.start()
                progress.away(time.monotonic() - gone)
                outcome.kills += 1
                write_outcome(place, outcome)
        progress.step()
        outcome.still_s = progress.longest_s
    finally:
        run.process.kill()
        run.process.wait()
    if run.process.returncode:
        (place / f"ended-{outcome.repeated}.txt").write_text("".join(run.said))
    return run.process.returncode == 0


def _server_folder(place: Path) -> Path:
    """Where the server keeps its data: a short path that the user `postgres` may enter, remembered for the next call."""
    remembered = place / "server"
    if not remembered.exists() or not Path(remembered.read_text()).exists():
        remembered.write_text(tempfile.mkdtemp(prefix="vg-pg-", dir="/tmp"))
    return Path(remembered.read_text())
