"""The GRPO family: try each task several times and learn from the differences.

One step, top to bottom:

1. collect: k episodes of each task are sampled and scored by the verifier (`rollouts.collect`)
2. reward: what each episode earned (`groups.with_rewards`), less its divergence if the recipe says so
3. advantage: how much better an episode was than the others of its group (`groups.samples_of`)
4. update: better episodes become likelier (`update.policy_update`)
5. evaluate: every few steps, the held-out suite (`rollouts.evaluate`, called by `loop.train_steps`)
"""

import functools
import itertools
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from verigym.core.records import Sample
from verigym.model.threads import in_thread
from verigym.training.ahead import sampling_of
from verigym.training.critic import Tokens
from verigym.training.gold import spread
from verigym.training.groups import Group, has_signal, less, pick, samples_of, summary, with_rewards
from verigym.training.learner import Learner, LocalLearner
from verigym.training.loop import FirstBatch, Metrics, OneStep, OnMetrics, WeightsChanged, train_steps
from verigym.training.losses import divergence
from verigym.training.offline import batch
from verigym.training.recipe import Recipe
from verigym.training.rollouts import TrainingRollouts
from verigym.training.samples import from_trajectory
from verigym.training.update import Teaching, Weights


async def train_grpo(
    model: Any,
    recipe: Recipe,
    rollouts: TrainingRollouts,
    folder: Path,
    *,
    reference: Weights = None,
    stored: Sequence[Group] = (),
    learner: Learner | None = None,
    report: OnMetrics,
) -> None:
    """Trains the adapter on `model`. The divergence is measured from `reference`, the weights of an adapter, or from the bare
    model if it is None. Checkpoints are in `folder`. With `stored`, it trains on these groups, each once per epoch, and samples
    none. `loss.correction` then corrects for the weights that sampled them. `learner` makes the updates. None for one in this
    process."""
    learner = learner or LocalLearner(model, recipe, reference)
    first = FirstBatch(learner)

    async def one_step(step: int) -> Metrics:
        groups, metrics = await sampling.groups(step)
        sampled = time.perf_counter()
        if recipe.loss.kl and recipe.loss.kl_in == "reward":
            taken, metrics["kl"] = await in_thread(_kl_share, learner, groups, recipe)
            groups = [less(group, taken) for group in groups]
            rollouts.keep_kl_share(step, taken)
        samples = samples_of(groups, recipe)
        kept = [sample for sample, masked in samples if not masked]
        num_rows = len(samples)
        if stored and kept:
            now = await in_thread(learner.logprobs, kept, recipe.temperature)
            metrics |= staleness(now, kept, len(stored), recipe.prompts_per_step, step)
        if recipe.episodes.gold_when_all_fail:
            gold, counts = await rollouts.gold(groups, step)
            kept, num_rows, metrics = spread(kept, gold), num_rows + len(gold), metrics | counts
        if kept:
            await first.check(kept)
            metrics |= await learn(learner, kept, recipe, rows=num_rows, ages=sampling.ages(groups, kept, step))
        return metrics | {"update_s": time.perf_counter() - sampled}

    sample = functools.partial(sample_groups, recipe, rollouts, stored=stored)
    async with sampling_of(recipe, rollouts, model, folder, sample) as sampling:
        await train_on_policy(learner, recipe, rollouts, folder, one_step, report, sampling.weights_changed)


async def sample_groups(
    recipe: Recipe, rollouts: TrainingRollouts, step: int, *, stored: Sequence[Group] = ()
) -> tuple[list[Group], Metrics]:
    """The first part of a step of every method that samples: its groups and what they say."""
    started = time.perf_counter()
    known = drawn(recipe, rollouts, step)
    if stored:
        groups = [with_rewards(group, recipe) for group in batch(stored, recipe, step)]
    else:
        groups = await collect(recipe, rollouts, step)
    metrics = summary(groups, recipe, len(rollouts.sources) > 1) | known
    if not recipe.compares and recipe.algorithm != "rft":
        del metrics["live_groups"]  # rewards are not compared
    return groups, metrics | {"sampling_s": time.perf_counter() - started}


async def learn(
    learner: Learner,
    samples: Sequence[Sample],
    recipe: Recipe,
    *,
    rows: int = 0,
    teaching: Teaching | None = None,
    ages: Sequence[int] = (),
) -> Metrics:
    """The updates of a step by the policy loss of the recipe (`update.policy_update`)."""
    return await in_thread(
        learner.update,
        "policy",
        samples,
        settings=recipe.loss,
        temperature=recipe.temperature,
        longest=recipe.reply_limit,
        rows=rows,
        updates=recipe.updates_per_batch or 1,
        teaching=teaching,
        **({"ages": ages} if ages else {}),
    )


async def train_on_policy(
    learner: Learner,
    recipe: Recipe,
    rollouts: TrainingRollouts,
    folder: Path,
    one_step: OneStep,
    report: OnMetrics,
    weights_changed: WeightsChanged | None = None,
) -> None:
    """The loop of every method that samples: `train_steps` with the evaluations of `rollouts`, which hear of new weights."""
    await train_steps(
        learner,
        recipe,
        folder,
        one_step,
        evaluate=rollouts.evaluate,
        report=report,
        weights_changed=weights_changed or rollouts.weights_changed,
    )


async def collect(recipe: Recipe, rollouts: TrainingRollouts, step: int) -> list[Group]:
    """The groups of a step. With dynamic sampling, other tasks replace those whose group has no signal."""
    groups: list[Group] = []
    wanted = recipe.prompts_per_step
    for number in range((recipe.episodes.dynamic_rounds or 0) + 1):
        tried = {(group.source, group.trajectories[0].task) for group in groups}
        memory = rollouts.difficulty(step) if recipe.difficulty.draw == "signal" else None
        tasks = pick(rollouts.sources, recipe, step, number, wanted, tried, memory)
        if not tasks:
            break
        collected = [with_rewards(group, recipe) for group in await rollouts.collect(step, number, tasks)]
        groups += collected
        wanted -= sum(has_signal(group, recipe) for group in collected)
        if wanted <= 0:
            break
    return groups


def staleness(now: Tokens, samples: Sequence[Sample], num_groups: int, per_step: int, step: int) -> Metrics:
    """How far the weights, whose logprobs are `now`, are from those that sampled stored episodes. `stale_kl`: the mean of the
    sampler's logprob less the present one, an estimate of their divergence per token. `stale_share`: the effective share of the
    episodes, 1 if the weights of the episodes are equal and near 0 if a few of them dominate. `epoch`: how often each group was
    used."""
    then = [[*itertools.compress(sample.logprobs, sample.mask)] for sample in samples]
    num_tokens = max(1, sum(map(len, now)))
    total = math.fsum(b - a for ours, theirs in zip(now, then, strict=True) for a, b in zip(ours, theirs, strict=True))
    logs = [math.fsum(ours) - math.fsum(theirs) for ours, theirs in zip(now, then, strict=True)]
    top = max(logs)
    weights = [math.exp(value - top) for value in logs]  # scaled, which leaves the share as it is
    share = math.fsum(weights) ** 2 / math.fsum(weight * weight for weight in weights) / len(weights)
    return {"stale_kl": total / num_tokens, "stale_share": share, "epoch": step * per_step / num_groups}


def drawn(recipe: Recipe, rollouts: TrainingRollouts, step: int) -> Metrics:
    """What the difficulty memory knew when it drew the tasks of this step. Empty if tasks are drawn uniformly."""
    if recipe.difficulty.draw == "uniform":
        return {}
    return rollouts.difficulty(step).metrics(sum(len(source.tasks) for source in rollouts.sources), step)


def _kl_share(learner: Learner, groups: Sequence[Group], recipe: Recipe) -> tuple[dict[str, float], float]:
    """What the divergence of its tokens from the reference takes off the reward of each trajectory, and the mean divergence per
    token."""
    samples = [
        sample for group in groups for trajectory in group.trajectories for sample in from_trajectory(trajectory, 0.0)
    ]
    now = learner.logprobs(samples, recipe.temperature)
    then = learner.logprobs(samples, recipe.temperature, reference=True)
    estimator = "k1" if recipe.loss.kl_estimator == "unbiased" else recipe.loss.kl_estimator
    kl: dict[str, float] = {}
    for sample, ours, theirs in zip(samples, now, then, strict=True):
        here, there = torch.tensor([ours, theirs], dtype=torch.float64)
        total = divergence(here, there, estimator).sum().item()
        kl[sample.trajectory] = kl.get(sample.trajectory, 0.0) + total
    taken = {trajectory: (recipe.loss.kl or 0.0) * value for trajectory, value in kl.items()}
    return taken, sum(kl.values()) / max(1, sum(map(len, now)))
