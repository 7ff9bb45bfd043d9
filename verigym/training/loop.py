"""The loop around every method: steps, held-out evaluations, checkpoints, and going on after a kill.

A method is `one_step(step) -> metrics`. What it does may depend on the recipe, the step and the weights, on nothing else: then a
run that was killed ends where it would have ended.
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from verigym.core.records import Sample
from verigym.model.forward_check import check_agreement
from verigym.model.threads import apart
from verigym.training import checkpoint
from verigym.training.recipe import Recipe
from verigym.training.schedule import CHECKPOINT_S, due, rate

Metrics = dict[str, float]
OneStep = Callable[[int], Awaitable[Metrics]]
Report = Callable[[int, Metrics], None]
Evaluate = Callable[[int], Awaitable[Metrics]]


class FirstBatch:
    """Of a run: compared with transformers' own forward before anything is learnt from it."""

    def __init__(self, model: Any) -> None:
        self._model, self._seen = model, False

    async def check(self, samples: Sequence[Sample]) -> None:
        if not self._seen:
            await apart(check_agreement, self._model, samples)
            self._seen = True


async def train_steps(
    model: Any,
    optimizer: torch.optim.Optimizer,
    recipe: Recipe,
    folder: Path,
    one_step: OneStep,
    *,
    evaluate: Evaluate,
    report: Report,
    changed: Callable[[int], None] = lambda step: None,
) -> None:
    """Trains the adapter on `model` in place; goes on from the checkpoint in `folder` when there is one. `changed(step)` says
    that the weights are now those after this step, so that whoever samples forgets the old ones."""
    done = checkpoint.load(folder, model, optimizer)
    changed(done)
    saved = time.monotonic()
    for step in range(done + 1, recipe.steps + 1):
        started = time.perf_counter()
        for group in optimizer.param_groups:
            group["lr"] = rate(recipe.learning_rate, step, recipe.steps, decay=not recipe.samples)
        metrics = await one_step(step)
        changed(step)
        metrics["seconds"] = time.perf_counter() - started
        if due(step, recipe):
            started = time.perf_counter()
            metrics |= await evaluate(step)
            metrics["eval_s"] = time.perf_counter() - started
        report(step, metrics)
        if step == recipe.steps or time.monotonic() - saved > CHECKPOINT_S:
            checkpoint.save(folder, model, optimizer, step)
            saved = time.monotonic()
