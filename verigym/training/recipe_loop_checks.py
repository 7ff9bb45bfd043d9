"""Checks of the fields of a recipe that say which weights, tasks and episodes are used: `checkpoints`, `rft`, `difficulty`, gold
episodes and stored rollouts."""

from typing import TYPE_CHECKING

from verigym.core.errors import BadInput
from verigym.training.recipe_groups import Difficulty, Rft

if TYPE_CHECKING:
    from verigym.training.recipe import Recipe


def check_loops(recipe: "Recipe", where: str) -> None:
    _check_checkpoints(recipe, where)
    _check_rft(recipe, where)
    _check_stored(recipe, where)
    _check_ahead(recipe, where)
    _check_engine(recipe, where)
    if recipe.difficulty != Difficulty() and recipe.difficulty.draw == "uniform":
        raise BadInput(
            f"{where}: difficulty has no effect with `draw: uniform`. Set difficulty.draw to signal, or remove it"
        )
    if recipe.difficulty.draw == "signal" and (not recipe.samples or recipe.data):
        raise BadInput(
            f"{where}: difficulty.draw: signal works only if training samples its own episodes. Remove difficulty"
        )
    if recipe.episodes.gold_when_all_fail and (not recipe.compares or recipe.algorithm == "distill"):
        raise BadInput(
            f"{where}: episodes.gold_when_all_fail works only with grpo and its variants. Remove it. To imitate gold solutions, "
            "use algorithm: sft"
        )
    if recipe.episodes.gold_when_all_fail and recipe.agent:
        raise BadInput(
            f"{where}: episodes.gold_when_all_fail and `agent` cannot be combined. A gold solution is written under the prompt "
            "of the environment, and an external agent writes its own. Remove one"
        )


def _check_checkpoints(recipe: "Recipe", where: str) -> None:
    if recipe.checkpoints.chooses and not recipe.held_out_eval and recipe.algorithm != "reward":
        name = "choose: best" if recipe.checkpoints.choose == "best" else "patience"
        raise BadInput(
            f"{where}: checkpoints.{name} needs held-out evaluations. Set held_out_eval to the name of a suite, such as "
            "tool_call_eval"
        )
    if recipe.checkpoints.chooses and not 0 < recipe.eval_interval < recipe.steps:
        raise BadInput(
            f"{where}: eval_interval is {recipe.eval_interval}, so only the last of {recipe.steps} steps is evaluated, and there "
            "is nothing to choose from. Set eval_interval below steps, or remove checkpoints.choose and checkpoints.patience"
        )


def _check_rft(recipe: "Recipe", where: str) -> None:
    if recipe.algorithm != "rft":
        if recipe.rft != Rft():
            raise BadInput(f"{where}: rft cannot be used with {recipe.algorithm}. Remove it, or set algorithm: rft")
        return
    for name, given in (
        ("reward_model", bool(recipe.reward_model)),
        ("loss.kl", bool(recipe.loss.kl)),
        ("updates_per_batch", recipe.updates_per_batch not in (None, 1)),
        ("episodes.overlong_buffer", recipe.episodes.overlong_buffer > 0),
        ("episodes.length_penalty", recipe.episodes.length_penalty > 0),
        ("episodes.turn_penalty", recipe.episodes.turn_penalty > 0),
        ("episodes.mask_truncated", recipe.episodes.mask_truncated),
    ):
        if given:
            raise BadInput(
                f"{where}: {name} has no effect with rft, which imitates the episodes that passed. Remove it"
            )
    if recipe.rft.keep > recipe.num_generations_per_prompt:
        raise BadInput(
            f"{where}: rft.keep ({recipe.rft.keep}) is above num_generations_per_prompt ({recipe.num_generations_per_prompt}). "
            "Lower it"
        )


def _check_stored(recipe: "Recipe", where: str) -> None:
    """Checks `data: RUN`, with which grpo and its variants train on stored groups."""
    if not (recipe.samples and recipe.data):
        return
    if recipe.algorithm in ("rft", "distill", "ppo"):
        raise BadInput(
            f"{where}: data cannot be used with {recipe.algorithm}, which samples its own episodes. Remove it. To imitate the "
            "passes of a stored run, use algorithm: sft with verigym data demos RUN"
        )
    for name, given in (
        ("episodes.dynamic_rounds", bool(recipe.episodes.dynamic_rounds) and recipe.algorithm != "dapo"),  # its default
        ("num_tasks", recipe.num_tasks is not None),
        ("reward_model", bool(recipe.reward_model)),
        ("agent", bool(recipe.agent)),
        ("tools", recipe.tools.active),
        ("advantage.credit: state", recipe.advantage.credit == "state"),
    ):
        if given:
            raise BadInput(
                f"{where}: {name} and `data: RUN` cannot be combined, because stored episodes are not sampled again. Remove one"
            )
    if recipe.loss.correction == "none":
        raise BadInput(
            f"{where}: `loss.correction: none` with `data: RUN` would ignore that other weights sampled the episodes. Use tis, "
            "icepop, sequence_tis or sequence_mask"
        )


def _check_ahead(recipe: "Recipe", where: str) -> None:
    """Checks `ahead`, with which older versions sample the episodes."""
    if not recipe.ahead:
        return
    if not recipe.compares or recipe.algorithm == "distill":
        why = "samples no episodes" if not recipe.samples else "has no correction for episodes of older weights"
        raise BadInput(
            f"{where}: ahead cannot be used with {recipe.algorithm}, which {why}. Remove it, or use grpo or one of its variants"
        )
    if recipe.data:
        raise BadInput(
            f"{where}: ahead and `data: RUN` cannot be combined, because stored episodes are not sampled. Remove one"
        )
    if recipe.adapter == "full":
        raise BadInput(
            f"{where}: ahead and `adapter: full` cannot be combined. The weights that sample would be those that are trained. "
            "Set ahead: 0, or use adapter: lora or qlora"
        )
    if recipe.loss.correction == "none":
        raise BadInput(
            f"{where}: `loss.correction: none` with `ahead` would ignore that older weights sampled the episodes. Use tis, "
            "icepop, geometric_mask, sequence_tis or sequence_mask"
        )


def _check_engine(recipe: "Recipe", where: str) -> None:
    """Checks `engine.weights`, with which the sampler computes in another precision than the trainer."""
    if not recipe.engine.weights:
        return
    setting = f"`engine.weights: {recipe.engine.weights}`"
    if recipe.data or not (recipe.algorithm == "rft" or (recipe.compares and recipe.algorithm != "distill")):
        samples = recipe.samples and not recipe.data
        why = "has no correction for the difference" if samples else "samples no episodes"
        what = "data: RUN" if recipe.data and recipe.samples else recipe.algorithm
        raise BadInput(f"{where}: {setting} cannot be used with {what}, which {why}. Remove it")
    if recipe.adapter == "qlora":
        raise BadInput(
            f"{where}: {setting} and `adapter: qlora` cannot be combined, because the weights are already stored in 4 bits. "
            "Remove one"
        )
    if recipe.loss.correction == "none" and recipe.algorithm != "rft":
        raise BadInput(
            f"{where}: `loss.correction: none` with {setting} would ignore that other weights sampled the episodes. Use tis, "
            "icepop, geometric_mask, sequence_tis or sequence_mask"
        )
