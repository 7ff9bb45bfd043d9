"""A tool that hangs ends in a record, also on the thread of a workspace."""

import sys
import time
from pathlib import Path
from types import FrameType

import pytest

import verigym

HANGING = """
import time
from verigym import FunctionCall, Task, tool

class Environment:
    def open(self, task): self.task = task
    @tool(seconds=0.5)
    def look(self) -> str:
        "Look."
        if self.task.data.get("hangs"):
            HANG
        return "seen"

def tasks(split):
    return [Task(id=f"{split}{i}", prompt="Look.", split=split, family=f"{split}{i % 7}", data={"hangs": i == 350})
            for i in range(400)]

def verify(task, trajectory):
    return 1.0
"""


@pytest.mark.timeout(1000, method="thread")
@pytest.mark.parametrize("hang", ["time.sleep(1000)", "while True: pass"])
def test_a_tool_that_hangs_ends_in_a_record(tmp_path: Path, hang: str) -> None:
    file = tmp_path / "hanging.py"
    file.write_text(HANGING.replace("HANG", hang))
    environment = verigym.load_environment(str(file))
    with verigym.Workspace(tmp_path / "home") as ws:
        policy = verigym.ScriptedPolicy([[verigym.FunctionCall("c", "look", "{}")], "Done."])
        ws.folder.policy = lambda version: policy  # type: ignore[method-assign]
        settings = verigym.RunSettings(concurrency=8, limits=verigym.EpisodeLimits(seconds=5))
        run = ws.rollout(environment, verigym.Version(base="scripted", id="scripted"), settings=settings)
        assert run.trajectories == 400
        [late] = [one for one in ws.trajectories(run) if one.stop != "done"]
        assert (late.task, late.stop) == ("train350", "tool_time_out")
    while hang == "while True: pass" and any(runs(file, frame) for frame in sys._current_frames().values()):
        time.sleep(0.05)  # an endless loop that was left behind would use a processor for as long as the process lives


def runs(file: Path, frame: FrameType) -> bool:
    return frame.f_code.co_filename == str(file)
