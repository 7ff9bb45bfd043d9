"""Settings of a recipe that have no effect, each in one sentence that says why and what to do. Nothing is refused here.

A setting at its default is noted only if the algorithm is named after it.
"""

from collections.abc import Iterator

import msgspec
from msgspec import Struct

from verigym.training.defaults import LEAST_WARMUP, Facts, resolved
from verigym.training.recipe import LARGE_BATCH, Recipe, filled
from verigym.training.recipe_groups import Advantage, PreferenceLoss


class RecipeWarning(UserWarning):
    """A setting of a recipe has no effect."""


_WRITTEN = ("sft", "dpo", "kto", "reward")
_OF_PAIRS = {
    "dpo": ("objective", "beta", "smoothing", "reference"),
    "reward": ("margin", "centre"),
    "kto": ("beta", "reference"),
}
"""Fields of `preference` that a method uses."""


def notes(recipe: Recipe, facts: Facts) -> list[str]:
    """What has no effect in this recipe, in plain words. The recipe need not be resolved."""
    recipe = resolved(
        msgspec.structs.replace(recipe, learning_rate=recipe.learning_rate or 1.0), facts
    )  # any rate will do
    if recipe.algorithm in _WRITTEN:
        return [*_written(recipe, facts), *_pairs(recipe), *_optimizer(recipe), *_evaluation(recipe)]
    imitates = recipe.algorithm == "rft"
    sampled = [] if imitates else [*_updates(recipe), *_divergence(recipe), *_penalties(recipe, facts)]
    sampled += [*(_credit(recipe, facts) if recipe.compares else ()), *_tasks(recipe, facts)]
    return [*sampled, *_without_groups(recipe, facts), *_pairs(recipe), *_optimizer(recipe), *_evaluation(recipe)]


def _updates(recipe: Recipe) -> Iterator[str]:
    if (recipe.updates_per_batch or 1) > 1:
        return
    more = "Set updates_per_batch to 4, with prompts_per_step of at least 16"
    if recipe.algorithm == "ppo":
        yield f"With one update per batch, every ratio is 1, so the clips of ppo and of its critic have no effect. {more}"
    elif recipe.algorithm == "gspo" and recipe.loss.ratio == "sequence":
        yield f"With one update per batch, the ratio of every reply is 1, so gspo has the gradient of grpo. {more}"
    elif recipe.loss.ratio == "sequence":
        yield f"With one update per batch, the ratio of every reply is 1, so `loss.ratio: sequence` has no effect. {more}"
    elif recipe.loss.objective == "cispo":
        yield f"With one update per batch, every ratio is 1, so cispo has the gradient of dapo. {more}"
    elif recipe.algorithm == "dapo":
        if recipe.prompts_per_step >= LARGE_BATCH:
            return  # the recipe says one update, and the other parts of dapo have their effect
        yield f"With one update per batch, every ratio is 1, so the higher clip of dapo has no effect. {more}"
    elif (recipe.loss.clip_low, recipe.loss.clip_high, recipe.loss.clip_most) not in (
        (0.2, 0.28, 0.0),
        (0.2, 0.2, 0.0),
    ):
        yield f"With one update per batch, every ratio is 1, so loss.clip_low, clip_high and clip_most have no effect. {more}"


def _divergence(recipe: Recipe) -> Iterator[str]:
    loss = recipe.loss
    if recipe.algorithm == "ppo" and loss.kl and loss.kl_in == "reward" and loss.kl_estimator not in ("unbiased", "k1"):
        yield (
            f"ppo takes the divergence of each token off its reward as k1, so `loss.kl_estimator: {loss.kl_estimator}` has no "
            "effect. Remove it, or set loss.kl_in to loss"
        )
    if loss.kl and loss.kl_in == "loss" and loss.kl_estimator == "k1":
        yield "The gradient of k1 in the loss is 0 on average, so loss.kl has no effect. Set loss.kl_estimator to unbiased"
    if not loss.kl:
        for name, changed in (
            ("kl_estimator", loss.kl_estimator != "unbiased"),
            ("reference", loss.reference != "start"),
            ("kl_in", loss.kl_in != filled(Recipe(model="", algorithm=recipe.algorithm)).loss.kl_in),
        ):
            if changed:
                yield f"loss.{name} has no effect, because loss.kl is 0. Set loss.kl, such as 0.01, or remove it"
    if loss.correction == "none" and (loss.correction_low, loss.correction_high) != (0.0, 3.0):
        yield "loss.correction_low and correction_high have no effect without a correction. Set loss.correction or remove them"


def _credit(recipe: Recipe, facts: Facts) -> Iterator[str]:
    own = recipe.advantage
    if own.credit == "trajectory":
        for name, changed in (("discount", own.discount != 1.0), ("min_scaled", bool(own.min_scaled))):
            if changed:
                yield f"advantage.{name} has no effect with `credit: trajectory`. Set advantage.credit to step or state"
    elif facts.max_turns == 1:
        yield f"Episodes have one turn, so `advantage.credit: {own.credit}` is `trajectory`. Remove it"
    if own.credit != "state" and own.state_weight != 1.0:
        yield "advantage.state_weight has no effect without `credit: state`. Set it or remove advantage.state_weight"
    if own.scale != "batch" and own.scale_from is not None:
        yield "advantage.scale_from has no effect without `scale: batch`. Set it or remove advantage.scale_from"


def _penalties(recipe: Recipe, facts: Facts) -> Iterator[str]:
    own = recipe.episodes
    if not own.overlong_buffer and own.overlong_penalty != 1.0:
        yield "episodes.overlong_penalty has no effect, because episodes.overlong_buffer is 0. Set the buffer or remove it"
    if own.overlong_buffer and not own.overlong_penalty:
        yield "episodes.overlong_buffer has no effect, because episodes.overlong_penalty is 0. Remove one of them"
    if own.turn_penalty and facts.max_turns == 1:
        yield "Episodes have one turn, so episodes.turn_penalty has no effect. Remove it"
    most = own.length_penalty + own.turn_penalty * (facts.max_turns - 1)
    if most >= 1:
        yield (
            f"Length and turns can take {most:g} off the reward of an episode that passed, so failing can be worth more. "
            "Lower episodes.length_penalty or episodes.turn_penalty"
        )


def _without_groups(recipe: Recipe, facts: Facts) -> Iterator[str]:
    """Methods that do not compare the rewards of a group use no advantage of it, and rft no loss of GRPO either."""
    if recipe.compares:
        return
    why = {
        "rft": "which imitates the episodes that passed",
        "ppo": "whose critic gives the advantages",
        "distill": "because distill.reward is 0 and only the teacher counts",
    }[recipe.algorithm]
    same_credit = Advantage(credit=recipe.advantage.credit)
    usual = resolved(
        Recipe(model="", algorithm=recipe.algorithm, learning_rate=1.0, max_tokens=1, advantage=same_credit), facts
    )
    for group in ("loss", "advantage") if recipe.algorithm == "rft" else ("advantage",):
        for name in changed(getattr(recipe, group), getattr(usual, group)):
            yield f"{group}.{name} has no effect with {recipe.algorithm}, {why}. Remove it"
    if recipe.advantage.credit == "trajectory":
        return
    if recipe.algorithm != "ppo":
        yield f"advantage.credit has no effect with {recipe.algorithm}, {why}. Remove it"
    elif facts.max_turns == 1:
        yield "Episodes have one turn, so `advantage.credit: step` is `trajectory`. Remove it"


def _tasks(recipe: Recipe, facts: Facts) -> Iterator[str]:
    given = (recipe.episodes.dynamic_rounds or 0) > (3 if recipe.algorithm == "dapo" else 0)
    if facts.tasks is not None and given and facts.tasks <= recipe.prompts_per_step:
        yield (
            f"A step uses all {facts.tasks} tasks, so none is left to replace groups without signal, and "
            "episodes.dynamic_rounds has no effect. Lower prompts_per_step"
        )


def _optimizer(recipe: Recipe) -> Iterator[str]:
    warmup = recipe.optimizer.warmup or 0
    if warmup > LEAST_WARMUP and warmup >= recipe.steps:
        yield f"optimizer.warmup is {warmup}, so the learning rate reaches its value only at the end. Lower it below steps"


def _evaluation(recipe: Recipe) -> Iterator[str]:
    if recipe.eval_tasks is not None and not recipe.held_out_eval:
        remedy = (
            "Remove it" if recipe.algorithm == "reward" else "Set held_out_eval to the name of a suite, or remove it"
        )
        yield f"eval_tasks has no effect without held_out_eval. {remedy}"


def _pairs(recipe: Recipe) -> Iterator[str]:
    used = _OF_PAIRS.get(recipe.algorithm, ())
    usual = filled(Recipe(model="", algorithm="dpo", preference=PreferenceLoss(objective=recipe.preference.objective)))
    for name in changed(recipe.preference, usual.preference):
        if name not in used:
            yield f"preference.{name} has no effect with {recipe.algorithm}. Remove it"
    if "smoothing" in used and recipe.preference.objective == "ipo" and recipe.preference.smoothing:
        yield "preference.smoothing has no effect with `objective: ipo`. Remove it"


def _written(recipe: Recipe, facts: Facts) -> Iterator[str]:
    """Methods that train on written data use neither the loss of GRPO nor rewards of episodes."""
    usual = resolved(Recipe(model="", algorithm=recipe.algorithm, learning_rate=1.0, max_tokens=1), facts)
    for group in ("loss", "advantage", "episodes"):
        for name in changed(getattr(recipe, group), getattr(usual, group)):
            yield f"{group}.{name} has no effect with {recipe.algorithm}, which samples no episodes. Remove it"
    if (recipe.updates_per_batch or 1) > 1:
        yield f"updates_per_batch has no effect with {recipe.algorithm}, which makes one update per step. Remove it"
    if recipe.num_generations_per_prompt != usual.num_generations_per_prompt:
        yield f"num_generations_per_prompt has no effect with {recipe.algorithm}, which samples no episodes. Remove it"
    if recipe.temperature != usual.temperature and not recipe.rehearse:
        yield f"temperature has no effect with {recipe.algorithm}, which samples no episodes. Remove it"
    if recipe.num_tasks is not None and recipe.data:
        yield "num_tasks has no effect on the rows of `data`. Remove it, or name a dataset with fewer rows"


def changed(group: Struct, usual: Struct) -> list[str]:
    """The fields of a group that are not as usual."""
    return [name for name in group.__struct_fields__ if getattr(group, name) != getattr(usual, name)]
