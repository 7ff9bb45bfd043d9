"""How much memory each rank needs, and whether the layers of the model must be divided among them (`shard: auto`).

    rank_plan(load, shape, device, RankSettings(count=4))

Pure functions on top of `plan.py`. They estimate, as it does.
"""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from verigym.core.errors import Refused
from verigym.core.words import counted
from verigym.model.shape import NF4_BITS, Shape
from verigym.training.plan import Device, Memory, TrainingLoad, memory_of
from verigym.training.recipe import Recipe

GATHERED = 2
"""Layers that a rank holds whole at a time: the one that it computes and the next."""
PROMPT_TOKENS = 1000
"""Assumed tokens per prompt, and per reply without a limit, where they are not known."""


class RankSettings(Struct, frozen=True, kw_only=True):
    count: int
    shard: Literal["auto", "always", "never"] = "auto"
    samples_here: bool = True
    """Whether rank 0 samples from a model of its own. If not, engines elsewhere do."""


class RankPlan(Struct, frozen=True, kw_only=True):
    """What each rank holds."""

    count: int
    divided: bool
    """Whether each rank stores only its part of the layers."""
    first: Memory
    """The memory of rank 0, which also samples if no engine does."""
    other: Memory
    """The memory of every other rank."""

    @property
    def fits(self) -> bool:
        return self.first.fits and self.other.fits

    @property
    def lines(self) -> list[str]:
        if self.count == 1:
            return ["one process makes the updates and holds the whole model"]
        holds = f"1/{self.count} of the layers" if self.divided else "the whole model"
        usable, word = f"{self.other.usable / 1e9:.1f} GB", "fits" if self.fits else "DOES NOT FIT"
        return [
            f"{counted(self.count, 'rank')} make the updates together, and each holds {holds}",
            f"rank 0 needs at least {self.first.least / 1e9:.1f} GB and every other rank {self.other.least / 1e9:.1f} GB, of "
            f"{usable} each: {word}",
        ]


def rank_plan(load: TrainingLoad, shape: Shape, device: Device, settings: RankSettings) -> RankPlan:
    """The memory of the ranks. `device` is that of one rank. Layers are divided if the settings say so, or if without it a rank
    lacks memory and with it none needs more than before."""
    whole, parts = (_plan(load, shape, device, settings, divided) for divided in (False, True))
    if settings.shard == "auto":
        most = [max(each.first.least, each.other.least) for each in (whole, parts)]
        return parts if not whole.fits and most[1] < most[0] else whole
    return parts if settings.shard == "always" else whole


def _plan(load: TrainingLoad, shape: Shape, device: Device, settings: RankSettings, divided: bool) -> RankPlan:
    other = _learning(load, shape, device, settings.count if divided else 1)
    first = other
    if load.samples and settings.samples_here:
        sampling = memory_of(load, shape, device)
        # an undivided model is the one that is sampled from, and a divided one is there besides
        beside = sampling.weights if divided else 0.0
        first = replace(
            other,
            weights=other.weights + beside,
            merged=sampling.merged,
            cache=sampling.cache,
            teacher=sampling.teacher,
            least=other.least + beside + sampling.merged + sampling.cache + sampling.teacher,
        )
    return RankPlan(count=settings.count, divided=divided, first=first, other=other)


def _learning(load: TrainingLoad, shape: Shape, device: Device, parts: int) -> Memory:
    """The memory of a rank that only learns, and holds one of so many parts of each layer."""
    alone = memory_of(replace(load, samples=False, teacher_weights=0), shape, device)
    if parts == 1:
        return alone
    outside = (shape.outside or shape.vocabulary * shape.hidden) / shape.parameters
    share = outside + (1 - outside) / parts
    layers = alone.weights * (1 - outside)
    gathered = GATHERED * layers / max(shape.layers, 1)
    weights = alone.weights * share + gathered * (2 if load.full else 1)  # and their gradients before they are summed
    adapter = alone.adapter * (share if load.full else 1.0)
    saved = alone.weights + alone.adapter - weights - adapter
    return replace(
        alone,
        weights=weights,
        adapter=adapter,
        least=alone.least - saved,
        offloaded=alone.offloaded * share,
    )


def least_load(recipe: Recipe) -> TrainingLoad:
    """The size of a run as far as its recipe tells, for the decision of `shard: auto`."""
    return TrainingLoad(
        prompts_per_step=recipe.prompts_per_step,
        num_generations_per_prompt=recipe.num_generations_per_prompt if recipe.samples else 1,
        prompt_tokens=PROMPT_TOKENS,
        max_tokens=recipe.max_tokens or PROMPT_TOKENS,
        steps=recipe.steps,
        episode_tokens=recipe.limits.tokens if recipe.samples else None,
        full=recipe.adapter == "full",
        checkpointing=recipe.full.checkpointing,
        offload=recipe.full.offload,
        bits_per_weight=NF4_BITS if recipe.adapter == "qlora" else None,
        moment_bytes=2 if recipe.optimizer.name == "adamw8bit" else 8,
        lora_rank=recipe.lora.r,
        samples=recipe.samples,
    )


def check_divided(recipe: Recipe) -> None:
    """Refuses a recipe that cannot be trained with divided layers."""
    if what := undividable(recipe):
        raise Refused(
            f"{what} cannot be used with ranks that divide the model. Use shard never (VERIGYM_SHARD, or learners.shard in a "
            "cluster file), or change the recipe"
        )


def undividable(recipe: Recipe) -> str:
    """What of the recipe does not work with divided layers. Empty if all of it does."""
    if recipe.algorithm == "ppo":
        return "algorithm: ppo"
    if recipe.adapter == "qlora":
        return "adapter: qlora"
    return "" if recipe.optimizer.name == "adamw" else f"optimizer.name: {recipe.optimizer.name}"
