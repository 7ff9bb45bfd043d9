"""PPO: a critic says what every token was worth, so an episode needs no group to be compared with.

One step, top to bottom:

1. collect: k episodes of each task, as in GRPO (`grpo.collect`)
2. value: the critic's expectation before each sampled token (`Learner.values`)
3. reward: the verdict on the last token of an episode, step rewards on the last token of their turns (`token_rewards`), less
   the divergence of each token if the recipe says so
4. advantage: generalised advantage estimation over the sampled tokens (`gae`). Tool results are skipped: the value after a
   reply is that of the next sampled token
5. update: the critic learns the returns, and after its warm-up the policy learns from the advantages

The critic (`critic.py`) is a second adapter with a head on the same base model.
"""

import itertools
import math
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from verigym.core.records import Sample, Stop, Trajectory
from verigym.model.threads import in_thread
from verigym.training.critic import Tokens
from verigym.training.groups import Group, step_rewards
from verigym.training.grpo import learn, sample_groups, train_on_policy
from verigym.training.learner import Learner, LocalLearner
from verigym.training.loop import FirstBatch, Metrics, OnMetrics
from verigym.training.recipe import Recipe
from verigym.training.rollouts import TrainingRollouts
from verigym.training.samples import from_trajectory
from verigym.training.update import Weights


class Rollout(NamedTuple):
    """The samples of a step with the reward of each scored token."""

    samples: list[Sample]
    rewards: Tokens
    masked: list[bool]
    """Whether a sample is left out of the policy's loss, because its last reply was truncated."""


async def train_ppo(
    model: Any,
    recipe: Recipe,
    rollouts: TrainingRollouts,
    folder: Path,
    *,
    reference: Weights = None,
    learner: Learner | None = None,
    report: OnMetrics,
) -> None:
    """Trains the adapter on `model`, and a critic beside it. `reference` and `learner` are those of `train_grpo`."""
    learner = learner or LocalLearner(model, recipe, reference)
    first = FirstBatch(learner)
    settings = recipe.critic

    async def one_step(step: int) -> Metrics:
        groups, metrics = await sample_groups(recipe, rollouts, step)
        sampled = time.perf_counter()
        samples, rewards, masked = rollout_of(groups, recipe)
        if not samples:
            return metrics | {"update_s": 0.0}
        await first.check(samples)
        if recipe.loss.kl and recipe.loss.kl_in == "reward":
            rewards, metrics["kl"] = await in_thread(_less_kl, learner, samples, rewards, recipe)
        values = await in_thread(learner.values, samples)
        advantages = [gae(*row, settings.discount, settings.smoothing) for row in zip(rewards, values, strict=True)]
        returns = [[a + v for a, v in zip(*row, strict=True)] for row in zip(advantages, values, strict=True)]
        metrics |= _quality(values, returns)
        metrics |= await in_thread(learner.learn_values, samples, values, returns, recipe.updates_per_batch or 1)
        if settings.whiten:
            advantages = whitened(advantages)
        kept = [
            msgspec.structs.replace(sample, advantages=row)
            for sample, row, left_out in zip(samples, advantages, masked, strict=True)
            if not left_out
        ]
        if kept and step > settings.warmup:
            metrics |= await learn(learner, kept, recipe, rows=len(samples))
        return metrics | {"update_s": time.perf_counter() - sampled}

    await train_on_policy(learner, recipe, rollouts, folder, one_step, report)


def rollout_of(groups: Sequence[Group], recipe: Recipe) -> Rollout:
    """The samples of every scored episode with their rewards."""
    rollout = Rollout([], [], [])
    for group in groups:
        by_step = step_rewards(group) if recipe.advantage.credit == "step" else [None] * len(group.trajectories)
        for trajectory, reward, steps in zip(group.trajectories, group.rewards, by_step, strict=True):
            if reward is None:
                continue
            for sample, rewards in token_rewards(trajectory, reward, steps):
                rollout.samples.append(sample)
                rollout.rewards.append(rewards)
                rollout.masked.append(recipe.episodes.mask_truncated and trajectory.stop is Stop.MAX_TOKENS)
    return rollout


def token_rewards(
    trajectory: Trajectory, reward: float, steps: Sequence[float] | None
) -> list[tuple[Sample, list[float]]]:
    """The samples of an episode, each with the reward of every scored token: the whole reward on the last one, or with `steps`
    the reward of each turn on its last token."""
    turns = sum(turn.actor == "policy" for turn in trajectory.turns)
    found: list[tuple[Sample, list[float]]] = []
    for sample in from_trajectory(trajectory, 0.0, [float(turn) for turn in range(turns)]):
        turn_of = [int(turn) for turn in sample.advantages]  # the turn that sampled each scored token
        if not turn_of:
            continue
        rewards = [0.0] * len(turn_of)
        if steps is None:
            rewards[-1] = reward
        else:
            for at, (turn, after) in enumerate(itertools.pairwise([*turn_of, -1])):
                rewards[at] = steps[turn] if turn != after else 0.0
        found.append((msgspec.structs.replace(sample, advantages=[]), rewards))
    return found


def gae(rewards: Sequence[float], values: Sequence[float], discount: float, smoothing: float) -> list[float]:
    """Generalised advantage estimation over the sampled tokens of an episode. The value after the last token is 0.

    delta_t = r_t + discount * V_t+1 - V_t        A_t = delta_t + discount * smoothing * A_t+1
    """
    advantages = [0.0] * len(rewards)
    after, later = 0.0, 0.0
    for at in range(len(rewards) - 1, -1, -1):
        later = rewards[at] + discount * after - values[at] + discount * smoothing * later
        advantages[at], after = later, values[at]
    return advantages


def whitened(rows: Tokens) -> Tokens:
    """The figures with mean 0 and deviation 1 over all tokens. Unchanged scale if there is one token only."""
    flat = [value for row in rows for value in row]
    mean = math.fsum(flat) / len(flat)
    spread = math.fsum((value - mean) ** 2 for value in flat) / (len(flat) - 1) if len(flat) > 1 else 1.0
    scale = 1 / math.sqrt(spread + 1e-8)
    return [[(value - mean) * scale for value in row] for row in rows]


def _less_kl(learner: Learner, samples: Sequence[Sample], rewards: Tokens, recipe: Recipe) -> tuple[Tokens, float]:
    """The rewards less the divergence of each token from the reference, and its mean per token."""
    now = learner.logprobs(samples, recipe.temperature)
    then = learner.logprobs(samples, recipe.temperature, reference=True)
    away = [[ours - theirs for ours, theirs in zip(*row, strict=True)] for row in zip(now, then, strict=True)]
    weight = recipe.loss.kl or 0.0
    less = [[r - weight * kl for r, kl in zip(*row, strict=True)] for row in zip(rewards, away, strict=True)]
    return less, math.fsum(kl for row in away for kl in row) / sum(map(len, away))


def _quality(values: Tokens, returns: Tokens) -> Metrics:
    """How well the critic foresaw the returns of this step: 1 is perfect, 0 is as good as their mean."""
    expected = [value for row in values for value in row]
    came = [value for row in returns for value in row]
    metrics = {"value": statistics.fmean(expected)}
    spread = statistics.pvariance(came)
    if spread > 1e-12:
        errors = [after - before for after, before in zip(came, expected, strict=True)]
        metrics["explained_variance"] = 1 - statistics.pvariance(errors) / spread
    return metrics
