"""The loop of every training method: steps, learning rate, held-out evaluations, checkpoints, and resuming after a kill.

A method is `one_step(step) -> metrics`. It may depend only on the recipe, the step and the weights. Then a run that was killed
and resumed ends with the same weights.
"""

import math
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from verigym.core.records import Sample
from verigym.model import full
from verigym.model.threads import in_thread
from verigym.training.learner import Learner
from verigym.training.recipe import Recipe

CHECKPOINT_S = 10.0
"""Seconds between checkpoints. A kill costs at most this much work and the current step."""
CHECKPOINT_SHARE = 20
"""If all parameters are trained, a checkpoint follows after so many times the seconds that the last one took, because it is
large."""
WARMUP = 3
"""Steps of the warm-up of a recipe that has no `optimizer.warmup`, as before there was such a field."""

Metrics = dict[str, float]
OneStep = Callable[[int], Awaitable[Metrics]]
OnMetrics = Callable[[int, Metrics], bool | None]
"""Stores the metrics of a step. Returns True if training ends with this step (`checkpoints.patience`)."""
Evaluate = Callable[[int], Awaitable[Metrics]]
WeightsChanged = Callable[[int], Awaitable[None] | None]
"""Called with the step after which the weights are new."""


class FirstBatch:
    """Compares the first batch of a run with the forward pass of transformers, before anything is learnt from it."""

    def __init__(self, learner: Learner) -> None:
        self._learner, self._seen = learner, False

    async def check(self, samples: Sequence[Sample]) -> None:
        if not self._seen:
            await in_thread(self._learner.check, samples)
            self._seen = True


async def train_steps(
    learner: Learner,
    recipe: Recipe,
    folder: Path,
    one_step: OneStep,
    *,
    evaluate: Evaluate,
    report: OnMetrics,
    weights_changed: WeightsChanged = lambda step: None,
) -> None:
    """Trains the weights of `learner` in place, and resumes from the checkpoint in `folder` if there is one.
    `weights_changed(step)` is called after each step, so that the sampler drops what it computed with the old weights."""
    done = learner.load(folder)
    await _tell(weights_changed, done)
    saved, wait_s = time.monotonic(), CHECKPOINT_S
    for step in range(done + 1, recipe.steps + 1):
        started = time.perf_counter()
        learner.set_rate(rate(recipe, step))
        metrics = await one_step(step)
        await _tell(weights_changed, step)
        metrics["seconds"] = time.perf_counter() - started
        if due(step, recipe):
            started = time.perf_counter()
            metrics |= await evaluate(step)
            metrics["eval_s"] = time.perf_counter() - started
        stop = report(step, metrics)
        if stop or step == recipe.steps or time.monotonic() - saved > max(CHECKPOINT_S, wait_s):
            began = time.monotonic()
            learner.save(folder, step)
            saved = time.monotonic()
            wait_s = CHECKPOINT_SHARE * (saved - began) if full.is_full(learner.model) else CHECKPOINT_S
        if stop:
            return


async def _tell(weights_changed: WeightsChanged, step: int) -> None:
    if (telling := weights_changed(step)) is not None:
        await telling


def rate(recipe: Recipe, step: int) -> float:
    """The learning rate of a step: a linear warm-up, times what the schedule leaves of it."""
    assert recipe.learning_rate is not None, "resolve the recipe first"
    settings, done = recipe.optimizer, (step - 1) / max(recipe.steps - 1, 1)
    left = {
        "constant": 1.0,
        "linear": 1 - 0.9 * done,
        "cosine": 0.1 + 0.9 * (1 + math.cos(math.pi * done)) / 2,
    }[settings.schedule or ("constant" if recipe.samples else "linear")]
    warmup = WARMUP if settings.warmup is None else settings.warmup
    return recipe.learning_rate * min(1.0, step / max(1, warmup)) * left


def due(step: int, recipe: Recipe) -> bool:
    """Whether an evaluation follows this step: every `eval_interval` steps and after the last one. A reward model always
    holds out pairs."""
    return bool(recipe.held_out_eval or recipe.algorithm == "reward") and recipe.has_checkpoint(step)
