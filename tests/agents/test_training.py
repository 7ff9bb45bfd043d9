"""GRPO on what an unmodified agent did: the samples are the paths of its own tree of turns."""

import math
import shlex
import sys
from pathlib import Path

import pytest

from tests.agents.training_step import train_one_step
from tests.one_thread import one_thread as one_thread

PROGRAM = Path(__file__).with_name("programs.py")


@pytest.mark.usefixtures("one_thread")
def test_a_step_of_grpo_learns_from_the_agents_own_tree(tmp_path: Path) -> None:
    step = train_one_step(shlex.join([sys.executable, str(PROGRAM), "twice"]) + " {prompt}", tmp_path)
    assert math.isfinite(step.metrics["loss"]) and step.changed
    assert [[turn.parent for turn in each.turns] for each in step.trajectories] == [[None, 0, None]] * 4
    ids = [turn.completion_ids for each in step.trajectories for turn in each.turns]
    assert len(step.samples) == 8, "each path from a root to a leaf is one sample"
    assert sum(sum(sample.mask) for sample in step.samples) == sum(map(len, ids)), "every sampled token counts once"
