"""Training on stored rows: SFT on demonstrations, KTO on thumbs, DPO and reward models on preference pairs."""

import functools
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from verigym.core.records import Preference, Sample
from verigym.core.seeds import derive
from verigym.model.threads import in_thread
from verigym.training.learner import Learner, LocalLearner, Loss
from verigym.training.loop import Evaluate, FirstBatch, Metrics, OnMetrics, train_steps
from verigym.training.recipe import Recipe
from verigym.training.recipe_groups import LEAST_FAMILIES
from verigym.training.update import Pair, Rated, Weights, sides_of

T = TypeVar("T")


async def train_sft(
    model: Any,
    recipe: Recipe,
    samples: Sequence[Sample],
    folder: Path,
    *,
    learner: Learner | None = None,
    evaluate: Evaluate,
    report: OnMetrics,
) -> None:
    """`learner` makes the updates. None for one in this process."""
    learner = learner or LocalLearner(model, recipe)
    await _train(learner, "sft", recipe, samples, folder, list, {}, evaluate, report)


async def train_dpo(
    model: Any,
    recipe: Recipe,
    pairs: Sequence[Pair],
    folder: Path,
    *,
    reference: Weights,
    learner: Learner | None = None,
    evaluate: Evaluate,
    report: OnMetrics,
) -> None:
    """`reference` holds the adapter weights of the reference. It is None for the base model."""
    learner = learner or LocalLearner(model, recipe, reference)
    await _train(learner, "dpo", recipe, pairs, folder, sides_of, {"settings": recipe.preference}, evaluate, report)


async def train_kto(
    model: Any,
    recipe: Recipe,
    rows: Sequence[Rated],
    folder: Path,
    *,
    reference: Weights,
    learner: Learner | None = None,
    evaluate: Evaluate,
    report: OnMetrics,
) -> None:
    """Trains on samples with a thumb up or down. `reference` is that of `train_dpo`."""

    def samples_of(rows: Sequence[Rated]) -> list[Sample]:
        return [sample for sample, _ in rows]

    learner = learner or LocalLearner(model, recipe, reference)
    settings = {"settings": recipe.preference, "weights": recipe.kto}
    await _train(learner, "kto", recipe, rows, folder, samples_of, settings, evaluate, report)


async def train_reward(
    model: Any,
    recipe: Recipe,
    pairs: Sequence[tuple[Pair, float]],
    folder: Path,
    *,
    learner: Learner | None = None,
    evaluate: Evaluate,
    report: OnMetrics,
) -> None:
    """Trains a reward model on pairs with margins. The adapter on `model` must have a head."""

    def samples_of(rows: Sequence[tuple[Pair, float]]) -> list[Sample]:
        return sides_of([pair for pair, _ in rows])

    learner = learner or LocalLearner(model, recipe)
    await _train(
        learner, "reward", recipe, pairs, folder, samples_of, {"settings": recipe.preference}, evaluate, report
    )


async def _train(
    learner: Learner,
    loss: Loss,
    recipe: Recipe,
    rows: Sequence[T],
    folder: Path,
    samples_of: Callable[[list[T]], list[Sample]],
    settings: dict[str, Any],
    evaluate: Evaluate,
    report: OnMetrics,
) -> None:
    first = FirstBatch(learner)

    async def one_step(step: int) -> Metrics:
        picked = batch(rows, recipe, step)
        await first.check(samples_of(picked))
        return await in_thread(learner.update, loss, picked, **settings)

    await train_steps(learner, recipe, folder, one_step, evaluate=evaluate, report=report)


def batch(rows: Sequence[T], recipe: Recipe, step: int) -> list[T]:
    """The rows of a step. Every row is used once per epoch, in an order that depends on the seed."""
    size = recipe.prompts_per_step
    picked: list[T] = []
    for position in range((step - 1) * size, step * size):
        epoch, index = divmod(position, len(rows))
        picked.append(rows[_order(len(rows), recipe.seed, epoch)[index]])
    return picked


@functools.lru_cache(maxsize=2)
def _order(n: int, seed: int, epoch: int) -> list[int]:
    order = list(range(n))
    random.Random(derive(seed, "epoch", epoch)).shuffle(order)
    return order


def hold_out(rows: Sequence[Preference], seed: int) -> tuple[list[Preference], list[Preference]]:
    """Splits off a tenth of the families to evaluate a reward model on unseen pairs. With fewer than ten families, none."""
    families = sorted({row.family or row.task for row in rows})
    unseen = set(random.Random(derive(seed, "held out")).sample(families, len(families) // LEAST_FAMILIES))
    return (
        [row for row in rows if (row.family or row.task) not in unseen],
        [row for row in rows if (row.family or row.task) in unseen],
    )
