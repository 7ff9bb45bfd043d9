"""A loop that dies at every turn goes on, and ends as if nothing had happened: nothing is measured, decided or recorded twice."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.flywheel.answering import answering
from tests.flywheel.production import OFFICE, requests, served
from tests.flywheel.test_loop import answer
from verigym.cli.loop import SilentScreen
from verigym.core.records import Report, Version
from verigym.flywheel.loop import play
from verigym.flywheel.loop_recipe import Loop, make_loop
from verigym.flywheel.rounds import rounds_of
from verigym.registry import ledger
from verigym.store.database import Store
from verigym.workspace.workspace import WorkspaceFolder

POLICY = "retention: null\nsafety: null\nmargins: {latency: null, unsafe: null, invalid: null, mastered: 0.4}\n"


class Killed(BaseException):
    """As sudden as a kill: nobody catches it."""


class Mortal(Store):
    """Dies at a write of a new document or a decision: before it or after it."""

    before = False
    spared = 0
    """So many writes go through first."""

    def put(self, kind: str, id: str, record: msgspec.Struct) -> None:
        fatal = self.get(kind, id, type(record)) is None and not self._spares()
        if fatal and self.before:
            raise Killed
        super().put(kind, id, record)
        if fatal:
            raise Killed

    def append_ledger(self, make: Callable[[bytes | None], bytes]) -> int:
        if self._spares():
            return super().append_ledger(make)
        if self.before:
            raise Killed
        super().append_ledger(make)
        raise Killed

    def _spares(self) -> bool:
        self.spared -= 1
        return self.spared >= 0


@pytest.fixture(autouse=True, scope="module")
def back() -> Iterator[None]:
    """To the folder that tests are run in."""
    here = Path.cwd()
    yield
    os.chdir(here)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with answering(answer) as address:
        yield address


def loop_in(place: Path, model: str) -> Loop:
    """Of a model that is right in a quarter, so that the gate asks for more first; then it is promoted."""
    os.chdir(place)  # names of runs hold the path of the mined tasks
    Path("alone.yaml").write_text(POLICY)
    fields: dict[str, Any] = {
        "environment": OFFICE,
        "model": model,
        "evaluation": {"tasks": 8, "trial_tasks": 60},
        "fixes": ["prompt"],
        "gate": "alone.yaml",
        "budget": {"rounds": 2},
    }
    return make_loop(fields, [], "ring.yaml")


def traced(place: Path) -> WorkspaceFolder:
    os.chdir(place)
    ws = WorkspaceFolder(Path("home"))
    served(ws, requests("files.share")[:4])
    return ws


def came_to(ws: WorkspaceFolder, loop: Loop) -> dict[str, Any]:
    """All that a loop leaves behind, but for times."""
    rounds = [
        (
            one.chosen and (one.chosen.fix, one.chosen.why, one.chosen.version),
            one.dug,
            one.before and one.before.success,
            one.decided and (one.decided.verdict, one.decided.champion, one.decided.before, one.decided.after),
            one.over and one.over.why,
        )
        for one in rounds_of(ws, loop.id)
    ]
    entries = [
        (
            one.decision.kind,
            one.decision.candidate,
            one.decision.champion,
            one.decision.verdict,
            one.champion_after,
            one.why,
        )
        for one in ledger.entries(ws.store)
    ]
    assert ledger.verify_chain(ws.store) == len(entries)
    return {
        "rounds": rounds,
        "ledger": entries,
        "runs": sorted((run.id, run.trajectories, run.scored) for run in ws.store.runs()),
        "reports": len(ws.store.documents("report", Report)),
        "versions": sorted(one.id for one in ws.store.documents("version", Version)),
        "mined": [sorted(path.read_bytes().splitlines()) for path in sorted((ws.home / "mined").glob("*"))],
    }


@pytest.fixture(scope="module")
def whole(server: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    place = tmp_path_factory.mktemp("whole")
    ws, loop = traced(place), loop_in(place, f"{server}#some?tools=text")
    play(ws, loop, SilentScreen())
    found = came_to(ws, loop)
    assert [one[3] for one in found["ledger"]] == ["PROMOTE", "PROMOTE"]
    return found


@pytest.mark.parametrize(
    ("before", "every"),
    [
        pytest.param(True, 1, marks=pytest.mark.slow, id="before each write"),
        pytest.param(False, 1, marks=pytest.mark.slow, id="after each write"),
        pytest.param(False, 3, id="after every third write"),
    ],
)
def test_dying_again_and_again_changes_nothing(
    server: str, whole: dict[str, Any], tmp_path: Path, before: bool, every: int
) -> None:
    ws, loop = traced(tmp_path), loop_in(tmp_path, f"{server}#some?tools=text")
    deaths = 0
    while True:
        mortal = WorkspaceFolder(Path("home"))
        mortal.store = Mortal(Path("home/store.db"))
        mortal.store.before = before
        mortal.store.spared = deaths % 2 if before else every - 1  # a write that was refused goes through the next time
        try:
            play(mortal, loop, SilentScreen())
            break
        except Killed:
            deaths += 1
            assert deaths < 400
        finally:
            mortal.store.close()
    assert deaths > 20 / every and came_to(ws, loop) == whole


def test_killed_at_random_moments_it_ends_as_if_never_killed(
    server: str, whole: dict[str, Any], tmp_path: Path
) -> None:
    ws, loop = traced(tmp_path), loop_in(tmp_path, f"{server}#some?tools=text")
    Path("ring.yaml").write_bytes(msgspec.yaml.encode(msgspec.to_builtins(loop.recipe)))
    words = [sys.executable, "-m", "verigym.cli.main", "loop", "run", "ring.yaml", "--home", "home"]
    chance, kills = random.Random(3), 0
    for _ in range(4):
        begun = len(ws.store.bodies("round"))
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        while process.poll() is None and len(ws.store.bodies("round")) == begun:
            time.sleep(0.02)  # until it is at work
        time.sleep(chance.uniform(0, 0.3))
        kills += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.communicate()
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0 and kills >= 3, (kills, done.stdout)
    assert came_to(ws, loop) == whole
