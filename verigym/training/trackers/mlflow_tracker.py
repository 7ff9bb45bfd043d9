"""Metrics in MLflow: at MLFLOW_TRACKING_URI, otherwise in trackers/mlflow of the workspace.

MLFLOW_EXPERIMENT_NAME names the experiment. A resumed run is found by its tag `verigym.run` and goes on.
"""

import json
import os
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from verigym.training.trackers import TrainingRun

_LONGEST = 500
"""Maximum length of a parameter that every server accepts."""


class MlflowTracker:
    def __init__(self) -> None:
        self._mlflow: Any = import_module("mlflow")
        self._entities: Any = import_module("mlflow.entities")

    def on_begin(self, run: TrainingRun) -> None:
        local = (run.folder / "mlflow").absolute()
        local.mkdir(parents=True, exist_ok=True)
        if not os.environ.get("MLFLOW_TRACKING_URI"):
            os.environ.setdefault("MLFLOW_ALLOW_FILE_STORE", "true")  # newer versions refuse a folder without it
        self._client = self._mlflow.MlflowClient(os.environ.get("MLFLOW_TRACKING_URI") or local.as_uri())
        name = os.environ.get("MLFLOW_EXPERIMENT_NAME", "verigym")
        experiment = self._client.get_experiment_by_name(name)
        id = self._client.create_experiment(name) if experiment is None else experiment.experiment_id
        known = self._client.search_runs([id], filter_string=f"tags.`verigym.run` = '{run.id}'", max_results=1)
        if known:
            self._run = known[0].info.run_id
            self._client.update_run(self._run, status="RUNNING")
            return
        self._run = self._client.create_run(id, run_name=run.name, tags={"verigym.run": run.id}).info.run_id
        params = [self._entities.Param(key, _short(value)) for key, value in run.recipe.items()]
        self._client.log_batch(self._run, params=params)

    def on_step(self, step: int, metrics: Mapping[str, float], alarms: Sequence[str]) -> None:
        now = int(time.time() * 1000)
        self._client.log_batch(
            self._run, metrics=[self._entities.Metric(name, value, now, step) for name, value in metrics.items()]
        )
        for index, alarm in enumerate(alarms):
            self._client.set_tag(self._run, f"alarm.{step}.{index}", alarm)

    def on_end(self, version: str) -> None:
        self._client.set_tag(self._run, "verigym.version", version)
        self._client.set_terminated(self._run, "FINISHED" if version else "FAILED")


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
