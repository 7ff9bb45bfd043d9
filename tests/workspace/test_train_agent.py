"""GRPO on what an unmodified agent did in a process of its own: the model learns from exactly its own tokens."""

import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.workspace.desk import DESK, Bench
from verigym.core.errors import BadInput
from verigym.training.samples import from_trajectory
from verigym.workspace.dry_run import dry_run

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


@pytest.mark.parametrize("whose", ["the recipe's", "the environment's"])
@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("no_such_agent:solve", r'There is no module "no_such_agent" in .*install its package'),
        ("my_agent:slove", r'There is no function "slove"\. Did you mean "solve"\?.*Name a function of .*my_agent\.py'),
        ("my_agent:NUMBER", r'There is no function "NUMBER"'),
        ("broken_agent:solve", "ModuleNotFoundError: No module named 'no_such_package'"),
    ],
    ids=["no such module", "no such function", "not a function", "a module that fails"],
)
def test_a_function_that_does_not_exist_is_refused_before_the_model_is_loaded(
    fresh: Bench, agent: str, words: str, whose: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh.file("my_agent.py", "NUMBER = 3\n\ndef solve(episode): ...\n")
    fresh.file("broken_agent.py", "import no_such_package\n\ndef solve(episode): ...\n")
    monkeypatch.chdir(fresh.place)
    fields: dict[str, Any] = {"agent": agent}
    field = "agent"
    if whose == "the environment's":
        path = fresh.file("led.py", f"{DESK}\nagent = {agent!r}\n")
        fields, field = {"environment": path}, r"\S*led\.py"
    for start in (lambda: dry_run(fresh.ws, fresh.recipe("grpo", **fields)), lambda: fresh.train("grpo", **fields)):
        with pytest.raises(BadInput, match=rf"^{field}: The agent {agent} cannot be loaded: .*{words}"):
            start()
    assert fresh.nothing_was_begun() and fresh.ws._local is None


def test_an_agent_that_no_episode_needs_is_not_started(fresh: Bench) -> None:
    assert dry_run(fresh.ws, fresh.recipe("sft", agent="no_such_agent:solve", held_out_eval=None)).lines
