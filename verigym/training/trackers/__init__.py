"""Trackers: what happens in a training run, sent to TensorBoard, W&B, MLflow, trackio, or an object of your own.

A tracker has the three methods of `Tracker`. Each shipped one has a file, and its package is imported when the run begins. A
tracker can never break, slow or stop a run: each has a thread and a queue of its own (`watchers.py`). What a tracker cannot
take is lost to it and to nobody else, because the store keeps every metric.
"""

import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from verigym.core.errors import BadInput, not_found
from verigym.core.install import install_command
from verigym.core.records import Json


class TrainingRun(msgspec.Struct, frozen=True, kw_only=True):
    """What a tracker learns about a run before its first step."""

    id: str
    """The id of the run, which is the same after a resume."""
    name: str
    """Name of the new version."""
    recipe: Json
    folder: Path
    """A folder for files of trackers, in the workspace."""


class Tracker(Protocol):
    """An observer of training. Each method is called in order, in a thread of the tracker's own."""

    def on_begin(self, run: TrainingRun) -> None: ...

    def on_step(self, step: int, metrics: Mapping[str, float], alarms: Sequence[str]) -> None:
        """`alarms` are the messages that this step raised. A resumed run repeats steps after its last checkpoint."""
        ...

    def on_end(self, version: str) -> None:
        """`version` is the id of the new version. Empty if the run failed or learnt nothing."""
        ...


PACKAGES = {"tensorboard": "tensorboard", "wandb": "wandb", "mlflow": "mlflow", "trackio": "trackio"}
"""Names of the shipped trackers, with the package that each needs."""


def check_trackers(names: Sequence[str]) -> None:
    """Refuses unknown names and missing packages, before training begins."""
    for name in names:
        if name not in PACKAGES:
            raise not_found(
                "tracker", name, PACKAGES, "Or pass an object of your own: Workspace.train(trackers=[...])."
            )
        if importlib.util.find_spec(PACKAGES[name]) is None:
            raise BadInput(f"The tracker {name} needs the package {PACKAGES[name]}. Run: {install_command('trackers')}")


def open_tracker(name: str) -> Tracker:
    """A shipped tracker. Its package is imported here."""
    if name == "tensorboard":
        from verigym.training.trackers.tensorboard_tracker import TensorBoardTracker

        return TensorBoardTracker()
    if name == "wandb":
        from verigym.training.trackers.wandb_tracker import WandbTracker

        return WandbTracker()
    if name == "mlflow":
        from verigym.training.trackers.mlflow_tracker import MlflowTracker

        return MlflowTracker()
    from verigym.training.trackers.trackio_tracker import TrackioTracker

    return TrackioTracker()
