"""Trackers watch a run and never break it: one that raises, exits or hangs is told of once, and training goes on."""

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from verigym.core.errors import BadInput, NotFound
from verigym.training.recipe import make_recipe
from verigym.training.trackers import PACKAGES, Tracker, TrainingRun, check_trackers, open_tracker
from verigym.training.trackers.watchers import Watchers, openers

RUN = TrainingRun(id="grpo-1", name="grpo", recipe={"steps": 2}, folder=Path("trackers"))


class Notes:
    """A tracker that keeps what it is told."""

    def __init__(self) -> None:
        self.heard: list[object] = []

    def on_begin(self, run: TrainingRun) -> None:
        self.heard.append(run.id)

    def on_step(self, step: int, metrics: Mapping[str, float], alarms: Sequence[str]) -> None:
        self.heard.append((step, dict(metrics), list(alarms)))

    def on_end(self, version: str) -> None:
        self.heard.append(version)


def watch(*trackers: Tracker, steps: int = 2, last_s: float = 60.0) -> None:
    watchers = Watchers(RUN, openers([], trackers), last_s)
    for step in range(1, steps + 1):
        watchers.step(step, {"loss": float(step)}, ["watch out"] if step == 2 else [])
    watchers.end("v1")


def test_a_tracker_hears_everything_in_order() -> None:
    notes = Notes()
    watch(notes)
    assert notes.heard == ["grpo-1", (1, {"loss": 1.0}, []), (2, {"loss": 2.0}, ["watch out"]), "v1"]


def test_a_run_without_steps_is_not_begun() -> None:
    notes = Notes()
    watch(notes, steps=0)
    assert notes.heard == []


def raising(error: BaseException, at: str) -> Tracker:
    class Breaks(Notes):
        def on_begin(self, run: TrainingRun) -> None:
            self._maybe("begin")

        def on_step(self, step: int, metrics: Mapping[str, float], alarms: Sequence[str]) -> None:
            self._maybe("step")

        def on_end(self, version: str) -> None:
            self._maybe("end")

        def _maybe(self, where: str) -> None:
            if where == at:
                raise error

    return Breaks()


@pytest.mark.parametrize("at", ["begin", "step", "end"])
@pytest.mark.parametrize("error", [RuntimeError("no disk\nmore"), SystemExit(3), KeyboardInterrupt()], ids=repr)
def test_a_tracker_that_raises_is_told_of_once_and_the_others_go_on(
    at: str, error: BaseException, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = Notes()
    watch(raising(error, at), notes, steps=5)
    assert len(notes.heard) == 7
    told = capsys.readouterr().err
    assert told.count("Tracker Breaks failed and gets no more metrics. Training goes on") == 1
    assert type(error).__name__ in told and "more" not in told.replace("no more", "")


def test_a_tracker_that_hangs_does_not_stop_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    waits = threading.Event()

    class Hangs(Notes):
        def on_step(self, step: int, metrics: Mapping[str, float], alarms: Sequence[str]) -> None:
            waits.wait(300)

    notes = Notes()
    watch(Hangs(), notes, steps=1500, last_s=0.5)
    waits.set()
    assert "Tracker Hangs did not finish in time" in capsys.readouterr().err
    assert len(notes.heard) >= 1000, "a tracker has its own queue"


def test_metrics_that_change_later_were_already_heard() -> None:
    notes = Notes()
    watchers = Watchers(RUN, openers([], [notes]))
    metrics = {"loss": 1.0}
    watchers.step(1, metrics, [])
    metrics["loss"] = 9.0
    watchers.end("")
    assert notes.heard[1] == (1, {"loss": 1.0}, [])


@pytest.mark.parametrize("name", PACKAGES)
def test_a_missing_package_is_named_with_the_command_that_installs_it(name: str) -> None:
    with pytest.raises(BadInput, match=rf"The tracker {name} needs the package {PACKAGES[name]}. Run: .*\[trackers\]"):
        check_trackers([name])


def test_an_unknown_tracker_is_refused_with_the_nearest() -> None:
    fields = {"model": "tiny", "algorithm": "grpo", "reward": "passed", "trackers": ["tensorbord"]}
    with pytest.raises(NotFound, match="tensorboard"):
        make_recipe(fields, [], "r.yaml")


def test_a_shipped_tracker_is_opened_in_its_thread_so_a_broken_package_breaks_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def broken() -> Tracker:
        raise ImportError("half installed")

    opened: list[tuple[str, Callable[[], Tracker]]] = [("wandb", broken)]
    watchers = Watchers(RUN, opened)
    watchers.step(1, {}, [])
    watchers.end("v1")
    assert "Tracker wandb failed" in capsys.readouterr().err
    assert callable(open_tracker)
