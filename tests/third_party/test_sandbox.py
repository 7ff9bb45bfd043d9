"""Real agents in the sandbox: they read their own program, and reach their episode and nothing else."""

import asyncio

import pytest

from tests.third_party.agents import CASES, answer, play
from verigym.policies.scripted import ScriptedPolicy


@pytest.mark.parametrize("name", ["anthropic", "langgraph", "codex"])
def test_an_agent_runs_in_the_sandbox(name: str) -> None:
    made = asyncio.run(play(CASES[name], ScriptedPolicy(answer), sandbox=True)).trajectory
    assert made.error is None, made.error
    assert [turn.parent for turn in made.turns] == CASES[name].parents and made.end_state == {"basket": {"tea": 2}}
