"""GRPO on what an unmodified agent did in a process of its own: the model learns from exactly its own tokens."""

import shlex
import sys
from pathlib import Path

import pytest

from tests.workspace.desk import Bench
from verigym.core.errors import BadInput
from verigym.training.samples import from_trajectory

PROGRAM = shlex.join([sys.executable, str(Path(__file__).parents[1] / "agents" / "programs.py"), "solve"]) + " {prompt}"


def test_grpo_trains_on_the_exact_tokens_of_an_external_agent(fresh: Bench) -> None:
    version, run = fresh.train("grpo", agent=PROGRAM, num_generations_per_prompt=4, updates_per_batch=1)
    assert version.program == PROGRAM and version.adapter
    collected = [one for one in fresh.ws.store.runs(parent=run) if one.kind == "collect"]
    episodes = [each for one in collected for each in fresh.ws.store.trajectories(one.id)]
    assert episodes and all(each.turns and each.error is None for each in episodes)
    policy = fresh.ws.load(str(fresh.model))
    for each in episodes:
        [sample] = from_trajectory(each, 1.0)
        turn = each.turns[0]
        assert turn.completion_ids and len(turn.logprobs) == len(turn.completion_ids)
        assert sample.ids == turn.context_ids + turn.completion_ids
        [asked] = [item for item in each.items if getattr(item, "role", "") == "user"]
        assert turn.context_ids == policy.render.prompt([asked], [])
        assert policy.render.read(turn.completion_ids, [], "c") == [each.items[-1]]
    metrics = fresh.metrics(run)
    assert all(abs(row["loss"]) < 1e3 for row in metrics.values())
    assert any(row["grad_norm"] > 0 for row in metrics.values())


def test_an_agent_that_does_not_exist_is_refused_before_anything_runs(fresh: Bench) -> None:
    with pytest.raises(BadInput, match="cannot be found"):
        fresh.train("grpo", agent="no-such-agent-program {prompt}")
