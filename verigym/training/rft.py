"""Rejection-sampling fine-tuning, also called expert iteration: sample, keep what passes, imitate it, repeat.

One step is one round, top to bottom:

1. collect: k episodes of each task with the current weights, as in GRPO (`grpo.collect`)
2. keep: of each task, a few episodes that passed (`kept_of`), so that easy tasks do not crowd out hard ones
3. imitate: `rft.epochs` passes over them with the loss of SFT, in the tokens that were sampled

No reward is compared and no ratio is needed. Failed episodes teach nothing here.
"""

import random
import statistics
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from verigym.core.records import Sample, Stop, Trajectory
from verigym.core.seeds import derive
from verigym.model.threads import in_thread
from verigym.training.groups import Group
from verigym.training.grpo import sample_groups, train_on_policy
from verigym.training.learner import Learner, LocalLearner
from verigym.training.loop import FirstBatch, Metrics, OnMetrics
from verigym.training.recipe import Recipe
from verigym.training.recipe_groups import Rft
from verigym.training.rollouts import TrainingRollouts
from verigym.training.samples import from_trajectory


async def train_rft(
    model: Any,
    recipe: Recipe,
    rollouts: TrainingRollouts,
    folder: Path,
    *,
    learner: Learner | None = None,
    report: OnMetrics,
) -> None:
    learner = learner or LocalLearner(model, recipe)
    first = FirstBatch(learner)

    async def one_step(step: int) -> Metrics:
        groups, metrics = await sample_groups(recipe, rollouts, step)
        sampled = time.perf_counter()
        by_group = [kept_of(group, recipe.rft) for group in groups]
        rows = [sample for kept in by_group for one in kept for sample in from_trajectory(one, 1.0)]
        metrics |= {"kept": float(sum(map(len, by_group))), "kept_tasks": float(sum(map(bool, by_group)))}
        batches = list(batches_of(rows, recipe, step))
        if batches:
            await first.check(batches[0])
            done = [await in_thread(learner.update, "sft", batch) for batch in batches]
            metrics |= {name: statistics.fmean(one[name] for one in done) for name in ("loss", "entropy", "grad_norm")}
            metrics |= {"tokens": sum(one["tokens"] for one in done), "updates": float(len(done))}
        return metrics | {"update_s": time.perf_counter() - sampled}

    await train_on_policy(learner, recipe, rollouts, folder, one_step, report)


def batches_of(rows: Sequence[Sample], recipe: Recipe, step: int) -> list[list[Sample]]:
    """The batches of a round: every row once per epoch, in an order that depends on seed, step and epoch."""
    size, batches = recipe.rft.batch, list[list[Sample]]()
    for epoch in range(recipe.rft.epochs):
        order = list(rows)
        random.Random(derive(recipe.seed, "rft", step, epoch)).shuffle(order)
        batches += [order[start : start + size] for start in range(0, len(order), size)]
    return batches


def kept_of(group: Group, settings: Rft) -> list[Trajectory]:
    """The episodes of a task to imitate: passed, safe, complete, each wording once, the shortest first. `prefer: different` then
    takes the one that shares the fewest pairs of neighbouring tokens with those taken."""
    unique: dict[tuple[int, ...], Trajectory] = {}
    for trajectory, verdict in zip(group.trajectories, group.verdicts, strict=True):
        if (
            verdict.reward is not None
            and verdict.passed
            and not verdict.unsafe
            and trajectory.stop is not Stop.MAX_TOKENS
        ):
            unique.setdefault(_sampled(trajectory), trajectory)
    left = sorted((ids for ids in unique if ids), key=lambda ids: (len(ids), unique[ids].id))
    if settings.prefer == "shortest":
        return [unique[ids] for ids in left[: settings.keep]]
    taken = left[:1]
    while len(taken) < min(settings.keep, len(left)):
        taken.append(max((ids for ids in left if ids not in taken), key=lambda ids: _distance(ids, taken)))
    return [unique[ids] for ids in taken]


def _sampled(trajectory: Trajectory) -> tuple[int, ...]:
    return tuple(id for turn in trajectory.turns if turn.actor == "policy" for id in turn.completion_ids)


def _distance(ids: tuple[int, ...], others: Sequence[tuple[int, ...]]) -> float:
    """The smallest Jaccard distance between the neighbouring pairs of tokens of an episode and those of the others."""
    return min(_jaccard(set(pairwise(ids)), set(pairwise(other))) for other in others)


def _jaccard(one: set[tuple[int, int]], other: set[tuple[int, int]]) -> float:
    return 1 - len(one & other) / max(1, len(one | other))
