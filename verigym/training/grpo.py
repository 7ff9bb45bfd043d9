"""The GRPO family: try each task several times, learn from the difference. What a step needs is passed in."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from verigym.core.records import Task
from verigym.model import lora
from verigym.model.threads import apart
from verigym.training.groups import Group, Source, pick, rewards_of, samples_of, summary, tells
from verigym.training.loop import Evaluate, FirstBatch, Metrics, Report, train_steps
from verigym.training.recipe import Recipe
from verigym.training.samples import from_trajectory
from verigym.training.update import Weights, logprobs_of, make_optimizer, policy_update

Collect = Callable[[int, int, Mapping[str, list[Task]]], Awaitable[list[Group]]]
"""(step, round, tasks by source) -> the group of each task, sampled with the weights as they are"""


async def train_grpo(
    model: Any,
    recipe: Recipe,
    sources: Sequence[Source],
    folder: Path,
    *,
    reference: Weights = None,
    collect: Collect,
    changed: Callable[[int], None],
    evaluate: Evaluate,
    report: Report,
) -> None:
    """`reference` are the weights of the adapter that divergence is measured from; none for the bare model."""
    optimizer = make_optimizer(model, recipe.learning_rate)
    first = FirstBatch(model)

    async def one_step(step: int) -> Metrics:
        started = time.perf_counter()
        groups = await _gather(recipe, sources, step, collect)
        sampled = time.perf_counter()
        rewards = [rewards_of(group, recipe) for group in groups]
        metrics = summary(groups, rewards, recipe, len(sources) > 1)
        if recipe.loss.kl and recipe.loss.kl_in == "reward":
            rewards, metrics["kl"] = await apart(_less_kl, model, groups, rewards, recipe, reference)
        samples = samples_of(groups, rewards, recipe)
        kept = [sample for sample, masked in samples if not masked]
        if kept:
            await first.check(kept)
            metrics |= await apart(
                policy_update,
                model,
                optimizer,
                kept,
                recipe.loss,
                temperature=recipe.temperature,
                longest=recipe.max_tokens,
                rows=len(samples),
                updates=recipe.updates_per_batch,
                reference=reference,
            )
        return metrics | {"sampling_s": sampled - started, "update_s": time.perf_counter() - sampled}

    await train_steps(model, optimizer, recipe, folder, one_step, evaluate=evaluate, report=report, changed=changed)


async def _gather(recipe: Recipe, sources: Sequence[Source], step: int, collect: Collect) -> list[Group]:
    """The step's groups. With dynamic sampling, other tasks are tried in place of those whose group says nothing."""
    groups: list[Group] = []
    wanted = recipe.prompts_per_step
    for number in range(recipe.episodes.dynamic_rounds + 1):
        tried = {(group.source, group.trajectories[0].task) for group in groups}
        picked = pick(sources, recipe, step, number, wanted, tried)
        if not picked:
            break
        found = await collect(step, number, picked)
        groups += found
        wanted -= sum(tells(group, rewards_of(group, recipe), recipe) for group in found)
        if wanted <= 0:
            break
    return groups


def _less_kl(
    model: Any, groups: list[Group], rewards: list[list[float | None]], recipe: Recipe, reference: Weights
) -> tuple[list[list[float | None]], float]:
    """Rewards less the divergence of their own tokens from the reference, and its mean over tokens."""
    samples = [
        sample for group in groups for trajectory in group.trajectories for sample in from_trajectory(trajectory, 0.0)
    ]
    now = logprobs_of(model, samples, recipe.temperature)
    with lora.wearing(model, reference):
        then = logprobs_of(model, samples, recipe.temperature)
    away: dict[str, float] = {}
    for sample, ours, theirs in zip(samples, now, then, strict=True):
        away[sample.trajectory] = away.get(sample.trajectory, 0.0) + sum(ours) - sum(theirs)
    less = [
        [
            None if reward is None else reward - recipe.loss.kl * away.get(trajectory.id, 0.0)
            for trajectory, reward in zip(group.trajectories, own, strict=True)
        ]
        for group, own in zip(groups, rewards, strict=True)
    ]
    return less, sum(away.values()) / max(1, sum(map(len, now)))
