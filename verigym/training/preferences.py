"""Training on preference pairs: DPO and reward models."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verigym.core.records import Preference
from verigym.core.seeds import derive
from verigym.model.threads import in_thread
from verigym.training.loop import Evaluate, FirstBatch, Metrics, OnMetrics, train_steps
from verigym.training.recipe import Recipe
from verigym.training.sft import batch
from verigym.training.update import Pair, Weights, dpo_update, make_optimizer, reward_update


async def train_dpo(
    model: Any,
    recipe: Recipe,
    pairs: Sequence[Pair],
    folder: Path,
    *,
    reference: Weights,
    evaluate: Evaluate,
    report: OnMetrics,
) -> None:
    """Trains the adapter on `model` with DPO. `reference` holds the adapter weights of the reference
    (None for the base model)."""
    optimizer = make_optimizer(model, recipe.learning_rate)
    first = FirstBatch(model)

    async def one_step(step: int) -> Metrics:
        picked = batch(pairs, recipe, step)
        await first.check([side for pair in picked for side in pair])
        return await in_thread(dpo_update, model, optimizer, picked, recipe.preference, reference)

    await train_steps(model, optimizer, recipe, folder, one_step, evaluate=evaluate, report=report)


def hold_out(rows: Sequence[Preference], seed: int) -> tuple[list[Preference], list[Preference]]:
    """Splits off a tenth of the families to evaluate a reward model on unseen pairs. With fewer than ten families, none."""
    families = sorted({row.family or row.task for row in rows})
    unseen = set(random.Random(derive(seed, "held out")).sample(families, len(families) // 10))
    return (
        [row for row in rows if (row.family or row.task) not in unseen],
        [row for row in rows if (row.family or row.task) in unseen],
    )


async def train_reward(
    model: Any,
    recipe: Recipe,
    pairs: Sequence[tuple[Pair, float]],
    folder: Path,
    *,
    evaluate: Evaluate,
    report: OnMetrics,
) -> None:
    """Trains a reward model on pairs with margins. The adapter on `model` must have a head."""
    optimizer = make_optimizer(model, recipe.learning_rate)
    first = FirstBatch(model)

    async def one_step(step: int) -> Metrics:
        picked = batch(pairs, recipe, step)
        sides, margins = [pair for pair, _ in picked], [margin for _, margin in picked]
        await first.check([side for pair in sides for side in pair])
        return await in_thread(reward_update, model, optimizer, sides, margins, recipe.preference)

    await train_steps(model, optimizer, recipe, folder, one_step, evaluate=evaluate, report=report)
