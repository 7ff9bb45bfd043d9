"""Watches a run with one tracker, or prints what the tracker's own package reads back: `track.py watch|read NAME FOLDER`.

Two processes, because some packages write the last lines when the process ends.
"""

import json
import os
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from verigym.training.trackers import TrainingRun, open_tracker

METRICS = {1: {"loss": 2.0, "part/lower": 0.25}, 2: {"loss": 1.5}, 3: {"loss": float("nan")}}


def watch(name: str, folder: Path, steps: list[int], version: str) -> None:
    """One process's part of a run: a resumed run begins again."""
    tracker = open_tracker(name)
    recipe = {"algorithm": "grpo", "lora": {"r": 8}, "note": "ü" * 2000}
    tracker.on_begin(TrainingRun(id="grpo-12345678", name="grpo", recipe=recipe, folder=folder))
    for step in steps:
        tracker.on_step(step, METRICS[step], ["entropy fell: ü"] if step == 2 else [])
    tracker.on_end(version)


def from_tensorboard(folder: Path) -> list[tuple[int, float]]:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    log = EventAccumulator(str(folder / "tensorboard" / "grpo-12345678"))
    log.Reload()
    assert {"recipe", "alarms", "version"} <= {*log.Tags()["tensors"]}
    return [(event.step, event.value) for event in log.Scalars("loss")]


def from_wandb(folder: Path) -> list[tuple[int, float]]:
    from wandb.proto import wandb_internal_pb2

    points: list[tuple[int, float]] = []
    for path in sorted(folder.glob("wandb/wandb/offline-run-*/run-grpo-12345678.wandb")):
        for body in records(path.read_bytes()):
            record = wandb_internal_pb2.Record()
            record.ParseFromString(body)
            items = {".".join(item.nested_key) or item.key: item.value_json for item in record.history.item}
            if "loss" in items:
                points.append((record.history.step.num, json.loads(items["loss"])))
    return points


def records(data: bytes) -> Iterator[bytes]:
    """The records of a log in LevelDB's format: blocks of 32 KiB, and parts with checksum, length and type before them."""
    index, parts = 7, b""
    while index + 7 <= len(data):
        left = 32768 - index % 32768
        if left < 7:
            index += left
            continue
        length, kind = struct.unpack("<HB", data[index + 4 : index + 7])
        parts += data[index + 7 : index + 7 + length]
        index += 7 + length
        if kind in (1, 4):
            yield parts
            parts = b""


def from_mlflow(folder: Path) -> list[tuple[int, float]]:
    import mlflow

    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
    client = mlflow.MlflowClient((folder / "mlflow").absolute().as_uri())
    experiment = client.get_experiment_by_name("verigym")
    [run] = client.search_runs([experiment.experiment_id])
    assert run.info.status == "FINISHED" and run.data.tags["verigym.version"] == "v1"
    assert run.data.params["algorithm"] == "grpo" and len(run.data.params["note"]) == 500
    return [(each.step, each.value) for each in client.get_metric_history(run.info.run_id, "loss")]


def from_trackio(folder: Path) -> list[tuple[int, float]]:
    from trackio.sqlite_storage import SQLiteStorage

    rows = SQLiteStorage.get_logs("verigym", "grpo-12345678")
    return [(row["step"], row["loss"]) for row in rows if "loss" in row]


READERS: dict[str, Callable[[Path], Any]] = {
    "tensorboard": from_tensorboard,
    "wandb": from_wandb,
    "mlflow": from_mlflow,
    "trackio": from_trackio,
}


def main(what: str, name: str, folder: Path) -> None:
    os.environ["TRACKIO_DIR"] = str(folder / "trackio")
    if what == "watch":
        watch(name, folder, [1, 2], "")
        watch(name, folder, [2, 3], "v1")
    else:
        print("read:" + json.dumps(READERS[name](folder)))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
