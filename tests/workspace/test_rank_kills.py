"""Ranks are killed at random moments: all of them start again, and the run ends with the weights of one without kills."""

import os
import random
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.workspace.desk import Bench, save_tiny
from verigym.core.errors import RankLost
from verigym.training import loop
from verigym.training.alarms import Alarm
from verigym.training.rank_processes import current, start_ranks
from verigym.training.ranks import Ranks, Shard
from verigym.workspace import train as train_module

pytestmark = pytest.mark.cluster
KILLS = 5
STEPS = 20


class Killer:
    """Kills a random follower soon after the first step of each set of ranks, until it has killed often enough."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)
        self.killed: list[Ranks] = []
        self.timers: list[threading.Timer] = []

    def __call__(self, step: int, metrics: dict[str, float], alarms: list[Alarm]) -> None:
        ranks = current()
        if ranks is None or ranks in self.killed or len(self.killed) == KILLS:
            return
        self.killed.append(ranks)
        victim = self._draw.choice(list(ranks._processes))
        timer = threading.Timer(self._draw.uniform(0.0, 0.2), os.kill, (victim.pid, signal.SIGKILL))
        self.timers.append(timer)
        timer.start()


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint after every step, because these steps are short."""
    monkeypatch.setattr(loop, "CHECKPOINT_S", 0.0)


@pytest.mark.parametrize("shard", ["never", "always"])
def test_a_run_whose_ranks_are_killed_ends_with_the_weights_of_one_without_kills(
    shard: Shard, often: None, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    model = save_tiny(tmp_path / "model")
    quiet, killed = Bench(tmp_path / "quiet", model), Bench(tmp_path / "killed", model)
    fields: dict[str, Any] = {"steps": STEPS, "held_out_eval": None, "eval_tasks": None}
    with start_ranks(3, shard=shard):
        expected, run = quiet.train(**fields)
    capfd.readouterr()
    killer = Killer(seed=4)
    with start_ranks(3, shard=shard):
        found, again = killed.train(on_step=killer, **fields)
    for timer in killer.timers:
        timer.join()
    assert len(killer.killed) == capfd.readouterr().err.count("All ranks were started again") == KILLS
    assert found.adapter == expected.adapter, "the same bits"
    ours, theirs = quiet.metrics(run), killed.metrics(again)
    assert list(ours) == list(theirs) == list(range(1, STEPS + 1))
    assert [row["loss"] for row in ours.values()] == [row["loss"] for row in theirs.values()]


def test_ranks_that_die_again_and_again_end_the_run_with_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each set of ranks is killed before its first step."""
    monkeypatch.setattr(train_module, "MAX_RESTARTS", 2)
    bench, starts = Bench(tmp_path / "home", save_tiny(tmp_path / "model")), 0

    class Doomed(train_module.TrainingJob):
        async def train(self, on_step: Any) -> Any:
            nonlocal starts
            starts += 1
            ranks = current()
            assert ranks is not None
            os.kill(ranks._processes[0].pid, signal.SIGKILL)
            return await super().train(on_step)

    with start_ranks(2), pytest.raises(RankLost, match=r"Rank 1 of 2 .*SIGKILL.* Repeat the command to resume"):
        job = Doomed(bench.ws, bench.recipe())
        train_module._train(bench.ws, job, train_module.nothing)
    assert starts == 3
