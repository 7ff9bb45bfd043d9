"""Models for the designer: those that columns ask, and a teacher that solves the generated tasks."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from verigym.core.protocols import closing
from verigym.core.records import Dataset, Sampling, Task
from verigym.design.make import DesignResult, Progress, make
from verigym.design.spec import Design
from verigym.design.steps import StepResources
from verigym.environments.load import load_environment
from verigym.harness.environment import EnvironmentSpec
from verigym.rollout.settings import RunSettings
from verigym.workspace import measure as stages
from verigym.workspace.datasets import from_demonstrations, from_rewards
from verigym.workspace.measure import OnProgress
from verigym.workspace.workspace import WorkspaceFolder

_MAX_TOKENS = 512


class TeachingResult(msgspec.Struct, frozen=True):
    run: str
    passed: int
    scored: int
    data: Dataset


async def made_by(
    open_workspace: Callable[[], WorkspaceFolder],
    design: Design,
    n: int,
    seed: int,
    *,
    partial: Path | None,
    on_progress: Progress,
) -> DesignResult:
    """Generates a design with the models that it names. A design without models does not open the workspace."""
    environment = load_environment(design.spec.environment) if design.spec.environment else None
    policies: dict[str, Any] = {}
    scorers: dict[str, Any] = {}
    if design.models or design.reward_models:
        ws = open_workspace()
        policies = {name: ws.open_beside(ws.agent(name)) for name in design.models}
        scorers = {name: ws.open_scorer(ws.find(name)) for name in design.reward_models}
    kit = StepResources(policies=policies, scorers=scorers, environment=environment)
    async with closing(*policies.values()):
        return await make(design, n, seed, kit, partial=partial, on_progress=on_progress)


def teach(
    ws: WorkspaceFolder,
    environment: EnvironmentSpec,
    tasks: Sequence[Task],
    teacher: str,
    k: int,
    keep: Literal["demos", "pairs"],
    on_progress: OnProgress = lambda _: None,
) -> TeachingResult:
    """Runs and scores k episodes of a teacher on each task. Stores the passed ones as demonstrations, or pairs by reward."""
    settings = RunSettings(k=k, sampling=Sampling(max_tokens=_MAX_TOKENS))
    run = stages.rollout(ws, environment, ws.agent(teacher), tasks, settings, on_progress=on_progress)
    made = ws.store.run(run)
    data = from_demonstrations(ws, run) if keep == "demos" else from_rewards(ws, run)
    return TeachingResult(run, made.passed, made.scored, data)
