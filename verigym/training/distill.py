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
from verigym.training.groups import Group, advantages_in
from verigym.training.grpo import learn, sample_groups, train_on_policy
from verigym.training.learner import Learner, LocalLearner
from verigym.training.loop import FirstBatch, Metrics, OnMetrics
from verigym.training.recipe import Recipe
from verigym.training.rollouts import TrainingRollouts
from verigym.training.samples import from_trajectory
from verigym.training.teachers import StudentSample, Teacher
from verigym.training.update import Teaching, Weights


async def train_distill(
    model: Any,
    recipe: Recipe,
    rollouts: TrainingRollouts,
    folder: Path,
    teacher: Teacher,
    *,
    reference: Weights = None,
    learner: Learner | None = None,
    report: OnMetrics,
) -> None:
    """Trains the adapter on `model`. `reference` and `learner` are those of `train_grpo`."""
    learner = learner or LocalLearner(model, recipe, reference)
    first = FirstBatch(learner)

    async def one_step(step: int) -> Metrics:
        groups, metrics = await sample_groups(recipe, rollouts, step)
        sampled = time.perf_counter()
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
            teaching = Teaching([row for _, row in taught], recipe.distill)
            metrics |= await learn(learner, samples, recipe, teaching=teaching)
        return metrics | {"update_s": time.perf_counter() - scored}

    await train_on_policy(learner, recipe, rollouts, folder, one_step, report)


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
