"""Supervised fine-tuning: imitate demonstrations. The loop reads top to bottom; what it needs is passed in."""

import random
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from verigym.core.records import Sample
from verigym.core.seeds import derive
from verigym.model.agree import check_agreement
from verigym.training import checkpoint
from verigym.training.apart import apart
from verigym.training.recipe import Recipe
from verigym.training.schedule import CHECKPOINT_S, due, rate
from verigym.training.update import make_optimizer, sft_update

Metrics = dict[str, float]
Report = Callable[[int, Metrics], None]
Evaluate = Callable[[int], Awaitable[Metrics]]


async def train_sft(
    model: Any, recipe: Recipe, samples: Sequence[Sample], folder: Path, *, evaluate: Evaluate, report: Report
) -> None:
    """Trains the adapter on `model` in place; goes on from the checkpoint in `folder` when there is one."""
    optimizer = make_optimizer(model, recipe.learning_rate)
    done = checkpoint.load(folder, model, optimizer)
    saved = time.monotonic()
    for step in range(done + 1, recipe.steps + 1):
        started = time.perf_counter()
        for group in optimizer.param_groups:
            group["lr"] = rate(recipe.learning_rate, step, recipe.steps, decay=True)
        picked = batch(samples, recipe, step)
        if step == done + 1:
            await apart(check_agreement, model, picked)
        metrics = await apart(sft_update, model, optimizer, picked)
        metrics["seconds"] = time.perf_counter() - started
        if due(step, recipe):
            metrics |= await evaluate(step)
        report(step, metrics)
        if step == recipe.steps or time.monotonic() - saved > CHECKPOINT_S:
            checkpoint.save(folder, model, optimizer, step)
            saved = time.monotonic()


def batch(samples: Sequence[Sample], recipe: Recipe, step: int) -> list[Sample]:
    """The step's demonstrations: every one is seen once before any is seen again; the order is the seed's."""
    size = recipe.prompts_per_step
    picked: list[Sample] = []
    for place in range((step - 1) * size, step * size):
        epoch, index = divmod(place, len(samples))
        picked.append(samples[_order(len(samples), recipe.seed, epoch)[index]])
    return picked


def _order(n: int, seed: int, epoch: int) -> list[int]:
    order = list(range(n))
    random.Random(derive(seed, "epoch", epoch)).shuffle(order)
    return order
