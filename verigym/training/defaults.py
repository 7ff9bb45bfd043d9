"""Defaults of a recipe that depend on the model and the data: pure functions of facts. `recipe.filled` has those that depend on
the algorithm alone.

    resolved(recipe, Facts(parameters=135e6, hidden=576, reply_tokens=31)).learning_rate    # 2e-4

`docs/reference/defaults.md` lists all of them with their sources, and a test compares it with this file. What a recipe says is
never changed.
"""

import itertools
import math

import msgspec
from msgspec import Struct

from verigym.training.recipe import Recipe, filled, with_defaults

RL_RATES = ((300e6, 2e-4), (1e9, 4e-5), (8e9, 2e-5))
"""Parameters and learning rate of methods that sample. Straight lines between them on logarithmic axes."""
PREFERENCE_RATES = ((300e6, 2e-5), (1e9, 5e-6))
"""The same for dpo and kto."""
SFT_RATE, SFT_HIDDEN, SFT_POWER = 5e-4, 2000, 0.78
"""The rate of imitation at this hidden size, and how it falls with the size."""
REWARD_SHARE = 0.5
"""The rate of a reward model as a share of that of imitation."""
FULL_SHARE = 0.1
"""The rate of training all parameters as a share of that of an adapter."""
IMITATES = ("sft", "rft")
PREFERS = ("dpo", "kto")

REPLY_SHARE, REPLY_STEP, LEAST_TOKENS = 1.5, 32, 64
"""Room of a reply beyond the 99th percentile of gold replies, what it is rounded up to, and the least."""
TOKENS, REASONING_TOKENS = 512, 4096
"""Tokens of a reply without gold replies to measure, and of reasoning without `limits.reasoning_tokens`."""

GSPO_CLIPS, GSPO_TOKENS = (3e-4, 4e-4), 4000
"""The clips of the GSPO paper, and about how many tokens its replies had."""
RL_WARMUP, WARMUP_SHARE, LEAST_WARMUP = 10, 0.05, 3


class Facts(Struct, frozen=True, kw_only=True):
    """What defaults depend on. None for what is not known or not needed."""

    parameters: float | None = None
    hidden: int | None = None
    """The hidden size of the model."""
    reply_tokens: int | None = None
    """The 99th percentile of the tokens of gold replies."""
    sample_tokens: float | None = None
    """Mean tokens that the policy says in a gold episode."""
    max_turns: int = 1
    """The most replies of an episode."""
    tasks: int | None = None
    """Number of training tasks."""
    reasoning: bool = False
    """Whether the model reasons before it replies."""


def resolved(recipe: Recipe, facts: Facts) -> Recipe:
    """The recipe with a value in place of every None."""
    recipe = filled(recipe)
    tokens = recipe.max_tokens or reply_tokens(facts, recipe.limits.reasoning_tokens)
    low, high = gspo_clips(facts, tokens, recipe.limits.reasoning_tokens) if recipe.algorithm == "gspo" else (0.2, 0.28)
    several = facts.max_turns > 1
    average = "tokens" if several or recipe.algorithm != "grpo" else "sequences"
    return filled(
        msgspec.structs.replace(
            recipe,
            learning_rate=recipe.learning_rate or learning_rate(recipe, facts),
            max_tokens=tokens,
            loss=with_defaults(recipe.loss, {"average": average, "clip_low": low, "clip_high": high}),
            advantage=with_defaults(recipe.advantage, {"scale": "batch" if several else "group"}),
            optimizer=with_defaults(recipe.optimizer, {"warmup": warmup(recipe)}),
        )
    )


def learning_rate(recipe: Recipe, facts: Facts) -> float:
    """The rate by method and size, to two digits."""
    assert facts.parameters is not None and facts.hidden is not None, "the size of the model is needed"
    imitation = SFT_RATE * (SFT_HIDDEN / facts.hidden) ** SFT_POWER
    if recipe.algorithm in IMITATES:
        rate = imitation
    elif recipe.algorithm == "reward":
        rate = REWARD_SHARE * imitation
    else:
        rate = _between(PREFERENCE_RATES if recipe.algorithm in PREFERS else RL_RATES, facts.parameters)
    return _rounded(rate * FULL_SHARE if recipe.adapter == "full" else rate)


def _between(points: tuple[tuple[float, float], ...], size: float) -> float:
    """The value at `size`, on straight lines between points on logarithmic axes. Beyond the ends, that of the end."""
    size = min(max(size, points[0][0]), points[-1][0])
    for (left, first), (right, last) in itertools.pairwise(points):
        if size <= right:
            share = math.log(size / left) / math.log(right / left)
            return first * (last / first) ** share
    return points[-1][1]


def reply_tokens(facts: Facts, reasoning_limit: int | None = None) -> int:
    """The limit of a reply: room for one and a half gold replies, plus the reasoning of a model that reasons first."""
    if facts.reply_tokens is None:
        answer = TOKENS
    else:
        answer = max(LEAST_TOKENS, math.ceil(REPLY_SHARE * facts.reply_tokens / REPLY_STEP) * REPLY_STEP)
    return answer + (reasoning_limit or REASONING_TOKENS) if facts.reasoning else answer


def gspo_clips(facts: Facts, max_tokens: int, reasoning_limit: int | None = None) -> tuple[float, float]:
    """The clips of the ratio of a reply. Its logarithm is a mean over tokens, whose deviation falls with the root of their
    number, so short replies need wider clips. Gold replies have no reasoning, which counts with half of its limit."""
    reasoning = (reasoning_limit or REASONING_TOKENS) / 2 if facts.reasoning else 0.0
    tokens = facts.sample_tokens + reasoning if facts.sample_tokens else max_tokens / 2
    wider = math.sqrt(GSPO_TOKENS / max(tokens, 1))
    return _rounded(GSPO_CLIPS[0] * wider), _rounded(GSPO_CLIPS[1] * wider)


def warmup(recipe: Recipe) -> int:
    """Steps of the warm-up: for methods that sample ten or a quarter of the run, otherwise a twentieth."""
    if recipe.samples:
        return min(RL_WARMUP, max(LEAST_WARMUP, recipe.steps // 4))
    return max(LEAST_WARMUP, math.ceil(WARMUP_SHARE * recipe.steps))


def _rounded(value: float) -> float:
    return float(f"{value:.2g}")


def needs_model(recipe: Recipe) -> bool:
    """Whether a default depends on the size or the kind of the model."""
    return recipe.learning_rate is None or recipe.max_tokens is None


def needs_gold(recipe: Recipe) -> bool:
    """Whether a default depends on the length of gold replies."""
    clips = recipe.algorithm == "gspo" and None in (recipe.loss.clip_low, recipe.loss.clip_high)
    return recipe.max_tokens is None or clips
