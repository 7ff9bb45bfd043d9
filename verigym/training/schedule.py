"""When a loop does what: learning rate, held-out evaluations, checkpoints."""

from verigym.training.recipe import Recipe

CHECKPOINT_S = 10.0
"""A kill costs at most this much work and the step under way."""
WARMUP = 3


def rate(top: float, step: int, steps: int, *, decay: bool) -> float:
    """A short linear warm-up, then constant, or linear down to a tenth."""
    warm = min(1.0, step / WARMUP)
    return top * warm * (1 - 0.9 * (step - 1) / max(steps - 1, 1) if decay else 1.0)


def due(step: int, recipe: Recipe) -> bool:
    """Whether what is held out is measured after this step: every so many steps, and after the last. A reward model holds out
    pairs of its own."""
    if not recipe.held_out_eval and recipe.algorithm != "reward":
        return False
    return step == recipe.steps or (recipe.eval_interval > 0 and step % recipe.eval_interval == 0)
