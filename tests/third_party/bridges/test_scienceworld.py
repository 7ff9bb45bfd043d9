"""ScienceWorld with the real simulator: its own solver passes, and a killed process fails one episode."""

import asyncio
import os
import signal
from typing import Any

import pytest

from verigym.audit.scripted_episodes import ScriptedEpisode, play
from verigym.core.errors import InfrastructureFailure, NotFound
from verigym.environments.load import load_environment

BRIDGE = "scienceworld"
PLANTS = "scienceworld:find-plant?size=4&val=2"


def test_gold_scores_the_whole_task_and_doing_nothing_does_not() -> None:
    spec = load_environment(PLANTS)
    tasks = [*spec.tasks("train")[:2], *spec.tasks("val")[:1]]
    assert "find a(n) plant" in str(tasks[0].prompt) and len(spec.tasks("test")) == 2

    async def run() -> list[tuple[ScriptedEpisode, ScriptedEpisode]]:
        return [(await play(spec, each, spec.gold_replies(each)), await play(spec, each, ["x"])) for each in tasks]

    for gold, nothing in asyncio.run(run()):
        assert gold.verdict.passed and sum(gold.trajectory.rewards) == pytest.approx(1.0)
        assert not nothing.verdict.passed and nothing.trajectory.error is None
        assert nothing.verdict.reward in (0.0, 0.08), "ScienceWorld pays 0.08 if the agent begins near the goal"


def test_a_killed_process_fails_its_episodes_and_the_next_one_starts_another() -> None:
    spec = load_environment(PLANTS)
    task, child = spec.tasks("val")[0], spec.factory.child  # type: ignore[attr-defined]

    async def run() -> tuple[Any, ScriptedEpisode]:
        broken = spec.factory()
        await broken.open(task)
        os.kill(child._pool.start().pid, signal.SIGKILL)
        with pytest.raises(InfrastructureFailure, match="The next episode starts a new process"):
            await broken.step("look around")
        await broken.close()
        return broken, await play(spec, task, ["look around"])

    _, after = asyncio.run(run())
    assert after.trajectory.error is None and "This room is called" in str(after.trajectory.items)


def test_a_wrong_name_says_what_there_is() -> None:
    with pytest.raises(NotFound, match='Did you mean "boil"'):
        load_environment("scienceworld:boi")
    with pytest.raises(NotFound, match="teleportAction"):
        load_environment("scienceworld:boil?simplify=all")
