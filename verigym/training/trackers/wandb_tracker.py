"""Metrics in Weights & Biases. Without a key, the run is recorded offline, and `wandb sync` uploads it later.

The usual variables count: WANDB_API_KEY, WANDB_PROJECT, WANDB_ENTITY, WANDB_MODE. The id of the run is Verigym's, so a resumed
run goes on.
"""

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from verigym.training.trackers import TrainingRun


class WandbTracker:
    def __init__(self) -> None:
        self._wandb: Any = import_module("wandb")

    def on_begin(self, run: TrainingRun) -> None:
        folder = run.folder / "wandb"
        folder.mkdir(parents=True, exist_ok=True)
        mode = os.environ.get("WANDB_MODE") or (
            "online" if self._wandb.login(prompt=False, verify=False) else "offline"
        )
        self._run = self._wandb.init(
            project=os.environ.get("WANDB_PROJECT", "verigym"),
            id=run.id.replace("/", "-"),
            name=run.name,
            resume="allow",
            dir=str(folder),
            config=run.recipe,
            mode=mode,
            settings=self._wandb.Settings(console="off", silent=True, disable_git=True, save_code=False),
        )

    def on_step(self, step: int, metrics: Mapping[str, float], alarms: Sequence[str]) -> None:
        self._run.log(dict(metrics), step=step)
        for alarm in alarms:
            self._run.alert(title="Verigym", text=alarm)

    def on_end(self, version: str) -> None:
        self._run.summary["version"] = version
        self._run.finish(exit_code=0 if version else 1)
