"""GRPO on episodes of a real agent, with the local engine."""

import math
from pathlib import Path

from tests.agents.training_step import train_one_step
from tests.third_party.agents import CASES


def test_a_step_of_grpo_learns_from_episodes_of_a_real_agent(tmp_path: Path) -> None:
    command = CASES["openai-agents-chat"].command.replace(" chat ", " chat-twice ")
    step = train_one_step(command, tmp_path)
    assert math.isfinite(step.metrics["loss"]) and step.changed
    assert [[turn.parent for turn in each.turns] for each in step.trajectories] == [[None, 0]] * 4
    assert len(step.samples) == 4 and all(sum(sample.mask) > 0 for sample in step.samples)
