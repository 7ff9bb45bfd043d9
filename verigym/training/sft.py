"""Supervised fine-tuning: imitate demonstrations."""

import functools
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from verigym.core.records import Sample
from verigym.core.seeds import derive
from verigym.model.threads import in_thread
from verigym.training.loop import Evaluate, FirstBatch, Metrics, OnMetrics, train_steps
from verigym.training.recipe import Recipe
from verigym.training.update import make_optimizer, sft_update

T = TypeVar("T")


async def train_sft(
    model: Any, recipe: Recipe, samples: Sequence[Sample], folder: Path, *, evaluate: Evaluate, report: OnMetrics
) -> None:
    optimizer = make_optimizer(model, recipe.learning_rate)
    first = FirstBatch(model)

    async def one_step(step: int) -> Metrics:
        picked = batch(samples, recipe, step)
        await first.check(picked)
        return await in_thread(sft_update, model, optimizer, picked)

    await train_steps(model, optimizer, recipe, folder, one_step, evaluate=evaluate, report=report)


def batch(rows: Sequence[T], recipe: Recipe, step: int) -> list[T]:
    """The rows of a step. Every row is used once per epoch, in an order that depends on the seed."""
    size = recipe.prompts_per_step
    picked: list[T] = []
    for place in range((step - 1) * size, step * size):
        epoch, index = divmod(place, len(rows))
        picked.append(rows[_order(len(rows), recipe.seed, epoch)[index]])
    return picked


@functools.lru_cache(maxsize=2)
def _order(n: int, seed: int, epoch: int) -> list[int]:
    order = list(range(n))
    random.Random(derive(seed, "epoch", epoch)).shuffle(order)
    return order
