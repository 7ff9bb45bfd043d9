"""Advantages: how much better an episode was than the others of its group. G episodes of a group, R rewards of an episode.

An episode without a reward (its verifier or the infrastructure failed) gets advantage 0 and counts in no mean.
"""

import itertools
import math
from collections.abc import Sequence

from msgspec import Struct

from verigym.training.recipe import Advantage

TOLERANCE = 1e-6
"""Rewards closer than this count as equal, so their group has no signal."""
_EPS = 1e-4

Rewards = Sequence[float | None]


class KlShare(Struct, frozen=True, kw_only=True):
    """What the divergence from the reference took off the rewards of a step (`loss.kl_in: reward`). The weights of the step
    are needed to compute it, so it is stored."""

    run: str
    step: int
    taken: dict[str, float]
    """Trajectory id to the amount that was subtracted from its reward."""


def advantages(groups: Sequence[Rewards], settings: Advantage = Advantage()) -> list[list[float]]:
    """The advantage of every episode of every group of a batch."""
    centred = [_centred(group, settings.baseline) for group in groups]
    if settings.scale == "none":
        return [[value or 0.0 for value in group] for group in centred]
    overall = _deviation([reward for group in groups for reward in group])
    return [
        [(value or 0.0) / ((_deviation(group) if settings.scale == "group" else overall) + _EPS) for value in values]
        for group, values in zip(groups, centred, strict=True)
    ]


def advantages_of_each(
    groups: Sequence[Sequence[Sequence[float] | None]], weights_R: Sequence[float]
) -> list[list[float]]:
    """Advantages from several rewards: each is compared within its group, then summed by weight and scaled over the batch
    (gdpo)."""
    summed: list[list[float | None]] = []
    for group in groups:
        total = [None if row is None else 0.0 for row in group]
        for index, weight in enumerate(weights_R):
            [values] = advantages([[None if row is None else row[index] for row in group]])
            total = [None if sum is None else sum + weight * value for sum, value in zip(total, values, strict=True)]
        summed.append(total)
    scored = [value for group in summed for value in group if value is not None]
    mean, deviation = math.fsum(scored) / max(len(scored), 1), _deviation(scored)
    return [[0.0 if value is None else (value - mean) / (deviation + _EPS) for value in group] for group in summed]


def step_advantages(groups: Sequence[Sequence[Sequence[float] | None]], settings: Advantage) -> list[list[list[float]]]:
    """The advantage of every turn: its discounted return compared with that of the same turn in the group's other episodes."""
    returns = [
        [None if rewards is None else _returns(rewards, settings.discount) for rewards in group] for group in groups
    ]
    longest = max((len(row) for group in returns for row in group if row is not None), default=0)
    by_turn: list[list[list[float]]] = [[[] for _ in group] for group in groups]
    for turn in range(longest):
        at_turn = [[row[turn] if row is not None and turn < len(row) else None for row in group] for group in returns]
        for group, values, target in zip(returns, advantages(at_turn, settings), by_turn, strict=True):
            for row, value, episode in zip(group, values, target, strict=True):
                if row is not None and turn < len(row):
                    episode.append(value)
    return by_turn


def differ(rewards_G: Rewards) -> bool:
    scored = _scored(rewards_G)
    return len(scored) > 1 and max(scored) - min(scored) > TOLERANCE


def overlong(tokens: int, max_tokens: int, buffer: int, penalty: float) -> float:
    """The penalty of a reply of `tokens` tokens: 0 before the buffer, then rising linearly to `penalty` at max_tokens."""
    return penalty * max(0, tokens - (max_tokens - buffer)) / buffer if buffer else 0.0


def _returns(rewards: Sequence[float], discount: float) -> list[float]:
    returns = itertools.accumulate(reversed(rewards), lambda later, reward: reward + discount * later)
    return [*returns][::-1]


def _centred(rewards_G: Rewards, baseline: str) -> list[float | None]:
    """Each reward less the mean of its group, or of the others in it. None for a group with fewer than two rewards."""
    scored = _scored(rewards_G)
    if len(scored) < 2:
        return [None] * len(rewards_G)
    total, others = math.fsum(scored), len(scored) - 1
    if baseline == "others":
        return [None if reward is None else reward - (total - reward) / others for reward in rewards_G]
    return [None if reward is None else reward - total / len(scored) for reward in rewards_G]


def _deviation(rewards: Rewards) -> float:
    """The sample standard deviation (n - 1). 0 for fewer than two rewards."""
    scored = _scored(rewards)
    if len(scored) < 2:
        return 0.0
    mean = math.fsum(scored) / len(scored)
    return math.sqrt(math.fsum((reward - mean) ** 2 for reward in scored) / (len(scored) - 1))


def _scored(rewards: Rewards) -> list[float]:
    scored = [reward for reward in rewards if reward is not None]
    assert all(map(math.isfinite, scored)), "a reward must be finite"
    return scored
