"""Thousands of episodes at once: those that wait for their group are packed, so that they take less memory."""

from pathlib import Path

from tests.policies.templates import tokenizer
from tests.rollout.shop import AGENT, tasks
from tests.rollout.test_many import run
from verigym.core.records import Task, Trajectory
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox
from verigym.policies.engines.fake import FakeEngine
from verigym.policies.tokens import TokenPolicy
from verigym.rollout.many import RunPlan
from verigym.rollout.settings import RunSettings
from verigym.store.database import Store
from verigym.verifiers.lift import lift


def test_with_thousands_at_once_a_verifier_gets_the_trajectories_that_are_stored(tmp_path: Path) -> None:
    seen: dict[str, Trajectory] = {}

    def verify(task: Task, trajectory: Trajectory) -> float:
        seen[trajectory.id] = trajectory
        return float(trajectory.index)

    class Talk:
        def open(self, task: Task) -> None: ...

    talk = EnvironmentSpec(
        name="talk",
        tasks=lambda split: [],
        factory=Talk,
        toolbox=ToolBox(Talk),
        verifiers={"verify": lift("verify", verify)},
        suites={},
        max_turns=1,
    )
    policy = TokenPolicy(
        tokenizer("qwen2"), FakeEngine(slots=4096, tokens=6, vocabulary=95, latency_s=0.01), agent="fake"
    )
    many = RunPlan(
        run="r",
        environment=talk,
        tasks=tasks(512),
        agent=AGENT,
        verifier=talk.verifier,
        settings=RunSettings(k=4, concurrency=4096),
    )
    store = Store(tmp_path / "store.db")
    trajectories, verdicts = run(store, many, policy)
    store.close()
    assert len(seen) == 2048 and all(trajectory.turns[0].logprobs for trajectory in trajectories)
    assert [seen[trajectory.id] for trajectory in trajectories] == trajectories
    assert [verdict.reward for verdict in verdicts] == [float(trajectory.index) for trajectory in trajectories]
