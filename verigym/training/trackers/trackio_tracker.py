"""Metrics in trackio, which keeps them on this machine: `trackio show --project verigym`. TRACKIO_PROJECT names the project."""

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from verigym.training.trackers import TrainingRun


class TrackioTracker:
    def __init__(self) -> None:
        self._trackio: Any = import_module("trackio")

    def on_begin(self, run: TrainingRun) -> None:
        project = os.environ.get("TRACKIO_PROJECT", "verigym")
        self._run = self._trackio.init(project=project, name=run.id, config=run.recipe, resume="allow", embed=False)

    def on_step(self, step: int, metrics: Mapping[str, float], alarms: Sequence[str]) -> None:
        self._run.log(dict(metrics), step=step)
        for alarm in alarms:
            self._run.alert(title="Verigym", text=alarm)

    def on_end(self, version: str) -> None:
        self._run.finish()
