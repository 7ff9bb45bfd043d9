"""GRPO: try each task several times, learn from the difference. The loop reads top to bottom; what it needs is passed in."""

import random
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from verigym.core.records import Task, Trajectory, Verdict
from verigym.core.seeds import derive
from verigym.model.agree import check_agreement
from verigym.training import checkpoint
from verigym.training.advantages import group_advantages, has_signal
from verigym.training.apart import apart
from verigym.training.recipe import Recipe
from verigym.training.samples import from_trajectory
from verigym.training.schedule import CHECKPOINT_S, due, rate
from verigym.training.sft import Evaluate, Metrics, Report
from verigym.training.update import grpo_update, make_optimizer

Group = tuple[list[Trajectory], list[Verdict]]
Collect = Callable[[int, list[Task]], Awaitable[list[Group]]]
"""(step, tasks) -> the group of each task, sampled with the weights as they are"""


async def train_grpo(
    model: Any,
    recipe: Recipe,
    tasks: Sequence[Task],
    folder: Path,
    *,
    collect: Collect,
    changed: Callable[[int], None],
    evaluate: Evaluate,
    report: Report,
) -> None:
    """Trains the adapter on `model` in place; goes on from the checkpoint in `folder` when there is one.
    `changed(step)` is called after every update, so that whoever samples forgets the old weights."""
    optimizer = make_optimizer(model, recipe.learning_rate)
    done = checkpoint.load(folder, model, optimizer)
    changed(done)
    saved = time.monotonic()
    checked = False
    for step in range(done + 1, recipe.steps + 1):
        started = time.perf_counter()
        groups = await collect(step, pick(tasks, recipe, step))
        sampled = time.perf_counter()
        live = [group for group in groups if has_signal(_rewards(group[1]))]
        samples = [
            sample
            for trajectories, verdicts in live
            for trajectory, verdict, advantage in zip(
                trajectories, verdicts, group_advantages(_rewards(verdicts)), strict=True
            )
            if verdict.reward is not None
            for sample in from_trajectory(trajectory, advantage)
        ]
        metrics: Metrics = _summary(groups, live)
        if samples:
            if not checked:
                await apart(check_agreement, model, samples)
                checked = True
            for group in optimizer.param_groups:
                group["lr"] = rate(recipe.learning_rate, step, recipe.steps, decay=False)
            metrics |= await apart(
                grpo_update,
                model,
                optimizer,
                samples,
                temperature=recipe.temperature,
                clip_low=recipe.clip_low,
                clip_high=recipe.clip_high,
                updates=recipe.updates_per_batch,
            )
            changed(step)
        metrics |= {"sampling_s": sampled - started, "update_s": time.perf_counter() - sampled}
        metrics["seconds"] = metrics["sampling_s"] + metrics["update_s"]
        if due(step, recipe):
            metrics |= await evaluate(step)
        report(step, metrics)
        if step == recipe.steps or time.monotonic() - saved > CHECKPOINT_S:
            checkpoint.save(folder, model, optimizer, step)
            saved = time.monotonic()


def pick(tasks: Sequence[Task], recipe: Recipe, step: int) -> list[Task]:
    """The step's tasks, no two alike; which ones depends on seed and step alone."""
    chosen = random.Random(derive(recipe.seed, "tasks", step)).sample(
        range(len(tasks)), min(recipe.prompts_per_step, len(tasks))
    )
    return [tasks[i] for i in chosen]


def _rewards(verdicts: list[Verdict]) -> list[float | None]:
    return [verdict.reward for verdict in verdicts]


def _summary(groups: list[Group], live: list[Group]) -> Metrics:
    """Means over the scored episodes; what could not be scored is counted, and is in no mean."""
    verdicts = [verdict for _, group in groups for verdict in group]
    scored = [verdict for verdict in verdicts if verdict.reward is not None]
    lengths = [turn.usage.completion_tokens for group, _ in groups for trajectory in group for turn in trajectory.turns]
    found: Metrics = {"live_groups": len(live) / len(groups), "unscored": len(verdicts) - len(scored)}
    if scored:
        found["reward"] = statistics.fmean(verdict.reward or 0.0 for verdict in scored)
        found["passed"] = statistics.fmean(verdict.passed for verdict in scored)
    if lengths:
        found["length"] = statistics.fmean(lengths)
    return found
