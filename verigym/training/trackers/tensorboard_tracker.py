"""Metrics as a TensorBoard log, in trackers/tensorboard/RUN of the workspace: `tensorboard --logdir .verigym/trackers`.

It writes events with the package `tensorboard` alone, without torch. A resumed run writes a second file to the same folder.
"""

import json
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from verigym.training.trackers import TrainingRun


class TensorBoardTracker:
    def __init__(self) -> None:
        proto = "tensorboard.compat.proto"
        self._event: Any = import_module(f"{proto}.event_pb2").Event
        self._summary: Any = import_module(f"{proto}.summary_pb2")
        self._tensor: Any = import_module(f"{proto}.tensor_pb2").TensorProto
        self._file: Any = import_module("tensorboard.summary.writer.event_file_writer").EventFileWriter

    def on_begin(self, run: TrainingRun) -> None:
        self._writer = self._file(str(run.folder / "tensorboard" / run.id))
        recipe = json.dumps(run.recipe, indent=2, ensure_ascii=False, default=str)
        self._text("recipe", f"```\n{recipe}\n```", 0)

    def on_step(self, step: int, metrics: Mapping[str, float], alarms: Sequence[str]) -> None:
        self._add([self._summary.Summary.Value(tag=name, simple_value=value) for name, value in metrics.items()], step)
        for alarm in alarms:
            self._text("alarms", alarm, step)
        self._writer.flush()

    def on_end(self, version: str) -> None:
        self._text("version", version or "none", 0)
        self._writer.close()

    def _text(self, tag: str, text: str, step: int) -> None:
        summary = self._summary
        plugin = summary.SummaryMetadata.PluginData(plugin_name="text")
        tensor = self._tensor(dtype="DT_STRING", string_val=[text.encode()])
        metadata = summary.SummaryMetadata(plugin_data=plugin)
        self._add([summary.Summary.Value(tag=tag, metadata=metadata, tensor=tensor)], step)

    def _add(self, values: list[Any], step: int) -> None:
        summary = self._summary.Summary(value=values)
        self._writer.add_event(self._event(wall_time=time.time(), step=step, summary=summary))
