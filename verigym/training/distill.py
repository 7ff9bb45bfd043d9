"""On-policy distillation: the student samples episodes, and a teacher scores every token of them.

One step, top to bottom:

1. collect: k episodes of each task, as in GRPO (`grpo.collect`)
2. score: the teacher's logprob of each token that the student sampled (`teachers`)
3. advantage: the teacher's logprob less the student's, per token. With `distill.reward`, plus the advantage of the reward
4. update: tokens that the teacher finds likelier become likelier (`update.policy_update`)

If the teacher fails, the step fails. A token without a score is never trained on.
"""

import time
from pathlib import Path
from typing import Any

from verigym.core.records import Stop
from verigym.model.threads import in_thread
from verigym.training.groups import Group, advantages_in, summary
from verigym.training.grpo import collect
from verigym.training.loop import FirstBatch, Metrics, OnMetrics, train_steps
from verigym.training.recipe import Recipe
from verigym.training.rollouts import TrainingRollouts
from verigym.training.samples import from_trajectory
from verigym.training.teachers import StudentSample, Teacher
from verigym.training.update import Teaching, Weights, make_optimizer, policy_update


async def train_distill(
    model: Any,
    recipe: Recipe,
    rollouts: TrainingRollouts,
    folder: Path,
    teacher: Teacher,
    *,
    reference: Weights = None,
    report: OnMetrics,
) -> None:
    """Trains the adapter on `model`. `reference` is that of `loss.kl`, as in `train_grpo`."""
    optimizer = make_optimizer(model, recipe.learning_rate, recipe.optimizer)
    first = FirstBatch(model)

    async def one_step(step: int) -> Metrics:
        started = time.perf_counter()
        groups = await collect(recipe, rollouts, step)
        sampled = time.perf_counter()
        metrics = summary(groups, recipe, len(rollouts.sources) > 1)
        if not recipe.compares:
            del metrics["live_groups"]  # rewards are not compared
        students = students_of(groups, recipe)
        scores = await teacher.score(students, recipe.temperature)
        taught = [(one.sample, row) for one, row in zip(students, scores.logprobs, strict=True) if row is not None]
        scored = time.perf_counter()
        metrics |= {
            "teacher_s": scored - sampled,
            "teacher_tokens": scores.tokens,
            "teacher_cost": scores.tokens / 1e6 * recipe.distill.dollars_per_million_tokens,
            "untaught": len(students) - len(taught),
        }
        if taught:
            samples = [sample for sample, _ in taught]
            await first.check(samples)
            metrics |= await in_thread(
                policy_update,
                model,
                optimizer,
                samples,
                recipe.loss,
                temperature=recipe.temperature,
                longest=recipe.reply_limit,
                updates=recipe.updates_per_batch or 1,
                reference=reference,
                teaching=Teaching([row for _, row in taught], recipe.distill),
            )
        return metrics | {"sampling_s": sampled - started, "update_s": time.perf_counter() - scored}

    await train_steps(
        model,
        optimizer,
        recipe,
        folder,
        one_step,
        evaluate=rollouts.evaluate,
        report=report,
        weights_changed=rollouts.weights_changed,
    )


def students_of(groups: list[Group], recipe: Recipe) -> list[StudentSample]:
    """The samples of a step. The teacher alone needs no reward, so it also judges episodes that no verifier could score."""
    weight = recipe.distill.reward
    worth, by_turn = advantages_in(groups, recipe) if weight else ([[0.0] * len(g.trajectories) for g in groups], None)
    students: list[StudentSample] = []
    for number, group in enumerate(groups):
        for index, trajectory in enumerate(group.trajectories):
            scored = group.rewards[index] is not None if weight else trajectory.scorable
            if not scored or (recipe.episodes.mask_truncated and trajectory.stop is Stop.MAX_TOKENS):
                continue
            turns = [weight * value for value in by_turn[number][index]] if by_turn else []
            students += [
                StudentSample(sample, trajectory, group.source)
                for sample in from_trajectory(trajectory, weight * worth[number][index], turns)
            ]
    return students
